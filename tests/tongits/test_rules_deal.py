"""Sections 1 and 3 of the rules: the cards, the seats, the deal, who begins."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.errors import CardError
from envs.core.game import Array
from envs.tongits import GAME
from envs.tongits.cards import (
    DECK,
    RANK_VALUES,
    cards_in,
    format_card,
    format_cards,
    num_cards,
    parse_card,
    parse_cards,
    ranks_with_four,
    ranks_with_three,
)
from envs.tongits.state import DRAWING, NOTHING, PLAYING, TONGITS
from envs.tongits.values import hand_value
from tests.tongits.positions import Table, dealt, position

NUM_DEALS = 3000
NEVER = 1e-4  # a fair deal fails a test this often, for one seed in 10,000
COMPLETE = {
    12: "AS 2S 3S 4S 5S 6S 7H 7D 7C KH KD KC",
    13: "AS 2S 3S 4S 5S 6S 7H 7D 7C KS KH KD KC",
}
"""Hands of melds alone."""


@pytest.fixture(scope="module")
def deals() -> Array:
    return GAME.new_games(GAME.make_rules(), range(NUM_DEALS))


def with_complete_hand(dealer_cards: int) -> Table:
    """A deal in which the dealer, seat 0, holds nothing but melds."""
    table = dealt(dealer_cards=dealer_cards, first_dealer=0)
    own = parse_cards(COMPLETE[dealer_cards])
    rest = [format_card(card) for card in cards_in(DECK & ~own)]
    hands = [format_cards(own), " ".join(rest[:12]), " ".join(rest[12:24])]
    GAME.write_deal(table.s, {"hands": hands, "stock": " ".join(rest[24:]), "dealer": 0})
    return table


def test_1_1_turns_run_to_the_right_hand_neighbour() -> None:
    table, turns = dealt(first_dealer=2), []
    for _ in range(4):
        turns.append(int(table.s.turn))
        table.play("DRAW").play(table.legal("DISCARD")[0])
    assert turns == [2, 0, 1, 2]


def test_1_2_a_card_is_rank_and_suit() -> None:
    assert parse_card("AS") == 0
    assert parse_card("td") == 2 * 13 + 9
    for text in ("", "A", "1S", "AX", "10S", "AS2"):
        with pytest.raises(CardError, match="is no card"):
            parse_card(text)
    with pytest.raises(CardError, match="comes twice"):
        parse_cards("AS 2S AS")


def test_1_3_cards_are_sorted_by_suit_then_rank() -> None:
    words = format_cards(DECK).split()
    assert words[:14] == [*(rank + "S" for rank in "A23456789TJQK"), "AH"]
    assert [word[1] for word in words[::13]] == ["S", "H", "D", "C"]
    assert parse_cards(format_cards(DECK)) == DECK == 2**52 - 1


def test_1_4_values_of_cards() -> None:
    assert RANK_VALUES.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_ranks_that_a_set_of_cards_holds_three_or_four_of() -> None:
    cards = parse_cards("AS AH AD AC 5S 5D 5C 9H 9C KH KD KC")
    assert cards_in(ranks_with_three(cards)) == [0, 4, 12]
    assert cards_in(ranks_with_four(cards)) == [0]


def test_3_1_everybody_may_deal_the_first_hand(deals: Array) -> None:
    counts = np.bincount(deals["dealer"], minlength=3)
    assert chisquare(counts).pvalue > NEVER


def test_3_2_twelve_cards_each_and_sixteen_in_the_stock(deals: Array) -> None:
    assert {num_cards(int(hand)) for hand in deals["hands"].ravel()} == {12}
    assert (deals["sizes"] == 12).all()
    assert (deals["stock_size"] == 16).all()
    stocks = [sum(1 << card for card in map(int, stock)) for stock in deals["stock"]]
    assert (deals["hands"].sum(1) + stocks == DECK).all()


def test_3_2_every_card_may_go_anywhere(deals: Array) -> None:
    for hands in deals["hands"].T:
        counts = Counter(card for hand in hands for card in cards_in(hand))
        assert chisquare([counts[card] for card in range(52)]).pvalue > NEVER
    for place in (0, 7, 15):
        assert chisquare(np.bincount(deals["stock"][:, place], minlength=52)).pvalue > NEVER


def test_3_2_d1_no_card_is_turned_up(deals: Array) -> None:
    assert not deals["pile_size"].any()
    assert (deals["top"] == -1).all()


def test_3_3_the_dealer_begins_and_can_only_draw(deals: Array) -> None:
    assert (deals["turn"] == deals["dealer"]).all()
    assert (deals["phase"] == DRAWING).all()
    assert (GAME.masks(deals).sum(1) == 1).all()
    assert Table(deals[:1].copy()).legal() == ["DRAW"]


def test_3_4_a_dealer_with_13_cards_begins_by_playing() -> None:
    table = dealt(dealer_cards=13, first_dealer=1)
    assert table.s.sizes.tolist() == [12, 13, 12]
    assert (table.s.turn, table.s.phase, table.s.stock_size) == (1, PLAYING, 15)
    assert not table.pieces(1)["drawn"].any()
    assert len(table.legal("DISCARD")) == 13
    assert "DRAW" not in table.legal()


def test_3_5_d2_a_hand_complete_when_dealt_wins_after_the_first_action() -> None:
    table = with_complete_hand(12)
    assert hand_value(int(table.s.hands[0])) == 0
    assert table.s.outcome == NOTHING
    drawn = format_card(table.s.stock[table.s.stock_size - 1])
    table.play("DRAW")
    assert table.s.outcome == NOTHING
    assert table.play(f"DISCARD {drawn}").result[:2] == (TONGITS, 0)


def test_3_5_d2_a_dealer_of_13_wins_by_laying_a_meld_of_his_complete_hand() -> None:
    table = with_complete_hand(13)
    assert table.s.outcome == NOTHING
    assert table.play("MELD KS KH KD KC").result[:2] == (TONGITS, 0)


def test_3_5_d2_a_dealt_quad_brings_nothing_at_the_deal() -> None:
    table = position("KS KH KD KC 2S | 3H | 4H", phase="DRAW")
    assert table.legal() == ["DRAW"]
