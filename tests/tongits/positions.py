"""Positions of Tongits in words: set up, played on, read back.

Actions are in the game's notation, several in one text with commas in between, taken by the seats
in turn: `play("DRAW, MELD 7S 7H 7D, DISCARD KD")`. Seats in a text are parted by bars.
"""

from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.tongits import GAME
from envs.tongits.cards import format_cards
from tests.cases.tongits import lay_out, legal_texts, new_states

Pieces = dict[str, Array]
LAYOUT = GAME.layout(GAME.make_rules())


class Table:
    """One game that goes on in words: `states` is a batch of one."""

    def __init__(self, states: Array) -> None:
        self.states = states

    @property
    def s(self) -> Any:
        """The record."""
        return self.states[0]

    def play(self, words: str) -> "Table":
        """Act for the seats in turn; an illegal action fails the test."""
        for text in filter(None, map(str.strip, words.split(","))):
            assert text in self.legal(), f"{text} is not legal for seat {self.s.turn}"
            GAME.apply(self.states, np.array(GAME.parse_play(self.s, text)))
        return self

    def legal(self, kind: str = "") -> list[str]:
        """The legal actions of that kind in notation, all if none is named."""
        return [text for text in legal_texts(self.states) if text.startswith(kind)]

    def copy(self) -> "Table":
        """The same game, to be played on differently."""
        return Table(self.states.copy())

    @property
    def hands(self) -> list[str]:
        """The cards of each seat."""
        return [format_cards(int(hand)) for hand in self.s.hands]

    @property
    def melds(self) -> list[str]:
        """The exposed cards of each seat."""
        return [format_cards(int(cards)) for cards in self.s.melds]

    @property
    def result(self) -> tuple[int, int, list[int]]:
        """How the last hand ended, who won it, and the payoffs."""
        return int(self.s.outcome), int(self.s.winner), self.s.payoffs.tolist()

    @property
    def scores(self) -> list[int]:
        """Payoffs of the match so far."""
        return self.s.scores.tolist()  # type: ignore[no-any-return]

    def observe(self, seat: int) -> Array:
        """What a seat sees: [L] int8."""
        observations = empty_vectors(1, LAYOUT)
        GAME.observe(self.states, np.array([seat]), observations)
        observation: Array = observations[0]
        return observation

    def pieces(self, seat: int) -> Pieces:
        """What a seat sees, piece by piece."""
        return LAYOUT.split(self.observe(seat))

    def view(self, seat: int) -> Any:
        """The record as a seat knows it, turned so that it is seat 0."""
        views = GAME.new_records(GAME.make_rules())
        GAME.decode(self.observe(seat)[None], views)
        return views[0]


def dealt(seed: int = 1, **options: Any) -> Table:
    """A game that has just been dealt."""
    return Table(GAME.new_games(GAME.make_rules(**options), [seed]))


def position(
    hands: str,
    *,
    turn: int = 0,
    phase: str = "PLAY",
    melds: str = "",
    pile: str = "",
    stock: str = "QS QH",
    **options: Any,
) -> Table:
    """A game with these cards, which may be few.

    hands: `AS 2S | 7H | KD`. melds: owner and cards, `0 7S 7H 7D | 2 3C 4C 5C`. pile: oldest
    first. stock: top first.
    """
    table = Table(new_states({}, **options))
    laid = [meld.split() for meld in melds.split("|") if meld.strip()]
    lay_out(
        table.s,
        {
            "phase": phase,
            "player": turn,
            "dealer": 0,
            "hands": [hand.split() for hand in hands.split("|")],
            "stock": stock.split(),
            "discard": pile.split(),
            "melds": [{"owner": int(owner), "cards": cards} for owner, *cards in laid],
            "sapawed": [False] * 3,
            "knocker": None,
            "responses": {},
        },
    )
    return table
