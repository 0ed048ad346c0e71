"""The further choices of a play: what the phoenix stands for, and suits (RULES 12.2, 12.3).

A card is *its own token* where its suit matters: everywhere with `suit_choice` "always", else where
it lies in a straight flush of the hand. All other cards of a rank are one class, and the lowest of
them is the token of each; which of them is played is settled when the play is complete.
"""

import math
from typing import Any

import numpy as np

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.core.rng import randint
from envs.tichu.cards import (
    LOWEST,
    MAHJONG_RANK,
    NO_WISH,
    ONES,
    PHOENIX,
    RANK_CARDS,
    SUITS,
    count_of,
    flush_cards,
    suits_of,
)
from envs.tichu.legal import flush_lows, is_one_suit, span
from envs.tichu.moves import (
    FLUSH,
    FULL_HOUSE,
    HIGH,
    ID_CARD,
    ID_NO,
    ID_RANK,
    KIND,
    LOW,
    NEEDS,
    NO_SLOT,
    PAIR,
    RANK,
    SIZE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
)
from envs.tichu.rules import PICK_RANDOM, SUITS_ALWAYS
from envs.tichu.state import FOLLOW, LEAD

WITHOUT_PHOENIX = 1
"""In a set of slots, beside the ranks: the phoenix is not played."""


def build_ways() -> np.ndarray:
    """Ways to choose k tokens from `own` cards and a class of `others`: [5, 5, 5]."""
    ways = np.zeros((SUITS + 1, SUITS + 1, SUITS + 1), np.int64)
    for own, others, k in np.ndindex(ways.shape):
        ways[own, others, k] = sum(math.comb(own, k - j) for j in range(min(others, k) + 1))
    return ways


WAYS = build_ways()


@kernel
def takes_phoenix(kind: int) -> bool:
    """Whether the phoenix may be one of several cards (RULES 4)."""
    return (
        kind == PAIR or kind == TRIPLE or kind == STAIRS or kind == FULL_HOUSE or kind == STRAIGHT
    )


@kernel
def slot_options(hand: int, begun: int, must: int) -> int:
    """What the phoenix may stand for in a combination: a set of ranks, and WITHOUT_PHOENIX.

    must: the rank of which an ordinary card has to be in the play, or NO_WISH.
    """
    kind, low, high = KIND[begun], LOW[begun], HIGH[begun]
    if hand & PHOENIX == 0 or not takes_phoenix(kind):
        return WITHOUT_PHOENIX
    options = 0
    for rank in range(low, high + 1):
        if NEEDS[begun, rank] > count_of(hand, rank):
            return 1 << rank
        if NEEDS[begun, rank] and rank != MAHJONG_RANK:
            options |= 1 << rank
    if kind != STRAIGHT:
        return options | WITHOUT_PHOENIX
    if must != NO_WISH:
        options &= ~(1 << must)
    if low == MAHJONG_RANK or not is_one_suit(hand, low, high):
        options |= WITHOUT_PHOENIX
    return options


@kernel
def bound_rank(s: Any) -> int:
    """The rank that the wish makes the play being chosen contain, or NO_WISH (RULES 7)."""
    wish = int(s.wish)
    if wish == NO_WISH or (s.phase != LEAD and s.phase != FOLLOW):
        return NO_WISH
    return wish if s.hands[s.turn] & RANK_CARDS[wish] else NO_WISH


@kernel
def own_tokens(s: Any) -> int:
    """The cards of the acting hand that are their own tokens."""
    hand = int(s.hands[s.turn])
    return hand if s.rules.suit_choice == SUITS_ALWAYS else flush_cards(hand)


@kernel
def highest(cards: int) -> int:
    """The highest card of a set of cards of one rank, as a set; 0 of none."""
    filled = cards | (cards >> 1)
    filled |= filled >> 2
    return cards & ~(filled >> 1)


@kernel
def needed(s: Any, rank: int) -> int:
    """How many cards of a rank the combination begun takes from the hand."""
    return NEEDS[s.begun, rank] - (rank == s.slot)


@kernel
def must_mix(s: Any) -> bool:
    """Whether the play begun is a straight that must not be of one suit (RULES T-D23)."""
    return KIND[s.begun] == STRAIGHT and s.slot == NO_SLOT and LOW[s.begun] != MAHJONG_RANK


@kernel
def spoils(s: Any, rank: int, token: int) -> bool:
    """Whether a straight would be of one suit whatever follows after `token`."""
    above = int(s.hands[s.turn]) & span(rank + 1, HIGH[s.begun])
    suits = suits_of(int(s.chosen) | token | above)
    return suits & (suits - 1) == 0


@kernel
def tokens_left(s: Any, rank: int, own: int) -> tuple[int, int, int]:
    """What may still be chosen at a rank: cards that are their own tokens, the token of the others
    or 0, and how many of the others are left. Tokens of a rank are chosen in rising order.
    """
    held = int(s.hands[s.turn]) & RANK_CARDS[rank]
    picked = int(s.chosen) & held
    others = held & ~own
    token = others & -others
    last = picked & own
    if picked & others:
        last |= token
    last = highest(last)
    num = popcount(others & ~picked)
    if num == 0 or token < last:
        token, num = 0, 0
    above = -2 * last if last else -1
    return held & own & ~picked & above, token, num


@kernel
def suit_tokens(s: Any, rank: int) -> int:
    """The cards that may be chosen next at `rank`, which needs more, as a set (RULES 12.2)."""
    own, token, num = tokens_left(s, rank, own_tokens(s))
    if KIND[s.begun] == FLUSH:
        return flush_lows(int(s.hands[s.turn]), SIZE[s.begun]) & RANK_CARDS[rank]
    short = needed(s, rank) - count_of(int(s.chosen), rank)
    found, rest = 0, own | token
    while rest:
        card = rest & -rest
        rest ^= card
        reach = popcount(own & -card) + (num if token >= card else 0)
        if reach >= short and not (card != token and must_mix(s) and spoils(s, rank, card)):
            found |= card
    return found


@kernel
def add_token(s: Any, rank: int, token: int) -> None:
    """Choose a card, the lowest of its class, or with it a whole straight flush."""
    hand = int(s.hands[s.turn])
    if KIND[s.begun] == FLUSH:
        suit = ONES << (lowest(token) & (SUITS - 1))
        s.chosen = hand & suit & span(LOW[s.begun], HIGH[s.begun])
    elif token & own_tokens(s):
        s.chosen |= token
    else:
        others = hand & RANK_CARDS[rank] & ~own_tokens(s) & ~int(s.chosen)
        s.chosen |= others & -others


@kernel
def open_rank(s: Any) -> int:
    """The lowest rank of the combination begun that needs more cards, or -1."""
    for rank in range(LOW[s.begun], HIGH[s.begun] + 1):
        if count_of(int(s.chosen), rank) < needed(s, rank):
            return rank
    return -1


@kernel
def settle_choices(s: Any) -> bool:
    """Make the choices that have one answer; returns whether the play is complete."""
    if not s.slotted:
        options = slot_options(int(s.hands[s.turn]), int(s.begun), bound_rank(s))
        if options & (options - 1):
            return False
        s.slotted, s.slot = 1, lowest(options)
    rank = open_rank(s)
    while rank >= 0:
        tokens = suit_tokens(s, rank)
        if tokens & (tokens - 1):
            return False
        add_token(s, rank, tokens)
        rank = open_rank(s)
    return True


@kernel
def choose(s: Any, action: int) -> None:
    """Take one of the choices that are asked."""
    if action >= ID_CARD:
        card = action - ID_CARD
        rank = card // SUITS + LOWEST
        add_token(s, rank, 1 << card)
    else:
        s.slotted, s.slot = 1, (NO_SLOT if action == ID_NO else RANK[action])


@kernel
def draw_cards(s: Any) -> int:
    """The cards of the complete play: of each class any, by chance (RULES T-D35)."""
    hand, cards = int(s.hands[s.turn]), int(s.chosen)
    if s.slot != NO_SLOT:
        cards |= PHOENIX
    if s.rules.suit_pick != PICK_RANDOM or s.rules.suit_choice == SUITS_ALWAYS:
        return cards
    own = own_tokens(s)
    for rank in range(max(LOW[s.begun], LOWEST), HIGH[s.begun] + 1):
        others = hand & RANK_CARDS[rank] & ~own
        num = popcount(cards & others)
        if num == 0 or num == popcount(others):
            continue
        cards &= ~others
        for _ in range(num):
            rest = others
            for _ in range(randint(s, popcount(others))):
                rest &= rest - 1
            cards |= rest & -rest
            others &= ~(rest & -rest)
    return cards


@kernel
def mark_choices(s: Any, mask: Any) -> None:
    """Mark the answers to the next choice of the play begun."""
    if not s.slotted:
        options = slot_options(int(s.hands[s.turn]), int(s.begun), bound_rank(s))
        if options & WITHOUT_PHOENIX:
            mask[ID_NO] = 1
        for rank in range(LOWEST, HIGH[s.begun] + 1):
            if options >> rank & 1:
                mask[ID_RANK + rank - LOWEST] = 1
        return
    tokens = suit_tokens(s, open_rank(s))
    while tokens:
        mask[ID_CARD + lowest(tokens)] = 1
        tokens &= tokens - 1
