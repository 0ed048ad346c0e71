"""Ratings against published values, independent solvers, and synthetic games of known strength."""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest

from envs.core.game import Array
from eval.match import NOBODY
from eval.plackett_luce import Draws, Ranking, count_draws, fit
from eval.ratings import ELO, OPEN, Games, Rating, rate, side_roles

TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
WINS = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
"""American League East, 1987: games that the team of the row won against that of the column.
Source: Agresti, "Categorical Data Analysis", as are the strengths below."""
STRENGTHS = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]


def most_likely(rankings: list[Ranking], num: int) -> Array:
    """Strengths from the rankings alone, the last of them 0."""
    draws = count_draws(rankings, num)
    strengths = fit(with_last_at_zero(draws), np.zeros(num - 1))[0]
    return np.append(strengths, 0.0)


def with_last_at_zero(draws: Draws) -> Draws:
    whole = draws.weighted(np.ones((1, len(draws.drawn))))
    return whole._replace(members=draws.members[:, :-1])


def test_bradley_terry_of_the_baseball_season() -> None:
    pairs = itertools.permutations(range(7), 2)
    rankings: list[Ranking] = [[[(i,)], [(j,)]] for i, j in pairs for _ in range(WINS[i, j])]
    assert most_likely(rankings, 7) == pytest.approx(STRENGTHS, abs=5e-5)


def random_rankings(rng: np.random.Generator, worth: Array, num: int) -> list[Ranking]:
    """Rankings of all, by the model: who is last in an exponential race of the reciprocals."""
    times = rng.exponential(1 / worth, (num, len(worth)))
    return [[[(int(i),)] for i in row] for row in np.argsort(times, axis=1)]


def minorize_maximize(rankings: list[Ranking], num: int) -> Array:
    """Hunter's algorithm for rankings without ties ("MM algorithms for generalized Bradley-Terry
    models", 2004): strengths, the last of them 0.
    """
    orders = [[party[0] for (party,) in ranking] for ranking in rankings]
    worth = np.ones(num)
    for _ in range(300):
        drawn, chances = np.zeros(num), np.zeros(num)
        for order in orders:
            for place in range(len(order) - 1):
                left = order[place:]
                drawn[order[place]] += 1
                chances[left] += 1 / worth[left].sum()
        worth = drawn / chances
    return np.asarray(np.log(worth / worth[-1]))


def test_plackett_luce_agrees_with_hunters_algorithm() -> None:
    rng = np.random.default_rng(1)
    rankings = random_rankings(rng, np.array([0.4, 1.0, 2.0, 0.7, 1.0]), 40)
    rankings += [ranking[:3] for ranking in random_rankings(rng, np.ones(5), 20)]
    assert most_likely(rankings, 5) == pytest.approx(minorize_maximize(rankings, 5), abs=1e-6)


def log_likelihood(strengths: Array, ranking: list[tuple[int, ...]]) -> float:
    """Of parties one after the other, as the model's definition has it."""
    left = [float(strengths[list(party)].mean()) for party in ranking]
    return sum(left[i] - math.log(sum(map(math.exp, left[i:]))) for i in range(len(left)))


def test_summit_of_the_likelihood_with_ties_and_partners() -> None:
    """A tie is the average of its orders; a party is as strong as its members in the mean."""
    rankings: list[Ranking] = [
        [[(0,), (1,), (2,)], [(3,)]],
        [[(0, 1)], [(2, 3), (1, 2)]],
        [[(3,)], [(2,), (2,)], [(0,)]],
        [[(1,)], [(0, 2)]],
        [[(2, 3)], [(0, 1)]],
    ]

    def likelihood(strengths: Array) -> float:
        total = 0.0
        for ranking in rankings:
            orders = itertools.product(*(itertools.permutations(place) for place in ranking))
            parts = [log_likelihood(strengths, [p for tied in o for p in tied]) for o in orders]
            total += float(np.mean(parts))
        return total

    best = most_likely(rankings, 4)
    for direction in np.vstack([np.eye(4), np.random.default_rng(0).normal(size=(8, 4))]):
        ahead, back = (likelihood(best + step * direction) for step in (1e-3, -1e-3))
        assert max(ahead, back) < likelihood(best)
        assert ahead == pytest.approx(back, abs=1e-8)


def test_newtons_method_arrives_from_anywhere() -> None:
    rankings = random_rankings(np.random.default_rng(2), np.array([50.0, 1.0, 0.02]), 400)
    draws = with_last_at_zero(count_draws(rankings, 3))
    near = fit(draws, np.zeros(2))
    for start in ([-9.0, 9.0], [30.0, -30.0]):
        assert fit(draws, np.array(start)) == pytest.approx(near, abs=1e-6)


def games(payoffs: Array, seating: Array, sides: list[int]) -> Games:
    return Games(payoffs, seating, np.full(payoffs.shape[:2], NOBODY), np.array(sides))


ALONE = [-1, -1]


def duels(results: Sequence[float], a: int = 0, b: int = 1) -> Games:
    """One game a deal, with what each brings the first."""
    won = np.array(results)[:, None]
    payoffs = np.stack([won, -won], axis=-1)
    return games(payoffs, np.broadcast_to([a, b], payoffs.shape), ALONE)


def test_a_rating_by_hand() -> None:
    """With sides and without, 30 games of 41 and one made-up game won and lost by each."""
    expected = fit(
        count_draws(
            [[[(0,)], [(1,)]]] * 30
            + [[[(1,)], [(0,)]]] * 11
            + [[[(0,)], [(2,)]], [[(2,)], [(0,)]], [[(1,)], [(2,)]], [[(2,)], [(1,)]]],
            3,
        )
        .weighted(np.ones((1, 45)))
        ._replace(members=np.eye(3)[:, :2]),
        np.zeros(2),
    )[0]
    played = duels([1] * 29 + [-1] * 10 + [0, 0])
    for sides in (ALONE, [0, 1]):
        found = rate([played._replace(sides=np.array(sides))], 2, anchor=1)
        assert found.overall[0].points == pytest.approx(ELO * (expected[0] - expected[1]))
        assert found.overall[1] == Rating(0.0, 0.0, 0.0)
        assert found.by_role == [found.overall]
    centred = [rating.points for rating in rate([played], 2).overall]
    assert centred == pytest.approx([found.overall[0].points / 2, -found.overall[0].points / 2])  # type: ignore[operator]


def test_ten_wins_for_a_loss_are_400_points() -> None:
    found = rate([duels([1.0] * 10_000 + [-1.0] * 1_000)], 2, anchor=1)
    assert found.overall[0].points == pytest.approx(400, abs=1)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_all_won_is_finite_and_open_upwards(sign: float) -> None:
    found = rate([duels([sign] * 1000)], 2, anchor=1).overall[0]
    points, low, high = (
        sorted(sign * point for point in found if point is not None)[1],
        *(
            sorted((sign * found.low, sign * found.high))  # type: ignore[operator]
        ),
    )
    assert 400 * math.log10(250) < low < 400 * math.log10(1000) < points + 100
    assert points + 300 < high < 4000


def test_a_forfeit_is_lost_whatever_the_payoffs() -> None:
    played = duels([5.0] * 20)
    played.lost_by[:] = 0
    assert (
        rate([played], 2, anchor=1).overall[0] == rate([duels([-5.0] * 20)], 2, anchor=1).overall[0]
    )


def test_agents_that_never_met_have_no_rating() -> None:
    apart = [duels([1, -1, 1]), duels([1, 1, -1], 2, 3)]
    overall = rate(apart, 4, anchor=1).overall
    assert overall[2:] == [OPEN, OPEN]
    assert OPEN not in overall[:2]
    through_a_third = [duels([1, -1, 1]), duels([1, 1, -1], 2, 1)]
    assert OPEN not in rate(through_a_third, 3, anchor=0).overall


def test_roles_are_the_sizes_of_sides() -> None:
    assert side_roles(np.array([[1, 0, 1], [0, 1, 1]])).tolist() == [[1, 0, 1], [0, 1, 1]]
    assert side_roles(np.array([1, 0, 1, 0])).tolist() == [0, 0, 0, 0]
    assert side_roles(np.array([-1, -1, -1])).tolist() == [0, 0, 0]


SIDES = [0, 1, 1]
"""One against two partners."""


def play_sides(rng: np.random.Generator, strengths: Array, deals: int) -> list[Games]:
    """Every pair in both roles; strengths [2, A]: alone, and as a partner."""
    groups = []
    for a, b in itertools.combinations(range(strengths.shape[1]), 2):
        seating = np.array([[a, b, b], [b, a, a]])
        chances = [1 / (1 + math.exp(strengths[1, y] - strengths[0, x])) for x, y, _ in seating]
        won = np.where(rng.random((deals, 2)) < chances, 1, -1)
        payoffs = np.stack([2 * won, -won, -won], axis=-1)
        groups.append(games(payoffs, np.broadcast_to(seating, payoffs.shape), SIDES))
    return groups


def test_roles_have_strengths_of_their_own() -> None:
    strengths = np.array([[0.5, 1.5, 0.2], [0.0, -0.2, 0.9]])
    found = rate(
        play_sides(np.random.default_rng(3), strengths, 30_000), 3, anchor=0, num_resamples=20
    )
    expected = ELO * (strengths - strengths[:, :1])
    for role in range(2):
        points = [rating.points for rating in found.by_role[role]]
        assert points == pytest.approx(expected[role].tolist(), abs=10)
    assert [r.points for r in found.overall] == pytest.approx(expected.mean(0).tolist(), abs=8)
    assert [r.points for r in found.roles] == pytest.approx([ELO * 0.25, -ELO * 0.25], abs=8)


def test_two_agents_in_opposite_roles_are_rated_overall_only() -> None:
    strengths = np.array([[0.5, 1.5], [0.0, -0.2]])
    found = rate(
        play_sides(np.random.default_rng(4), strengths, 30_000), 2, anchor=0, num_resamples=20
    )
    assert found.overall[1].points == pytest.approx(ELO * 0.4, abs=8)
    assert found.by_role[0][1] == found.by_role[1][1] == found.roles[0] == OPEN


def test_partners_share() -> None:
    """Strength of a side is the mean of its two; a mixed side tells of both."""
    rng, worth = np.random.default_rng(5), np.array([0.0, 0.8, -0.6])
    seating = np.array([[0, 1, 0, 1], [1, 0, 2, 0], [1, 2, 1, 2]])
    sides = np.array([0, 1, 0, 1])
    chances = [1 / (1 + math.exp((worth[[y, w]] - worth[[x, z]]).mean())) for x, y, z, w in seating]
    won = np.where(rng.random((40_000, 3)) < chances, 1, -1)
    payoffs = won[:, :, None] * (1 - 2 * sides)
    found = rate(
        [games(payoffs, np.broadcast_to(seating, payoffs.shape), sides.tolist())], 3, anchor=0
    )
    points = [rating.points for rating in found.overall]
    assert points == pytest.approx((ELO * worth).tolist(), abs=10)


def race(rng: np.random.Generator, strengths: Array, deals: int, luck: float = 0.0) -> Games:
    """Two games a deal at three seats, by the model; a share of the deals has both alike."""
    seating = np.array([[0, 1, 2], [2, 0, 1]])
    times = rng.exponential(1 / np.exp(strengths), (deals, 2, len(strengths)))
    times[:, 1] = np.where(rng.random((deals, 1)) < luck, times[:, 0], times[:, 1])
    payoffs = -np.take_along_axis(times, np.broadcast_to(seating, times.shape), 2)
    return games(payoffs, np.broadcast_to(seating, times.shape), [-1, -1, -1])


def test_intervals_cover_the_truth() -> None:
    """Within two points of 95 %, though the two games of most deals end alike."""
    rng, strengths, num = np.random.default_rng(6), np.array([0.9, 0.3, 0.0]), 1000
    covered = np.zeros(2)
    for seed in range(num):
        found = rate(
            [race(rng, strengths, 80, luck=0.7)], 3, anchor=2, seed=seed, num_resamples=200
        )
        for i in range(2):
            _, low, high = found.overall[i]
            assert low is not None and high is not None
            covered[i] += low <= ELO * strengths[i] <= high
    assert (abs(covered / num - 0.95) < 0.02).all(), covered / num


def test_same_seed_same_intervals_and_the_deal_is_the_sample() -> None:
    one = race(np.random.default_rng(7), np.array([0.9, 0.3, 0.0]), 60)
    one = one._replace(sides=np.full(one.payoffs.shape, -1))
    assert rate([one], 3) == rate([one], 3)
    assert rate([one], 3).overall != rate([one], 3, seed=1).overall
    four_times = Games(*(np.concatenate([array] * 4, axis=1) for array in one))
    many = Games(*(np.concatenate([array] * 4) for array in one))

    def width(played: Games) -> float:
        _, low, high = rate([played], 3).overall[0]
        assert low is not None and high is not None
        return high - low

    assert width(four_times) == pytest.approx(width(one), rel=0.05)
    assert width(many) == pytest.approx(width(one) / 2, rel=0.1)
