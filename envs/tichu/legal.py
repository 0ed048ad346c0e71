"""Which combinations of a hand may be played (RULES 4, 5, 7), by arithmetic on sets of ranks.

`must` is a rank of which an ordinary card has to be in the play, or NO_WISH. Runs are found by
shifting: bit `low` of a set says that a run of the length reached begins there.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DOG,
    DRAGON,
    LOWEST,
    MAHJONG,
    MAHJONG_RANK,
    NO_WISH,
    ORDINARY,
    ORDINARY_RANKS,
    PHOENIX,
    RANK_CARDS,
    SUITS,
    flush_starts,
    gather,
    rank_counts,
    ranks_with,
    suits_of,
)
from envs.tichu.moves import (
    FLUSH,
    FULL_HOUSE,
    FULL_HOUSES,
    ID_DOG,
    ID_DRAGON,
    ID_MAHJONG,
    ID_PHOENIX,
    KIND,
    NO_MOVE,
    NUM_ACTIONS,
    PAIR,
    QUAD,
    RANK,
    RANKED,
    RUN_START,
    SINGLE,
    SIZE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
    VALUE,
)

LONGEST_STAIRS = 7
SHORTEST_STRAIGHT, LONGEST_STRAIGHT = 5, 14
LONGEST_FLUSH = 13
DRAGON_VALUE = int(VALUE[ID_DRAGON])


@kernel
def mark_ranks(kind: int, ranks: int, must: int, mask: Any) -> int:
    """Mark single-rank combinations of a kind for a set of ranks; returns how many."""
    if must != NO_WISH:
        ranks &= 1 << must
    num = 0
    while ranks:
        mask[RANKED[kind] + lowest(ranks)] = 1
        ranks &= ranks - 1
        num += 1
    return num


@kernel
def mark_runs(kind: int, length: int, lows: int, must: int, mask: Any) -> int:
    """Mark the runs of a length that begin at a set of ranks; returns how many."""
    if must != NO_WISH:  # the wished rank lies in the run
        lows &= (2 << must) - (1 << max(must - length + 1, 0))
    num = 0
    while lows:
        mask[RUN_START[kind, length] + lowest(lows)] = 1
        lows &= lows - 1
        num += 1
    return num


@kernel
def above(rank: int) -> int:
    """The set of ranks higher than `rank`."""
    return -(2 << rank)


@kernel
def mark_singles(hand: int, value: int, must: int, mask: Any) -> int:
    """Mark the single cards of more than `value` half ranks, the special ones too; 0 at a lead."""
    ranks = ranks_with(rank_counts(hand), 1)
    num = mark_ranks(SINGLE, ranks & above(value >> 1), must, mask)
    if must != NO_WISH:
        return num
    if value == 0:
        if hand & MAHJONG:
            mask[ID_MAHJONG] = 1
            num += 1
        if hand & DOG:
            mask[ID_DOG] = 1
            num += 1
    if value < DRAGON_VALUE:
        if hand & PHOENIX:
            mask[ID_PHOENIX] = 1
            num += 1
        if hand & DRAGON:
            mask[ID_DRAGON] = 1
            num += 1
    return num


@kernel
def mark_sets(kind: int, hand: int, rank: int, must: int, mask: Any) -> int:
    """Mark the pairs or triples higher than `rank`; the phoenix may be one of the cards."""
    size = 2 if kind == PAIR else 3
    least = size - 1 if hand & PHOENIX else size
    return mark_ranks(kind, ranks_with(rank_counts(hand), least) & above(rank), must, mask)


@kernel
def mark_full_houses(hand: int, rank: int, must: int, mask: Any) -> int:
    """Mark the full houses whose trio is higher than `rank`."""
    counts = rank_counts(hand)
    twos, threes = ranks_with(counts, 2), ranks_with(counts, 3)
    trios, pairs_with_phoenix = threes, twos
    if hand & PHOENIX:
        trios, pairs_with_phoenix = twos, ranks_with(counts, 1)
    trios &= above(rank)
    num = 0
    while trios:
        trio = lowest(trios)
        trios &= trios - 1
        pairs = pairs_with_phoenix if threes >> trio & 1 else twos
        pairs &= ~(1 << trio)
        if must != NO_WISH and must != trio:
            pairs &= 1 << must
        while pairs:
            mask[FULL_HOUSES[trio, lowest(pairs)]] = 1
            pairs &= pairs - 1
            num += 1
    return num


@kernel
def mark_stairs(hand: int, length: int, rank: int, must: int, mask: Any) -> int:
    """Mark the stairs of `length` pairs, of any if 0, whose highest rank is above `rank`."""
    counts = rank_counts(hand)
    twos = ranks_with(counts, 2)
    ones = ranks_with(counts, 1) if hand & PHOENIX else 0
    full, gap, num = twos, twos | ones, 0  # gap: one card is missing at most
    for n in range(2, LONGEST_STAIRS + 1):
        gap = (gap & (twos >> (n - 1))) | (full & (ones >> (n - 1)))
        full &= twos >> (n - 1)
        gap |= full
        if gap == 0:
            return num
        if n == length or length == 0:
            num += mark_runs(STAIRS, n, gap & (above(rank) >> (n - 1)), must, mask)
        if n == length:
            return num
    return num


@kernel
def mark_straights(hand: int, length: int, rank: int, must: int, mask: Any) -> int:
    """Mark the straights of `length` cards, of any if 0, whose highest rank is above `rank`."""
    held = ranks_with(rank_counts(hand), 1)
    if hand & MAHJONG:
        held |= 1 << MAHJONG_RANK
    any_rank = ORDINARY_RANKS if hand & PHOENIX else 0
    full, gap, num = held, held | any_rank, 0  # gap: one rank is missing at most
    for n in range(2, LONGEST_STRAIGHT + 1):
        gap = (gap & (held >> (n - 1))) | (full & (any_rank >> (n - 1)))
        full &= held >> (n - 1)
        gap |= full
        if gap == 0:
            return num
        if n == length or (length == 0 and n >= SHORTEST_STRAIGHT):
            lows = gap & (above(rank) >> (n - 1))
            if any_rank == 0:
                lows = without_flushes(hand, n, lows)
            num += mark_runs(STRAIGHT, n, lows, must, mask)
        if n == length:
            return num
    return num


@kernel
def without_flushes(hand: int, length: int, lows: int) -> int:
    """Of the starts of straights without phoenix, those that need not be of one suit (T-D23)."""
    if flush_starts(hand) == 0:
        return lows
    found, rest = 0, lows
    while rest:
        low = lowest(rest)
        rest &= rest - 1
        if low == MAHJONG_RANK or not is_one_suit(hand, low, low + length - 1):
            found |= 1 << low
    return found


@kernel
def is_one_suit(hand: int, low: int, high: int) -> bool:
    """Whether the hand's ordinary cards from one rank to another are all of one suit."""
    suits = suits_of(hand & span(low, high))
    return suits & (suits - 1) == 0


@kernel
def span(low: int, high: int) -> int:
    """All ordinary cards from one rank to another."""
    return (1 << (SUITS * (high + 1 - LOWEST))) - (1 << (SUITS * (low - LOWEST)))


@kernel
def flush_lows(hand: int, length: int) -> int:
    """The cards that begin a straight flush of `length` (5 to 13) cards, as a set."""
    starts = flush_starts(hand)
    for n in range(SHORTEST_STRAIGHT, length):
        starts &= (hand & ORDINARY) >> (SUITS * n)
    return starts


@kernel
def has_bomb(hand: int) -> bool:
    """Whether the hand holds any bomb."""
    return ranks_with(rank_counts(hand), 4) != 0 or flush_starts(hand) != 0


@kernel
def mark_bombs(hand: int, table: int, must: int, mask: Any) -> int:
    """Mark the bombs that beat the table (RULES 5.1, 5.2); returns how many."""
    if not has_bomb(hand):
        return 0
    kind = KIND[table] if table != NO_MOVE else SINGLE
    num = 0
    if kind != FLUSH:
        higher = above(RANK[table]) if kind == QUAD else -1
        num += mark_ranks(QUAD, ranks_with(rank_counts(hand), 4) & higher, must, mask)
    size = SIZE[table] if kind == FLUSH else SHORTEST_STRAIGHT
    starts = flush_lows(hand, size)
    for n in range(size, LONGEST_FLUSH + 1):
        lows = gather(starts | (starts >> 1) | (starts >> 2) | (starts >> 3))
        if kind == FLUSH and n == size:
            lows &= above(RANK[table]) >> (n - 1)
        num += mark_runs(FLUSH, n, lows, must, mask)
        starts &= (hand & ORDINARY) >> (SUITS * n)
    return num


@kernel
def mark_leads(hand: int, must: int, mask: Any) -> int:
    """Mark every combination of the hand."""
    num = mark_singles(hand, 0, must, mask)
    num += mark_sets(PAIR, hand, 0, must, mask)
    num += mark_sets(TRIPLE, hand, 0, must, mask)
    num += mark_full_houses(hand, 0, must, mask)
    num += mark_stairs(hand, 0, 0, must, mask)
    num += mark_straights(hand, 0, 0, must, mask)
    return num + mark_bombs(hand, NO_MOVE, must, mask)


@kernel
def mark_plays(hand: int, table: int, value: int, must: int, mask: Any) -> int:
    """Mark every combination of the hand that may be put on the table; returns how many.

    value: the table's rank in half ranks; mask: [442] int8, not cleared.
    """
    if must != NO_WISH and hand & RANK_CARDS[must] == 0:
        return 0
    if table == NO_MOVE:
        return mark_leads(hand, must, mask)
    num, kind, size = mark_bombs(hand, table, must, mask), KIND[table], SIZE[table]
    if kind == SINGLE:
        num += mark_singles(hand, value, must, mask)
    elif kind == PAIR or kind == TRIPLE:
        num += mark_sets(kind, hand, RANK[table], must, mask)
    elif kind == FULL_HOUSE:
        num += mark_full_houses(hand, RANK[table], must, mask)
    elif kind == STAIRS:
        num += mark_stairs(hand, size // 2, RANK[table], must, mask)
    elif kind == STRAIGHT:
        num += mark_straights(hand, size, RANK[table], must, mask)
    return num


@kernel
def has_bomb_beating(hand: int, table: int) -> bool:
    """Whether the hand holds a bomb that beats the table."""
    if not has_bomb(hand):
        return False
    scratch = np.zeros(NUM_ACTIONS, np.int8)
    return mark_bombs(hand, table, NO_WISH, scratch) > 0


@kernel
def is_bomb_forbidden(hand: int, table: int, value: int, wish: int) -> bool:
    """Whether the wish will forbid one of the bombs that beat the table (RULES 9.1)."""
    if wish == NO_WISH or not has_bomb_beating(hand, table):
        return False
    scratch = np.zeros(NUM_ACTIONS, np.int8)
    if mark_plays(hand, table, value, wish, scratch) == 0:
        return False
    num_serving = mark_bombs(hand, table, wish, scratch)
    return mark_bombs(hand, table, NO_WISH, scratch) > num_serving


@kernel
def smallest_bomb(table: int) -> int:
    """Cards of the smallest bomb that beats the table, whoever may hold it (RULES 9.5)."""
    if KIND[table] == QUAD:
        return 4 if RANK[table] < ACE else SHORTEST_STRAIGHT
    if KIND[table] == FLUSH:
        return SIZE[table] + (RANK[table] == ACE)
    return 4
