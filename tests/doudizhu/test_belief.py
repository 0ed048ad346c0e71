"""Resampled worlds agree with all that a seat knows, and are uniform over deals of distinct cards.

Uniformity is checked on positions with few unseen cards, by going through all their deals.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import (
    RANK_CHARS,
    bottom_size,
    count_of,
    counts_of,
    deck_counts,
    format_cards,
    num_cards,
    parse_cards,
)
from envs.doudizhu.state import BIDDING, NONE
from tests.conformance.play import look, walk
from tests.doudizhu.positions import Table, auction, game_of

NUM_SAMPLES = 20_000
NEVER = 1e-4  # fair samples fail this often, for one seed in 10,000
Outcome = tuple[str, ...]  # cards of the seats from 1 on, and the bottom
Card = tuple[str, int]  # rank and copy
Deal = tuple[set[Card], ...]  # dealt to the seats from 1 on, and the bottom


def holds(hand: int, cards: int) -> bool:
    return all(a >= b for a, b in zip(counts_of(hand), counts_of(cards), strict=True))


class Position(NamedTuple):
    """What seat 0 knows: `pool` are all cards that it was not dealt and has not taken up."""

    pool: str
    sizes: tuple[int, ...]  # cards dealt to the other seats; the other cards of the pool: bottom
    landlord: int = NONE
    played: tuple[str, ...] = ("", "", "")  # by the other seats
    bottom: str = ""  # if it was shown
    face_up: tuple[str, int] | None = None  # card and seat, not 0

    @property
    def seats(self) -> int:
        return 1 + len(self.sizes)

    @property
    def deck(self) -> int:
        return deck_counts(self.seats)


POSITIONS = {
    "own landlord": Position("5555667788", (5, 5), 0, bottom="3KA"),
    "own landlord, cards played": Position("55556677889", (6, 5), 0, ("56", "77"), "3KA"),
    "own landlord, face-up card": Position("5555667788", (5, 5), 0, ("5", ""), "3KA", ("5", 1)),
    "known bottom": Position("5555667788K", (4, 4), 1, bottom="57K"),
    "known bottom, cards played": Position("555566778899", (4, 5), 1, ("55", "6"), "579"),
    "known bottom, all played": Position("555566778899", (5, 4), 2, ("8", "579"), "579"),
    "known bottom, face-up there": Position("555566778899", (4, 5), 1, ("5", "6"), "569", ("5", 1)),
    "known bottom, face-up elsewhere": Position(
        "555566778899", (4, 5), 1, ("55", "5"), "689", ("5", 2)
    ),
    "hidden bottom": Position("5555667788", (4, 3), 2),
    "hidden bottom, cards played": Position("5555667788", (4, 3), 2, ("5", "557")),
    "hidden bottom, face-up there": Position("5556677889", (4, 3), 2, ("", "6"), "", ("5", 2)),
    "hidden bottom, face-up elsewhere": Position(
        "5556677889", (4, 3), 2, ("6", "55"), "", ("5", 1)
    ),
    "auction": Position("5555667788", (4, 3)),
    "auction, face-up": Position("5555667788", (3, 4), face_up=("5", 2)),
    "four, own landlord": Position("555566667", (3, 3, 3), 0, ("55", "", "6"), "33344478"),
    "four, known bottom": Position("5556678899JJK", (2, 2, 1), 2, ("5", "99", ""), "56899JJK"),
    "four, hidden bottom": Position("55555667788", (1, 1, 1), 3, ("", "5", "567")),
    "four, auction": Position("55555667788", (1, 1, 1), face_up=("5", 2)),
}


def true_table(position: Position) -> Table:
    """A game in which seat 0 is in this position; it has played nearly all it was dealt."""
    bottom_hidden = len(position.pool) - sum(position.sizes)
    table = game_of(
        "3 3 3",
        max(position.landlord, 0),
        players=position.seats,
        reveal_bottom=bool(position.bottom),
    )
    s = table.s
    own = position.deck - parse_cards(position.pool)
    s.hands[0], s.played[0], s.sizes[0] = own, 0, 17
    if position.landlord == NONE:
        s.phase, s.landlord, s.turn, s.base_score = BIDDING, NONE, 0, 0
        s.bottom = parse_cards(position.pool[-bottom_hidden:])
    else:
        s.hands[0] = parse_cards("3")
        s.played[0], s.sizes[0] = own - parse_cards("3"), 1
        s.bottom = parse_cards(position.bottom or "567")
    for seat, (size, played) in enumerate(zip(position.sizes, position.played, strict=False), 1):
        taken_up = bottom_size(position.seats) if seat == position.landlord else 0
        s.played[seat] = parse_cards(played)
        s.sizes[seat] = size + taken_up - len(played)
    s.face_up, s.face_up_seat = NONE, NONE
    if position.face_up:
        s.face_up, s.face_up_seat = RANK_CHARS.index(position.face_up[0]), position.face_up[1]
    return table


def labelled_deals(position: Position) -> Iterator[Deal]:
    """All deals of distinct cards."""
    cards = [(rank, position.pool[:i].count(rank)) for i, rank in enumerate(position.pool)]
    yield from deals_of(set(cards), position.sizes)


def deals_of(cards: set[Card], sizes: tuple[int, ...]) -> Iterator[Deal]:
    """All ways to deal so many of the cards to each seat; the rest comes last."""
    if not sizes:
        yield (cards,)
        return
    for hand in combinations(sorted(cards), sizes[0]):
        for others in deals_of(cards - set(hand), sizes[1:]):
            yield (set(hand), *others)


def ranks(cards: Iterable[Card]) -> Counter[str]:
    return Counter(rank for rank, _ in cards)


def played_copies(position: Position) -> list[set[Card]]:
    """The cards that the other seats played, all distinct; which copies does not matter."""
    seen, sets = Counter[str](), []
    for played in position.played[: len(position.sizes)]:
        sets.append({(rank, seen[rank] + played[:i].count(rank)) for i, rank in enumerate(played)})
        seen.update(played)
    return sets


def chance_of_plays(hand: set[Card], played: set[Card], copies_seen: bool) -> Fraction:
    """How likely the plays are from a hand, for an observer who sees copies or ranks only."""
    have, put = ranks(hand), ranks(played)
    if not copies_seen:
        return Fraction(put <= have)
    ways = prod(comb(have[rank], num) for rank, num in put.items())
    return Fraction(played <= hand, max(ways, 1))


def posterior(position: Position, copies_seen: bool = False) -> dict[Outcome, Fraction]:
    """Probability of every world: all deals of distinct cards that agree with what is known.

    With `copies_seen` the observer sees which copies are played; a player who plays cards of a
    rank plays any of his copies alike.
    """
    weights: defaultdict[Outcome, Fraction] = defaultdict(Fraction)
    for *dealt, bottom in labelled_deals(position):
        if position.bottom and position.landlord and ranks(bottom) != Counter(position.bottom):
            continue
        weight = Fraction(1)
        if position.face_up:
            rank, seat = position.face_up
            weight *= ranks(dealt[seat - 1])[rank]  # each of them may be the card shown
        hands = [
            hand | bottom if position.landlord == seat else hand
            for seat, hand in enumerate(dealt, 1)
        ]
        left = []
        for hand, cards in zip(hands, played_copies(position), strict=True):
            weight *= chance_of_plays(hand, cards, copies_seen)
            left.append(text_of(ranks(hand) - ranks(cards)))
        if weight:
            weights[*left, text_of(ranks(bottom)) or position.bottom] += weight
    total = sum(weights.values(), Fraction(0))
    return {outcome: weight / total for outcome, weight in weights.items()}


def text_of(cards: Counter[str]) -> str:
    return "".join(sorted(cards.elements(), key=RANK_CHARS.index))


def resampled(view: Any, num: int, seed: int = 1) -> Array:
    worlds = np.repeat(np.array([view], GAME.state), num)
    GAME.resample(worlds, spawn_seeds(seed, num))
    return worlds


def sampled(table: Table) -> Counter[Outcome]:
    worlds = resampled(table.view(0), NUM_SAMPLES)
    rows = np.c_[worlds["hands"][:, 1 : table.seats], worlds["bottom"]]
    outcomes, counts = np.unique(rows, axis=0, return_counts=True)
    found = Counter[Outcome]()
    for outcome, count in zip(outcomes.tolist(), counts.tolist(), strict=True):
        found[tuple(map(format_cards, outcome))] = count
    return found


@pytest.mark.parametrize("name", POSITIONS)
def test_worlds_are_uniform_over_deals(name: str) -> None:
    expected = posterior(POSITIONS[name])
    found = sampled(true_table(POSITIONS[name]))
    assert set(found) <= set(expected)
    common = [outcome for outcome, share in expected.items() if share * NUM_SAMPLES >= 5]
    shares = np.array([float(expected[outcome]) for outcome in common])
    counts = np.array([found[outcome] for outcome in common])
    if len(common) < len(expected):
        shares, counts = np.r_[shares, 1 - shares.sum()], np.r_[counts, NUM_SAMPLES - counts.sum()]
    assert len(shares) >= 8
    assert chisquare(counts, NUM_SAMPLES * shares).pvalue > NEVER


@pytest.mark.parametrize("name", [name for name, p in POSITIONS.items() if any(p.played)])
def test_it_makes_no_difference_to_see_which_copies_are_played(name: str) -> None:
    position = POSITIONS[name]
    assert posterior(position, copies_seen=True) == posterior(position)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"reveal_bottom": False},
        {"hands_per_match": 2, "doubling": "double"},
        {"players": 4},
        {"players": 4, "reveal_bottom": False},
        {"wild": "random"},
    ],
    ids=str,
)
def test_worlds_agree_with_what_is_known(options: dict[str, Any]) -> None:
    rules, seeds = GAME.make_rules(**options), np.arange(8)
    walked = [states.copy() for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds)]
    states = np.concatenate(walked)[::13].copy()
    observers = np.arange(len(states)) % rules.players
    views = GAME.new_records(rules, len(states))
    GAME.decode(look(GAME, rules, states, observers), views)
    for s, me, view in zip(states, observers.tolist(), views, strict=True):
        for world in resampled(view, 3):
            check_world(s, me, world)


def check_world(s: Any, me: int, world: Any) -> None:
    """Compare with the true record `s` what seat `me` knows, who is seat 0 of the world."""
    num_seats = int(s.rules.players)
    seats = [(me + k) % num_seats for k in range(num_seats)]
    hands = [int(hand) for hand in world.hands[:num_seats]]
    assert hands[0] == s.hands[me]
    assert [num_cards(hand) for hand in hands] == [int(s.sizes[seat]) for seat in seats]
    had = [hand + int(s.played[seat]) for hand, seat in zip(hands, seats, strict=True)]
    bottom = int(world.bottom)
    assert num_cards(bottom) == bottom_size(num_seats)
    assert sum(had) + (bottom if s.landlord == NONE else 0) == deck_counts(num_seats)
    if s.landlord != NONE:
        landlord = seats.index(int(s.landlord))
        assert holds(had[landlord], bottom)  # clause 12.2
        had[landlord] -= bottom
        if s.rules.reveal_bottom or landlord == 0:
            assert bottom == s.bottom
        assert world.wild == s.wild
    if s.face_up != NONE:
        assert count_of(had[seats.index(int(s.face_up_seat))], int(s.face_up)) > 0


def test_the_hidden_bottom_is_not_always_what_the_landlord_still_holds() -> None:
    position = POSITIONS["hidden bottom, cards played"]
    worlds = resampled(true_table(position).view(0), 200)
    assert not all(holds(int(world.hands[2]), int(world.bottom)) for world in worlds)


def test_the_seed_decides() -> None:
    view = true_table(POSITIONS["hidden bottom"]).view(0)
    assert np.array_equal(resampled(view, 50, seed=5), resampled(view, 50, seed=5))
    assert not np.array_equal(resampled(view, 50, seed=5)["hands"], resampled(view, 50)["hands"])


def test_the_wild_rank_is_drawn_anew_before_there_is_a_landlord() -> None:
    worlds = resampled(auction(wild="random").view(0), 13_000)
    counts = np.bincount(worlds["wild"], minlength=13)
    assert chisquare(counts).pvalue > NEVER
    assert (resampled(auction(wild="three").view(0), 20)["wild"] == 0).all()
