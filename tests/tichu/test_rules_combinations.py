"""Sections 4 and 5 of the rules: combinations, readings, comparison."""

import pytest

from tests.cases.tichu import combinations, put_cards, reading_of, text_of
from tests.tichu.positions import position


def readings(cards: str, top: str | None = None) -> set[str]:
    """The readings of exactly these cards, that may be put on `top`."""
    states = put_cards({}, cards.split(), top)
    s = states[0]
    moves = [move for move in combinations(states) if move.cards == s.hands[0]]
    return {text_of(s, move).partition("=")[0] for move in moves}


@pytest.mark.parametrize(
    ("cards", "reading"),
    [
        ("MJ", "single/1/1"),
        ("Ag", "single/1/14"),
        ("DR", "single/1/15"),
        ("DG", "dog/1/0"),
        ("8g 8r", "pair/2/8"),
        ("8g PH", "pair/2/8"),
        ("8g 8k 8r", "triple/3/8"),
        ("8g 8k PH", "triple/3/8"),
        ("8g 8r 9g 9k", "stairs/4/9"),
        ("8g 8r 9g PH Tk Tb", "stairs/6/10"),
        ("2g 2k 2b 3g 3r", "fullhouse/5/2/3"),
        ("MJ 2g 3k 4b 5r", "straight/5/5"),
        ("2g 3k 4b 5r 6g 7k 8b 9r Tg Jk Qb Kr PH", "straight/13/14"),
        ("MJ 2g 3k PH 5b 6g 7k 8b 9r Tg Jk Qb Kr Ag", "straight/14/14"),
        ("7g 7k 7b 7r", "quad/4/7"),
        ("3g 4g 5g 6g 7g", "sflush/5/7"),
        ("2g 3g 4g 5g 6g 7g 8g 9g Tg Jg Qg Kg Ag", "sflush/13/14"),
    ],
)
def test_4_combinations(cards: str, reading: str) -> None:
    assert reading in readings(cards)


@pytest.mark.parametrize(
    "cards",
    [
        "8g 9g",
        "8g 8k 9g",
        "8g 8k 9g 9k 9r Tg",  # no chained triples, no odd stairs
        "8g 8k Tg Tk",
        "Qg Kk Ab 2r 3g",  # no wrap-around
        "2g 3k 4b 5r",
        "MJ PH",
        "MJ PH 2g 2k",
        "DR PH",
        "DG PH",
        "8g DR",
        "8g DG",
        "4g 5k 6b 7r 8g 8k",
        "2g 3k 4b 5r 6g 7k 8b 9r Tg Jk Qb Kr Ag PH",  # nothing above the ace, or below the two
    ],
)
def test_t_d24_nothing_else_is_a_combination(cards: str) -> None:
    assert readings(cards) == set()


def test_t_d21_a_set_can_have_two_readings() -> None:
    assert readings("5g 6k 7b 8r PH") == {"straight/5/8", "straight/5/9"}
    assert readings("5g 5k 9b 9r PH") == {"fullhouse/5/5/9", "fullhouse/5/9/5"}
    assert readings("Jg Qk Kb Ar PH") == {"straight/5/14"}
    assert readings("MJ 2g 3k 4b PH") == {"straight/5/5"}


def test_t_d22_four_of_a_kind_and_the_phoenix_are_no_full_house() -> None:
    assert readings("9g 9k 9b 9r PH") == set()


def test_t_d23_a_run_of_one_suit_is_always_a_bomb() -> None:
    assert readings("3g 4g 5g 6g 7g") == {"sflush/5/7"}
    assert readings("3g 4g 5g 6g PH") == {"straight/5/6", "straight/5/7"}
    assert readings("MJ 2g 3g 4g 5g") == {"straight/5/5"}
    assert readings("3g 4g 5g 6g 7k") == {"straight/5/7"}


def test_5_1_more_cards_win_between_bombs_then_rank() -> None:
    assert readings("5g 5k 5b 5r", "quad/4/4") == {"quad/4/5"}
    assert readings("4g 4k 4b 4r", "quad/4/4") == set()
    assert readings("2g 3g 4g 5g 6g", "quad/4/14") == {"sflush/5/6"}
    assert readings("2g 3g 4g 5g 6g 7g", "sflush/5/14") == {"sflush/6/7"}
    assert readings("2g 3g 4g 5g 6g", "sflush/6/14") == set()
    assert readings("Ag Ak Ab Ar", "sflush/5/6") == set()


def test_5_2_a_bomb_beats_whatever_is_no_bomb() -> None:
    for top in ("single/1/15", "straight/14/14", "fullhouse/5/14/13", "stairs/14/14"):
        assert readings("2g 2k 2b 2r", top) == {"quad/4/2"}
    assert readings("Ag", "quad/4/2") == set()


def test_5_3_otherwise_same_type_and_number_of_cards_and_a_higher_rank() -> None:
    assert readings("9g 9k", "pair/2/8") == {"pair/2/9"}
    assert readings("9g 9k 9b", "pair/2/8") == set()
    assert readings("4g 5k 6b 7r 8g 9k", "straight/5/6") == set()
    assert readings("9g 9k Tb Tr", "stairs/4/9") == {"stairs/4/10"}
    assert readings("9g 9k 9b 2g 2k", "fullhouse/5/8/14") == {"fullhouse/5/9/2"}
    assert readings("8g 8k 8b Ag Ak", "fullhouse/5/8/3") == set()


def test_t_d25_an_equal_straight_flush_does_not_beat() -> None:
    assert readings("3r 4r 5r 6r 7r", "sflush/5/7") == set()
    assert readings("4r 5r 6r 7r 8r", "sflush/5/7") == {"sflush/5/8"}


def test_8_3_the_phoenix_is_half_a_rank_above_what_it_is_put_on() -> None:
    assert readings("PH", "single/1/14") == {"single/1/14.5"}
    assert readings("PH", "single/1/1") == {"single/1/1.5"}
    assert readings("PH") == {"single/1/1.5"}
    assert readings("PH", "single/1/15") == set()
    assert readings("PH", "pair/2/8") == set()
    assert readings("8g", "single/1/8.5") == set()
    assert readings("9g", "single/1/8.5") == {"single/1/9"}
    assert readings("MJ", "single/1/1.5") == set()
    assert readings("DR", "single/1/14.5") == {"single/1/15"}


def test_8_3_a_phoenix_that_was_led_is_beaten_by_any_two() -> None:
    table = position("PH 3g", "2k 4k", "5b 6b", "7r 8r").act("PH")
    assert reading_of(int(table.s.table), int(table.s.value)) == "single/1/1.5"
    assert table.legal() == {"pass", "2k", "4k"}
