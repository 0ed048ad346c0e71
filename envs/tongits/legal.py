"""Which actions a position allows (RULES sections 4 to 6, 12). Kernels over one record."""

from typing import Any

import numpy as np

from envs.core.bits import lowest, mark
from envs.core.jit import kernel
from envs.tongits.cards import (
    ACES,
    KINGS,
    NUM_CARDS,
    NUM_RANKS,
    SUIT_CARDS,
    ranks_with_three,
)
from envs.tongits.moves import (
    CARDS,
    ID_CHALLENGE,
    ID_DISCARD,
    ID_DRAW,
    ID_FOLD,
    ID_KNOCK,
    ID_LAYOFF_HIGH,
    ID_LAYOFF_LOW,
    ID_LAYOFF_SET,
    ID_SET,
    RUN_ID,
    SETS_OF_RANK,
    SHORTEST_RUN,
)
from envs.tongits.rules import BLOCK_NONE
from envs.tongits.state import DRAWING, NONE, PLAYING, RESPONDING, exposed
from envs.tongits.values import run_starts

KIN = np.array(
    [(SUIT_CARDS << (card // NUM_RANKS * NUM_RANKS)) | (ACES << card % NUM_RANKS)
     for card in range(NUM_CARDS)]
)  # fmt: skip
"""The cards of the same suit or rank, by card: those that a meld with it may hold."""


@kernel
def mark_melds(cards: int, needed: int, mask: Any) -> None:
    """Allow all melds of these cards that hold the cards `needed` (RULES 5.3)."""
    ranks = ranks_with_three(cards)
    while ranks:
        first = ID_SET + SETS_OF_RANK * lowest(ranks)
        ranks &= ranks - 1
        for action in range(first, first + SETS_OF_RANK):
            meld = CARDS[action]
            if meld & ~cards == 0 and needed & ~meld == 0:
                mask[action] = 1
    starts = run_starts(cards)
    while starts:
        low = lowest(starts)
        starts &= starts - 1
        length = SHORTEST_RUN
        while length <= NUM_RANKS and cards >> (low + length - 1) & 1:
            action = RUN_ID[low, length]
            if action < 0:  # it would leave the suit
                break
            if needed & ~CARDS[action] == 0:
                mask[action] = 1
            length += 1


@kernel
def mark_layoffs(s: Any, cards: int, mask: Any) -> None:
    """Allow to lay off these cards on exposed melds (RULES 5.6)."""
    runs = exposed(s) & ~s.sets
    mark(mask, ID_LAYOFF_SET, cards & (ACES * ranks_with_three(s.sets)))
    mark(mask, ID_LAYOFF_HIGH, cards & ((runs & ~KINGS) << 1))
    mark(mask, ID_LAYOFF_LOW, cards & ((runs & ~ACES) >> 1))


@kernel(inline=True)
def may_knock(s: Any, seat: int) -> bool:
    """Whether a seat that has not drawn yet may knock (RULES 6.1)."""
    is_barred = s.rules.knock_block != BLOCK_NONE and s.blocked[seat]
    return s.melds[seat] != 0 and not is_barred


@kernel(inline=True)
def may_challenge(s: Any, seat: int) -> bool:
    """Whether a seat is asked to answer a knock (RULES 6.5)."""
    return s.melds[seat] != 0 or not s.rules.challenge_requires_meld


@kernel
def legal(s: Any, mask: Any) -> None:
    """Fill the mask of the seat to act; all 0 when the game is over.

    mask: [541] int8, written in place.
    """
    mask[:] = 0
    seat = int(s.turn)
    if s.phase == PLAYING:
        hand = int(s.hands[seat])
        mark_melds(hand, 0, mask)
        mark_layoffs(s, hand, mask)
        mark(mask, ID_DISCARD, hand)
    elif s.phase == DRAWING:
        mask[ID_DRAW] = 1
        mask[ID_KNOCK] = may_knock(s, seat)
        if s.top != NONE:
            top = 1 << int(s.top)
            mark_melds((s.hands[seat] | top) & KIN[s.top], top, mask)
            if s.rules.take_for_layoff:
                mark_layoffs(s, top, mask)
    elif s.phase == RESPONDING:
        mask[ID_CHALLENGE], mask[ID_FOLD] = 1, 1
