"""The state machine of Tongits, and the kernels a `Game` is made of (RULES sections 4, 6, 7).

Kernels over one record, and beside each its loop over a batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.legality import only_action
from envs.tongits.cards import ACES, NUM_RANKS, num_cards
from envs.tongits.legal import legal, may_challenge
from envs.tongits.match import deal, finish, take_from_stock
from envs.tongits.moves import (
    CARD,
    CARDS,
    CHALLENGE,
    DISCARD,
    DRAW,
    FOLD,
    KIND,
    KNOCK,
    LAYOFF_HIGH,
    LAYOFF_SET,
    RUN,
    SET,
)
from envs.tongits.rules import BLOCK_ANY, BLOCK_NONE
from envs.tongits.scoring import knock_winner, stock_winner
from envs.tongits.state import (
    CHALLENGED,
    DRAWING,
    FOLDED,
    KNOCK_OVER,
    NONE,
    NOTHING,
    NUM_SEATS,
    PLAYING,
    RESPONDING,
    STOCK_OUT,
    TONGITS,
    next_seat,
)
from envs.tongits.values import hand_value


@kernel
def deal_batch(states: Any) -> None:
    """`deal` for every record."""
    for i in range(states.shape[0]):
        deal(states[i])


@kernel(inline=True)
def take_top(s: Any, seat: int) -> None:
    """Take the top discard into the hand, from where it is exposed at once (RULES 4.2)."""
    card = 1 << int(s.top)
    s.pile_size -= 1
    s.pile[s.pile_size] = NONE
    s.top = int(s.pile[s.pile_size - 1]) if s.pile_size > 0 else NONE
    for other in range(NUM_SEATS):
        s.discards[other] &= ~card
    s.taken |= card
    s.hands[seat] |= card
    s.sizes[seat] += 1


@kernel(inline=True)
def expose(s: Any, seat: int, action: int) -> None:
    """Lay a meld (RULES 4.4)."""
    cards = CARDS[action]
    s.hands[seat] &= ~cards
    s.sizes[seat] -= num_cards(cards)
    s.melds[seat] |= cards
    if KIND[action] == SET:
        s.sets |= cards


@kernel(inline=True)
def lay_off(s: Any, seat: int, action: int) -> None:
    """Add a card to an exposed meld; it may bar its owner's next knock (RULES 5.6, 6.3)."""
    card, kind = CARDS[action], KIND[action]
    beside = card << 1
    if kind == LAYOFF_HIGH:
        beside = card >> 1
    elif kind == LAYOFF_SET:
        beside = (ACES << CARD[action] % NUM_RANKS) & s.sets
        s.sets |= card
    s.hands[seat] &= ~card
    s.sizes[seat] -= 1
    s.laid_off[seat] |= card
    block = s.rules.knock_block
    for owner in range(NUM_SEATS):
        if s.melds[owner] & beside:
            s.melds[owner] |= card
            if block == BLOCK_ANY or (block != BLOCK_NONE and owner != seat):
                s.blocked[owner] = 1


@kernel(inline=True)
def discard(s: Any, seat: int, action: int) -> None:
    """Put a card on the pile (RULES 4.4)."""
    card = CARDS[action]
    s.hands[seat] &= ~card
    s.sizes[seat] -= 1
    s.discards[seat] |= card
    s.pile[s.pile_size] = CARD[action]
    s.pile_size += 1
    s.top = CARD[action]


@kernel(inline=True)
def is_tongits(s: Any, seat: int) -> bool:
    """Whether a seat has got rid of all its cards (RULES 7.1)."""
    hand = int(s.hands[seat])
    return hand == 0 or (s.rules.tongits_hidden_melds != 0 and hand_value(hand) == 0)


@kernel(inline=True)
def take_part(s: Any, seat: int, action: int) -> None:
    """One action of a turn: draw or take, expose, lay off, discard (RULES 4.1-4.4)."""
    kind = KIND[action]
    if s.phase == DRAWING:
        s.blocked[seat] = 0
        s.phase = PLAYING
        if kind == DRAW:
            s.drawn = take_from_stock(s, seat)
        else:
            s.took = 1
            take_top(s, seat)
    if kind == SET or kind == RUN:
        expose(s, seat, action)
    elif kind == DISCARD:
        discard(s, seat, action)
    elif kind != DRAW:
        lay_off(s, seat, action)
    if is_tongits(s, seat):
        finish(s, seat, TONGITS)
    elif kind == DISCARD:
        end_turn(s, seat)


@kernel(inline=True)
def end_turn(s: Any, seat: int) -> None:
    """Pass the turn on; without a stock the hand is over (RULES 7.4)."""
    s.turns += 1
    s.drawn = 0
    if s.stock_size == 0:
        finish(s, stock_winner(s, seat), STOCK_OUT)
    else:
        s.phase = DRAWING
        s.turn = next_seat(seat)


@kernel
def ask_from(s: Any, seat: int) -> None:
    """Let the next seat from `seat` on answer the knock, or end the hand (RULES 6.4, 6.5)."""
    while seat != s.knocker:
        if may_challenge(s, seat):
            s.turn = seat
            return
        s.answers[seat] = FOLDED
        seat = next_seat(seat)
    finish(s, knock_winner(s), KNOCK_OVER)


@kernel
def apply(s: Any, action: int) -> None:
    """Take a legal action; a negative one takes none. Changes `s` in place."""
    if action < 0 or s.turn == OVER:
        return
    seat, kind = int(s.turn), KIND[action]
    s.actor, s.action, s.took, s.outcome = seat, action, 0, NOTHING
    if kind == KNOCK:
        s.knocker, s.phase = seat, RESPONDING
        ask_from(s, next_seat(seat))
    elif kind == CHALLENGE or kind == FOLD:
        s.answers[seat] = CHALLENGED if kind == CHALLENGE else FOLDED
        ask_from(s, next_seat(seat))
    else:
        take_part(s, seat, action)


@kernel
def apply_batch(states: Any, actions: Any) -> None:
    """`apply` for every record; actions: [B]."""
    for i in range(states.shape[0]):
        apply(states[i], int(actions[i]))


@kernel
def legal_batch(states: Any, masks: Any) -> None:
    """`legal` for every record; masks: [B, 541] int8."""
    for i in range(states.shape[0]):
        legal(states[i], masks[i])


@kernel
def step_batch(states: Any, actions: Any, masks: Any, skip_forced: bool) -> None:
    """`apply` and `legal` for every record, and on while there is one action only, if wanted.

    actions: [B]; masks: [B, 541] int8, written in place.
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
    """Everybody plays for himself: there are no sides. sides: [B, seats] int64."""
    sides[:] = NONE


def forfeit(s: Any, seat: int) -> npt.NDArray[np.int64]:
    """Payoffs [seats] if `seat` loses the hand by foul play: it pays both others.

    Each gets what a bare hand wins from a lost knock, `score_base` + `score_challenge`, and
    `score_burn` if the offender has no meld. What is in the jackpot is paid back (RULES 10.5).
    """
    due = int(s.rules.score_base + s.rules.score_challenge)
    if not s.melds[seat]:
        due += int(s.rules.score_burn)
    payoffs = np.full(NUM_SEATS, due, np.int64)
    payoffs[seat] = -due * (NUM_SEATS - 1)
    return payoffs + s.pot // NUM_SEATS
