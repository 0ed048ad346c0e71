"""How long a search thinks, and how much of that is used up."""

import time
from dataclasses import dataclass
from typing import Any

from envs.core.errors import RulesError
from envs.core.rules import check_above_zero, check_range, check_types, make_rules, parse_option

DEFAULT_PLAYOUTS = 2_000


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Settings of a search, written `pimc:time=0.2` or `pimc:playouts=5000`."""

    time: float | None = None
    """Seconds for each decision. What is chosen then depends on how fast the machine is."""
    playouts: int | None = None
    """Playouts for each decision, 2,000 if nothing is said: the same seed, the same play."""
    doubt: float = 2.0
    """pimc: standard errors by which a play must be ahead of the rule-based agent's."""
    exploration: float = 0.7
    """ismcts: how much plays that were tried seldom are preferred, in the spread of the values."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        if self.time is not None:
            check_above_zero("time", self.time)
        if self.playouts is not None:
            check_range("playouts", self.playouts, 1, 2**31)
        if self.time is not None and self.playouts is not None:
            raise RulesError(f"time={self.time} and playouts={self.playouts} exclude each other")
        check_range("doubt", self.doubt, 0, 100)
        check_above_zero("exploration", self.exploration)

    @classmethod
    def parse(cls, text: str) -> "SearchSettings":
        """Read `name=value,name=value`; nothing stands for the defaults.

        Raises:
            RulesError: an unknown setting, or a wrong value.
        """
        words: dict[str, Any] = dict(parse_option(cls, word) for word in text.split(",") if word)
        return make_rules(cls, words)


class Budget:
    """How much of one decision's thinking is used up."""

    def __init__(self, settings: SearchSettings) -> None:
        """Begin to think."""
        self._time = settings.time
        self._most = settings.playouts or DEFAULT_PLAYOUTS
        self._started = time.perf_counter()
        self.playouts = 0

    @property
    def used(self) -> float:
        """Share of it that is used up, 1 or more at the end."""
        if self._time is not None:
            return (time.perf_counter() - self._started) / self._time
        return self.playouts / self._most

    def left(self, most: int) -> int:
        """Playouts that may be made at once, at most `most` and at least one."""
        return most if self._time is not None else max(min(most, self._most - self.playouts), 1)
