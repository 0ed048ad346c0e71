"""Wild cards: which bodies a hand can make, and in how many ways (RULES sections 11 and 14).

A body lacks some cards when the hand's wild cards are taken out; it can be made if there are as
many of them. On their own rank they are ordinary cards (RULES 11.8), which is just the same. So
nothing is ever tried out: legality follows from counts.

Kernels over one hand; `wild` is the rank of the wild cards, negative where there is none.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest, mark
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    NUM_RANKS,
    NUM_SEQUENCE,
    NUM_SUITED,
    count_of,
    missing,
    num_cards,
    ranks_with,
    without,
)
from envs.doudizhu.kickers import (
    MOST_WILD,
    NUM_KEYS,
    count_kickers,
    has_kickers,
    mark_counted,
)
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    BOMB,
    FIRST,
    ID_SOFT_BOMB,
    ID_SUB,
    KIND,
    LONGEST,
    NUM_KICKERS,
    PAIR,
    RUN_START,
    SHORTEST,
    SOFT_BOMB,
    SOLO,
    TRIO,
    TRIO_SOLO,
)
from envs.doudizhu.rules import ALONE_OWN_RANK

SUITED_RANKS = (1 << NUM_SUITED) - 1
SUITED_CARDS = (1 << (4 * BLACK_JOKER)) - 1  # a mask: the bits of packed counts below the jokers
SEQUENCE_RANKS = (1 << NUM_SEQUENCE) - 1
NUM_FILLINGS = NUM_SUITED + 1
"""Ways to go on with a body: SUB with each suited rank, and DONE."""


@kernel(inline=True)
def num_wild(hand: int, wild: int) -> int:
    """Number of wild cards in the hand."""
    return count_of(hand, wild) if wild >= 0 else 0


@kernel
def asks_wild(hand: int, wild: int, declaration: int) -> bool:
    """Whether wild cards could stand in the body, so that it is asked which do (RULES 14.2)."""
    if num_wild(hand, wild) == 0 or KIND[declaration] == BOMB:
        return False
    return without(BODY[declaration], wild) & SUITED_CARDS != 0


@kernel
def may_place(rules: Any, declaration: int, placed: int) -> bool:
    """Whether so many wild cards may stand for other ranks in a body (RULES 11.5, 11.6)."""
    kind = KIND[declaration]
    if (kind == SOFT_BOMB and placed == 0) or (kind == BOMB and placed > 0):
        return False
    lone = kind == SOFT_BOMB or kind == SOLO or kind == PAIR or kind == TRIO
    return not (
        lone and rules.wild_alone == ALONE_OWN_RANK and placed == num_cards(BODY[declaration])
    )


@kernel
def kicker_hand(rules: Any, declaration: int, hand: int, placed: int, wild: int) -> int:
    """The hand as far as kickers go: without the wild cards of the body, of which `placed` stand
    for other ranks.
    """
    if wild < 0:
        return hand
    own = count_of(BODY[declaration], wild)
    spare = max(count_of(hand, wild) - own - placed, 0)
    if rules.wild_alone == ALONE_OWN_RANK and KIND[declaration] == TRIO_SOLO and own + placed == 3:
        spare = 0  # or the play would be wild cards alone, one of them renamed
    return without(hand, wild) | (spare << (4 * wild))


@kernel
def fill_ways(body: int, naturals: int, placed: int, first: int, ways: Any) -> None:
    """In how many ways u more wild cards, on ranks from `first` up, complete a body: `ways[u]`.

    body: without the wild rank. ways: [5] int64, written in place.
    """
    ways[:] = 0
    ways[0] = 1
    for rank in range(NUM_SUITED):
        room = count_of(body, rank) - count_of(placed, rank)
        least = max(room - count_of(naturals, rank), 0)
        if rank < first:
            room = 0
        for u in range(MOST_WILD, -1, -1):
            total = 0
            for more in range(least, min(room, u) + 1):
                total += ways[u - more]
            ways[u] = total


@kernel
def count_fillings(
    rules: Any, declaration: int, hand: int, placed: int, first: int, wild: int
) -> int:
    """How many plays complete a declaration with more wild cards on ranks from `first` up."""
    body, done = BODY[declaration], num_cards(placed)
    ways, counts = np.zeros(MOST_WILD + 1, np.int64), np.zeros(NUM_KEYS, np.int64)
    fill_ways(without(body, wild), without(hand, wild), placed, first, ways)
    total = 0
    for u in range(num_wild(hand, wild) - count_of(body, wild) - done + 1):
        if ways[u] > 0 and may_place(rules, declaration, done + u):
            choices = 1
            if NUM_KICKERS[declaration] > 0:
                cards = kicker_hand(rules, declaration, hand, done + u, wild)
                choices = count_kickers(rules, declaration, cards, 0, wild, counts)
            total += ways[u] * choices
    return total


@kernel
def count_body(
    rules: Any, declaration: int, hand: int, placed: int, wild: int, counts: Any
) -> None:
    """How many plays go on with the next wild card on each rank, and with none.

    counts: [14] int64, written in place: SUB with each suited rank, DONE. Wild cards are placed in
    rising order of rank (RULES 14.2).
    """
    counts[:] = 0
    body = without(BODY[declaration], wild)
    for rank in range(NUM_SUITED):
        more = placed + (1 << (4 * rank))
        if count_of(body, rank) >= count_of(more, rank) and more >> (4 * (rank + 1)) == 0:
            counts[rank] = count_fillings(rules, declaration, hand, more, rank, wild)
    counts[NUM_SUITED] = count_fillings(rules, declaration, hand, placed, NUM_RANKS, wild)


@kernel
def mark_body(rules: Any, declaration: int, hand: int, placed: int, wild: int, mask: Any) -> None:
    """Allow the next wild card of a body, and to leave it at those (RULES 14.2, 14.4)."""
    counts = np.zeros(NUM_FILLINGS, np.int64)
    count_body(rules, declaration, hand, placed, wild, counts)
    mark_counted(mask, ID_SUB, counts)


@kernel(inline=True)
def mark_complete_wild(rules: Any, hand: int, wild: int, first: int, ranks: int, mask: Any) -> None:
    """Allow the declarations `first + rank` whose kickers the hand can supply."""
    naturals = without(hand, wild)
    while ranks:
        declaration = first + lowest(ranks)
        ranks &= ranks - 1
        if NUM_KICKERS[declaration] > 0:
            placed = num_cards(missing(without(BODY[declaration], wild), naturals))
            cards = kicker_hand(rules, declaration, hand, placed, wild)
            if not has_kickers(rules, declaration, cards, wild):
                continue
        mask[declaration] = 1


@kernel
def mark_kind_wild(
    rules: Any, hand: int, wild: int, kind: int, length: int, above: int, mask: Any
) -> None:
    """`mark_kind` for a hand with wild cards."""
    naturals, spare, each = without(hand, wild), num_wild(hand, wild), BODY_CARDS[kind]
    suited = SEQUENCE_RANKS if LONGEST[kind] > 1 else SUITED_RANKS
    # lacking[k]: ranks that lack at most k cards; starts[k]: lowest ranks of sequences that do
    lacking, starts = np.zeros(MOST_WILD + 1, np.int64), np.zeros(MOST_WILD + 1, np.int64)
    for k in range(spare + 1):
        lacking[k] = suited if k >= each else ranks_with(naturals, each - k) & suited
        starts[k] = lacking[k]
    if LONGEST[kind] == 1:
        ranks = lacking[spare]
        if each < 3:
            ranks |= ranks_with(naturals, each)  # jokers
        if NUM_KICKERS[FIRST[kind]] == 0 and rules.wild_alone == ALONE_OWN_RANK:
            ranks &= ranks_with(naturals, 1) | (1 << wild)
        mark_complete_wild(rules, hand, wild, FIRST[kind], ranks & above, mask)
        return
    for n in range(2, LONGEST[kind] + 1):
        for k in range(spare, -1, -1):
            found = 0
            for j in range(k + 1):
                found |= starts[k - j] & (lacking[j] >> (n - 1))
            starts[k] = found
        if not starts[spare]:
            break
        if n < SHORTEST[kind] or (length and n != length):
            continue
        mark_complete_wild(rules, hand, wild, RUN_START[kind, n], starts[spare] & above, mask)


@kernel
def mark_soft_bombs(rules: Any, hand: int, wild: int, above: int, mask: Any) -> None:
    """Allow the soft bombs of the ranks `above` (RULES 11.5, 11.6)."""
    naturals, spare = without(hand, wild), num_wild(hand, wild)
    if spare == 0:
        return
    ranks = SUITED_RANKS if spare >= 4 else ranks_with(naturals, 4 - spare) & SUITED_RANKS
    if rules.wild_alone == ALONE_OWN_RANK:
        ranks &= ranks_with(naturals, 1)
    mark(mask, ID_SOFT_BOMB, ranks & above & ~(1 << wild))
