"""What the default policy of Dou Dizhu makes of a position: quick estimates on packed counts.

The rule-based player in small: costs are in turns as there, but a hand is split greedily, and the
chances of what the others hold come from tables, by how many higher cards or ranks are unseen.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.doudizhu_hands import (
    BOMB_BEATEN,
    BOMB_COST,
    CONTROL,
    LOW,
    NO_RUN,
    ROCKET_COST,
    RUN_BITS,
    RUN_HELD,
    RUN_LOW,
)
from agents.rule_based.doudizhu_outlook import FOUR, LEAST_BOMB, THICKEST, THREE, TWO, WILD
from agents.rule_based.doudizhu_wild import first_rank, pick_wild_pair
from agents.search.runs import find_run
from envs.core.bits import lowest, popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    NUM_RANKS,
    NUM_SEQUENCE,
    count_of,
    deck_of,
    num_cards,
    ranks_with,
    without,
)
from envs.doudizhu.engine import bomb_limit
from envs.doudizhu.kickers import joker_room, kicker_room, num_missing, rocket_of
from envs.doudizhu.legal import ALL_RANKS
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    KICKER_CARDS,
    KIND,
    LENGTH,
    NO_WILD,
    PLANE,
    RANK,
    RUN_START,
    SHORTEST,
    STRAIGHT,
    TRAIN,
    body_cards,
)
from envs.doudizhu.rules import ALONE_ANY, WILD_OFF, WILD_RANDOM
from envs.doudizhu.state import MAX_SEATS, NONE
from envs.doudizhu.wild import SEQUENCE_RANKS, SUITED_CARDS, SUITED_RANKS, kicker_hand, num_wild

SHARES = 32
"""A seat's share of the unseen cards is rounded down to so many parts."""
MOST_HIGHER = 32
"""Answers that are counted, and one more."""
SOLO_ANSWER, BOMB_ANSWER, RUN_ANSWER = 1, LEAST_BOMB, LEAST_BOMB
"""What may beat a play: single cards, ranks with k cards or more, and sequences, those by how many
cards of each rank they have beyond RUN_ANSWER."""
NUM_ANSWERS = RUN_ANSWER + THICKEST + 1

NOTES = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hand", np.int64),  # own packed cards
                ("cards", np.int64),  # the same, wild cards as what they are meant for
                ("unseen", np.int64),  # packed cards the others hold, and the bottom face down
                ("players", np.int64),
                ("variant", np.int64),  # THREE, FOUR or WILD
                ("rocket", np.int64),  # packed
                ("solo_kickers", np.int64),  # 1 if trios may take a single card along
                ("wild", np.int64),  # rank of the wild cards, or NONE
                ("alone", np.int64),  # rank that wild cards stand for which have no others by them
                ("bombs_left", np.int64),  # bombs that the seat may still play
                ("unseen_ranks", np.int64, (LEAST_BOMB + 1,)),  # ranks with k or more unseen cards
                # by seats on from the one to act
                ("sizes", np.int64, (MAX_SEATS,)),  # number of cards
                ("is_enemy", np.int64, (MAX_SEATS,)),
                ("shares", np.int64, (MAX_SEATS,)),  # of the unseen cards, in parts of SHARES
                ("no_bomb", np.float64, (MAX_SEATS,)),  # chance to have neither bomb nor rocket
                ("no_rocket", np.float64, (MAX_SEATS,)),
                # the cheapest split that was found of a hand
                ("turns", np.float64),  # its cost
                ("dearest", np.float64),  # the costs of its two dearest groups
                ("second", np.float64),
                ("loose", np.int64),  # packed cards in no sequence, bomb or rocket
                ("runs", np.int64),  # its sequences
                ("num_trios", np.int64),  # trios in its planes
                ("bombs", np.int64),  # ranks of its bombs
                ("has_rocket", np.int64),
                ("priced", np.int64),  # the loose cards that were priced last
                ("charged", np.float64, (NUM_RANKS,)),  # what those of each rank cost
                ("next_kicker", np.float64),  # cost of what one more trio would take along
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
    """Chances that a seat lacks all answers to a play: [2, NUM_ANSWERS, SHARES + 1, MOST_HIGHER].

    By the number of packs less one, the kind of answer, the seat's share of the unseen cards, and
    how many answers there are. They are taken to be independent, a rank to have a middling number
    of unseen cards.
    """
    chances = np.ones((2, NUM_ANSWERS, SHARES + 1, MOST_HIGHER))
    for packs in (1, 2):
        for part in range(SHARES + 1):
            share = part / SHARES
            holds = [_hold_chance(packs, each, share) for each in range(LEAST_BOMB + 1)]
            holds[SOLO_ANSWER] = share
            runs = [
                _at_least(3 * packs, BODY_CARDS[kind], share) ** SHORTEST[kind]
                for kind in (STRAIGHT, TRAIN, PLANE)
            ]
            for answer, chance in enumerate([*holds, *runs]):
                chances[packs - 1, answer, part] = (1 - chance) ** np.arange(MOST_HIGHER)
    return chances


def _hold_chance(packs: int, each: int, share: float) -> float:
    """Chance to hold `each` cards of a rank of which so many or more are unseen."""
    unseen = range(max(each, 1), 4 * packs + 1)
    return sum(_at_least(num, each, share) for num in unseen) / len(unseen)


def _at_least(num: int, least: int, share: float) -> float:
    """Chance to hold `least` or more of `num` cards, each with chance `share`."""
    return sum(
        math.comb(num, k) * share**k * (1 - share) ** (num - k) for k in range(least, num + 1)
    )


LONG_FIRST, SHORT_FIRST, TRAINS_FIRST = range(3)
"""Ways to split: long straights before trains, the first of them short, or trains before them."""
LACKS = build_chances()
LOWER = np.array([[LOW * h / (n + 1) for h in range(NUM_RANKS + 1)] for n in range(NUM_RANKS + 1)])
"""Turns that a group costs more where h of n ranks with unseen cards are higher: [n, h]."""
RUN_COST = np.array(
    [1 - CONTROL, *(1 + RUN_LOW - CONTROL * RUN_HELD**h for h in range(1, NUM_RANKS))]
)
"""What a sequence costs where h higher ones are possible."""


@kernel
def look(o: Any, s: Any) -> None:
    """Take in what the seat to act knows. Before there is a landlord all others are enemies."""
    seat, landlord, players = int(s.turn), int(s.landlord), int(s.rules.players)
    o.hand, o.players, o.solo_kickers = s.hands[seat], players, s.rules.solo_kickers
    o.rocket = rocket_of(s.rules)
    o.variant = FOUR if players == MAX_SEATS else WILD if s.rules.wild != WILD_OFF else THREE
    o.wild = NONE if landlord == NONE and s.rules.wild == WILD_RANDOM else s.wild
    o.alone = TWO if s.rules.wild_alone == ALONE_ANY else o.wild
    o.bombs_left = bomb_limit(s, seat) - s.bombs[seat]
    unseen = deck_of(players) - int(s.hands[seat])
    for other in range(players):
        unseen -= s.played[other]
    o.unseen = unseen
    for k in range(1, LEAST_BOMB + 1):
        o.unseen_ranks[k] = ranks_with(unseen, k)
    o.sizes[0], o.is_enemy[0] = s.sizes[seat], 0
    num_unseen = num_cards(unseen)
    for step in range(1, players):
        other = seat + step - (players if seat + step >= players else 0)
        o.sizes[step] = s.sizes[other]
        o.is_enemy[step] = landlord == NONE or seat == landlord or other == landlord
        guess_hand(o, step, num_unseen, bomb_limit(s, other) > s.bombs[other])


@kernel
def guess_hand(o: Any, step: int, num_unseen: int, may_bomb: bool) -> None:
    """A seat's share of the unseen cards, and the chances that it has no bomb, no rocket."""
    size, packs = o.sizes[step], o.players - 3
    o.shares[step] = SHARES * size // num_unseen
    o.no_bomb[step], o.no_rocket[step] = 1.0, 1.0
    if not may_bomb:
        return
    if (o.unseen & JOKERS) == o.rocket:
        share = size / num_unseen
        o.no_rocket[step] = 1 - share**2 if packs == 0 else 1 - share**4
    if size >= LEAST_BOMB:
        bombs = popcount(o.unseen_ranks[LEAST_BOMB])
        o.no_bomb[step] = LACKS[packs, BOMB_ANSWER, o.shares[step], bombs]
    o.no_bomb[step] *= o.no_rocket[step]


@kernel
def keeps_lead(o: Any, answer: int, num: int) -> float:
    """Chance that no enemy has one of the `num` answers to a play."""
    keeps = 1.0
    for step in range(1, o.players):
        if o.is_enemy[step]:
            keeps *= LACKS[o.players - 3, answer, o.shares[step], num]
    return keeps


@kernel
def num_higher(o: Any, k: int, rank: int) -> int:
    """How many answers `k` equal cards of a rank may meet: single cards, or ranks."""
    if k == SOLO_ANSWER:
        return min(num_cards(o.unseen >> (4 * (rank + 1))), MOST_HIGHER - 1)
    return popcount(o.unseen_ranks[k] >> (rank + 1))


@kernel
def num_higher_runs(o: Any, run: int) -> int:
    """How many higher sequences of its kind and length the unseen cards allow."""
    ranks = o.unseen_ranks[BODY_CARDS[KIND[run]]] & SEQUENCE_RANKS
    starts = ranks >> (RANK[run] + 1)
    for i in range(1, LENGTH[run]):
        starts &= ranks >> (RANK[run] + 1 + i)
        if not starts:
            break
    return popcount(starts)


@kernel
def group_cost(o: Any, k: int, rank: int) -> float:
    """What up to three equal cards cost as a group."""
    ranks = o.unseen_ranks[k]
    low = LOWER[popcount(ranks), popcount(ranks >> (rank + 1))]
    return float(1 + low - CONTROL * keeps_lead(o, k, num_higher(o, k, rank)))


@kernel
def bomb_cost(o: Any, rank: int) -> float:
    """What a bomb costs: more the likelier an enemy has a higher one."""
    cost = BOMB_COST[o.variant]
    if BOMB_BEATEN[o.variant] > 0:
        higher = num_higher(o, BOMB_ANSWER, rank)
        cost += BOMB_BEATEN[o.variant] * (1 - keeps_lead(o, BOMB_ANSWER, higher))
    return float(cost)


@kernel
def take_bombs(o: Any, hand: int) -> tuple[int, float]:
    """Put the rocket and the bombs aside: the cards left, and what these cost."""
    cards, cost = hand, 0.0
    o.bombs, o.has_rocket = 0, 0
    if o.bombs_left <= 0:
        return cards, cost
    if (cards & JOKERS) == o.rocket:
        o.has_rocket = 1
        cards -= o.rocket
        cost += ROCKET_COST
    o.bombs = ranks_with(cards, LEAST_BOMB)
    left = o.bombs
    while left:
        rank = lowest(left)
        left &= left - 1
        cards = without(cards, rank)
        cost += bomb_cost(o, rank)
    return cards, cost


@kernel
def find_sequence(cards: int, kind: int) -> int:
    """A sequence of a kind that is worth its while, or NO_RUN."""
    each = BODY_CARDS[kind]
    ranks = ranks_with(cards, each) & SEQUENCE_RANKS
    start, length = find_run(ranks, ranks & ~ranks_with(cards, each + 1), SHORTEST[kind])
    return int(RUN_START[kind, length] + start) if length else NO_RUN


@kernel
def next_run(cards: int, way: int) -> int:
    """The next sequence to take out of the cards, or NO_RUN."""
    run = find_sequence(cards, PLANE)
    if run == NO_RUN and way == TRAINS_FIRST:
        run = find_sequence(cards, TRAIN)
    if run == NO_RUN:
        run = find_sequence(cards, STRAIGHT)
    if run == NO_RUN and way != TRAINS_FIRST:
        run = find_sequence(cards, TRAIN)
    if way == SHORT_FIRST and KIND[run] == STRAIGHT:
        run = RUN_START[STRAIGHT, SHORTEST[STRAIGHT]] + RANK[run]
    return run


@kernel
def run_cost(o: Any, run: int) -> float:
    """What a sequence costs: less the fewer higher ones are possible."""
    return float(RUN_COST[num_higher_runs(o, run)])


@kernel
def loose_cost(
    o: Any, cards: int, num_trios: int, dearest: float, second: float
) -> tuple[float, float, float]:
    """What cards that are in no sequence cost, and the two dearest groups of all.

    dearest, second: those of the sequences. Trios, also the `num_trios` in planes, take the lowest
    cards along for nothing. Fills `priced`, `charged` and `next_kicker` of `o`.
    """
    room = num_trios + popcount(ranks_with(cards, 3))
    o.priced, o.next_kicker = cards, 0.0
    turns = 0.0
    ranks = ranks_with(cards, 1)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        count = count_of(cards, rank)
        cost = group_cost(o, min(count, THICKEST), rank)
        if cost > 0 and (count == 2 or (count == 1 and o.solo_kickers)):
            if room > 0:
                room -= 1
                cost = 0.0
            elif o.next_kicker == 0.0:
                o.next_kicker = cost
        o.charged[rank] = cost
        turns += cost
        dearest, second = max(dearest, cost), max(min(dearest, cost), second)
    return turns, dearest, second


@kernel
def split_way(o: Any, cards: int, cost: float, way: int) -> None:
    """Take sequences out one by one, in one of the ways; keep the cheapest split on the way.

    cost: of the bombs, which are not among the `cards`.
    """
    runs, num_trios, dear, next_dear = NO_RUN, 0, 0.0, 0.0
    while True:
        turns, dearest, second = loose_cost(o, cards, num_trios, dear, next_dear)
        if cost + turns < o.turns:
            o.turns, o.dearest, o.second = cost + turns, dearest, second
            o.loose, o.runs, o.num_trios = cards, runs, num_trios
        run = next_run(cards, way)
        if run == NO_RUN:
            return
        if way == SHORT_FIRST and KIND[run] == STRAIGHT:
            way = LONG_FIRST
        more = run_cost(o, run)
        cards -= BODY[run]
        runs, cost = runs << RUN_BITS | run, cost + more
        num_trios += LENGTH[run] if KIND[run] == PLANE else 0
        dear, next_dear = max(dear, more), max(min(dear, more), next_dear)


@kernel
def split(o: Any, hand: int) -> None:
    """Find a cheap split of the packed cards; wild ones are ordinary cards here."""
    cards, bombs = take_bombs(o, hand)
    o.turns = np.inf
    split_way(o, cards, bombs, LONG_FIRST)
    straight = find_sequence(cards, STRAIGHT)
    if straight != NO_RUN:
        if LENGTH[straight] > SHORTEST[STRAIGHT]:
            split_way(o, cards, bombs, SHORT_FIRST)
        if find_sequence(cards, TRAIN) != NO_RUN:
            split_way(o, cards, bombs, TRAINS_FIRST)
    if o.priced != o.loose:
        loose_cost(o, o.loose, o.num_trios, 0.0, 0.0)


@kernel
def gap_ranks(ranks: int) -> int:
    """Ranks that would make a straight with the given ones."""
    length, gaps = SHORTEST[STRAIGHT], 0
    for start in range(NUM_SEQUENCE - length + 1):
        lacking = ~(ranks >> start) & ((1 << length) - 1)
        if popcount(lacking) == 1:
            gaps |= lacking << start
    return gaps


@kernel
def cheapest_pair_up(o: Any) -> tuple[int, float]:
    """The rank of the split that a wild card serves best beside its loose cards, and the turns.

    Without such a rank it stands alone.
    """
    pick, best = int(o.alone), np.inf
    left = ranks_with(o.loose, 1) & SUITED_RANKS
    while left:
        rank = lowest(left)
        left &= left - 1
        count = count_of(o.loose, rank) + 1
        if count > LEAST_BOMB:
            continue
        cost = bomb_cost(o, rank) if count == LEAST_BOMB else group_cost(o, count, rank)
        cost -= o.charged[rank]
        if count == THICKEST:
            cost -= o.next_kicker
        if cost < best:
            pick, best = rank, cost
    return pick, o.turns + best


@kernel
def place_wild(o: Any, hand: int) -> int:
    """A hand with its wild cards as what they are meant for; its split is left in `o`.

    One after the other is put where it saves most turns.
    """
    spare, cards = num_wild(hand, o.wild), without(hand, o.wild)
    if spare == LEAST_BOMB:
        cards, spare = hand, 0
    elif cards & SUITED_CARDS == 0:
        cards, spare = cards + (spare << (4 * o.alone)), 0
    split(o, cards)
    for _ in range(spare):
        pick, best = cheapest_pair_up(o)
        left = gap_ranks(ranks_with(cards, 1))
        while left:
            rank = lowest(left)
            left &= left - 1
            split(o, cards + (1 << (4 * rank)))
            if o.turns < best:
                pick, best = rank, o.turns
        cards += 1 << (4 * pick)
        split(o, cards)
    return cards


@kernel
def split_own(o: Any, hand: int) -> int:
    """Split a part of the own hand; returns it with wild cards as what they are meant for."""
    if num_wild(hand, o.wild) > 0:
        return place_wild(o, hand)
    split(o, hand)
    return hand


@kernel
def pick_from(rules: Any, declaration: int, cards: int, ranks: int, chosen: int) -> int:
    """Kickers out of the packed `cards`, of the lowest ranks, to go with the `chosen` ones."""
    room = kicker_room(rules, declaration, cards, chosen, NO_WILD)
    num, size, picked = num_missing(declaration, chosen), KICKER_CARDS[declaration], 0
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        for _ in range(min(count_of(room, rank), num)):
            if rank >= BLACK_JOKER and joker_room(rules, declaration, chosen + picked) <= 0:
                break
            picked += size << (4 * rank)
            num -= 1
    return picked


@kernel
def pick_kickers(o: Any, rules: Any, declaration: int, placed: int, chosen: int) -> int:
    """The kickers that a declaration needs beside the `chosen` ones, packed.

    placed: the wild cards in its body, packed. First come low groups of the right size, then what
    is in no sequence, then anything, wild cards last. None is lower than a chosen one (RULES 14.3).
    """
    wild, size = o.wild, KICKER_CARDS[declaration]
    hand = kicker_hand(rules, declaration, o.hand, num_cards(placed), wild)
    least = first_rank(declaration, hand, chosen, wild)
    ranks = ALL_RANKS >> least << least
    split(o, without(o.hand - body_cards(declaration, placed, wild), wild))
    groups = ranks_with(o.loose, size) & ~ranks_with(o.loose, size + 1) & ((1 << TWO) - 1)
    picked = pick_from(rules, declaration, o.loose, groups & ranks, chosen)
    picked += pick_from(rules, declaration, o.loose, ranks, chosen + picked)
    picked += pick_from(rules, declaration, without(hand, wild), ranks, chosen + picked)
    for _ in range(num_missing(declaration, chosen + picked)):
        pair = pick_wild_pair(o, rules, declaration, hand, chosen + picked, least)
        picked += pair if size == 2 else 1 << (4 * wild)
    return picked
