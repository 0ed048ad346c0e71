"""Intervals with known answers."""

import numpy as np
import pytest

from eval.statistics import Estimate, estimate_mean, estimate_rate, t_quantile


def test_t_quantiles_of_the_tables() -> None:
    assert [round(t_quantile(n), 3) for n in (1, 4, 9, 100)] == [12.706, 2.776, 2.262, 1.984]


def test_mean_of_five_numbers() -> None:
    mean, low, high = estimate_mean(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    # s = sqrt(2.5), s / sqrt(5) = 0.70711, times 2.77645
    assert (mean, low, high) == pytest.approx((3.0, 1.03676, 4.96324), abs=1e-5)


def test_too_few_deals_leave_the_interval_open() -> None:
    for estimate in (estimate_mean, estimate_rate):
        assert estimate(np.array([1.0])) == Estimate(1.0, None, None)
        assert estimate(np.array([])) == Estimate(None, None, None)


def wilson(rate: float, size: float, z: float) -> tuple[float, float]:
    """Wilson's interval as the textbooks write it."""
    centre = (rate + z * z / (2 * size)) / (1 + z * z / size)
    reach = z / (1 + z * z / size) * (rate * (1 - rate) / size + z * z / (4 * size**2)) ** 0.5
    return centre - reach, centre + reach


def test_rate_of_independent_games_is_wilsons() -> None:
    shares = np.repeat([0.0, 1.0], [30, 70])  # one game a deal
    rate, low, high = estimate_rate(shares)
    assert rate == 0.7
    assert (low, high) == pytest.approx(wilson(0.7, 100, t_quantile(99)), abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_rate_keeps_a_width_at_the_ends(share: float) -> None:
    rate, low, high = estimate_rate(np.full(50, share))
    assert rate == share
    assert (low, high) == pytest.approx(wilson(share, 50, t_quantile(49)), abs=1e-12)
    assert low is not None and high is not None and high - low > 0.05


def test_duplicate_deals_narrow_the_rate() -> None:
    one_game = estimate_rate(np.tile([0.0, 1.0], 200))
    mostly_luck_of_the_cards = estimate_rate(np.tile([0.5, 0.5, 0.5, 0.5, 0.0, 1.0], 67))
    widths = [found.high - found.low for found in (one_game, mostly_luck_of_the_cards)]  # type: ignore[operator]
    assert widths[1] < 0.7 * widths[0]


@pytest.mark.parametrize("chances", [(0.25, 0.5, 0.25), (0.03, 0.84, 0.13), (0.0, 0.04, 0.96)])
def test_intervals_cover_the_truth(chances: tuple[float, ...]) -> None:
    rng = np.random.default_rng(1)
    truth = 0.5 * chances[1] + chances[2]
    covered = 0
    for _ in range(1000):
        _, low, high = estimate_rate(rng.choice([0.0, 0.5, 1.0], 100, p=chances))
        assert low is not None and high is not None
        covered += low <= truth <= high
    assert covered > 930
