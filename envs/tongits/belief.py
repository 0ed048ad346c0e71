"""What may be hidden: worlds drawn uniformly from all deals a player has to reckon with.

Known are the own cards and every card on the table: exposed, laid off, in the pile. All other cards
are spread over the other hands, whose sizes are known, and the stock, every way with the same
probability: what a player discards or leaves lying is his choice and excludes nothing. One thing is
excluded: where melds in the hand count as got rid of, a player who has finished a turn holds no
hand of melds alone, or the hand had ended (RULES 11.5).
"""

from typing import Any

import numpy as np

from envs.core.jit import kernel
from envs.core.rng import shuffle
from envs.tongits.cards import DECK, NUM_CARDS, list_cards
from envs.tongits.state import ENDED, NONE, NOTHING, NUM_SEATS, STOCK_SIZE, exposed, in_pile
from envs.tongits.values import hand_value

MOST_TRIES = 1000
"""Deals drawn at most, for views that no game leads to."""


@kernel(inline=True)
def deal_unseen(s: Any, cards: Any) -> None:
    """Deal the unseen cards to the other seats and the stock, in the order given."""
    place = 0
    for seat in range(1, NUM_SEATS):
        hand = 0
        for _ in range(s.sizes[seat]):
            hand |= 1 << cards[place]
            place += 1
        s.hands[seat] = hand
    for i in range(STOCK_SIZE):
        s.stock[i] = cards[place + i] if i < s.stock_size else NONE


@kernel(inline=True)
def is_possible(s: Any) -> bool:
    """Whether no other seat that has finished a turn holds a hand of melds alone."""
    if not s.rules.tongits_hidden_melds or s.phase == ENDED:
        return True
    for seat in range(1, NUM_SEATS):
        turns_before = seat - s.dealer if seat >= s.dealer else seat - s.dealer + NUM_SEATS
        if s.turns > turns_before and hand_value(int(s.hands[seat])) == 0:
            return False
    return True


@kernel(inline=True)
def resample(s: Any, seed: int) -> None:
    """Complete a view of seat 0 to a world. Changes `s` in place."""
    s.seed, s.draws = seed, 0
    s.actor, s.action, s.winner, s.outcome = NONE, NONE, NONE, NOTHING
    unseen = DECK & ~(s.hands[0] | exposed(s) | in_pile(s))
    cards = np.empty(NUM_CARDS, np.int64)
    num = list_cards(unseen, cards)
    for _ in range(MOST_TRIES):
        shuffle(s, cards[:num])
        deal_unseen(s, cards)
        if is_possible(s):
            break
    s.value = 0  # of views only, and so are the registered seats
    for seat in range(NUM_SEATS):
        s.registered[seat] = 0


@kernel
def resample_batch(views: Any, seeds: Any) -> None:
    """`resample` for every view; seeds: [B] int64."""
    for i in range(views.shape[0]):
        resample(views[i], int(seeds[i]))
