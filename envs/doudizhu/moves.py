"""The action table of Dou Dizhu (RULES section 14) and whole plays in words.

An action is one of 482 ids. A play is a declaration, followed by selections one by one: which cards
of its body are wild ones, where the hand has some, and the kickers, where its kind has some.
`MOVES` says of every id what it is. A variant only masks.
"""

import re
from dataclasses import dataclass

import numpy as np

from envs.core.errors import CardError
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    JOKERS,
    NUM_RANKS,
    NUM_SEQUENCE,
    NUM_SUITED,
    RANK_CHARS,
    count_of,
    format_cards,
    missing,
    num_cards,
    parse_cards,
    without,
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
            PLANE: 3, PLANE_SOLO: 3, PLANE_PAIR: 3, FOUR_TWO_SOLO: 4, FOUR_TWO_PAIR: 4,
            SOFT_BOMB: 4}  # fmt: skip
"""Cards of each rank of the body; that of a bomb is its length."""
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
            ranks = range(rank, rank + (length if kind in RUNS else 1))
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
ID_SOLO, ID_BOMB, ID_SOFT_BOMB = (int(FIRST[kind]) for kind in (SOLO, BOMB, SOFT_BOMB))
ID_KICK, ID_KICKW, ID_SUB, ID_DONE = (int(FIRST[kind]) for kind in (KICK, KICKW, SUB, DONE))
BODY_CARDS = np.array([PER_RANK.get(kind, 0) for kind in range(NUM_KINDS)])
SHORTEST, LONGEST = (
    np.array([RUNS.get(kind, (1, 1))[end] for kind in range(NUM_KINDS)]) for end in (0, 1)
)


NO_WILD = -1
"""In place of the rank of the wild cards."""


@dataclass(frozen=True)
class Move:
    """A declared combination: `declaration` (its id), all its `cards`, packed, the `wild` rank."""

    declaration: int
    cards: int
    wild: int = NO_WILD

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
    def placed(self) -> int:
        """The wild cards of the body, packed by the rank they stand for (RULES 11.3)."""
        if self.wild == NO_WILD:
            return 0
        return missing(without(int(BODY[self.declaration]), self.wild), self.cards)

    @property
    def kickers(self) -> int:
        """The packed cards beside the body."""
        if KIND[self.declaration] == ROCKET:
            return 0
        return self.cards - body_cards(self.declaration, self.placed, self.wild)

    def path(self, *, placing: bool = False) -> tuple[int, ...]:
        """The actions that make this play (RULES 14.2, 14.3).

        placing: the hand has wild cards, so that it is asked which cards of the body are.
        """
        subs = [ID_SUB + rank for rank in _ranks_of(self.placed)]
        done = [ID_DONE] if placing else []
        return (self.declaration, *subs, *done, *self._kicks())

    def _kicks(self) -> list[int]:
        """The kickers by themselves, in the order of their keys."""
        kickers = self.kickers
        if KICKER_CARDS[self.declaration] < 2:
            return [ID_KICK + rank for rank in _ranks_of(kickers)]
        naturals = without(kickers, self.wild)
        odd = [rank for rank in range(NUM_SUITED) if count_of(naturals, rank) % 2]
        pairs = kickers - sum(1 << (4 * rank) for rank in odd)
        if odd:
            pairs -= len(odd) << (4 * self.wild)
        keys = [(rank, ID_KICK) for rank in _ranks_of(pairs)[::2]] + [(r, ID_KICKW) for r in odd]
        return [first + rank for rank, first in sorted(keys)]

    def __str__(self) -> str:
        """The play in notation: `333444+56`, with wild threes `44[4]+53`, `[4]5678`."""
        if KIND[self.declaration] == ROCKET:
            return format_cards(self.cards)
        text, body, placed = "", int(BODY[self.declaration]), self.placed
        for rank in sorted(set(_ranks_of(body))):
            char, wild = RANK_CHARS[rank], count_of(placed, rank)
            text += char * (count_of(body, rank) - wild) + (f"[{char * wild}]" if wild else "")
        return f"{text}+{format_cards(self.kickers)}" if self.kickers else text


def _ranks_of(cards: int) -> list[int]:
    """The rank of every card, rising."""
    return [rank for rank in range(NUM_RANKS) for _ in range(count_of(cards, rank))]


@kernel
def body_cards(declaration: int, placed: int, wild: int) -> int:
    """The actual cards of a body in which wild cards are placed; 0 for the rocket."""
    body = int(BODY[declaration])
    return body - placed + (num_cards(placed) << (4 * wild)) if placed else body


def move_of_path(path: tuple[int, ...], rocket: int, wild: int = NO_WILD) -> Move:
    """The combination that a path of actions makes; `rocket` is the packed rocket of the game."""
    declaration = path[0]
    if KIND[declaration] == ROCKET:
        return Move(declaration, rocket, wild)
    placed, kickers = 0, 0
    for action in path[1:]:
        card = 1 << (4 * int(RANK[action]))
        if KIND[action] == SUB:
            placed += card
        elif KIND[action] == KICKW:
            kickers += card + (1 << (4 * wild))
        elif KIND[action] == KICK:
            kickers += int(KICKER_CARDS[declaration]) * card
    return Move(declaration, body_cards(declaration, placed, wild) + kickers, wild)


def build_shapes() -> dict[tuple[int, int, bool], int]:
    """The declaration of a body, its number of kicker cards, and whether it is a soft bomb."""
    sizes = NUM_KICKERS * KICKER_CARDS
    return {
        (int(BODY[action]), int(sizes[action]), bool(KIND[action] == SOFT_BOMB)): action
        for action in [*range(ID_SOLO, ID_ROCKET), *range(ID_SOFT_BOMB, ID_KICK)]
    }


SHAPES = build_shapes()


def parse_move(text: str, rocket: int, wild: int = NO_WILD) -> Move:
    """Read a play in notation: body, then `+` and kickers: `333444+56`, `4444`, `BR`.

    In the body, brackets enclose wild cards as what they stand for; among the kickers, where that
    makes no difference, they are written as they are: `44[4]+3`.

    >>> from envs.doudizhu.cards import JOKERS, DECK_3
    >>> move = parse_move("333444+65", DECK_3 & JOKERS)
    >>> move.kind, move.main, move.length, str(move)
    ('plane_solo', '3', 2, '333444+56')
    >>> format_cards(parse_move("4[5]678", DECK_3 & JOKERS, wild=0).cards)
    '34678'

    Raises:
        CardError: no combination has this body and these kickers.
    """
    parts = re.fullmatch(r"((?:[^][+]|\[[^][+]+\])*)(?:\+([^][+]*))?", text)
    if parts is None:
        raise CardError(f"{text!r} is no combination; write body+kickers, such as 44[4]+56")
    placed = parse_cards("".join(re.findall(r"\[(.+?)\]", parts[1])))
    body = parse_cards(parts[1].translate({ord("["): None, ord("]"): None}))
    kickers = parse_cards(parts[2] or "")
    if body == rocket and not kickers and not placed:
        return Move(ID_ROCKET, rocket, wild)
    size = num_cards(kickers)
    declaration = SHAPES.get((body, size, bool(placed)), SHAPES.get((body, size, False)))
    if declaration is not None and (wild != NO_WILD or not placed):
        move = Move(declaration, body_cards(declaration, placed, wild) + kickers, wild)
        if move.placed == placed and _is_sound(move):
            return move
    raise CardError(f"{text!r} is no combination; write body+kickers, such as 333444+56")


def _is_sound(move: Move) -> bool:
    """Whether wild cards stand for what they may, and the kickers for other ranks than the body's.

    RULES 5.1, 5.5, 11.2, 11.9.
    """
    body, kickers = int(BODY[move.declaration]), move.kickers
    naturals = without(kickers, move.wild)
    if move.placed and (move.placed & JOKERS or move.kind == "bomb"):
        return False
    if any(count_of(body, rank) for rank in _ranks_of(naturals)):
        return False
    if KICKER_CARDS[move.declaration] < 2:
        return True
    odd = [rank for rank in range(NUM_RANKS) if count_of(naturals, rank) % 2]
    return len(odd) <= num_cards(kickers - naturals) and all(rank < NUM_SUITED for rank in odd)
