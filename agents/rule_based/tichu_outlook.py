"""What a seat of Tichu makes of a position: what is at stake, and what the others may hold.

The rule-based player knows its own cards, the number of cards of every seat, and which cards are
unseen. Those that it gave in the exchange stay where they went until they are played; the others
are taken to be dealt at random. Chances treat ranks as independent, which is quick and good
enough; only those of single cards are exact.
"""

from typing import Any

import numpy as np

from envs.core.bits import popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.tichu.cards import (
    ACE,
    DRAGON_RANK,
    LOWEST,
    MAHJONG_RANK,
    NUM_RANKS,
    PHOENIX,
    RANK_CARDS,
    count_of,
)
from envs.tichu.moves import (
    FLUSH,
    FULL_HOUSE,
    HIGH,
    ID_QUAD,
    ID_RANK,
    KIND,
    LOW,
    NEEDS,
    QUAD,
    RANK,
    SINGLE,
    SIZE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
)
from envs.tichu.state import ACROSS, LEFT, NUM_SEATS, RIGHT

MOST_EQUAL = 4  # cards of a rank
MOST_RUNS = 112  # stairs and straights
MOST_WAYS = 96  # ways to split a hand that wait to be looked at

FIRST = 40.0
"""Points that it is worth to a side that one of it is out first, beside the calls."""
DOUBLE = 150.0
"""The same for going out second, after the partner."""
THIRD = 100.0
"""The same for not being last."""
CALL_WORTH = np.array([0.0, 100.0, 200.0])
"""Points of a call that is made, and lost with one that is not: none, small, grand."""
WILL = np.zeros(FLUSH + 1)
# single, pair, triple, stairs, full house, straight, quad, straight flush
WILL[SINGLE : FLUSH + 1] = [0.45, 0.5, 0.5, 0.5, 0.67, 0.4, 0.5, 0.5]
"""Chance that a seat beats what it could beat, by kind of the table: it may want to keep its
groups together."""
BOMB_WILL = 0.4
"""The same for bombs."""
WITH_PAIR = 0.9
"""Chance that a seat with three equal cards has a pair beside them."""

OUTLOOK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # own cards
                ("unseen", np.int64),  # cards that the others hold
                # by seat; the own seat is 0
                ("sizes", np.int64, (NUM_SEATS,)),  # number of cards
                ("stakes", np.float64, (NUM_SEATS,)),  # worth of a seat being out next
                # [seat, k, rank]: chance that a seat holds k or more cards of a rank; that it has
                # nothing of k equal cards from this rank up, dragon and phoenix included
                ("holds", np.float64, (NUM_SEATS, MOST_EQUAL + 1, NUM_RANKS)),
                ("lacks", np.float64, (NUM_SEATS, MOST_EQUAL + 1, NUM_RANKS + 1)),
                ("phoenix", np.float64, (NUM_SEATS,)),  # chance that a seat holds it
                # [u, k]: chance that a hand has k or more of u cards
                ("at_least", np.float64, (MOST_EQUAL + 1, MOST_EQUAL + 1)),
                # [k, rank]: turns that k cards of a rank cost
                ("costs", np.float64, (MOST_EQUAL + 1, NUM_RANKS)),
                # runs that the own hand allows, and their costs
                ("num_runs", np.int64),
                ("runs", np.int64, (MOST_RUNS,)),
                ("run_costs", np.float64, (MOST_RUNS,)),
                ("gaps", np.int64),  # ranks where the phoenix would complete a run
                ("flush", np.int64),  # cards of a straight flush in the hand, 0 without one
                # the cheapest way to split a hand
                ("turns", np.float64),  # its cost
                ("dearest", np.float64),  # the cost of its dearest group
                ("unbeaten", np.float64),  # chance that the play weighed last is not beaten
                # ways to split that wait to be looked at
                ("way_cards", np.int64, (MOST_WAYS,)),  # cards not in runs yet, layered by rank
                ("way_turns", np.float64, (MOST_WAYS,)),  # cost of the runs
                ("way_dearest", np.float64, (MOST_WAYS,)),
                ("way_run", np.int64, (MOST_WAYS,)),  # index of the last run
            ],
            align=True,
        ),
    )
)
"""Thoughts on one position, made anew for each decision."""


def build_thickness() -> Array:
    """Cards of each rank of a combination, the trio for a full house: [371]."""
    return np.array([NEEDS[action].max() for action in range(ID_RANK)])


THICKNESS = build_thickness()


@kernel
def fill_at_least(o: Any, share: float) -> None:
    """Chances that a hand has k or more of u cards, each of which it has with chance `share`."""
    for u in range(MOST_EQUAL + 1):
        o.at_least[u, 0] = 1.0
        for k in range(1, MOST_EQUAL + 1):
            o.at_least[u, k] = 0.0
            if k <= u:
                has, has_not = o.at_least[u - 1, k - 1], o.at_least[u - 1, k]
                o.at_least[u, k] = share * has + (1 - share) * has_not


@kernel
def fill_lacks_single(o: Any, seat: int, known: int, pool: int) -> None:
    """Chances that a seat has no single card from a rank up, exactly: they decide near the end.

    Card by card from the highest: a hand that has none so far has the next with a rising chance.
    """
    dealt, left = o.sizes[seat] - popcount(known), popcount(pool)
    lacks = 1.0
    o.lacks[seat, 1, DRAGON_RANK + 1] = 1.0
    for rank in range(DRAGON_RANK, LOWEST - 1, -1):
        cards = RANK_CARDS[rank] | (PHOENIX if rank == DRAGON_RANK else 0)
        for _ in range(popcount(pool & cards)):
            lacks *= max(left - dealt, 0) / left
            left -= 1
        if known & cards:
            lacks = 0.0
        o.lacks[seat, 1, rank] = lacks


@kernel
def guess_hand(o: Any, seat: int, known: int, pool: int) -> None:
    """Chances of what a seat holds: the `known` cards, and the others at random from the `pool`."""
    dealt, left = o.sizes[seat] - popcount(known), popcount(pool)
    share = dealt / left if left > 0 else 0.0
    fill_at_least(o, share)
    phoenix = 1.0 if known & PHOENIX else share if pool & PHOENIX else 0.0
    o.phoenix[seat] = phoenix
    o.holds[seat, 0] = 1.0
    for k in range(1, MOST_EQUAL + 1):
        lacks = 1.0
        o.lacks[seat, k, ACE + 1] = 1.0
        for rank in range(ACE, MAHJONG_RANK - 1, -1):
            has, unseen = count_of(known, rank), count_of(pool, rank)
            holds = o.at_least[unseen, max(k - has, 0)]
            o.holds[seat, k, rank] = holds
            if k == 2 or k == 3:
                holds += phoenix * (o.at_least[unseen, max(k - 1 - has, 0)] - holds)
            lacks *= 1 - holds
            o.lacks[seat, k, rank] = lacks
    fill_lacks_single(o, seat, known, pool)


@kernel
def worth_of_out(seat: int, calls: Any, places: Any) -> float:
    """Points to the own side if an active seat is the next to be out.

    calls: [4], 0 none, 1 small, 2 grand. places: [4], 0 while active, else 1 for the first.
    """
    side = 1.0 if seat % 2 == 0 else -1.0
    num_out = 0
    for other in range(NUM_SEATS):
        num_out += places[other] > 0
    if num_out == 0:
        worth = side * FIRST
        for caller in range(NUM_SEATS):
            kept = CALL_WORTH[calls[caller]] if caller % 2 == 0 else -CALL_WORTH[calls[caller]]
            worth += kept if caller == seat else -kept
        return worth
    if num_out == 1:
        return side * DOUBLE if places[(seat + 2) % NUM_SEATS] > 0 else 0.0
    return side * THIRD


@kernel
def weigh_stakes(o: Any, calls: Any, places: Any) -> None:
    """Fill `stakes`: what it is worth that a seat is out next, against the average."""
    total, num_active = 0.0, 0
    for seat in range(NUM_SEATS):
        o.stakes[seat] = 0.0
        if places[seat] == 0:
            o.stakes[seat] = worth_of_out(seat, calls, places)
            total += o.stakes[seat]
            num_active += 1
    for seat in range(NUM_SEATS):
        if places[seat] == 0:
            o.stakes[seat] -= total / num_active


@kernel
def chance_of_run(o: Any, seat: int, run: int) -> float:
    """Chance that a seat holds a run, without the phoenix or with it in one place."""
    k, natural, gaps = THICKNESS[run], 1.0, 0.0
    for rank in range(LOW[run], HIGH[run] + 1):
        chance = o.holds[seat, k, rank]
        gaps = gaps * chance + natural * (o.holds[seat, k - 1, rank] - chance)
        natural *= chance
    return float(natural + o.phoenix[seat] * gaps)


@kernel
def lacks_run(o: Any, seat: int, run: int) -> float:
    """Chance that a seat holds no higher run of the same kind and length."""
    lacks, above = 1.0, run + 1
    while above < ID_QUAD and SIZE[above] == SIZE[run] and KIND[above] == KIND[run]:
        lacks *= 1 - chance_of_run(o, seat, above)
        above += 1
    return lacks


@kernel
def lacks_bomb(o: Any, seat: int, declaration: int) -> float:
    """Chance that a seat holds no bomb that beats a play; straight flushes are too rare."""
    if o.sizes[seat] < MOST_EQUAL or KIND[declaration] == FLUSH:
        return 1.0
    lowest = RANK[declaration] + 1 if KIND[declaration] == QUAD else LOWEST
    return float(o.lacks[seat, MOST_EQUAL, lowest])


@kernel
def chance_beats(o: Any, seat: int, declaration: int, rank: int) -> float:
    """Chance that a seat can and will beat a play; it surely will if that empties its hand.

    rank: that of the play on the table; a phoenix alone has that of the card below it.
    """
    kind, size = KIND[declaration], o.sizes[seat]
    lacks = 1.0
    if size >= SIZE[declaration]:
        if kind == STAIRS or kind == STRAIGHT:
            lacks = lacks_run(o, seat, declaration)
        elif kind == FULL_HOUSE:
            lacks = 1 - WITH_PAIR * (1 - o.lacks[seat, 3, rank + 1])
        elif kind <= TRIPLE:
            lacks = o.lacks[seat, SIZE[declaration], rank + 1]
    beats = (1.0 if size == SIZE[declaration] else WILL[kind]) * (1 - lacks)
    return beats + (1 - beats) * BOMB_WILL * (1 - lacks_bomb(o, seat, declaration))


@kernel
def look(o: Any, s: Any) -> None:
    """Take in the view `s`: what is at stake, and what each seat may hold."""
    o.hand, o.unseen = s.hands[0], s.unseen
    all_known = s.unseen & (s.given[0, RIGHT] | s.given[0, ACROSS] | s.given[0, LEFT])
    weigh_stakes(o, s.calls, s.place)
    for seat in range(NUM_SEATS):
        o.sizes[seat] = s.sizes[seat]
    for seat in range(1, NUM_SEATS):
        barred = RANK_CARDS[s.wished] if s.lacks[seat] else 0
        guess_hand(o, seat, s.given[0, seat - 1] & all_known, o.unseen & ~all_known & ~barred)
