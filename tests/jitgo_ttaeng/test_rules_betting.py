"""Section 4 of the rules: bets, betting rounds, hands and the match."""

import pytest

from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import format_hand
from envs.jitgo_ttaeng.state import BETTING, ENDED, FOLDED_OUT, NONE, SHOWN_DOWN
from tests.jitgo_ttaeng.positions import (
    GABO,
    NOTHING,
    PAIR_8,
    PAIR_9,
    Table,
    betting,
    result,
)


def test_4_1_seats_with_chips_post_the_ante() -> None:
    table = betting([300, 0, 4])
    assert table.amounts("contrib") == [10, 0, 4]  # J24
    assert table.amounts("stacks") == [290, 0, 0]
    assert table.amounts("playing") == [1, 0, 1]
    assert not table.s.hands[1]


def test_4_1_cards_come_by_the_schedule() -> None:
    table = betting([300, 300], deal_schedule="2+2+1")
    for num in (2, 4, 5):
        assert [int(hand).bit_count() for hand in table.s.hands[:2]] == [num, num]
        table.act("check, check")
    assert table.s.hand_number == 1


def test_4_1_folded_seats_get_no_more_cards() -> None:
    table = betting([300, 300, 300], deal_schedule="1+3+1").act("min, fold, call")
    assert [int(hand).bit_count() for hand in table.s.hands[:3]] == [4, 1, 4]


def test_4_1_cards_to_come_are_dealt_when_nobody_can_bet() -> None:
    table = betting([20, 20], deal_schedule="4+1").act("min, call")
    assert (table.s.hand_number, table.s.outcome) == (1, SHOWN_DOWN)
    assert [int(hand).bit_count() for hand in table.s.shown[:2]] == [5, 5]


def test_4_1_3_the_last_seat_takes_everything_unseen() -> None:
    table = betting([300, 300, 300]).act("half, fold, fold")
    assert table.s.outcome == FOLDED_OUT
    assert not table.s.shown.any()  # J29
    assert table.amounts("payoffs") == [20, -10, -10]


def test_4_3_the_sizes() -> None:
    table = betting([1000] * 4)
    assert table.legal() == {"check": 0, "min": 10, "half": 20, "full": 40}
    table.act("half")
    assert table.legal() == {"fold": 0, "call": 20, "min": 40, "half": 60, "full": 100}
    table.act("call")
    assert table.legal() == {
        "fold": 0, "call": 20, "min": 40, "quarter": 45, "half": 70, "full": 120,
    }  # fmt: skip


def test_4_3_a_size_equal_to_a_lower_one_is_masked() -> None:
    assert betting([300, 300]).legal() == {"check": 0, "min": 10, "full": 20}
    assert betting([30, 300]).legal() == {"check": 0, "min": 10, "full": 20}  # all-in is full


def test_j16_no_fold_for_free() -> None:
    table = betting([300, 300])
    assert "fold" not in table.legal()
    assert "fold" in table.act("min").legal()


def test_j17_after_a_check_one_may_raise() -> None:
    assert "min" in betting([300, 300]).act("check, min").legal()


def test_j18_raises_are_capped_for_all_together() -> None:
    table = betting([1000] * 3).act("min, min, min, min")
    assert set(table.legal()) == {"fold", "call"}
    assert table.s.raises == 3
    assert "min" in betting([1000] * 3, max_raises=4).act("min, min, min, min").legal()
    assert set(betting([1000] * 3, max_raises=0).act("min").legal()) == {"fold", "call"}
    assert "min" in betting([1000] * 3, max_raises=None).act("min, min, min, min, min").legal()


def test_j19_the_cap() -> None:
    pot = betting([1000, 1000])
    assert "all-in" not in pot.legal() and "max" not in pot.legal()
    number = betting([1000, 1000, 1000, 1000], bet_cap=25)
    assert number.legal() == {"check": 0, "min": 10, "half": 20, "max": 25}
    none = betting([1000, 1000], bet_cap=None)
    assert none.legal() == {"check": 0, "min": 10, "full": 20, "all-in": 990}


def test_j20_the_minimum_raise() -> None:
    assert betting([1000, 1000]).act("full").legal()["min"] == 40
    assert betting([1000, 1000], min_raise="min_bet").act("full").legal()["min"] == 30


def test_j21_limit_structure() -> None:
    table = betting([300, 25], structure="limit")
    assert table.legal() == {"check": 0, "min": 10}
    assert table.act("min").legal() == {"fold": 0, "call": 10, "all-in": 15}


def test_j22_a_short_all_in_does_not_reopen_the_betting() -> None:
    table = betting([300, 300, 60]).act("full, call, all-in")
    assert (table.s.current, table.s.last_raise, table.s.raises) == (50, 30, 0)
    assert table.legal() == {"fold": 0, "call": 20}
    table = betting([300, 300, 90]).act("full, call, all-in")
    assert (table.s.current, table.s.last_raise, table.s.raises) == (80, 50, 1)
    assert "min" in table.legal()


def test_j22_after_a_short_opening_bet_any_increase_is_a_raise() -> None:
    table = betting([15, 300, 300], bet_cap=None).act("all-in, min")
    assert (table.s.raises, table.s.current) == (1, 15)


def test_j23_no_raise_that_nobody_could_answer() -> None:
    table = betting([300, 40], bet_cap=None).act("check, all-in")
    assert table.legal() == {"fold": 0, "call": 30}


def test_4_4_a_lone_seat_with_chips_is_asked_only_if_it_owes() -> None:
    table = betting([40, 300], bet_cap=None).act("all-in")
    assert (table.s.turn, table.legal()) == (1, {"fold": 0, "call": 30})
    table = betting([300, 30], deal_schedule="4+1").act("full, call")
    assert table.s.hand_number == 1


def test_4_4_the_next_round_begins_at_the_sun() -> None:
    table = betting([300] * 3, sun=1, deal_schedule="4+1").act("min, call, call")
    assert (table.s.turn, table.s.street, table.s.current, table.s.raises) == (1, 1, 0, 0)
    assert table.amounts("round_bets") == [0, 0, 0]
    table = betting([300] * 3, sun=1, deal_schedule="4+1").act("check, min, call, fold")
    assert table.s.turn == 2


def test_3_1_worked_hand_of_the_seed() -> None:
    """JT-B31: four seats, the sun bets half, three calls, 9-ttaeng takes 120."""
    hands = "8G 8A 2A 3R 5A / 1R 2R 3J1 4A 8J1 / 10A 10R 10J1 9A 9R / 4R 4J1 2J1 5R 4J2"
    table = betting([300] * 4, deck=40, hand_set="classic").hold(hands)
    table.act("half, call, call, call")
    assert table.amounts("payoffs") == [-30, -30, 90, -30]
    assert (table.s.sun, table.s.turn) == (2, 2)


def test_j26_all_hwang_is_a_draw() -> None:
    table = betting([300, 300]).hold(f"{NOTHING} / 1G 2A 3G 4R 8G").act("full, call")
    assert table.amounts("payoffs") == [0, 0]
    assert table.s.sun == 0  # J28: it stays


def test_j29_hands_still_in_are_shown() -> None:
    table = betting([300] * 3).hold(f"2R 3G 5R 8G 8A / {GABO} / 1G 3R 6A 9A 9R")
    table.act("min, fold, call")
    shown = [format_hand(int(hand)) for hand in table.s.shown[:3]]
    assert shown == ["2R 3G 5R 8G 8A", "", "1G 3R 6A 9A 9R"]


def test_j28_the_winner_of_the_main_pot_is_the_next_sun() -> None:
    hands = f"{PAIR_9} / {GABO}"
    assert betting([300, 300], sun=1).hold(hands).act("check, check").s.sun == 0
    assert Table(first_sun=2).s.turn == 2
    drawn = GAME.new_games(GAME.make_rules(), list(range(40)))["sun"]
    assert set(drawn) == {0, 1, 2, 3}


def test_j28_a_sun_without_chips_passes_on() -> None:
    hands = f"{NOTHING} / 1G 2A 3G 4R 8G / 1J1 2J1 3J1 4J1 8J1"
    table = betting([300, 300, 300], sun=1, deck=40).hold(hands)
    table.s.stacks[1], table.s.contrib[1] = 0, 10
    table.s.folded[1] = 1
    table.s.turn = 2
    table.act("min, call")
    assert table.s.sun == 2


def test_j30_the_match_ends_after_max_hands() -> None:
    table = Table(num_players=2, max_hands=2)
    table.act("check, check, check, check")
    assert (table.s.phase, table.s.turn, table.s.hand_number) == (ENDED, NONE, 2)
    assert table.amounts("scores") == [chips - 1000 for chips in table.amounts("stacks")]


@pytest.mark.parametrize("bust", ["sit_out", "end_match"])
def test_j30_a_bust_seat(bust: str) -> None:
    hands = f"{PAIR_9} / {GABO} / 1J1 2J1 3J1 4J1 8J1"
    table = betting([300, 20, 300], deck=40, bust=bust).hold(hands).act("min, call, fold")
    assert table.amounts("stacks")[1] == 0
    assert table.s.phase == (BETTING if bust == "sit_out" else ENDED)
    if bust == "sit_out":
        assert table.amounts("playing") == [1, 0, 1]


def test_j30_the_match_ends_when_one_seat_has_all_chips() -> None:
    hands = f"{PAIR_9} / {GABO}"
    table = betting([30, 30], bet_cap=None).hold(hands).act("full, call")
    assert (table.s.phase, table.amounts("stacks")) == (ENDED, [60, 0])


def test_8_a_hand_without_a_decision_is_played_through() -> None:
    table = betting([1000, 210], ante=200).hold(f"{PAIR_9} / {GABO}").act("check, check")
    assert table.s.hand_number >= 2  # seat 1 had 10 chips left, and was all-in by the ante
    if table.s.phase == BETTING:
        assert table.s.deals == 2
        assert min(table.amounts("stacks")) > 0


def test_9_a_deal_decides_all_that_follows_from_it() -> None:
    """New deals and hands that are played through depend on `chance` alone."""
    options = {"num_players": 2, "start_stack": 30, "ante": 20, "hand_set": "full"}
    ends = set()
    for seed in (1, 2):
        states = GAME.new_games(GAME.make_rules(**options), [seed])
        deal = {"sun": 0, "hands": ["1G 3R 6A 9A 9R", "1R 4A 5A 2A 7R"], "chance": 77}
        GAME.write_deal(states[0], deal)
        while GAME.masks(states).any():
            GAME.apply(states, GAME.masks(states).argmax(axis=1))
        ends.add((*states[0].scores.tolist(), int(states[0].hand_number)))
    assert len(ends) == 1


def test_j12_the_built_hands_are_dealt_again() -> None:
    gusa, alli, nothing = "2J1 3R 5J1 4R 9R", "4J1 6A 10A 1G 2A", "1R 2R 3J1 4A 8A"
    table = betting([300] * 3, hand_set="full", deck=40).hold(f"{gusa} / {alli} / {nothing}")
    table.act("check, check, check")
    shown = [format_hand(int(hand)) for hand in table.s.shown[:3]]
    assert table.s.redeals >= 1
    assert shown[2] == nothing
    assert shown[0] != "2J1 3R 4R 5J1 9R" and shown[1] != "1G 2A 4J1 6A 10A"


def test_j12_no_new_deal_after_the_last() -> None:
    gusa, alli = "2J1 3R 5J1 4R 9R", "4J1 6A 10A 1G 2A"
    table = betting([300, 300], hand_set="full", deck=40, max_redeals=0).hold(f"{gusa} / {alli}")
    table.act("check, check")
    assert (table.s.redeals, table.amounts("payoffs")) == (0, [-10, 10])


def test_the_hands_of_these_tests_are_what_they_are_called() -> None:
    names = [result(hand) for hand in (GABO, PAIR_8, PAIR_9, NOTHING)]
    assert names == ["kkeut_9", "ttaeng_8", "ttaeng_9", "hwang"]
