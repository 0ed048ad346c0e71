"""Rankings of circles, with known answers and OpenSpiel's."""

import numpy as np
import pytest

from envs.core.game import Array
from eval.cycles import alpha_rank, nash_average

CIRCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
"""Rock, scissors, paper."""
LADDER = np.array([[0.0, 2.0, 3.0], [-2.0, 0.0, 0.5], [-3.0, -0.5, 0.0]])


def random_table(seed: int, num: int) -> Array:
    table = np.random.default_rng(seed).normal(size=(num, num)).round(1)
    return np.asarray(np.tril(table, -1) - np.tril(table, -1).T)


def test_circle_shares_alike() -> None:
    assert alpha_rank(CIRCLE) == pytest.approx([1 / 3] * 3)
    weights, gains = nash_average(CIRCLE)
    assert weights == pytest.approx([1 / 3] * 3)
    assert gains == pytest.approx([0] * 3)


def test_best_of_a_ladder_takes_all() -> None:
    ranks = alpha_rank(LADDER)
    assert ranks[0] > 0.98 > 0.02 > ranks[1] > ranks[2] > 0
    weights, gains = nash_average(LADDER)
    assert weights == pytest.approx([1, 0, 0])
    assert gains == pytest.approx([0, -2, -3])


def test_circle_above_a_loser() -> None:
    table = np.pad(CIRCLE, (0, 1), constant_values=5)
    table[3] = -5
    table[3, 3] = 0
    assert alpha_rank(table)[:3] == pytest.approx([1 / 3] * 3, abs=0.01)
    weights, gains = nash_average(table)
    assert weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    assert gains == pytest.approx([0, 0, 0, -5])


def test_amounts_count_in_nash_averaging_only() -> None:
    table = CIRCLE * [[0, 3, 2], [3, 0, 1], [2, 1, 0]]
    assert alpha_rank(table) == pytest.approx([1 / 3] * 3)
    assert nash_average(table)[0] == pytest.approx([1 / 6, 2 / 6, 3 / 6])


def test_copy_shares_and_changes_nothing_for_others() -> None:
    copied = CIRCLE[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert nash_average(copied)[0] == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3])


def test_agents_all_alike() -> None:
    assert nash_average(np.zeros((4, 4)))[0] == pytest.approx([1 / 4] * 4)
    assert alpha_rank(np.zeros((4, 4))) == pytest.approx([1 / 4] * 4)


def test_agent_without_a_weight_limits_the_others() -> None:
    """0 and 1 are as good as each other; 2 gains 2 against 0 and loses 1 to 1."""
    table = np.array([[0.0, 0.0, -2.0], [0.0, 0.0, 1.0], [2.0, -1.0, 0.0]])
    weights, gains = nash_average(table)
    assert weights == pytest.approx([1 / 3, 2 / 3, 0], abs=1e-7)
    assert gains == pytest.approx([0, 0, 0], abs=1e-7)


@pytest.mark.parametrize("seed", range(20))
def test_nobody_gains_against_the_nash_average(seed: int) -> None:
    table = 1000 * random_table(seed, 3 + seed % 7)
    weights, gains = nash_average(table)
    assert weights.sum() == pytest.approx(1)
    assert gains.max() == pytest.approx(0, abs=1e-4)
    assert gains[weights > 0] == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("table", [CIRCLE, LADDER, *(random_table(i, 3 + i) for i in range(5))])
@pytest.mark.parametrize("noise", [0.01, 0.2])
def test_alpha_rank_is_openspiels(table: Array, noise: float) -> None:
    alpharank = pytest.importorskip("open_spiel.python.egt.alpharank", reason="needs OpenSpiel")
    _, _, expected, _, _ = alpharank.compute([table], use_inf_alpha=True, inf_alpha_eps=noise)
    assert alpha_rank(table, noise) == pytest.approx(expected, abs=1e-9)
