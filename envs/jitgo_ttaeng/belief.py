"""What may be hidden: worlds drawn uniformly from all deals that a seat has to reckon with.

Every deal of distinct cards that agrees with what the seat knows has the same probability. Known
are the own cards and, while bets are made against a bank, the first card of each pile; cards shown
before tell nothing, since every hand is dealt from a full deck (RULES 6, 9).
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import (
    CARD_BITS,
    HAND_SIZE,
    NUM_CARDS,
    unpack_cards,
)
from envs.jitgo_ttaeng.dealing import draw_cards, turn_up, unseen_cards
from envs.jitgo_ttaeng.hands import evaluate
from envs.jitgo_ttaeng.moves import NUM_PILES
from envs.jitgo_ttaeng.rules import MAX_SEATS, MODE_BETTING
from envs.jitgo_ttaeng.state import NONE, NOTHING, NUM_HANDS, PUNTING, num_dealt


@kernel
def complete(known: int, cards: Any, place: int) -> int:
    """A hand of five packed cards: those known, then more of `cards` from `place` on."""
    packed = 0
    for k in range(HAND_SIZE):
        card = cards[place]
        if known:
            card = lowest(known)
            known &= known - 1
        else:
            place += 1
        packed |= (card + 1) << (CARD_BITS * k)
    return packed


@kernel(inline=True)
def deal_unseen_hands(s: Any, cards: Any) -> None:
    """Deal the unseen cards to the seats that are in the hand, and the own cards to come."""
    num = unseen_cards(s.rules.deck, s.hands[0], cards)
    draw_cards(s.chance, cards[:num], num)
    place, held = 0, num_dealt(s, int(s.street))
    for seat in range(MAX_SEATS):
        if s.playing[seat]:
            s.dealt[seat] = complete(int(s.hands[seat]), cards, place)
            place += HAND_SIZE - popcount(s.hands[seat])
            if seat > 0:
                s.hands[seat] = unpack_cards(s.dealt[seat], 0, held)
            if popcount(s.hands[seat]) == HAND_SIZE:
                s.results[seat] = evaluate(s.rules, s.hands[seat])


@kernel(inline=True)
def deal_unseen_piles(s: Any, cards: Any) -> None:
    """Deal the unseen cards to the banker's hand and the piles."""
    known = 0
    for pile in range(NUM_PILES):
        known |= s.face_up[pile]
    num = unseen_cards(s.rules.deck, known, cards)
    draw_cards(s.chance, cards[:num], num)
    place = 0
    for k in range(NUM_HANDS):
        first = int(s.face_up[k - 1]) if k > 0 else 0
        s.piles[k] = complete(first, cards, place)
        place += HAND_SIZE - (first > 0)
    if s.phase != PUNTING:
        turn_up(s)


@kernel(inline=True)
def resample(s: Any, seed: int) -> None:
    """Complete a view of seat 0 to a world. Changes `s` in place."""
    s.seed, s.draws, s.chance.seed, s.chance.draws = seed, 0, seed, 0
    s.actor, s.action, s.outcome = NONE, NONE, NOTHING
    cards = np.zeros(NUM_CARDS + 1, np.int64)  # one more, to be looked at and not dealt
    if s.rules.mode == MODE_BETTING:
        deal_unseen_hands(s, cards)
    else:
        deal_unseen_piles(s, cards)


@kernel
def resample_batch(views: Any, seeds: Any) -> None:
    """`resample` for every view; seeds: [B] int64."""
    for i in range(views.shape[0]):
        resample(views[i], int(seeds[i]))
