"""What a seat of Dou Dizhu makes of a position: chances of what the others hold.

The rule-based player knows its own cards, the number of cards of every seat, and which cards are
unseen. The unseen cards are taken to be dealt at random, except for the bottom cards that the
landlord was seen to take up. Chances treat ranks as independent, which is quick and good enough;
only those of single cards are exact.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest
from envs.core.game import Array
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    NUM_RANKS,
    RED_JOKER,
    count_of,
    missing,
    num_cards,
    ranks_with,
)
from envs.doudizhu.engine import may_bomb
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    BOMB,
    FOUR_TWO_PAIR,
    ID_ROCKET,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    NUM_KICKERS,
    RANK,
    ROCKET,
)
from envs.doudizhu.state import MAX_SEATS
from envs.doudizhu.wild import SEQUENCE_RANKS

WILL = 0.3
"""Chance that a seat beats what it could beat: it may want to keep its groups together."""
MOST_EQUAL = 4  # cards of a rank
THICKEST = 3  # cards of each rank of a sequence: straights have one, trains two, planes three
LONGEST_RUN = 12  # ranks of a sequence
MOST_WAYS = 96  # ways to split a hand that wait to be looked at

OUTLOOK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # own packed cards
                ("unseen", np.int64),  # packed cards the others hold, and the bottom face down
                ("players", np.int64),
                ("solo_kickers", np.int64),  # 1 if trios may take a single card along
                ("may_bomb", np.int64),  # 1 unless a limit forbids the seat to play bombs
                # by seat; the own seat is 0
                ("sizes", np.int64, (MAX_SEATS,)),  # number of cards
                ("is_enemy", np.int64, (MAX_SEATS,)),
                # [seat, k, rank]: chance that a seat holds k or more cards of a rank; that there is
                # no such rank from this one up
                ("holds", np.float64, (MAX_SEATS, MOST_EQUAL + 1, NUM_RANKS)),
                ("lacks", np.float64, (MAX_SEATS, MOST_EQUAL + 1, NUM_RANKS + 1)),
                ("lacks_rocket", np.float64, (MAX_SEATS,)),
                # [u, k]: chance that a hand has k or more of u cards
                ("at_least", np.float64, (MOST_EQUAL + 1, MOST_EQUAL + 1)),
                # [k, length]: lowest ranks, as a set, of the sequences that an enemy may hold
                ("unseen_runs", np.int64, (THICKEST + 1, LONGEST_RUN + 1)),
                # [k, rank]: turns that k cards of a rank cost
                ("costs", np.float64, (MOST_EQUAL + 1, NUM_RANKS)),
                # the cheapest way to split a hand
                ("turns", np.float64),  # its cost
                ("dearest", np.float64),  # the cost of its dearest group
                ("loose", np.int64),  # packed cards that are in no sequence
                ("runs", np.int64),  # declarations of its sequences, 8 bits each
                # ways to split that wait to be looked at
                ("way_cards", np.int64, (MOST_WAYS,)),  # packed cards not in sequences yet
                ("way_turns", np.float64, (MOST_WAYS,)),  # cost of the sequences
                ("way_dearest", np.float64, (MOST_WAYS,)),
                ("way_runs", np.int64, (MOST_WAYS,)),
                ("way_room", np.int64, (MOST_WAYS,)),  # kickers that the planes take along
            ],
            align=True,
        ),
    )
)
"""Thoughts on one position, made anew for each decision."""


def build_sizes() -> Array:
    """Number of cards of each declaration, kickers included: [482]."""
    sizes: Array = np.array([num_cards(int(body)) for body in BODY]) + NUM_KICKERS * KICKER_CARDS
    sizes[ID_ROCKET] = 2
    return sizes


SIZE = build_sizes()


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
def fill_lacks_solo(o: Any, seat: int, known: int, pool: int) -> None:
    """Chances that a seat has no card from a rank up, exactly: they decide when it is nearly out.

    Card by card from the highest: a hand that has none so far has the next with a rising chance.
    """
    dealt, left = o.sizes[seat] - num_cards(known), num_cards(pool)
    lacks = 1.0
    for rank in range(NUM_RANKS - 1, -1, -1):
        for _ in range(count_of(pool, rank)):
            lacks *= max(left - dealt, 0) / left
            left -= 1
        if count_of(known, rank) > 0:
            lacks = 0.0
        o.lacks[seat, 1, rank] = lacks


@kernel
def guess_hand(o: Any, seat: int, known: int, pool: int) -> None:
    """Chances of what a seat holds: the `known` cards, and the others at random from the `pool`."""
    dealt, left = o.sizes[seat] - num_cards(known), num_cards(pool)
    fill_at_least(o, dealt / left if left > 0 else 0.0)
    for k in range(1, MOST_EQUAL + 1):
        o.lacks[seat, k, NUM_RANKS] = 1.0
        for rank in range(NUM_RANKS - 1, -1, -1):
            needed = max(k - count_of(known, rank), 0)
            holds = o.at_least[count_of(pool, rank), needed]
            o.holds[seat, k, rank] = holds
            o.lacks[seat, k, rank] = o.lacks[seat, k, rank + 1] * (1 - holds)
    fill_lacks_solo(o, seat, known, pool)
    o.lacks_rocket[seat] = 1 - o.holds[seat, 1, BLACK_JOKER] * o.holds[seat, 1, RED_JOKER]


@kernel
def find_unseen_runs(o: Any) -> None:
    """Which sequences the unseen cards allow to an enemy who has cards enough."""
    most = 0
    for seat in range(1, o.players):
        if o.is_enemy[seat]:
            most = max(most, o.sizes[seat])
    for k in range(1, THICKEST + 1):
        ranks = ranks_with(o.unseen, k) & SEQUENCE_RANKS
        starts = ranks
        for length in range(2, LONGEST_RUN + 1):
            starts &= ranks >> (length - 1)
            o.unseen_runs[k, length] = starts if k * length <= most else 0


@kernel
def look(o: Any, s: Any) -> None:
    """Take in the view `s`: who is an enemy, and what each seat may hold.

    Before there is a landlord all others are enemies.
    """
    landlord = int(s.landlord)
    o.hand, o.unseen, o.players = s.hands[0], s.unseen, s.rules.players
    o.solo_kickers, o.may_bomb = s.rules.solo_kickers, may_bomb(s, 0)
    # The bottom cards that another landlord was seen to take up and has not played (RULES 12.2).
    taken = missing(s.bottom, s.played[landlord]) if landlord > 0 else 0
    for seat in range(1, o.players):
        o.sizes[seat] = s.sizes[seat]
        o.is_enemy[seat] = landlord <= 0 or seat == landlord
        guess_hand(o, seat, taken if seat == landlord else 0, o.unseen - taken)
    find_unseen_runs(o)


@kernel
def lacks_run(o: Any, seat: int, declaration: int) -> float:
    """Chance that a seat holds no higher sequence of the same kind and length."""
    k, length, above = BODY_CARDS[KIND[declaration]], LENGTH[declaration], RANK[declaration] + 1
    starts = o.unseen_runs[k, length] >> above << above
    lacks = 1.0
    while starts:
        start = lowest(starts)
        starts &= starts - 1
        holds = 1.0
        for rank in range(start, start + length):
            holds *= o.holds[seat, k, rank]
        lacks *= 1 - holds
    return lacks


@kernel
def chance_beats(o: Any, seat: int, declaration: int) -> float:
    """Chance that a seat can and will beat a play; it surely will if that empties its hand."""
    kind, rank, size = KIND[declaration], RANK[declaration], o.sizes[seat]
    if kind == ROCKET:
        return 0.0
    lacks = 1.0
    if kind <= FOUR_TWO_PAIR and size >= SIZE[declaration]:
        if LONGEST[kind] > 1:
            lacks = lacks_run(o, seat, declaration)
        else:
            lacks = o.lacks[seat, BODY_CARDS[kind], rank + 1]
    if size >= 2:
        lacks *= o.lacks_rocket[seat]
    if size >= MOST_EQUAL:
        lacks *= o.lacks[seat, MOST_EQUAL, rank + 1 if kind == BOMB else 0]
    return (1.0 if size == SIZE[declaration] else WILL) * (1 - lacks)
