"""Positions of Tichu in words: set up, played on, read back.

Plays are in the game's notation, several in one text, separated by semicolons:
`position("MJ 3g", "4g 5g", "6b", "8k").act("MJ; wish 9; pass")`. They name cards, so `suit_choice`
is "always" unless a test sets it.
"""

from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.tichu import GAME
from envs.tichu.cards import format_cards
from envs.tichu.state import EXCHANGE
from tests.cases.tichu import PHASE_WORDS, lay_out

EVERYBODY = (0, 1, 2, 3)


class Table:
    """One game that goes on in words: `states` is a batch of one."""

    def __init__(self, states: Array) -> None:
        self.states = states

    @property
    def s(self) -> Any:
        """The record."""
        return self.states[0]

    @property
    def mask(self) -> Array:
        """The action mask [442]."""
        mask: Array = GAME.masks(self.states)[0]
        return mask

    @property
    def asked(self) -> str:
        """Who is asked what: `2 follow`."""
        return f"{self.s.turn} {PHASE_WORDS[self.s.phase]}"

    def act(self, words: str) -> "Table":
        """Play for the seats that are asked, in turn; an illegal play fails the test."""
        for text in filter(None, map(str.strip, words.split(";"))):
            for action in GAME.parse_play(self.s, text):
                assert self.mask[action], f"{text!r} is not legal for {self.asked}"
                GAME.apply(self.states, np.array([action]))
        return self

    def legal(self) -> set[str]:
        """All legal plays in notation."""
        return {GAME.format_play(self.s, path) for path in GAME.plays(self.s)}

    def hand(self, seat: int) -> str:
        """The cards of a seat."""
        return format_cards(int(self.s.hands[seat]))

    def see(self, seat: int) -> dict[str, Array]:
        """What a seat sees, by piece."""
        layout = GAME.layout(None)
        vectors = empty_vectors(1, layout)
        GAME.observe(self.states, np.array([seat]), vectors)
        return {name: piece[0] for name, piece in layout.split(vectors).items()}

    def view(self, seat: int) -> Array:
        """The view of a seat: a batch of one record."""
        layout = GAME.layout(None)
        vectors = empty_vectors(1, layout)
        GAME.observe(self.states, np.array([seat]), vectors)
        views = np.zeros(1, GAME.state)
        GAME.decode(vectors, views)
        return views


def position(
    *hands: str,
    turn: int = 0,
    finish: tuple[int, ...] = (),
    played: tuple[int, ...] = EVERYBODY,
    calls: dict[int, str] | None = None,
    won: dict[int, str] | None = None,
    table: dict[str, Any] | None = None,
    wish: int | None = None,
    **options: Any,
) -> Table:
    """A round in play, seat `turn` to lead; arguments as in the golden cases."""
    rules = GAME.make_rules(**{"episode": "round", "suit_choice": "always"} | options)
    states = GAME.new_games(rules, [1])
    cards = {str(seat): hand.split() for seat, hand in enumerate(hands)}
    wanted: dict[str, Any] = {"hands": cards, "turn": turn, "finish": list(finish)}
    wanted |= {"played": list(played), "wish": wish, "table": table}
    wanted["calls"] = {str(seat): call for seat, call in (calls or {}).items()}
    wanted["won"] = {str(seat): taken.split() for seat, taken in (won or {}).items()}
    lay_out(states[0], wanted)
    return Table(states)


def dealt(seed: int = 1, **options: Any) -> Table:
    """A fresh deal."""
    return Table(GAME.new_games(GAME.make_rules(**options), [seed]))


def exchanged(seed: int = 1, **options: Any) -> Table:
    """A deal after the questions and an exchange in which each seat gives its lowest cards."""
    table = dealt(seed, **options)
    while table.s.stage <= EXCHANGE:
        if table.s.phase == EXCHANGE:
            table.act("give " + " ".join(table.hand(int(table.s.turn)).split()[:3]))
        else:
            table.act("decline")
    return table
