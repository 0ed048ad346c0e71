"""Different agents at the seats of one side: a partnership, named `rule+random`."""

from collections.abc import Sequence

import numpy as np

from agents.base import Agent
from envs.core.game import Array


class Partners:
    """Plays as several agents, each at its share of the seats.

    With four seats and two agents, the first plays at seats 0 and 1, the second at seats 2 and 3:
    as the side of seats 0 and 2, or of 1 and 3, each is the other's partner.
    """

    def __init__(self, members: Sequence[Agent], num_seats: int) -> None:
        """Seat `members` in their order, at tables with so many seats."""
        self.members = members
        self.num_seats = num_seats

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Ask each member for its rows, see `Agent.act`."""
        actions = np.empty(len(masks), np.int64)
        owners = tables % self.num_seats * len(self.members) // self.num_seats
        for number, member in enumerate(self.members):
            rows = np.flatnonzero(owners == number)
            if len(rows):
                actions[rows] = member.act(
                    observations[rows], masks[rows], keys=keys[rows], tables=tables[rows]
                )
        return actions
