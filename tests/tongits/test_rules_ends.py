"""Sections 7, 9 and 10 of the rules: how a hand ends, what it brings, matches."""

import numpy as np
import pytest

from envs.tongits import GAME
from envs.tongits.engine import forfeit
from envs.tongits.match import end_hand
from envs.tongits.state import KNOCK_OVER, STOCK_OUT, TONGITS
from tests.tongits.positions import Table, dealt, position

MELDS = "0 7S 7H 7D | 1 9S 9H 9D | 2 JS JH JD"


def test_7_1_an_empty_hand_wins_at_once() -> None:
    table = position("TC | 2S | 3S", melds=f"{MELDS} | 1 7C 8C 9C").play("LAYOFF TC HIGH")
    assert table.result == (TONGITS, 0, [8, -4, -4])
    assert position("4S | 2S | 3S", melds=MELDS).play("DISCARD 4S").result[:2] == (TONGITS, 0)


@pytest.mark.parametrize(
    ("phase", "hands", "action"),
    [
        ("DRAW", "4S 5S | 2S | 3S", "DRAW"),
        ("DRAW", "KH KD 4S 5S 6S | 2S | 3S", "TAKE KS KH KD"),
        ("PLAY", "4S 5S 6S TC | 2S | 3S", "LAYOFF TC HIGH"),
        ("PLAY", "4S 5S 6S 2D | 2S | 3S", "DISCARD 2D"),
    ],
)
def test_7_2_d14_melds_in_the_hand_count_as_got_rid_of(phase: str, hands: str, action: str) -> None:
    melds = f"{MELDS} | 1 7C 8C 9C"
    for hidden in (True, False):
        table = position(
            hands, phase=phase, melds=melds, pile="KS", stock="6S QH", tongits_hidden_melds=hidden
        )
        table.play(action)
        assert (table.s.outcome == TONGITS) == hidden


def test_7_2_d14_a_meld_does_not_end_the_hand_while_a_card_is_loose() -> None:
    table = position("4S 5S 6S 8D 8H 8C 2D | 2S | 3S", melds=MELDS)
    table.play("MELD 4S 5S 6S, MELD 8H 8D 8C")
    assert table.legal() == ["DISCARD 2D"]


def test_7_2_d14_without_the_option_the_last_meld_ends_the_hand() -> None:
    table = position("4S 5S 6S | 2S | 3S", melds=MELDS, tongits_hidden_melds=False)
    assert table.play("MELD 4S 5S 6S").result[:2] == (TONGITS, 0)


def test_7_3_d15_tongits_comes_before_the_end_of_the_stock() -> None:
    table = position("4S 5S 6S 2D | AS | 3S", melds=MELDS, stock="").play("DISCARD 2D")
    assert table.result[:2] == (TONGITS, 0)


def test_7_4_who_draws_the_last_card_finishes_the_turn() -> None:
    table = position("4S 8H | 2S | 3S", phase="DRAW", melds=MELDS, stock="7C").play("DRAW")
    assert table.legal() == ["LAYOFF 7C SET", "DISCARD 4S", "DISCARD 8H", "DISCARD 7C"]
    table.play("LAYOFF 7C SET, DISCARD 8H")
    assert table.result[:2] == (STOCK_OUT, 1)


def stock_out(hands: str, melds: str = MELDS, **options: object) -> int:
    """Who wins when seat 0 has drawn the last card and discards the king of clubs."""
    table = position(hands, melds=melds, stock="", **options).play("DISCARD KC")
    assert table.s.outcome == STOCK_OUT
    return int(table.s.winner)


@pytest.mark.parametrize(
    ("hands", "expected"),
    [("5S KC | 2S | 3S", 1), ("AS KC | 2S | 3S", 0), ("5S KC | 4S | 3S", 2)],
)
def test_7_4_the_lowest_hand_wins_when_the_stock_is_used_up(hands: str, expected: int) -> None:
    assert stock_out(hands) == expected


def test_7_5_d16_unregistered_seats_are_compared_too() -> None:
    hands, melds = "5S KC | 2S | 3S", "0 7S 7H 7D | 2 JS JH JD"
    assert stock_out(hands, melds) == 1
    assert stock_out(hands, melds, stockout_requires_meld=True) == 2
    assert stock_out(hands, "", stockout_requires_meld=True) == 1


@pytest.mark.parametrize(
    ("hands", "expected"),
    [("5S KC | 5H | 5D", 0), ("6S KC | 5H | 5D", 1), ("6S KC | 7S | 6D", 0)],
)
def test_7_6_d17_ties_go_to_the_last_drawer_and_on_in_turn(hands: str, expected: int) -> None:
    assert stock_out(hands) == expected


def test_7_7_takes_leave_the_stock_alone() -> None:
    table = position("8S 8H 2C 3C | 2S 4H | 3S", phase="DRAW", pile="8D", stock="QS")
    table.play("TAKE 8S 8H 8D, DISCARD 2C")
    assert (table.s.turn, table.s.stock_size) == (1, 1)


def settled(hand: str, outcome: str, melds: str = MELDS, **options: object) -> list[int]:
    """Payoffs when seat 0 wins with a hand: by the end of the stock, a knock, or a lost one."""
    if outcome == "stock":
        table = position(f"{hand} QC | QS KH | QD KD", melds=melds, stock="", **options)
        return table.play("DISCARD QC").result[2]
    if outcome == "knock":
        table = position(f"{hand} | QS KH | QD KD", melds=melds, phase="DRAW", **options)
        return table.play("KNOCK, FOLD, FOLD").result[2]
    table = position(f"{hand} | QS KH | QD KD", melds=melds, turn=1, phase="DRAW", **options)
    return table.play("KNOCK, FOLD, CHALLENGE").result[2]


@pytest.mark.parametrize(
    ("hand", "outcome", "due"),
    [
        ("5S 2H", "stock", 1),
        ("AS AH KS", "stock", 1 + 3),
        ("AS 2S 3S 5H", "stock", 1 + 1),  # a hidden meld is in the hand
        ("8S 8H 8D 8C 2S", "stock", 1 + 3),
        ("AS AH AD AC 2H", "stock", 1 + 4 + 3),
        ("5S 2H", "knock", 1),
    ],
)
def test_9_1_what_every_loser_owes(hand: str, outcome: str, due: int) -> None:
    assert settled(hand, outcome) == [2 * due, -due, -due]


def test_9_1_tongits_pays_more() -> None:
    table = position("AS 2S 3S KS KH KC 5D | 2H | 2D", melds=MELDS).play("DISCARD 5D")
    assert table.result == (TONGITS, 0, [16, -8, -8])


@pytest.mark.parametrize(
    ("melds", "payoffs"),
    [
        ("0 7S 7H 7D | 2 JS JH JD", [3, -2, -1]),
        ("0 7S 7H 7D", [4, -2, -2]),
        ("1 7S 7H 7D | 2 JS JH JD", [2, -1, -1]),  # clause 9.7: a winner is not fined
    ],
)
def test_9_1_losers_without_a_meld_are_burned(melds: str, payoffs: list[int]) -> None:
    assert settled("5S 2H", "stock", melds) == payoffs


def test_9_2_the_loser_of_a_knock_pays_for_both() -> None:
    assert settled("5S 2H", "lost knock") == [8, -8, 0]
    melds = "0 7S 7H 7D | 1 9S 9H 9D"
    assert settled("5S 2H", "lost knock", melds) == [9, -9, 0]  # clause 9.4: the burn as well
    assert settled("5S 2H", "lost knock", melds, failed_knock_pays_all=False) == [9, -4, -5]


def test_9_3_d18_exposed_aces_and_kings_do_not_count() -> None:
    melds = "0 AS AH AD | 1 9S 9H 9D | 2 JS JH JD"
    assert settled("5S 2H", "stock", melds) == [2, -1, -1]
    assert settled("5S 2H", "stock", melds, bonus_scope="hand_and_melds") == [8, -4, -4]
    melds = "0 8S 8H 8D 8C | 1 9S 9H 9D | 2 JS JH JD"
    assert settled("5S 2H", "stock", melds, bonus_scope="hand_and_melds") == [8, -4, -4]


@pytest.mark.parametrize(("bonus_ranks", "due"), [("AK", 4), ("A", 3), ("K", 2), ("none", 1)])
def test_9_3_ranks_that_bring_a_bonus(bonus_ranks: str, due: int) -> None:
    assert settled("AS AH KS", "stock", bonus_ranks=bonus_ranks) == [2 * due, -due, -due]


def test_9_5_d19_a_beaten_challenger_pays_nothing_extra() -> None:
    for penalty, expected in ((0, [2, -1, -1]), (2, [4, -3, -1])):
        table = position("2C | QS KH | QD KD", melds=MELDS, phase="DRAW",
                         failed_challenge_penalty=penalty)  # fmt: skip
        assert table.play("KNOCK, CHALLENGE, FOLD").result == (KNOCK_OVER, 0, expected)


def test_9_5_no_penalty_when_the_knock_is_lost() -> None:
    table = position("9C | 8C | QD KD", melds=MELDS, phase="DRAW", failed_challenge_penalty=2)
    assert table.play("KNOCK, CHALLENGE, CHALLENGE").result[2] == [-8, 8, 0]


def test_9_6_d20_no_extra_for_a_knock_that_survives() -> None:
    table = position("2C | QS KH | QD KD", melds=MELDS, phase="DRAW")
    assert table.play("KNOCK, CHALLENGE, CHALLENGE").result[2] == [2, -1, -1]


def test_9_scores_are_options() -> None:
    scores = {
        "score_base": 2,
        "score_bonus": 3,
        "score_burn": 5,
        "score_quad": 7,
        "score_tongits": 11,
        "score_challenge": 13,
    }
    hand, melds = "KS 8S 8H 8D 8C", "0 7S 7H 7D | 2 JS JH JD"
    common = 2 + 3 + 7
    assert settled(hand, "stock", melds, **scores) == [2 * common + 5, -common - 5, -common]
    common = 2 + 3 + 13
    assert settled("KS 2S", "lost knock", **scores) == [2 * common, -2 * common, 0]
    table = position("2C | QS KH | QD KD", melds=MELDS, **scores).play("DISCARD 2C")
    assert table.result[2] == [26, -13, -13]


def test_9_8_d21_rewards_come_at_the_end_of_the_hand() -> None:
    table = position("5S 2H QC | QS KH | QD KD", melds=MELDS, stock="")
    assert table.scores == [0, 0, 0]
    assert table.play("DISCARD QC").scores == [2, -1, -1]


def won(winners: list[int], **options: object) -> tuple[list[int], list[list[int]], Table]:
    """Dealers and scores of a match in which these seats win a plain hand each."""
    table = dealt(first_dealer=0, num_hands=len(winners), **options)
    dealers, scores = [], []
    for winner in winners:
        dealers.append(int(table.s.dealer))
        table.s.payoffs[:] = [2 if seat == winner else -1 for seat in range(3)]
        end_hand(table.s, winner)
        scores.append(table.scores)
    return dealers, scores, table


def test_10_1_scores_add_up_over_the_hands() -> None:
    _, scores, table = won([2, 2, 1])
    assert scores == [[-1, -1, 2], [-2, -2, 4], [-3, 0, 3]]
    assert (table.s.turn, table.s.hand_number, table.s.deals) == (-1, 2, 3)


def test_10_1_every_hand_is_dealt_anew() -> None:
    table = position("2C | QS KH | QD KD", melds=MELDS, num_hands=2).play("DISCARD 2C")
    assert table.s.sizes.tolist() == [12, 12, 12]
    assert GAME.problems(table.s) == []
    assert (table.s.hand_number, table.s.turn, table.s.turns) == (1, 0, 0)
    assert table.melds == ["", "", ""]


def test_10_2_d22_the_winner_deals_next() -> None:
    assert won([2, 2, 1])[0] == [0, 2, 2]
    assert won([2, 2, 1], next_dealer="rotate")[0] == [0, 1, 2]


def test_10_3_d23_two_hands_in_a_row_win_the_jackpot() -> None:
    _, scores, table = won([2, 2, 1], jackpot_ante=2)
    assert scores == [[-3, -3, 0], [-6, -6, 12], [-7, -4, 11]]
    assert table.s.pot == 0


def test_10_3_d23_the_streak_restarts() -> None:
    _, scores, _ = won([0, 0, 0, 0], jackpot_ante=1)
    assert [score[0] for score in scores] == [1, 8, 9, 16]


def test_10_3_d23_a_longer_streak() -> None:
    _, scores, _ = won([0, 0, 1, 1, 1], jackpot_ante=1, jackpot_streak=3)
    assert [sum(score) for score in scores] == [-3, -6, -9, -12, 0]
    assert scores[-1][1] == -1 - 1 + 2 + 2 + 2 - 5 + 15


def test_10_3_d23_what_is_left_is_paid_back() -> None:
    _, scores, table = won([0, 1, 0], jackpot_ante=1)
    assert scores[-1] == [3, 0, -3]
    assert (table.s.pot, table.s.streak_seat) == (0, 0)


def test_10_4_nothing_else_carries_over() -> None:
    table = position("9C | 8C | QD KD", melds=MELDS, phase="DRAW", num_hands=2, knock_block="any")
    table.s.blocked[1] = 1
    table.play("KNOCK, CHALLENGE, FOLD")
    fresh = dealt(num_hands=2)
    for name in ("blocked", "answers", "melds", "laid_off", "discards", "knocker", "taken", "sets"):
        assert np.array_equal(getattr(table.s, name), getattr(fresh.s, name)), name


@pytest.mark.parametrize(("melds", "due"), [(MELDS, 4), ("1 9S 9H 9D", 5)])
def test_10_5_d25_foul_play_pays_both_others(melds: str, due: int) -> None:
    table = position("2C | QS KH | QD KD", melds=melds)
    assert forfeit(table.s, 0).tolist() == [-2 * due, due, due]


def test_10_5_d25_the_jackpot_is_paid_back_after_a_foul() -> None:
    table = dealt(num_hands=3, jackpot_ante=2)
    table.s.payoffs[:] = [2, -1, -1]
    end_hand(table.s, 0)
    assert (table.s.scores + forfeit(table.s, 1)).sum() == 0


def test_the_largest_win_and_loss_of_a_hand() -> None:
    """Section 9: the range of the payoffs."""
    own = "AS AH AD AC KS KH KD KC JS JH JD JC QC"
    table = position(f"{own} 2D | 3H | 3D", melds="").play("DISCARD 2D")
    assert table.result[2] == [44, -22, -22]
    own = "AS AH AD AC KS KH KD KC 2S 2H 3S 3H"
    table = position(f"9C 9D | {own} | 4D", melds="0 7S 7H 7D", phase="DRAW")
    assert table.play("KNOCK, CHALLENGE, FOLD").result[2] == [-37, 37, 0]


@pytest.mark.parametrize("seed", range(3))
def test_the_cards_of_the_next_hand_follow_from_the_seed_alone(seed: int) -> None:
    tables = [dealt(seed, num_hands=2) for _ in range(2)]
    for winner, table in enumerate(tables):
        end_hand(table.s, winner)
    assert tables[0].hands == tables[1].hands
    assert np.array_equal(tables[0].s.stock, tables[1].s.stock)
    assert [int(table.s.dealer) for table in tables] == [0, 1]
