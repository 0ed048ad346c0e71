"""Likely worlds of Tongits: hidden hands that go with what their seats have done so far.

Who plays well holds fewer loose points the longer the hand goes on, keeps pairs and neighbours that
a third card completes, lays off what fits, and does not keep what goes with its own discards. The
odds of a hand are a sum over these marks, whose factors were fitted so that sampled worlds show
them as often as 5,800 positions between rule-based players do (moment matching; such a model is the
likeliest of its kind).

Source of the sampling: Metropolis et al., "Equation of state calculations by fast computing
machines" (1953).
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.tongits_hands import completing, fitting, loose_cards, points_of
from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.core.rng import WORD, philox
from envs.tongits.cards import ACES, KINGS, NUM_CARDS, ranks_of
from envs.tongits.state import NUM_SEATS
from envs.tongits.values import hand_value

SWAPS = 400
"""Swaps that are tried in each world: after half as many, hands are not as good yet as in games."""
LOOSE_POINT = -0.0086
"""A loose point, for each turn that was completed."""
NEARLY_OUT, LOW = 0.15, 10
"""A point that loose cards have fewer than LOW."""
COMPLETING = 0.15
"""A card that would form a meld with two of the hand."""
FITTING = -0.92
"""A card that could be laid off."""
COMPLETED = -1.4
"""A card that the seat discarded, though it forms a meld with two of the hand."""
SAME_RANK = -0.74
"""A card of the rank of an own discard."""
NEIGHBOUR = -0.475
"""A card of the suit of an own discard, one rank above or below it."""


@kernel
def odds_of(hand: int, discards: int, fits: int, turns: int) -> float:
    """How likely a hand is: a logarithm of odds.

    hand, discards: sets of cards of one seat; fits: the cards that can be laid off; turns: those
    completed.
    """
    helps, points = completing(hand), points_of(loose_cards(hand))
    beside = ((discards & ~KINGS) << 1) | ((discards & ~ACES) >> 1)
    odds = LOOSE_POINT * turns * points + NEARLY_OUT * max(LOW - points, 0)
    odds += COMPLETING * popcount(helps) + COMPLETED * popcount(helps & discards)
    odds += FITTING * popcount(hand & fits)
    odds += SAME_RANK * popcount(hand & (ACES * ranks_of(discards)))
    return float(odds + NEIGHBOUR * popcount(hand & beside))


@kernel
def list_hidden(s: Any, cards: Any, owners: Any) -> int:
    """The hidden cards of a world and who holds them, seat 0 for the stock, which comes last."""
    num = 0
    for seat in range(1, NUM_SEATS):
        left = int(s.hands[seat])
        while left:
            cards[num], owners[num] = lowest(left), seat
            left, num = left & (left - 1), num + 1
    for place in range(s.stock_size):
        cards[num], owners[num] = s.stock[place], 0
        num += 1
    return num


@kernel
def settle(s: Any, seed: int, cards: Any, owners: Any) -> None:
    """Swap hidden cards of a world towards likely hands, in place; sizes stay.

    cards, owners: [52] int64, room. A swap that leaves a hand without loose cards is not made: with
    such a hand its seat would have ended the game.
    """
    num = list_hidden(s, cards, owners)
    num_held = num - int(s.stock_size)
    fits, turns = fitting(s), int(s.turns)
    if num_held == 0:
        return
    for number in range(SWAPS):
        word = philox(number, seed >> 32, seed & WORD)
        one = ((word & 0xFFFF) * num_held) >> 16
        other = (((word >> 16) & 0xFFFF) * num) >> 16
        seat, donor = owners[one], owners[other]
        if seat == donor:
            continue
        change = (1 << cards[one]) | (1 << cards[other])
        gain = 0.0
        for k in range(2):
            holder = seat if k == 0 else donor
            hand = int(s.hands[holder])
            if holder == 0:
                continue
            if hand_value(hand ^ change) == 0:
                gain = -math.inf
                break
            discards = int(s.discards[holder])
            gain += odds_of(hand ^ change, discards, fits, turns)
            gain -= odds_of(hand, discards, fits, turns)
        if ((word >> 32) & 0x3FFFFFFF) < math.exp(min(gain, 0.0)) * 2.0**30:
            s.hands[seat] ^= change
            if donor != 0:
                s.hands[donor] ^= change
            cards[one], cards[other] = cards[other], cards[one]
    for place in range(s.stock_size):
        s.stock[place] = cards[num_held + place]


@kernel
def settle_batch(worlds: Any, seeds: Any) -> None:
    """Make uniformly drawn worlds of views of seat 0 likely ones, in place. seeds: [N] int64."""
    cards, owners = np.empty(NUM_CARDS, np.int64), np.empty(NUM_CARDS, np.int64)
    for i in range(worlds.shape[0]):
        settle(worlds[i], int(seeds[i]), cards, owners)
