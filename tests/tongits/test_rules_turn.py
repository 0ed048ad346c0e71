"""Sections 4, 5 and 12 of the rules: a turn, melds, lay-offs, actions."""

import hashlib

import numpy as np
import pytest

from envs.core.errors import CardError
from envs.tongits import GAME
from envs.tongits.cards import NUM_RANKS, cards_in, format_card, parse_cards
from envs.tongits.moves import (
    CARDS,
    ID_SET,
    KIND,
    LAYOFF_HIGH,
    LAYOFF_LOW,
    MELD_IDS,
    MOVES,
    NUM_ACTIONS,
    RUN,
    SET,
    format_move,
    parse_move,
)
from envs.tongits.state import DRAWING, PLAYING
from tests.tongits.positions import position


def test_4_1_the_top_of_the_stock_is_drawn() -> None:
    table = position("AS 3S | 7H 9H | 2D", phase="DRAW", stock="5C 6C 7C").play("DRAW")
    assert table.hands[0] == "AS 3S 5C"
    assert (table.s.phase, table.s.turn, table.s.stock_size) == (PLAYING, 0, 2)


def test_4_1_the_stock_is_never_empty_before_a_draw() -> None:
    table = position("AS 3S | 7H 9H | 2D", phase="DRAW", stock="5C").play("DRAW, DISCARD 5C")
    assert table.legal() == []


def test_4_2_every_meld_with_the_top_discard_may_be_taken() -> None:
    hand = "5S 6S 8S 9S 7H 7D 7C"
    table = position(f"{hand} | KH | 2D", phase="DRAW", pile="KS 7S")
    assert table.legal("TAKE") == [
        "TAKE 7S 7D 7C",
        "TAKE 7S 7H 7C",
        "TAKE 7S 7H 7D",
        "TAKE 7S 7H 7D 7C",
        "TAKE 5S 6S 7S",
        "TAKE 6S 7S 8S",
        "TAKE 7S 8S 9S",
        "TAKE 5S 6S 7S 8S",
        "TAKE 6S 7S 8S 9S",
        "TAKE 5S 6S 7S 8S 9S",
    ]


def test_4_2_melds_without_the_top_discard_are_not_taken() -> None:
    table = position("3H 4H 5H 9S 9D 9C | KH | 2D", phase="DRAW", pile="7S")
    assert table.legal() == ["DRAW"]


def test_4_2_only_the_top_of_the_pile_may_be_taken() -> None:
    table = position("7H 7D 2C | KH | 2D", phase="DRAW", pile="7S KS")
    assert table.legal() == ["DRAW"]


def test_4_2_the_taken_card_goes_straight_into_the_meld() -> None:
    table = position("7H 7D 2C KC | KH | 2D", phase="DRAW", pile="KS 7S").play("TAKE 7S 7H 7D")
    assert (table.hands[0], table.melds[0]) == ("2C KC", "7S 7H 7D")
    assert (table.s.phase, table.s.stock_size, table.s.pile_size) == (PLAYING, 2, 1)
    assert table.legal("DISCARD") == ["DISCARD 2C", "DISCARD KC"]
    assert format_card(table.s.top) == "KS"


def test_4_3_the_knock_replaces_the_draw() -> None:
    table = position("AS 3S | KH | 2D", phase="DRAW", melds="0 7S 7H 7D")
    assert table.legal() == ["DRAW", "KNOCK"]
    assert table.play("DRAW").legal("KNOCK") == []


def test_4_4_melds_and_lay_offs_in_any_order_then_one_discard() -> None:
    table = position("3S 4S 5S 6S 9H 9D 9C KH | 2H | 2D", melds="1 TC JC QC")
    table.play("MELD 9H 9D 9C, MELD 3S 4S 5S, LAYOFF 6S HIGH")
    assert (table.s.turn, table.s.phase) == (0, PLAYING)
    table = position("3S 4S 5S 6S 9C 7H KH | 2H | 2D", melds="1 TC JC QC")
    table.play("LAYOFF 9C LOW, MELD 3S 4S 5S, LAYOFF 6S HIGH, DISCARD KH")
    assert (table.s.turn, table.s.phase, format_card(table.s.top)) == (1, DRAWING, "KH")


def test_4_5_d3_several_melds_also_after_a_take() -> None:
    table = position("7H 7D 3S 4S 5S KC 2C | KH | 2D", phase="DRAW", pile="7S")
    table.play("TAKE 7S 7H 7D, MELD 3S 4S 5S")
    assert table.melds[0] == "3S 4S 5S 7S 7H 7D"


def test_4_6_d4_a_discard_is_not_taken_to_lay_it_off() -> None:
    pile, melds = "8S", "1 5S 6S 7S"
    assert position("2H KH | KD | 2D", phase="DRAW", pile=pile, melds=melds).legal() == ["DRAW"]
    table = position("2H KH | KD | 2D", phase="DRAW", pile=pile, melds=melds, take_for_layoff=True)
    assert table.legal() == ["DRAW", "LAYOFF 8S HIGH"]
    table.play("LAYOFF 8S HIGH")
    assert (table.hands[0], table.melds[1], table.s.pile_size) == ("2H KH", "5S 6S 7S 8S", 0)
    assert (table.s.phase, table.s.taken) == (PLAYING, parse_cards("8S"))
    assert table.legal() == ["DISCARD 2H", "DISCARD KH"]


def test_4_7_d5_any_card_may_be_discarded() -> None:
    table = position("8S 2H | KD | 2D", phase="DRAW", stock="KH 3C", melds="1 5S 6S 7S")
    table.play("DRAW")
    assert table.legal("DISCARD") == ["DISCARD 8S", "DISCARD 2H", "DISCARD KH"]
    assert format_card(table.play("DISCARD KH").s.top) == "KH"


def test_4_8_d6_a_discard_is_compulsory_with_a_card_left() -> None:
    table = position("3S 4S 5S KH 2C | 2H | 2D").play("MELD 3S 4S 5S")
    assert table.legal() == ["DISCARD KH", "DISCARD 2C"]


def test_5_1_sets() -> None:
    table = position("7S 7H 7D 7C KH | 2H | 2D")
    assert table.legal("MELD") == [
        "MELD 7H 7D 7C",
        "MELD 7S 7D 7C",
        "MELD 7S 7H 7C",
        "MELD 7S 7H 7D",
        "MELD 7S 7H 7D 7C",
    ]
    assert position("7S 7H KD | 2H | 2D").legal("MELD") == []


@pytest.mark.parametrize("cards", ["QS KS AS", "KS AS 2S", "QS KS AH", "3S 4S 6S", "KS AH 2H"])
def test_5_2_these_are_no_runs(cards: str) -> None:
    assert position(f"{cards} | 2D | 3D").legal("MELD") == []


def test_5_2_a_run_may_be_a_whole_suit() -> None:
    suit = " ".join(rank + "D" for rank in "A23456789TJQK")
    table = position(f"{suit} | 2H | 2S")
    assert len(table.legal("MELD")) == 66
    assert f"MELD {suit}" in table.legal()


def test_5_3_every_part_that_is_a_meld_may_be_laid() -> None:
    table = position("3S 4S 5S 6S KH | 2H | 2D")
    assert table.legal("MELD") == ["MELD 3S 4S 5S", "MELD 4S 5S 6S", "MELD 3S 4S 5S 6S"]


def test_5_4_numbers_of_melds() -> None:
    assert np.bincount(KIND)[[SET, RUN]].tolist() == [65, 264]
    assert len(MELD_IDS) == 329


@pytest.mark.parametrize(
    ("cards", "index"),
    [
        ("AH AD AC", 0),
        ("AS AH AD AC", 4),
        ("KS KH KD KC", 64),
        ("AS 2S 3S", 65),
        ("JS QS KS", 75),
        ("AS 2S 3S 4S", 76),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", 130),
        ("AH 2H 3H", 131),
        ("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC", 328),
    ],
)
def test_5_5_meld_index(cards: str, index: int) -> None:
    assert MELD_IDS[parse_cards(cards)] == ID_SET + index


def test_5_6_where_a_card_may_be_laid_off() -> None:
    melds = "0 7S 7H 7D | 1 9H TH JH | 2 5S 5D 5C"
    table = position("7C 8H QH 6H 5H KC | 2H | 2D", melds=melds)
    assert table.legal("LAYOFF") == [
        "LAYOFF 5H SET",
        "LAYOFF 7C SET",
        "LAYOFF QH HIGH",
        "LAYOFF 8H LOW",
    ]


def test_5_6_a_full_set_and_the_ends_of_a_suit_take_nothing() -> None:
    melds = "0 7S 7H 7D 7C | 1 AH 2H 3H | 2 JS QS KS"
    assert position("KC AD AS KH | 2D | 3D", melds=melds).legal("LAYOFF") == []


def test_5_7_a_card_may_have_three_homes() -> None:
    table = position("4S KC | 2H | 2D", melds="0 AS 2S 3S | 1 5S 6S 7S | 2 4H 4D 4C")
    assert table.legal("LAYOFF") == ["LAYOFF 4S SET", "LAYOFF 4S HIGH", "LAYOFF 4S LOW"]
    for place, owner in (("SET", 2), ("HIGH", 0), ("LOW", 1)):
        after = table.copy().play(f"LAYOFF 4S {place}")
        assert ["4S" in melds for melds in after.melds] == [seat == owner for seat in range(3)]
        assert bool(after.s.sets & parse_cards("4S")) == (place == "SET")


def test_5_8_laying_off_needs_no_own_meld() -> None:
    table = position("8S KC | 2H | 2D", melds="1 5S 6S 7S")
    assert table.legal("LAYOFF") == ["LAYOFF 8S HIGH"]


def test_5_8_own_melds_of_the_same_turn_may_be_extended() -> None:
    table = position("5S 6S 7S 8S KC | 2H | 2D").play("MELD 5S 6S 7S, LAYOFF 8S HIGH")
    assert table.melds[0] == "5S 6S 7S 8S"
    assert table.s.laid_off[0] == parse_cards("8S")


def test_5_9_several_cards_are_laid_off_outward() -> None:
    table = position("8S 9S TS KC | 2H | 2D", melds="1 5S 6S 7S")
    assert table.legal("LAYOFF") == ["LAYOFF 8S HIGH"]
    table.play("LAYOFF 8S HIGH, LAYOFF 9S HIGH, LAYOFF TS HIGH")
    assert table.melds == ["", "5S 6S 7S 8S 9S TS", ""]


def test_5_10_d7_melds_are_never_joined() -> None:
    table = position("4S KC | 2H | 2D", melds="0 AS 2S 3S | 1 5S 6S 7S").play("LAYOFF 4S HIGH")
    assert table.melds == ["AS 2S 3S 4S", "5S 6S 7S", ""]
    assert table.legal() == ["DISCARD KC"]


def test_5_11_laying_off_does_not_register() -> None:
    table = position("8S KC 2C | 2H | 2D", melds="1 5S 6S 7S").play("LAYOFF 8S HIGH")
    assert table.pieces(0)["registered"].tolist() == [0, 1, 0]


def test_5_11_a_take_registers() -> None:
    table = position("7H 7D 2C KC | KH | 2D", phase="DRAW", pile="7S").play("TAKE 7S 7H 7D")
    assert table.pieces(0)["registered"].tolist() == [1, 0, 0]


def test_12_1_the_table_of_actions() -> None:
    assert GAME.num_actions == NUM_ACTIONS == 541
    starts = {"DRAW": 0, "KNOCK": 1, "CHALLENGE": 2, "FOLD": 3, "MELD AH AD AC": 4}
    starts |= {"LAYOFF AS SET": 333, "LAYOFF AS HIGH": 385, "LAYOFF AS LOW": 437}
    starts |= {"DISCARD AS": 489, "DISCARD KC": 540}
    for text, action in starts.items():
        assert parse_move(text, taken=False) == action


def test_12_1_24_ids_are_never_used() -> None:
    on_top = CARDS[KIND == LAYOFF_HIGH]
    below = CARDS[KIND == LAYOFF_LOW]
    ranks = [cards_in(int(card))[0] % NUM_RANKS for card in (*on_top, *below)]
    unused = [rank < 3 for rank in ranks[:52]] + [rank > 9 for rank in ranks[52:]]
    assert sum(unused) == 24


def test_12_2_take_and_meld_share_ids() -> None:
    assert parse_move("TAKE 7S 7H 7D", taken=True) == parse_move("MELD 7S 7H 7D", taken=False)
    for text, taken in (("TAKE 7S 7H 7D", False), ("MELD 7S 7H 7D", True)):
        with pytest.raises(CardError, match="is no action"):
            parse_move(text, taken=taken)


@pytest.mark.parametrize("taken", [False, True])
def test_12_4_every_action_is_written_and_read_alike(taken: bool) -> None:
    texts = [format_move(action, taken) for action in range(NUM_ACTIONS)]
    assert len(set(texts)) == NUM_ACTIONS
    assert [parse_move(text.lower(), taken) for text in texts] == list(range(NUM_ACTIONS))


@pytest.mark.parametrize(
    "text",
    ["", "DANCE", "MELD", "MELD 7S 7H", "MELD 7S 7H 8D", "MELD 7S 7H XX", "DISCARD", "DISCARD 1S",
     "DISCARD 7S 8S", "LAYOFF 7S", "LAYOFF 7S UP", "LAYOFF HIGH", "DRAW 7S", "KNOCK KNOCK"],
)  # fmt: skip
def test_12_4_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(CardError):
        parse_move(text, taken=False)


def test_12_1_the_table_is_what_it_was() -> None:
    """Another table is another version of the game: raise `GAME.version`."""
    digest = hashlib.sha256(np.array(MOVES.tolist(), "<i8").tobytes()).hexdigest()
    assert digest == "e79f16113bfb3acf9ace54aac00890b7207c4fc15f1e16e63c469a3da4d2a0e4"
