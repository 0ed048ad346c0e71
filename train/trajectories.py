"""What self-play remembers: the decisions of each seat in order, and what they were worth.

One time step of a seat is from one of its decisions to its next. What is won in between belongs to
it, and what a game pays at its end reaches the last decision of every seat. A decision whose seat
has not come to its next one yet is not learnt from: it is carried over into the next rollout.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from stable_baselines3.common.buffers import BaseBuffer

from envs.core.game import Array
from envs.core.jit import kernel

EMPTY = -1
"""In `seats`: no decision to learn from."""
CARRIED = ("rows", "actions", "log_probs", "seats")
"""What is known of a decision that is carried over."""


@kernel
def fill_advantages(
    seats: Any,
    values: Any,
    rewards: Any,
    done: Any,
    carried: Any,
    discount: Any,
    advantages: Any,
    complete: Any,
) -> None:
    """Generalised advantage estimates along the decisions of each seat, table by table.

    The rows are S + T: first one carried decision a seat, then one a step. All [rows, B]:
    seats int64 (EMPTY: nothing to learn here), values float32, advantages float32 and complete bool
    (the seat has decided again, or its game has ended), both written in place. Of the T steps:
    rewards [T, B, S] float32 and done [T, B] bool. carried: [2, S, B] float32, what the carried
    decision of each seat has brought before, and, written in place, what the one carried on has.
    discount: [2] float64, gamma and lambda.

    Source: Schulman et al., "High-dimensional continuous control using generalized advantage
    estimation" (2016).
    """
    num_seats, num_steps = rewards.shape[2], rewards.shape[0]
    gamma, trace = discount[0], discount[1]
    later = np.empty((num_seats, 3))  # value of the next decision, its advantage, rewards till then
    known = np.empty(num_seats, np.bool_)
    for table in range(seats.shape[1]):
        later[:, :] = 0
        known[:] = False
        for row in range(num_seats + num_steps - 1, -1, -1):
            step = row - num_seats
            seat = seats[row, table]
            if step >= 0:
                for other in range(num_seats):
                    if done[step, table]:
                        later[other, 0], later[other, 1], later[other, 2] = 0, 0, 0
                        known[other] = True
                    later[other, 2] += rewards[step, table, other]
            elif seat >= 0:
                later[seat, 2] += carried[0, seat, table]
            complete[row, table] = False
            if seat < 0:
                continue
            advantage = 0.0
            if known[seat]:
                complete[row, table] = True
                error = later[seat, 2] + gamma * later[seat, 0] - values[row, table]
                advantage = error + gamma * trace * later[seat, 1]
                advantages[row, table] = advantage
            else:
                carried[1, seat, table] = later[seat, 2]
            known[seat] = True
            later[seat, 0], later[seat, 1], later[seat, 2] = values[row, table], advantage, 0


def shuffled_parts(places: Array, size: int, rng: np.random.Generator) -> Iterator[Array]:
    """Shuffle `places` in place, and share them out in parts of `size`; the rest is left out."""
    rng.shuffle(places)
    for first in range(0, len(places) - size + 1, size):
        yield places[first : first + size]


class Batch(NamedTuple):
    """Decisions to learn from."""

    rows: Array
    """[N, width] int8."""
    actions: Array
    """[N] int64."""
    log_probs: Array
    """[N] float32, when they were taken."""
    advantages: Array
    """[N] float32."""
    returns: Array
    """[N] float32."""


class Trajectories(BaseBuffer):
    """The decisions of a rollout of T steps at B tables, and those carried over from the last.

    rows: [S + T, B, width] int8; actions int64, log_probs and values float32, seats int64:
    [S + T, B]. rewards: [T, B, S] float32, done: [T, B] bool, carried: [2, S, B] float32.
    """

    def __init__(  # noqa: PLR0913 - Stable-Baselines3 passes the first seven
        self,
        buffer_size: int,
        observation_space: Any,
        action_space: Any,
        device: Any = "cpu",
        gamma: float = 1.0,
        gae_lambda: float = 0.95,
        n_envs: int = 1,
        *,
        width: int,
        num_seats: int,
    ) -> None:
        """Make room for `buffer_size` steps at `n_envs` tables, `width` columns a row."""
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        self.num_seats = num_seats
        shape = (num_seats + buffer_size, n_envs)
        self.rows = np.zeros((*shape, width), np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.log_probs, self.values, self.advantages = np.zeros((3, *shape), np.float32)
        self.seats = np.full(shape, EMPTY)
        self.complete = np.zeros(shape, bool)
        self.rewards = np.zeros((buffer_size, n_envs, num_seats), np.float32)
        self.done = np.zeros((buffer_size, n_envs), bool)
        self.carried = np.zeros((2, num_seats, n_envs), np.float32)
        self._discount = np.array([gamma, gae_lambda])

    def begin(self) -> None:
        """Start a rollout: keep what is carried over of the last one."""
        self.pos = 0
        pending = np.full((self.num_seats, self.n_envs), EMPTY)
        row, table = np.nonzero((self.seats != EMPTY) & ~self.complete)
        pending[self.seats[row, table], table] = row
        found = pending != EMPTY
        places = pending[found], np.nonzero(found)[1]
        for array in (self.rows, self.actions, self.log_probs):
            array[: self.num_seats][found] = array[places]
        own = np.arange(self.num_seats)[:, None]
        self.seats[: self.num_seats] = np.where(found, own, EMPTY)
        self.carried[0] = np.where(found, self.carried[1], 0)

    def state(self) -> dict[str, Array]:
        """What `restore` takes, before a rollout: the decisions carried over."""
        self.begin()
        own = slice(self.num_seats)
        carried = {name: getattr(self, name)[own].copy() for name in CARRIED}
        return carried | {"carried": self.carried[0].copy()}

    def restore(self, state: dict[str, Array]) -> None:
        """Go on from what `state` returned."""
        self.seats[:] = EMPTY
        self.complete[:] = False
        for name in CARRIED:
            getattr(self, name)[: self.num_seats] = state[name]
        self.carried[1] = state["carried"]

    def add(self, rows: Array, actions: Array, log_probs: Array, seats: Array) -> None:
        """Note the decisions of one step; `seats` is EMPTY where there is nothing to learn."""
        place = self.num_seats + self.pos
        self.rows[place] = rows
        self.actions[place] = actions
        self.log_probs[place] = log_probs
        self.seats[place] = seats

    def add_outcome(self, rewards: Array, done: Array) -> None:
        """Note what the step brought: rewards [B, S], done [B]."""
        self.rewards[self.pos] = rewards
        self.done[self.pos] = done
        self.pos += 1

    def finish(self) -> None:
        """Work out the advantages, once `values` are there."""
        fill_advantages(
            self.seats,
            self.values,
            self.rewards,
            self.done,
            self.carried,
            self._discount,
            self.advantages,
            self.complete,
        )

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[Batch]:
        """The decisions to learn from in random order, as batches of `size`; the rest is left out.

        Advantages are normalised over all of the rollout.
        """
        chosen = np.flatnonzero(self.complete)
        flat = self.advantages.reshape(-1)
        mean, std = flat[chosen].mean(), flat[chosen].std() + 1e-8
        for places in shuffled_parts(chosen, size, rng):
            yield Batch(
                self.rows.reshape(-1, self.rows.shape[-1])[places],
                self.actions.reshape(-1)[places],
                self.log_probs.reshape(-1)[places],
                (flat[places] - mean) / std,
                flat[places] + self.values.reshape(-1)[places],
            )

    def _get_samples(self, batch_inds: Array, env: Any = None) -> Any:
        raise NotImplementedError("use batches()")
