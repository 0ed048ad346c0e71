"""Cards of Tichu: sets of the 56 cards as one integer each, and sets of ranks.

A card is its index (RULES 1.3): `4 * (rank - 2) + suit` for the ordinary cards, then the mahjong,
the dog, the phoenix and the dragon. A set of cards has one bit a card, in a non-negative int64; a
set of ranks has bit `rank`, the mahjong being rank 1.
"""

import numpy as np

from envs.core.bits import popcount
from envs.core.errors import CardError
from envs.core.jit import kernel

RANK_CHARS = "23456789TJQKA"
SUIT_CHARS = "gkbr"
SPECIALS = ("MJ", "DG", "PH", "DR")
CARD_NAMES = (*(rank + suit for rank in RANK_CHARS for suit in SUIT_CHARS), *SPECIALS)
NUM_CARDS = len(CARD_NAMES)
NUM_ORDINARY = len(RANK_CHARS) * len(SUIT_CHARS)
INDEX = {name: card for card, name in enumerate(CARD_NAMES)}
MAHJONG, DOG, PHOENIX, DRAGON = (1 << INDEX[name] for name in SPECIALS)
"""The special cards, each as a set."""
PACK = (1 << NUM_CARDS) - 1
ORDINARY = (1 << NUM_ORDINARY) - 1

MAHJONG_RANK, LOWEST, ACE, DRAGON_RANK, PHOENIX_RANK, DOG_RANK = 1, 2, 14, 15, 16, 17
"""Ranks. Those of phoenix and dog only tell these cards from others."""
NUM_RANKS = 18
NO_WISH = 0
"""In place of a rank: nothing is wished."""
ORDINARY_RANKS = (1 << (ACE + 1)) - (1 << LOWEST)  # a set of ranks
SUITS = 4
ONES = (1 << NUM_ORDINARY) // 15  # one card of every rank, all of the first suit
THREES, SEVENS, EIGHTS = 3 * ONES, 7 * ONES, 8 * ONES
FIVES = 5 * ONES


def build_rank_cards() -> np.ndarray:
    """All cards of each rank, [18] sets; rank 0 has none."""
    ordinary = [0b1111 << (SUITS * (rank - LOWEST)) for rank in range(LOWEST, ACE + 1)]
    return np.array([0, MAHJONG, *ordinary, DRAGON, PHOENIX, DOG])


RANK_CARDS = build_rank_cards()
FIVE_POINTS = int(RANK_CARDS[5])
TEN_POINTS = int(RANK_CARDS[10] | RANK_CARDS[13])
SPECIAL_POINTS = 25
"""What the dragon is worth; the phoenix is worth as much less (RULES 1.4)."""


@kernel
def points_of(cards: int) -> int:
    """Points of a set of cards (RULES 1.4)."""
    points = 5 * popcount(cards & FIVE_POINTS) + 10 * popcount(cards & TEN_POINTS)
    if cards & DRAGON:
        points += SPECIAL_POINTS
    if cards & PHOENIX:
        points -= SPECIAL_POINTS
    return points


@kernel
def gather(flags: int) -> int:
    """The set of ranks whose lowest card is in `flags`, which holds no other cards."""
    bits = flags & ONES
    bits = (bits | (bits >> 3)) & 0x0303030303030303
    bits = (bits | (bits >> 6)) & 0x000F000F000F000F
    bits = (bits | (bits >> 12)) & 0x000000FF000000FF
    return ((bits | (bits >> 24)) & 0x1FFF) << LOWEST


@kernel
def rank_counts(cards: int) -> int:
    """Number of ordinary cards of each rank, 4 bits a rank, in the place of its cards."""
    pairs = (cards & ORDINARY) - (((cards & ORDINARY) >> 1) & FIVES)
    return (pairs & THREES) + ((pairs >> 2) & THREES)


@kernel
def ranks_with(counts: int, least: int) -> int:
    """The ranks with at least `least` (1 to 4) ordinary cards; `counts` as `rank_counts` gives."""
    # A count of at most 4 plus 8 - least reaches the top bit of the rank's four and stays in them.
    return gather(((counts + (8 - least) * ONES) & EIGHTS) >> 3)


@kernel
def count_of(cards: int, rank: int) -> int:
    """Number of cards of `rank`."""
    return popcount(cards & RANK_CARDS[rank])


@kernel
def suits_of(cards: int) -> int:
    """The suits of a set of ordinary cards, as 4 bits."""
    cards |= cards >> (8 * SUITS)
    cards |= cards >> (4 * SUITS)
    cards |= cards >> (2 * SUITS)
    return (cards | (cards >> SUITS)) & 0b1111


@kernel
def flush_starts(cards: int) -> int:
    """The cards from which five cards or more of the suit follow in a row, as a set."""
    ordinary = cards & ORDINARY
    runs = ordinary & (ordinary >> SUITS)
    runs &= runs >> (2 * SUITS)
    return runs & (ordinary >> (4 * SUITS))


@kernel
def flush_cards(cards: int) -> int:
    """All cards that lie in a straight flush: the union of F(H) of RULES 12.3."""
    runs = flush_starts(cards)
    runs |= (runs << SUITS) | (runs << (2 * SUITS))
    return runs | (runs << (2 * SUITS))


def members(cards: int) -> list[int]:
    """The indices of the cards of a set, rising."""
    return [card for card in range(NUM_CARDS) if int(cards) >> card & 1]


def parse_cards(text: str) -> int:
    """Read card names separated by spaces, in any order.

    >>> format_cards(parse_cards("PH Tg 2r"))
    '2r Tg PH'

    Raises:
        CardError: a word that is no card, or a card that stands twice.
    """
    cards = 0
    for name in text.split():
        if name not in INDEX:
            raise CardError(
                f"{name!r} in {text!r} is no card; cards are a rank of {RANK_CHARS} and a suit of "
                f"{SUIT_CHARS}, or {', '.join(SPECIALS)}"
            )
        if cards >> INDEX[name] & 1:
            raise CardError(f"{text!r} has {name} twice")
        cards |= 1 << INDEX[name]
    return cards


def format_cards(cards: int) -> str:
    """Write a set of cards by index; the inverse of `parse_cards`."""
    return " ".join(CARD_NAMES[card] for card in members(cards))
