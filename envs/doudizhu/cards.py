"""Cards of Dou Dizhu: ranks, packs, and counts per rank packed into one integer.

Suits mean nothing in this game (RULES 1.6), so cards are counts per rank, 4 bits a rank in one
non-negative int64: rank 0 (a three) in the lowest bits, rank 14 (the red joker) in the highest.
"""

import numpy as np

from envs.core.errors import CardError
from envs.core.jit import kernel

RANK_CHARS = "3456789TJQKA2BR"
NUM_RANKS = len(RANK_CHARS)
NUM_SUITED = 13  # ranks that have suits: all but the jokers
NUM_SEQUENCE = 12  # ranks that form sequences: three up to ace (RULES 1.4)
BLACK_JOKER, RED_JOKER = 13, 14

ONES = 0x111111111111111  # one card of every rank
EIGHTS = ONES << 3
BYTES = 0x0F0F0F0F0F0F0F0F  # a mask: every second rank
BYTE_ONES = 0x0101010101010101


def pack(counts: list[int]) -> int:
    """Pack counts per rank, [15] integers from 0 to 8."""
    return sum(int(count) << (4 * rank) for rank, count in enumerate(counts))


def deck_counts(num_seats: int) -> int:
    """All cards: one pack, or two with four seats (RULES 1.2, 10.1)."""
    packs = 2 if num_seats == 4 else 1
    return packs * pack([4] * NUM_SUITED + [1, 1])


DECK_3, DECK_4 = deck_counts(3), deck_counts(4)
JOKERS = pack([0] * NUM_SUITED + [15, 15])  # a mask: the joker bits of packed counts
DECK_RANKS = np.array(
    [rank for rank in range(NUM_RANKS) for _ in range(4 if rank < NUM_SUITED else 1)], np.int64
)
"""The rank of every card of one pack, [54]."""


@kernel
def deck_of(seats: int) -> int:
    """All cards of the game, packed (RULES 1.2, 10.1)."""
    return DECK_4 if seats == 4 else DECK_3


@kernel
def rank_size(seats: int) -> int:
    """Cards of each suited rank in the game."""
    return 8 if seats == 4 else 4


@kernel
def hand_size(seats: int) -> int:
    """Cards dealt to each seat (RULES 1.7, 10.1)."""
    return 25 if seats == 4 else 17


@kernel
def bottom_size(seats: int) -> int:
    """Bottom cards (RULES 1.7, 10.1)."""
    return 8 if seats == 4 else 3


@kernel
def count_of(cards: int, rank: int) -> int:
    """Number of cards of `rank`."""
    return (cards >> (4 * rank)) & 15


@kernel
def without(cards: int, rank: int) -> int:
    """The cards without those of `rank`; all of them where `rank` is negative."""
    return cards & ~(15 << (4 * rank)) if rank >= 0 else cards


@kernel
def num_cards(cards: int) -> int:
    """Number of cards in all."""
    bytes_ = (cards & BYTES) + ((cards >> 4) & BYTES)
    bytes_ += bytes_ >> 8
    bytes_ += bytes_ >> 16
    return (bytes_ + (bytes_ >> 32)) & 0xFF


@kernel
def ranks_with(cards: int, least: int) -> int:
    """Bit set of the ranks with at least `least` cards (1 to 8)."""
    # A count of at most 8 plus 8 - least reaches the nibble's top bit and never leaves the nibble.
    bits = ((cards + (8 - least) * ONES) & EIGHTS) >> 3
    bits = (bits | (bits >> 3)) & 0x0303030303030303
    bits = (bits | (bits >> 6)) & 0x000F000F000F000F
    bits = (bits | (bits >> 12)) & 0x000000FF000000FF
    return (bits | (bits >> 24)) & 0xFFFF


@kernel
def missing(cards: int, held: int) -> int:
    """Packed cards that `held` lacks to contain `cards`."""
    return lacking(cards & BYTES, held & BYTES) | (
        lacking((cards >> 4) & BYTES, (held >> 4) & BYTES) << 4
    )


@kernel
def lacking(cards: int, held: int) -> int:
    """`missing` where every second rank is empty, so that a count has a byte to itself."""
    # 16 + held - cards, from 8 to 24, never leaves the byte; its bit 4 says that nothing lacks.
    enough = (((held + 16 * BYTE_ONES) - cards) >> 4) & BYTE_ONES
    lacks = ~((enough << 4) - enough)
    return (cards & lacks) - (held & lacks)


def parse_cards(text: str) -> int:
    """Read cards in any order, one character each; spaces are ignored.

    >>> format_cards(parse_cards("R 3T3"))
    '33TR'

    Raises:
        CardError: a character that is no rank, or more cards of a rank than two packs hold.
    """
    counts = [0] * NUM_RANKS
    for char in text.replace(" ", ""):
        rank = RANK_CHARS.find(char)
        if rank < 0:
            raise CardError(f"{char!r} in {text!r} is no card; cards are {RANK_CHARS}")
        counts[rank] += 1
    for rank, count in enumerate(counts):
        if count > (8 if rank < NUM_SUITED else 2):
            raise CardError(f"{text!r} has {count} cards of rank {RANK_CHARS[rank]}")
    return pack(counts)


def format_cards(cards: int) -> str:
    """Write cards in rank order, one character each; the inverse of `parse_cards`."""
    return "".join(char * count for char, count in zip(RANK_CHARS, counts_of(cards), strict=True))


def counts_of(cards: int) -> list[int]:
    """Counts per rank, [15]; the inverse of `pack`."""
    return [(int(cards) >> (4 * rank)) & 15 for rank in range(NUM_RANKS)]
