"""Who wins a hand, and who pays what (RULES 6, 7, 9). Kernels over one record."""

from typing import Any

import numpy as np

from envs.core.jit import kernel
from envs.tongits.cards import ACES, KINGS, num_cards, ranks_with_four
from envs.tongits.rules import SCOPE_HAND_AND_MELDS, TIE_KNOCKER
from envs.tongits.state import CHALLENGED, KNOCK_OVER, NONE, NUM_SEATS, TONGITS, next_seat
from envs.tongits.values import hand_value

BONUS_CARDS = np.array([ACES | KINGS, ACES, KINGS, 0])
"""Set of the cards that bring `score_bonus`, by the option `bonus_ranks`."""


@kernel
def lowest_value(s: Any, first: int, compared: int) -> int:
    """The seat with the least hand value among a bit set of seats; ties go to the first in turn
    order from `first` on.
    """
    best, least = NONE, 0
    seat = first
    for _ in range(NUM_SEATS):
        if compared >> seat & 1:
            value = hand_value(int(s.hands[seat]))
            if best == NONE or value < least:
                best, least = seat, value
        seat = next_seat(seat)
    return best


@kernel
def knock_winner(s: Any) -> int:
    """The winner after a knock that all have answered (RULES 6.6)."""
    knocker = int(s.knocker)
    compared = 1 << knocker
    for seat in range(NUM_SEATS):
        if s.answers[seat] == CHALLENGED:
            compared |= 1 << seat
    first = knocker if s.rules.knock_tie == TIE_KNOCKER else next_seat(knocker)
    return lowest_value(s, first, compared)


@kernel
def stock_winner(s: Any, last_drawer: int) -> int:
    """The winner when the stock is used up (RULES 7.4-7.6)."""
    compared, all_seats = 0, (1 << NUM_SEATS) - 1
    for seat in range(NUM_SEATS):
        if s.melds[seat] or not s.rules.stockout_requires_meld:
            compared |= 1 << seat
    return lowest_value(s, last_drawer, compared if compared else all_seats)


@kernel(inline=True)
def common_due(s: Any, winner: int, outcome: int) -> int:
    """What every loser owes the winner, whoever he is (RULES 9.1)."""
    cards = int(s.hands[winner])
    if s.rules.bonus_scope == SCOPE_HAND_AND_MELDS:
        cards |= s.melds[winner]
    due = int(s.rules.score_base)
    due += s.rules.score_bonus * num_cards(cards & BONUS_CARDS[s.rules.bonus_ranks])
    due += s.rules.score_quad * num_cards(ranks_with_four(cards))
    if outcome == TONGITS:
        due += s.rules.score_tongits
    if outcome == KNOCK_OVER and winner != s.knocker:
        due += s.rules.score_challenge
    return due


@kernel
def settle(s: Any, winner: int, outcome: int) -> None:
    """Payoffs of the hand: every loser pays his due, or the loser of a knock all (RULES 9.2)."""
    common = common_due(s, winner, outcome)
    lost_knock = outcome == KNOCK_OVER and winner != s.knocker
    for seat in range(NUM_SEATS):
        s.payoffs[seat] = 0
    for seat in range(NUM_SEATS):
        if seat != winner:
            due = common
            if s.melds[seat] == 0:
                due += s.rules.score_burn
            if winner == s.knocker and s.answers[seat] == CHALLENGED:
                due += s.rules.failed_challenge_penalty
            payer = int(s.knocker) if lost_knock and s.rules.failed_knock_pays_all else seat
            s.payoffs[payer] -= due
            s.payoffs[winner] += due
