"""The random agent is uniform over plays."""

import numpy as np

from agents.random_agent import RandomAgent, sample_weighted
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from tests.toy_game import FOLD, GAME, RAISE, STAKE, ToyRules

CHI_SQUARE_999 = {3: 16.27, 2: 13.82}
"""The 99.9 % point by degrees of freedom."""


def chi_square(counts: list[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


def test_uniform_over_plays_not_over_ids() -> None:
    rules, num = ToyRules(), 4000
    states = GAME.new_games(rules, np.zeros(num, np.int64))
    agent = RandomAgent(GAME, rules)
    plays = np.zeros(num, np.int64)
    for step in range(2):
        observations = empty_vectors(num, GAME.layout(rules))
        GAME.observe(states, np.zeros(num, np.int64), observations)
        keys = spawn_seeds(step, num)
        actions = agent.act(observations, GAME.masks(states), keys=keys, tables=keys)
        plays = np.where(plays == FOLD, actions, plays) if step == 0 else plays * 10 + actions
        GAME.apply(states, np.where(actions == FOLD, -1, actions))
    counts = [
        int(np.sum(plays // 10 == FOLD)),
        *(int(np.sum(plays == 10 * RAISE + STAKE + k)) for k in range(3)),
    ]
    assert sum(counts) == num
    assert chi_square(counts) < CHI_SQUARE_999[3]


def test_large_weights_stay_exact() -> None:
    num = 3000
    weights = np.tile(np.array([10**7, 0, 10**7, 10**7]), (num, 1))
    actions = np.empty(num, np.int64)
    sample_weighted(weights, spawn_seeds(1, num), actions)
    counts = np.bincount(actions, minlength=4)
    assert counts[1] == 0
    assert chi_square(counts[[0, 2, 3]].tolist()) < CHI_SQUARE_999[2]


def test_same_key_same_action_and_no_weight_no_action() -> None:
    weights, actions = np.array([[1, 2, 3], [1, 2, 3], [0, 0, 0]]), np.empty(3, np.int64)
    sample_weighted(weights, np.array([11, 11, 11]), actions)
    assert actions[0] == actions[1]
    assert actions[2] == -1
