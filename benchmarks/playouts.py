"""Deals that the default policies play out from midgame, and choices of a search there."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import envs
from agents.base import Decision, decisions_in
from agents.search.base import load_policy
from agents.search.pimc import PimcAgent
from agents.search.worlds import repeat
from envs.core.game import NO_ACTION, OVER, Array, Game
from envs.core.rng import spawn_seeds

VARIANTS: dict[str, dict[str, dict[str, Any]]] = {
    "doudizhu": {"whole game": {}, "card play": {"auction": "off"}},
    "jitgo_ttaeng": {"heads-up": {"num_players": 2}, "four seats": {"num_players": 4}},
}
"""Options of the variants to measure, by what is printed; of other games the default rules."""
NUM_DEALS, BATCH, NUM_CHOICES = 256, 1024, 50
MIDGAME = 0.4
"""Share of a deal's decisions that were taken in midgame."""
SETTINGS = "playouts=1000"
"""Of the search whose choices are timed."""


class Midgame(NamedTuple):
    """Positions in the middle of deals that the default policy plays."""

    game: Game
    rules: Any
    states: Array
    """[N]: a position of each deal."""
    to_come: Array
    """[N]: decisions from there to the end of the deal."""


class Choice(NamedTuple):
    """One choice of a search."""

    plays: int
    """Plays to choose from."""
    playouts: int
    """Playouts made, fewer than are allowed where the best play was known before."""
    seconds: float
    """CPU time."""


def play_on(game: Game, states: Array, most: Array | None = None) -> Array:
    """Play by the default policy, in place; returns the decisions taken [N] int64.

    most: [N], decisions after which to stop; without it deals are played to their ends.
    """
    policy, deals = load_policy(game), states["deals"].copy()
    taken, actions = np.zeros(len(states), np.int64), np.empty(len(states), np.int64)
    while True:
        goes_on = (states["turn"] != OVER) & (states["deals"] == deals)
        if most is not None:
            goes_on &= taken < most
        if not goes_on.any():
            return taken
        policy.choose_batch(states, game.masks(states), actions)
        game.apply(states, np.where(goes_on, actions, NO_ACTION))
        taken += goes_on


def find_midgame(game: Game, rules: Any, num: int = NUM_DEALS) -> Midgame:
    """The midgame of `num` deals."""
    states = game.new_games(rules, spawn_seeds(0, num))
    whole = play_on(game, repeat(states, 1))
    taken = play_on(game, states, np.ceil(MIDGAME * whole))
    return Midgame(game, rules, states, whole - taken)


def find_midgames(name: str, preset: str | None) -> dict[str, Midgame]:
    """The midgames to measure of a game, by what to print: those of one variant if it is named."""
    game = envs.load_game(name)
    if preset is None:
        variants = {key: game.make_rules(**more) for key, more in VARIANTS.get(name, {}).items()}
    else:
        variants = {preset: game.make_rules(preset)}
    if not variants:
        return {game.title: find_midgame(game, game.make_rules())}
    return {f"{game.title}, {key}": find_midgame(game, rules) for key, rules in variants.items()}


def play_out(midgame: Midgame) -> Iterator[int]:
    """Play batches out for ever; yields the deals of each."""
    policy, num_seats = load_policy(midgame.game), midgame.game.num_seats(midgame.rules)
    num = BATCH // len(midgame.states)
    payoffs = np.empty((num * len(midgame.states), num_seats))
    while True:
        policy.play_out_batch(repeat(midgame.states, num), payoffs)
        yield len(payoffs)


def find_decisions(midgame: Midgame, num: int) -> list[Decision]:
    """`num` of the positions where a play is to be chosen, as the seats to act see them."""
    game, rules, states = midgame.game, midgame.rules, midgame.states
    is_open = (states["pending"] == 0) & (game.masks(states).sum(axis=1) > 1)
    states = states[is_open][:num]
    return decisions_in(game, rules, states, range(len(states)))


def time_choices(midgame: Midgame, num: int = NUM_CHOICES) -> list[Choice]:
    """What `pimc` does in `num` of the positions."""
    agent = PimcAgent(midgame.game, midgame.rules, SETTINGS)
    agent.judge(find_decisions(midgame, 1)[0])  # compile, warm up
    choices = []
    for decision in find_decisions(midgame, num):
        start = time.process_time()
        judged = agent.judge(decision)
        seconds = time.process_time() - start
        choices.append(Choice(len(judged), sum(one.worlds for one in judged), seconds))
    return choices
