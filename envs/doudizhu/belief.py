"""What may be hidden: worlds drawn uniformly from all deals a player has to reckon with.

Uniform means: every deal of distinct cards that agrees with what the seat knows has the same
probability. Suits are never seen, so a hidden hand with counts x stands for a number of deals in
proportion to 1 / (x0! x1! …), x counting the cards of unknown origin that the seat was dealt. Known
are the own cards, every card played and by whom, the face-up card, and the bottom cards where they
were shown: the landlord still holds what he has not played of them (RULES 12.2).
"""

import math
from typing import Any

import numpy as np

from envs.core.jit import kernel
from envs.core.rng import next_word, randint, shuffle
from envs.doudizhu.cards import (
    NUM_RANKS,
    NUM_SUITED,
    bottom_size,
    count_of,
    deck_of,
    missing,
    num_cards,
)
from envs.doudizhu.rules import WILD_RANDOM
from envs.doudizhu.state import MAX_SEATS, NONE, NOTHING

MOST = 33
"""Cards a seat can hold."""
INVERSE_FACTORIAL = np.array([1 / math.factorial(k) for k in range(9)])


@kernel(inline=True)
def resample(s: Any, seed: int) -> None:
    """Complete a view of seat 0 to a world. Changes `s` in place."""
    s.seed, s.draws, s.unseen = seed, 0, 0
    s.actor, s.action, s.outcome = NONE, NONE, NOTHING
    if s.landlord != NONE:
        split_unseen(s)
        return
    deal_unseen(s)
    if s.rules.wild == WILD_RANDOM:
        s.wild = randint(s, NUM_SUITED)


@kernel
def resample_batch(views: Any, seeds: Any) -> None:
    """`resample` for every view; seeds: [B] int64."""
    for i in range(views.shape[0]):
        resample(views[i], int(seeds[i]))


@kernel
def expand(cards: int, out: Any) -> int:
    """Write the rank of every card to `out`; returns how many there are."""
    num = 0
    for rank in range(NUM_RANKS):
        for _ in range(count_of(cards, rank)):
            out[num] = rank
            num += 1
    return num


@kernel
def draw_cards(s: Any, cards: int, num: int) -> int:
    """Draw `num` of the packed cards, packed."""
    ranks, drawn = np.empty(108, np.int64), 0
    shuffle(s, ranks[: expand(cards, ranks)])
    for i in range(num):
        drawn += 1 << (4 * ranks[i])
    return drawn


@kernel(inline=True)
def known_cards(s: Any, seat: int) -> int:
    """Cards that another seat is known to have been dealt or to have taken up, packed."""
    known = 1 << (4 * s.face_up) if seat == s.face_up_seat else 0
    return known + s.bottom if seat == s.landlord else known


@kernel(inline=True)
def deal_unseen(s: Any) -> None:
    """Before a landlord is known: any unseen card may be anywhere, but for the face-up card."""
    pool = deck_of(s.rules.players) - s.hands[0]
    for seat in range(1, s.rules.players):
        s.hands[seat] = known_cards(s, seat)
        pool -= s.hands[seat]
    for seat in range(1, s.rules.players):
        dealt = draw_cards(s, pool, s.sizes[seat] - num_cards(s.hands[seat]))
        s.hands[seat] += dealt
        pool -= dealt
    s.bottom = pool


@kernel(inline=True)
def split_unseen(s: Any) -> None:
    """Landlord known: deal the cards of unknown origin to the other seats.

    What a seat has played beyond its known cards came to it for certain; the rest is drawn.
    """
    pool = deck_of(s.rules.players) - s.hands[0] - s.played[0]
    known, dealt = np.zeros(MAX_SEATS, np.int64), np.zeros(MAX_SEATS, np.int64)
    sizes = np.zeros(MAX_SEATS, np.int64)
    for seat in range(1, s.rules.players):
        known[seat] = known_cards(s, seat)
        dealt[seat] = missing(s.played[seat], known[seat])
        sizes[seat] = s.sizes[seat] + num_cards(s.played[seat]) - num_cards(known[seat])
        sizes[seat] -= num_cards(dealt[seat])
        pool -= known[seat] + dealt[seat]
    draw_split(s, pool, sizes, dealt)
    for seat in range(1, s.rules.players):
        s.hands[seat] = known[seat] + dealt[seat] - s.played[seat]
    if s.bottom == 0:  # some of the landlord's cards; the face-up card was not among them
        s.bottom = draw_cards(s, dealt[s.landlord], bottom_size(s.rules.players))


@kernel(inline=True)
def uniform(s: Any) -> float:
    """A number from 0 to 1, 1 excluded, of 53 bits."""
    high = next_word(s) >> 5
    return (high * 67108864.0 + (next_word(s) >> 6)) / 9007199254740992.0


@kernel
def weigh(dealt: Any, rank: int, x: int, y: int, z: int) -> float:
    """Weight of x, y, z more cards of a rank for seats 1, 2, 3, beside those `dealt`."""
    weight = INVERSE_FACTORIAL[count_of(dealt[1], rank) + x]
    weight *= INVERSE_FACTORIAL[count_of(dealt[2], rank) + y]
    return float(weight * INVERSE_FACTORIAL[count_of(dealt[3], rank) + z])


@kernel(inline=True)
def count_deals(pool: int, sizes: Any, dealt: Any, ways: Any) -> None:
    """Fill `ways[r, a, c]`: deals of the ranks from r on that give seat 1 a cards, seat 3 c.

    Seat 2 gets the rest. ways: [16, sizes[1] + 1, sizes[3] + 1] float64, all 0.
    """
    ways[NUM_RANKS, 0, 0] = 1.0
    left = 0
    for rank in range(NUM_RANKS - 1, -1, -1):
        num = count_of(pool, rank)
        for x in range(num + 1):
            for z in range(min(num - x, sizes[3]) + 1):
                weight = weigh(dealt, rank, x, num - x - z, z)
                for a in range(x, min(sizes[1], left + x) + 1):
                    for c in range(z, min(sizes[3], left + x + z - a) + 1):
                        ways[rank, a, c] += weight * ways[rank + 1, a - x, c - z]
        left += num


@kernel(inline=True)
def draw_split(s: Any, pool: int, sizes: Any, dealt: Any) -> None:
    """Deal the packed cards `pool` to seats 1 to 3, so many to each, uniformly over deals.

    sizes, dealt: [4] int64; `dealt` are the packed cards of unknown origin that are known to be
    theirs, to which the drawn ones are added. Exact: a table of how many deals remain, then one
    draw a rank.
    """
    ways = np.zeros((NUM_RANKS + 1, sizes[1] + 1, sizes[3] + 1))
    count_deals(pool, sizes, dealt, ways)
    a, c = sizes[1], sizes[3]
    for rank in range(NUM_RANKS):
        num = count_of(pool, rank)
        point = uniform(s) * ways[rank, a, c]
        first, last = 0, 0
        for x in range(min(num, a) + 1):
            for z in range(min(num - x, c) + 1):
                share = weigh(dealt, rank, x, num - x - z, z) * ways[rank + 1, a - x, c - z]
                if share > 0.0 and point >= 0.0:
                    first, last = x, z
                    point -= share
        a, c = a - first, c - last
        dealt[1] += first << (4 * rank)
        dealt[2] += (num - first - last) << (4 * rank)
        dealt[3] += last << (4 * rank)
