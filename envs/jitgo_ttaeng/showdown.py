"""Pots and who wins them (RULES 4.5). Kernels over one record."""

from typing import Any

import numpy as np

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.jitgo_ttaeng.dealing import deal_again
from envs.jitgo_ttaeng.hands import redealt, winners
from envs.jitgo_ttaeng.rules import MAX_SEATS
from envs.jitgo_ttaeng.state import NUM_HANDS, live_seats, next_seat


@kernel(inline=True)
def next_level(s: Any, live: int, low: int) -> int:
    """The smallest stake above `low` of a seat of the set `live`; `low` if there is none."""
    level = low
    for seat in range(s.rules.num_players):
        chips = int(s.contrib[seat])
        if live >> seat & 1 and chips > low and (level == low or chips < level):
            level = chips
    return level


@kernel
def split_pots(s: Any, amounts: Any, eligible: Any) -> int:
    """Split the chips of the hand into the main pot and the side pots; returns how many.

    amounts, eligible: [8] int64, written in place; `eligible` are the sets of seats that compete.
    Chips of folded seats above the last stake are in the last pot.
    """
    live, num, low, total = live_seats(s), 0, 0, 0
    level = next_level(s, live, low)
    while level > low:
        amounts[num], eligible[num] = 0, 0
        for seat in range(s.rules.num_players):
            chips = int(s.contrib[seat])
            amounts[num] += min(chips, level) - min(chips, low)
            if live >> seat & 1 and chips >= level:
                eligible[num] |= 1 << seat
        total += amounts[num]
        num, low = num + 1, level
        level = next_level(s, live, low)
    if num:
        amounts[num - 1] += pot(s) - total
    return num


@kernel
def pot(s: Any) -> int:
    """All chips of the hand."""
    total = 0
    for seat in range(s.rules.num_players):
        total += s.contrib[seat]
    return total


@kernel
def pay_pot(s: Any, amount: int, takers: int, payouts: Any) -> None:
    """Share a pot among the seats `takers`; odd chips go round from the sun (RULES J25)."""
    share = amount // popcount(takers)
    odd = amount - share * popcount(takers)
    seat = int(s.sun)
    for _ in range(s.rules.num_players):
        if takers >> seat & 1:
            payouts[seat] += share + (odd > 0)
            odd -= 1
        seat = next_seat(s, seat)


@kernel
def pay_pots(s: Any, payouts: Any) -> int:
    """Pay every pot to its winners; returns the winners of the main pot, a set of seats.

    payouts: [8] int64, all 0, written in place.
    """
    pots = np.empty((2, MAX_SEATS), np.int64)
    amounts, eligible = pots[0], pots[1]
    num, main = split_pots(s, amounts, eligible), live_seats(s)
    for k in range(num):
        takers = eligible[k]
        if takers & (takers - 1):  # one alone takes it unseen
            takers = winners(s.rules, s.results, takers)
        pay_pot(s, amounts[k], takers, payouts)
        if k == 0:
            main = takers
    return main


@kernel
def clear_shown(s: Any) -> None:
    """No hand has been shown yet."""
    s.redeals = 0
    for seat in range(s.rules.num_players):
        s.shown[seat] = 0
    for pile in range(NUM_HANDS):
        s.shown_piles[pile] = 0


@kernel
def show_down(s: Any) -> None:
    """New deals for a gusa, as far as the rules go, then all hands still in are shown."""
    while s.redeals < s.rules.max_redeals:
        players = redealt(s.rules, s.results, live_seats(s))
        if players == 0:
            break
        deal_again(s, players)
        s.redeals += 1
    live = live_seats(s)
    while live:
        seat = lowest(live)
        live &= live - 1
        s.shown[seat] = s.hands[seat]
