"""Rounds of Tichu: the deal, the settlement, and what follows (RULES 3, 10)."""

from typing import Any

import numpy as np

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.rng import randint, shuffle
from envs.tichu.cards import NO_WISH, NUM_CARDS, points_of
from envs.tichu.moves import NO_MOVE, NO_SLOT
from envs.tichu.rules import (
    EPISODE_ROUND,
    FIRST_DEALER_0,
    FIRST_DEALER_RANDOM,
    NEXT_DEALER_ROTATE,
    NO_LIMIT,
)
from envs.tichu.state import (
    ENDED,
    EXCHANGE,
    GRAND,
    NO_CALL,
    NO_EVENT,
    NO_RESULT,
    NONE,
    NOT_MADE,
    NUM_GIVEN,
    NUM_SEATS,
    ROUND_END,
    TICHU,
    clear_selection,
)

HAND_SIZE, FIRST_SIZE = 14, 8
"""Cards of a hand, and how many of them are drawn before the question for grand tichu."""
DOUBLE_WIN = 200
CALL_VALUE = np.array([0, 100, 200])
"""What a call wins or loses: none, small, grand (RULES 10.4)."""
DRAWS_PER_ROUND = 1 << 12
"""Random numbers set apart for a round, so that deals do not depend on what was played before."""


@kernel
def team_of(seat: int) -> int:
    """The team of a seat (RULES 1.1)."""
    return seat & 1


@kernel
def seat_after(seat: int, num: int) -> int:
    """The seat `num` places further on."""
    return (seat + num) & (NUM_SEATS - 1)


@kernel
def clear_round(s: Any) -> None:
    """Forget everything about a round but the dealer."""
    for seat in range(NUM_SEATS):
        s.dealt[seat], s.first[seat], s.hands[seat], s.sizes[seat] = 0, 0, 0, 0
        s.calls[seat], s.played[seat], s.place[seat] = NO_CALL, 0, 0
        s.points[seat], s.lacks[seat] = 0, 0
        for k in range(NUM_GIVEN):
            s.given[seat, k], s.received[seat, k] = 0, 0
    s.num_out, s.mahjong = 0, NONE
    s.table, s.value, s.table_cards, s.pile = NO_MOVE, 0, 0, 0
    s.owner, s.passes, s.passer = NONE, 0, NONE
    s.wish, s.wished, s.window = NO_WISH, NOT_MADE, NUM_SEATS
    clear_selection(s)


@kernel
def take_up_rest(s: Any) -> None:
    """The other six cards each (RULES 3.4)."""
    for seat in range(NUM_SEATS):
        s.hands[seat], s.sizes[seat] = s.dealt[seat], HAND_SIZE


@kernel
def ask_opening(s: Any, num: int) -> bool:
    """Ask the seat `num` places after the dealer, or who comes next (RULES 3).

    Returns whether all questions before the play are answered.
    """
    while True:
        if num == NUM_SEATS:
            if s.stage == EXCHANGE:
                return True
            if s.stage == GRAND:
                take_up_rest(s)
            s.phase = s.stage = TICHU if s.stage == GRAND else EXCHANGE
            num = 0
        seat = seat_after(s.dealer, num)
        if s.stage != TICHU or s.calls[seat] == NO_CALL:
            s.turn = seat
            s.next_seat = NONE if s.stage == EXCHANGE else seat
            return False
        num += 1


@kernel
def open_round(s: Any) -> None:
    """The first eight cards are on hand, and the questions begin (RULES 3.2, 3.3)."""
    for seat in range(NUM_SEATS):
        s.hands[seat], s.sizes[seat] = s.first[seat], FIRST_SIZE
    s.phase, s.stage = GRAND, GRAND
    ask_opening(s, 0 if s.rules.grand_tichu else NUM_SEATS)


@kernel
def deal_round(s: Any) -> None:
    """Shuffle and draw, the dealer first (RULES 3.2)."""
    clear_round(s)
    s.draws = (s.rounds + 1) * DRAWS_PER_ROUND
    pack = np.arange(NUM_CARDS)
    shuffle(s, pack)
    for k in range(NUM_CARDS):
        seat, card = seat_after(s.dealer, k), 1 << pack[k]
        s.dealt[seat] |= card
        if k < NUM_SEATS * FIRST_SIZE:
            s.first[seat] |= card
    s.deals += 1
    open_round(s)


@kernel
def start_match(s: Any) -> None:
    """Deal the first round (RULES 3.1, 10.7)."""
    s.draws, s.deals, s.rounds = 0, 0, 0
    for team in range(2):
        s.team_scores[team], s.round_points[team] = s.rules.start_scores[team], 0
    for seat in range(NUM_SEATS):
        s.scores[seat] = 0
    first = int(s.rules.first_dealer)
    s.dealer = randint(s, NUM_SEATS) if first == FIRST_DEALER_RANDOM else first - FIRST_DEALER_0
    s.actor, s.event, s.action, s.last_cards, s.last_slot = NONE, NO_EVENT, NO_MOVE, 0, NO_SLOT
    s.outcome, s.taker, s.left = NO_RESULT, NONE, 0
    deal_round(s)


@kernel
def is_double_win(s: Any) -> bool:
    """Whether the first two seats out are partners (RULES 10.1)."""
    first, second = seat_in_place(s, 1), seat_in_place(s, 2)
    return second != NONE and team_of(first) == team_of(second)


@kernel
def seat_in_place(s: Any, place: int) -> int:
    """The seat that went out in that place, or NONE."""
    for seat in range(NUM_SEATS):
        if s.place[seat] == place:
            return seat
    return NONE


@kernel
def settle(s: Any) -> None:
    """The points of the round for each team (RULES 10.2 to 10.4)."""
    points = s.round_points
    points[0], points[1] = 0, 0
    first = seat_in_place(s, 1)
    s.taker, s.left = NONE, 0
    if is_double_win(s):
        points[team_of(first)] = DOUBLE_WIN
    else:
        last = seat_in_place(s, 0)
        for seat in range(NUM_SEATS):
            points[team_of(first if seat == last else seat)] += s.points[seat]
        s.taker, s.left = last, s.hands[last]
        points[1 - team_of(last)] += points_of(int(s.left))
    for seat in range(NUM_SEATS):
        value = CALL_VALUE[s.calls[seat]]
        points[team_of(seat)] += value if seat == first else -value


@kernel
def end_round(s: Any) -> None:
    """Settle the round, and deal the next one or end the game (RULES 10)."""
    settle(s)
    s.outcome = ROUND_END
    s.rounds += 1
    for seat in range(NUM_SEATS):
        s.scores[seat] += s.round_points[team_of(seat)] - s.round_points[1 - team_of(seat)]
    for team in range(2):
        s.team_scores[team] += s.round_points[team]
    if is_over(s):
        s.phase, s.stage, s.turn, s.next_seat = ENDED, ENDED, OVER, NONE
        return
    by_turns = s.rules.next_dealer == NEXT_DEALER_ROTATE
    s.dealer = seat_after(s.dealer, 1) if by_turns else seat_in_place(s, 1)
    deal_round(s)


@kernel
def is_over(s: Any) -> bool:
    """Whether the game ends with the round just settled (RULES 10.5 to 10.7)."""
    if s.rules.episode == EPISODE_ROUND:
        return True
    best = max(s.team_scores[0], s.team_scores[1])
    if best >= s.rules.target_score and s.team_scores[0] != s.team_scores[1]:
        return True
    return s.rules.max_rounds != NO_LIMIT and s.rounds >= s.rules.max_rounds
