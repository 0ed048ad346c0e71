"""Section 6 of the rules: the knock, the answers, the comparison of hands."""

import pytest

from envs.tongits.state import KNOCK_OVER, RESPONDING, TONGITS
from tests.tongits.positions import Table, position

MELDS = "0 7S 7H 7D | 1 9S 9H 9D | 2 JS JH JD"


def before_knock(hands: str, melds: str = MELDS, **options: object) -> Table:
    """Seat 0 may knock."""
    return position(hands, phase="DRAW", melds=melds, **options)


def winner(hands: str, answers: str, **options: object) -> int:
    """Who wins when seat 0 knocks and the others answer like this."""
    table = before_knock(hands, **options).play(f"KNOCK, {answers}")
    assert table.s.outcome == KNOCK_OVER
    return int(table.s.winner)


def test_6_1_a_registered_seat_may_knock_whatever_its_hand_is() -> None:
    assert before_knock("KS KH QD QC | 2S | 2H").legal("KNOCK") == ["KNOCK"]


def test_6_1_the_meld_was_laid_in_an_earlier_turn() -> None:
    table = position("7S 7H 7D KC 2C | 2S | 2H").play("MELD 7S 7H 7D")
    assert table.legal("KNOCK") == []
    table.play("DISCARD KC").play("DRAW, DISCARD 2S")
    assert table.legal("KNOCK") == []


@pytest.mark.parametrize("melds", ["1 9S 9H 9D", "1 9S 9H 9D | 2 JS JH JD"])
def test_6_2_d8_melds_in_the_hand_or_of_others_do_not_do(melds: str) -> None:
    assert before_knock("3S 4S 5S KC | 2S | 2H", melds).legal() == ["DRAW"]


def test_6_2_d8_laying_off_does_not_do() -> None:
    table = position("TS KC 2C | 2S 3H | 2H 4H", melds="1 7S 8S 9S", stock="QS QH QD QC")
    table.play("LAYOFF TS HIGH, DISCARD KC, DRAW, DISCARD QS, DRAW, DISCARD QH")
    assert table.legal() == ["DRAW"]


def after_lay_offs(knock_block: str) -> Table:
    """Seat 1 laid off on the meld of seat 0, and seat 2 on its own; seat 0 is to draw."""
    table = position(
        "KC 3D 2C | TS 2S 3H | TC 2H 4H",
        turn=1,
        melds="0 7S 8S 9S | 2 7C 8C 9C",
        stock="QD QC KD KH KS",
        knock_block=knock_block,
    )
    return table.play("LAYOFF TS HIGH, DISCARD 2S, DRAW, LAYOFF TC HIGH, DISCARD 2H")


@pytest.mark.parametrize(
    ("knock_block", "flags"), [("none", [0, 0, 0]), ("opponent", [1, 0, 0]), ("any", [1, 0, 1])]
)
def test_6_3_d9_lay_offs_bar_the_next_knock(knock_block: str, flags: list[int]) -> None:
    table = after_lay_offs(knock_block)
    assert table.s.blocked.tolist() == flags
    assert ("KNOCK" in table.legal()) == (knock_block == "none")
    table.play("DRAW, DISCARD KC, DRAW, DISCARD KD")
    assert ("KNOCK" in table.legal()) == (knock_block != "any")


def test_6_3_d9_a_block_lasts_for_one_opportunity() -> None:
    table = after_lay_offs("any").play("DRAW")
    assert table.s.blocked.tolist() == [0, 0, 1]
    table.play("DISCARD KC, DRAW, DISCARD KD, DRAW, DISCARD KH")
    assert table.legal("KNOCK") == ["KNOCK"]


def test_6_3_d9_the_start_of_the_turn_clears_the_flag_before_an_own_lay_off() -> None:
    table = after_lay_offs("any")
    table.play("DRAW").s.hands[0] |= 1 << 10  # JS goes on top of 7S 8S 9S TS
    table.s.sizes[0] += 1
    table.play("LAYOFF JS HIGH")
    assert table.s.blocked.tolist() == [1, 0, 1]


def test_6_4_the_seats_right_of_the_knocker_answer_in_turn() -> None:
    table = position("2S | 3S | 4S", turn=1, phase="DRAW", melds=MELDS).play("KNOCK")
    assert (table.s.phase, table.s.turn, table.s.knocker) == (RESPONDING, 2, 1)
    assert table.legal() == ["CHALLENGE", "FOLD"]
    table.play("FOLD")
    assert (table.s.turn, table.legal()) == (0, ["CHALLENGE", "FOLD"])
    table.play("CHALLENGE")
    assert table.legal() == []


def test_6_4_answers_are_public_at_once() -> None:
    table = before_knock("2S | 3S | 4S").play("KNOCK, CHALLENGE")
    for seat in range(3):
        assert table.pieces(seat)["answers"][(1 - seat) % 3].tolist() == [1, 0]
        assert table.pieces(seat)["knocker"].tolist() == [me == -seat % 3 for me in range(3)]


def test_6_5_d10_unregistered_seats_may_answer() -> None:
    table = before_knock("2S | 3S | 4S", "0 7S 7H 7D").play("KNOCK")
    assert (table.s.turn, table.legal()) == (1, ["CHALLENGE", "FOLD"])


def test_6_5_d10_with_the_option_they_are_not_asked() -> None:
    melds = "0 7S 7H 7D | 2 JS JH JD"
    table = before_knock("4S | 2S | 3S", melds, challenge_requires_meld=True).play("KNOCK")
    assert table.s.turn == 2
    assert table.play("CHALLENGE").s.winner == 2  # seat 1 has less, but counts as folding


def test_6_5_d10_if_nobody_can_be_asked_the_hand_is_over() -> None:
    table = before_knock("KS | 2S | 3S", "0 7S 7H 7D", challenge_requires_meld=True).play("KNOCK")
    assert table.result == (KNOCK_OVER, 0, [6, -3, -3])


@pytest.mark.parametrize(
    ("hands", "answers", "expected"),
    [
        ("KS QH | 2S | 3S", "FOLD, FOLD", 0),  # whatever the hands are
        ("5S | 6S | 2S", "CHALLENGE, FOLD", 0),  # folders are out
        ("6S | 5S | 2S", "CHALLENGE, FOLD", 1),
        ("6S | 5S | 4S", "CHALLENGE, CHALLENGE", 2),
        ("4S | 5S | 6S", "CHALLENGE, CHALLENGE", 0),
        ("6S | 6H | 7H", "CHALLENGE, CHALLENGE", 1),  # a tie with the knocker
        ("6S | 7H | 6H", "FOLD, CHALLENGE", 2),
        ("7S | 6S | 6H", "CHALLENGE, CHALLENGE", 1),  # a tie of the challengers
        ("6D | 6S | 6H", "CHALLENGE, CHALLENGE", 1),
    ],
)
def test_6_6_the_lowest_hand_wins(hands: str, answers: str, expected: int) -> None:
    assert winner(hands, answers) == expected


def test_6_6_melds_in_the_hand_count_nothing() -> None:
    assert winner("KS KH KD 2S | AS 3D | 3S", "CHALLENGE, CHALLENGE") == 0
    assert winner("4S | QS KS JS 3D | 3S 2C", "CHALLENGE, CHALLENGE") == 1


@pytest.mark.parametrize(("hands", "expected"), [("6S | 6H | 7H", 0), ("7S | 6S | 6H", 1)])
def test_6_7_d11_the_knocker_may_win_ties(hands: str, expected: int) -> None:
    assert winner(hands, "CHALLENGE, CHALLENGE", knock_tie="knocker") == expected


@pytest.mark.parametrize(("knock_tie", "expected"), [("challenger", 1), ("knocker", 0)])
def test_6_8_d12_two_challengers_tie_with_the_knocker(knock_tie: str, expected: int) -> None:
    assert winner("6D | 6S | 6H", "CHALLENGE, CHALLENGE", knock_tie=knock_tie) == expected


def test_6_9_d13_nothing_is_laid_off_at_the_comparison() -> None:
    assert winner("9C | 9D | 8C", "CHALLENGE, CHALLENGE", melds="0 TC JC QC") == 2


def test_6_a_knock_is_no_tongits() -> None:
    """Clause 7.1: the test runs after every action but the knock."""
    table = before_knock("KS KH KD | AS | 2S").play("KNOCK, CHALLENGE, FOLD")
    assert table.s.outcome != TONGITS
    assert table.s.winner == 0
