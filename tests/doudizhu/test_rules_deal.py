"""Sections 1 and 3 of the rules: the cards, the seats, the deal, who bids first."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.game import Array
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_3, RANK_CHARS, count_of, format_cards, num_cards
from envs.doudizhu.state import BIDDING, NONE
from tests.doudizhu.positions import Table, auction, beats, game_of, leads, readings

NUM_DEALS = 3000
NEVER = 1e-4  # a fair deal fails a test this often, for one seed in 10,000


@pytest.fixture(scope="module")
def deals() -> Array:
    return GAME.new_games(GAME.make_rules(), range(NUM_DEALS))


def next_hand(seed: int = 1, **options: Any) -> Table:
    """The second hand of a match: seat 0 bid first and is landlord, seat 1 went out."""
    table = auction(seed=seed, hands_per_match=3, **options).act("3")
    return table.hold("357 44 66").act("3 4 pass pass 4")


def test_1_1_the_next_seat_is_one_further_round_the_table() -> None:
    table, turns = auction(first=2), []
    for _ in range(2):
        turns.append(int(table.s.turn))
        table.act("pass")
    assert [*turns, int(table.s.turn)] == [2, 0, 1]
    table = game_of("33 44 55", landlord=1)
    turns = [int(table.act(play).s.turn) for play in ("4", "5", "pass")]
    assert turns == [2, 0, 1]


def test_1_2_one_pack(deals: Array) -> None:
    cards = deals["hands"][:, :3].sum(1) + deals["bottom"]
    assert (cards == DECK_3).all()
    assert format_cards(DECK_3) == "".join(rank * 4 for rank in RANK_CHARS[:13]) + "BR"


def test_1_3_order_of_the_ranks() -> None:
    assert RANK_CHARS == "3456789TJQKA2BR"
    for low, high in pairwise(RANK_CHARS):
        assert beats(high, low)
        assert not beats(low, high)


@pytest.mark.parametrize("cards", ["JQKA2", "A2345", "KKAA22", "AAA222", "TJQKA2", "2BR34", "KA23"])
def test_1_4_twos_and_jokers_are_in_no_sequence(cards: str) -> None:
    assert readings(cards) == []


@pytest.mark.parametrize("cards", ["3456B", "3R", "33B", "3334B", "444BR"])
def test_1_5_jokers_are_never_wild(cards: str) -> None:
    kinds = {kind for kind, _, _ in readings(cards)}
    assert kinds <= {"trio_solo"}


def test_1_6_cards_of_a_rank_are_alike() -> None:
    assert leads("3334") == {"3", "33", "333", "4", "333+4"}


def test_1_7_hand_sizes(deals: Array) -> None:
    assert (deals["sizes"][:, :3] == 17).all()
    assert {num_cards(int(hand)) for hand in deals["hands"][:, :3].ravel()} == {17}
    assert {num_cards(int(bottom)) for bottom in deals["bottom"]} == {3}
    table = auction().act("pass 3")
    assert [len(hand) for hand in table.hands] == [17, 20, 17]
    assert table.s.sizes[:3].tolist() == [17, 20, 17]


def test_3_1_every_card_may_go_anywhere(deals: Array) -> None:
    for rank in (0, 7, 14):
        places = np.c_[deals["hands"][:, :3], deals["bottom"]]
        counts = ((places >> (4 * rank)) & 15).sum(0)
        assert chisquare(counts, counts.sum() * np.array([17, 17, 17, 3]) / 54).pvalue > NEVER


def test_3_2_the_holder_of_the_face_up_card_bids_first(deals: Array) -> None:
    assert (deals["first"] == deals["face_up_seat"]).all()
    assert (deals["turn"] == deals["first"]).all()
    for s in deals:
        assert count_of(int(s.hands[s.face_up_seat]), int(s.face_up)) > 0


def test_3_3_d3_the_face_up_card_is_any_of_the_cards_dealt(deals: Array) -> None:
    seats = np.bincount(deals["face_up_seat"], minlength=3)
    assert chisquare(seats).pvalue > NEVER
    ranks = np.bincount(deals["face_up"], minlength=15)
    assert chisquare(ranks, NUM_DEALS * np.array([4] * 13 + [1, 1]) / 54).pvalue > NEVER
    held = Counter(count_of(int(s.hands[s.face_up_seat]), int(s.face_up)) for s in deals)
    copies = Counter[int]()  # of the rank of each card in any hand: what a random card would show
    for hand in deals["hands"][:, :3].ravel().tolist():
        for rank in range(15):
            copies[count_of(hand, rank)] += count_of(hand, rank)
    shares = np.array([copies[num] for num in (1, 2, 3, 4)]) / (51 * NUM_DEALS)
    assert chisquare([held[num] for num in (1, 2, 3, 4)], NUM_DEALS * shares).pvalue > NEVER


def test_3_4_d4_everybody_sees_the_face_up_card_and_its_holder() -> None:
    table = Table(GAME.new_games(GAME.make_rules(), [5]))
    for seat in range(3):
        pieces = table.pieces(seat)
        assert np.flatnonzero(pieces["face_up"]).tolist() == [table.s.face_up]
        assert np.flatnonzero(pieces["face_up_seat"]).tolist() == [
            (table.s.face_up_seat - seat) % 3
        ]


@pytest.mark.parametrize(("rule", "first"), [("winner", 1), ("landlord", 0), ("rotate", 1)])
def test_3_5_d5_the_first_bidder_of_later_hands(rule: str, first: int) -> None:
    table = next_hand(first_bidder_next=rule)
    assert (table.s.first, table.s.turn) == (first, first)
    assert (table.s.face_up, table.s.face_up_seat) == (NONE, NONE)


def test_3_5_d5_rotation_goes_by_the_first_bidder_and_not_by_the_winner() -> None:
    table = auction(first=1, hands_per_match=3, first_bidder_next="rotate").act("pass 3")
    assert table.hold("4 5 3").act("3").s.first == 2
    table = auction(first=1, hands_per_match=3, first_bidder_next="winner").act("pass 3")
    assert table.hold("4 5 3").act("3").s.first == 2
    table = auction(first=2, hands_per_match=3, first_bidder_next="rotate").act("pass 3")
    assert table.hold("3 4 5").act("3").s.first == 0


def test_3_5_d5_a_face_up_card_for_every_hand() -> None:
    tables = [next_hand(seed, first_bidder_next="face_up") for seed in range(20)]
    assert all(table.s.face_up != NONE for table in tables)
    assert {int(table.s.first) for table in tables} == {0, 1, 2}
    assert all(table.s.first == table.s.face_up_seat for table in tables)


def test_3_5_d6_no_cards_are_exchanged() -> None:
    table = next_hand()
    assert table.s.phase == BIDDING
    assert [len(hand) for hand in table.hands] == [17, 17, 17]
    assert GAME.problems(table.s) == []


def test_3_6_nobody_sees_the_bottom_before_there_is_a_landlord() -> None:
    table = auction(snatch=True)
    for calls in ("", "1", "3", "snatch"):
        table.act(calls)
        assert not any(table.pieces(seat)["bottom"].any() for seat in range(3))
    table.act("decline decline")
    assert all(table.pieces(seat)["bottom"].sum() == 3 for seat in range(3))
