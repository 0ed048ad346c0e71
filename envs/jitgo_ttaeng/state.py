"""The record of a game of Dori-jitgo-ttaeng, and what each seat may see of it.

Both modes use the same record; what only one of them needs is blank in the other. Seats that are
not at the table are blank too.
"""

from typing import Any

import numpy as np

from envs.core.game import state_dtype
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import HAND_SIZE
from envs.jitgo_ttaeng.hands import NO_RESULT
from envs.jitgo_ttaeng.moves import NUM_PILES
from envs.jitgo_ttaeng.rules import MAX_SEATS, RULES

NONE = -1
"""In place of a seat, a pile or an action."""
BETTING, STAKING, PUNTING, CONTINUING, ENDED = range(5)
"""Phases: of a betting round; the bank is offered, bet against, and may be given up; over."""
NOTHING, FOLDED_OUT, SHOWN_DOWN, PAID, BROKE, BANK_WON, BANK_LEFT = range(7)
"""What an action brought about beyond itself, `outcome`: all others folded, a showdown, a round
against the bank; the bank passes on since it is empty, has won enough, or was given up."""
NUM_HANDS = 1 + NUM_PILES  # in banker mode: the banker's hand, then the piles

CHANCE = np.dtype([("draws", np.int64), ("seed", np.int64)])  # not as in the record: or numba takes
# the one for the other, with a warning
STATE = state_dtype(
    MAX_SEATS,
    [
        ("rules", RULES),
        ("chance", CHANCE),  # the generator; its seed is drawn anew with each deal, so that all
        # that follows from a deal follows from this number
        ("phase", np.int64),
        ("hand_number", np.int64),  # hands, or rounds against a bank, finished before
        ("stacks", np.int64, (MAX_SEATS,)),  # chips of each seat, apart from those at stake
        ("hands", np.int64, (MAX_SEATS,)),  # cards of each seat, as far as they were dealt
        ("dealt", np.int64, (MAX_SEATS,)),  # its five cards in order, packed; dealt or to come
        ("results", np.int64, (MAX_SEATS,)),  # result of its five cards, or NO_RESULT
        ("playing", np.int64, (MAX_SEATS,)),  # 1 for a seat that has a part in this hand
        ("folded", np.int64, (MAX_SEATS,)),  # 1 for a seat that folded
        ("acted", np.int64, (MAX_SEATS,)),  # 1 for a seat that acted since the last full raise, or
        # that has bet against the bank or passed
        ("contrib", np.int64, (MAX_SEATS,)),  # chips it put into this hand; its bet on a pile
        ("round_bets", np.int64, (MAX_SEATS,)),  # chips it put into this betting round
        ("last_actions", np.int64, (MAX_SEATS,)),  # last action in this betting round, or NONE
        ("sun", np.int64),  # who opens; who was offered the bank first
        ("street", np.int64),  # betting rounds finished in this hand
        ("current", np.int64),  # highest bet of the round
        ("last_raise", np.int64),  # the last full bet or raise, `min_bet` at the start of a round
        ("raises", np.int64),  # raises in the round
        ("piles", np.int64, (NUM_HANDS,)),  # banker's hand and piles, packed in order
        ("face_up", np.int64, (NUM_PILES,)),  # the first card of each pile, as a set
        ("bet_piles", np.int64, (MAX_SEATS,)),  # the pile each seat bets on, or NONE
        ("banker", np.int64),  # who holds the bank, or NONE
        ("bank", np.int64),  # chips in the bank
        ("stake", np.int64),  # chips first laid into it
        ("offered", np.int64),  # seats in a row that the bank went past
        ("shown", np.int64, (MAX_SEATS,)),  # cards shown at the end of the last hand, by seat
        ("shown_piles", np.int64, (NUM_HANDS,)),  # likewise the banker's hand and the piles
        ("redeals", np.int64),  # new deals in the last hand
        ("actor", np.int64),  # who acted last, or NONE
        ("action", np.int64),  # the last action
        ("paid", np.int64),  # chips it cost
        ("outcome", np.int64),  # what it brought about
        ("payoffs", np.int64, (MAX_SEATS,)),  # of the last hand or round that ended
    ],
)


@kernel
def next_seat(s: Any, seat: int) -> int:
    """The next seat in cyclic order (RULES 1.4)."""
    return seat + 1 if seat + 1 < s.rules.num_players else 0


@kernel
def live_seats(s: Any) -> int:
    """The seats that have a part in the hand and did not fold, as a set."""
    live = 0
    for seat in range(s.rules.num_players):
        live |= (s.playing[seat] & ~s.folded[seat] & 1) << seat
    return live


@kernel
def num_dealt(s: Any, rounds: int) -> int:
    """Cards that a seat holds in betting round number `rounds` (RULES 4.1)."""
    num = 0
    for place in range(min(rounds + 1, HAND_SIZE)):
        num += (int(s.rules.deal_schedule) >> (3 * place)) & 7
    return num


@kernel
def hide(s: Any, seat: int) -> None:
    """Take out of the record what `seat` may not see (RULES 6)."""
    for other in range(s.rules.num_players):
        s.dealt[other] = 0
        if other != seat:
            s.hands[other], s.results[other] = 0, NO_RESULT
        if not s.rules.show_last:
            s.shown[other] = 0
    if not s.rules.helper_features:
        s.results[seat] = NO_RESULT
    for pile in range(NUM_HANDS):
        s.piles[pile] = 0
        if not s.rules.show_last:
            s.shown_piles[pile] = 0
    if s.phase != PUNTING:
        for pile in range(NUM_PILES):
            s.face_up[pile] = 0
    s.seed, s.draws, s.chance.seed, s.chance.draws = 0, 0, 0, 0
