"""The table in words: what a seat is shown, what happened last, deals as plain data."""

from typing import Any

import pytest

from envs.core.errors import CardError
from envs.tongits import GAME
from envs.tongits.render import split_melds
from tests.cases.tongits import set_of
from tests.tongits.positions import dealt, position

MELDS = "0 7S 7H 7D | 1 9S TS JS | 1 2S 3S 4S | 2 JH JD JC"


def test_a_seat_is_shown_its_own_cards_only() -> None:
    table = position("8S KD 2C | 8H 3C | TD 2H", melds=MELDS)
    shown = ["8S  KD  2C", "8H  3C", "2H  TD"]
    for me in range(3):
        text = GAME.render(table.s, me)
        assert [hand in text for hand in shown] == [seat == me for seat in range(3)]
    assert all(hand in GAME.render(table.s, None) for hand in shown)


def test_the_table_as_a_seat_sees_it() -> None:
    table = position("8S KD 2C | 8H 3C | TD 2H 4H", melds=MELDS, pile="5H KS", stock="QS QH QD")
    assert GAME.render(table.play("DISCARD KD").s, 1).splitlines() == [
        "Tongits, hand 1 of 1: turn 2, seat 1 to draw",
        "  stock 3, pile 5H KS KD",
        "  seat 0 (dealer): 2 cards",
        "           melds 7S 7H 7D",
        "> seat 1: 8H  3C, value 11",
        "           melds 2S 3S 4S | 9S TS JS",
        "  seat 2: 3 cards",
        "           melds JH JD JC",
        "  seat 0 discards KD",
    ]


def test_the_table_after_a_knock() -> None:
    table = position("8S KD | 8H 3C | TD 2H", melds=MELDS, phase="DRAW").play("KNOCK, FOLD")
    text = GAME.render(table.s, 2)
    assert "seat 2 to answer the knock" in text
    assert "seat 0 (dealer, knocker): 2 cards" in text
    assert "seat 1 (folds): 2 cards" in text
    text = GAME.render(table.play("CHALLENGE").s, None)
    assert "over, scores" in text
    assert "seat 2 (challenges)" in text


def test_the_pot_is_shown_where_there_is_one() -> None:
    assert "pot 0" in GAME.render(dealt(jackpot_ante=1, num_hands=2).s, 0)
    assert "pot" not in GAME.render(dealt().s, 0)


def test_runs_that_touch_come_as_one() -> None:
    cards = set_of(["AS", "2S", "3S", "4S", "5S", "6S", "8S", "8H", "8D"])
    melds = split_melds(cards, set_of(["8S", "8H", "8D"]))
    assert melds == [set_of(["8S", "8H", "8D"]), set_of(["AS", "2S", "3S", "4S", "5S", "6S"])]


@pytest.mark.parametrize(
    ("words", "event"),
    [
        ("DRAW", "seat 0 draws"),
        ("TAKE KS KD KC", "seat 0 takes KS KD KC"),
        ("DRAW, MELD 3S 4S 5S", "seat 0 melds 3S 4S 5S"),
        ("DRAW, LAYOFF 7C SET", "seat 0 lays off 7C SET"),
        ("DRAW, DISCARD 2C", "seat 0 discards 2C"),
        ("KNOCK", "seat 0 knocks"),
        ("KNOCK, CHALLENGE", "seat 1 challenges"),
        ("KNOCK, FOLD", "seat 1 folds"),
        ("KNOCK, FOLD, FOLD", "seat 2 folds; seat 0 wins the knock: +8, -4, -4"),
    ],
)
def test_what_happened_last(words: str, event: str) -> None:
    table = position(
        "3S 4S 5S KD KC 7C 2C | 8H 3C | TD 2H", phase="DRAW", melds="0 7S 7H 7D", pile="KS"
    )
    assert GAME.last_event(table.play(words).s) == event


def test_how_a_hand_ended() -> None:
    table = position("2C | QS KH | QD KD", melds=MELDS).play("DISCARD 2C")
    assert GAME.last_event(table.s) == "seat 0 discards 2C; seat 0 wins by tongits: +8, -4, -4"
    table = position("2C 3D | 2S | QD KD", melds=MELDS, stock="").play("DISCARD 2C")
    assert GAME.last_event(table.s) == (
        "seat 0 discards 2C; seat 1 wins, the stock is used up: -1, +2, -1"
    )


def test_a_drawn_card_is_not_named() -> None:
    table = position("2C 9C | QS KH | QD KD", phase="DRAW", stock="8D 9D").play("DRAW")
    assert "8D" not in GAME.last_event(table.s)
    assert GAME.last_event(dealt(first_dealer=2).s) == "the cards are dealt; seat 2 begins"


@pytest.mark.parametrize("dealer_cards", [12, 13])
def test_a_deal_is_read_as_it_was_written(dealer_cards: int) -> None:
    table, other = (dealt(seed, dealer_cards=dealer_cards) for seed in (3, 4))
    deal = GAME.read_deal(table.s)
    GAME.write_deal(other.s, deal)
    assert GAME.read_deal(other.s) == deal
    assert GAME.problems(other.s) == []
    assert other.legal() == table.legal()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hands", ["AS", "2S", "3S"]),
        ("hands", "AS"),
        ("hands", []),
        ("hands", [5, 6, 7]),
        ("stock", "AS 2S"),
        ("stock", "xyz"),
        ("stock", ["AS"]),
        ("dealer", 3),
        ("dealer", None),
    ],
)
def test_a_deal_that_is_none_is_refused(name: str, value: Any) -> None:
    table = dealt()
    with pytest.raises(CardError):
        GAME.write_deal(table.s, {**GAME.read_deal(table.s), name: value})


def test_a_deal_for_the_wrong_number_of_cards_is_refused() -> None:
    deal = GAME.read_deal(dealt(dealer_cards=13).s)
    with pytest.raises(CardError, match=r"must hold \[.*12, 12"):
        GAME.write_deal(dealt().s, deal)


@pytest.mark.parametrize("dealer_cards", [12, 13])
def test_a_deal_cannot_be_read_once_somebody_has_acted(dealer_cards: int) -> None:
    table = dealt(dealer_cards=dealer_cards)
    table.play(table.legal()[-1])
    with pytest.raises(CardError, match="the hand has begun"):
        GAME.read_deal(table.s)
