"""What a seat of Tongits expects: of its own hand after the draws to come, of the others' hands.

The cards to come are taken to be unseen ones at random. What the others leave loose is estimated
from the number of their cards, the time left and their last discards, by logistic regressions on
hands that the player played against itself.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.tongits_hands import (
    completing,
    loose_cards,
    points_of,
    points_without,
)
from envs.core.bits import popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.core.rng import WORD, philox
from envs.tongits.cards import DECK, NUM_CARDS, NUM_RANKS, RANK_VALUES, list_cards
from envs.tongits.moves import ID_SET, MOVES
from envs.tongits.state import DRAWING, NUM_SEATS, exposed, in_pile

FADE = np.array([15.0, 12.0])
"""Points that lower the chance to win by the factor e, if the others hold MANY cards together; by
whether a seat without a meld may challenge."""
FADE_PER_CARD = 0.25
"""Points more for each card more that the others hold."""
MANY = 20
MOST_POINTS = 140
NUM_FUTURES = 16
MORE_DRAWS, MOST_DRAWS = 1, 6
"""Cards that discards of others bring beyond the own draws; cards looked ahead to at most."""
DECLINED = 0.3
"""Chance, against others, that a seat holds a pair that would have gone with an earlier discard of
its own, or with one of ours that it left lying."""

OUTLOOK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("unseen", np.int64),  # set of the cards in the other hands and the stock
                ("draws", np.int64),  # cards to look ahead to
                ("futures", np.int64, (NUM_FUTURES,)),  # sets of so many unseen cards
                ("hope", np.float64, (MOST_POINTS + 1,)),  # what a hand is good for, by points
                ("last", np.int64, (NUM_SEATS,)),  # points of a seat's last discard in the pile
            ],
            align=True,
        ),
    )
)
"""Thoughts on one position, made anew for each decision."""


def build_pairs() -> tuple[Array, Array]:
    """The pairs that form a meld with a card, and the cards that complete each.

    Both [52, 6] sets of cards; 0 where a card has fewer pairs.
    """
    triples = [int(cards) for cards in MOVES["cards"][ID_SET:] if int(cards).bit_count() == 3]
    triples = sorted(set(triples))
    pairs, completed_by = np.zeros((2, NUM_CARDS, 6), np.int64)
    for card in range(NUM_CARDS):
        for i, triple in enumerate(t for t in triples if t >> card & 1):
            pair = triple & ~(1 << card)
            pairs[card, i] = pair
            completed_by[card, i] = sum(t & ~pair for t in triples if t & pair == pair)
    return pairs, completed_by


PAIRS, COMPLETED_BY = build_pairs()


@kernel
def fill_futures(o: Any, hand: int) -> None:
    """Deal the unseen cards to the futures, shuffled by a key made of the position."""
    cards = np.empty(NUM_CARDS, np.int64)
    num = list_cards(o.unseen, cards)
    dealt, drawn = num, 0
    for i in range(NUM_FUTURES):
        if dealt + o.draws > num:
            for k in range(num - 1, 0, -1):
                word = philox(drawn, hand ^ (hand >> 32), o.unseen ^ (o.unseen >> 32)) & WORD
                j = (word * (k + 1)) >> 32
                cards[k], cards[j] = cards[j], cards[k]
                drawn += 1
            dealt = 0
        future = 0
        for k in range(dealt, dealt + o.draws):
            future |= 1 << cards[k]
        dealt += o.draws
        o.futures[i] = future


@kernel
def draws_to_come(s: Any, most: int) -> int:
    """Cards to look ahead to, at most so many; none in the last own turn."""
    turns = s.stock_size + NUM_SEATS - 1 if s.phase == DRAWING else s.stock_size
    if turns < NUM_SEATS:
        return 0
    return min(int(turns) // NUM_SEATS + MORE_DRAWS, most)


@kernel
def look(o: Any, s: Any) -> None:
    """Take in the view `s`: the unseen cards, the draws left, what the others discard."""
    hand = int(s.hands[0])
    o.unseen = DECK & ~(hand | exposed(s) | in_pile(s))
    o.draws = draws_to_come(s, MOST_DRAWS)
    if o.draws > 0:
        fill_futures(o, hand)
    cards = s.sizes[1] + s.sizes[2]
    fade = FADE[s.rules.challenge_requires_meld] + FADE_PER_CARD * (cards - MANY)
    fade = math.exp(-1 / fade)
    o.hope[0] = 1.0
    for points in range(1, MOST_POINTS + 1):
        o.hope[points] = o.hope[points - 1] * fade
    for seat in range(NUM_SEATS):
        o.last[seat] = RANK_VALUES[NUM_RANKS - 1]
    for place in range(s.pile_size):
        card = int(s.pile[place])
        for seat in range(NUM_SEATS):
            if s.discards[seat] >> card & 1:
                o.last[seat] = RANK_VALUES[card % NUM_RANKS]


@kernel
def hope_of_draw(o: Any, hand: int, fits: int) -> float:
    """Mean hope after the next card from the stock and the best discard."""
    loose = loose_cards(hand)
    points = points_of(loose)
    dearest = points - points_without(loose, 1)
    completes, unseen = completing(hand), int(o.unseen)
    hope = 0.0
    while unseen:
        card = unseen & -unseen
        unseen ^= card
        if fits & card:
            hope += o.hope[points - dearest]
        elif completes & card:
            hope += o.hope[points_without(loose_cards(hand | card), 1)]
        else:
            each = points_of(card)
            hope += o.hope[points + each - max(each, dearest)]
    return hope / max(popcount(o.unseen), 1)


@kernel
def hope_of_futures(o: Any, hand: int, fits: int) -> tuple[float, float]:
    """Mean hope after all own draws, as many discards, and laying off; share of tongits."""
    if o.draws == 0:
        return float(o.hope[points_of(loose_cards(hand))]), 0.0
    hope, num_out = 0.0, 0
    for i in range(NUM_FUTURES):
        points = points_without(loose_cards(hand | o.futures[i]) & ~fits, o.draws)
        hope += o.hope[points]
        num_out += points == 0
    return hope / NUM_FUTURES, num_out / NUM_FUTURES


@kernel
def chance_taken(o: Any, s: Any, card: int) -> float:
    """Chance that the next seat holds two cards that form a meld with a discard."""
    num, size = popcount(o.unseen), s.sizes[1]
    if num < 2:
        return 0.0
    holds = size * (size - 1) / (num * (num - 1))
    declined, lacks = s.discards[0] | s.discards[1], 1.0
    for i in range(PAIRS.shape[1]):
        pair = PAIRS[card, i]
        if pair and pair & o.unseen == pair:
            lacks *= 1 - (holds * DECLINED if COMPLETED_BY[card, i] & declined else holds)
    return 1 - lacks
