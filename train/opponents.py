"""Opponents other than oneself: past snapshots of the learner, and agents by name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.base import Agent
from agents.network import Network
from agents.policy import PolicyAgent
from envs.core.game import Array
from train.checkpoint import chance_state, restore_chance
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
    agents: Sequence[Agent]
    """One for each variant on the tables."""
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


class Teacher:
    """An agent that plays all seats at the beginning of a run, for the learner to imitate."""

    def __init__(self, tables: Tables, agents: Sequence[Agent], decisions: int) -> None:
        """Teach for so many decisions; `agents` are one for each variant on the tables."""
        self.tables = tables
        self.agents = agents
        self.decisions = decisions

    def act(self, actions: Array, keys: Array) -> None:
        """Put its actions into `actions` [B]; keys: [B] int64, see `Agent.act`."""
        tables, names = self.tables, self.tables.names
        for place, agent in zip(tables.places, self.agents, strict=True):
            actions[place] = agent.act(
                tables.observations[place],
                tables.masks[place],
                keys=keys[place],
                tables=names[place],
            )


class Pool:
    """At `num_tables` tables, of all variants alike, the learner meets others; elsewhere itself.

    Who they are and which seats are theirs is drawn anew for each game: opponents in proportion to
    the square of the share of games that the learner does not win against them.
    """

    def __init__(
        self,
        tables: Tables,
        num_tables: int,
        named: Sequence[tuple[str, Sequence[Agent]]],
        size: int,
        rng: np.random.Generator,
        samples: bool = True,
    ) -> None:
        """Begin with the agents of `named`; `size` snapshots are kept at most.

        samples: snapshots draw their actions; otherwise they take the ones they hold best.
        """
        self.tables = tables
        self.members = [Member(name, agents) for name, agents in named]
        self.num_named = len(named)
        self.size = size
        self.rng = rng
        self.samples = samples
        self.is_met = np.zeros(tables.num_envs, bool)
        for place in tables.places:
            share = round(num_tables * (place.stop - place.start) / tables.num_envs)
            self.is_met[place.stop - share : place.stop] = True
        self.member = np.full(tables.num_envs, NOBODY)
        self.learns = np.ones(tables.rewards.shape, bool)
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
        pairs = np.stack([self.member, tables.variant])
        for number, variant in np.unique(pairs[:, others], axis=1).T.tolist():
            rows = np.flatnonzero(others & (self.member == number) & (tables.variant == variant))
            actions[rows] = (
                self.members[number]
                .agents[variant]
                .act(
                    tables.observations[rows],
                    tables.masks[rows],
                    keys=self.rng.integers(2**63, size=len(rows)),
                    tables=tables.names[rows],
                )
            )

    def note_results(self) -> None:
        """After a step: note the games that ended, and draw who plays the next."""
        tables = self.tables
        self.totals += tables.rewards
        for table in np.flatnonzero(tables.done).tolist():
            if self.member[table] != NOBODY:
                self._note(table)
            if self.is_met[table]:
                self._draw(table)
        self.totals[tables.done] = 0

    def _note(self, table: int) -> None:
        seats = slice(int(self.tables.num_seats[table]))
        own, won = self.learns[table, seats], self.totals[table, seats]
        ahead = won[own].mean() - won[~own].mean()
        member = self.members[self.member[table]]
        result = (float(np.sign(ahead)) + 1) / 2
        member.score = MEMORY * member.score + (1 - MEMORY) * result

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
        agents = [PolicyAgent(reader, network, self.samples) for reader in self.tables.readers]
        if len(snapshots) < self.size:
            self.members.append(Member(name, agents))
            return
        easiest = max(snapshots, key=lambda number: self.members[number].score)
        left = self.member == easiest  # the learner takes over the games that it leaves
        self.member[left] = NOBODY
        self.learns[left] = True
        self.members[easiest] = Member(name, agents)

    def state(self) -> dict[str, Any]:
        """What `restore` takes: arrays, the snapshots, and the state of the chance."""
        snapshots = [
            {
                "name": member.name,
                "weights": member.agents[0].network.weights,
                "biases": member.agents[0].network.biases,
            }
            for member in self.members[self.num_named :]
            if isinstance(member.agents[0], PolicyAgent)
        ]
        return {
            "member": self.member.copy(),
            "learns": self.learns.copy(),
            "totals": self.totals.copy(),
            "scores": [member.score for member in self.members],
            "snapshots": snapshots,
            "chance": chance_state(self.rng),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        for name in ("member", "learns", "totals"):
            getattr(self, name)[:] = state[name]
        del self.members[self.num_named :]
        for one in state["snapshots"]:
            layers = (list(map(np.asarray, one[name])) for name in ("weights", "biases"))
            self.add_snapshot(one["name"], Network(*layers))
        for member, score in zip(self.members, state["scores"], strict=True):
            member.score = score
        restore_chance(self.rng, state["chance"])
