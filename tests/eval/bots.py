"""Agents that misbehave, or remember, for the tests of matches."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from agents.base import Bot, Decision
from envs.core.game import Array
from tests.toy_game import RAISE, STAKE


class First(Bot):
    """Takes the first legal action."""

    def choose(self, decision: Decision) -> int:
        return decision.legal[0]


class Last(Bot):
    """Takes the last legal action."""

    def choose(self, decision: Decision) -> int:
        return decision.legal[-1]


class Moody(Bot):
    """Plays by chance and by what it remembers of its own decisions at a table."""

    def __init__(self, game: Any, rules: Any) -> None:
        super().__init__(game, rules)
        self.seen: dict[int, int] = {}

    def choose(self, decision: Decision) -> int:
        self.seen[decision.table] = self.seen.get(decision.table, 0) + 1
        turn = self.seen[decision.table] + int(decision.rng.integers(2))
        return decision.legal[turn % len(decision.legal)]


class Slow(Moody):
    """Thinks so long that a run can be stopped in the middle."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        time.sleep(0.01)
        return super().act(observations, masks, keys=keys, tables=tables)


class Suicidal(Last):
    """Kills its process in later deals, once for each file in the folder that SUICIDES names."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        if tables.max() > 300:
            for note in Path(os.environ["SUICIDES"]).glob("*"):
                note.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observations, masks, keys=keys, tables=tables)


class FaultyAnswer(Last):
    """Answers with something else whenever it may choose a stake on every other deal or so."""

    answer: Any = None

    def choose(self, decision: Decision) -> int:
        if decision.legal[0] == STAKE and decision.key % 2:
            return self.answer  # type: ignore[no-any-return]  # on purpose
        return super().choose(decision)


class Raises(FaultyAnswer):
    """Raises an error."""

    @property
    def answer(self) -> Any:
        raise KeyError("lost my cards")


class Exits(FaultyAnswer):
    """Tries to end the program."""

    @property
    def answer(self) -> Any:
        raise SystemExit(1)


class Illegal(FaultyAnswer):
    """Takes an action that exists and is not allowed."""

    answer = RAISE


class Nothing(FaultyAnswer):
    """Answers None."""


class NotANumber(FaultyAnswer):
    """Answers NaN."""

    answer = float("nan")


class Fraction(FaultyAnswer):
    """Answers a float."""

    answer = 2.0


class TooHigh(FaultyAnswer):
    """Answers an action that does not exist."""

    answer = 999


class Negative(FaultyAnswer):
    """Answers a negative action."""

    answer = -1


class Many(FaultyAnswer):
    """Answers a list."""

    answer = (2, 2)


class WrongShape(Last):
    """Answers with a column."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        return np.zeros((len(masks), 1), np.int64)


class Scribbler(Last):
    """Writes into what it is given, then plays an action that it allowed itself."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        masks[:] = 1
        observations[:] = 0
        return np.full(len(masks), RAISE)
