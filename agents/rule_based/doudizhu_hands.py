"""How a hand of Dou Dizhu is best split into groups, and which kickers go along.

Costs are in turns. A group costs one turn to lay down, somewhat more if it is low, so that it can
follow nothing, less if it may keep the lead: next to nothing if nobody can beat it. A bomb takes
the lead whenever it is wanted, and is worth turns. A hand costs what its cheapest split costs.
"""

from typing import Any

import numpy as np

from agents.rule_based.doudizhu_outlook import LONGEST_RUN, MOST_WAYS, THICKEST
from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    DECK_3,
    JOKERS,
    NUM_RANKS,
    count_of,
    ranks_with,
)
from envs.doudizhu.kickers import highest_rank, joker_room, kicker_room, num_missing
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    NO_WILD,
    PLANE,
    RANK,
    ROCKET,
    RUN_START,
    SHORTEST,
    STRAIGHT,
)
from envs.doudizhu.wild import SEQUENCE_RANKS

CONTROL = 0.95
"""Turns that a group gives back which surely keeps the lead; it still takes its own turn."""
LOW = 0.75
"""Turns that the lowest single card, pair or trio costs more than the highest."""
RUN_LOW = 0.4
"""Turns that a sequence costs more if there may be a higher one: it can hardly ever follow."""
RUN_HELD = 0.5
"""Each higher sequence that is possible lowers the chance to keep the lead by this factor."""
BOMB_COST = -2.0
"""A bomb takes the lead, and another group goes with it."""
ROCKET_COST = -1.5
"""Less than a bomb: the jokers would be good cards without it."""
BREAKING = 3.0
"""Turns that it costs, about, to break a sequence, a bomb or the rocket for a kicker."""
MOST_SPLITS = 200
"""Ways to split a hand that are looked at; few hands have more."""
BOTH_JOKERS = DECK_3 & JOKERS
NO_RUN = 0  # in place of the declaration of a sequence
RUN_BITS, LAST_RUN = 8, 255
"""Sequences are packed into a word, 8 bits each; the mask of the last one."""


@kernel
def price_ranks(o: Any) -> None:
    """Fill `costs`: what equal cards of a rank cost; pairs and trios are split if it is cheaper."""
    for k in range(1, THICKEST + 1):
        unseen = ranks_with(o.unseen, k)
        for rank in range(NUM_RANKS):
            keeps_lead = 1.0
            for seat in range(1, o.players):
                if o.is_enemy[seat] and o.sizes[seat] >= k:
                    keeps_lead *= o.lacks[seat, k, rank + 1]
            higher = popcount(unseen >> (rank + 1)) / (popcount(unseen) + 1)
            o.costs[k, rank] = 1 + LOW * higher - CONTROL * keeps_lead
    for rank in range(BLACK_JOKER):
        pair = min(o.costs[2, rank], 2 * o.costs[1, rank])
        o.costs[2, rank] = pair
        o.costs[3, rank] = min(o.costs[3, rank], pair + o.costs[1, rank])
        o.costs[4, rank] = BOMB_COST if o.may_bomb else 2 * pair


@kernel
def run_cost(o: Any, run: int) -> float:
    """What a sequence costs: less the fewer higher ones are possible."""
    higher = o.unseen_runs[BODY_CARDS[KIND[run]], LENGTH[run]] >> (RANK[run] + 1)
    if not higher:
        return 1 - CONTROL
    return 1 + RUN_LOW - CONTROL * RUN_HELD ** popcount(higher)


@kernel
def loose_cost(o: Any, cards: int, room: int) -> tuple[float, float]:
    """What cards that are in no sequence cost, and the cost of the dearest group among them.

    Trios, and planes with `room` for so many kickers, take the lowest cards along for nothing.
    """
    room += popcount(ranks_with(cards, 3) & ~ranks_with(cards, 4))
    turns, dearest = 0.0, 0.0
    if o.may_bomb and (cards & JOKERS) == BOTH_JOKERS:
        turns = ROCKET_COST
        cards -= BOTH_JOKERS
    ranks = ranks_with(cards, 1)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = count_of(cards, rank)
        cost = o.costs[count, rank]
        if room > 0 and cost > 0 and (count == 2 or (count == 1 and o.solo_kickers)):
            room -= 1
            continue
        turns += cost
        dearest = max(dearest, cost)
    return turns, dearest


@kernel
def push_ways(o: Any, top: int) -> int:
    """Replace way `top` of the stack by the ways with one more sequence; the new top.

    Sequences come in falling order of kind and length and rising order of start, so that no split
    comes twice.
    """
    cards, turns, dearest = o.way_cards[top], o.way_turns[top], o.way_dearest[top]
    runs, room = o.way_runs[top], o.way_room[top]
    last = runs & LAST_RUN
    for kind in range(STRAIGHT, (PLANE if last == NO_RUN else KIND[last]) + 1):
        same = last != NO_RUN and kind == KIND[last]
        longest = LENGTH[last] if same else LONGEST_RUN
        ranks = ranks_with(cards, BODY_CARDS[kind]) & SEQUENCE_RANKS
        starts = ranks
        for length in range(2, longest + 1):
            starts &= ranks >> (length - 1)
            if not starts:
                break
            left = starts if length >= SHORTEST[kind] else 0
            if same and length == longest:
                left = left >> RANK[last] << RANK[last]
            while left and top < MOST_WAYS:
                run = RUN_START[kind, length] + lowest(left)
                left &= left - 1
                cost = run_cost(o, run)
                o.way_cards[top], o.way_turns[top] = cards - BODY[run], turns + cost
                o.way_dearest[top] = max(dearest, cost)
                o.way_runs[top] = runs << RUN_BITS | run
                o.way_room[top] = room + (length if kind == PLANE else 0)
                top += 1
    return top


@kernel
def split_hand(o: Any, hand: int) -> None:
    """Find the cheapest split: fills `turns`, `dearest`, `loose` and `runs` of `o`."""
    o.turns = np.inf
    o.way_cards[0], o.way_turns[0], o.way_dearest[0] = hand, 0.0, 0.0
    o.way_runs[0], o.way_room[0] = NO_RUN, 0
    top, looked = 1, 0
    while top > 0 and looked < MOST_SPLITS:
        top -= 1
        looked += 1
        cost, dearest = loose_cost(o, o.way_cards[top], o.way_room[top])
        if o.way_turns[top] + cost < o.turns:
            o.turns = o.way_turns[top] + cost
            o.dearest = max(o.way_dearest[top], dearest)
            o.loose, o.runs = o.way_cards[top], o.way_runs[top]
        top = push_ways(o, top)


@kernel
def kicker_cost(o: Any, loose: int, rank: int, size: int) -> float:
    """Turns by which the hand gets dearer if `size` cards of a rank are given away as a kicker."""
    have = count_of(loose, rank)
    if have < size or have == 4 or (rank >= BLACK_JOKER and (loose & JOKERS) == BOTH_JOKERS):
        return BREAKING
    return float(o.costs[have - size, rank] - o.costs[have, rank])


@kernel
def pick_kickers(o: Any, rules: Any, declaration: int, chosen: int) -> int:
    """The kickers that a declaration needs beside the `chosen` ones, packed.

    The rest of the hand misses them least; none is lower than a chosen one (RULES 14.3).
    """
    split_hand(o, o.hand - BODY[declaration] - chosen)
    size, loose, picked = KICKER_CARDS[declaration], o.loose, 0
    for _ in range(num_missing(declaration, chosen)):
        room = kicker_room(rules, declaration, o.hand, chosen + picked, NO_WILD)
        if joker_room(rules, declaration, chosen + picked) <= 0:
            room &= ~JOKERS
        pick, cheapest = 0, np.inf
        for rank in range(highest_rank(chosen), NUM_RANKS):
            cost = kicker_cost(o, loose, rank, size)
            if count_of(room, rank) > 0 and cost < cheapest:
                pick, cheapest = rank, cost
        picked += size << (4 * pick)
        loose -= min(size, count_of(loose, pick)) << (4 * pick)
    return picked


@kernel
def is_whole_group(declaration: int, loose: int, runs: int) -> bool:
    """Whether the body of a play is one of the groups of a split."""
    kind, rank, body = KIND[declaration], RANK[declaration], BODY[declaration]
    if kind == ROCKET:
        return True
    if LONGEST[kind] == 1:
        return count_of(loose, rank) == count_of(body, rank)
    while runs != NO_RUN:
        if BODY[runs & LAST_RUN] == body:
            return True
        runs >>= RUN_BITS
    return False
