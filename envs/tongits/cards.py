"""Cards of Tongits: one pack, and sets of cards as bits of one integer.

Card 13·suit + rank is that bit of a non-negative int64, suits in the order S H D C and ranks from
the ace up (RULES 1.3), so a suit is 13 neighbouring bits and the next card of a run the next bit.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest, popcount
from envs.core.errors import CardError
from envs.core.jit import kernel

SUIT_CHARS = "SHDC"
RANK_CHARS = "A23456789TJQK"
NUM_SUITS = len(SUIT_CHARS)
NUM_RANKS = len(RANK_CHARS)
NUM_CARDS = NUM_SUITS * NUM_RANKS

SUIT_CARDS = (1 << NUM_RANKS) - 1  # all spades
DECK = (1 << NUM_CARDS) - 1
ACES = sum(1 << (NUM_RANKS * suit) for suit in range(NUM_SUITS))  # << rank: all cards of the rank
KINGS = ACES << (NUM_RANKS - 1)

RANK_VALUES = np.array([min(rank + 1, 10) for rank in range(NUM_RANKS)])
"""Points of a card by rank (RULES 1.4): ace 1, up to 10 for T J Q K."""


@kernel
def num_cards(cards: int) -> int:
    """Number of cards of a set."""
    return popcount(int(cards))


@kernel(inline=True)
def list_cards(cards: int, out: Any) -> int:
    """Write the indices of a set of cards to `out`; returns how many there are."""
    num = 0
    while cards:
        out[num] = lowest(cards)
        cards &= cards - 1
        num += 1
    return num


@kernel
def ranks_of(cards: int) -> int:
    """Bit set of the ranks that a set of cards holds."""
    spades, hearts = cards & SUIT_CARDS, (cards >> NUM_RANKS) & SUIT_CARDS
    diamonds, clubs = (cards >> 2 * NUM_RANKS) & SUIT_CARDS, cards >> 3 * NUM_RANKS
    return spades | hearts | diamonds | clubs


@kernel
def ranks_with_three(cards: int) -> int:
    """Bit set of the ranks of which a set holds three cards or four."""
    spades, hearts = cards & SUIT_CARDS, (cards >> NUM_RANKS) & SUIT_CARDS
    diamonds, clubs = (cards >> 2 * NUM_RANKS) & SUIT_CARDS, cards >> 3 * NUM_RANKS
    return (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))


@kernel
def ranks_with_four(cards: int) -> int:
    """Bit set of the ranks of which a set holds all four cards."""
    return cards & (cards >> NUM_RANKS) & (cards >> 2 * NUM_RANKS) & (cards >> 3 * NUM_RANKS)


def cards_in(cards: int) -> list[int]:
    """The cards of a set, in order."""
    return [card for card in range(NUM_CARDS) if int(cards) >> card & 1]


def parse_card(text: str) -> int:
    """Read a card, rank and suit in either case.

    Raises:
        CardError: it is none.
    """
    word = text.upper()
    rank, suit = RANK_CHARS.find(word[:1]), SUIT_CHARS.find(word[1:])
    if len(word) != 2 or rank < 0 or suit < 0:
        raise CardError(f"{text!r} is no card; a card is one of {RANK_CHARS} and one of SHDC")
    return NUM_RANKS * suit + rank


def parse_cards(text: str) -> int:
    """Read a set of cards, in any order, with spaces in between.

    >>> format_cards(parse_cards("td 7h AS 7S"))
    'AS 7S 7H TD'

    Raises:
        CardError: a word is no card, or a card comes twice.
    """
    cards = 0
    for word in text.split():
        card = 1 << parse_card(word)
        if cards & card:
            raise CardError(f"{word} comes twice in {text!r}")
        cards |= card
    return cards


def format_card(card: int) -> str:
    """A card as rank and suit: `TD`."""
    suit, rank = divmod(int(card), NUM_RANKS)
    return RANK_CHARS[rank] + SUIT_CHARS[suit]


def format_cards(cards: int) -> str:
    """Write a set of cards in order; the inverse of `parse_cards`."""
    return " ".join(map(format_card, cards_in(cards)))
