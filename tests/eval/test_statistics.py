"""Intervals with known answers."""

import numpy as np
import pytest
from scipy import stats

from eval.statistics import (
    Estimate,
    deals_for_half_width,
    estimate_mean,
    estimate_rate,
    half_width,
    holm,
    sign_flip_p,
    t_quantile,
)


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


@pytest.mark.parametrize("chances", [(0.25, 0.5, 0.25), (0.1, 0.5, 0.4), (0.4, 0.4, 0.2)])
def test_intervals_cover_the_truth_in_95_of_100(chances: tuple[float, ...]) -> None:
    rng = np.random.default_rng(2)
    truth = 0.5 * chances[1] + chances[2]
    samples = rng.choice([0.0, 0.5, 1.0], (2000, 100), p=chances)
    for estimate in (estimate_mean, estimate_rate):
        found = np.array([estimate(row)[1:] for row in samples], float)
        covered = np.mean((found[:, 0] <= truth) & (truth <= found[:, 1]))
        assert covered == pytest.approx(0.95, abs=0.02)


def test_half_widths() -> None:
    assert half_width(Estimate(0.5, 0.4, 0.7)) == pytest.approx(0.15)
    assert half_width(Estimate(0.5, None, None)) == float("inf")
    assert deals_for_half_width(Estimate(0.5, 0.375, 0.625), 100, 0.0625) == 400
    assert deals_for_half_width(Estimate(1.0, None, None), 1, 0.01) is None


def test_deals_wanted_are_about_right() -> None:
    rng = np.random.default_rng(3)
    shares = rng.choice([0.0, 0.5, 1.0], 100_000, p=[0.2, 0.5, 0.3])
    found = deals_for_half_width(estimate_rate(shares[:1000]), 1000, 0.005)
    assert found is not None
    assert half_width(estimate_rate(shares[:found])) == pytest.approx(0.005, rel=0.1)


FEW = np.array([3.0, -1.0, 2.0, 2.0, 0.0, -0.5, 4.0, 1.0])


def test_sign_flips_by_hand() -> None:
    # sums ±1 ±2: 3, 1, -1, -3; as far from 0 as 3 are two of four, as 1 all
    assert sign_flip_p(np.array([1.0, 2.0])) == 0.5
    assert sign_flip_p(np.array([-1.0, 2.0])) == 1.0
    assert sign_flip_p(np.array([1.0, 2.0, 0.0, 0.0])) == 0.5
    assert sign_flip_p(np.array([0.1] * 3 + [0.2])) == 2 / 16
    assert sign_flip_p(np.zeros(500)) == 1.0
    assert sign_flip_p(np.array([])) is None


@pytest.mark.parametrize("num", [2, 5, 8])
def test_few_sign_flips_are_scipys(num: int) -> None:
    expected = stats.permutation_test(
        (FEW[:num],), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip_p(FEW[:num]) == pytest.approx(expected.pvalue)


def test_random_sign_flips_of_equal_sizes_are_the_sign_test() -> None:
    differences = np.repeat([2.0, -2.0, 0.0], [120, 90, 50])
    expected = stats.binomtest(90, 210).pvalue
    assert sign_flip_p(differences) == pytest.approx(expected, abs=0.006)
    assert sign_flip_p(differences) == sign_flip_p(differences[::-1])


def test_random_sign_flips_agree_with_all_of_them() -> None:
    sizes = np.array([3.0, 1.0, 2.0, 2.0, 0.5, 4.0, 1.0, 6.0, 1.5, 2.5, 1.0, 1.0, 7.0, -8.0, -3.0])
    exact = stats.permutation_test(
        (sizes,), np.mean, permutation_type="samples", n_resamples=np.inf, vectorized=False
    )
    assert sign_flip_p(sizes) == pytest.approx(exact.pvalue, abs=0.015)


def test_a_sure_difference_has_the_least_p() -> None:
    assert sign_flip_p(np.full(1000, 0.25)) == 1 / 10_000


def test_p_values_of_equals_are_uniform() -> None:
    rng = np.random.default_rng(4)
    samples = rng.integers(-3, 4, (400, 60)).astype(float)
    found = np.array([sign_flip_p(row) for row in samples])
    assert np.mean(found <= 0.05) == pytest.approx(0.05, abs=0.03)
    assert np.mean(found <= 0.5) == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize(
    ("values", "corrected"),
    [
        # as R's p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") gives
        ([0.01, 0.02, 0.03, 0.04, 0.05], [0.05, 0.08, 0.09, 0.09, 0.09]),
        # the example of Wikipedia's article on the method, which rejects the first and the last
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.7, 0.6], [1.0, 1.0]),
        ([], []),
    ],
)
def test_holm(values: list[float], corrected: list[float]) -> None:
    assert holm(values) == pytest.approx(corrected)


def test_stopping_at_a_width_keeps_the_coverage() -> None:
    rng = np.random.default_rng(5)
    chances, truth = (0.2, 0.4, 0.4), 0.6
    looks = [100, 130, 170, 220, 280, 350, 440, 550]
    covered = 0
    for _ in range(1500):
        shares = rng.choice([0.0, 0.5, 1.0], looks[-1], p=chances)
        for look in looks:
            found = estimate_rate(shares[:look])
            if half_width(found) <= 0.045:
                break
        assert found.low is not None and found.high is not None
        covered += found.low <= truth <= found.high
    assert covered / 1500 == pytest.approx(0.95, abs=0.02)
