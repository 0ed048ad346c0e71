"""The exact value of a hand: the points of the cards that no choice of melds can take in.

Runs need no search: a card lies in a run exactly if three neighbours of its suit, itself among
them, are there, and the rows of neighbours of a suit never compete. So once it is decided which
sets to form, the rest is a table look-up a suit. Only sets that would take a card out of a run have
to be tried (RULES 8.2).
"""

import numpy as np

from envs.core.bits import lowest
from envs.core.jit import kernel
from envs.tongits.cards import (
    ACES,
    KINGS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_VALUES,
    SUIT_CARDS,
    ranks_of,
    ranks_with_three,
)

RUN_STARTS = ((ACES << NUM_RANKS) - ACES) & ~KINGS & ~(KINGS >> 1)
"""The cards from which a run may start: aces to jacks."""


def build_loose() -> np.ndarray:
    """Points of the cards of a suit that lie in no run, by the 13 bits of the suit: [8192] int8."""
    suits = np.arange(SUIT_CARDS + 1)[:, None]
    held = np.pad(suits >> np.arange(NUM_RANKS) & 1, ((0, 0), (2, 2))) == 1
    triples = held[:, :-2] & held[:, 1:-1] & held[:, 2:]  # by their lowest rank, from two below A
    in_runs = triples[:, :-2] | triples[:, 1:-1] | triples[:, 2:]
    return (held[:, 2:-2] & ~in_runs) @ RANK_VALUES.astype(np.int8)


LOOSE = build_loose()


@kernel(inline=True)
def run_starts(cards: int) -> int:
    """The cards of a set from which the next two of the suit are there too."""
    return cards & (cards >> 1) & (cards >> 2) & RUN_STARTS


@kernel
def cards_in_runs(cards: int) -> int:
    """The cards of a set that lie in runs."""
    starts = run_starts(cards)
    return starts | (starts << 1) | (starts << 2)


@kernel
def loose_points(cards: int) -> int:
    """Points of the cards that lie in no run."""
    points = 0
    for suit in range(NUM_SUITS):
        points += int(LOOSE[(cards >> (NUM_RANKS * suit)) & SUIT_CARDS])
    return points


@kernel
def least_loose(cards: int, ranks: int) -> int:
    """The least points that stay loose, where a set of each of `ranks` may be formed or not."""
    if ranks == 0:
        return loose_points(cards)
    rank, others = lowest(ranks), ranks & (ranks - 1)
    least = least_loose(cards, others)
    same = cards & (ACES << rank)
    least = min(least, least_loose(cards & ~same, others))
    if same == ACES << rank:  # a set of three may spare the fourth for a run
        for suit in range(NUM_SUITS):
            spared = 1 << (NUM_RANKS * suit + rank)
            least = min(least, least_loose((cards & ~same) | spared, others))
    return least


@kernel
def hand_value(hand: int) -> int:
    """The value of a hand: the least points outside any choice of melds (RULES 8.1).

    >>> from envs.tongits.cards import parse_cards
    >>> hand_value(parse_cards("7S 7H 7D 8D 9D"))
    14
    """
    ranks = ranks_with_three(hand)
    if ranks == 0:
        return loose_points(hand)
    contested = ranks & ranks_of(cards_in_runs(hand))
    hand &= ~(ACES * (ranks ^ contested))  # sets that cost no run
    return least_loose(hand, contested)
