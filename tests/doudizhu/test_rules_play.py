"""Sections 6 and 7 of the rules: what beats what, tricks, the end of a hand."""

import numpy as np
import pytest

from envs.core.game import OVER
from envs.doudizhu import GAME
from envs.doudizhu.moves import FIRST, NUM_ACTIONS, PAIR
from envs.doudizhu.state import HAND_WON, NO_MOVE
from tests.conformance.play import random_actions
from tests.doudizhu.positions import answers, auction, beats, game_of, leads

PLAYS = (
    "K", "KK", "KKK", "KKK+2", "KKK+22", "TJQKA", "3456789TJQKA", "QQKKAA", "KKKAAA",
    "KKKAAA+22", "KKKAAA+2233", "KKKK+22", "KKKK+2233",
)  # fmt: skip
"""One of each kind but bombs."""


@pytest.mark.parametrize("new", ["2222", "BR", "pass"])
def test_6_1_nothing_beats_the_rocket(new: str) -> None:
    assert (new in answers("2222", to="BR")) == (new == "pass")


@pytest.mark.parametrize("old", [*PLAYS, "3333", "2222"])
def test_6_2_the_rocket_beats_everything(old: str) -> None:
    assert beats("BR", old)


@pytest.mark.parametrize("old", PLAYS)
def test_6_3_a_bomb_beats_everything_that_is_none(old: str) -> None:
    assert beats("3333", old)


def test_6_3_bombs_by_rank() -> None:
    assert answers("444466662222", to="5555") == {"pass", "6666", "2222"}


def test_6_4_no_bomb_beats_a_bomb() -> None:
    assert answers("2222KKKAAA345", to="3333") == {"pass", "2222"}


@pytest.mark.parametrize(
    ("hand", "to", "allowed"),
    [
        ("3499K2BR", "9", "K 2 B R"),
        ("3388TT2", "88", "TT"),
        ("333888TTT", "888", "TTT"),
        ("333888TTT", "333", "888 TTT"),
        ("3456789T", "34567", "45678 56789 6789T"),
        ("34567", "34567", ""),
        ("3344556677", "445566", "556677"),
        ("333444555", "333444", "444555"),
        ("4449", "333+A", "444+9"),
        ("44499", "333+AA", "444+99"),
        ("55566679", "333444+AK", "555666+79"),
        ("5556667799", "333444+AAKK", "555666+7799"),
    ],
)
def test_6_4_the_same_kind_and_length_of_a_higher_rank(hand: str, to: str, allowed: str) -> None:
    rocket = {"BR"} if "BR" in hand else set()
    assert answers(hand, to) == {"pass", *allowed.split()} | rocket


def test_6_4_fours_with_two() -> None:
    assert {"5555+67"} == answers("555567", to="3333+JQ") - {"pass", "5555"}
    assert {"5555+6677"} == answers("55556677", to="3333+JJQQ") - {"pass", "5555"}


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("456789", "34567"),
        ("45678", "456789"),
        ("44556677", "334455"),
        ("444555666", "333444"),
        ("44", "3"),
        ("444", "33"),
        ("444", "333+5"),
        ("444+5", "333"),
        ("444+5", "333+55"),
        ("444+55", "333+5"),
        ("4444+56", "333+5"),
        ("4444+5566", "3333+56"),
        ("444555+66", "333+5"),
    ],
)
def test_6_4_other_kinds_and_lengths_do_not_compare(new: str, old: str) -> None:
    assert not beats(new, old)


@pytest.mark.parametrize("play", [*PLAYS, "3333"])
def test_6_5_equal_never_beats(play: str) -> None:
    assert not beats(play, play)


def test_7_1_a_lead_is_any_combination_bombs_and_the_rocket_too() -> None:
    assert leads("4444BR") == {"4", "44", "444", "4444", "B", "R", "BR", "444+B", "444+R"}


def test_7_1_the_landlord_leads_the_first_trick() -> None:
    table = auction(first=2).act("pass 3")
    assert (table.s.turn, table.s.table) == (0, NO_MOVE)


def test_7_2_in_seat_order_each_beats_or_passes() -> None:
    table = game_of("3K 4A6 52", landlord=1)
    for seat, play in ((1, "4"), (2, "5"), (0, "K"), (1, "A"), (2, "pass"), (0, "pass")):
        assert table.s.turn == seat
        table.act(play)


def test_7_2_nobody_is_forced_to_beat() -> None:
    assert "pass" in answers("2222BR", to="3")
    assert answers("4444", to="BR") == {"pass"}


def test_7_3_the_leader_may_not_pass() -> None:
    table = game_of("334 44 55")
    assert not table.mask[0]
    table.act("3 pass pass")
    assert (table.s.turn, bool(table.mask[0])) == (0, False)


def test_7_4_d19_a_pass_does_not_lock_a_player_out_of_the_trick() -> None:
    table = game_of("3K5 4A 62").act("3 pass 6 K")
    assert (table.s.turn, table.legal()) == (1, {"A", "pass"})


def test_7_5_after_two_passes_the_player_of_the_table_leads_anything() -> None:
    table = game_of("3T6 4Q 5JJ").act("3 pass J pass pass")
    assert (table.s.turn, table.s.table) == (2, NO_MOVE)
    assert table.legal() == {"5", "J"}


def test_7_5_passes_must_be_in_a_row() -> None:
    table = game_of("3T6 4Q 5JJ").act("3 pass J pass Q pass")
    assert (table.s.turn, table.legal()) == (0, {"pass"})
    assert table.act("pass").s.turn == 1


def test_7_6_the_hand_ends_at_once_when_the_landlord_is_out() -> None:
    table = game_of("3 44 55").act("3")
    assert (table.s.outcome, table.s.turn, table.mask.sum()) == (HAND_WON, OVER, 0)
    assert table.payoffs[0] > 0


@pytest.mark.parametrize("winner", [1, 2])
def test_7_6_all_farmers_win_when_one_is_out(winner: int) -> None:
    hands, plays = {1: ("33 4 55", "3 4"), 2: ("33 44 5", "3 pass 5")}[winner]
    table = game_of(hands).act(plays)
    assert (table.s.outcome, table.s.actor) == (HAND_WON, winner)
    assert table.payoffs[0] < 0 < min(table.payoffs[1:])


@pytest.mark.parametrize("most", [int(FIRST[PAIR]), NUM_ACTIONS], ids=["single cards", "any plays"])
def test_7_7_at_most_162_decisions_of_play(most: int) -> None:
    seeds = np.arange(100)
    states = GAME.new_games(GAME.make_rules(auction="off"), seeds)
    decisions = np.zeros(len(states), np.int64)
    step = 0
    while (states["turn"] != OVER).any():
        masks = GAME.masks(states)
        masks[:, most:] = 0
        GAME.apply(states, random_actions(masks, seeds, step))
        decisions += masks.any(1) & (states["pending"] == 0)
        step += 1
    assert 50 < decisions.max() <= 162


def test_actions_do_nothing_when_the_game_is_over() -> None:
    table = game_of("3 44 55").act("3")
    before = table.states.tobytes()
    GAME.apply(table.states, np.array([1]))
    assert table.states.tobytes() == before
