"""Sections 8 to 10 of the rules: payoffs of a hand, matches, options on bombs."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.doudizhu import GAME
from envs.doudizhu.state import HAND_WON, NONE
from tests.conformance.play import walk
from tests.doudizhu.positions import Table, auction, beats

# Hands of the seats from the landlord on, and what is played, alternately.
LANDLORD_WINS = ("35 48 66", "3 4 pass 5")
FARMERS_WIN = ("356 47 88", "3 4 pass 5 7")
THREE_BOMBS = ("33332 4444678 BR9T", "3333 4444 BR pass pass 9 2")
LANDLORD_SPRING = ("36 44 55", "3 pass pass 6")
FARMERS_SPRING = ("345 46 77", "3 4 pass pass 6")


def finish(table: Table, script: tuple[str, str]) -> list[int]:
    """Payoffs after the script; it is the landlord's turn to lead."""
    hands, plays = script
    landlord, seats = int(table.s.landlord), hands.split()
    table.hold(" ".join(seats[(seat - landlord) % 3] for seat in range(3))).act(plays)
    assert table.s.outcome == HAND_WON
    return table.payoffs


def payoffs(script: tuple[str, str], calls: str = "1 pass pass", **options: Any) -> list[int]:
    """Payoffs of a hand that seat 0 bids first in."""
    return finish(auction(**options).act(calls), script)


@pytest.mark.parametrize(("calls", "base"), [("1 pass pass", 1), ("2 pass pass", 2), ("3", 3)])
def test_8_1_the_base_is_the_winning_bid(calls: str, base: int) -> None:
    assert payoffs(LANDLORD_WINS, calls) == [2 * base, -base, -base]


def test_8_1_bombs_and_rockets_double_whoever_plays_them() -> None:
    assert payoffs(THREE_BOMBS) == [16, -8, -8]
    assert payoffs(("35 4444 66", "3 4444")) == [-8, 4, 4]


def test_8_1_bombs_still_in_hand_do_not_count() -> None:
    assert payoffs(("35 45555 BR", "3 4 pass 5")) == [2, -1, -1]


def test_8_1_a_four_with_two_does_not_count() -> None:
    assert payoffs(("3333675 4 88", "3333+67 pass pass 5")) == [4, -2, -2]  # a spring
    assert payoffs(("35 44446 77778", "3 4 pass 5")) == [2, -1, -1]


def test_8_2_farmers_win_from_the_landlord() -> None:
    assert payoffs(FARMERS_WIN, "2 pass pass") == [-4, 2, 2]


def test_8_3_spring() -> None:
    assert payoffs(LANDLORD_SPRING) == [4, -2, -2]


@pytest.mark.parametrize("plays", ["3 4 pass 6", "3 pass 5 6"])
def test_8_3_no_spring_when_a_farmer_played_once(plays: str) -> None:
    assert payoffs(("36 44 55", plays)) == [2, -1, -1]


def test_8_3_anti_spring() -> None:
    assert payoffs(FARMERS_SPRING) == [-4, 2, 2]
    assert payoffs(("33335 4444 66", "3333 4444")) == [-16, 8, 8]


def test_8_3_plays_are_counted_not_tricks_or_passes() -> None:
    assert payoffs(("345 56 66", "3 pass pass 4 5 pass pass 6")) == [-2, 1, 1]
    assert payoffs(("33345 56 66", "333 pass pass 4 5 pass pass 6")) == [-2, 1, 1]
    assert payoffs(("34 56 77", "3 5 pass pass 6")) == [-4, 2, 2]


def test_8_4_d20_spring_counts_once_when_the_first_combination_is_the_last() -> None:
    assert payoffs(("34567 88 99", "34567")) == [4, -2, -2]


@pytest.mark.parametrize(
    ("script", "calls", "options", "expected"),
    [
        (THREE_BOMBS, "2 pass pass", {}, [32, -16, -16]),
        (LANDLORD_SPRING, "3", {}, [12, -6, -6]),
        (("35 44446 77", "3 4444 pass pass 6"), "1 pass pass", {}, [-8, 4, 4]),
        (LANDLORD_WINS, "3 x1 x2 x4", {"doubling": "super"}, [18, -6, -12]),
        (LANDLORD_WINS, "3 snatch decline decline", {"snatch": True}, [-6, 12, -6]),
    ],
    ids=["two bombs and rocket", "spring", "bomb and anti-spring", "doubling", "snatch"],
)
def test_8_5_worked_examples(
    script: tuple[str, str], calls: str, options: dict[str, Any], expected: list[int]
) -> None:
    assert payoffs(script, calls, **options) == expected


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ("x1 x1 x1", [6, -3, -3]),
        ("x2 x1 x1", [12, -6, -6]),
        ("x1 x2 x1", [9, -6, -3]),
        ("x2 x1 x4", [30, -6, -24]),
        ("x4 x4 x4", [96, -48, -48]),
    ],
)
def test_8_5_doubling_is_settled_pair_by_pair(choices: str, expected: list[int]) -> None:
    assert payoffs(LANDLORD_WINS, f"3 {choices}", doubling="super") == expected
    lost = [-amount for amount in expected]
    assert payoffs(FARMERS_WIN, f"3 {choices}", doubling="super") == lost


def test_8_5_the_factors_multiply() -> None:
    table = auction(snatch=True, doubling="super").act("3 snatch decline decline x4 x1 x2")
    spring_with_bomb = ("33334 55 66", "3333 pass pass 4")
    assert finish(table, spring_with_bomb) == [-192, 288, -96]  # 3 · 2 · 2 · 2, and 4 · (2, 1)


def play_hands(table: Table, *scripts: tuple[str, str]) -> Table:
    """Hands of a match; the first bidder bids 3."""
    for script in scripts:
        finish(table.act("3"), script)
    return table


def test_9_1_scores_of_a_match_add_up() -> None:
    table = auction(hands_per_match=3)
    assert play_hands(table, LANDLORD_WINS).scores == [6, -3, -3]
    assert play_hands(table, FARMERS_WIN).scores == [0, 0, 0]
    assert (table.s.hand_number, table.s.turn) == (2, 1)
    assert play_hands(table, LANDLORD_SPRING).scores == [-6, 12, -6]
    assert (table.s.turn, table.mask.sum()) == (OVER, 0)


def test_9_1_one_hand_by_default() -> None:
    assert play_hands(auction(), LANDLORD_WINS).s.turn == OVER


def test_9_1_d21_a_void_hand_counts_as_a_hand() -> None:
    table = auction(hands_per_match=2, all_pass="void").act("pass pass pass")
    assert (table.s.hand_number, table.s.turn) == (1, 0)
    assert play_hands(table, LANDLORD_WINS).s.turn == OVER


@pytest.mark.parametrize("rule", ["winner", "landlord"])
def test_9_2_after_a_void_hand_the_first_bidder_stays(rule: str) -> None:
    for seed in range(10):
        table = auction(2, seed, hands_per_match=2, all_pass="void", first_bidder_next=rule)
        table.act("pass pass pass")
        assert (int(table.s.first), int(table.s.turn)) == (2, 2)


def test_9_2_after_a_void_hand_rotation_moves_on() -> None:
    table = auction(2, hands_per_match=2, all_pass="void", first_bidder_next="rotate")
    assert table.act("pass pass pass").s.first == 0


def test_9_2_with_face_up_a_card_chooses_after_a_void_hand() -> None:
    options = {"hands_per_match": 2, "all_pass": "void", "first_bidder_next": "face_up"}
    tables = [auction(2, seed, **options).act("pass pass pass") for seed in range(20)]
    assert all(table.s.turn == table.s.first == table.s.face_up_seat for table in tables)
    assert {int(table.s.first) for table in tables} == {0, 1, 2}


def test_9_2_no_face_up_card_after_a_void_hand() -> None:
    table = auction(hands_per_match=2, all_pass="void").act("pass pass pass")
    assert table.s.face_up == NONE


def test_9_3_scores_change_by_the_payoffs_when_a_hand_ends() -> None:
    rules = GAME.make_rules(hands_per_match=3, max_redeals=0)
    seeds = np.arange(20)
    scores, hands_ended = np.zeros((20, 4), np.int64), 0
    for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds):
        changed = (states["scores"] != scores).any(1)
        assert (states["outcome"][changed] == HAND_WON).all()
        gained = states["scores"][changed] - scores[changed]
        assert np.array_equal(gained, states["payoffs"][changed])
        hands_ended += changed.sum()
        scores = states["scores"].copy()
    assert hands_ended > 20


def test_10_8_bomb_counts_from() -> None:
    for counts_from in (5, 6):
        rules: dict[str, Any] = {"bomb_counts_from": counts_from}
        assert payoffs(THREE_BOMBS, **rules) == [4, -2, -2]  # the rocket always doubles
        assert beats("3333", "22", **rules)


def test_10_9_d24_bomb_mode_add() -> None:
    assert payoffs(THREE_BOMBS, "2 pass pass", bomb_mode="add") == [16, -8, -8]
    spring = ("33334 55 66", "3333 pass pass 4")
    assert payoffs(spring, bomb_mode="add") == [8, -4, -4]
    assert payoffs(LANDLORD_WINS, bomb_mode="add") == [2, -1, -1]
    assert payoffs(THREE_BOMBS, bomb_mode="add", bomb_counts_from=5) == [4, -2, -2]


def bombs_of(table: Table, seat: int, bombs: str = "3333 4444 5555 BR") -> int:
    """How many of these bombs in a row a seat may play."""
    hands = ["7789"] * 3
    hands[seat] = "33334444555566668BR"
    table.hold(" ".join(hands))
    while table.s.turn != seat:
        table.act("pass" if "pass" in table.legal() else "7")
    for num, bomb in enumerate(bombs.split()):
        if bomb not in table.legal():
            return num
        table.act(f"{bomb} pass pass")
    return len(bombs.split())


@pytest.mark.parametrize(
    ("calls", "bombs", "options"),
    [
        ("pass pass 1", [1, 1, 4], {}),
        ("1 pass 2", [1, 1, 4], {}),
        ("1 2 3", [1, 2, 4], {}),
        ("pass 3", [1, 4, 4], {}),
        ("1 2 pass pass", [1, 4, 1], {"auction": "continuous"}),
        ("1 2 pass 3", [4, 2, 1], {"auction": "continuous"}),
        ("2 pass 3", [2, 1, 4], {"auction": "continuous"}),
        ("3 snatch decline decline", [4, 4, 4], {"snatch": True}),
        ("2 3 decline snatch decline", [4, 4, 4], {"snatch": True}),
        ("pass pass pass", [4, 1, 1], {"all_pass": "force_first", "all_pass_limit": 1}),
        ("", [4, 4, 4], {"auction": "off"}),
    ],
)
def test_10_10_d25_farmer_bomb_limit(calls: str, bombs: list[int], options: dict[str, Any]) -> None:
    table = auction(farmer_bomb_limit=True, **options).act(calls)
    assert [bombs_of(table.copy(), seat) for seat in range(3)] == bombs


def test_10_10_no_limit_by_default() -> None:
    table = auction().act("pass 1 2")
    assert [bombs_of(table.copy(), seat) for seat in range(3)] == [4, 4, 4]


def test_10_10_the_rocket_counts_and_so_do_fours_that_do_not_double() -> None:
    table = auction(farmer_bomb_limit=True, bomb_counts_from=5).act("pass 1 2")
    assert bombs_of(table.copy(), 0, "BR 3333") == 1
    assert bombs_of(table.copy(), 0, "3333 BR") == 1


def test_10_10_over_the_limit_the_cards_may_be_broken_up() -> None:
    table = auction(farmer_bomb_limit=True).act("pass 1 2")
    bombs_of(table, 0)
    assert {"4444", "5555", "BR"}.isdisjoint(table.legal())
    assert {"44", "555", "B", "R", "444555", "4444+55"} <= table.legal()


def test_10_10_d25_bombs_are_counted_hand_by_hand() -> None:
    table = auction(farmer_bomb_limit=True, hands_per_match=2).act("pass 3").hold("3333 45 6")
    table.act("4 pass 3333")
    assert bombs_of(table.act("pass 3"), 0) == 1
