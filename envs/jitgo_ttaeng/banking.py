"""The banker mode (RULES section 5): the bank is offered, bet against, paid, and passes on.

Kernels over one record.
"""

from typing import Any

import numpy as np

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import HAND_SIZE, unpack_cards
from envs.jitgo_ttaeng.dealing import deal_piles, draw_seat
from envs.jitgo_ttaeng.hands import HWANG, evaluate, winners
from envs.jitgo_ttaeng.moves import BET, CONTINUE, NUM_PILES, NUM_SIZES, PASS, STAKE
from envs.jitgo_ttaeng.rules import CAP_STAKE, HUNDREDTHS
from envs.jitgo_ttaeng.showdown import clear_shown, pot
from envs.jitgo_ttaeng.state import (
    BANK_LEFT,
    BANK_WON,
    BROKE,
    CONTINUING,
    ENDED,
    NONE,
    NUM_HANDS,
    PAID,
    PUNTING,
    STAKING,
    next_seat,
)


@kernel
def room(s: Any) -> int:
    """Chips that may still be bet against the bank (RULES J32)."""
    cap = min(s.bank, s.stake) if s.rules.bank_cap == CAP_STAKE else s.bank
    return cap - pot(s)


@kernel
def most_to_bet(s: Any, seat: int) -> int:
    """The largest bet of a seat: m of RULES 5.3."""
    return min(int(s.stacks[seat]), room(s))


@kernel
def size_of(size: int, least: int, most: int) -> int:
    """Chips of a size, 0 to 3, of a stake or bet (RULES 5.3)."""
    if size == 0:
        return least
    if size == 1:
        return most // 4
    return most // 2 if size == 2 else most


@kernel
def mark_sizes(mask: Any, first: int, least: int, most: int) -> None:
    """Allow the actions `first + size` whose chips are in range and not those of a lower one."""
    for size in range(NUM_SIZES):
        chips = size_of(size, least, most)
        allowed = least <= chips <= most
        for lower in range(size):
            if size_of(lower, least, most) == chips:
                allowed = False
        mask[first + size] = allowed


@kernel
def mark_banking(s: Any, mask: Any) -> None:
    """Allow what the seat to act may do; mask: [26] int8, all 0, written in place."""
    mask[PASS] = 1
    if s.phase == STAKING:
        mark_sizes(mask, STAKE, int(s.rules.min_stake), int(s.stacks[s.turn]))
    elif s.phase == PUNTING:
        for pile in range(NUM_PILES):
            first = BET + NUM_SIZES * pile
            mark_sizes(mask, first, int(s.rules.min_bet), most_to_bet(s, int(s.turn)))
    else:
        mask[CONTINUE] = 1


@kernel
def begin_round(s: Any) -> None:
    """Forget the bets, shuffle and deal; the first cards are turned up when bets begin."""
    for seat in range(s.rules.num_players):
        s.acted[seat], s.contrib[seat], s.bet_piles[seat] = 0, 0, NONE
    deal_piles(s)


@kernel
def end_match(s: Any) -> None:
    """The bank goes home, and the match is over."""
    take_bank_home(s)
    s.turn, s.phase = OVER, ENDED


@kernel
def take_bank_home(s: Any) -> None:
    """Return the chips of the bank to its banker."""
    if s.banker != NONE:
        s.stacks[s.banker] += s.bank
    s.banker, s.bank, s.stake = NONE, 0, 0


@kernel
def offer_bank(s: Any, first: int) -> None:
    """Offer the bank to the next seat that can lay the least stake, from `first` on (RULES J37).

    When it has gone past all seats the match is over.
    """
    seat = first
    s.phase = STAKING
    while s.offered < s.rules.num_players:
        if s.stacks[seat] >= s.rules.min_stake:
            s.turn = seat
            return
        s.offered += 1
        seat = next_seat(s, seat)
    end_match(s)


@kernel
def pass_bank(s: Any, outcome: int) -> None:
    """The bank goes home and is offered to the seats after its banker (RULES 5.2)."""
    first = next_seat(s, int(s.banker))
    take_bank_home(s)
    s.outcome, s.sun, s.offered = outcome, first, 0
    able = 0
    for seat in range(s.rules.num_players):
        able += s.stacks[seat] >= s.rules.min_bet
    if able < 2:
        end_match(s)
    else:
        offer_bank(s, first)


@kernel(inline=True)
def lay_stake(s: Any, chips: int) -> None:
    """Take the bank with a stake; the first cards are turned up."""
    s.banker, s.bank, s.stake = s.turn, chips, chips
    s.stacks[s.turn] -= chips
    s.paid = chips
    open_bets(s)


@kernel
def open_bets(s: Any) -> None:
    """Let the punters bet, in seat order after the banker."""
    s.phase = PUNTING
    s.turn = find_punter(s, next_seat(s, int(s.banker)))  # there is one, or no round begins


@kernel
def find_punter(s: Any, first: int) -> int:
    """The next punter that can bet, from `first` on; NONE after the last (RULES 5.2)."""
    seat = first
    while seat != s.banker:
        if most_to_bet(s, seat) >= s.rules.min_bet:
            return seat
        seat = next_seat(s, seat)
    return NONE


@kernel(inline=True)
def punt(s: Any, action: int) -> None:
    """A bet on a pile, or none (RULES J31)."""
    seat = int(s.turn)
    s.acted[seat] = 1
    if action != PASS:
        pile = (action - BET) // NUM_SIZES
        chips = size_of((action - BET) % NUM_SIZES, int(s.rules.min_bet), most_to_bet(s, seat))
        s.stacks[seat] -= chips
        s.contrib[seat], s.bet_piles[seat], s.paid = chips, pile, chips
    s.turn = find_punter(s, next_seat(s, seat))
    if s.turn == NONE:
        end_round(s)


@kernel(inline=True)
def winning_piles(s: Any) -> int:
    """The piles that beat the banker's hand, each by itself, as a set (RULES 5.2)."""
    results = np.zeros(NUM_HANDS, np.int64)
    for k in range(NUM_HANDS):
        results[k] = evaluate(s.rules, unpack_cards(s.piles[k], 0, HAND_SIZE))
    piles = 0
    for k in range(1, NUM_HANDS):
        beaten = winners(s.rules, results, 1 | 1 << k) == 1 << k
        piles |= (results[k] != HWANG and beaten) << (k - 1)
    return piles


@kernel
def pay_bets(s: Any) -> None:
    """Pay the bets on the piles that win from the bank; the others go into it."""
    piles = winning_piles(s)
    for seat in range(s.rules.num_players):
        s.payoffs[seat] = 0
    for seat in range(s.rules.num_players):
        chips = int(s.contrib[seat])
        if chips > 0:
            if piles >> s.bet_piles[seat] & 1:
                s.stacks[seat] += 2 * chips
            else:
                chips = -chips
            s.bank -= chips
            s.payoffs[seat] = chips
            s.payoffs[s.banker] -= chips
    for seat in range(s.rules.num_players):
        s.scores[seat] += s.payoffs[seat]


@kernel
def end_round(s: Any) -> None:
    """Show the cards if anybody has bet (RULES J40), pay, and see who goes on."""
    clear_shown(s)
    if pot(s) > 0:
        for k in range(NUM_HANDS):
            s.shown_piles[k] = unpack_cards(s.piles[k], 0, HAND_SIZE)
    pay_bets(s)
    s.hand_number += 1
    s.outcome = PAID
    next_round(s)


@kernel(inline=True)
def next_round(s: Any) -> None:
    """The checks after a round, in the order of RULES 5.2, and the deal of the next one."""
    begin_round(s)
    winnings, punters = s.bank - s.stake, 0
    for seat in range(s.rules.num_players):
        punters += seat != s.banker and s.stacks[seat] >= s.rules.min_bet
    if s.hand_number == s.rules.max_rounds:
        end_match(s)
    elif s.bank < s.rules.min_bet or winnings * HUNDREDTHS >= s.rules.win_multiple * s.stake:
        pass_bank(s, BROKE if winnings < 0 else BANK_WON)
    elif punters == 0:
        end_match(s)
    elif s.rules.voluntary_pass:
        s.phase, s.turn = CONTINUING, s.banker
    else:
        open_bets(s)


@kernel
def apply_banking(s: Any, action: int) -> None:
    """Take an action of the seat to act (RULES 5.2)."""
    s.paid = 0
    if s.phase == PUNTING:
        punt(s, action)
    elif s.phase == CONTINUING:
        if action == CONTINUE:
            open_bets(s)
        else:
            pass_bank(s, BANK_LEFT)
    elif action == PASS:
        s.offered += 1
        offer_bank(s, next_seat(s, int(s.turn)))
    else:
        least, most = int(s.rules.min_stake), int(s.stacks[s.turn])
        lay_stake(s, size_of(action - STAKE, least, most))


@kernel(inline=True)
def begin_banking(s: Any) -> None:
    """Hand out the stacks, deal, and offer the bank for the first time (RULES J38)."""
    for seat in range(s.rules.num_players):
        s.stacks[seat] = s.rules.start_stack
    s.sun = draw_seat(s, int(s.rules.first_banker))
    begin_round(s)
    offer_bank(s, int(s.sun))
