"""Which plays a hand allows, decided by arithmetic on packed counts (RULES sections 5, 6, 14).

Kernels over one hand: the engine calls them with the acting seat's cards and the table. A
declaration is allowed if at least one choice of kickers completes it.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    NUM_RANKS,
    NUM_SEQUENCE,
    RED_JOKER,
    count_of,
    deck_of,
    num_cards,
    rank_size,
    ranks_with,
)
from envs.doudizhu.moves import (
    BODY,
    BOMB,
    FIRST,
    FOUR_TWO_PAIR,
    FOUR_TWO_SOLO,
    ID_BOMB,
    ID_KICK,
    ID_PASS,
    ID_ROCKET,
    KICKER_CARDS,
    KIND,
    LENGTH,
    NUM_KICKERS,
    NUM_KINDS,
    PER_RANK,
    PLANE_SOLO,
    RANK,
    ROCKET,
    RUN_START,
    RUNS,
    SOLO,
    TRIO_SOLO,
)
from envs.doudizhu.state import NO_MOVE

ALL_RANKS = (1 << NUM_RANKS) - 1
SEQUENCE_RANKS = (1 << NUM_SEQUENCE) - 1
SUITED_RANKS = (1 << BLACK_JOKER) - 1

BODY_CARDS = np.array([PER_RANK.get(kind, 0) for kind in range(NUM_KINDS)])
SHORTEST, LONGEST = (
    np.array([RUNS.get(kind, (1, 1))[end] for kind in range(NUM_KINDS)]) for end in (0, 1)
)


@kernel
def rocket_of(rules: Any) -> int:
    """The packed rocket: all jokers of the game (RULES 10.4)."""
    return deck_of(rules.players) & JOKERS


@kernel(inline=True)
def kicker_room(rules: Any, declaration: int, hand: int, chosen: int) -> int:
    """How many more kickers each rank can supply, packed like counts (RULES 5.1, 5.2, 5.7).

    `hand` still holds the body and the `chosen` kickers.
    """
    body, size = BODY[declaration], KICKER_CARDS[declaration]
    half = size - 1  # cards >> half are kickers; a division would cost more than all the rest
    solo_limit, pair_limit = int(rules.kicker_solo_max_same), int(rules.kicker_pair_max_same)
    low = RANK[declaration] - 1
    high = RANK[declaration] + LENGTH[declaration]
    room = 0
    for rank in range(NUM_RANKS):
        have = count_of(hand, rank)
        if have < size or count_of(body, rank) > 0:
            continue
        limit = solo_limit if size == 1 else pair_limit
        if KIND[declaration] == PLANE_SOLO and not rules.kicker_adjacent_trio:
            beside = (rank == low or rank == high) and rank < NUM_SEQUENCE
            limit = min(limit, 2) if beside else limit
        left = min(have >> half, limit) - (count_of(chosen, rank) >> half)
        room |= max(left, 0) << (4 * rank)
    return room


@kernel(inline=True)
def joker_room(rules: Any, declaration: int, chosen: int) -> int:
    """How many more kickers may be jokers before they would be the complete rocket (RULES 5.4)."""
    if rules.kicker_rocket:
        return NUM_RANKS
    jokers = num_cards(rocket_of(rules)) - num_cards(chosen & JOKERS)
    return jokers // KICKER_CARDS[declaration] - 1


@kernel(inline=True)
def num_missing(declaration: int, chosen: int) -> int:
    """Kickers still to be chosen."""
    size = KICKER_CARDS[declaration]
    return NUM_KICKERS[declaration] - num_cards(chosen) // size if size else 0


@kernel(inline=True)
def has_kickers(rules: Any, declaration: int, hand: int) -> bool:
    """Whether the hand can complete the declaration, whose body it holds."""
    room = kicker_room(rules, declaration, hand, 0)
    jokers = min(num_cards(room & JOKERS), joker_room(rules, declaration, 0))
    return num_cards(room & ~JOKERS) + jokers >= NUM_KICKERS[declaration]


@kernel(inline=True)
def highest_rank(cards: int) -> int:
    """The highest rank among the cards; 0 if there are none."""
    for rank in range(NUM_RANKS - 1, 0, -1):
        if count_of(cards, rank) > 0:
            return rank
    return 0


@kernel(inline=True)
def mark_kickers(rules: Any, declaration: int, hand: int, chosen: int, mask: Any) -> None:
    """Allow the next kickers: never lower than the last, and enough left to finish (14.3, 14.4)."""
    room = kicker_room(rules, declaration, hand, chosen)
    jokers_left = joker_room(rules, declaration, chosen)
    missing = num_missing(declaration, chosen)
    total = 0
    for rank in range(NUM_RANKS - 1, highest_rank(chosen) - 1, -1):
        here = count_of(room, rank)
        total += here
        if rank >= BLACK_JOKER:
            total = min(total, jokers_left)
            here = min(here, jokers_left)
        if here > 0 and total >= missing:
            mask[ID_KICK + rank] = 1


@kernel(inline=True)
def mark(mask: Any, first: int, ranks: int) -> None:
    """Allow `first + rank` for every rank of a bit set."""
    while ranks:
        mask[first + lowest(ranks)] = 1
        ranks &= ranks - 1


@kernel(inline=True)
def mark_bombs(rules: Any, hand: int, table: int, mask: Any) -> None:
    """Allow the bombs and the rocket that beat the table (RULES 6.1-6.3, 10.5)."""
    if (hand & JOKERS) == rocket_of(rules):
        mask[ID_ROCKET] = 1
    on_bomb = table != NO_MOVE and KIND[table] == BOMB
    for size in range(LENGTH[table] if on_bomb else 4, rank_size(rules.players) + 1):
        ranks = ranks_with(hand, size) & SUITED_RANKS
        if not ranks:
            break
        if on_bomb and size == LENGTH[table]:
            ranks &= ALL_RANKS << (RANK[table] + 1)
        mark(mask, ID_BOMB + 13 * (size - 4), ranks)


@kernel(inline=True)
def mark_complete(rules: Any, hand: int, first: int, ranks: int, mask: Any) -> None:
    """Allow the declarations `first + rank` whose kickers the hand can supply."""
    while ranks:
        declaration = first + lowest(ranks)
        ranks &= ranks - 1
        if NUM_KICKERS[declaration] == 0 or has_kickers(rules, declaration, hand):
            mask[declaration] = 1


@kernel(inline=True)
def mark_kind(rules: Any, hand: int, kind: int, length: int, above: int, mask: Any) -> None:
    """Allow the plays of a kind without bombs; `length` 0 stands for every length of sequence."""
    ranks = ranks_with(hand, BODY_CARDS[kind])
    if LONGEST[kind] == 1:
        mark_complete(rules, hand, FIRST[kind], ranks & above, mask)
        return
    ranks &= SEQUENCE_RANKS
    starts = ranks
    for n in range(2, LONGEST[kind] + 1):
        starts &= ranks >> (n - 1)
        if not starts:
            break
        if n < SHORTEST[kind] or (length and n != length):
            continue
        mark_complete(rules, hand, RUN_START[kind, n], starts & above, mask)


@kernel(inline=True)
def kind_exists(rules: Any, kind: int) -> bool:
    """Whether the variant has the kind at all (RULES 10.2)."""
    if kind == TRIO_SOLO or kind == PLANE_SOLO or kind == FOUR_TWO_SOLO:
        return rules.solo_kickers != 0
    return kind != FOUR_TWO_PAIR or rules.four_two_pair != 0


@kernel(inline=True)
def mark_plays(rules: Any, hand: int, table: int, may_bomb: bool, mask: Any) -> None:
    """Allow every declaration that may be played on `table`, or led (NO_MOVE) (RULES 6, 7)."""
    first, last, length, above = SOLO, FOUR_TWO_PAIR, 0, ALL_RANKS
    if table != NO_MOVE:
        mask[ID_PASS] = 1
        first = last = KIND[table]
        if first == ROCKET:
            return
        length = LENGTH[table]
        above = (ALL_RANKS << (RANK[table] + 1)) & ALL_RANKS
    if first <= FOUR_TWO_PAIR:
        for kind in range(first, last + 1):
            if kind_exists(rules, kind):
                mark_kind(rules, hand, kind, length, above, mask)
    if may_bomb:
        mark_bombs(rules, hand, table, mask)


@kernel(inline=True)
def count_kickers(rules: Any, declaration: int, hand: int, chosen: int, counts: Any) -> int:
    """In how many ways the missing kickers can be chosen; `counts[rank]`: with that rank next.

    counts: [15] int64, written in place.
    """
    room = kicker_room(rules, declaration, hand, chosen)
    jokers_left = joker_room(rules, declaration, chosen)
    missing = num_missing(declaration, chosen)
    ways = np.zeros(NUM_RANKS, np.int64)  # ways[j]: choices of j kickers from the ranks above
    ways[0] = 1
    counts[:] = 0
    for rank in range(NUM_RANKS - 1, highest_rank(chosen) - 1, -1):
        here = count_of(room, rank)
        for taken in range(1, min(here, missing) + 1):
            if rank == RED_JOKER:
                counts[rank] += taken == missing and taken <= jokers_left
            elif rank == BLACK_JOKER:
                red = missing - taken
                counts[rank] += red <= count_of(room, RED_JOKER) and missing <= jokers_left
            else:
                counts[rank] += ways[missing - taken]
        for j in range(missing, 0, -1):
            for taken in range(1, min(here, j) + 1):
                ways[j] += ways[j - taken]
        if rank >= BLACK_JOKER:
            for j in range(max(jokers_left, 0) + 1, missing + 1):
                ways[j] = 0
    total = 0
    for rank in range(NUM_RANKS):
        total += counts[rank]
    return total


@kernel(inline=True)
def count_moves(rules: Any, hand: int, declaration: int) -> int:
    """How many plays begin with an allowed declaration."""
    if NUM_KICKERS[declaration] == 0:
        return 1
    return count_kickers(rules, declaration, hand, 0, np.zeros(NUM_RANKS, np.int64))
