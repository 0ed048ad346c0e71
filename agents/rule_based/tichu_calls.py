"""The rule-based player of Tichu before the play: calls and the exchange.

Whether a hand is worth a call is read off a *hand index*: the logarithm of the odds to be out
first. It is estimated from the own hand alone, by a logistic regression on 40,000 hands that the
player played against itself without calls. The odds asked for are those that did best.
"""

from typing import Any

import numpy as np

from agents.rule_based.tichu_hands import split_hand
from agents.rule_based.tichu_outlook import MOST_EQUAL
from envs.core.bits import popcount
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DOG,
    DOG_RANK,
    DRAGON,
    DRAGON_RANK,
    MAHJONG,
    MAHJONG_RANK,
    NUM_CARDS,
    NUM_RANKS,
    PHOENIX,
    PHOENIX_RANK,
    count_of,
    rank_counts,
    ranks_with,
)
from envs.tichu.moves import ID_CARD, rank_of
from envs.tichu.state import ACROSS, GRAND, NO_CALL, RIGHT, TICHU

KING = ACE - 1
RANK_OF = np.array([rank_of(card) for card in range(NUM_CARDS)])
SPECIALS_COUNTED = np.array([DRAGON, PHOENIX, MAHJONG, DOG])
SMALL_INDEX = np.array([1.1, -0.32, -0.83, 0.29, 0.11, 0.88, -0.21, 0.56, -1.09, 0.47, -0.3])
"""Logarithm of the odds to be out first with 14 cards: constant, each turn of the hand, its dearest
group, each ace, each king, dragon, phoenix, mahjong, dog, each bomb; each call of the enemies. The
phoenix counts by the turns it saves."""
GRAND_INDEX = np.array([-1.0, -0.02, -0.21, 0.28, 0.05, 0.73, 0.52, 0.08, -0.43, 0.7, 0.0])
"""The same with 8 cards."""
SMALL_ODDS = -0.1
"""Logarithm of the odds from which small tichu is called. With a call the partner helps, so that
more of them are made than the odds say."""
EARLY_ODDS = 0.2
"""The same before the exchange."""
GRAND_ODDS = -0.2
"""The same for grand tichu."""

STRENGTH = np.zeros(NUM_RANKS)
STRENGTH[6 : ACE + 1] = [0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.8, 1.3]
STRENGTH[[MAHJONG_RANK, DRAGON_RANK, PHOENIX_RANK]] = [0.3, 1.6, 1.6]
"""Turns that a card is worth to who gets it, by rank."""
DOG_TO_ENEMY = 0.3
"""Turns that it is worth to burden an enemy with the dog."""
HARM = 2.0
"""How much of a card's strength counts against giving it to an enemy."""
PARITY = 0.1
"""Turns that it is worth to keep to the convention: odd ranks to the right, even ones to the left,
so that the two cards that an enemy gets are never a pair."""
HELP, OWN_CALL_HELP, PARTNER_CALL_HELP = 0.8, 0.3, 2.0
"""How much of a card's strength counts that the partner gets: as a rule, and after a call."""


@kernel
def num_bombs(o: Any) -> int:
    """Bombs of the hand; straight flushes count as one."""
    return popcount(ranks_with(rank_counts(int(o.hand)), MOST_EQUAL)) + int(o.flush != 0)


@kernel
def hand_index(o: Any, s: Any, weights: Any) -> float:
    """Logarithm of the odds to be out first; the whole hand of the view `s` has just been split.

    weights: [11], SMALL_INDEX or GRAND_INDEX.
    """
    hand = int(o.hand)
    index = weights[0] + weights[1] * o.turns + weights[2] * o.dearest
    index += weights[3] * count_of(hand, ACE) + weights[4] * count_of(hand, KING)
    for k, card in enumerate(SPECIALS_COUNTED):
        index += weights[5 + k] * ((hand & card) != 0)
    enemy_calls = (s.calls[1] != NO_CALL) + (s.calls[3] != NO_CALL)
    return float(index + weights[9] * num_bombs(o) + weights[10] * enemy_calls)


@kernel
def call_index(o: Any, s: Any) -> float:
    """The hand index for the call that is open; the hand has just been split."""
    return hand_index(o, s, GRAND_INDEX if s.phase == GRAND else SMALL_INDEX)


@kernel
def call_odds(s: Any) -> float:
    """The hand index above which that call is made."""
    if s.phase == GRAND:
        return GRAND_ODDS
    return EARLY_ODDS if s.phase == TICHU else SMALL_ODDS


@kernel
def wants_call(o: Any, s: Any) -> bool:
    """Whether to call where the rules allow it; never beside a call of the partner."""
    if s.calls[2] != NO_CALL:
        return False
    split_hand(o, int(o.hand))
    return call_index(o, s) > call_odds(s)


@kernel
def gift_worth(s: Any, card: int, to: int) -> float:
    """What it is worth, in turns, that a seat gets a card; to: RIGHT, ACROSS or LEFT."""
    rank = RANK_OF[card]
    if to == ACROSS:
        help_worth = HELP
        if s.calls[0] != NO_CALL:
            help_worth = OWN_CALL_HELP
        elif s.calls[2] != NO_CALL:
            help_worth = PARTNER_CALL_HELP
        return float(help_worth * STRENGTH[rank])
    if rank == DOG_RANK:
        return DOG_TO_ENEMY
    is_odd, wants_odd = rank % 2 == 1, to == RIGHT
    return float(PARITY * (is_odd == wants_odd) - HARM * STRENGTH[rank])


@kernel
def not_given(o: Any, s: Any) -> int:
    """The cards of the hand that are not given away yet."""
    return int(o.hand & ~(s.given[0, RIGHT] | s.given[0, ACROSS]))


@kernel
def worth_of_gift(o: Any, s: Any, card: int) -> float:
    """What the next card to give is worth to the taker against the cost of what is left."""
    split_hand(o, not_given(o, s) & ~(1 << card))
    return float(gift_worth(s, card, int(s.pending)) - o.turns)


@kernel
def choose_gift(o: Any, s: Any, mask: Any) -> int:
    """The next card to give."""
    choice, best = ID_CARD, -np.inf
    for card in range(NUM_CARDS):
        if mask[ID_CARD + card]:
            worth = worth_of_gift(o, s, card)
            if worth > best:
                choice, best = ID_CARD + card, worth
    return choice
