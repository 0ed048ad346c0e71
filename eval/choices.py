"""The legal plays of a turn as a person chooses among them: numbered, step by step, or typed.

A turn may allow hundreds of plays. Few are listed whole; of many the beginnings are listed, and
how a beginning goes on is the next choice. The game itself is not touched before a play is whole.
"""

import difflib
import functools
import itertools
from typing import Any, NamedTuple

import numpy as np

from envs.core.errors import CardError, IllegalActionError, JipaeError
from envs.core.game import Array, Game, Record

MOST_WHOLE = 20
"""So many plays are listed whole at once."""
MOST_COMPARED = 3_000
"""So many plays are compared with what was typed wrongly."""
NUM_NEAR = 4
LEAST_LIKENESS = 0.4


Play = tuple[int, ...]
"""Actions of one turn, in order: a whole play, or the beginning of one."""


class Option(NamedTuple):
    """One way to go on."""

    path: Play
    """Its actions from the beginning of the turn."""
    num_plays: int
    """Whole plays that begin so; with 1 the path is whole."""
    text: str
    """In the game's notation where it is whole."""
    words: str
    """Its next action in words."""


def advance(game: Game, state: Record, path: Play) -> Array:
    """A copy of the state as a batch [1], in which the actions of `path` are taken."""
    states = np.array([state], game.state)
    for action in path:
        game.apply(states, np.array([action]))
    return states


def list_options(game: Game, state: Record, path: Play) -> list[Option]:
    """How a play that began with `path` may go on from `state`; there is always a way."""
    states = advance(game, state, path)
    counts = np.zeros((1, game.num_actions), np.int64)
    game.count_plays(states, game.masks(states), counts)
    begun = [(*path, int(action)) for action in np.flatnonzero(counts[0])]
    if len(begun) == 1 and counts.max() > 1:
        return list_options(game, state, begun[0])
    if counts.sum() <= MOST_WHOLE:
        ways = [(path + rest, 1) for rest in game.plays(states[0])]
    else:
        ways = [(way, int(counts[0, way[-1]])) for way in begun]
        ways = [(_complete(game, state, way) if num == 1 else way, num) for way, num in ways]
    options = []
    for way, num in ways:
        words = game.format_action(states[0], way[len(path)])
        options.append(Option(way, num, game.format_play(state, way) if num == 1 else words, words))
    return options


def _complete(game: Game, state: Record, path: Play) -> Play:
    """The whole play that begins with `path`, which leaves no choice."""
    after = advance(game, state, path)[0]
    return path + game.plays(after)[0] if after.pending else path


class Choice:
    """A play in the making: what is chosen so far, and how it may go on."""

    def __init__(self, game: Game, state: Record) -> None:
        """Begin the turn of the seat to act in `state`, which is copied."""
        self.game = game
        self.state = np.array([state], game.state)[0]
        self._steps: list[Play] = [()]
        self.numbers: dict[str, Option] = {}
        """What may be chosen, by number. Numbers that can be read as a play, like the cards 33 of
        Dou Dizhu, are left out, so that nothing typed has two meanings."""
        self._list()

    @property
    def path(self) -> Play:
        """The actions chosen so far."""
        return self._steps[-1]

    @property
    def position(self) -> Record:
        """The state as it is with what is chosen so far."""
        return advance(self.game, self.state, self.path)[0]

    @property
    def words(self) -> list[str]:
        """The actions chosen so far, in words."""
        return [
            self.game.format_action(advance(self.game, self.state, self.path[:num])[0], action)
            for num, action in enumerate(self.path)
        ]

    def _list(self) -> None:
        names = map(str, itertools.count(1))
        free = (name for name in names if not self.is_readable(name))
        self.numbers = dict(zip(free, list_options(self.game, self.state, self.path), strict=False))

    def is_readable(self, text: str) -> bool:
        """Whether a text is a play in notation, legal or not."""
        try:
            self.game.parse_play(self.state, text)
        except JipaeError:
            return False
        return True

    def choose(self, number: str) -> Play | None:
        """Take the option of that number: returns the play if it is whole then."""
        option = self.numbers[number]
        if option.num_plays == 1:
            return option.path
        self._steps.append(option.path)
        self._list()
        return None

    def undo(self) -> bool:
        """Take the last choice back; returns whether there was one."""
        if len(self._steps) == 1:
            return False
        self._steps.pop()
        self._list()
        return True

    def read(self, text: str) -> Play:
        """A whole legal play in notation; case and the order of its words do not matter.

        Raises:
            CardError: it cannot be read.
            IllegalActionError: it is not legal now.
        """
        problem: JipaeError | None = None
        for spelling in dict.fromkeys((text, text.upper(), text.lower())):
            try:
                path = self.game.parse_play(self.state, spelling)
            except JipaeError as error:
                problem = problem or error
            else:
                if self._is_legal(path):
                    return path
                problem = IllegalActionError(f"{spelling} is not legal now")
        same = [path for notation, path in self._known.items() if _key(notation) == _key(text)]
        if len(same) == 1:
            return same[0]
        raise problem or CardError(f"{text!r} cannot be read")

    def _is_legal(self, path: Play) -> bool:
        states = advance(self.game, self.state, ())
        for action in path:
            if not self.game.masks(states)[0, action]:
                return False
            self.game.apply(states, np.array([action]))
        return not states[0].pending

    def suggest(self, text: str) -> list[str]:
        """The legal plays that are written most like `text`, the nearest first."""
        plain = {notation.casefold(): notation for notation in self._known}
        near = difflib.get_close_matches(text.casefold(), plain, NUM_NEAR, LEAST_LIKENESS)
        return [plain[match] for match in near]

    @functools.cached_property
    def _known(self) -> dict[str, Play]:
        """Legal plays by notation; of very many those with the fewest ways to complete them."""
        states = advance(self.game, self.state, ())
        counts = np.zeros((1, self.game.num_actions), np.int64)
        self.game.count_plays(states, self.game.masks(states), counts)
        begun = sorted(np.flatnonzero(counts[0]).tolist(), key=lambda action: counts[0, action])
        known: dict[str, Any] = {}
        for action in begun:
            if len(known) + counts[0, action] > MOST_COMPARED:
                break
            after = advance(self.game, self.state, (action,))[0]
            for rest in self.game.plays(after) if after.pending else [()]:
                known[self.game.format_play(self.state, (action, *rest))] = (action, *rest)
        return known


def _key(text: str) -> list[str]:
    """What two spellings of the same play have in common."""
    return sorted(text.casefold().split())
