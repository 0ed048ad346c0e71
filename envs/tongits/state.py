"""The record of a game of Tongits, and what each seat may see of it."""

from typing import Any

import numpy as np

from envs.core.game import state_dtype
from envs.core.jit import kernel
from envs.tongits.cards import NUM_CARDS
from envs.tongits.rules import RULES
from envs.tongits.values import hand_value

NUM_SEATS = 3
HAND_SIZE = 12
"""Cards dealt to each seat (RULES 3.2)."""
STOCK_SIZE = NUM_CARDS - NUM_SEATS * HAND_SIZE
NONE = -1
"""In place of a seat, a card or an action."""
DRAWING, PLAYING, RESPONDING, ENDED = range(4)
"""Phases: DRAW, PLAY, RESPOND and OVER of RULES section 4."""
NO_ANSWER, CHALLENGED, FOLDED = range(3)
"""Answers to a knock."""
NOTHING, TONGITS, STOCK_OUT, KNOCK_OVER = range(4)
"""How the last action ended a hand: `outcome`."""

STATE = state_dtype(
    NUM_SEATS,
    [
        ("rules", RULES),
        ("phase", np.int64),
        ("hand_number", np.int64),  # hands of the match finished before this one
        ("dealer", np.int64),
        ("turns", np.int64),  # turns completed in this hand
        ("hands", np.int64, (NUM_SEATS,)),  # set of the cards of each seat
        ("sizes", np.int64, (NUM_SEATS,)),  # number of cards of each seat
        ("drawn", np.int64),  # set of the card that the seat to act drew in this turn
        ("stock", np.int8, (STOCK_SIZE,)),  # cards from the bottom up, NONE where there is none
        ("stock_size", np.int64),
        ("pile", np.int8, (STOCK_SIZE,)),  # discards, the oldest first, NONE where there is none
        ("pile_size", np.int64),
        ("top", np.int64),  # the last card of the pile, or NONE
        ("discards", np.int64, (NUM_SEATS,)),  # set of the cards in the pile that a seat put there
        ("taken", np.int64),  # set of the cards once taken from the pile
        ("melds", np.int64, (NUM_SEATS,)),  # set of the exposed cards, by owner of the meld
        ("sets", np.int64),  # those of them that lie in sets, the others lie in runs
        ("laid_off", np.int64, (NUM_SEATS,)),  # those of them that a seat laid off
        ("blocked", np.int64, (NUM_SEATS,)),  # 1 where laying off bars a seat's knock: `sapawed`
        ("knocker", np.int64),  # who knocked, or NONE
        ("answers", np.int64, (NUM_SEATS,)),  # to the knock
        ("pot", np.int64),  # the jackpot after the hand before
        ("streak", np.int64),  # hands in a row that count for it
        ("streak_seat", np.int64),  # who won them, or NONE
        ("actor", np.int64),  # who acted last, or NONE
        ("action", np.int64),  # the last action
        ("took", np.int64),  # 1 where it took the top discard
        ("outcome", np.int64),  # how it ended the hand
        ("winner", np.int64),  # of the last hand that ended, or NONE
        ("payoffs", np.int64, (NUM_SEATS,)),  # of the last hand that ended, without the jackpot
        ("registered", np.int64, (NUM_SEATS,)),  # in a view: 1 where a seat owns an exposed meld
        ("value", np.int64),  # in a view: the value of the own hand
    ],
)


@kernel
def next_seat(seat: int) -> int:
    """The right-hand neighbour (RULES 1.1)."""
    return seat + 1 if seat < NUM_SEATS - 1 else 0


@kernel
def exposed(s: Any) -> int:
    """Set of all cards in exposed melds."""
    return s.melds[0] | s.melds[1] | s.melds[2]


@kernel
def in_pile(s: Any) -> int:
    """Set of all cards in the discard pile."""
    return s.discards[0] | s.discards[1] | s.discards[2]


@kernel
def hide(s: Any, seat: int) -> None:
    """Take out of the record what `seat` may not see (RULES 11.2), and put in what it can tell."""
    for other in range(NUM_SEATS):
        if other != seat:
            s.hands[other] = 0
        s.registered[other] = s.melds[other] != 0
    for place in range(STOCK_SIZE):
        s.stock[place] = NONE
    if seat != s.turn:
        s.drawn = 0
    s.seed, s.draws = 0, 0
    s.value = hand_value(int(s.hands[seat]))
