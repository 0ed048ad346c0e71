"""How a hand of Tichu is best split into groups.

Costs are in turns. A group costs one turn to lay down, somewhat more if it is low, so that it can
follow nothing, less if it may keep the lead: next to nothing if nobody can beat it. A bomb takes
the lead whenever it is wanted, and is worth turns. A hand costs what its cheapest split costs.

Runs and equal cards are looked for in *layers*: the ranks with one card or more, with two or more,
three or more and four, 16 bits each, in one word.
"""

from typing import Any

import numpy as np

from agents.rule_based.tichu_outlook import MOST_EQUAL, MOST_WAYS, THICKNESS, lacks_run
from envs.core.bits import lowest, popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DOG,
    DRAGON,
    DRAGON_RANK,
    LOWEST,
    MAHJONG,
    MAHJONG_RANK,
    ORDINARY_RANKS,
    PHOENIX,
    RANK_CARDS,
    flush_cards,
    rank_counts,
    ranks_with,
)
from envs.tichu.moves import (
    FLUSH,
    HIGH,
    ID_PHOENIX,
    ID_RANK,
    KIND,
    LOW,
    NEEDS,
    STAIRS,
    STRAIGHT,
)

CONTROL = 1.28
"""Turns that a group gives back which surely keeps the lead; it still takes its own turn."""
LOW_COST = 0.7
"""Turns that the lowest single card, pair or triple costs more than the highest."""
RUN_COST = 0.4
"""Turns that a run costs more if there may be a higher one: it can hardly ever follow."""
BOMB_COST = -1.5
"""A bomb takes the lead, and another group goes with it."""
DOG_COST = 1.08
"""The dog can only be led, and gives the lead away."""
FULL_HOUSE_COST = 0.1
"""Turns that a triple costs more with a pair than alone."""
MOST_SPLITS = 60
"""Ways to split a hand that are looked at; few hands have more."""
LAYER = 16
"""Bits of a layer."""
LAYER_RANKS = (1 << LAYER) - 1


def build_layers() -> Array:
    """Cards of each rank of every combination, as layers: [371]."""
    layers = np.zeros(ID_RANK, np.int64)
    for action in range(ID_RANK):
        for rank in range(MAHJONG_RANK, ACE + 1):
            for k in range(NEEDS[action, rank]):
                layers[action] |= 1 << (LAYER * k + rank)
    return layers


LAYERS = build_layers()
RUNS = np.array([a for a in range(ID_RANK) if KIND[a] == STAIRS or KIND[a] == STRAIGHT])


def build_above() -> Array:
    """The single cards that beat each rank, [17] sets."""
    above = [sum(int(cards) for cards in RANK_CARDS[rank + 1 : ACE + 1]) for rank in range(ACE + 1)]
    return np.array([cards | PHOENIX | DRAGON for cards in above] + [0, 0])


ABOVE = build_above()


@kernel
def layers_of(cards: int) -> int:
    """The layers of a set of cards; only those with a rank of 1 to 14 count."""
    counts = rank_counts(cards)
    layers = ranks_with(counts, 4)
    for k in range(3, 0, -1):
        layers = layers << LAYER | ranks_with(counts, k)
    return layers | (1 << MAHJONG_RANK if cards & MAHJONG else 0)


@kernel
def without_run(layers: int, run: int) -> int:
    """The layers without the cards of a run."""
    ranks = LAYERS[run] & LAYER_RANKS
    ranks |= ranks << LAYER
    ranks |= ranks << (2 * LAYER)
    for _ in range(THICKNESS[run]):
        layers = (layers & ~ranks) | (layers >> LAYER & ranks)
    return layers


@kernel
def price_ranks(o: Any) -> None:
    """Fill `costs`: what equal cards of a rank cost; pairs and triples are split if cheaper."""
    num_unseen = popcount(o.unseen) + 1
    for k in range(1, MOST_EQUAL):
        for rank in range(MAHJONG_RANK, (DRAGON_RANK if k == 1 else ACE) + 1):
            higher = popcount(o.unseen & ABOVE[rank]) / num_unseen
            keeps_lead = o.lacks[1, k, rank + 1] * o.lacks[3, k, rank + 1]
            o.costs[k, rank] = 1 + LOW_COST * higher - CONTROL * keeps_lead
    for rank in range(LOWEST, ACE + 1):
        pair = min(o.costs[2, rank], 2 * o.costs[1, rank])
        o.costs[2, rank] = pair
        o.costs[3, rank] = min(o.costs[3, rank], pair + o.costs[1, rank])
        o.costs[4, rank] = BOMB_COST


@kernel
def find_runs(o: Any) -> None:
    """Fill in the runs that the hand allows, and where the phoenix would help."""
    layers, phoenix = layers_of(o.hand), o.hand & PHOENIX
    o.num_runs, o.gaps, o.flush = 0, 0, flush_cards(o.hand)
    for run in RUNS:
        missing = LAYERS[run] & ~layers
        if missing and (not phoenix or missing & (missing - 1) or missing >> MAHJONG_RANK & 1):
            continue
        o.gaps |= missing & LAYER_RANKS
        keeps_lead = lacks_run(o, 1, run) * lacks_run(o, 3, run)
        o.runs[o.num_runs] = run
        o.run_costs[o.num_runs] = 1 + RUN_COST * (1 - keeps_lead) - CONTROL * keeps_lead
        o.num_runs += 1


@kernel
def loose_cost(o: Any, layers: int) -> tuple[float, float]:
    """What cards that are in no run cost, and the cost of the dearest group among them.

    Triples take the lowest pairs along for next to nothing.
    """
    ranks, twos, threes, fours = layers, layers >> LAYER, layers >> 2 * LAYER, layers >> 3 * LAYER
    room = popcount(threes & ~fours & LAYER_RANKS)
    ranks &= LAYER_RANKS
    turns, dearest = 0.0, 0.0
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = 1 + (twos >> rank & 1) + (threes >> rank & 1) + (fours >> rank & 1)
        cost = o.costs[count, rank]
        if room > 0 and count == 2 and cost > FULL_HOUSE_COST:
            room -= 1
            cost = FULL_HOUSE_COST
        turns += cost
        dearest = max(dearest, cost)
    return turns, dearest


@kernel
def split_layers(o: Any, layers: int, turns: float, dearest: float) -> None:
    """Find the cheapest split of layers beside cards that cost `turns`, if it is the best so far.

    Runs are taken out in the order of their ids, so that no split comes twice.
    """
    o.way_cards[0], o.way_turns[0], o.way_dearest[0], o.way_run[0] = layers, turns, dearest, 0
    top, looked = 1, 0
    while top > 0 and looked < MOST_SPLITS:
        top -= 1
        looked += 1
        layers, turns, dearest = o.way_cards[top], o.way_turns[top], o.way_dearest[top]
        cost, loose_dearest = loose_cost(o, layers)
        if turns + cost < o.turns:
            o.turns, o.dearest = turns + cost, max(dearest, loose_dearest)
        for i in range(o.way_run[top], o.num_runs):
            run = o.runs[i]
            if not LAYERS[run] & ~layers and top < MOST_WAYS:
                o.way_cards[top] = without_run(layers, run)
                o.way_turns[top] = turns + o.run_costs[i]
                o.way_dearest[top] = max(dearest, o.run_costs[i])
                o.way_run[top] = i
                top += 1


@kernel
def split_with_phoenix(o: Any, layers: int, turns: float, dearest: float) -> None:
    """The same with the phoenix alone, or in the place of each rank where it may help.

    One that then fills no run counts as a card of its rank, which is no bargain.
    """
    cost = o.costs[1, ACE]
    split_layers(o, layers, turns + cost, max(dearest, cost))
    ones, twos, threes = layers & LAYER_RANKS, layers >> LAYER, layers >> 2 * LAYER & LAYER_RANKS
    ranks = (ones | o.gaps) & ~threes & ORDINARY_RANKS
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = (ones >> rank & 1) + (twos >> rank & 1)
        split_layers(o, layers | 1 << (LAYER * count + rank), turns, dearest)


@kernel
def split_hand(o: Any, cards: int) -> None:
    """Find the cheapest split of a part of the hand: fills `turns` and `dearest` of `o`."""
    turns, dearest = 0.0, 0.0
    if cards & DRAGON:
        turns += o.costs[1, DRAGON_RANK]
    if cards & DOG:
        turns, dearest = turns + DOG_COST, DOG_COST
    o.turns = np.inf
    for flush in range(2 if o.flush and not o.flush & ~cards else 1):
        layers = layers_of(cards & ~o.flush if flush else cards)
        if flush:
            turns += BOMB_COST
        if cards & PHOENIX:
            split_with_phoenix(o, layers, turns, dearest)
        else:
            split_layers(o, layers, turns, dearest)


@kernel
def cards_for(o: Any, declaration: int, slot: int) -> int:
    """Cards of the hand that make a combination; those of straight flushes make others last.

    slot: the rank that the phoenix stands for; NO_SLOT if it only fills what is missing.
    """
    if declaration == ID_PHOENIX:
        return PHOENIX
    cards = PHOENIX if slot else 0
    preferred = o.flush if KIND[declaration] == FLUSH else ~o.flush
    for rank in range(LOW[declaration], HIGH[declaration] + 1):
        need = NEEDS[declaration, rank] - (rank == slot)
        for suits in (preferred, ~preferred):
            left = o.hand & RANK_CARDS[rank] & ~cards & suits
            while need > 0 and left:
                cards |= left & -left
                left &= left - 1
                need -= 1
        if need > 0:
            cards |= PHOENIX
    return cards
