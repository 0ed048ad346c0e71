"""Resampled worlds agree with all that a seat knows, and are uniform over the hidden cards.

Uniformity is checked on positions with few unseen cards, by going through all their deals.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.tongits import GAME
from envs.tongits.cards import DECK, cards_in, format_cards, num_cards, parse_cards
from envs.tongits.state import ENDED, exposed, in_pile
from envs.tongits.values import hand_value
from tests.conformance.play import look, walk
from tests.tongits.positions import Table, position

NUM_SAMPLES = 20_000
NEVER = 1e-4  # fair samples fail this often, for one seed in 10,000
World = tuple[int, int, tuple[int, ...]]  # hands of seats 1 and 2, and the stock


class Position(NamedTuple):
    """What seat 0 knows: `unseen` are the cards of the other seats and of the stock."""

    unseen: str
    sizes: tuple[int, int]  # cards of seats 1 and 2; the rest is the stock
    turns: int = 9
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed


POSITIONS = {
    "nobody can be complete": Position("AS 3H 5D 7C 9S JH KD", (2, 2)),
    "a complete hand is excluded": Position("AS 2S 3S 4S 8H QD", (3, 2)),
    "both may not be complete": Position("AS 2S 3S KH KD KC 9C", (3, 3)),
    "melds in the hand do not count": Position(
        "AS 2S 3S 4S 8H QD", (3, 2), options={"tongits_hidden_melds": False}
    ),
    "seat 2 has not finished a turn": Position("AS 2S 3S 4S 8H QD", (2, 3), turns=2),
    "a long stock": Position("AS 3H 5D 7C 9S JD", (1, 1)),
}


def true_table(known: Position) -> Table:
    """A game in which seat 0 is in this position; it has exposed all other cards."""
    cards = known.unseen.split()
    one, two = known.sizes
    hands = [" ".join(cards[:one]), " ".join(cards[one : one + two])]
    table = position(
        f"2C | {hands[0]} | {hands[1]}", phase="DRAW", stock=" ".join(cards[one + two :]),
        **known.options,
    )  # fmt: skip
    s = table.s
    s.dealer, s.turns = 0, known.turns
    s.melds[0] = DECK & ~parse_cards(known.unseen) & ~s.hands[0]
    return table


def possible_worlds(known: Position) -> Iterator[World]:
    """All deals of the unseen cards."""
    cards = cards_in(parse_cards(known.unseen))
    for one in combinations(cards, known.sizes[0]):
        rest = [card for card in cards if card not in one]
        for two in combinations(rest, known.sizes[1]):
            hands = [sum(1 << card for card in hand) for hand in (one, two)]
            done = [known.turns > seat and hands[seat - 1] for seat in (1, 2)]
            melds_count = known.options.get("tongits_hidden_melds", True)
            if melds_count and any(hand and hand_value(hand) == 0 for hand in done):
                continue
            for stock in permutations([card for card in rest if card not in two]):
                yield hands[0], hands[1], stock


def resampled(view: Any, num: int, seed: int = 1) -> Array:
    worlds = np.repeat(np.array([view], GAME.state), num)
    GAME.resample(worlds, spawn_seeds(seed, num))
    return worlds


def sampled(table: Table) -> Counter[World]:
    worlds = resampled(table.view(0), NUM_SAMPLES)
    rows = np.c_[worlds["hands"][:, 1:], worlds["stock"][:, : table.s.stock_size]]
    outcomes, counts = np.unique(rows, axis=0, return_counts=True)
    found = Counter[World]()
    for (one, two, *stock), count in zip(outcomes.tolist(), counts.tolist(), strict=True):
        found[one, two, tuple(stock)] = count
    return found


@pytest.mark.parametrize("name", POSITIONS)
def test_11_5_worlds_are_uniform(name: str) -> None:
    worlds = list(possible_worlds(POSITIONS[name]))
    found = sampled(true_table(POSITIONS[name]))
    assert set(found) <= set(worlds)
    assert 8 <= len(worlds) <= NUM_SAMPLES // 5
    assert chisquare([found[world] for world in worlds]).pvalue > NEVER


def test_11_5_complete_hands_are_excluded_where_they_would_have_ended_the_hand() -> None:
    counts = {name: len(list(possible_worlds(known))) for name, known in POSITIONS.items()}
    everything = factorial(6) // factorial(3) // factorial(2)
    assert counts["melds in the hand do not count"] == everything
    assert counts["a complete hand is excluded"] < everything
    assert counts["seat 2 has not finished a turn"] == everything


@pytest.mark.parametrize("options", [{}, GAME.presets["filipino"], GAME.presets["jackpot"]])
def test_worlds_agree_with_what_is_known(options: dict[str, Any]) -> None:
    rules, seeds = GAME.make_rules(**options), np.arange(8)
    walked = [states.copy() for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds)]
    states = np.concatenate(walked)[::7].copy()
    observers = np.arange(len(states)) % 3
    views = GAME.new_records(rules, len(states))
    GAME.decode(look(GAME, rules, states, observers), views)
    for s, me, view in zip(states, observers.tolist(), views, strict=True):
        for world in resampled(view, 3):
            check_world(s, me, world)


def check_world(s: Any, me: int, world: Any) -> None:
    """Compare with the true record `s` what seat `me` knows, who is seat 0 of the world."""
    seats = [(me + k) % 3 for k in range(3)]
    hands = [int(hand) for hand in world.hands]
    assert hands[0] == s.hands[me]
    assert [num_cards(hand) for hand in hands] == [int(s.sizes[seat]) for seat in seats]
    stock = world.stock[: world.stock_size].tolist()
    assert len(stock) == s.stock_size
    hidden = hands[1] | hands[2] | sum(1 << card for card in stock)
    assert hidden == DECK & ~(int(s.hands[me]) | exposed(s) | in_pile(s))
    if s.phase != ENDED and s.rules.tongits_hidden_melds and s.turns >= 3:
        assert all(hand_value(hand) for hand in hands[1:])


def test_cards_left_lying_exclude_nothing() -> None:
    """Seat 2 discarded a king although it could have kept it, and may hold the others."""
    table = position("2C 3C | 4H 5H | KH KS 9D", turn=0, phase="DRAW", pile="KD")
    kings = parse_cards("KS KH")
    hands = resampled(table.view(0), 2000)["hands"][:, 2]
    assert (hands & kings == kings).any()


def test_the_seed_decides() -> None:
    view = true_table(POSITIONS["a long stock"]).view(0)
    assert np.array_equal(resampled(view, 50, seed=5), resampled(view, 50, seed=5))
    assert not np.array_equal(resampled(view, 50, seed=5)["stock"], resampled(view, 50)["stock"])


def test_a_view_that_no_game_leads_to_is_completed_all_the_same() -> None:
    """Seat 1 can only hold a meld."""
    table = true_table(Position("AS 2S 3S", (3, 0)))
    assert format_cards(int(resampled(table.view(0), 1)[0].hands[1])) == "AS 2S 3S"
