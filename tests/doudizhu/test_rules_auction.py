"""Section 4 of the rules: bidding, snatching, the bottom, doubling."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.doudizhu import GAME
from envs.doudizhu.cards import format_cards
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    HAND_VOID,
    LANDLORD_FOUND,
    NO_MOVE,
    NONE,
    PLAYING,
    REDEALT,
    SNATCHING,
)
from tests.doudizhu.positions import Table, auction

ALL_PASS = "pass pass pass"


def landlord_and_base(table: Table) -> tuple[int, int]:
    assert table.s.outcome == LANDLORD_FOUND
    return int(table.s.landlord), int(table.s.base_score)


def bids_of(table: Table) -> set[str]:
    assert table.s.phase == BIDDING
    return {word.removeprefix("bid ") for word in table.legal()}


def asked(table: Table) -> int:
    """Who may snatch now."""
    assert table.s.phase == SNATCHING
    assert table.legal() == {"snatch", "decline"}
    return int(table.s.turn)


def in_second_hand(**options: Any) -> Table:
    """The second hand of a match, in which seat 1, who won the first, bids first."""
    return auction(hands_per_match=3, **options).act("3").hold("35 4 6").act("3 4")


@pytest.mark.parametrize(
    ("calls", "allowed"),
    [("", "pass 1 2 3"), ("pass", "pass 1 2 3"), ("1", "pass 2 3"), ("2", "pass 3")],
)
def test_4_d7_a_bid_is_higher_than_every_bid_before(calls: str, allowed: str) -> None:
    for rule in ("once", "continuous"):
        assert bids_of(auction(auction=rule).act(calls)) == set(allowed.split())


def test_4_d7_passes_do_not_lower_what_must_be_bid() -> None:
    table = auction(auction="continuous").act("1 2 pass")
    assert bids_of(table) == {"pass", "3"}


def test_4_1_the_first_bidder_begins_and_each_seat_acts_once() -> None:
    table = auction(first=1)
    for seat, call in ((1, "1"), (2, "pass"), (0, "2")):
        assert (table.s.phase, table.s.turn) == (BIDDING, seat)
        table.act(call)
    assert landlord_and_base(table) == (0, 2)


def test_4_1_a_bid_of_3_ends_the_auction_at_once() -> None:
    assert landlord_and_base(auction(first=2).act("3")) == (2, 3)
    assert landlord_and_base(auction(first=2).act("pass 3")) == (0, 3)


@pytest.mark.parametrize(
    ("calls", "expected"),
    [("1 pass 2", (2, 2)), ("1 2 pass", (1, 2)), ("1 pass pass", (0, 1)), ("pass pass 1", (2, 1))],
)
def test_4_1_the_highest_bidder_is_landlord_and_his_bid_the_base(
    calls: str, expected: tuple[int, int]
) -> None:
    assert landlord_and_base(auction().act(calls)) == expected


def test_4_2_redeal_when_all_pass() -> None:
    table = auction(max_redeals=1)
    before = GAME.read_deal(table.s)
    table.act(ALL_PASS)
    assert (table.s.outcome, table.s.phase, table.s.landlord) == (REDEALT, BIDDING, NONE)
    assert GAME.read_deal(table.s)["hands"] != before["hands"]
    assert GAME.problems(table.s) == []
    assert bids_of(table) == {"pass", "1", "2", "3"}
    assert table.s.all_passes == 1


def test_4_2_d8_a_new_face_up_card_chooses_the_first_bidder_in_the_first_hand() -> None:
    tables = [auction(seed=seed).act(ALL_PASS) for seed in range(20)]
    assert {int(table.s.first) for table in tables} == {0, 1, 2}
    for table in tables:
        assert table.s.turn == table.s.first == table.s.face_up_seat


@pytest.mark.parametrize("rule", ["winner", "landlord", "rotate"])
def test_4_2_d8_the_first_bidder_stays_in_later_hands(rule: str) -> None:
    for seed in range(10):
        table = in_second_hand(seed=seed, first_bidder_next=rule)
        first = int(table.s.first)
        table.act(ALL_PASS)
        assert (int(table.s.turn), int(table.s.first)) == (first, first)


def test_4_2_d8_with_face_up_every_deal_shows_a_card() -> None:
    tables = [in_second_hand(seed=seed, first_bidder_next="face_up") for seed in range(20)]
    for table in tables:
        table.act(ALL_PASS)
        assert table.s.turn == table.s.first == table.s.face_up_seat
    assert {int(table.s.first) for table in tables} == {0, 1, 2}


def test_4_2_d8_the_hand_is_void_after_max_redeals() -> None:
    table = auction(max_redeals=2)
    for _ in range(2):
        assert table.act(ALL_PASS).s.outcome == REDEALT
    table.act(ALL_PASS)
    assert (table.s.outcome, table.s.turn) == (HAND_VOID, OVER)
    assert table.payoffs == table.scores == [0, 0, 0]
    assert auction(max_redeals=0).act(ALL_PASS).s.outcome == HAND_VOID


def test_4_2_d8_redeals_are_counted_hand_by_hand() -> None:
    table = auction(max_redeals=1, hands_per_match=3).act(ALL_PASS).act(ALL_PASS)
    assert (table.s.outcome, table.s.hand_number, table.s.all_passes) == (HAND_VOID, 1, 0)
    assert table.act(ALL_PASS).s.outcome == REDEALT


def test_4_2_void() -> None:
    table = auction(all_pass="void").act(ALL_PASS)
    assert (table.s.outcome, table.s.turn) == (HAND_VOID, OVER)
    assert table.payoffs == [0, 0, 0]


def test_4_2_a_void_hand_pays_nothing_after_a_hand_that_did() -> None:
    table = in_second_hand(all_pass="void")
    scores = table.scores
    assert any(scores)
    table.act(ALL_PASS)
    assert (table.payoffs, table.scores) == ([0, 0, 0], scores)


def test_4_3_d9_the_first_bidder_of_the_third_all_pass_is_forced() -> None:
    table = auction(all_pass="force_first", seed=3)
    for _ in range(2):
        assert table.act(ALL_PASS).s.outcome == REDEALT
    first, cards = int(table.s.first), GAME.read_deal(table.s)
    table.act(ALL_PASS)
    assert landlord_and_base(table) == (first, 1)
    assert (table.s.phase, table.s.turn) == (PLAYING, first)
    assert GAME.read_deal(table.s) == cards


@pytest.mark.parametrize("limit", [1, 2])
def test_4_3_all_pass_limit(limit: int) -> None:
    table = auction(all_pass="force_first", all_pass_limit=limit)
    for _ in range(limit):
        assert table.s.landlord == NONE
        table.act(ALL_PASS)
    assert table.s.landlord != NONE


def test_4_3_a_bid_in_that_auction_cancels_it() -> None:
    table = auction(all_pass="force_first").act(ALL_PASS).act(ALL_PASS)
    first = int(table.s.first)
    assert landlord_and_base(table.act("pass 2 pass")) == ((first + 1) % 3, 2)


def test_4_3_all_passes_of_the_hand_before_do_not_count() -> None:
    table = auction(all_pass="force_first", all_pass_limit=2, hands_per_match=2).act(ALL_PASS)
    table.act("3")
    table.hold(" ".join("3" if seat == table.s.landlord else "44" for seat in range(3))).act("3")
    assert table.act(ALL_PASS).s.outcome == REDEALT


def test_4_3_redeals_have_no_limit_before_the_landlord_is_forced() -> None:
    table = auction(all_pass="force_first", all_pass_limit=13)
    for _ in range(12):
        assert table.act(ALL_PASS).s.outcome == REDEALT
    assert table.act(ALL_PASS).s.outcome == LANDLORD_FOUND


def test_4_4_two_passes_after_a_bid_end_a_continuous_auction() -> None:
    table = auction(auction="continuous").act("1 pass 2 pass")
    assert (table.s.phase, table.s.turn) == (BIDDING, 1)
    assert landlord_and_base(table.act("pass")) == (2, 2)


def test_4_4_a_bid_of_3_ends_a_continuous_auction() -> None:
    assert landlord_and_base(auction(auction="continuous").act("1 2 pass 3")) == (0, 3)


def test_4_4_three_passes_without_a_bid_end_a_continuous_auction() -> None:
    assert auction(auction="continuous").act(ALL_PASS).s.outcome == REDEALT
    assert auction(auction="continuous", all_pass="void").act(ALL_PASS).s.outcome == HAND_VOID
    forced = auction(1, auction="continuous", all_pass="force_first", all_pass_limit=1)
    assert landlord_and_base(forced.act(ALL_PASS)) == (1, 1)


def test_4_4_d10_a_seat_that_passed_may_bid_again() -> None:
    table = auction(auction="continuous").act("pass pass 1 2 pass 3")
    assert landlord_and_base(table) == (2, 3)
    table = auction(auction="continuous").act("pass 1 pass")
    assert (table.s.turn, bids_of(table)) == (0, {"pass", "2", "3"})


def test_4_4_d10_passes_before_a_bid_do_not_count() -> None:
    table = auction(auction="continuous").act("pass pass 1 pass")
    assert (table.s.phase, table.s.turn) == (BIDDING, 1)
    assert landlord_and_base(table.act("pass")) == (2, 1)


def test_4_5_without_the_option_nobody_snatches() -> None:
    assert auction().act("3").s.phase == PLAYING


def test_4_5_every_other_seat_is_asked_once_in_seat_order() -> None:
    table = auction(first=1, snatch=True).act("3")
    assert asked(table) == 2
    assert asked(table.act("decline")) == 0
    assert landlord_and_base(table.act("decline")) == (1, 3)


def test_4_5_a_snatch_makes_that_seat_the_holder() -> None:
    assert landlord_and_base(auction(snatch=True).act("3 snatch decline decline")) == (1, 3)
    assert landlord_and_base(auction(snatch=True).act("3 snatch snatch decline")) == (2, 3)
    assert landlord_and_base(auction(snatch=True).act("3 decline snatch decline")) == (2, 3)


def test_4_5_passers_are_not_asked_to_snatch() -> None:
    assert asked(auction(snatch=True).act("pass 3")) == 2
    assert landlord_and_base(auction(snatch=True).act("pass 3 decline")) == (1, 3)
    assert landlord_and_base(auction(snatch=True).act("pass pass 3")) == (2, 3)


def test_4_5_seats_that_bid_less_or_have_not_acted_are_asked() -> None:
    table = auction(snatch=True).act("1 3")
    assert asked(table) == 2
    assert asked(table.act("decline")) == 0
    assert asked(auction(snatch=True).act("1 2 3")) == 0


def test_4_5_the_latest_call_decides_who_passed() -> None:
    table = auction(snatch=True, auction="continuous").act("pass 1 2 3")
    assert asked(table) == 1
    table = auction(snatch=True, auction="continuous").act("1 pass 2 pass 3")
    assert asked(table) == 2
    assert landlord_and_base(table.act("decline")) == (1, 3)


def test_4_5_snatch_by_passers() -> None:
    table = auction(snatch=True, snatch_by_passers=True).act("pass 3")
    assert asked(table) == 2
    assert asked(table.act("decline")) == 0
    assert asked(table.act("snatch")) == 1
    assert landlord_and_base(table.act("decline")) == (0, 3)


def test_4_5_the_caller_may_snatch_back_once() -> None:
    table = auction(snatch=True).act("3 snatch decline")
    assert asked(table) == 0
    assert landlord_and_base(table.copy().act("snatch")) == (0, 3)
    assert landlord_and_base(table.copy().act("decline")) == (1, 3)


def test_4_5_the_caller_is_not_asked_when_nobody_snatched() -> None:
    assert landlord_and_base(auction(snatch=True).act("3 decline decline")) == (0, 3)


def test_4_5_the_third_snatch_ends_the_phase() -> None:
    table = auction(snatch=True).act("3 snatch snatch snatch")
    assert landlord_and_base(table) == (0, 3)
    assert table.s.snatched.sum() == 3


@pytest.mark.parametrize("cap", [1, 2, 3])
def test_4_5_snatch_cap(cap: int) -> None:
    table = auction(snatch=True, snatch_cap=cap).act("3" + " snatch" * cap)
    assert landlord_and_base(table) == (cap % 3, 3)


def test_4_5_no_snatching_without_a_bid_of_3() -> None:
    assert landlord_and_base(auction(snatch=True).act("2 pass pass")) == (0, 2)
    forced = auction(snatch=True, all_pass="force_first", all_pass_limit=1)
    assert landlord_and_base(forced.act(ALL_PASS)) == (0, 1)


@pytest.mark.parametrize(("factor", "points"), [(2, 12), (1, 3)])
def test_4_6_d12_each_snatch_multiplies_the_score(factor: int, points: int) -> None:
    table = auction(snatch=True, snatch_factor=factor).act("3 snatch snatch decline")
    table.hold("55 66 37").act("3 pass 6 7")
    assert table.payoffs == [-points, -points, 2 * points]


def test_4_7_the_bottom_goes_to_the_landlord() -> None:
    table = auction()
    before = GAME.read_deal(table.s)
    table.act("1 pass pass")
    assert sorted(table.hands[0]) == sorted(before["hands"][0] + before["bottom"])
    assert table.hands[1:] == before["hands"][1:]


def test_4_7_d13_everybody_sees_the_bottom() -> None:
    table = auction().act("3")
    bottoms = {format_cards(int(table.view(seat).bottom)) for seat in range(3)}
    assert bottoms == {GAME.read_deal(table.s)["bottom"]}


def test_4_7_reveal_bottom_off_shows_it_to_the_landlord_alone() -> None:
    table = auction(reveal_bottom=False).act("pass 3")
    bottoms = [format_cards(int(table.view(seat).bottom)) for seat in range(3)]
    assert bottoms == ["", GAME.read_deal(table.s)["bottom"], ""]


def test_4_7_the_bottom_is_turned_up_before_the_doubling_phase() -> None:
    table = auction(doubling="double").act("3")
    assert table.s.phase == DOUBLING
    assert all(table.pieces(seat)["bottom"].sum() == 3 for seat in range(3))


def test_4_7_the_landlord_opens_the_play() -> None:
    table = auction(doubling="double").act("1 2 pass x1 x1 x1")
    assert (table.s.phase, table.s.turn, table.s.table) == (PLAYING, 1, NO_MOVE)


@pytest.mark.parametrize(
    ("doubling", "choices"), [("double", {"x1", "x2"}), ("super", {"x1", "x2", "x4"})]
)
def test_4_8_d14_every_seat_chooses_once_the_landlord_first(
    doubling: str, choices: set[str]
) -> None:
    table = auction(first=2, doubling=doubling).act("3")
    for seat in (2, 0, 1):
        assert (table.s.phase, table.s.turn, table.legal()) == (DOUBLING, seat, choices)
        table.act("x2")
    assert table.s.phase == PLAYING


def test_4_8_no_doubling_by_default() -> None:
    assert auction().act("3").s.phase == PLAYING


def test_4_8_choices_are_public() -> None:
    table = auction(doubling="super").act("3 x4 x1")
    factors = table.pieces(2)["factors"]  # of seats 2, 0, 1
    assert [row.tolist() for row in factors] == [
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1],
        [0, 1, 0, 0, 0],
    ]


def test_auction_off_makes_the_first_bidder_landlord_with_base_1() -> None:
    for seed in range(5):
        table = Table(GAME.new_games(GAME.make_rules(auction="off"), [seed]))
        assert (table.s.landlord, table.s.base_score) == (table.s.first, 1)
        assert (table.s.phase, table.s.turn) == (PLAYING, table.s.first)
        assert table.s.sizes[table.s.first] == 20


def test_auction_off_keeps_the_doubling_phase() -> None:
    table = auction(auction="off", doubling="double")
    assert (table.s.phase, table.s.turn) == (DOUBLING, 0)


def sides_of(table: Table) -> list[int]:
    sides = np.empty((1, int(table.s.rules.players)), np.int64)
    GAME.sides(table.states, sides)
    return sides[0].tolist()  # type: ignore[no-any-return]


def test_the_landlord_is_alone_once_there_is_one() -> None:
    table = auction(first=1)
    assert sides_of(table) == [-1, -1, -1]
    assert sides_of(table.act("pass 3")) == [1, 1, 0]
    assert sides_of(table.hold("35 4 6").act("6")) == [1, 1, 0]
    assert table.s.turn == OVER
    assert sides_of(auction(auction="off")) == [0, 1, 1]
    assert sides_of(auction(all_pass="void").act(ALL_PASS)) == [-1, -1, -1]
    assert sides_of(auction(hands_per_match=2).act("3")) == [-1, -1, -1]
