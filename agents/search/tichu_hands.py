"""What the default policy of Tichu makes of a position: quick estimates on sets of ranks.

The rule-based player in small: costs are in turns as there, but a hand is split greedily, and the
chances of what the others hold come from tables, by how many higher cards or ranks are unseen.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.tichu_calls import SPECIALS_COUNTED
from agents.rule_based.tichu_hands import (
    ABOVE,
    BOMB_COST,
    CONTROL,
    DOG_COST,
    FULL_HOUSE_COST,
    LAYER,
    LAYER_RANKS,
    LOW_COST,
    RUN_COST,
    layers_of,
    without_run,
)
from agents.rule_based.tichu_outlook import MOST_EQUAL, THICKNESS, weigh_stakes
from agents.search.runs import find_run
from envs.core.bits import lowest, popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DOG,
    DRAGON,
    DRAGON_RANK,
    MAHJONG_RANK,
    NUM_RANKS,
    ORDINARY_RANKS,
    PACK,
    PHOENIX,
    PHOENIX_RANK,
    count_of,
    flush_cards,
    points_of,
)
from envs.tichu.moves import HIGH, LOW, PER_RANK, RUN_START, RUNS, STAIRS, STRAIGHT
from envs.tichu.rounds import seat_after
from envs.tichu.state import ACROSS, NO_CALL, NUM_GIVEN, NUM_SEATS

SHARES = 32
"""A seat's share of the unseen cards is rounded down to so many parts."""
MOST_HIGHER = 64
"""Answers that are counted, and one more."""
SINGLE_ANSWER, QUAD_ANSWER = 1, MOST_EQUAL
"""What may beat a play: single cards, ranks with k cards or more, ..."""
STRAIGHT_ANSWER, STAIRS_ANSWER = MOST_EQUAL + 1, MOST_EQUAL + 2
"""... and runs, those by how many cards of each rank they have beyond MOST_EQUAL."""
MIDDLING = 3
"""Unseen cards of a rank of a run."""
NO_RUN, RUN_BITS, LAST_RUN = 0, 10, 1023
"""Runs of a split are packed into a word: their ids, 10 bits each."""
LONG_FIRST, SHORT_FIRST, STAIRS_FIRST = range(3)
"""Ways to split: long straights before stairs, the first of them short, or stairs before them."""

NOTES = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # own cards
                ("unseen", np.int64),  # cards that the others hold
                ("pool", np.int64),  # those of them that the enemies may hold
                ("pool_ranks", np.int64, (MOST_EQUAL + 1,)),  # ranks with k or more such cards
                ("flush", np.int64),  # own cards that lie in straight flushes
                ("pile", np.int64),  # points of the trick
                # by seats on from the one to act
                ("sizes", np.int64, (NUM_SEATS,)),  # number of cards
                ("calls", np.int64, (NUM_SEATS,)),
                ("places", np.int64, (NUM_SEATS,)),  # order of going out, 0 while in play
                ("stakes", np.float64, (NUM_SEATS,)),  # worth of a seat being out next
                ("shares", np.int64, (NUM_SEATS,)),  # of the unseen cards, in parts of SHARES
                ("given", np.int64, (1, NUM_GIVEN)),  # cards the seat gave away
                # the cheapest split that was found of a hand
                ("turns", np.float64),  # its cost
                ("dearest", np.float64),  # the costs of its two dearest groups
                ("second", np.float64),
                ("loose", np.int64),  # layers of the cards in no run
                ("runs", np.int64),
                ("slot", np.int64),  # rank that the phoenix is meant for, PHOENIX_RANK alone, 0
                # the loose cards that were priced last
                ("priced", np.int64),
                ("charged", np.float64, (NUM_RANKS,)),  # what those of each rank cost
                ("next_pair", np.float64),  # cost of the pair that one more triple would take along
                # the best play so far
                ("choice", np.int64),
                ("worth", np.float64),
            ],
            align=True,
        ),
    )
)
"""Thoughts on one position, made anew for each decision."""


def build_chances() -> Array:
    """Chances that a seat lacks all answers to a play: [7, SHARES + 1, MOST_HIGHER].

    By the kind of answer, the seat's share of the unseen cards, and how many answers there are.
    They are taken to be independent, a rank to have a middling number of unseen cards.
    """
    chances = np.ones((STAIRS_ANSWER + 1, SHARES + 1, MOST_HIGHER))
    for part in range(SHARES + 1):
        share = part / SHARES
        holds = [0.0, share, *(_hold_chance(each, share) for each in range(2, MOST_EQUAL + 1))]
        runs = [
            _at_least(MIDDLING, PER_RANK[kind], share) ** RUNS[kind][0]
            for kind in (STRAIGHT, STAIRS)
        ]
        for answer, chance in enumerate([*holds, *runs]):
            chances[answer, part] = (1 - chance) ** np.arange(MOST_HIGHER)
    return chances


def _hold_chance(each: int, share: float) -> float:
    """Chance to hold `each` cards of a rank of which so many or more are unseen."""
    unseen = range(each, MOST_EQUAL + 1)
    return sum(_at_least(num, each, share) for num in unseen) / len(unseen)


def _at_least(num: int, least: int, share: float) -> float:
    """Chance to hold `least` or more of `num` cards, each with chance `share`."""
    return sum(
        math.comb(num, k) * share**k * (1 - share) ** (num - k) for k in range(least, num + 1)
    )


LACKS = build_chances()


@kernel
def look(o: Any, s: Any) -> None:
    """Take in what the seat to act knows."""
    seat, played = int(s.turn), 0
    o.hand, o.pile = s.hands[seat], points_of(int(s.pile))
    for step in range(NUM_SEATS):
        other = seat_after(seat, step)
        played |= s.played[other]
        o.sizes[step], o.calls[step] = s.sizes[other], s.calls[other]
        o.places[step] = s.place[other]
    for k in range(NUM_GIVEN):
        o.given[0, k] = s.given[seat, k]
    o.unseen = PACK & ~(o.hand | played)
    o.pool = o.unseen & ~o.given[0, ACROSS]
    layers = layers_of(o.pool)
    for k in range(1, MOST_EQUAL + 1):
        o.pool_ranks[k] = layers >> (LAYER * (k - 1)) & LAYER_RANKS
    num_unseen = popcount(o.unseen)
    for step in range(1, NUM_SEATS):
        o.shares[step] = min(SHARES * o.sizes[step] // max(num_unseen, 1), SHARES)
    o.flush = flush_cards(o.hand)
    weigh_stakes(o, o.calls, o.places)


@kernel
def keeps_lead(o: Any, answer: int, num: int) -> float:
    """Chance that no enemy has one of the `num` answers to a play."""
    return float(LACKS[answer, o.shares[1], num] * LACKS[answer, o.shares[3], num])


@kernel
def num_higher(o: Any, k: int, rank: int) -> int:
    """How many answers `k` equal cards of a rank may meet: single cards, or ranks.

    The phoenix makes one more, but no bomb.
    """
    if k == SINGLE_ANSWER:
        return popcount(o.pool & ABOVE[rank])
    return popcount(o.pool_ranks[k] >> (rank + 1)) + (k < QUAD_ANSWER and o.pool & PHOENIX != 0)


@kernel
def num_higher_runs(o: Any, run: int) -> int:
    """How many higher runs of its kind and length the unseen cards allow."""
    ranks = o.pool_ranks[THICKNESS[run]]
    starts = ranks >> (LOW[run] + 1)
    for i in range(1, HIGH[run] - LOW[run] + 1):
        starts &= ranks >> (LOW[run] + 1 + i)
    return popcount(starts)


@kernel
def group_cost(o: Any, k: int, rank: int) -> float:
    """What equal cards cost as a group."""
    if k == MOST_EQUAL:
        return BOMB_COST
    higher = popcount(o.unseen & ABOVE[rank]) / (popcount(o.unseen) + 1)
    return float(1 + LOW_COST * higher - CONTROL * keeps_lead(o, k, num_higher(o, k, rank)))


@kernel
def run_cost(o: Any, run: int) -> float:
    """What a run costs: less the likelier it keeps the lead."""
    keeps = keeps_lead(o, MOST_EQUAL + THICKNESS[run], num_higher_runs(o, run))
    return 1 + RUN_COST * (1 - keeps) - CONTROL * keeps


@kernel
def find_sequence(layers: int, kind: int) -> int:
    """A run of a kind that is worth its while, or NO_RUN."""
    shift = LAYER if kind == STAIRS else 0
    ranks, thicker = layers >> shift & LAYER_RANKS, layers >> (shift + LAYER)
    shortest = 2 if kind == STAIRS else 5
    start, length = find_run(ranks, ranks & ~thicker, shortest)
    return int(RUN_START[kind, length] + start) if length else NO_RUN


@kernel
def next_run(layers: int, way: int) -> int:
    """The next run to take out of the cards, or NO_RUN."""
    first = STAIRS if way == STAIRS_FIRST else STRAIGHT
    run = find_sequence(layers, first)
    if run == NO_RUN:
        return find_sequence(layers, STAIRS + STRAIGHT - first)
    if way == SHORT_FIRST:
        run = int(RUN_START[STRAIGHT, 5] + LOW[run])
    return run


@kernel
def loose_cost(o: Any, layers: int, dearest: float, second: float) -> tuple[float, float, float]:
    """What cards that are in no run cost, and the two dearest groups of all.

    dearest, second: those of the other cards. Triples take the lowest pairs along for next to
    nothing. Fills `priced`, `charged` and `next_pair` of `o`.
    """
    ranks, twos, threes, fours = layers, layers >> LAYER, layers >> 2 * LAYER, layers >> 3 * LAYER
    room = popcount(threes & ~fours & LAYER_RANKS)
    ranks &= LAYER_RANKS
    o.priced, o.next_pair = layers, 0.0
    turns = 0.0
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = 1 + (twos >> rank & 1) + (threes >> rank & 1) + (fours >> rank & 1)
        cost = group_cost(o, count, rank)
        if count == 2 and cost > FULL_HOUSE_COST:
            if room > 0:
                room -= 1
                cost = FULL_HOUSE_COST
            elif o.next_pair == 0.0:
                o.next_pair = cost
        o.charged[rank] = cost
        turns += cost
        dearest, second = max(dearest, cost), max(min(dearest, cost), second)
    return turns, dearest, second


@kernel
def split_way(o: Any, layers: int, cost: float, dear: float, way: int) -> None:
    """Take runs out one by one, in one of the ways; keep the cheapest split on the way.

    cost, dear: of the cards that are not in the layers, and of the dearest of them.
    """
    runs, next_dear = NO_RUN, 0.0
    while True:
        turns, dearest, second = loose_cost(o, layers, dear, next_dear)
        if cost + turns < o.turns:
            o.turns, o.dearest, o.second = cost + turns, dearest, second
            o.loose, o.runs = layers, runs
        run = next_run(layers, way)
        if run == NO_RUN:
            return
        if way == SHORT_FIRST:
            way = LONG_FIRST
        more = run_cost(o, run)
        layers = without_run(layers, run)
        runs, cost = runs << RUN_BITS | run, cost + more
        dear, next_dear = max(dear, more), max(min(dear, more), next_dear)


@kernel
def split_layers(o: Any, layers: int, cost: float, dearest: float) -> None:
    """Find a cheap split of layers beside cards that cost so much; it replaces that in `o`."""
    o.turns = np.inf
    split_way(o, layers, cost, dearest, LONG_FIRST)
    straight = find_sequence(layers, STRAIGHT)
    if straight != NO_RUN:
        if HIGH[straight] - LOW[straight] >= 5:
            split_way(o, layers, cost, dearest, SHORT_FIRST)
        if find_sequence(layers, STAIRS) != NO_RUN:
            split_way(o, layers, cost, dearest, STAIRS_FIRST)
    if o.priced != o.loose:
        loose_cost(o, o.loose, 0.0, 0.0)


@kernel
def with_card(layers: int, rank: int) -> int:
    """The layers with one more card of a rank that has less than four."""
    count = popcount(layers >> rank & (1 | 1 << LAYER | 1 << 2 * LAYER))
    return layers | 1 << (LAYER * count + rank)


@kernel
def gap_ranks(layers: int) -> int:
    """Ranks where one card more would make a straight, or stairs."""
    ones, twos = layers & LAYER_RANKS, layers >> LAYER & LAYER_RANKS
    gaps = ones & ~twos & (twos << 1 | twos >> 1)
    for start in range(MAHJONG_RANK, ACE - 3):
        lacking = ~(ones >> start) & 31
        if popcount(lacking) == 1:
            gaps |= lacking << start
    return gaps & ORDINARY_RANKS


@kernel
def split_with_phoenix(o: Any, layers: int, cost: float, dearest: float) -> None:
    """`split_layers` with the phoenix besides: alone, in a run, or beside the cards it serves."""
    split_layers(o, layers, cost, dearest)
    alone = group_cost(o, 1, ACE)
    slot, best = PHOENIX_RANK, alone
    left = o.loose & ~(o.loose >> 2 * LAYER) & ORDINARY_RANKS
    while left:
        rank = lowest(left)
        left &= left - 1
        count = 2 + (o.loose >> (LAYER + rank) & 1)
        more = group_cost(o, count, rank) - o.charged[rank]
        if count == 3 and o.next_pair > 0:
            more += FULL_HOUSE_COST - o.next_pair
        if more < best:
            slot, best = rank, more
    best += o.turns
    left = gap_ranks(layers)
    while left:
        rank = lowest(left)
        left &= left - 1
        split_layers(o, with_card(layers, rank), cost, dearest)
        if o.turns < best:
            slot, best = rank, o.turns
    if slot == PHOENIX_RANK:
        split_layers(o, layers, cost + alone, max(dearest, alone))
    else:
        split_layers(o, with_card(layers, slot), cost, dearest)
    o.slot = slot


@kernel
def split(o: Any, cards: int) -> None:
    """Find a cheap split of a part of the hand; it is left in `o`."""
    turns, dearest = 0.0, 0.0
    o.slot = 0
    if cards & DRAGON:
        turns += group_cost(o, 1, DRAGON_RANK)
    if cards & DOG:
        turns, dearest = turns + DOG_COST, DOG_COST
    if o.flush and not o.flush & ~cards:
        turns += BOMB_COST
        cards &= ~o.flush
    layers = layers_of(cards)
    if cards & PHOENIX:
        split_with_phoenix(o, layers, turns, dearest)
    else:
        split_layers(o, layers, turns, dearest)


@kernel
def hand_index(o: Any, weights: Any) -> float:
    """Logarithm of the odds to be out first, as `tichu_calls` has it; weights: [11]."""
    split(o, o.hand)
    hand = int(o.hand)
    index = weights[0] + weights[1] * o.turns + weights[2] * o.dearest
    for k in range(2):
        index += weights[3 + k] * count_of(hand, ACE - k)
    for k in range(SPECIALS_COUNTED.shape[0]):
        index += weights[5 + k] * ((hand & SPECIALS_COUNTED[k]) != 0)
    index += weights[9] * (popcount(layers_of(hand) >> 3 * LAYER) + (o.flush != 0))
    for step in range(1, NUM_SEATS, 2):
        index += weights[10] * (o.calls[step] != NO_CALL)
    return float(index)
