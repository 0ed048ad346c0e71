"""The action table of Tichu (RULES section 12) and combinations in words.

An action is one of 442 ids. A play is a combination, followed by further choices of the same seat
only where its hand leaves any: the rank that the phoenix stands for, then suits. `MOVES` says of
every id what it is. A variant only masks.
"""

from dataclasses import dataclass

import numpy as np

from envs.core.errors import CardError
from envs.tichu.cards import (
    ACE,
    CARD_NAMES,
    DOG_RANK,
    DRAGON_RANK,
    INDEX,
    LOWEST,
    MAHJONG_RANK,
    NUM_CARDS,
    NUM_RANKS,
    PHOENIX_RANK,
    RANK_CARDS,
    SUITS,
    members,
)

KINDS = (
    "no", "call",
    "dog", "single", "pair", "triple", "stairs", "fullhouse", "straight", "quad", "sflush",
    "rank", "card", "gift",
)  # fmt: skip
NUM_KINDS = len(KINDS)
(
    NO, CALL,
    DOG_LED, SINGLE, PAIR, TRIPLE, STAIRS, FULL_HOUSE, STRAIGHT, QUAD, FLUSH,
    RANK_NAMED, CARD_NAMED, GIFT_GIVEN,
) = range(NUM_KINDS)  # fmt: skip
PER_RANK = {SINGLE: 1, PAIR: 2, TRIPLE: 3, STAIRS: 2, STRAIGHT: 1, QUAD: 4, FLUSH: 1}
"""Cards of each rank of a combination; a full house has three and two."""
RUNS = {STAIRS: (2, 7, LOWEST), STRAIGHT: (5, 14, MAHJONG_RANK), FLUSH: (5, 13, LOWEST)}
"""Fewest and most ranks of a run, and the lowest rank it may contain (RULES 4)."""
NO_MOVE = -1
"""In place of a combination: nothing on the table, nothing begun."""
NO_SLOT = 0
"""In place of the rank that the phoenix stands for: it is not played, or as itself."""

MOVE = np.dtype(
    [
        ("kind", np.int64),
        ("rank", np.int64),  # that decides; of a named card or gift: its number
        ("size", np.int64),  # number of cards
        ("other", np.int64),  # rank of the pair of a full house, else 0
    ]
)


def run_rows(kind: int) -> list[tuple[int, int, int]]:
    """Rank, size and 0 of the runs of a kind, in the order of their ids."""
    shortest, longest, lowest = RUNS[kind]
    return [
        (top, length * PER_RANK[kind], 0)
        for length in range(shortest, longest + 1)
        for top in range(lowest + length - 1, ACE + 1)
    ]


ORDINARY_ORDER = range(LOWEST, ACE + 1)
BLOCKS: list[tuple[int, list[tuple[int, int, int]]]] = [
    (NO, [(0, 0, 0)]),
    (CALL, [(0, 0, 0)]),
    (DOG_LED, [(DOG_RANK, 1, 0)]),
    (SINGLE, [(rank, 1, 0) for rank in (MAHJONG_RANK, *ORDINARY_ORDER, PHOENIX_RANK, DRAGON_RANK)]),
    (PAIR, [(rank, 2, 0) for rank in ORDINARY_ORDER]),
    (TRIPLE, [(rank, 3, 0) for rank in ORDINARY_ORDER]),
    (STAIRS, run_rows(STAIRS)),
    (FULL_HOUSE, [(t, 5, p) for t in ORDINARY_ORDER for p in ORDINARY_ORDER if p != t]),
    (STRAIGHT, run_rows(STRAIGHT)),
    (QUAD, [(rank, 4, 0) for rank in ORDINARY_ORDER]),
    (FLUSH, run_rows(FLUSH)),
    (RANK_NAMED, [(rank, 0, 0) for rank in ORDINARY_ORDER]),
    (CARD_NAMED, [(card, 0, 0) for card in range(NUM_CARDS)]),
    (GIFT_GIVEN, [(1, 0, 0), (3, 0, 0)]),
]
"""Rank, size and pair of every action, kind by kind, in the order of the ids (RULES 12.2)."""

MOVES = np.array([(kind, *row) for kind, rows in BLOCKS for row in rows], MOVE)
NUM_ACTIONS = len(MOVES)
KIND, RANK, SIZE, OTHER = (np.ascontiguousarray(MOVES[name]) for name in MOVE.names or ())
FIRST = np.array([np.searchsorted(KIND, kind) for kind in range(NUM_KINDS)])
"""The first id of each kind, [14]."""
ID_NO, ID_CALL, ID_DOG, ID_MAHJONG = (int(FIRST[kind]) for kind in (NO, CALL, DOG_LED, SINGLE))
ID_PHOENIX, ID_DRAGON = int(FIRST[PAIR]) - 2, int(FIRST[PAIR]) - 1
ID_QUAD, ID_RANK, ID_CARD, ID_GIFT = (
    int(FIRST[kind]) for kind in (QUAD, RANK_NAMED, CARD_NAMED, GIFT_GIVEN)
)
RANKED = np.array([int(FIRST[kind]) - LOWEST for kind in range(NUM_KINDS)])
"""Added to a rank: the id of the kind's combination of that rank, where it is no run."""
RANKED[SINGLE] = ID_MAHJONG - MAHJONG_RANK


def build_needs() -> np.ndarray:
    """Cards of each rank in a combination, the phoenix counted as what it stands for: [371, 18]."""
    needs = np.zeros((ID_RANK, NUM_RANKS), np.int64)
    for action in range(ID_DOG, ID_RANK):
        kind, rank, size, other = MOVES[action]
        if kind == FULL_HOUSE:
            needs[action, rank], needs[action, other] = 3, 2
        elif kind == DOG_LED:
            needs[action, rank] = 1
        else:
            length = size // PER_RANK[kind]
            needs[action, rank - length + 1 : rank + 1] = PER_RANK[kind]
    return needs


NEEDS = build_needs()
LOW, HIGH = (NEEDS > 0).argmax(1), NUM_RANKS - 1 - (NEEDS[:, ::-1] > 0).argmax(1)
"""The lowest and the highest rank of each combination, [371]."""


def build_run_starts() -> np.ndarray:
    """What is added to the lowest rank of a run to get its id: [14, 15] by kind and length."""
    starts = np.zeros((NUM_KINDS, ACE + 1), np.int64)
    for action in range(ID_DOG, ID_RANK):
        if KIND[action] in RUNS:
            starts[KIND[action], HIGH[action] - LOW[action] + 1] = action - LOW[action]
    return starts


RUN_START = build_run_starts()


def build_full_houses() -> np.ndarray:
    """Id of a full house by trio and pair, [18, 18]; NO_MOVE where there is none."""
    ids = np.full((NUM_RANKS, NUM_RANKS), NO_MOVE, np.int64)
    rows = np.flatnonzero(KIND == FULL_HOUSE)
    ids[RANK[rows], OTHER[rows]] = rows
    return ids


FULL_HOUSES = build_full_houses()
VALUE = 2 * RANK
"""What a combination has to beat, in half ranks; a phoenix alone counts as RULES 8.3 says."""


def rank_of(card: int) -> int:
    """The rank of a card, given by its index."""
    return int(np.flatnonzero(RANK_CARDS >> card & 1)[0])


@dataclass(frozen=True)
class Move:
    """A combination as it is played: its id, all its cards, the rank the phoenix stands for."""

    declaration: int
    cards: int
    slot: int = NO_SLOT

    @property
    def kind(self) -> str:
        """Name of the kind."""
        return KINDS[KIND[self.declaration]]

    def __str__(self) -> str:
        """The play in notation: `5g 6k PH 8b 9r`, the phoenix in the place of its rank."""
        ranks = np.flatnonzero(NEEDS[self.declaration])
        if KIND[self.declaration] == FULL_HOUSE:
            ranks = np.array([RANK[self.declaration], OTHER[self.declaration]])
        names = []
        for rank in ranks:
            names += [CARD_NAMES[card] for card in members(self.cards & int(RANK_CARDS[rank]))]
            names += ["PH"] if rank == self.slot else []
        return " ".join(names)


def build_shapes() -> dict[tuple[int, ...], int]:
    """The id of a combination by the ranks of its cards, written as `Move` writes them."""
    shapes = {}
    for action in range(ID_DOG, ID_RANK):
        ranks = [rank for rank in range(NUM_RANKS) for _ in range(NEEDS[action, rank])]
        if KIND[action] == FULL_HOUSE:
            ranks = [int(RANK[action])] * 3 + [int(OTHER[action])] * 2
        if KIND[action] != FLUSH:
            shapes[tuple(ranks)] = action
    return shapes


SHAPES = build_shapes()


def parse_move(text: str) -> Move:
    """Read a combination: its cards by rank, the trio of a full house first.

    The phoenix stands where the rank that it replaces belongs, after the cards of that rank.

    >>> move = parse_move("5g 6k PH 8b 9r")
    >>> move.kind, move.slot, str(move)
    ('straight', 7, '5g 6k PH 8b 9r')

    Raises:
        CardError: no combination is written so.
    """
    cards = [INDEX.get(name, -1) for name in text.split()]
    ranks = [rank_of(card) if card >= 0 else -1 for card in cards]
    slots = [NO_SLOT] if len(ranks) == 1 or PHOENIX_RANK not in ranks else list(ORDINARY_ORDER)
    for slot in slots:
        shape = tuple(slot if slot and rank == PHOENIX_RANK else rank for rank in ranks)
        if shape in SHAPES and len(set(cards)) == len(cards):
            declaration, held = SHAPES[shape], sum(1 << card for card in cards)
            if KIND[declaration] == STRAIGHT and _is_one_suit(held):
                declaration = int(RUN_START[FLUSH, len(cards)] + LOW[declaration])
            move = Move(declaration, held, slot)
            if str(move).split() == text.split():
                return move
    raise CardError(f"{text!r} is no combination; write its cards by rank, such as 5g 6k PH 8b 9r")


def _is_one_suit(cards: int) -> bool:
    """Whether all cards are ordinary ones of one suit (RULES T-D23)."""
    held = members(cards)
    return held[-1] < INDEX["MJ"] and len({card % SUITS for card in held}) == 1
