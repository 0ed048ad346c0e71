"""Asking agents in given positions, as the tests of the rule-based ones do."""

from typing import Any

import numpy as np

from agents.base import Agent
from envs.core.game import OVER, Array, Game
from envs.core.rng import spawn_seeds
from tests.conformance.play import look


def answers(
    game: Game, rules: Any, agent: Agent, states: Array, keys: Array | None = None
) -> Array:
    """The agent's actions for the seats to act; all keys are 0 if left out."""
    observations = look(game, rules, states, states["turn"].copy())
    keys = np.zeros(len(states), np.int64) if keys is None else keys
    answer: Array = agent.act(observations, game.masks(states), keys=keys, tables=keys)
    return answer


def check_always_legal_and_the_same_alone(
    game: Game, rules: Any, agent: Agent, num_games: int, guided: float, steps: int = 100_000
) -> None:
    """In positions of random play, so also in such as no sensible player gets into.

    guided: share of the actions that are the agent's; steps: after which the games are left.
    """
    chance = np.random.default_rng(1)
    states = game.new_games(rules, spawn_seeds(2, num_games))
    for _ in range(steps):
        states = states[states["turn"] != OVER]
        if not len(states):
            break
        masks, actions = game.masks(states), answers(game, rules, agent, states)
        assert masks[np.arange(len(states)), actions].all()
        row = int(chance.integers(len(states)))
        assert answers(game, rules, agent, states[row : row + 1]) == actions[row]
        is_guided = chance.random(len(states)) < guided
        random = (masks * chance.random(masks.shape)).argmax(1)
        game.apply(states, np.where(is_guided, actions, random))
