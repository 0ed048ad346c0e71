"""Many tables of any game in lock step: numpy in, numpy out."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.errors import IllegalActionError, JipaeError
from envs.core.game import OVER, Array, Game
from envs.core.jit import kernel
from envs.core.layout import empty_vectors
from envs.core.legality import illegal_action
from envs.core.rng import derive_seeds, spawn_seeds
from envs.core.seeding import NEXT_GAME, check_seed, fresh_seed


@kernel
def check_actions(masks: Any, seats: Any, actions: Any) -> int:
    """The first table at which the action may not be taken, or -1.

    Where a game is over, -1 (no action) is put in place of the action.
    """
    for i in range(masks.shape[0]):
        if seats[i] < 0:
            actions[i] = -1
        elif not 0 <= actions[i] < masks.shape[1] or masks[i, actions[i]] == 0:
            return i
    return -1


@kernel
def take_stock(states: Any, seats: Any, scores: Any, rewards: Any, done: Any) -> int:
    """Read from the states who acts and what was won since `scores`, which are brought up to date.

    Returns the number of games that are over.
    """
    num_over = 0
    for i in range(states.shape[0]):
        s = states[i]
        seats[i] = s.turn
        done[i] = s.turn < 0
        num_over += done[i]
        for seat in range(scores.shape[1]):
            rewards[i, seat] = s.scores[seat] - scores[i, seat]
            scores[i, seat] = s.scores[seat]
    return num_over


class BatchEnv:
    """B games of one variant, played at the same time.

    After `reset` and after every `step` these arrays tell where each table stands. They are the
    same arrays each time, written in place: copy what has to last.

    states: [B] records; the games on the tables.
    seats: [B] int64; the seat to act, OVER (-1) where a game is over.
    observations: [B, layout.size] int8; what that seat sees (what seat 0 sees, where it is over).
    masks: [B, num_actions] int8; what it may do, all 0 where a game is over.
    rewards: [B, seats] int64; what every seat won in this step.
    done: [B] bool; the game that this step was taken in is over.
    ended: [B] records; the final state of the last game that ended at each table.
    returns: [B, seats] int64; its payoffs.

    With `auto_reset`, a table whose game is over has been dealt again: `rewards` and `done` tell
    of the old game, `ended` and `returns` keep it, everything else shows the new one. Without, it
    stays as it is until `reset`, the actions for it are ignored, and `ended` is `states`.

    Table i plays the same games as `raw_env` after `reset(seed=derive_seed(seed, i))`: each game
    follows from the one before, whatever B is. `states["seed"]` are the seeds of the games on the
    tables, to repeat any of them alone.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        num_tables: int,
        *,
        skip_forced: bool = True,
        auto_reset: bool = True,
    ) -> None:
        """Set up the tables; `reset` deals.

        skip_forced: decisions with one legal action are taken inside the engine.
        auto_reset: a table whose game is over is dealt again at once.
        """
        self.game = game
        self.rules = rules
        self.num_tables = num_tables
        self.num_seats = game.num_seats(rules)
        self.skip_forced = skip_forced
        self.auto_reset = auto_reset
        self.states = game.new_records(rules, num_tables)
        self.ended = game.new_records(rules, num_tables) if auto_reset else self.states
        self.seats = np.full(num_tables, OVER, np.int64)
        self.observations = empty_vectors(num_tables, game.layout(rules))
        self.masks = np.zeros((num_tables, game.num_actions), np.int8)
        self.rewards = np.zeros((num_tables, self.num_seats), np.int64)
        self.done = np.zeros(num_tables, np.bool_)
        self._scores = np.zeros((num_tables, self.num_seats), np.int64)
        self._actions = np.zeros(num_tables, np.int64)
        self._state_size = game.state_layout(rules).size
        self._has_games = False

    @property
    def returns(self) -> Array:
        """[B, seats] int64; payoffs of the last game that ended at each table."""
        return self.ended["scores"][:, : self.num_seats]

    def reset(self, seed: int | None = None, *, seeds: Sequence[int] | Array | None = None) -> None:
        """Deal a new game at every table.

        seed: of the whole batch: the first game of table i is `derive_seed(seed, i)`. None: fresh.
        seeds: [B] integers, the seeds of the tables' first games themselves, instead of `seed`.
        """
        if seeds is None:
            family = fresh_seed() if seed is None else check_seed(seed)
            firsts = spawn_seeds(family, self.num_tables)
        elif len(seeds) == self.num_tables:
            firsts = np.array([check_seed(one) for one in seeds], np.int64)
        else:
            raise JipaeError(f"expected {self.num_tables} seeds, one a table, got {len(seeds)}")
        self._deal(np.arange(self.num_tables), firsts)
        self._has_games = True
        self.rewards[:] = 0
        self.done[:] = False
        self._observe()

    def restore(self, states: Array) -> None:
        """Go on with the games of a copy of `states` [B] that was made after `reset` or `step`."""
        _rows(self.states)[:] = _rows(states)
        self.masks[:] = self.game.masks(self.states)
        self.seats[:] = self.states["turn"]
        self._scores[:] = self.states["scores"][:, : self.num_seats]
        self._has_games = True
        self.rewards[:] = 0
        self.done[:] = self.seats == OVER
        self._observe()

    def step(self, actions: npt.ArrayLike) -> None:
        """Take one action at every table.

        actions: [B] integers.

        Raises:
            IllegalActionError: names the first table at which the action may not be taken. No
                table has changed then.
        """
        self._check(np.asarray(actions))
        self.game.step(self.states, self._actions, self.masks, self.skip_forced)
        num_over = take_stock(self.states, self.seats, self._scores, self.rewards, self.done)
        if num_over and self.auto_reset:
            self._deal_again(np.flatnonzero(self.done))
        self._observe()

    def _check(self, actions: Array) -> None:
        if not self._has_games:
            raise IllegalActionError("no games are running: reset() first")
        if actions.shape != (self.num_tables,) or actions.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be {self.num_tables} whole numbers, got {actions.dtype} of shape "
                f"{actions.shape}"
            )
        np.copyto(self._actions, actions, casting="same_kind")
        table = check_actions(self.masks, self.seats, self._actions)
        if table >= 0:
            raise illegal_action(
                self.game,
                self.states[table],
                self.masks[table],
                int(actions[table]),
                f"table {table}, seat {self.seats[table]}",
            )

    def _deal_again(self, tables: Array) -> None:
        """Put the games that are over aside, and deal the ones that follow."""
        _rows(self.ended)[tables] = _rows(self.states)[tables]
        seeds = np.empty(len(tables), np.int64)
        derive_seeds(self.states["seed"][tables], NEXT_GAME, seeds)
        self._deal(tables, seeds)

    def _deal(self, tables: Array, seeds: Array) -> None:
        states = self.game.new_games(self.rules, seeds)
        masks = self.game.skip_forced(states) if self.skip_forced else self.game.masks(states)
        _rows(self.states)[tables] = _rows(states)
        self.masks[tables] = masks
        self.seats[tables] = states["turn"]
        self._scores[tables] = 0

    def _observe(self) -> None:
        self.game.observe(self.states, np.maximum(self.seats, 0), self.observations)

    def observe(self, seats: npt.ArrayLike) -> Array:
        """What other seats see: seats [B] integers; returns a new array [B, layout.size] int8."""
        observations = np.empty_like(self.observations)
        self.game.observe(self.states, np.asarray(seats, np.int64), observations)
        return observations

    def state(self, seats: npt.ArrayLike = 0) -> Array:
        """Everything about each game, hidden cards too: a new array [B, state_layout.size] int8.

        seats: [B] integers or one for all; whose place is the first, see `Game.observe_state`.
        """
        vectors = np.empty((self.num_tables, self._state_size), np.int8)
        places = np.broadcast_to(np.asarray(seats, np.int64), self.num_tables)
        self.game.observe_state(self.states, places.copy(), vectors)
        return vectors


def _rows(states: Array) -> Array:
    """The bytes of each record, [B, itemsize] uint8: copying them is faster than field by field."""
    return states.view(np.uint8).reshape(len(states), -1)
