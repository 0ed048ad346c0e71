"""What a seat of Dou Dizhu makes of a position: chances of what the others hold.

The rule-based player knows its own cards, the number of cards of every seat, and which cards are
unseen. The unseen cards are taken to be dealt at random, except for the bottom cards that the
landlord was seen to take up. Chances treat ranks as independent, which is quick and good enough;
only those of single cards are exact. Wild cards that are unseen add to all ranks at once: chances
are reckoned for each number of them that a seat may hold.
"""

from typing import Any

import numpy as np

from envs.core.bits import lowest
from envs.core.game import Array
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    NUM_RANKS,
    NUM_SUITED,
    RED_JOKER,
    count_of,
    deck_of,
    missing,
    num_cards,
    rank_size,
    ranks_with,
    without,
)
from envs.doudizhu.engine import bomb_limit
from envs.doudizhu.kickers import MOST_WILD, rocket_of
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    BOMB,
    BOMB_SIZES,
    FOUR_TWO_PAIR,
    ID_ROCKET,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    NUM_KICKERS,
    RANK,
    ROCKET,
    SOFT_BOMB,
)
from envs.doudizhu.rules import ALONE_ANY, PURE_TOP, WILD_OFF
from envs.doudizhu.state import MAX_SEATS, NONE
from envs.doudizhu.wild import SEQUENCE_RANKS, num_wild

THREE, FOUR, WILD = range(3)
"""Variants with constants of their own: three seats, four, three with wild cards."""
WILL = np.array([0.3, 0.15, 0.2])
"""Chance that a seat beats what it could beat, by variant: it may want to keep its groups together,
the more so the more bombs it has to break."""
MOST_EQUAL = BOMB_SIZES[-1]  # cards of a rank
LEAST_BOMB = BOMB_SIZES[0]  # cards of a bomb
THICKEST = 3  # cards of each rank of a sequence: straights have one, trains two, planes three
LONGEST_RUN = 12  # ranks of a sequence
MOST_WAYS = 96  # ways to split a hand that wait to be looked at
TWO = BLACK_JOKER - 1

OUTLOOK = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # own packed cards
                ("unseen", np.int64),  # packed cards the others hold, and the bottom face down
                ("players", np.int64),
                ("variant", np.int64),  # THREE, FOUR or WILD
                ("most_equal", np.int64),  # cards of a suited rank in the pack
                ("rocket", np.int64),  # packed
                ("solo_kickers", np.int64),  # 1 if trios may take a single card along
                ("wild", np.int64),  # rank of the wild cards, or NONE
                ("num_unseen_wild", np.int64),
                ("top_bomb", np.int64),  # rank of the bomb that beats all others, or NONE
                ("alone", np.int64),  # highest rank that a lone wild card may stand for
                # by seat; the own seat is 0
                ("sizes", np.int64, (MAX_SEATS,)),  # number of cards
                ("is_enemy", np.int64, (MAX_SEATS,)),
                ("bombs_left", np.int64, (MAX_SEATS,)),  # bombs that it may still play
                # [seat, k, rank]: chance that a seat holds k or more cards of a rank; that it has
                # k equal cards of no rank from this one up, be some of them wild; that it has no
                # such natural bomb
                ("holds", np.float64, (MAX_SEATS, MOST_EQUAL + 1, NUM_RANKS)),
                ("lacks", np.float64, (MAX_SEATS, MOST_EQUAL + 1, NUM_RANKS + 1)),
                ("lacks_bomb", np.float64, (MAX_SEATS, MOST_EQUAL + 2, NUM_RANKS + 1)),
                ("lacks_rocket", np.float64, (MAX_SEATS,)),
                # [seat, u]: chance that a seat holds just u wild cards
                ("wild_chances", np.float64, (MAX_SEATS, MOST_WILD + 1)),
                # [u, k]: chance that a hand has k or more of u cards
                ("at_least", np.float64, (MOST_EQUAL + 1, MOST_EQUAL + 2)),
                # [k, length]: lowest ranks, as a set, of the sequences that an enemy may hold
                ("unseen_runs", np.int64, (THICKEST + 1, LONGEST_RUN + 1)),
                # [k, rank]: turns that k cards of a rank cost; that they cost if no bomb is played
                ("costs", np.float64, (MOST_EQUAL + 1, NUM_RANKS)),
                ("broken", np.float64, (MOST_EQUAL + 1, NUM_RANKS)),
                # the cheapest way to split a hand
                ("turns", np.float64),  # its cost
                ("dearest", np.float64),  # the cost of its dearest group
                ("loose", np.int64),  # packed cards in no sequence, wild ones as what they are for
                ("runs", np.int64),  # declarations of its sequences, 8 bits each
                # the play judged last: chance that it is not beaten, and that this seat beats it
                ("unbeaten", np.float64),
                ("beats", np.float64, (MAX_SEATS,)),
                # ways to split that wait to be looked at
                ("way_cards", np.int64, (MOST_WAYS,)),  # packed cards not in sequences yet
                ("way_turns", np.float64, (MOST_WAYS,)),  # cost of the sequences
                ("way_dearest", np.float64, (MOST_WAYS,)),
                ("way_runs", np.int64, (MOST_WAYS,)),
                ("way_room", np.int64, (MOST_WAYS,)),  # kickers that the planes take along
                ("way_spare", np.int64, (MOST_WAYS,)),  # wild cards not in sequences
                # the loose cards of the way that is looked at
                ("charged", np.float64, (NUM_RANKS,)),  # what the cards of each rank cost
                # the lowest cards that are no kickers, but would be with one more trio
                ("next_rank", np.int64),
                ("next_kicker", np.float64),  # their cost
                # [u]: what u wild cards among them change at best, and these by rank, packed
                ("changes", np.float64, (MOST_WILD + 1,)),
                ("placed", np.int64, (MOST_WILD + 1,)),
            ],
            align=True,
        ),
    )
)
"""Thoughts on one position, made anew for each decision."""


def build_sizes() -> Array:
    """Number of cards of each declaration, kickers included, by number of seats: [5, 482]."""
    sizes = np.array([num_cards(int(body)) for body in BODY]) + NUM_KICKERS * KICKER_CARDS
    by_seats: Array = np.tile(sizes, (MAX_SEATS + 1, 1))
    for seats in range(MAX_SEATS + 1):
        by_seats[seats, ID_ROCKET] = num_cards(deck_of(seats) & JOKERS)
    return by_seats


SIZE = build_sizes()


@kernel
def fill_at_least(o: Any, share: float) -> None:
    """Chances that a hand has k or more of u cards, each of which it has with chance `share`."""
    for u in range(o.most_equal + 1):
        o.at_least[u, 0] = 1.0
        for k in range(1, o.most_equal + 2):
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
def fill_lacks_wild(o: Any, seat: int, known: int, pool: int) -> None:
    """Correct `lacks` for the wild cards that a seat may hold: any number, any rank."""
    sure, more = count_of(known, o.wild), o.at_least[count_of(pool, o.wild)]
    for u in range(MOST_WILD + 1):
        o.wild_chances[seat, u] = more[u - sure] - more[u - sure + 1] if u >= sure else 0.0
    for k in range(2, LEAST_BOMB + 1):
        for rank in range(NUM_SUITED):
            o.lacks[seat, k, rank] = 0.0
        for u in range(MOST_WILD + 1):
            lacks = o.wild_chances[seat, u]
            for rank in range(NUM_SUITED - 1, -1, -1):
                if rank != o.wild:
                    lacks *= 1 - o.holds[seat, k - u, rank] if k > u else 0.0
                o.lacks[seat, k, rank] += lacks


@kernel
def as_ranks(o: Any, cards: int) -> int:
    """Cards with the wild ones as what each may be alone."""
    if o.wild < 0:
        return cards
    return int(without(cards, o.wild) + (count_of(cards, o.wild) << (4 * o.alone)))


@kernel
def guess_hand(o: Any, seat: int, known: int, pool: int) -> None:
    """Chances of what a seat holds: the `known` cards, and the others at random from the `pool`."""
    dealt, left = o.sizes[seat] - num_cards(known), num_cards(pool)
    fill_at_least(o, dealt / left if left > 0 else 0.0)
    for k in range(1, o.most_equal + 1):
        o.lacks[seat, k, NUM_RANKS] = 1.0
        for rank in range(NUM_RANKS - 1, -1, -1):
            needed = max(k - count_of(known, rank), 0)
            holds = o.at_least[count_of(pool, rank), needed]
            o.holds[seat, k, rank] = holds
            o.lacks[seat, k, rank] = o.lacks[seat, k, rank + 1] * (1 - holds)
            if k >= LEAST_BOMB:
                o.lacks_bomb[seat, k, rank] = o.lacks[seat, k, rank]
    o.lacks_bomb[seat, o.most_equal + 1, 0] = 1.0  # there is no such bomb
    fill_lacks_solo(o, seat, as_ranks(o, known), as_ranks(o, pool))
    if o.num_unseen_wild > 0:
        fill_lacks_wild(o, seat, known, pool)
    each = count_of(o.rocket, BLACK_JOKER)
    o.lacks_rocket[seat] = 1 - o.holds[seat, each, BLACK_JOKER] * o.holds[seat, each, RED_JOKER]


@kernel
def usable_ranks(cards: int, each: int, spare: int) -> tuple[int, int]:
    """Ranks for sequences of `each` cards a rank: those with enough, and those where that would be
    so with a wild card, if there are `spare` ones.
    """
    full = ranks_with(cards, each) & SEQUENCE_RANKS
    if spare == 0:
        return full, full
    return full, SEQUENCE_RANKS if each == 1 else ranks_with(cards, each - 1) & SEQUENCE_RANKS


@kernel
def find_unseen_runs(o: Any) -> None:
    """Which sequences the unseen cards allow to an enemy who has cards enough.

    A wild card at most is reckoned with in a sequence, there and everywhere.
    """
    most = 0
    for seat in range(1, o.players):
        if o.is_enemy[seat]:
            most = max(most, o.sizes[seat])
    unseen = without(o.unseen, o.wild)
    for k in range(1, THICKEST + 1):
        full, usable = usable_ranks(unseen, k, o.num_unseen_wild)
        complete, starts = full, usable
        for length in range(2, LONGEST_RUN + 1):
            starts = starts & (full >> (length - 1)) | complete & (usable >> (length - 1))
            complete &= full >> (length - 1)
            o.unseen_runs[k, length] = starts if k * length <= most else 0


@kernel
def look(o: Any, s: Any) -> None:
    """Take in the view `s`: who is an enemy, and what each seat may hold.

    Before there is a landlord all others are enemies.
    """
    landlord = int(s.landlord)
    o.hand, o.unseen, o.players, o.wild = s.hands[0], s.unseen, s.rules.players, s.wild
    o.most_equal, o.rocket = rank_size(o.players), rocket_of(s.rules)
    o.variant = FOUR if o.players == MAX_SEATS else WILD if s.rules.wild != WILD_OFF else THREE
    o.num_unseen_wild = num_wild(o.unseen, o.wild)
    o.alone = TWO if s.rules.wild_alone == ALONE_ANY else o.wild
    o.top_bomb = o.wild if s.rules.pure_wild_bomb == PURE_TOP else NONE
    o.solo_kickers = s.rules.solo_kickers
    # The bottom cards that another landlord was seen to take up and has not played (RULES 12.2).
    taken = missing(s.bottom, s.played[landlord]) if landlord > 0 else 0
    for seat in range(o.players):
        o.sizes[seat] = s.sizes[seat]
        o.bombs_left[seat] = bomb_limit(s, seat) - s.bombs[seat]
        if seat > 0:
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
        complete, but_one = 1.0, 0.0  # chances of all its cards, and of all but one
        for rank in range(start, start + length):
            holds = o.holds[seat, k, rank] if rank != o.wild else 0.0
            if o.num_unseen_wild > 0:
                most = o.holds[seat, k - 1, rank] if k > 1 else 1.0
                but_one = but_one * holds + complete * (most - holds)
            complete *= holds
        lacks *= 1 - complete - but_one * (1 - o.wild_chances[seat, 0])
    return lacks


@kernel
def lacks_bombs(o: Any, seat: int, declaration: int) -> float:
    """Chance that a seat holds no bomb, and no rocket, that beats a play (RULES 6, 10.5, 11.6)."""
    kind, rank, size = KIND[declaration], RANK[declaration], o.sizes[seat]
    if o.bombs_left[seat] <= 0:
        return 1.0
    lacks = 1.0
    if size >= SIZE[o.players, ID_ROCKET]:
        lacks *= o.lacks_rocket[seat]
    if size < LEAST_BOMB or (kind == BOMB and rank == o.top_bomb):
        return lacks
    if kind == BOMB:
        length = LENGTH[declaration]
        lacks *= o.lacks_bomb[seat, length, rank + 1] * o.lacks_bomb[seat, length + 1, 0]
    elif kind == SOFT_BOMB:
        lacks *= o.lacks[seat, LEAST_BOMB, rank + 1] * o.lacks_bomb[seat, LEAST_BOMB, 0]
    else:
        lacks *= o.lacks[seat, LEAST_BOMB, 0]
    return float(lacks)


@kernel
def chance_beats(o: Any, seat: int, declaration: int) -> float:
    """Chance that a seat can and will beat a play; it surely will if that empties its hand."""
    kind, size = KIND[declaration], o.sizes[seat]
    if kind == ROCKET:
        return 0.0
    lacks = 1.0
    if kind <= FOUR_TWO_PAIR and size >= SIZE[o.players, declaration]:
        if LONGEST[kind] > 1:
            lacks = lacks_run(o, seat, declaration)
        else:
            lacks = o.lacks[seat, BODY_CARDS[kind], RANK[declaration] + 1]
    lacks *= lacks_bombs(o, seat, declaration)
    will = 1.0 if size == SIZE[o.players, declaration] else float(WILL[o.variant])
    return will * (1 - lacks)
