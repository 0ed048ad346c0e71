"""Section 5 of the rules: the bank is offered, bet against, paid, and passes on."""

import pytest

from envs.core.game import OVER
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import list_packed
from envs.jitgo_ttaeng.state import (
    BANK_LEFT,
    BANK_WON,
    BROKE,
    CONTINUING,
    ENDED,
    NONE,
    PUNTING,
    STAKING,
)
from tests.jitgo_ttaeng.positions import Table, banking

SEED_DEAL = "5A 7A 8G 10A 10R / 1G 1R 4A 5R 9A / 3G 3R 7R 8A 9R / 2A 4R 4J1 6A 6R"
SWEEP = "2R 3G 5R 10A 10R / 1R 2A 3R 4A 8A / 1G 4R 6A 6R 8G / 5A 7A 7R 9A 9R"
"""The banker has jang-ttaeng."""
LOST = "1R 2A 3R 4A 8A / 2R 3G 5R 10A 10R / 1G 4R 6A 6R 8G / 5A 7A 7R 9A 9R"
"""The banker is hwang, pile A has jang-ttaeng."""


def test_5_2_the_stake_moves_from_stack_to_bank() -> None:
    table = banking([400] * 4).act("stake quarter")
    assert (table.s.phase, table.s.banker, table.s.bank, table.s.stake) == (PUNTING, 0, 100, 100)
    assert (table.amounts("stacks"), table.s.turn) == ([300, 400, 400, 400], 1)


def test_5_2_a_declined_bank_goes_on_to_the_next_seat() -> None:
    table = banking([100] * 3, first=1).act("pass")
    assert (table.s.phase, table.s.turn, table.s.banker) == (STAKING, 2, NONE)
    table.act("pass, pass")
    assert (table.s.phase, table.s.turn, table.amounts("scores")) == (ENDED, OVER, [0, 0, 0])


def test_5_3_sizes_of_a_stake() -> None:
    assert banking([250, 100]).legal() == {
        "pass": 0, "stake min": 10, "stake quarter": 62, "stake half": 125, "stake all": 250,
    }  # fmt: skip
    assert banking([22, 100]).legal() == {
        "pass": 0, "stake min": 10, "stake half": 11, "stake all": 22,
    }  # fmt: skip


def test_5_3_sizes_of_a_bet() -> None:
    legal = banking([100, 60, 500]).act("stake all").legal()
    assert legal == {"pass": 0} | {
        f"bet {pile} {size}": chips
        for pile in "ABC"
        for size, chips in {"min": 10, "quarter": 15, "half": 30, "all": 60}.items()
    }


def test_5_4_worked_example_of_the_seed() -> None:
    """JT-K01."""
    table = banking([400] * 4, deck=40).hold(SEED_DEAL)
    table.act("stake quarter, bet A quarter, bet B quarter, bet C all")
    assert table.amounts("stacks") == [300, 375, 382, 343]
    assert table.amounts("payoffs") == [100, -25, -18, -57]
    assert (table.s.bank, table.s.banker, table.s.phase) == (200, 0, PUNTING)


def test_5_2_a_pile_that_wins_is_paid_one_to_one() -> None:
    table = banking([100, 300, 300]).hold(LOST).act("stake all, bet A half, bet B quarter")
    assert table.amounts("payoffs") == [-62, 50, 12]  # 5-ttaeng... B beats a hwang bank too
    assert table.s.bank == 38


def test_5_2_ties_and_hwang_go_to_the_banker() -> None:
    tie = "1R 4A 5A 2A 7R / 1G 4R 5R 3G 6A / 2R 3R 8G 8A 9A / 6R 7A 9R 10A 10R"
    table = banking([100, 300, 300]).hold(tie).act("stake all, bet A half, bet B min")
    assert table.amounts("payoffs")[1] == -50
    nothing = "1R 2A 3R 4A 8A / 1G 2R 3G 4R 8G / 5A 5R 6A 6R 7A / 7R 9A 9R 10A 10R"
    table = banking([100, 300]).hold(nothing).act("stake all, bet A half")
    assert table.amounts("payoffs") == [50, -50]


def test_j31_a_punter_may_pass() -> None:
    table = banking([100, 300, 300]).act("stake all, pass")
    assert (table.s.turn, table.amounts("acted")) == (2, [0, 1, 0])


@pytest.mark.parametrize(("cap", "room"), [("current", 200), ("stake", 100)])
def test_j32_the_cap_on_all_bets(cap: str, room: int) -> None:
    table = banking([100, 500, 500], bank_cap=cap).hold(SWEEP).act("stake all, bet B all")
    assert (table.s.bank, table.s.turn) == (200, 1)  # covered: seat 2 was not asked
    assert table.legal()["bet A all"] == room


def test_j32_the_cap_is_shared() -> None:
    table = banking([100, 75, 500]).act("stake all, bet A all")
    assert table.legal()["bet A all"] == 25


@pytest.mark.parametrize(("multiple", "outcome"), [(1, BANK_WON), (1.01, 3)])
def test_j34_the_bank_passes_when_it_has_won_enough(multiple: float, outcome: int) -> None:
    table = banking([100, 500, 500], win_multiple=multiple).hold(SWEEP)
    table.act("stake all, bet B all")
    passes = outcome == BANK_WON
    assert (table.s.outcome == BANK_WON) == passes
    assert (table.s.phase, table.s.turn) == ((STAKING, 1) if passes else (PUNTING, 1))
    assert table.amounts("stacks")[0] == (200 if passes else 0)


def test_j35_a_bank_below_the_minimum_bet_is_lost() -> None:
    table = banking([105, 100, 300]).hold(LOST).act("stake all, bet A all")
    assert (table.s.outcome, table.s.phase, table.s.turn) == (BROKE, STAKING, 1)
    assert table.amounts("stacks") == [5, 200, 300]


def test_j36_voluntary_pass() -> None:
    table = banking([100, 300], voluntary_pass=True).act("stake all, pass")
    assert (table.s.phase, table.s.turn, set(table.legal())) == (
        CONTINUING,
        0,
        {"pass", "continue"},
    )
    assert table.act("continue").s.phase == PUNTING
    table.act("pass, pass")
    assert (table.s.outcome, table.s.phase, table.s.turn) == (BANK_LEFT, STAKING, 1)


def test_j37_seats_below_the_least_stake_are_passed_over() -> None:
    assert banking([300, 5, 300], min_stake=10).act("pass").s.turn == 2


def test_j38_the_first_banker() -> None:
    assert Table(mode="banker", first_banker=3).s.turn == 3
    turns = GAME.new_games(GAME.make_rules("banker"), list(range(60)))["turn"]
    assert set(turns) == {0, 1, 2, 3, 4}


def test_j39_every_round_has_its_own_deal() -> None:
    table = banking([100, 300, 300])
    before = table.s.piles.tolist()
    table.act("stake all, pass, pass")
    assert table.s.piles.tolist() != before
    cards = [card for pile in table.s.piles for card in list_packed(int(pile))]
    assert len(set(cards)) == len(cards) == 20


def test_j40_if_nobody_bets_nothing_is_shown_and_the_round_counts() -> None:
    table = banking([100, 300, 300], show_last=True).act("stake all, pass, pass")
    assert (table.s.hand_number, table.amounts("payoffs")) == (1, [0, 0, 0])
    assert not table.s.shown_piles.any()


def test_j41_special_hands_catch_and_cause_no_new_deal() -> None:
    pair_and_catcher = "2R 8A 10A 9A 9R / 3G 7A 1R 4R 5R / 1G 2A 3R 4A 8G / 5A 6A 6R 7R 10R"
    for hand_set, won in (("full", 50), ("classic", -50)):
        table = banking([100, 300], hand_set=hand_set).hold(pair_and_catcher)
        assert table.act("stake all, bet A half").amounts("payoffs")[1] == won


def test_j42_the_match_ends_after_max_rounds() -> None:
    table = banking([100, 300], max_rounds=2).act("stake all, pass, pass")
    assert (table.s.phase, table.s.bank, table.amounts("stacks")) == (ENDED, 0, [100, 300])


def test_5_2_the_match_ends_without_a_punter() -> None:
    table = banking([100, 100], win_multiple=9).hold(SWEEP).act("stake all, bet B all")
    assert (table.s.phase, table.amounts("stacks")) == (ENDED, [200, 0])


def test_5_2_a_punter_below_the_minimum_bet_is_skipped() -> None:
    assert banking([100, 5, 300]).act("stake all").s.turn == 2


def test_j43_nobody_sees_the_first_cards_before_bets_are_made() -> None:
    table = banking([100, 300], voluntary_pass=True)
    assert not table.pieces(0)["face_up"].any()
    table.act("stake all")
    for seat in (0, 1):
        assert table.pieces(seat)["face_up"].sum(axis=1).tolist() == [1, 1, 1]
    assert not table.act("pass").pieces(0)["face_up"].any()
