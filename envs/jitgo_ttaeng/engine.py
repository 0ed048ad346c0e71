"""The kernels of Dori-jitgo-ttaeng that a `Game` is made of: one record, and beside it its batch.

The two modes are in `betting` and `banking`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.legality import only_action
from envs.jitgo_ttaeng.banking import apply_banking, begin_banking, mark_banking
from envs.jitgo_ttaeng.betting import begin_betting, bet, go_on, mark_bets
from envs.jitgo_ttaeng.hands import NO_RESULT
from envs.jitgo_ttaeng.rules import MAX_SEATS, MODE_BETTING
from envs.jitgo_ttaeng.state import BETTING, NONE, NOTHING, next_seat


@kernel(inline=True)
def deal(s: Any) -> None:
    """Start a match: options and seed are set, everything else is 0."""
    s.chance.seed = s.seed
    for seat in range(MAX_SEATS):
        s.results[seat], s.last_actions[seat], s.bet_piles[seat] = NO_RESULT, NONE, NONE
    s.banker, s.actor, s.action, s.outcome = NONE, NONE, NONE, NOTHING
    if s.rules.mode == MODE_BETTING:
        begin_betting(s)
    else:
        begin_banking(s)
    s.deals = 1


@kernel
def deal_batch(states: Any) -> None:
    """`deal` for every record."""
    for i in range(states.shape[0]):
        deal(states[i])


@kernel
def apply(s: Any, action: int) -> None:
    """Take a legal action; a negative one takes none. Changes `s` in place."""
    if action < 0 or s.turn == OVER:
        return
    s.actor, s.action, s.outcome = s.turn, action, NOTHING
    hand_number = s.hand_number
    if s.phase == BETTING:
        bet(s, action)
        go_on(s, next_seat(s, int(s.turn)))
    else:
        apply_banking(s, action)
    if s.hand_number > hand_number and s.turn != OVER:
        s.deals += 1


@kernel
def apply_batch(states: Any, actions: Any) -> None:
    """`apply` for every record; actions: [B]."""
    for i in range(states.shape[0]):
        apply(states[i], int(actions[i]))


@kernel
def legal(s: Any, mask: Any) -> None:
    """Fill the mask of the seat to act; all 0 when the match is over.

    mask: [26] int8, written in place.
    """
    mask[:] = 0
    if s.turn == OVER:
        return
    if s.phase == BETTING:
        mark_bets(s, mask)
    else:
        mark_banking(s, mask)


@kernel
def legal_batch(states: Any, masks: Any) -> None:
    """`legal` for every record; masks: [B, 26] int8."""
    for i in range(states.shape[0]):
        legal(states[i], masks[i])


@kernel
def step_batch(states: Any, actions: Any, masks: Any, skip_forced: bool) -> None:
    """`apply` and `legal` for every record, and on while there is one action only, if wanted.

    actions: [B]; masks: [B, 26] int8, written in place.
    """
    for i in range(states.shape[0]):
        action = int(actions[i])
        apply(states[i], action)
        legal(states[i], masks[i])
        while skip_forced:
            action = only_action(masks[i])
            if action < 0:
                break
            apply(states[i], action)
            legal(states[i], masks[i])


@kernel
def sides_batch(states: Any, sides: Any) -> None:
    """Every seat plays for itself; sides: [B, seats] int64."""
    sides[:] = -1


def forfeit(s: Any, seat: int) -> npt.NDArray[np.int64]:
    """Payoffs [seats] if `seat` loses the hand by foul play: all chips it has left.

    They are shared among the other seats, odd chips by those that follow it; chips already at
    stake in the hand, of all seats, go back. So foul play never pays, whatever is at stake.
    """
    seats = int(s.rules.num_players)
    chips = int(s.stacks[seat] + s.contrib[seat])
    if seat == s.banker:
        chips += int(s.bank)
    share, odd = divmod(chips, seats - 1)
    payoffs = np.full(seats, share, np.int64)
    for step in range(1, odd + 1):
        payoffs[(seat + step) % seats] += 1
    payoffs[seat] = -chips
    return payoffs
