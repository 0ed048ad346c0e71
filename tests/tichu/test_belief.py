"""Resampled worlds agree with all that a seat knows, and are uniform over what is possible."""

from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from envs.tichu.cards import MAHJONG, RANK_CARDS, format_cards, members, parse_cards
from envs.tichu.state import EXCHANGE, GRAND
from tests.conformance.play import look, walk
from tests.tichu.positions import Table, exchanged, position

NUM_SAMPLES = 6000
NEVER = 1e-4  # fair samples fail this often, for one seed in 10,000


def worlds_of(table: Table, seat: int, num: int = NUM_SAMPLES) -> np.ndarray:
    """Worlds that a seat has to reckon with; it is their seat 0."""
    worlds = np.repeat(table.view(seat), num)
    GAME.resample(worlds, spawn_seeds(1, num))
    return worlds


def settled(table: Table) -> Table:
    """The position without cards that nobody holds: the last player to have played gets them."""
    held = int(np.bitwise_or.reduce(table.s.hands))
    table.s.played[0] |= (1 << 56) - 1 & ~held & ~int(np.bitwise_or.reduce(table.s.played))
    return table


def is_uniform(found: Counter, outcomes: list) -> bool:
    counts = [found[outcome] for outcome in outcomes]
    assert sum(counts) == sum(found.values()), "an impossible world"
    return bool(chisquare(counts).pvalue > NEVER)


def hands_of(worlds: np.ndarray) -> Counter:
    return Counter(tuple(format_cards(int(hand)) for hand in row[1:]) for row in worlds["hands"])


def splits(pool: str, *sizes: int) -> list[tuple[str, ...]]:
    """All ways to deal the cards to hands of these sizes."""
    cards = members(parse_cards(pool))
    if not sizes:
        return [()]
    found = []
    for hand in combinations(cards, sizes[0]):
        rest = format_cards(sum(1 << card for card in cards if card not in hand))
        text = format_cards(sum(1 << card for card in hand))
        found += [(text, *others) for others in splits(rest, *sizes[1:])]
    return found


def test_11_unseen_cards_are_uniform_over_the_other_hands() -> None:
    table = settled(position("3g Kg", "4g 5g", "6b 7b", "8k 9k"))
    outcomes = splits("4g 5g 6b 7b 8k 9k", 2, 2, 2)
    assert len(outcomes) == comb(6, 2) * comb(4, 2)
    assert is_uniform(hands_of(worlds_of(table, 0)), outcomes)


def test_11_hands_of_different_sizes() -> None:
    table = settled(position("3g Kg", "4g 5g 6g", "7b", "8k"))
    assert is_uniform(hands_of(worlds_of(table, 0)), splits("4g 5g 6g 7b 8k", 3, 1, 1))


def test_11_a_card_given_stays_with_its_receiver() -> None:
    table = settled(position("3g Kg", "4g 5g", "6b 7b", "8k 9k"))
    table.s.given[0, 1] = parse_cards("6b")
    outcomes = [split for split in splits("4g 5g 6b 7b 8k 9k", 2, 2, 2) if "6b" in split[1]]
    assert is_uniform(hands_of(worlds_of(table, 0)), outcomes)


def test_11_until_it_is_played() -> None:
    table = settled(position("3g Kg", "4g 5g", "6b 7b", "8k 9k"))
    table.s.given[0, 1] = parse_cards("2b")  # long gone
    assert is_uniform(hands_of(worlds_of(table, 0)), splits("4g 5g 6b 7b 8k 9k", 2, 2, 2))


def test_11_the_leader_holds_the_mahjong_until_he_plays_it() -> None:
    table = settled(position("3g Kg", "4g 5g", "6b 7b", "8k MJ"))
    table.s.mahjong = 3
    worlds = worlds_of(table, 0)
    assert all(worlds["hands"][:, 3] & MAHJONG)
    outcomes = [split for split in splits("4g 5g 6b 7b 8k MJ", 2, 2, 2) if "MJ" in split[2]]
    assert is_uniform(hands_of(worlds), outcomes)


def test_11_who_lacks_the_wished_rank_has_none() -> None:
    hands = ("3g MJ", "4g 5g", "6b 9b", "9k 9g")
    table = settled(position(*hands).act("MJ; wish 9; pass"))
    assert table.s.lacks.tolist() == [0, 1, 0, 0]
    pool = "4g 5g 6b 9b 9k 9g"
    outcomes = [split for split in splits(pool, 2, 2, 2) if "9" not in split[0]]
    assert is_uniform(hands_of(worlds_of(table, 0)), outcomes)


def test_11_before_the_second_draw_everything_is_open() -> None:
    table = Table(GAME.new_games(GAME.make_rules(first_dealer=0), [3]))
    worlds = worlds_of(table, 0, 400)
    assert (worlds["phase"] == GRAND).all()
    own = worlds["dealt"][:, 0] & ~worlds["hands"][:, 0]
    assert len(set(own.tolist())) > 390  # the own cards to come are not known either
    counts = np.array([[(cards >> card & 1).sum() for card in range(56)] for cards in [own]])
    hidden = [card for card in range(56) if not int(table.s.hands[0]) >> card & 1]
    assert chisquare(counts[0, hidden]).pvalue > NEVER


@pytest.mark.parametrize("seat", range(4))
def test_11_what_was_given_and_received_is_kept(seat: int) -> None:
    table = exchanged(7, tichu_window="own_turn")
    worlds = worlds_of(table, seat, 200)
    s = table.s
    for k in range(3):
        assert (worlds["received"][:, k + 1, 2 - k] == s.given[seat, k]).all()
        assert (worlds["given"][:, k + 1, 2 - k] == s.received[seat, k]).all()
        assert (worlds["hands"][:, k + 1] & s.given[seat, k] == s.given[seat, k]).all()
    for world in worlds:
        assert GAME.problems(world) == []
        for giver in range(4):
            for k in range(3):
                card = int(world.given[giver, k])
                taker = (giver + k + 1) % 4
                assert card.bit_count() == 1
                assert world.received[taker, 2 - k] == card
                assert int(world.hands[taker]) & card and int(world.dealt[giver]) & card
        assert [int(cards).bit_count() for cards in world.dealt] == [14] * 4


def test_11_during_the_exchange_the_seats_before_have_picked() -> None:
    rules = GAME.make_rules("round", first_dealer=2)
    for states, _ in walk(GAME, GAME.new_games(rules, [4]), np.array([4])):
        s = states[0]
        if s.stage == EXCHANGE and s.turn == 0 and s.pending == 1:
            worlds = worlds_of(Table(states), 0, 50)
            assert all((worlds["given"][:, other] > 0).all() for other in (2, 3))
            assert not worlds["given"][:, 1].any()
            assert (worlds["pending"] == 1).all()
            return
    pytest.fail("seat 0 was never picking its second card")


def test_11_the_truth_is_among_the_worlds_that_are_drawn() -> None:
    table = settled(position("3g Kg", "4g", "6b", "8k"))
    assert hands_of(worlds_of(table, 0, 500))["4g", "6b", "8k"] > 40


def test_11_no_world_contradicts_a_wish_that_was_not_served() -> None:
    rules, seeds = GAME.make_rules("round"), np.arange(60)
    checked = 0
    for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds):
        rows = np.flatnonzero(states["lacks"].any(1) & (states["turn"] >= 0))
        if not len(rows):
            continue
        seats = states["turn"][rows]
        views = np.zeros(len(rows), GAME.state)
        GAME.decode(look(GAME, rules, states[rows], seats), views)
        GAME.resample(views, spawn_seeds(2, len(rows)))
        for true, world, seat in zip(states[rows], views, seats, strict=True):
            for other in range(4):
                if true.lacks[other]:
                    barred = int(RANK_CARDS[true.wished])
                    assert not int(true.hands[other]) & barred
                    assert not int(world.hands[(other - seat) % 4]) & barred
                    checked += 1
    assert checked > 100
