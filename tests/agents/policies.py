"""Checks of default policies, whatever the game: what they see, what they may do, playouts."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.search.base import Policy
from agents.search.worlds import repeat
from envs.core.game import NO_ACTION, OVER, Array, Game
from envs.core.rng import spawn_seeds
from tests.conformance.play import look


def choices(game: Game, policy: Policy, states: Array) -> Array:
    """What the policy does in each state, or view; it must be allowed."""
    masks, actions = game.masks(states), np.empty(len(states), np.int64)
    policy.choose_batch(states, masks, actions)
    acts = states["turn"] >= 0
    assert (actions[~acts] == NO_ACTION).all()
    assert masks[acts, actions[acts]].all()
    return actions


def check_alone(game: Game, rules: Any, policy: Policy) -> None:
    """It does in a batch of one what it does in a larger batch."""
    states = game.new_games(rules, spawn_seeds(5, 3))
    together = choices(game, policy, states)
    for row, action in enumerate(together):
        assert choices(game, policy, states[row : row + 1]) == [action]


def positions(game: Game, rules: Any, policy: Policy, num: int, guided: float) -> Iterator[Array]:
    """Positions on the way of `num` games; a share `guided` of their actions is the policy's."""
    chance = np.random.default_rng(1)
    states = game.new_games(rules, spawn_seeds(2, num))
    while len(states):
        yield states
        is_guided = chance.random(len(states)) < guided
        random = (game.masks(states) * chance.random((len(states), game.num_actions))).argmax(1)
        game.apply(states, np.where(is_guided, choices(game, policy, states), random))
        states = states[states["turn"] != OVER]


def check_honest(game: Game, rules: Any, policy: Policy, num: int, guided: float) -> None:
    """The policy does the same by what the seat to act sees as by the whole state."""
    for states in positions(game, rules, policy, num, guided):
        views = game.views(rules, look(game, rules, states, states["turn"].copy()))
        assert np.array_equal(choices(game, policy, views), choices(game, policy, states))


def play_on(game: Game, policy: Policy, states: Array) -> None:
    """Play to the end of the present deal, action by action, in place."""
    deals = states["deals"].copy()
    while True:
        goes_on = (states["turn"] != OVER) & (states["deals"] == deals)
        if not goes_on.any():
            return
        game.apply(states, np.where(goes_on, choices(game, policy, states), NO_ACTION))


def check_playouts(game: Game, rules: Any, policy: Policy, num: int, guided: float) -> None:
    """Playouts end as playing action by action does, from anywhere, alone and in a batch."""
    num_seats = game.num_seats(rules)
    for step, before in enumerate(positions(game, rules, policy, num, guided)):
        if step % 5:
            continue
        slowly, once, again = (repeat(before, 1) for _ in range(3))
        play_on(game, policy, slowly)
        payoffs, alone = np.empty((len(before), num_seats)), np.empty((1, num_seats))
        policy.play_out_batch(once, payoffs)
        assert once.tobytes() == slowly.tobytes()
        assert np.array_equal(payoffs, (slowly["scores"] - before["scores"])[:, :num_seats])
        policy.play_out_batch(again[-1:], alone)
        assert np.array_equal(alone[0], payoffs[-1])


def play_of(game: Game, policy: Policy, states: Array) -> str:
    """What the policy plays in a batch of one, selections and all, in notation; takes the play."""
    before, path = states.copy(), list[int]()
    while not path or states[0].pending:
        actions = choices(game, policy, states)
        path.append(int(actions[0]))
        game.apply(states, actions)
    return game.format_play(before[0], tuple(path))
