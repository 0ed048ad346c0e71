"""The control for the luck of the deal: unbiased, honest, and worth it where it should be."""

import math
from typing import Any

import numpy as np
import pytest

import envs
from agents.roster import make_agent
from envs.core.rng import spawn_seeds
from eval.dealt import FIRST_RANDOM, bombs_of_doudizhu, deal_features, describe_deals
from eval.match import play_deals
from eval.statistics import estimate_mean
from eval.tournament import MAX_DEALS
from eval.variance import FEWEST_DEALS, Controlled, Covariates, estimate_with_control, fit_ridge

WEIGHTS = np.array([3.0, -2.0, 0.5, 0.0, 0.0, 0.0])
SIGNAL = float(np.linalg.norm(WEIGHTS))
"""Standard deviation of what features tell that are independent with variance 1."""


def control(
    rng: np.random.Generator, num: int, num_random: int, noise: float, useless: int = 0
) -> Controlled:
    """Control of deals worth 1 in the mean, with skewed features of mean 6 and skewed noise."""
    weights = np.append(WEIGHTS, np.zeros(useless))
    features, random = (5 + rng.exponential(1, (n, len(weights))) for n in (num, num_random))
    values = 1 + (features - 6) @ weights + noise * (rng.exponential(1, num) - 1)
    return estimate_with_control(
        values, Covariates(features, random.mean(0), np.cov(random.T), num_random)
    )


@pytest.mark.parametrize(("num_random", "useless"), [(150, 0), (5_000, 0), (1_000, 24)])
def test_unbiased_honest_and_narrower(num_random: int, useless: int) -> None:
    """Intervals cover the truth within two points of 95 %: with few random deals, with many, and
    with features that tell nothing.
    """
    rng, num, noise, repeats = np.random.default_rng(1), 150, 3.0, 1_200
    found = [control(rng, num, num_random, noise, useless) for _ in range(repeats)]
    means, lows, highs = np.array([controlled.estimate for controlled in found], float).T
    assert abs(means.mean() - 1) < 3 * means.std() / math.sqrt(repeats)
    assert np.mean((lows <= 1) & (highs >= 1)) == pytest.approx(0.95, abs=0.02)
    ratio = np.mean([controlled.ratio for controlled in found])
    ideal = math.sqrt((noise**2 + SIGNAL**2 * num / num_random) / (noise**2 + SIGNAL**2))
    assert ideal - 0.01 < ratio < (0.9 if useless else ideal + 0.04)


def test_features_that_tell_nothing_cost_next_to_nothing() -> None:
    rng = np.random.default_rng(2)
    features = rng.normal(size=(400, 50))
    known = Covariates(features, np.zeros(50), np.eye(50), 100_000)
    ratios = [estimate_with_control(rng.normal(size=400), known).ratio for _ in range(100)]
    assert np.mean(ratios) < 1.005
    assert max(ratios) < 1.03


def test_luck_of_the_run_is_taken_out() -> None:
    """The deals played were worth more than deals are."""
    features = np.random.default_rng(3).normal(size=(500, 2))
    known = Covariates(features, np.array([-1.0, 0.5]), np.eye(2), 10_000)
    values = 7 + features @ [2.0, 3.0]
    found = estimate_with_control(values, known)
    assert found.estimate.mean == pytest.approx(7 - 2 + 1.5, abs=0.01)
    assert found.ratio == pytest.approx(math.sqrt(500 / 10_000), rel=0.1)


def test_no_deal_is_predicted_by_a_fit_that_has_seen_it() -> None:
    """Every tenth deal alone has features: only fits that it is in can tell what they mean."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(200, 5)) * (np.arange(200) % 10 == 7)[:, None]
    values = features.sum(1) + rng.normal(size=200)
    assert fit_ridge(features, values).min() > 0.2
    found = estimate_with_control(values, Covariates(features, np.zeros(5), np.zeros((5, 5)), 1))
    assert found == (estimate_mean(values), 1.0)


def test_few_deals_or_equal_ones_are_left_alone() -> None:
    features = np.random.default_rng(5).normal(size=(FEWEST_DEALS, 3))
    known = Covariates(features, np.zeros(3), np.eye(3), 1000)
    few = known._replace(features=features[1:])
    assert estimate_with_control(features[1:, 0], few) == (estimate_mean(features[1:, 0]), 1.0)
    assert estimate_with_control(np.zeros(FEWEST_DEALS), known) == ((0.0, 0.0, 0.0), 1.0)


def test_ridge_by_hand() -> None:
    rng = np.random.default_rng(6)
    features = np.hstack([rng.normal(size=(5_000, 2)) * [1, 100], np.full((5_000, 1), 3.0)])
    values = 4 + features @ [2.0, -0.03, 9.0] + rng.normal(size=5_000)
    assert fit_ridge(features, values) == pytest.approx([2.0, -0.03, 0.0], abs=0.05)
    wide = fit_ridge(rng.normal(size=(40, 200)), rng.normal(size=40))
    assert np.isfinite(wide).all()


def test_bombs_by_hand() -> None:
    counts = np.zeros((3, 15), np.int64)
    counts[0, [2, 12]] = 4
    counts[1, [0, 13, 14]] = 4, 1, 1
    counts[2, [0, 14]] = 3, 1
    hands = (np.arange(4)[:, None] < counts[:, None]).astype(np.int8)
    assert bombs_of_doudizhu({"hand": hands}).tolist() == [[2, 0], [2, 1], [0, 0]]
    two_packs = np.zeros((2, 8, 15), np.int8)
    two_packs[:, :2, 13] = two_packs[:, :2, 14] = 1
    two_packs[1, 1, 14] = 0
    assert bombs_of_doudizhu({"hand": two_packs}).tolist() == [[1, 1], [0, 0]]


def test_random_deals_are_as_chance_has_them() -> None:
    game = envs.load_game("doudizhu")
    known = describe_deals(game, game.make_rules(auction="off"), 1, 200, 20_000)
    # both jokers among the landlord's 20 cards, or a farmer's 17; a third of that for each seat
    rockets = (20 * 19 + 2 * 17 * 16) / (54 * 53) / 3
    error = math.sqrt(known.covariance[1, 1] / known.num_random)
    assert known.mean[1] == pytest.approx(rockets, abs=4 * error)
    assert known.covariance[1, 1] == pytest.approx(rockets * (1 / 3 - rockets), rel=0.05)


@pytest.mark.parametrize("name", envs.GAMES)
def test_every_game_has_features(name: str) -> None:
    game = envs.load_game(name)
    rules = game.make_rules()
    known = describe_deals(game, rules, 3, 30, 2_500)
    again = describe_deals(game, rules, 3, 30, 2_500)
    assert all(np.array_equal(*both) for both in zip(known[:3], again[:3], strict=True))
    features = deal_features(game, rules, spawn_seeds(3, 30))
    assert np.array_equal(known.features, features[:, np.ptp(features, axis=0) > 0])
    random = deal_features(game, rules, spawn_seeds(3, 2_500, FIRST_RANDOM))
    random = random[:, np.ptp(features, axis=0) > 0]
    assert known.mean == pytest.approx(random.mean(0))
    assert known.covariance == pytest.approx(np.cov(random.T, bias=True), abs=1e-9)


def test_deals_played_are_not_among_the_random_ones() -> None:
    assert FIRST_RANDOM >= MAX_DEALS


@pytest.mark.parametrize(
    ("name", "options", "agents", "ratio"),
    [
        ("doudizhu", {"auction": "off"}, ("rule", "random"), 0.9),
        ("jitgo_ttaeng", {"max_hands": 1}, ("rule", "call"), 0.75),
    ],
)
def test_it_narrows_real_intervals(
    name: str, options: dict[str, Any], agents: tuple[str, str], ratio: float
) -> None:
    game = envs.load_game(name)
    rules = game.make_rules(**options)
    players = [make_agent(agent, game, rules) for agent in agents]
    values = play_deals(game, rules, players, spawn_seeds(1, 600)).differences()
    found = estimate_with_control(values, describe_deals(game, rules, 1, 600, 20_000))
    assert found.ratio < ratio
    _, low, high = estimate_mean(values)
    assert low is not None and high is not None and found.estimate.mean is not None
    assert low < found.estimate.mean < high
