"""What searches share: worlds of a view, candidate plays, and playouts of many at once.

A search is given a `Decision`, which is made of an observation: no state ever comes here. In the
record of a view, and in the worlds it is completed to, the seat that decides is seat 0.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.base import Agent, Decision
from agents.search.base import Policy
from envs.core.game import NO_ACTION, OVER, Array, Game
from envs.core.rng import derive_seed, spawn_seeds

Play = tuple[int, ...]
"""Actions of one turn, in order."""
CHOICE = 8
"""Worlds drawn for each that is used, where the policy can tell likely ones from others."""
MOST_PLAYOUTS = 1024
"""Worlds that are played out at once: enough for full speed, few enough to look at the clock."""


class Playouts:
    """Plays worlds of one game on by its default policy."""

    def __init__(self, game: Game, rules: Any, policy: Policy, base: Agent) -> None:
        """Play `game` by `rules` and the default policy `policy`.

        base: an agent without a memory, whose play is the first candidate.
        """
        self.game, self.rules = game, rules
        self._base = base
        self._num_seats = game.num_seats(rules)
        self._policy = policy
        self._weigh = getattr(policy, "weigh_batch", None)
        self._solve = getattr(policy, "solve_batch", None)
        self._settle = getattr(policy, "settle_batch", None)

    def sample(self, decision: Decision, num: int, first: int) -> Array:
        """Worlds `first` to `first + num - 1` of a decision: [num] records.

        They depend on what the seat sees and on the decision's key.
        """
        seeds = spawn_seeds(derive_seed(decision.key, CHOICE), num, first)
        choice = 1 if self._weigh is None else CHOICE
        worlds = repeat(np.array([decision.view], self.game.state), num * choice)
        self.game.resample(worlds, spawn_seeds(decision.key, num * choice, first * choice))
        if self._weigh is not None:
            weights = np.empty(len(worlds))
            self._weigh(worlds, weights)
            worlds = take(worlds, draw_one_each(weights.reshape(num, choice), seeds))
        if self._settle is not None:
            self._settle(worlds, seeds)
        return worlds

    def complete(self, states: Array) -> list[Play]:
        """Take the actions that complete the plays begun, in place; returns them, a row each."""
        taken: list[list[int]] = [[] for _ in range(len(states))]
        actions = np.empty(len(states), np.int64)
        while True:
            is_begun = (states["pending"] > 0) & (states["turn"] != OVER)
            if not is_begun.any():
                return [tuple(path) for path in taken]
            self._policy.choose_batch(states, self.game.masks(states), actions)
            actions[~is_begun] = NO_ACTION
            self.game.apply(states, actions)
            for row in np.flatnonzero(is_begun).tolist():
                taken[row].append(int(actions[row]))

    def candidates(self, decision: Decision) -> list[Play]:
        """The base's own play, then one for each other action, completed by the default policy."""
        own = self._base_play(decision)
        begun = np.array([action for action in decision.legal if action != own[0]], np.int64)
        states = repeat(np.array([decision.view], self.game.state), len(begun))
        self.game.apply(states, begun)
        rest = self.complete(states)
        return [own, *((int(first), *more) for first, more in zip(begun, rest, strict=True))]

    def _base_play(self, decision: Decision) -> Play:
        """What the base would play to the end of the turn."""
        states = np.array([decision.view], self.game.state)
        observation, key = decision.observation[None].copy(), np.array([decision.key])
        path: list[int] = []
        while True:
            masks = self.game.masks(states) if path else decision.mask[None]
            action = self._base.act(observation, masks, keys=key, tables=key)
            path.append(int(action[0]))
            self.game.apply(states, action)
            if states["pending"][0] == 0 or states["turn"][0] == OVER:
                return tuple(path)
            self.game.observe(states, np.zeros(1, np.int64), observation)

    def play_out(self, states: Array, deals: Array, scores: Array) -> Array:
        """What every seat has won at the end of the deal: [N, seats] float64.

        deals, scores: [N] and [N, seats], those before the play whose worth is asked for; a deal
        that ended since then is not followed by the next one.
        """
        won: Array = (states["scores"][:, : self._num_seats] - scores).astype(np.float64)
        rows = np.flatnonzero((states["turn"] != OVER) & (states["deals"] == deals))
        if len(rows):
            won[rows] += self._finish(take(states, rows))
        return won

    def _finish(self, states: Array) -> Array:
        """What every seat wins from here on, by best play where that is found: [N, seats] float64.

        The others are played out, in place.
        """
        payoffs = np.empty((len(states), self._num_seats))
        solved = np.zeros(len(states), np.bool_)
        if self._solve is not None:
            self._solve(states, payoffs, solved)
        left = ~solved
        rest, more = (states, payoffs) if left.all() else (take(states, left), payoffs[left])
        self._policy.play_out_batch(rest, more)
        payoffs[left] = more
        return payoffs

    def values(self, worlds: Array, paths: Sequence[Play]) -> Array:
        """What each play brings seat 0 in each world: [paths, worlds] float64."""
        num = len(paths)
        states = repeat(worlds, num)
        deals = states["deals"].copy()
        scores = states["scores"][:, : self._num_seats].copy()
        for actions in _columns(paths):
            self.game.apply(states, np.repeat(actions, len(worlds)))
        payoffs = self.play_out(states, deals, scores)
        return payoffs[:, 0].reshape(num, len(worlds))


def draw_one_each(weights: Array, seeds: Array) -> Array:
    """A number of each row of weights [N, K], drawn in proportion: [N] int64, counted through.

    seeds: [N] int64, the chance of each row, see `spawn_seeds`.
    """
    uniforms = (seeds >> 10) * 2.0**-53  # below 1, as they would not be for sure undivided
    ends = np.cumsum(weights, axis=1)
    picks = (ends <= (uniforms * ends[:, -1])[:, None]).sum(axis=1)
    most = weights.shape[1]
    picked: Array = np.arange(len(weights)) * most + np.minimum(picks, most - 1)
    return picked


def take(states: Array, rows: Array) -> Array:
    """Copies of the records in `rows`."""
    # numpy copies records field by field: bytes are several times faster.
    whole = np.dtype((np.void, states.dtype.itemsize))
    taken: Array = states.view(whole)[rows].view(states.dtype)
    return taken


def repeat(states: Array, num: int) -> Array:
    """`num` copies of the records, one set after the other: [num * len(states)]."""
    return np.frombuffer(bytearray(states.tobytes() * num), states.dtype)


def _columns(paths: Sequence[Play]) -> Array:
    """The first actions of all paths, the second, and so on; NO_ACTION where one has ended."""
    longest = max(map(len, paths))
    return np.array([[*path, *[NO_ACTION] * (longest - len(path))] for path in paths]).T
