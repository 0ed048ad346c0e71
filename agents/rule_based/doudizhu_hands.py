"""How a hand of Dou Dizhu is best split into groups, and which kickers go along.

Costs are in turns. A group costs one turn to lay down, somewhat more if it is low, so that it can
follow nothing, less if it may keep the lead: next to nothing if nobody can beat it. A bomb takes
the lead whenever it is wanted, and is worth turns. A hand costs what its cheapest split costs;
wild cards go where they save most (`doudizhu_wild`).
"""

from typing import Any

import numpy as np

from agents.rule_based.doudizhu_outlook import (
    LEAST_BOMB,
    LONGEST_RUN,
    MOST_WAYS,
    THICKEST,
    usable_ranks,
)
from agents.rule_based.doudizhu_wild import (
    adds_end,
    first_rank,
    pick_wild_pair,
    place_wild,
)
from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    NUM_RANKS,
    count_of,
    missing,
    num_cards,
    ranks_with,
    without,
)
from envs.doudizhu.kickers import joker_room, kicker_room, num_missing
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    PLANE,
    RANK,
    ROCKET,
    RUN_START,
    SHORTEST,
    STRAIGHT,
    body_cards,
)
from envs.doudizhu.state import NONE
from envs.doudizhu.wild import kicker_hand, num_wild

CONTROL = 0.95
"""Turns that a group gives back which surely keeps the lead; it still takes its own turn."""
LOW = 0.75
"""Turns that the lowest single card, pair or trio costs more than the highest."""
RUN_LOW = 0.4
"""Turns that a sequence costs more if there may be a higher one: it can hardly ever follow."""
RUN_HELD = 0.5
"""Each higher sequence that is possible lowers the chance to keep the lead by this factor."""
BOMB_COST = np.array([-2.0, -2.0, -1.0])
"""A bomb takes the lead, and another group goes with it; less where soft bombs are common."""
BOMB_BEATEN = np.array([0.0, 1.5, 0.0])
"""Turns that a bomb costs more if it is surely beaten; with one pack there is hardly another."""
ROCKET_COST = -1.5
"""Less than a bomb: the jokers would be good cards without it."""
BREAKING = 3.0
"""Turns that it costs, about, to break a sequence, a bomb or the rocket for a kicker."""
MOST_SPLITS = 200
"""Ways to split a hand that are looked at; few hands have more."""
NO_RUN = 0  # in place of the declaration of a sequence
RUN_BITS, LAST_RUN = 8, 255
"""Sequences are packed into a word, 8 bits each; the mask of the last one."""


@kernel
def bomb_cost(o: Any, size: int, rank: int) -> float:
    """What a bomb costs: more the likelier an enemy has a higher one."""
    cost = BOMB_COST[o.variant]
    if BOMB_BEATEN[o.variant] == 0 or count_of(o.hand, rank) < size:
        return float(cost)
    keeps_lead = 1.0
    for seat in range(1, o.players):
        if o.is_enemy[seat]:
            keeps_lead *= o.lacks_bomb[seat, size, rank + 1] * o.lacks_bomb[seat, size + 1, 0]
    return float(cost + BOMB_BEATEN[o.variant] * (1 - keeps_lead))


@kernel
def price_ranks(o: Any) -> None:
    """Fill `costs`: what equal cards of a rank cost; what is cheaper split is split."""
    bombs = o.bombs_left[0] > 0
    for k in range(1, THICKEST + 1):
        unseen = ranks_with(o.unseen, k)
        for rank in range(NUM_RANKS):
            keeps_lead = 1.0
            for seat in range(1, o.players):
                if o.is_enemy[seat] and o.sizes[seat] >= k:
                    keeps_lead *= o.lacks[seat, k, rank + 1]
            higher = popcount(unseen >> (rank + 1)) / (popcount(unseen) + 1)
            o.costs[k, rank] = 1 + LOW * higher - CONTROL * keeps_lead
    for rank in range(NUM_RANKS):
        solo, pair = o.costs[1, rank], min(o.costs[2, rank], 2 * o.costs[1, rank])
        trio = min(o.costs[3, rank], pair + solo)
        o.costs[2, rank], o.costs[3, rank] = pair, trio
        o.broken[1, rank], o.broken[2, rank], o.broken[3, rank] = solo, pair, trio
        for k in range(LEAST_BOMB, o.most_equal + 1):
            broken = min(o.broken[k - 1, rank] + solo, o.broken[k - 2, rank] + pair)
            o.broken[k, rank] = min(broken, o.broken[k - 3, rank] + trio)
            o.costs[k, rank] = bomb_cost(o, k, rank) if bombs else o.broken[k, rank]


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

    Trios, and planes with `room` for so many kickers, take the lowest cards along for nothing. Only
    as many bombs count as the seat may play. Fills `charged`, `next_rank` and `next_kicker` of `o`.
    """
    room += popcount(ranks_with(cards, 3) & ~ranks_with(cards, LEAST_BOMB))
    turns, dearest, bombs = 0.0, 0.0, o.bombs_left[0]
    o.next_rank, o.next_kicker = NONE, 0.0
    if bombs > 0 and (cards & JOKERS) == o.rocket:
        turns = ROCKET_COST
        cards -= o.rocket
        bombs -= 1
    ranks = ranks_with(cards, 1)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = count_of(cards, rank)
        cost = o.costs[count, rank]
        if cost > 0 and (count == 2 or (count == 1 and o.solo_kickers)):
            if room > 0:
                room -= 1
                cost = 0.0
            elif o.next_rank == NONE:
                o.next_rank, o.next_kicker = rank, cost
        elif count >= LEAST_BOMB:
            if bombs <= 0:
                cost = o.broken[count, rank]
            bombs -= 1
        o.charged[rank] = cost
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
    runs, room, spare = o.way_runs[top], o.way_room[top], o.way_spare[top]
    last = runs & LAST_RUN
    for kind in range(STRAIGHT, (PLANE if last == NO_RUN else KIND[last]) + 1):
        same = last != NO_RUN and kind == KIND[last]
        longest = LENGTH[last] if same else LONGEST_RUN
        full, usable = usable_ranks(cards, BODY_CARDS[kind], spare)
        complete, starts = full, usable
        for length in range(2, longest + 1):
            starts = starts & (full >> (length - 1)) | complete & (usable >> (length - 1))
            complete &= full >> (length - 1)
            if not starts:
                break
            left = starts if length >= SHORTEST[kind] else 0
            if same and length == longest:
                left = left >> RANK[last] << RANK[last]
            while left and top < MOST_WAYS:
                run = RUN_START[kind, length] + lowest(left)
                left &= left - 1
                filled = missing(BODY[run], cards) if spare > 0 else 0
                if filled and adds_end(run, filled):
                    continue
                cost = run_cost(o, run)
                o.way_cards[top], o.way_turns[top] = cards - BODY[run] + filled, turns + cost
                o.way_spare[top] = spare - (filled > 0)
                o.way_dearest[top] = max(dearest, cost)
                o.way_runs[top] = runs << RUN_BITS | run
                o.way_room[top] = room + (length if kind == PLANE else 0)
                top += 1
    return top


@kernel
def split_hand(o: Any, hand: int) -> None:
    """Find the cheapest split: fills `turns`, `dearest`, `loose` and `runs` of `o`."""
    o.turns = np.inf
    o.way_cards[0], o.way_turns[0], o.way_dearest[0] = without(hand, o.wild), 0.0, 0.0
    o.way_runs[0], o.way_room[0], o.way_spare[0] = NO_RUN, 0, num_wild(hand, o.wild)
    top, looked, best_room, placed = 1, 0, 0, 0
    while top > 0 and looked < MOST_SPLITS:
        top -= 1
        looked += 1
        spare = o.way_spare[top]
        cost, dearest = loose_cost(o, o.way_cards[top], o.way_room[top])
        if spare > 0:
            cost += place_wild(o, o.way_cards[top], spare)
        if o.way_turns[top] + cost < o.turns:
            o.turns = o.way_turns[top] + cost
            o.dearest = max(o.way_dearest[top], dearest)
            o.loose, o.runs = o.way_cards[top], o.way_runs[top]
            best_room, placed = o.way_room[top], o.placed[spare] if spare > 0 else 0
        top = push_ways(o, top)
    if placed:
        o.loose += placed
        o.dearest = loose_cost(o, o.loose, best_room)[1]


@kernel
def kicker_cost(o: Any, loose: int, rank: int, size: int) -> float:
    """Turns by which the hand gets dearer if `size` cards of a rank are given away as a kicker."""
    have = count_of(loose, rank)
    if rank == o.wild:
        return 2 * BREAKING
    if have < size or have >= LEAST_BOMB > have - size:
        return BREAKING
    if rank >= BLACK_JOKER and (loose & JOKERS) == o.rocket:
        return BREAKING
    return float(o.costs[have - size, rank] - o.costs[have, rank])


@kernel
def pick_kickers(o: Any, rules: Any, declaration: int, placed: int, chosen: int) -> int:
    """The kickers that a declaration needs beside the `chosen` ones, packed.

    placed: the wild cards in its body, packed. The rest of the hand misses the kickers least; none
    is lower than a chosen one (RULES 14.3), and none is wild as long as there are others.
    """
    wild, size, picked = o.wild, KICKER_CARDS[declaration], 0
    split_hand(o, o.hand - body_cards(declaration, placed, wild) - chosen)
    hand, loose = kicker_hand(rules, declaration, o.hand, num_cards(placed), wild), o.loose
    lowest_rank = first_rank(declaration, hand, chosen, wild)
    for _ in range(num_missing(declaration, chosen)):
        room = kicker_room(rules, declaration, hand, chosen + picked, wild)
        if joker_room(rules, declaration, chosen + picked) <= 0:
            room &= ~JOKERS
        if size == 2:
            room = without(room, wild)
        pick, cheapest = 0, np.inf
        for rank in range(lowest_rank, NUM_RANKS):
            cost = kicker_cost(o, loose, rank, size)
            if count_of(room, rank) > 0 and cost < cheapest:
                pick, cheapest = size << (4 * rank), cost
        if pick == 0:
            pick = pick_wild_pair(o, rules, declaration, hand, chosen + picked, lowest_rank)
        picked += pick
        loose -= pick - missing(pick, loose)
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
