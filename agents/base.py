"""What an agent is: the batch-first protocol, and an adapter for one decision at a time."""

import functools
import itertools
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from envs.core.game import Array, Game, Record
from envs.core.layout import empty_vectors


@runtime_checkable
class Agent(Protocol):
    """Decides for many seats at many tables in one call. Built as `Class(game, rules)`."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose one allowed action a row.

        observations: [N, layout.size] int8, each of the seat that has to decide.
        masks: [N, num_actions] int8, 1 where an action is allowed; never without any.
        keys: [N] int64, one random number a decision. It depends on the deal, the seat and how
            often that seat decided before in this game, and on nothing else: an agent whose only
            chance are the keys plays a deal the same way whoever else is at the table.
        tables: [N] int64, the name of "this seat in this game": the same for a whole game, never
            used again. For agents with a memory. Its remainder by the number of seats is the seat.

        Returns: [N] integers, the ids of the chosen actions.
        """
        ...


@dataclass(frozen=True, eq=False)
class Decision:
    """One decision: what the seat to act knows, and what it may do."""

    game: Game
    rules: Any
    observation: Array
    """[layout.size] int8."""
    mask: Array
    """[num_actions] int8."""
    key: int
    """Random number of this decision."""
    table: int
    """Name of this seat in this game, to keep a memory by."""

    @functools.cached_property
    def legal(self) -> list[int]:
        """Ids of the allowed actions, in order."""
        return [int(action) for action in np.flatnonzero(self.mask)]

    @functools.cached_property
    def rng(self) -> np.random.Generator:
        """A random generator of this decision, the same whenever the deal is played again."""
        return np.random.default_rng(self.key)

    @functools.cached_property
    def view(self) -> Record:
        """The game's record as this seat knows it, made of the observation alone."""
        return self.game.views(self.rules, self.observation[None])[0]

    def plays(self) -> list[tuple[int, ...]]:
        """All legal plays as paths; in the middle of a play, all ways to complete it."""
        return self.game.plays(self.view)

    def words(self, action: int) -> str:
        """An action in words."""
        return self.game.format_action(self.view, action)


def decisions_in(game: Game, rules: Any, states: Array, keys: Iterable[int]) -> list[Decision]:
    """The decision of the seat to act in each state, as that seat sees it; tables are the rows."""
    observations = empty_vectors(len(states), game.layout(rules))
    game.observe(states, states["turn"].copy(), observations)
    rows = zip(observations, game.masks(states), keys, range(len(states)), strict=True)
    return [Decision(game, rules, *row) for row in rows]


class Plans:
    """The rest of the play that each table is in the middle of."""

    def __init__(self) -> None:
        """Nobody is in the middle of a play."""
        self._rests: dict[int, dict[bytes, int]] = {}

    def follow(self, decision: Decision, plan: Callable[[], tuple[int, ...]]) -> int:
        """The action that comes next in the play begun, or the first of a new `plan()`.

        What was planned holds where the seat sees what it was going to see there: the engine takes
        forced actions itself, and a later play must not be taken for the rest of an earlier one.
        """
        seen = decision.observation.tobytes()
        rest = self._rests.get(decision.table, {})
        if seen in rest:
            return rest[seen]
        path = plan()
        self.forget(decision.table)
        if len(path) > 1:
            self._rests[decision.table] = foresee(decision, path)
        return path[0]

    def forget(self, table: int) -> None:
        """The game of the table is over."""
        self._rests.pop(table, None)


def foresee(decision: Decision, path: tuple[int, ...]) -> dict[bytes, int]:
    """What the seat is going to see before each action of a play but the first, and the action."""
    game, states = decision.game, np.array([decision.view], decision.game.state)
    observation = np.empty((1, len(decision.observation)), np.int8)
    foreseen = {}
    for before, action in itertools.pairwise(path):
        game.apply(states, np.array([before]))
        game.observe(states, np.zeros(1, np.int64), observation)
        foreseen[observation.tobytes()] = action
    return foreseen


class Bot(ABC):
    """Base of an agent that thinks about one decision at a time: subclass it, write `choose`.

    >>> class Eager(Bot):
    ...     '''Throws a coin between the first and the last allowed action.'''
    ...
    ...     def choose(self, decision):
    ...         return decision.legal[-int(decision.rng.integers(2))]
    """

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        self.game = game
        self.rules = rules

    @abstractmethod
    def choose(self, decision: Decision) -> int:
        """The id of the action to take, one of `decision.legal`."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Call `choose` for each row, see `Agent.act`."""
        rows = zip(observations, masks, keys.tolist(), tables.tolist(), strict=True)
        return np.array([self.choose(Decision(self.game, self.rules, *row)) for row in rows])


class ViewAgent(ABC):
    """Base of an agent that decides at many tables at once by what it can see: write `decide`."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        self.game = game
        self.rules = rules

    @abstractmethod
    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Write one allowed action a row into `actions` [N] int64; see `Agent.act`.

        views: [N] records, each as the seat to act knows it.
        """

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Make views of the observations and decide, see `Agent.act`."""
        views = self.game.views(self.rules, observations)
        actions = np.empty(len(masks), np.int64)
        self.decide(views, masks, keys, actions)
        return actions


def describe_error(error: BaseException) -> str:
    """An exception of somebody's agent on one line: its kind, message and place."""
    text = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or isinstance(error, ImportError | SyntaxError):  # these name the place already
        return text
    return f"{text} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
