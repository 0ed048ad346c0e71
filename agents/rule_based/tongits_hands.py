"""Sets of cards of Tongits: points, what a hand leaves loose, which cards would help it."""

from typing import Any

import numpy as np

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.tongits.cards import (
    ACES,
    DECK,
    KINGS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_VALUES,
    SUIT_CARDS,
    ranks_of,
    ranks_with_three,
)
from envs.tongits.state import exposed
from envs.tongits.values import cards_in_runs

DEAREST = int(RANK_VALUES.max())
WITH_BIT = np.array(
    [sum(ACES << r for r, v in enumerate(RANK_VALUES) if v >> bit & 1) for bit in range(4)]
)
"""Set of the cards whose points have a binary digit 1: [4]."""
AT_LEAST = np.array(
    [sum(ACES << r for r, v in enumerate(RANK_VALUES) if v >= least) for least in range(11)]
)
"""Set of the cards of so many points or more: [11]."""
ABOVE_1, ABOVE_2 = DECK & ~ACES, DECK & ~(ACES | ACES << 1)
BELOW_1, BELOW_2 = DECK & ~KINGS, DECK & ~(KINGS | KINGS >> 1)
"""The cards that may lie one or two ranks above, or below, another one of their suit."""


@kernel
def points_of(cards: int) -> int:
    """Points of all cards of a set."""
    points = 0
    for bit in range(WITH_BIT.shape[0]):
        points += popcount(cards & WITH_BIT[bit]) << bit
    return points


@kernel
def least_loose(cards: int, ranks: int) -> int:
    """The cheapest set of cards that can stay loose if sets of `ranks` may be formed or not."""
    if ranks == 0:
        return cards & ~cards_in_runs(cards)
    rank, others = lowest(ranks), ranks & (ranks - 1)
    same = cards & (ACES << rank)
    loose = least_loose(cards, others)
    least = points_of(loose)
    for suit in range(NUM_SUITS + 1):
        spared = (1 << (NUM_RANKS * suit + rank)) if suit < NUM_SUITS else 0
        if spared == 0 or same == ACES << rank:
            other = least_loose((cards & ~same) | spared, others)
            if points_of(other) < least:
                loose, least = other, points_of(other)
    return loose


@kernel
def loose_cards(hand: int) -> int:
    """The cards outside a best choice of melds: the set whose points are the hand's value."""
    ranks = ranks_with_three(hand)
    if ranks == 0:
        return hand & ~cards_in_runs(hand)
    contested = ranks & ranks_of(cards_in_runs(hand))
    hand &= ~(ACES * (ranks ^ contested))  # sets that cost no run
    return least_loose(hand, contested)


@kernel
def points_without(cards: int, num: int) -> int:
    """Points of a set of cards without its `num` dearest ones."""
    points = points_of(cards)
    for each in range(DEAREST, 0, -1):
        dearest = cards & AT_LEAST[each]
        if popcount(dearest) >= num:
            return points - num * each
        points -= popcount(dearest) * each
        num -= popcount(dearest)
        cards &= ~dearest
    return 0


@kernel
def completing(hand: int) -> int:
    """The cards that form a meld with two of a hand."""
    spades, hearts = hand, hand >> NUM_RANKS
    diamonds, clubs = hand >> 2 * NUM_RANKS, hand >> 3 * NUM_RANKS
    pairs = (spades & (hearts | diamonds | clubs)) | (hearts & (diamonds | clubs))
    pairs |= diamonds & clubs
    above, below = (hand << 1) & ABOVE_1, (hand >> 1) & BELOW_1
    runs = (above & (hand << 2) & ABOVE_2) | (below & (hand >> 2) & BELOW_2) | (above & below)
    return (runs | (ACES * (pairs & SUIT_CARDS))) & ~hand


@kernel
def fitting(s: Any) -> int:
    """The cards that can be laid off on the table."""
    runs = exposed(s) & ~s.sets
    beside = ((runs & ~KINGS) << 1) | ((runs & ~ACES) >> 1)
    return int((beside | (ACES * ranks_with_three(s.sets))) & ~exposed(s))
