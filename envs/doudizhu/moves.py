"""The action table of Dou Dizhu (RULES section 14) and whole plays in words.

An action is one of 482 ids. A play is a declaration, followed by the kickers one by one where its
kind has some; `MOVES` says of every id what it is. A variant only masks.
"""

from dataclasses import dataclass

import numpy as np

from envs.core.errors import CardError
from envs.doudizhu.cards import (
    NUM_RANKS,
    NUM_SEQUENCE,
    NUM_SUITED,
    RANK_CHARS,
    count_of,
    format_cards,
    num_cards,
    parse_cards,
)

KINDS = (
    "pass", "bid", "snatch", "double",
    "solo", "pair", "trio", "trio_solo", "trio_pair", "straight", "train",
    "plane", "plane_solo", "plane_pair", "four_two_solo", "four_two_pair",
    "bomb", "rocket", "soft_bomb", "kick", "kickw", "sub", "done",
)  # fmt: skip
NUM_KINDS = len(KINDS)
(
    PASS, BID, SNATCH, DOUBLE,
    SOLO, PAIR, TRIO, TRIO_SOLO, TRIO_PAIR, STRAIGHT, TRAIN,
    PLANE, PLANE_SOLO, PLANE_PAIR, FOUR_TWO_SOLO, FOUR_TWO_PAIR,
    BOMB, ROCKET, SOFT_BOMB, KICK, KICKW, SUB, DONE,
) = range(NUM_KINDS)  # fmt: skip
PER_RANK = {SOLO: 1, PAIR: 2, TRIO: 3, TRIO_SOLO: 3, TRIO_PAIR: 3, STRAIGHT: 1, TRAIN: 2,
            PLANE: 3, PLANE_SOLO: 3, PLANE_PAIR: 3, FOUR_TWO_SOLO: 4, FOUR_TWO_PAIR: 4}  # fmt: skip
"""Cards of each rank of the body."""
RUNS = {STRAIGHT: (5, 12), TRAIN: (3, 12), PLANE: (2, 11), PLANE_SOLO: (2, 8), PLANE_PAIR: (2, 6)}
"""Shortest and longest sequence of a kind, the longest with four seats (RULES 10.6)."""
KICKER_SIZE = {TRIO_SOLO: 1, PLANE_SOLO: 1, FOUR_TWO_SOLO: 1,
               TRIO_PAIR: 2, PLANE_PAIR: 2, FOUR_TWO_PAIR: 2}  # fmt: skip
"""Cards of one kicker: single kickers or pairs."""
BOMB_SIZES = range(4, 9)

MOVE = np.dtype(
    [
        ("kind", np.int64),  # index into KINDS
        ("rank", np.int64),  # the rank that decides, the lowest of a sequence; a bid, a factor
        ("length", np.int64),  # ranks in the sequence, cards of a bomb, else 1
        ("body", np.int64),  # packed cards without kickers; 0 for the rocket: it depends on seats
        ("num_kickers", np.int64),
        ("kicker_size", np.int64),
    ]
)


def _ranks(num: int) -> list[tuple[int, int]]:
    """Rank and length of moves of a single rank."""
    return [(rank, 1) for rank in range(num)]


def _runs(shortest: int, longest: int) -> list[tuple[int, int]]:
    """Rank and length of sequences, by length, then by rank."""
    lengths = range(shortest, longest + 1)
    return [(rank, n) for n in lengths for rank in range(NUM_SEQUENCE - n + 1)]


BLOCKS = [
    (PASS, [(0, 1)]),
    (BID, [(1, 1), (2, 1), (3, 1)]),
    (SNATCH, [(0, 1), (1, 1)]),
    (DOUBLE, [(1, 1), (2, 1), (4, 1)]),
    *((kind, _ranks(NUM_RANKS)) for kind in (SOLO, PAIR)),
    *((kind, _ranks(NUM_SUITED)) for kind in (TRIO, TRIO_SOLO, TRIO_PAIR)),
    *((kind, _runs(*ends)) for kind, ends in RUNS.items()),
    *((kind, _ranks(NUM_SUITED)) for kind in (FOUR_TWO_SOLO, FOUR_TWO_PAIR)),
    (BOMB, [(rank, size) for size in BOMB_SIZES for rank in range(NUM_SUITED)]),
    (ROCKET, [(NUM_RANKS - 1, 1)]),
    (SOFT_BOMB, [(rank, 4) for rank in range(NUM_SUITED)]),
    (KICK, _ranks(NUM_RANKS)),
    (KICKW, _ranks(NUM_SUITED)),
    (SUB, _ranks(NUM_SUITED)),
    (DONE, [(0, 1)]),
]
"""Rank and length of every action, kind by kind, in the order of the ids (RULES section 14)."""


def build_moves() -> np.ndarray:
    """One row an action id."""
    rows = []
    for kind, members in BLOCKS:
        size = KICKER_SIZE.get(kind, 0)
        for rank, length in members:
            each = length if kind == BOMB else PER_RANK.get(kind, 0)
            ranks = range(rank, rank + (1 if kind == BOMB else length))
            body = sum(each << (4 * r) for r in ranks)
            kickers = 2 if kind in (FOUR_TWO_SOLO, FOUR_TWO_PAIR) else length
            rows.append((kind, rank, length, body, kickers if size else 0, size))
    return np.array(rows, MOVE)


MOVES = build_moves()
NUM_ACTIONS = len(MOVES)
KIND, RANK, LENGTH, BODY, NUM_KICKERS, KICKER_CARDS = (
    np.ascontiguousarray(MOVES[name]) for name in MOVE.names or ()
)
FIRST = np.array([np.searchsorted(KIND, kind) for kind in range(NUM_KINDS)])
"""The first id of each kind, [23]."""


def build_run_starts() -> np.ndarray:
    """The id of the sequence from rank 0 for each kind and length: [23, 13], -1 where none is."""
    starts = np.full((NUM_KINDS, NUM_SEQUENCE + 1), -1, np.int64)
    for action in np.flatnonzero((RANK == 0) & np.isin(KIND, list(RUNS))):
        starts[KIND[action], LENGTH[action]] = action
    return starts


RUN_START = build_run_starts()
ID_PASS, ID_ROCKET = int(FIRST[PASS]), int(FIRST[ROCKET])
ID_BID, ID_DECLINE, ID_DOUBLE = (int(FIRST[kind]) for kind in (BID, SNATCH, DOUBLE))
ID_SNATCH = ID_DECLINE + 1
ID_SOLO, ID_BOMB, ID_KICK = (int(FIRST[kind]) for kind in (SOLO, BOMB, KICK))


@dataclass(frozen=True)
class Move:
    """A declared combination: `declaration` (its id) and all its `cards`, packed."""

    declaration: int
    cards: int

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return KINDS[KIND[self.declaration]]

    @property
    def main(self) -> str:
        """The rank that decides, as a character; the lowest of a sequence."""
        return RANK_CHARS[RANK[self.declaration]]

    @property
    def length(self) -> int:
        """Ranks of a sequence, cards of a bomb, else 1: the `n` of RULES section 5."""
        return int(LENGTH[self.declaration])

    @property
    def kickers(self) -> int:
        """The packed cards beside the body."""
        if KIND[self.declaration] in (ROCKET, SOFT_BOMB):
            return 0
        return self.cards - int(BODY[self.declaration])

    @property
    def path(self) -> tuple[int, ...]:
        """The actions that make this play (RULES 14.2, 14.3)."""
        size = int(KICKER_CARDS[self.declaration])
        kicks = [
            ID_KICK + rank
            for rank in range(NUM_RANKS)
            for _ in range(count_of(self.kickers, rank) // max(size, 1))
        ]
        return (self.declaration, *kicks)

    def __str__(self) -> str:
        """The play in notation: `333444+56`."""
        if not self.kickers:
            return format_cards(self.cards)
        return f"{format_cards(self.cards - self.kickers)}+{format_cards(self.kickers)}"


def move_of_path(path: tuple[int, ...], rocket: int) -> Move:
    """The combination that a path of actions makes; `rocket` is the packed rocket of the game."""
    declaration = path[0]
    cards = rocket if KIND[declaration] == ROCKET else int(BODY[declaration])
    for kick in path[1:]:
        cards += int(KICKER_CARDS[declaration]) << (4 * int(RANK[kick]))
    return Move(declaration, cards)


def declarations(cards: int) -> list[int]:
    """All declarations that fit exactly these cards by shape, whatever the options: readings."""
    counts = num_cards(cards)
    found = []
    for action in range(ID_SOLO, ID_ROCKET):
        kickers = int(NUM_KICKERS[action] * KICKER_CARDS[action])
        if counts == num_cards(int(BODY[action])) + kickers and _fits(action, cards):
            found.append(action)
    return found


def _fits(action: int, cards: int) -> bool:
    """Whether the cards are the body of `action` and kickers of other ranks (RULES 5.1, 5.5)."""
    body, size = int(BODY[action]), int(KICKER_CARDS[action])
    for rank in range(NUM_RANKS):
        have, need = count_of(cards, rank), count_of(body, rank)
        if need and have != need:
            return False
        if not need and size == 2 and have % 2:
            return False
    return True


def format_move(declaration: int, cards: int) -> str:
    """A play in notation, from its declaration and all its packed cards: `333444+56`."""
    return str(Move(declaration, int(cards)))


def parse_move(text: str, rocket: int) -> Move:
    """Read a play in notation: body, then `+` and kickers: `333444+56`, `4444`, `BR`.

    >>> from envs.doudizhu.cards import JOKERS, DECK_3
    >>> move = parse_move("333444+65", DECK_3 & JOKERS)
    >>> move.kind, move.main, move.length, str(move)
    ('plane_solo', '3', 2, '333444+56')

    Raises:
        CardError: no combination has this body and these kickers.
    """
    body_text, _, kicker_text = text.partition("+")
    body, kickers = parse_cards(body_text), parse_cards(kicker_text)
    if body == rocket and not kickers:
        return Move(ID_ROCKET, rocket)
    for declaration in declarations(body + kickers):
        if int(BODY[declaration]) == body:
            return Move(declaration, body + kickers)
    raise CardError(f"{text!r} is no combination; write body+kickers, such as 333444+56")
