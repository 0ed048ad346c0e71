"""Which kickers a play may take along, by arithmetic on packed counts (RULES 5.1-5.7, 11.9, 14.3).

The `hand` of these kernels holds the body, without its wild cards, and the kickers already
`chosen`; its cards of the rank `wild` (negative: there is none) are those that may be kickers.
"""

from typing import Any

import numpy as np

from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    NUM_RANKS,
    NUM_SEQUENCE,
    NUM_SUITED,
    RED_JOKER,
    count_of,
    deck_of,
    num_cards,
)
from envs.doudizhu.moves import (
    BODY,
    ID_KICK,
    ID_KICKW,
    KICKER_CARDS,
    KIND,
    LENGTH,
    NUM_KICKERS,
    PLANE_SOLO,
    RANK,
)

NUM_KEYS = NUM_RANKS + NUM_SUITED
"""Ways to take one kicker: KICK with each rank, KICKW with each suited rank."""
KICKW_KEY = ID_KICKW - ID_KICK
MOST_WILD = 4
MOST_PAIRS = 6  # of a plane_pair with four seats


@kernel
def rocket_of(rules: Any) -> int:
    """The packed rocket: all jokers of the game (RULES 10.4)."""
    return deck_of(rules.players) & JOKERS


@kernel(inline=True)
def kicker_room(rules: Any, declaration: int, hand: int, chosen: int, wild: int) -> int:
    """How many more kickers each rank can supply, packed like counts (RULES 5.1, 5.2, 5.7)."""
    body, size = BODY[declaration], KICKER_CARDS[declaration]
    half = size - 1  # cards >> half are kickers; a division would cost more than all the rest
    solo_limit, pair_limit = int(rules.kicker_solo_max_same), int(rules.kicker_pair_max_same)
    low = RANK[declaration] - 1
    high = RANK[declaration] + LENGTH[declaration]
    room = 0
    for rank in range(NUM_RANKS):
        have = count_of(hand, rank)
        if have < size or count_of(body, rank) > 0 or rank == wild:
            continue
        limit = solo_limit if size == 1 else pair_limit
        if KIND[declaration] == PLANE_SOLO and not rules.kicker_adjacent_trio:
            beside = (rank == low or rank == high) and rank < NUM_SEQUENCE
            limit = min(limit, 2) if beside else limit
        left = min(have >> half, limit) - (count_of(chosen, rank) >> half)
        room |= max(left, 0) << (4 * rank)
    if wild >= 0:  # a wild card stands for whatever rank has room (RULES 11.9)
        room |= ((count_of(hand, wild) - count_of(chosen, wild)) >> half) << (4 * wild)
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
def mixes_pairs(declaration: int, hand: int, wild: int) -> bool:
    """Whether a kicker may be a pair of a card and a wild one."""
    return KICKER_CARDS[declaration] == 2 and wild >= 0 and count_of(hand, wild) > 0


@kernel
def mixed_pairs(rules: Any, declaration: int, hand: int, wild: int) -> int:
    """How many more pairs wild cards make when they are paired with cards that are left over."""
    body, spare, odd = BODY[declaration], count_of(hand, wild), 0
    for rank in range(NUM_SUITED):
        have = count_of(hand, rank)
        if rank != wild and count_of(body, rank) == 0:
            odd += have & 1 and (have == 1 or rules.kicker_pair_max_same > 1)
    mixed = min(odd, spare)
    return mixed + (spare - mixed) // 2 - spare // 2


@kernel(inline=True)
def has_kickers(rules: Any, declaration: int, hand: int, wild: int) -> bool:
    """Whether the hand can complete the declaration, whose body it holds."""
    room = kicker_room(rules, declaration, hand, 0, wild)
    jokers = min(num_cards(room & JOKERS), joker_room(rules, declaration, 0))
    found = num_cards(room & ~JOKERS) + jokers
    if mixes_pairs(declaration, hand, wild):
        found += mixed_pairs(rules, declaration, hand, wild)
    return found >= NUM_KICKERS[declaration]


@kernel(inline=True)
def highest_rank(cards: int) -> int:
    """The highest rank among the cards; 0 if there are none."""
    for rank in range(NUM_RANKS - 1, 0, -1):
        if count_of(cards, rank) > 0:
            return rank
    return 0


@kernel(inline=True)
def mark_counted(mask: Any, first: int, counts: Any) -> None:
    """Allow `first + k` for every k with `counts[k]` above 0."""
    for k in range(counts.shape[0]):
        if counts[k] > 0:
            mask[first + k] = 1


@kernel(inline=True)
def mark_kickers(
    rules: Any, declaration: int, hand: int, chosen: int, wild: int, mask: Any
) -> None:
    """Allow the next kickers: never lower than the last, and enough left to finish (14.3, 14.4)."""
    if mixes_pairs(declaration, hand, wild):
        counts = np.zeros(NUM_KEYS, np.int64)
        count_mixed_pairs(rules, declaration, hand, chosen, wild, counts)
        mark_counted(mask, ID_KICK, counts)
        return
    room = kicker_room(rules, declaration, hand, chosen, wild)
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


@kernel
def count_kickers(
    rules: Any, declaration: int, hand: int, chosen: int, wild: int, counts: Any
) -> int:
    """In how many ways the missing kickers can be chosen; `counts[key]`: with that one next.

    counts: [28] int64, written in place: KICK with each rank, KICKW with each suited rank.
    """
    counts[:] = 0
    if mixes_pairs(declaration, hand, wild):
        count_mixed_pairs(rules, declaration, hand, chosen, wild, counts)
    else:
        count_plain_kickers(rules, declaration, hand, chosen, wild, counts)
    total = 0
    for key in range(NUM_KEYS):
        total += counts[key]
    return total


@kernel(inline=True)
def count_plain_kickers(
    rules: Any, declaration: int, hand: int, chosen: int, wild: int, counts: Any
) -> None:
    """`count_kickers` where no kicker is a pair of a card and a wild one; `counts` is all 0."""
    room = kicker_room(rules, declaration, hand, chosen, wild)
    jokers_left = joker_room(rules, declaration, chosen)
    missing = num_missing(declaration, chosen)
    ways = np.zeros(NUM_RANKS, np.int64)  # ways[j]: choices of j kickers from the ranks above
    ways[0] = 1
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


@kernel
def last_key(chosen: int, wild: int) -> int:
    """The key of the last pair chosen: twice the rank, and one more for KICKW (RULES 14.3)."""
    key, mixed = 0, 0
    for rank in range(NUM_RANKS):
        count = count_of(chosen, rank)
        if rank != wild and count > 0:
            key = 2 * rank + (count & 1)
            mixed += count & 1
    return max(key, 2 * wild) if count_of(chosen, wild) > mixed else key


@kernel
def count_mixed_pairs(
    rules: Any, declaration: int, hand: int, chosen: int, wild: int, counts: Any
) -> None:
    """`count_kickers` where kickers may be pairs of a card and a wild one; `counts` is all 0."""
    missing, spare = num_missing(declaration, chosen), count_of(hand, wild) - count_of(chosen, wild)
    key, limit = last_key(chosen, wild), 2 * int(rules.kicker_pair_max_same)
    # ways[j, u]: choices of j pairs with u wild cards from the ranks above
    ways = np.zeros((MOST_PAIRS + 1, MOST_WILD + 1), np.int64)
    ways[0, 0] = 1
    for rank in range(BLACK_JOKER - 1, key // 2 - 1, -1):
        if (rank != wild and count_of(BODY[declaration], rank) > 0) or key == 2 * rank + 1:
            continue
        have = min(count_of(hand, rank), limit) - count_of(chosen, rank)
        price = 0  # wild cards of a pair that is no mixed one
        if rank == wild:
            have, price = spare, 2
        for j in range(missing, 0, -1):
            for u in range(spare, -1, -1):
                for pairs in range(have // 2 + 1):
                    most = 1 if rank != wild and have > 2 * pairs else 0
                    for mixed in range(most, -1, -1):
                        taken, cost = pairs + mixed, pairs * price + mixed
                        if taken == 0 or taken > j or cost > u:
                            continue
                        more = ways[j - taken, u - cost]
                        ways[j, u] += more
                        if j == missing:
                            counts[rank if pairs else KICKW_KEY + rank] += more
