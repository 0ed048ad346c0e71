"""The rule-based player of Dou Dizhu before the play: bids, snatches and doubling.

All three ask for the chance that the own side wins. It is estimated from the own hand alone, by a
logistic regression on hands that the player played against itself: 30,000 with three seats, 12,000
with four, 24,000 with wild cards. The chances asked for are those that did best against others near
them.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.doudizhu_hands import split_hand
from agents.rule_based.doudizhu_outlook import TWO, WILD
from envs.core.jit import kernel
from envs.doudizhu.cards import BLACK_JOKER, RED_JOKER, count_of, without
from envs.doudizhu.moves import ID_BID, ID_DECLINE, ID_DOUBLE, ID_PASS, ID_SNATCH
from envs.doudizhu.state import BIDDING, DOUBLING, NONE, SNATCHING
from envs.doudizhu.wild import num_wild

BIDDER, LANDLORD, FARMER = range(3)
"""Who asks: a bidder wants to know his chance as a landlord who has not seen the bottom yet."""
BLIND_BIDDER = 3 * (WILD + 1)
"""A bidder before the wild rank is drawn; a row of LOG_ODDS as the others are."""
LOG_ODDS = np.array(
    [
        # constant, each turn of the hand, each two, black joker, red joker, wild card
        [0.0, -0.17, 0.3, 0.8, 1.05, 0.0],
        [0.8, -0.35, 0.3, 1.0, 1.15, 0.0],
        [0.85, -0.14, 0.15, 0.45, 0.6, 0.0],
        # four seats: a hand says little, many cards come from the bottom
        [-0.14, -0.04, 0.06, 0.0, 0.0, 0.0],
        [0.2, -0.18, 0.08, 0.0, 0.0, 0.0],
        [0.8, -0.12, 0.07, 0.0, 0.0, 0.0],
        # wild cards
        [-1.4, -0.13, 0.15, 0.25, 0.7, 0.7],
        [-1.0, -0.23, 0.1, 0.05, 0.55, 0.65],
        [-0.1, -0.1, 0.1, 0.15, 0.45, 0.25],
        [-0.55, -0.06, 0.18, 0.2, 0.55, 0.0],
    ]
)
"""Logarithm of the odds to win, by variant and who asks: [10, 6]."""
BID_CHANCES = np.array([[0.3, 0.4, 0.5], [0.46, 0.49, 0.52], [0.45, 0.5, 0.55]])
"""Chances from which a hand is worth a bid of 1, 2, 3, by variant. Those below one half pay since a
landlord at that price faces seats that did not want to be."""
SNATCH_CHANCE = 0.6
"""The same for a snatch: the caller has a good hand as well."""
DOUBLE_CHANCES = np.array([0.0, 0.6, 0.7])
"""Chances from which the stake is multiplied by 1, 2, 4."""


@kernel
def win_chance(o: Any, who: int) -> float:
    """Chance that the own side wins, as a BIDDER, LANDLORD or FARMER sees it."""
    split_hand(o, o.hand)
    blind = o.variant == WILD and o.wild < 0
    odds = LOG_ODDS[BLIND_BIDDER if blind else 3 * o.variant + who]
    hand = without(o.hand, o.wild)
    log_odds = odds[0] + odds[1] * o.turns + odds[2] * count_of(hand, TWO)
    log_odds += odds[3] * count_of(hand, BLACK_JOKER) + odds[4] * count_of(hand, RED_JOKER)
    log_odds += odds[5] * num_wild(o.hand, o.wild)
    return 1 / (1 + math.exp(-log_odds))


@kernel
def highest_step(chances: Any, chance: float) -> int:
    """How many of the rising `chances` are reached."""
    reached = 0
    while reached < chances.shape[0] and chance >= chances[reached]:
        reached += 1
    return reached


@kernel
def own_chance(o: Any, s: Any) -> float:
    """`win_chance` as the seat to act sees it."""
    if s.phase == DOUBLING:
        return win_chance(o, LANDLORD if s.landlord == 0 else FARMER)
    return win_chance(o, BIDDER)


@kernel
def highest_bid(s: Any) -> int:
    """The bid to beat, 0 if there is none."""
    return int(s.bids[s.bidder]) if s.bidder != NONE else 0


@kernel
def choose_call(o: Any, s: Any, mask: Any) -> int:
    """A bid, snatch or doubling choice; `o` has taken the view `s` in."""
    chance = own_chance(o, s)
    if s.phase == BIDDING:
        bid = highest_step(BID_CHANCES[o.variant], chance)
        return ID_BID + bid - 1 if bid > highest_bid(s) else ID_PASS
    if s.phase == SNATCHING:
        return ID_SNATCH if chance >= SNATCH_CHANCE else ID_DECLINE
    step = highest_step(DOUBLE_CHANCES, chance)
    return ID_DOUBLE + step - 1 if mask[ID_DOUBLE + step - 1] else ID_DOUBLE + step - 2
