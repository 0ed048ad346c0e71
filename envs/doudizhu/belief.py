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
from envs.core.rng import next_word, shuffle
from envs.doudizhu.cards import DECK_3, NUM_RANKS, count_of, deck_of, num_cards
from envs.doudizhu.state import NONE, NOTHING

MOST = 21
"""One more than the cards a seat can hold."""
INVERSE_FACTORIAL = np.array([1 / math.factorial(k) for k in range(9)])


@kernel(inline=True)
def resample(s: Any, seed: int) -> None:
    """Complete a view of seat 0 to a world. Changes `s` in place."""
    s.seed, s.draws, s.unseen = seed, 0, 0
    s.actor, s.action, s.outcome = NONE, NONE, NOTHING
    if s.landlord == NONE:
        deal_unseen(s)
    elif s.landlord == 0:
        split_unseen(s, 1, 2)
    else:
        split_unseen(s, int(s.landlord), 3 - int(s.landlord))


@kernel
def resample_batch(views: Any, seeds: Any) -> None:
    """`resample` for every view; seeds: [B] int64."""
    for i in range(views.shape[0]):
        resample(views[i], int(seeds[i]))


@kernel(inline=True)
def shown_card(s: Any) -> int:
    """The face-up card as packed cards, if another seat was dealt it; else 0."""
    return 1 << (4 * s.face_up) if s.face_up_seat > 0 else 0


@kernel
def expand(cards: int, out: Any) -> int:
    """Write the rank of every card to `out`; returns how many there are."""
    num = 0
    for rank in range(NUM_RANKS):
        for _ in range(count_of(cards, rank)):
            out[num] = rank
            num += 1
    return num


@kernel(inline=True)
def deal_unseen(s: Any) -> None:
    """Before a landlord is known: any unseen card may be anywhere, but for the face-up card."""
    players = int(s.rules.players)
    shown = shown_card(s)
    cards = np.empty(108, np.int64)
    num = expand(deck_of(players) - s.hands[0] - shown, cards)
    shuffle(s, cards[:num])
    place = 0
    for seat in range(1, players):
        s.hands[seat] = shown if seat == s.face_up_seat else 0
        for _ in range(s.sizes[seat] - num_cards(s.hands[seat])):
            s.hands[seat] += 1 << (4 * cards[place])
            place += 1
    s.bottom = 0
    for i in range(place, num):
        s.bottom += 1 << (4 * cards[i])


@kernel(inline=True)
def split_unseen(s: Any, seat: int, other: int) -> None:
    """Three seats, landlord known: deal the cards of unknown origin to the two other seats.

    `seat` is the landlord if another seat than 0 is.
    """
    fixed_seat = shown_card(s) if s.face_up_seat == seat else 0
    fixed_other = shown_card(s) if s.face_up_seat == other else 0
    if seat == s.landlord:
        fixed_seat += s.bottom
    pool = DECK_3 - s.hands[0] - s.played[0] - fixed_seat - fixed_other
    size = s.sizes[seat] + num_cards(s.played[seat]) - num_cards(fixed_seat)
    dealt = draw_split(
        s, pool, size, missing(s.played[seat], fixed_seat), missing(s.played[other], fixed_other)
    )
    s.hands[seat] = fixed_seat + dealt - s.played[seat]
    s.hands[other] = fixed_other + pool - dealt - s.played[other]
    if s.bottom == 0:
        draw_bottom(s, dealt)


@kernel(inline=True)
def draw_bottom(s: Any, dealt: int) -> None:
    """Choose which three of the landlord's cards were the bottom; the face-up card was not."""
    cards = np.empty(MOST, np.int64)
    num = expand(dealt, cards)
    shuffle(s, cards[:num])
    for i in range(3):
        s.bottom += 1 << (4 * cards[i])


@kernel
def missing(cards: int, held: int) -> int:
    """Packed cards that `held` lacks to contain `cards`."""
    lacking = 0
    for rank in range(NUM_RANKS):
        lack = count_of(cards, rank) - count_of(held, rank)
        lacking += max(lack, 0) << (4 * rank)
    return lacking


@kernel(inline=True)
def uniform(s: Any) -> float:
    """A number from 0 to 1, 1 excluded, of 53 bits."""
    high = next_word(s) >> 5
    return (high * 67108864.0 + (next_word(s) >> 6)) / 9007199254740992.0


@kernel(inline=True)
def draw_split(s: Any, pool: int, size: int, least: int, least_other: int) -> int:
    """Deal `size` cards of `pool` to one seat and the rest to another, uniformly over deals.

    The one gets at least the packed cards `least`, the other `least_other`. Exact: a table of how
    many deals leave k cards to the ranks from r on, then one draw a rank.
    """
    ways = np.zeros((NUM_RANKS + 1, MOST + 1))
    ways[NUM_RANKS, 0] = 1.0
    for rank in range(NUM_RANKS - 1, -1, -1):
        num = count_of(pool, rank)
        for x in range(count_of(least, rank), num - count_of(least_other, rank) + 1):
            weight = INVERSE_FACTORIAL[x] * INVERSE_FACTORIAL[num - x]
            for k in range(x, size + 1):
                ways[rank, k] += weight * ways[rank + 1, k - x]
    dealt = 0
    for rank in range(NUM_RANKS):
        num = count_of(pool, rank)
        point = uniform(s) * ways[rank, size]
        chosen = 0
        for x in range(count_of(least, rank), num - count_of(least_other, rank) + 1):
            weight = INVERSE_FACTORIAL[x] * INVERSE_FACTORIAL[num - x]
            share = weight * ways[rank + 1, size - x] if x <= size else 0.0
            if share > 0.0:
                chosen = x
                point -= share
                if point < 0.0:
                    break
        dealt += chosen << (4 * rank)
        size -= chosen
    return dealt
