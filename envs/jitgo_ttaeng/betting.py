"""The betting mode (RULES section 4): sizes, betting rounds, hands and the match.

Kernels over one record.
"""

from typing import Any

from envs.core.bits import lowest, popcount
from envs.core.game import OVER
from envs.core.jit import kernel
from envs.jitgo_ttaeng.dealing import deal_hands, draw_seat, hand_out
from envs.jitgo_ttaeng.hands import NO_RESULT
from envs.jitgo_ttaeng.moves import ALL_IN, CHECK_CALL, FOLD, FULL, MAX, MIN
from envs.jitgo_ttaeng.rules import (
    BUST_END_MATCH,
    CAP_POT,
    RAISE_LAST,
    STRUCTURE_LIMIT,
)
from envs.jitgo_ttaeng.showdown import clear_shown, pay_pots, pot, show_down
from envs.jitgo_ttaeng.state import (
    BETTING,
    ENDED,
    FOLDED_OUT,
    NONE,
    SHOWN_DOWN,
    live_seats,
    next_seat,
    num_dealt,
)

NO_SIZE = -1
"""In place of the size of a bet that may not be made."""


@kernel
def owed(s: Any, seat: int) -> int:
    """Chips that a call costs, if the seat has them."""
    return s.current - s.round_bets[seat]


@kernel
def least_size(s: Any) -> int:
    """The least full bet or raise, in chips beyond the call (RULES J20)."""
    return s.last_raise if s.rules.min_raise == RAISE_LAST else s.rules.min_bet


@kernel(inline=True)
def most_size(s: Any, after_call: int) -> int:
    """The cap on a bet or raise (RULES J19); NO_LIMIT if there is none."""
    if s.rules.structure == STRUCTURE_LIMIT:
        return least_size(s)
    if s.rules.bet_cap == CAP_POT:
        return max(least_size(s), after_call)
    return s.rules.bet_cap


@kernel(inline=True)
def may_raise(s: Any, seat: int) -> bool:
    """Whether a seat may bet or raise: R of RULES 4.3."""
    if s.stacks[seat] <= owed(s, seat) or s.acted[seat]:
        return False
    if s.current > 0 and s.raises >= s.rules.max_raises:
        return False
    for other in range(s.rules.num_players):  # somebody could answer (RULES J23)
        can_answer = s.playing[other] and s.round_bets[other] + s.stacks[other] > s.current
        if other != seat and can_answer and not s.folded[other]:
            return True
    return False


@kernel(inline=True)
def pot_after_call(s: Any) -> int:
    """The pot once the seat to act has called (RULES 4.3)."""
    return pot(s) + owed(s, int(s.turn))


@kernel(inline=True)
def bet_size(s: Any, action: int, after_call: int) -> int:
    """Chips beyond the call of a bet or raise (RULES 4.3), whether or not it may be made.

    after_call: as `pot_after_call` gives it.
    """
    if action == MIN:
        return least_size(s)
    if action == MAX:
        return most_size(s, after_call)
    if action == ALL_IN:
        return s.stacks[s.turn] - owed(s, int(s.turn))
    return after_call >> (FULL - action)  # the pot, a half, a quarter


@kernel
def allowed_bets(s: Any) -> int:
    """The bets and raises that the seat to act may make, as a set (RULES 4.3)."""
    if not may_raise(s, int(s.turn)):
        return 0
    after_call = pot_after_call(s)
    least, most = bet_size(s, MIN, after_call), bet_size(s, MAX, after_call)
    spare = bet_size(s, ALL_IN, after_call)
    allowed, largest = 0, 0
    for action in range(MIN, ALL_IN + 1):
        size = bet_size(s, action, after_call)
        fits = least <= size <= spare or action == ALL_IN
        if fits and largest < size <= most:  # sizes that fit rise: an equal one is a lower id's
            largest = size
            allowed |= 1 << action
    return allowed


@kernel
def write_sizes(s: Any, sizes: Any) -> None:
    """The size of every bet or raise of the seat to act, in chips beyond the call.

    sizes: [8] int64, by action, written in place; NO_SIZE where it may not be made, FOLD and
    CHECK_CALL included.
    """
    allowed, after_call = allowed_bets(s), pot_after_call(s)
    for action in range(ALL_IN + 1):
        sizes[action] = bet_size(s, action, after_call) if allowed >> action & 1 else NO_SIZE


@kernel
def price(s: Any, action: int, sizes: Any) -> int:
    """Chips that an action costs the seat to act; sizes: [8] as `write_sizes` gives them."""
    seat = int(s.turn)
    if action == FOLD:
        return 0
    if action == CHECK_CALL:
        return min(owed(s, seat), int(s.stacks[seat]))
    return owed(s, seat) + sizes[action]


@kernel
def mark_bets(s: Any, mask: Any) -> None:
    """Allow what the seat to act may do; mask: [26] int8, all 0, written in place."""
    mask[FOLD] = owed(s, int(s.turn)) > 0  # RULES J16
    mask[CHECK_CALL] = 1
    allowed = allowed_bets(s)
    for action in range(MIN, ALL_IN + 1):
        mask[action] = allowed >> action & 1


@kernel
def pay_in(s: Any, seat: int, chips: int) -> None:
    """Move chips from a stack into the pot."""
    s.stacks[seat] -= chips
    s.contrib[seat] += chips


@kernel
def bet(s: Any, action: int) -> None:
    """Take an action of the seat to act (RULES 4.4)."""
    seat, size = int(s.turn), 0
    s.last_actions[seat] = action
    if action == FOLD:
        s.paid, s.folded[seat] = 0, 1
        return
    if action >= MIN:
        size = bet_size(s, action, pot_after_call(s))
    s.paid = min(owed(s, seat) + size, int(s.stacks[seat]))
    pay_in(s, seat, s.paid)
    s.round_bets[seat] += s.paid
    if size >= least_size(s):  # a short all-in is none and reopens nothing (RULES J22)
        s.raises += s.current > 0
        s.last_raise = size
        for other in range(s.rules.num_players):
            s.acted[other] = 0
    s.current = max(int(s.current), int(s.round_bets[seat]))
    s.acted[seat] = 1


@kernel
def find_actor(s: Any, first: int) -> int:
    """The seat that has to act, looking round from `first` on; NONE if the round is over."""
    live = live_seats(s)
    num_can = 0
    for seat in range(s.rules.num_players):
        num_can += (live >> seat & 1) * (s.stacks[seat] > 0)
    seat = first
    for _ in range(s.rules.num_players):
        has_to_act = owed(s, seat) > 0 or (not s.acted[seat] and num_can > 1)
        if live >> seat & 1 and s.stacks[seat] > 0 and has_to_act:
            return seat
        seat = next_seat(s, seat)
    return NONE


@kernel
def open_round(s: Any) -> None:
    """Begin a betting round: fresh bets, and the cards that come before it (RULES 4.1, 4.4)."""
    for seat in range(s.rules.num_players):
        s.round_bets[seat], s.acted[seat], s.last_actions[seat] = 0, 0, NONE
    s.current, s.raises, s.last_raise = 0, 0, s.rules.min_bet
    hand_out(s)


@kernel
def begin_hand(s: Any) -> None:
    """Deal in the seats with chips, take the antes, shuffle, and deal (RULES 4.1)."""
    for seat in range(s.rules.num_players):
        s.playing[seat], s.folded[seat] = s.stacks[seat] > 0, 0
        s.hands[seat], s.dealt[seat], s.results[seat] = 0, 0, NO_RESULT
        s.contrib[seat] = 0
        pay_in(s, seat, min(int(s.rules.ante), int(s.stacks[seat])))
    deal_hands(s)
    s.street = 0
    open_round(s)


@kernel
def settle(s: Any, outcome: int) -> int:
    """Pay the pots out and add up the scores; returns the winners of the main pot, a set."""
    for seat in range(s.rules.num_players):
        s.payoffs[seat] = 0
    main = pay_pots(s, s.payoffs)
    for seat in range(s.rules.num_players):
        s.stacks[seat] += s.payoffs[seat]
        s.payoffs[seat] -= s.contrib[seat]
        s.scores[seat] += s.payoffs[seat]
        s.contrib[seat] = 0
    s.outcome = outcome
    return main


@kernel
def pass_sun(s: Any, main: int) -> None:
    """The only winner of the main pot is the next sun; the next seat with chips if it has none.

    RULES J28; `main` are the winners, a set of seats.
    """
    if popcount(main) == 1:
        s.sun = lowest(main)
    while s.stacks[s.sun] == 0:
        s.sun = next_seat(s, int(s.sun))


@kernel(inline=True)
def is_match_over(s: Any) -> bool:
    """Whether no other hand is played (RULES J30)."""
    with_chips = 0
    for seat in range(s.rules.num_players):
        with_chips += s.stacks[seat] > 0
    bust = with_chips < s.rules.num_players and s.rules.bust == BUST_END_MATCH
    return bust or with_chips == 1 or s.hand_number == s.rules.max_hands


@kernel
def end_hand(s: Any, outcome: int) -> None:
    """Show the hands if there is a showdown, pay, and begin the next hand or end the match."""
    clear_shown(s)
    if outcome == SHOWN_DOWN:
        show_down(s)
    main = settle(s, outcome)
    s.hand_number += 1
    pass_sun(s, main)
    if is_match_over(s):
        s.turn, s.phase = OVER, ENDED
    else:
        begin_hand(s)


@kernel
def go_on(s: Any, first: int) -> None:
    """Find who acts next, from seat `first` on; end rounds and hands that are complete.

    A hand in which nobody can bet is played through (RULES 8).
    """
    seat = first
    while s.phase == BETTING:
        outcome = FOLDED_OUT
        if popcount(live_seats(s)) > 1:
            s.turn = find_actor(s, seat)
            if s.turn != NONE:
                return
            s.street += 1
            seat = int(s.sun)
            if num_dealt(s, s.street) > num_dealt(s, s.street - 1):
                open_round(s)
                continue
            outcome = SHOWN_DOWN
        end_hand(s, outcome)
        seat = int(s.sun)


@kernel(inline=True)
def begin_betting(s: Any) -> None:
    """Hand out the stacks, choose the sun, and begin the first hand (RULES J28)."""
    for seat in range(s.rules.num_players):
        s.stacks[seat] = s.rules.start_stack
    s.phase = BETTING
    s.sun = draw_seat(s, int(s.rules.first_sun))
    begin_hand(s)
    s.turn = find_actor(s, int(s.sun))  # everybody can bet
