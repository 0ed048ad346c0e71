"""Opponents other than oneself: past snapshots of the learner, and agents by name."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.base import Agent
from agents.network import Network
from agents.policy import PolicyAgent
from envs.core.game import Array
from train.tables import Tables
from train.trajectories import EMPTY

MEMORY = 0.98
"""Weight of the past in what is known of an opponent, from one game to the next."""
NOBODY = -1
"""In `member`: the learner plays every seat."""


@dataclass
class Member:
    """One opponent of the pool."""

    name: str
    agent: Agent
    score: float = 0.5
    """Share of the games that the learner wins against it, ties half; the last games weigh most."""


def draw_learning_seats(sides: Array, rng: np.random.Generator) -> Array:
    """The seats of one table that the learner plays: [S] bool, some and not all.

    sides: [S] int64; partners play together, where they are known.
    """
    if (sides >= 0).all():
        return sides == rng.choice(np.unique(sides))  # type: ignore[no-any-return]
    num_seats = len(sides)
    chosen = rng.integers(1, 2**num_seats - 1)
    return (chosen >> np.arange(num_seats)) % 2 == 1  # type: ignore[no-any-return]


class Pool:
    """At the last `num_tables` tables of a batch the learner meets others; elsewhere only itself.

    Who they are and which seats are theirs is drawn anew for each game: opponents in proportion to
    the square of the share of games that the learner does not win against them.
    """

    def __init__(
        self,
        tables: Tables,
        num_tables: int,
        named: list[tuple[str, Agent]],
        size: int,
        rng: np.random.Generator,
    ) -> None:
        """Begin with the agents of `named`; `size` snapshots are kept at most."""
        self.tables = tables
        self.members = [Member(name, agent) for name, agent in named]
        self.num_named = len(named)
        self.size = size
        self.rng = rng
        self.first = tables.num_envs - num_tables
        self.member = np.full(tables.num_envs, NOBODY)
        self.learns = np.ones(tables.rewards.shape, bool)
        self.numbers = np.arange(tables.num_envs)
        """Number of the game at each table; each game has another."""
        self.totals = np.zeros(tables.rewards.shape)
        """What every seat won in its game so far."""

    def seats_to_learn(self) -> Array:
        """The seats that act where the learner does, EMPTY elsewhere: [B] int64."""
        seats = self.tables.seats
        return np.where(self.learns[np.arange(len(seats)), seats], seats, EMPTY)

    def act(self, actions: Array) -> None:
        """Put the actions of the others into `actions` [B], where it is their turn."""
        tables = self.tables
        others = self.seats_to_learn() == EMPTY
        for number in np.unique(self.member[others]):
            rows = np.flatnonzero(others & (self.member == number))
            names = self.numbers[rows] * tables.num_seats[rows] + tables.seats[rows]
            actions[rows] = self.members[number].agent.act(
                tables.observations[rows],
                tables.masks[rows],
                keys=self.rng.integers(2**63, size=len(rows)),
                tables=names,
            )

    def note_results(self) -> None:
        """After a step: note the games that ended, and draw who plays the next."""
        tables = self.tables
        self.totals += tables.rewards
        for table in np.flatnonzero(tables.done).tolist():
            self.numbers[table] += tables.num_envs
            if self.member[table] != NOBODY:
                self._note(table)
            if table >= self.first:
                self._draw(table)
        self.totals[tables.done] = 0

    def _note(self, table: int) -> None:
        seats = slice(int(self.tables.num_seats[table]))
        own, won = self.learns[table, seats], self.totals[table, seats]
        ahead = won[own].mean() - won[~own].mean()
        member = self.members[self.member[table]]
        member.score = MEMORY * member.score + (1 - MEMORY) * (np.sign(ahead) + 1) / 2

    def _draw(self, table: int) -> None:
        if not self.members:
            return
        weights = np.array([(1 - member.score) ** 2 + 0.01 for member in self.members])
        num_seats = int(self.tables.num_seats[table])
        self.member[table] = self.rng.choice(len(weights), p=weights / weights.sum())
        self.learns[table, :num_seats] = draw_learning_seats(self.tables.sides(table), self.rng)

    def add_snapshot(self, name: str, network: Network) -> None:
        """Let the learner meet itself as it is now; the easiest snapshot goes if they are many."""
        snapshots = range(self.num_named, len(self.members))
        agent = PolicyAgent(self.tables.reader, network, samples=True)
        if len(snapshots) < self.size:
            self.members.append(Member(name, agent))
            return
        easiest = max(snapshots, key=lambda number: self.members[number].score)
        self.members[easiest] = Member(name, agent)

    def state(self) -> dict[str, Any]:
        """What `restore` takes: arrays, and the snapshots."""
        snapshots = [
            {
                "name": member.name,
                "weights": member.agent.network.weights,
                "biases": member.agent.network.biases,
            }
            for member in self.members[self.num_named :]
            if isinstance(member.agent, PolicyAgent)
        ]
        return {
            "member": self.member,
            "learns": self.learns,
            "numbers": self.numbers,
            "totals": self.totals,
            "scores": [member.score for member in self.members],
            "snapshots": snapshots,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        for name in ("member", "learns", "numbers", "totals"):
            getattr(self, name)[:] = state[name]
        del self.members[self.num_named :]
        for one in state["snapshots"]:
            self.add_snapshot(one["name"], Network(list(one["weights"]), list(one["biases"])))
        for member, score in zip(self.members, state["scores"], strict=True):
            member.score = score
