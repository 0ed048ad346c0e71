"""The rule-based player of Tichu before the play: calls and the exchange.

Both calls ask for the chance to be out first. It is estimated from the own hand, by a logistic
regression on hands that the player played against itself.
"""

from typing import Any

import numpy as np

from agents.rule_based.tichu_hands import split_hand
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DRAGON,
    MAHJONG,
    NUM_CARDS,
    PHOENIX,
    count_of,
)
from envs.tichu.moves import ID_CARD
from envs.tichu.state import ACROSS, GRAND, NO_CALL, RIGHT

KING = ACE - 1
SMALL_INDEX = np.array([1.0, -0.9, 0.35, 0.1, 0.9, 0.7, 0.3])
"""Logarithm of the odds to be out first with 14 cards: constant, each turn of the hand, each ace,
each king, dragon, phoenix, mahjong."""
GRAND_INDEX = np.array([-3.0, -0.2, 0.7, 0.3, 1.3, 1.3, 0.3])
"""The same with 8 cards."""
SMALL_ODDS = 0.3
"""Logarithm of the odds from which small tichu is called."""
GRAND_ODDS = 0.2
"""The same for grand tichu."""


@kernel
def hand_index(o: Any, weights: Any) -> float:
    """Logarithm of the odds to be out first; `o` has taken the view in."""
    split_hand(o, o.hand)
    index = weights[0] + weights[1] * o.turns
    index += weights[2] * count_of(o.hand, ACE) + weights[3] * count_of(o.hand, KING)
    index += weights[4] * ((o.hand & DRAGON) != 0) + weights[5] * ((o.hand & PHOENIX) != 0)
    return index + weights[6] * ((o.hand & MAHJONG) != 0)


@kernel
def wants_call(o: Any, s: Any) -> bool:
    """Whether to call, if the rules allow it: not against the partner's call."""
    if s.calls[2] != NO_CALL:
        return False
    if s.phase == GRAND:
        return hand_index(o, GRAND_INDEX) > GRAND_ODDS
    return hand_index(o, SMALL_INDEX) > SMALL_ODDS


GIFT_STRENGTH = np.zeros(NUM_CARDS)
"""What a card is worth to who gets it, in turns."""
GIFT_STRENGTH[:52] = np.repeat([0, 0, 0, 0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.35, 0.5, 0.8, 1.3], 4)
GIFT_STRENGTH[52:] = [0.3, 0.0, 1.6, 1.6]
DOG_TO_ENEMY = 0.3
"""Turns that it is worth to burden an enemy with the dog."""
PARITY = 0.3
"""Turns that it is worth to keep to the convention: odd ranks to the right, even ones to the left;
so the two low cards that an enemy gets are never a pair."""
HELP = np.array([0.8, 0.3, 2.0])
"""How much of the strength given to the partner counts: normally, having called, when he has."""


@kernel
def gift_worth(o: Any, s: Any, card: int, to: int) -> float:
    """What it is worth, in turns, to give a card to a seat, but for what the own hand loses."""
    strength = GIFT_STRENGTH[card]
    if to == ACROSS:
        if s.calls[0] != NO_CALL:
            return HELP[1] * strength
        return (HELP[2] if s.calls[2] != NO_CALL else HELP[0]) * strength
    if card >= 52:
        return DOG_TO_ENEMY - strength if card == 53 else -strength
    odd = (card >> 2) & 1
    return PARITY * (odd == (to == RIGHT)) - strength


@kernel
def choose_gift(o: Any, s: Any, mask: Any, to: int) -> int:
    """The card to give: the gain of its taker's side against the loss of the own hand."""
    choice, best = ID_CARD, -np.inf
    hand = int(o.hand)
    for card in range(NUM_CARDS):
        if mask[ID_CARD + card]:
            split_hand(o, hand & ~(1 << card))
            worth = gift_worth(o, s, card, to) - o.turns
            if worth > best:
                choice, best = ID_CARD + card, worth
    return choice
