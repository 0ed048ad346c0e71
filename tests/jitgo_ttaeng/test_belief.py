"""Resampled worlds agree with all that a seat knows, and are uniform over the unseen cards."""

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import DECKS, hand_of, list_cards, list_packed, parse_cards
from envs.jitgo_ttaeng.hands import evaluate
from tests.conformance.play import look, walk
from tests.jitgo_ttaeng.positions import Table, banking, betting, set_of

NUM_SAMPLES = 20_000
NEVER = 1e-4  # fair samples fail this often, for one seed in 10,000


def resampled(view: Any, num: int, seed: int = 1) -> Array:
    worlds = np.repeat(np.array([view], GAME.state), num)
    GAME.resample(worlds, spawn_seeds(seed, num))
    return worlds


def test_another_hand_is_uniform_over_the_unseen_cards() -> None:
    """All C(15, 5) hands of one opponent, in groups of the same low cards."""
    table = betting([1000] * 2).hold("1G 2A 3G 4A 5A / 6A 7A 8G 9A 10A")
    worlds = resampled(table.view(0), NUM_SAMPLES)
    assert set(worlds["hands"][:, 0]) == {set_of("1G 2A 3G 4A 5A")}
    unseen = [card for card in DECKS[20].tolist() if not int(table.s.hands[0]) >> card & 1]
    pairs = Counter(
        pair for hand in worlds["hands"][:, 1].tolist() for pair in [tuple(list_cards(hand)[:2])]
    )
    expected = {
        pair: comb(len(unseen) - 1 - unseen.index(pair[1]), 3) / comb(15, 5) * NUM_SAMPLES
        for pair in combinations(unseen, 2)
        if len(unseen) - 1 - unseen.index(pair[1]) >= 3
    }
    common = [pair for pair, num in expected.items() if num >= 5]
    rest = NUM_SAMPLES - sum(expected[pair] for pair in common)
    counts = [pairs[pair] for pair in common]
    found = [*counts, NUM_SAMPLES - sum(counts)]
    assert chisquare(found, [*(expected[pair] for pair in common), rest]).pvalue > NEVER


def test_the_seats_share_the_unseen_cards_alike() -> None:
    worlds = resampled(betting([1000] * 3).view(0), NUM_SAMPLES)
    own = int(worlds["hands"][0, 0])
    card = next(card for card in DECKS[20].tolist() if not own >> card & 1)
    holders = [int((worlds["hands"][:, seat] >> card & 1).sum()) for seat in (1, 2)]
    nobody = NUM_SAMPLES - sum(holders)
    assert chisquare([*holders, nobody], np.full(3, NUM_SAMPLES / 3)).pvalue > NEVER


def test_own_cards_to_come_are_drawn_too() -> None:
    table = betting([1000] * 2, deal_schedule="4+1")
    worlds = resampled(table.view(0), 4_000)
    assert set(worlds["hands"][:, 0]) == {int(table.s.hands[0])}
    last = [list_packed(int(packed))[4] for packed in worlds["dealt"][:, 0]]
    counts = np.bincount(last, minlength=40)
    assert chisquare(counts[counts > 0]).pvalue > NEVER
    assert (counts > 0).sum() == 16


def test_the_piles_are_uniform_beside_their_face_up_cards() -> None:
    table = banking([100] * 3).act("stake all")
    worlds = resampled(table.view(1), NUM_SAMPLES)
    first = [int(pile).bit_length() - 1 for pile in table.s.face_up]
    for world in worlds[:50]:
        assert [list_packed(int(pile))[0] for pile in world.piles[1:]] == first
    card = next(card for card in DECKS[20].tolist() if card not in first)
    places = Counter(
        next(k for k, pile in enumerate(world) if card in list_packed(pile))
        for world in worlds["piles"][:4000].tolist()
    )
    shares = np.array([5, 4, 4, 4]) / 17 * 4000
    assert chisquare([places[k] for k in range(4)], shares).pvalue > NEVER


def test_before_bets_are_made_any_card_may_be_face_up() -> None:
    worlds = resampled(banking([100] * 3).view(0), 4_000)
    counts = Counter(worlds["face_up"][:, 0].tolist())
    assert len(counts) == 20
    assert chisquare(list(counts.values())).pvalue > NEVER


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deal_schedule": "2+2+1", "num_players": 3},
        {"deck": 40, "num_players": 7, "hand_set": "full", "max_hands": 3},
        {"mode": "banker", "num_players": 3, "voluntary_pass": True, "show_last": True},
    ],
    ids=str,
)
def test_worlds_agree_with_what_is_known(options: dict[str, Any]) -> None:
    rules, seeds = GAME.make_rules(**options), np.arange(6)
    walked = [states.copy() for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds)]
    states = np.concatenate(walked)[::9].copy()
    observers = np.arange(len(states)) % GAME.num_seats(rules)
    views = GAME.new_records(rules, len(states))
    GAME.decode(look(GAME, rules, states, observers), views)
    for s, me, view in zip(states, observers.tolist(), views, strict=True):
        for world in resampled(view, 3):
            check_world(s, me, world)


def check_world(s: Any, me: int, world: Any) -> None:
    """Compare with the true record `s` what seat `me` knows, who is seat 0 of the world."""
    num = int(s.rules.num_players)
    seats = [(me + k) % num for k in range(num)]
    assert world.hands[0] == s.hands[me]
    assert world.stacks[:num].tolist() == [s.stacks[seat] for seat in seats]
    for k, seat in enumerate(seats):
        if s.playing[seat] and not s.folded[seat]:
            hand = int(world.hands[k])
            assert hand.bit_count() == int(s.hands[seat]).bit_count()
            if hand.bit_count() == 5:
                assert world.results[k] == evaluate(world.rules, hand)
    packed = world.piles if s.rules.mode else world.dealt[:num]
    dealt = [card for cards in packed for card in list_packed(int(cards))]
    assert len(set(dealt)) == len(dealt)
    assert set(dealt) <= set(DECKS[int(s.rules.deck)].tolist())


def test_the_seed_decides() -> None:
    view = Table().view(0)
    assert np.array_equal(resampled(view, 50, seed=5), resampled(view, 50, seed=5))
    assert not np.array_equal(resampled(view, 50, seed=5)["hands"], resampled(view, 50)["hands"])


def test_worlds_play_on_with_chance_of_their_own() -> None:
    worlds = resampled(betting([1000] * 2).view(0), 60)
    for _ in range(2):
        GAME.apply(worlds, np.ones(60, np.int64))
    assert len(set(worlds["hands"][:, 0].tolist())) > 50


def test_cards_of_a_text() -> None:
    assert hand_of(parse_cards("1G 1R")) == 3
