"""The record of a game of Dou Dizhu, and what each seat may see of it."""

from typing import Any

import numpy as np

from envs.core.game import state_dtype
from envs.core.jit import kernel
from envs.doudizhu.cards import deck_of
from envs.doudizhu.rules import RULES, WILD_RANDOM

MAX_SEATS = 4
NONE = -1
"""In place of a seat, a rank or an action."""
NO_MOVE = -1
"""In place of a declaration: nothing on the table, nothing begun."""
BIDDING, SNATCHING, DOUBLING, PLAYING, ENDED = range(5)
"""Phases."""
NOTHING, REDEALT, LANDLORD_FOUND, HAND_WON, HAND_VOID = range(5)
"""What an action brought about beyond itself: `outcome`."""
NO_CALL = -1
"""In `calls`: the seat has not acted in this auction."""

STATE = state_dtype(
    MAX_SEATS,
    [
        ("rules", RULES),
        ("phase", np.int64),
        ("hand_number", np.int64),  # hands of the match finished before this one
        ("hands", np.int64, (MAX_SEATS,)),  # packed cards of each seat
        ("sizes", np.int64, (MAX_SEATS,)),  # number of cards of each seat
        ("bottom", np.int64),  # packed bottom cards, also after the landlord took them up
        ("first", np.int64),  # first bidder
        ("face_up", np.int64),  # rank of the card shown in the deal, or NONE
        ("face_up_seat", np.int64),
        ("wild", np.int64),  # rank of the wild cards, or NONE; one drawn is shown to no one before
        # there is a landlord
        ("all_passes", np.int64),  # deals of this hand thrown in since nobody bid
        ("calls", np.int64, (MAX_SEATS,)),  # last bid of each seat in this auction, 0 for a pass
        ("bids", np.int64, (MAX_SEATS,)),  # highest bid of each seat in this auction
        ("num_calls", np.int64),  # auction actions so far
        ("passes", np.int64),  # passes in a row, in the auction or in the trick
        ("bidder", np.int64),  # highest bidder, or NONE
        ("asked", np.int64),  # how many seats after the caller the snatch phase has reached
        ("snatched", np.int64, (MAX_SEATS,)),  # 1 where a seat snatched
        ("landlord", np.int64),  # highest bidder or last snatcher once decided, or NONE
        ("base_score", np.int64),  # base score, 0 before the landlord is known
        ("factors", np.int64, (MAX_SEATS,)),  # doubling choice: 1, 2, 4; 0 before it is made
        ("table", np.int64),  # declaration to beat, or NO_MOVE at a lead
        ("table_cards", np.int64),
        ("table_seat", np.int64),
        ("begun", np.int64),  # declaration whose selections are being made, or NO_MOVE
        ("placing", np.int64),  # 1 while it is asked which cards of its body are wild
        ("placed", np.int64),  # wild cards placed in its body, packed by the rank they stand for
        ("chosen", np.int64),  # packed kickers chosen so far; they are still in the hand
        ("played", np.int64, (MAX_SEATS,)),  # all cards played by each seat
        ("last_cards", np.int64, (MAX_SEATS,)),  # the last combination of each seat
        ("passed", np.int64, (MAX_SEATS,)),  # 1 where a seat's last action of the trick was a pass
        ("plays", np.int64, (MAX_SEATS,)),  # combinations played by each seat
        ("bombs", np.int64, (MAX_SEATS,)),  # bombs and rockets played by each seat
        ("counted_bombs", np.int64),  # those that count in the score
        ("actor", np.int64),  # who acted last, or NONE
        ("action", np.int64),  # the last action, for a play its declaration
        ("last_played", np.int64),  # its packed cards
        ("last_wild", np.int64),  # the rank that was wild then, or NONE
        ("outcome", np.int64),  # what that action brought about
        ("payoffs", np.int64, (MAX_SEATS,)),  # of the last hand that ended
        ("unseen", np.int64),  # in a view: the pack without own cards and cards played
    ],
)


@kernel
def clear_selection(s: Any) -> None:
    """No play is begun."""
    s.begun, s.placing, s.placed, s.chosen, s.pending = NO_MOVE, 0, 0, 0, 0


@kernel
def hide(s: Any, seat: int) -> None:
    """Take out of the record what `seat` may not see (RULES 12)."""
    for other in range(MAX_SEATS):
        if other != seat:
            s.hands[other] = 0
    if s.phase != ENDED:
        if s.landlord == NONE or (s.rules.reveal_bottom == 0 and seat != s.landlord):
            s.bottom = 0
        if s.landlord == NONE and s.rules.wild == WILD_RANDOM:
            s.wild = NONE
    if seat != s.turn:
        clear_selection(s)
    s.seed, s.draws = 0, 0
    s.unseen = deck_of(s.rules.players) - s.hands[seat]
    for other in range(MAX_SEATS):
        s.unseen -= s.played[other]
