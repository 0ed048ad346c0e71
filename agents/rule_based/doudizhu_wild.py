"""What the rule-based player of Dou Dizhu does with its wild cards.

In a split of the hand a sequence takes one wild card at most, in place of a card that is missing.
The other wild cards are put, together, where they save most turns among the loose cards. In a play
wild cards stand only for what the hand lacks, and they are no kickers as long as others will do.
"""

from typing import Any

import numpy as np

from agents.rule_based.doudizhu_outlook import LEAST_BOMB, THICKEST
from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    NUM_RANKS,
    NUM_SUITED,
    ONES,
    count_of,
    missing,
    num_cards,
    ranks_with,
    without,
)
from envs.doudizhu.kickers import highest_rank, last_key, mixes_pairs
from envs.doudizhu.moves import (
    BODY,
    ID_DONE,
    ID_KICK,
    ID_KICKW,
    ID_SUB,
    KIND,
    LENGTH,
    RANK,
    SHORTEST,
    SOFT_BOMB,
)
from envs.doudizhu.wild import SUITED_RANKS, num_wild


@kernel
def adds_end(run: int, filled: int) -> bool:
    """Whether the wild card in a sequence only makes it longer than it could be without."""
    rank, length = lowest(ranks_with(filled, 1)) - RANK[run], LENGTH[run]
    return bool(length > SHORTEST[KIND[run]] and (rank == 0 or rank == length - 1))


@kernel
def place_wild(o: Any, cards: int, spare: int) -> float:
    """Put `spare` wild cards to the loose `cards`, which have just been charged, or let them alone.

    Returns the turns that this changes; they are placed in `placed[spare]` of `o`.
    """
    o.changes[0], o.placed[0] = 0.0, 0
    for u in range(1, spare + 1):
        o.changes[u] = np.inf
    ranks = ranks_with(cards, 1) & SUITED_RANKS | (1 << o.alone) | (1 << o.wild)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        have = count_of(cards, rank)
        charged = o.charged[rank] if have > 0 else 0.0
        for u in range(spare, 0, -1):
            for more in range(1, min(u, LEAST_BOMB - have) + 1):
                change = o.changes[u - more] + o.costs[have + more, rank] - charged
                if have + more == THICKEST and rank != o.next_rank:
                    change -= o.next_kicker
                if change < o.changes[u]:
                    o.changes[u] = change
                    o.placed[u] = o.placed[u - more] + (more << (4 * rank))
    return float(o.changes[spare])


@kernel
def lacks_of(o: Any, declaration: int) -> int:
    """The cards of a body that the hand lacks, packed: wild ones stand for them."""
    if num_wild(o.hand, o.wild) == 0:
        return 0
    return missing(without(BODY[declaration], o.wild), without(o.hand, o.wild))


@kernel
def is_sensible(o: Any, declaration: int, placed: int) -> bool:
    """Whether a play could be worth thinking about, as far as its wild cards go.

    Wild cards alone are the highest they may be; four equal cards are no soft bomb.
    """
    if placed == 0:
        return bool(KIND[declaration] != SOFT_BOMB)
    return bool(num_cards(placed) < num_cards(BODY[declaration]) or RANK[declaration] == o.alone)


@kernel
def choose_filling(o: Any, s: Any, mask: Any) -> int:
    """The next wild card of the body begun, or none: they stand for what is lacking (14.2)."""
    if mask[ID_DONE]:
        return ID_DONE
    lacking = missing(lacks_of(o, int(s.begun)), int(s.placed))
    rank = lowest(ranks_with(lacking, 1)) if lacking else 0
    while not mask[ID_SUB + rank]:  # nothing lacks, but one has to be wild
        rank += 1
    return ID_SUB + rank


@kernel
def first_rank(declaration: int, hand: int, chosen: int, wild: int) -> int:
    """The lowest rank that further kickers may have beside the `chosen` ones (RULES 14.3)."""
    if mixes_pairs(declaration, hand, wild):
        return (last_key(chosen, wild) + 1) // 2
    return int(highest_rank(chosen))


@kernel
def pick_wild_pair(
    o: Any, rules: Any, declaration: int, hand: int, chosen: int, lowest_rank: int
) -> int:
    """A kicker of a card and a wild one, where there is no other pair, or of two wild ones."""
    limit = 2 * int(rules.kicker_pair_max_same)
    for rank in range(lowest_rank, NUM_SUITED):
        if rank == o.wild or count_of(BODY[declaration], rank) > 0:
            continue
        taken = count_of(chosen, rank)
        if taken < min(count_of(hand, rank), limit) and taken % 2 == 0:
            return int((1 << (4 * rank)) + (1 << (4 * o.wild)))
    return int(2 << (4 * o.wild))


@kernel
def next_kick(kickers: int, size: int, wild: int) -> int:
    """The action that takes the first of the `kickers`: cards of `size` each (RULES 14.3)."""
    mixed = without(kickers, wild) & ONES if size == 2 else 0
    pairs = kickers - mixed
    if mixed:
        pairs -= popcount(mixed) << (4 * wild)
    pair = lowest(ranks_with(pairs, 1)) if pairs else NUM_RANKS
    single = lowest(ranks_with(mixed, 1)) if mixed else NUM_RANKS
    return ID_KICK + pair if pair <= single else ID_KICKW + single
