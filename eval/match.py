"""Agents on duplicate deals: every deal once for every assignment of them to its seats.

All games of a set of deals advance together, one call of each agent a step. Decisions that leave
no choice are taken by the engine and never asked. An agent that raises, plays illegally or answers
with nonsense loses that game by the game's forfeit, and the others go on.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.base import Agent
from envs.core.game import OVER, Array, Game
from envs.core.jit import kernel
from envs.core.layout import empty_vectors
from envs.core.seeding import decision_key
from eval.referee import Fault, Questions, ask, tell_ended

NOBODY = -1
NO_SIDE = -1

MAX_SEATINGS = 256
"""Games of a deal, at most: of more seatings than that, a balanced part is played."""

OnEnded = Callable[[int], None]
"""Is told how many games have ended since the last time; less than 0 where some are lost and have
to be played again."""


def ignore(num: int) -> None:
    """An `OnEnded` that does nothing."""


@dataclass(frozen=True)
class Foul:
    """An answer that lost its game."""

    player: int
    """Which of the agents, from 0 on."""
    kind: str
    """One of `eval.referee.FaultKind`."""
    message: str
    deal: int
    """Index of the deal."""
    game: int
    """Which of the deal's games."""


@dataclass(frozen=True)
class Outcome:
    """What a set of deals brought, in D deals of G games at S seats."""

    payoffs: Array
    """[D, G, S] int64, in the game's units."""
    seating: Array
    """[D, G, S]: which of the P agents sat there, from 0 on."""
    lost_by: Array
    """[D, G]: the agent that forfeited the game, or NOBODY."""
    fouls: list[Foul]
    sides: Array
    """[D, G, S]: the side each seat was on as the game ended, or NO_SIDE; see `Game.sides`."""
    actions: list[list[int]] = field(default_factory=list)
    """[D * G]: the actions that were asked for, in order; empty unless they are kept."""

    def differences(self, player: int = 0) -> Array:
        """By how much an agent's mean payoff a seat exceeds that of all others: [D] float64."""
        own = self.seating == player
        first, second = (
            (self.payoffs * seats).sum((1, 2)) / seats.sum((1, 2)) for seats in (own, ~own)
        )
        return np.asarray(first - second)

    def win_shares(self, player: int = 0) -> Array:
        """Share of a deal's games in which an agent did best: [D] float64.

        Best is the highest mean payoff a seat; ties share the game, a forfeited game counts as lost
        for the agent that forfeited it.
        """
        means = []
        for other in range(self.seating.max(initial=0) + 1):
            own = self.seating == other
            mean = (self.payoffs * own).sum(2) / own.sum(2)
            means.append(np.where(self.lost_by == other, -np.inf, mean))
        is_best = np.array(means) == np.max(means, axis=0)
        return np.asarray((is_best[player] / is_best.sum(0)).mean(1))


def has_sides(game: Game, rules: Any, states: Array) -> bool:
    """Whether partners are fixed from the start in the games of the dealt states."""
    return bool((_sides(game, rules, states) >= 0).all())


def _sides(game: Game, rules: Any, states: Array) -> Array:
    sides = np.empty((len(states), game.num_seats(rules)), np.int64)
    game.sides(states, sides)
    return sides


def seatings(game: Game, rules: Any, states: Array, num_agents: int = 2) -> Array:
    """Who sits where in the games of each dealt state: [D, G, S], the agents counted from 0.

    Where the game has sides, each of two agents plays a whole side, and once each of them.
    Otherwise the games are all assignments of the agents to the seats in which every one has a
    seat: of two agents A and B at three seats those of (A, B, B) and of (A, A, B), of three agents
    all six. If these are more than MAX_SEATINGS, each deal has a sample of them, balanced.
    """
    num_seats = game.num_seats(rules)
    sides = _sides(game, rules, states)
    if num_agents == 2 and (sides >= 0).all():
        return np.stack([sides, 1 - sides], axis=1)
    if count_seatings(num_agents, num_seats) > MAX_SEATINGS:
        seeds = states["seed"].tolist()
        return np.stack([_sample_seatings(seed, num_agents, num_seats) for seed in seeds])
    numbers = np.arange(num_agents**num_seats)[:, None]
    every = numbers // num_agents ** np.arange(num_seats) % num_agents
    assignments = every[_seats_all(every, num_agents)]
    return np.broadcast_to(assignments, (len(states), *assignments.shape))


def count_seatings(num_agents: int, num_seats: int) -> int:
    """Assignments of the agents to the seats in which every one has a seat.

    >>> count_seatings(4, 8)
    40824
    """
    return sum(
        (-1) ** left * math.comb(num_agents, left) * (num_agents - left) ** num_seats
        for left in range(num_agents)
    )


def _seats_all(assignments: Array, num_agents: int) -> Array:
    """In which of the assignments [N, S] every agent has a seat: [N] bool."""
    found = [(assignments == agent).any(axis=1) for agent in range(num_agents)]
    return np.asarray(np.all(found, axis=0))


def _sample_seatings(seed: int, num_agents: int, num_seats: int) -> Array:
    """Assignments drawn for the deal `seed`, balanced: [G, S], G at most MAX_SEATINGS.

    Each that is drawn, uniformly of all in which every agent has a seat, is played with the agents
    moved on round the table to every seat, and exchanged in a circle: so every agent sits at every
    seat equally often in the games of a deal. A mean over them is an unbiased estimate of the mean
    over all assignments.
    """
    rng = np.random.default_rng(seed)
    drawn = np.empty((0, num_seats), np.int64)
    num_drawn = MAX_SEATINGS // (num_agents * num_seats)
    while len(drawn) < num_drawn:
        more = rng.integers(num_agents, size=(1024, num_seats))
        drawn = np.concatenate([drawn, more[_seats_all(more, num_agents)]])
    shifts = itertools.product(range(num_seats), range(num_agents))
    moved = [np.roll(drawn[:num_drawn], by, axis=1) + agents for by, agents in shifts]
    return np.concatenate(moved) % num_agents


@kernel
def fill_keys(seeds: Any, seats: Any, numbers: Any, keys: Any) -> None:
    """The key of decision `numbers[i]` of a seat in the deal `seeds[i]`; all [N] int64."""
    for i in range(seeds.shape[0]):
        keys[i] = decision_key(seeds[i], seats[i], numbers[i])


class _Tables:
    """The games of a set of deals while they run; the arrays of the running ones shrink."""

    def __init__(self, game: Game, rules: Any, seeds: Array, num_agents: int) -> None:
        self.game, self.rules, self.seeds = game, rules, seeds
        dealt = game.new_games(rules, seeds)
        self.seating = seatings(game, rules, dealt, num_agents)
        _, self.num_games, self.num_seats = self.seating.shape
        self.payoffs = np.zeros(self.seating.shape, np.int64)
        self.lost_by = np.full(self.seating.shape[:2], NOBODY)
        self.sides = np.full(self.seating.shape, NO_SIDE)
        self.fouls: list[Foul] = []

        self.states = np.repeat(dealt, self.num_games)
        self.masks = game.skip_forced(self.states)
        self.running: Array = np.arange(len(self.states))  # deal * num_games + game
        self.counts = np.zeros((len(self.states), self.num_seats), np.int64)  # decisions so far

    def clear_ended(self) -> Array:
        """Write down and put away the games that are over; returns which there were."""
        playing = self.states["turn"] != OVER
        ended: Array = self.running[~playing]
        if len(ended):
            place, states = divmod(ended, self.num_games), self.states[~playing]
            self.payoffs[place] = states["scores"][:, : self.num_seats]
            self.sides[place] = _sides(self.game, self.rules, states)
            self._keep(playing)
        return ended

    def _keep(self, rows: Array) -> None:
        if not rows.all():
            self.states, self.masks, self.running = (
                array[rows] for array in (self.states, self.masks, self.running)
            )

    def questions(self, first_table: int) -> tuple[Questions, Array]:
        """The decisions to be made, and which of the agents makes each: [N]."""
        seats = self.states["turn"].copy()
        observations = empty_vectors(len(seats), self.game.layout(self.rules))
        self.game.observe(self.states, seats, observations)
        deals, games = divmod(self.running, self.num_games)
        keys = np.empty(len(seats), np.int64)
        fill_keys(self.seeds[deals], seats, self.counts[self.running, seats], keys)
        self.counts[self.running, seats] += 1
        tables = first_table + self.running * self.num_seats + seats
        players = self.seating[deals, games, seats]
        return Questions(observations, self.masks, keys, tables), players

    def apply(self, actions: Array, faults: dict[int, tuple[int, Fault]]) -> Array:
        """Take the actions, and go on to decisions with a choice; where an agent is at fault, its
        game ends. Returns which ended so.
        """
        for row, (player, fault) in faults.items():
            place = divmod(int(self.running[row]), self.num_games)
            state = self.states[row]
            seat = int(state.turn)
            message = f"seat {seat}: {fault.message}"
            if fault.kind == "illegal":
                message += f": {self.game.format_action(state, int(actions[row]))}"
            self.fouls.append(Foul(player, fault.kind, message, *place))
            self.lost_by[place] = player
            self.sides[place] = _sides(self.game, self.rules, self.states[row : row + 1])
            seats = slice(self.num_seats)
            self.payoffs[place] = state.scores[seats] + self.game.forfeit(state, seat)[seats]
        sound = np.ones(len(actions), bool)
        sound[list(faults)] = False
        forfeited: Array = self.running[~sound]
        self._keep(sound)
        self.game.step(self.states, actions[sound], self.masks, True)
        return forfeited

    def seats_of(self, games: Array, first_table: int) -> tuple[Array, Array, Array]:
        """Of every seat of some games: which of the agents sat there, its table number, what the
        game brought it; all [N].
        """
        place = divmod(games, self.num_games)
        tables = first_table + games[:, None] * self.num_seats + np.arange(self.num_seats)
        return self.seating[place].ravel(), tables.ravel(), self.payoffs[place].ravel()


def play_deals(
    game: Game,
    rules: Any,
    agents: Sequence[Agent],
    seeds: Array,
    *,
    first_table: int = 0,
    on_ended: OnEnded = ignore,
    keep_actions: bool = False,
) -> Outcome:
    """Play the deals of `seeds` [D] between two agents or more, all games at once.

    The seats of the games get the table numbers `first_table`, `first_table` + 1 and so on: one
    for each of D · G · S. With `keep_actions` the outcome holds what was played, for records.
    """
    tables = _Tables(game, rules, seeds, len(agents))
    history: list[tuple[Array, Array]] = []

    def tell(games: Array) -> None:
        tell_ended(agents, *tables.seats_of(games, first_table))
        on_ended(len(games))

    while True:
        tell(tables.clear_ended())
        if not len(tables.running):
            played = _by_game(history, tables.lost_by.size) if keep_actions else []
            return Outcome(
                tables.payoffs, tables.seating, tables.lost_by, tables.fouls, tables.sides, played
            )
        questions, players = tables.questions(first_table)
        actions = np.empty(len(players), np.int64)
        faults: dict[int, tuple[int, Fault]] = {}
        for player, agent in enumerate(agents):
            rows = np.flatnonzero(players == player)
            if len(rows):
                actions[rows], found = ask(agent, questions.take(rows))
                faults.update({int(rows[i]): (player, fault) for i, fault in found.items()})
        if keep_actions:
            sound = np.setdiff1d(np.arange(len(actions)), list(faults))
            history.append((tables.running[sound], actions[sound]))
        tell(tables.apply(actions, faults))


def _by_game(history: list[tuple[Array, Array]], num_games: int) -> list[list[int]]:
    """The actions of each game, from those of each step: which games ran, and their actions."""
    actions: list[list[int]] = [[] for _ in range(num_games)]
    for running, chosen in history:
        for game, action in zip(running.tolist(), chosen.tolist(), strict=True):
            actions[game].append(action)
    return actions
