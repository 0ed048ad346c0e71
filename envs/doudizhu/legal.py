"""Which plays a hand allows, decided by arithmetic on packed counts (RULES sections 5, 6, 14).

Kernels over one hand: the engine calls them with the acting seat's cards and the table. A
declaration is allowed if at least one choice of wild cards and kickers completes it.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest, mark
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    JOKERS,
    NUM_RANKS,
    rank_size,
    ranks_with,
)
from envs.doudizhu.kickers import NUM_KEYS, count_kickers, has_kickers, rocket_of
from envs.doudizhu.moves import (
    BODY_CARDS,
    BOMB,
    FIRST,
    FOUR_TWO_PAIR,
    FOUR_TWO_SOLO,
    ID_BOMB,
    ID_PASS,
    ID_ROCKET,
    KIND,
    LENGTH,
    LONGEST,
    NO_WILD,
    NUM_KICKERS,
    PLANE_SOLO,
    RANK,
    ROCKET,
    RUN_START,
    SHORTEST,
    SOFT_BOMB,
    SOLO,
    TRIO_SOLO,
)
from envs.doudizhu.rules import PURE_TOP
from envs.doudizhu.state import NO_MOVE
from envs.doudizhu.wild import (
    SEQUENCE_RANKS,
    SUITED_RANKS,
    count_fillings,
    mark_kind_wild,
    mark_soft_bombs,
    num_wild,
)

ALL_RANKS = (1 << NUM_RANKS) - 1


@kernel(inline=True)
def mark_bombs(rules: Any, hand: int, wild: int, table: int, mask: Any) -> None:
    """Allow the bombs and the rocket that beat the table (RULES 6.1-6.3, 10.5, 11.6)."""
    if (hand & JOKERS) == rocket_of(rules):
        mask[ID_ROCKET] = 1
    on_bomb = table != NO_MOVE and KIND[table] == BOMB
    top = 1 << wild if wild >= 0 and rules.pure_wild_bomb == PURE_TOP else 0
    for size in range(LENGTH[table] if on_bomb else 4, rank_size(rules.players) + 1):
        ranks = ranks_with(hand, size) & SUITED_RANKS
        if not ranks:
            break
        if on_bomb and size == LENGTH[table]:
            higher = ALL_RANKS << (RANK[table] + 1) | top
            ranks &= 0 if RANK[table] == wild and top else higher
        mark(mask, ID_BOMB + 13 * (size - 4), ranks)
    if wild >= 0 and not on_bomb:
        on_soft = table != NO_MOVE and KIND[table] == SOFT_BOMB
        above = ALL_RANKS << (RANK[table] + 1) if on_soft else ALL_RANKS
        mark_soft_bombs(rules, hand, wild, above, mask)


@kernel(inline=True)
def mark_complete(rules: Any, hand: int, first: int, ranks: int, mask: Any) -> None:
    """Allow the declarations `first + rank` whose kickers the hand can supply."""
    while ranks:
        declaration = first + lowest(ranks)
        ranks &= ranks - 1
        if NUM_KICKERS[declaration] == 0 or has_kickers(rules, declaration, hand, NO_WILD):
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
def mark_plays(rules: Any, hand: int, wild: int, table: int, may_bomb: bool, mask: Any) -> None:
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
            if not kind_exists(rules, kind):
                continue
            if num_wild(hand, wild) > 0:
                mark_kind_wild(rules, hand, wild, kind, length, above, mask)
            else:
                mark_kind(rules, hand, kind, length, above, mask)
    if may_bomb:
        mark_bombs(rules, hand, wild, table, mask)


@kernel(inline=True)
def count_moves(rules: Any, declaration: int, hand: int, wild: int) -> int:
    """How many plays begin with an allowed declaration."""
    if num_wild(hand, wild) > 0:
        return count_fillings(rules, declaration, hand, 0, 0, wild)
    if NUM_KICKERS[declaration] == 0:
        return 1
    return count_kickers(rules, declaration, hand, 0, wild, np.zeros(NUM_KEYS, np.int64))
