"""`EventText`: what happened last, in words that are made only when somebody reads them."""

import functools
from collections import UserString

import numpy as np

from envs.core.game import Game


class EventText(UserString):
    """`game.last_event` of a position, as a string.

    Putting it into words takes longer than the step that it tells of, and few look at it: so it is
    made when it is used for the first time. Pickles and deep copies are plain strings.
    """

    _game: Game
    _state: bytes

    @classmethod
    def of(cls, game: Game, state: bytes) -> "EventText":
        """The words for the record `state` of `game`."""
        text = cls.__new__(cls)
        text._game, text._state = game, state
        return text

    @functools.cached_property
    def data(self) -> str:  # type: ignore[override]  # a plain attribute in the base class
        """The words."""
        return self._game.last_event(np.frombuffer(self._state, self._game.state)[0])

    def __reduce__(self) -> tuple[type, tuple[str]]:
        """Be pickled and deep-copied as the words."""
        return str, (self.data,)
