"""Likely worlds: those sampled are worlds of the view, and more like the truth than others."""

from typing import Any

import numpy as np
import pytest

import envs
from agents.base import Decision
from agents.roster import make_agent
from agents.rule_based.tongits_hands import completing, loose_cards, points_of
from agents.search.base import load_policy
from agents.search.tongits_belief import settle_batch
from agents.search.worlds import Playouts, repeat
from envs.core.game import Array, Game
from envs.core.rng import spawn_seeds
from envs.core.vector import BatchEnv
from tests.conformance.play import look

WORLDS = 16
WEIGHED = [("doudizhu", None, 0.3)]
"""Games whose worlds are weighed, a variant, and by how much the truth stands out at least."""


def positions_of_seat_0(game: Game, rules: Any, num: int) -> Array:
    """`num` positions of seat 0 in games of rule-based players: worlds of what it sees, too."""
    agent, env = make_agent("rule", game, rules), BatchEnv(game, rules, 64)
    env.reset(seed=4)
    chance, tables, found, taken = np.random.default_rng(0), np.arange(64), [], 0
    while taken < num:
        actions = agent.act(env.observations, env.masks, keys=tables, tables=tables)
        env.step(actions)
        mine = np.flatnonzero((env.seats == 0) & (chance.random(64) < 0.1))
        found.append(repeat(env.states[mine], 1))
        taken += len(mine)
    return np.concatenate(found)[:num]


@pytest.mark.parametrize(("game_name", "preset", "least"), WEIGHED)
def test_the_true_cards_are_likelier_than_others(
    game_name: str, preset: str | None, least: float
) -> None:
    game = envs.load_game(game_name)
    rules = game.make_rules(preset)
    truth = positions_of_seat_0(game, rules, 300)
    worlds = repeat(game.views(rules, look(game, rules, truth, np.zeros(300, np.int64))), WORLDS)
    game.resample(worlds, spawn_seeds(3, len(worlds)))
    weigh: Any = load_policy(game)
    own, others = np.empty(len(truth)), np.empty(len(worlds))
    weigh.weigh_batch(truth, own)
    weigh.weigh_batch(worlds, others)
    assert (own > 0).all()
    assert np.isfinite(others).all()
    mean = (own + others.reshape(WORLDS, -1).sum(0)) / (1 + WORLDS)
    assert np.log(own / mean).mean() > least  # nats
    alone = np.empty(1)
    weigh.weigh_batch(worlds[7:8], alone)
    assert alone[0] == others[7]


@pytest.mark.parametrize("game_name", envs.GAMES)
def test_worlds_look_as_the_seat_sees_them(game_name: str) -> None:
    game = envs.load_game(game_name)
    rules = game.make_rules(next(iter(game.presets)))
    playouts = Playouts(game, rules, load_policy(game), make_agent("rule", game, rules))
    for state in positions_of_seat_0(game, rules, 20):
        states = np.array([state], game.state)
        [seen] = look(game, rules, states, np.zeros(1, np.int64))
        decision = Decision(game, rules, seen, game.masks(states)[0], key=7, table=0)
        worlds = playouts.sample(decision, 10, 0)
        assert (look(game, rules, worlds, np.zeros(10, np.int64)) == seen).all()
        assert not any(game.problems(world) for world in worlds)


def test_settled_hands_of_tongits_are_as_good_as_true_ones() -> None:
    game = envs.load_game("tongits")
    rules = game.make_rules()
    truth = positions_of_seat_0(game, rules, 400)
    views = game.views(rules, look(game, rules, truth, np.zeros(400, np.int64)))
    worlds = repeat(views, 4)
    game.resample(worlds, spawn_seeds(3, len(worlds)))
    settled, again = repeat(worlds, 1), repeat(worlds[5:6], 1)
    settle_batch(settled, spawn_seeds(8, len(worlds)))
    settle_batch(again, spawn_seeds(8, 1, 5))
    assert again.tobytes() == settled[5:6].tobytes()
    assert settled.tobytes() != worlds.tobytes()
    for mark in (loose_points_at_most_10, own_discards_that_fit):
        true, uniform, likely = (
            np.mean([mark(state) for state in states]) for states in (truth, worlds, settled)
        )
        assert abs(likely - true) < 0.35 * abs(uniform - true)


def loose_points_at_most_10(s: Any) -> float:
    """How many of the other hands are that good."""
    return sum(points_of(loose_cards(int(s.hands[seat]))) <= 10 for seat in (1, 2))


def own_discards_that_fit(s: Any) -> float:
    """How many cards the others discarded that go with their hands."""
    return sum((completing(int(s.hands[k])) & int(s.discards[k])).bit_count() for k in (1, 2))
