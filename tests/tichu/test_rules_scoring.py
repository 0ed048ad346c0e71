"""Section 10 of the rules: the end of the round, points, calls, the match."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.tichu import GAME
from envs.tichu.cards import parse_cards, points_of
from envs.tichu.engine import forfeit
from envs.tichu.rounds import end_round, settle
from envs.tichu.state import GRAND_CALL, ROUND_END, SMALL
from tests.tichu.positions import Table, dealt, position


def test_10_1_the_round_ends_when_partners_are_out_first() -> None:
    table = position("3g 4g", "5g", "6b 9b", "", finish=(3,)).act("3g; 5g")
    assert table.s.turn == OVER
    assert table.s.round_points.tolist() == [0, 200]


def test_10_1_not_when_the_first_two_are_opponents() -> None:
    table = position("3g 4g", "5g", "6b", "", finish=(3,)).act("3g; pass; 6b")
    assert table.s.num_out == 2
    assert table.s.turn != OVER


def test_10_1_the_round_ends_when_three_seats_are_out() -> None:
    table = position("Kg", "9g 9k", "", "", finish=(3, 2), won={2: "Tg", 1: "Tk"}).act("Kg")
    assert table.s.turn == OVER
    assert table.s.points.tolist() == [10, 10, 10, 0]


def test_t_d33_the_last_trick_is_given_if_it_is_the_dragons() -> None:
    table = position("DR", "2g", "", "", finish=(3, 2)).act("DR")
    assert table.asked == "0 gift"
    assert table.act("gift left").s.points.tolist() == [0, 0, 0, 25]


def finished(finish: str, won: list[str], left: str, calls: dict[int, int]) -> Any:
    """The record of a round that has ended, settled."""
    table = dealt()
    s = table.s
    for place, seat in enumerate(map(int, finish), 1):
        s.place[seat], s.num_out = place, place
    for seat in range(4):
        s.points[seat] = points_of(parse_cards(won[seat]))
        s.hands[seat] = 0 if s.place[seat] else parse_cards(left)
    for seat, call in calls.items():
        s.calls[seat] = call
    settle(s)
    return s


WON = ["Kg Tg 5g", "Kk Tk", "DR 5k", "Kb Tb"]
LEFT = "Kr Tr PH 5b 5r"


def test_10_2_the_last_hand_and_the_last_seats_tricks_move() -> None:
    assert finished("012", WON, LEFT, {}).round_points.tolist() == [80, 20]
    assert finished("013", WON, LEFT, {}).round_points.tolist() == [55, 45]


def test_10_3_a_double_win_counts_two_hundred_and_calls() -> None:
    calls = {2: SMALL, 1: GRAND_CALL}
    assert finished("02", WON, LEFT, calls).round_points.tolist() == [100, -200]


def test_10_2_a_gift_to_the_last_seat_goes_on_to_the_first() -> None:
    table = position("DR", "2g", "", "", finish=(3, 2)).act("DR; gift right")
    assert table.s.round_points.tolist() == [0, 25]


@pytest.mark.parametrize(
    ("calls", "points"),
    [
        ({0: SMALL}, [180, 20]),
        ({0: GRAND_CALL}, [280, 20]),
        ({2: SMALL}, [-20, 20]),  # the partner being first does not help
        ({1: GRAND_CALL}, [80, -180]),
        ({0: SMALL, 2: SMALL, 3: SMALL}, [80, -80]),
    ],
)
def test_10_4_calls(calls: dict[int, int], points: list[int]) -> None:
    assert finished("012", WON, LEFT, calls).round_points.tolist() == points


def ended_with(points: list[int], scores: list[int], **options: Any) -> Any:
    """A match after a round of card points that lead to these scores."""
    table = dealt(**options)
    s = table.s
    for place, seat in enumerate((0, 1, 2), 1):
        s.place[seat], s.num_out = place, place
    s.points[0], s.points[1] = points
    s.hands[3] = 0
    s.team_scores[:] = scores
    end_round(s)
    return s


def test_10_5_a_team_at_the_target_wins() -> None:
    assert ended_with([60, 40], [930, 100]).turn != OVER
    s = ended_with([60, 40], [940, 100])
    assert s.turn == OVER
    assert s.team_scores.tolist() == [1000, 140]


def test_t_d31_on_equal_scores_another_round_is_played() -> None:
    assert ended_with([60, 40], [980, 1000]).turn != OVER
    assert ended_with([60, 40], [990, 1000]).turn == OVER


def test_t_d32_a_match_ends_after_max_rounds() -> None:
    assert ended_with([60, 40], [0, 0], max_rounds=2).turn != OVER
    assert ended_with([60, 40], [0, 0], max_rounds=1).turn == OVER


def test_t_d37_one_round_from_the_start_scores() -> None:
    table = dealt(episode="round", start_scores=[500, -20])
    assert table.s.team_scores.tolist() == [500, -20]
    assert ended_with([60, 40], [500, -20], episode="round").turn == OVER


def test_10_7_every_round_pays_the_difference_to_both_partners() -> None:
    s = ended_with([60, 40], [0, 0])
    assert s.scores.tolist() == [20, -20, 20, -20]
    assert s.outcome == ROUND_END
    assert s.rounds == 1


def test_10_8_foul_play_loses_as_a_double_win_and_the_calls() -> None:
    table = dealt()
    table.s.calls[:] = [GRAND_CALL, SMALL, SMALL, 0]
    assert forfeit(table.s, 2).tolist() == [-500, 500, -500, 500]
    assert forfeit(table.s, 3).tolist() == [300, -300, 300, -300]


def test_14_3_round_points_add_up() -> None:
    states = GAME.new_games(GAME.make_rules("round"), np.arange(60))
    rng = np.random.default_rng(3)
    while (states["turn"] >= 0).any():
        masks = GAME.masks(states)
        actions = [rng.choice(np.flatnonzero(m)) if m.any() else -1 for m in masks]
        GAME.apply(states, np.array(actions))
    value = np.array([0, 100, 200])[states["calls"]]
    bonus = np.where(states["place"] == 1, value, -value).sum(1)
    total = states["round_points"].sum(1) - bonus
    double = states["num_out"] == 2
    assert double.any() and not double.all()
    assert (total == np.where(double, 200, 100)).all()


def test_10_7_the_table_of_a_round_that_is_over_says_so() -> None:
    table: Table = position("Kg", "9g 9k", "", "", finish=(3, 2)).act("Kg")
    assert GAME.last_event(table.s).endswith(
        "ends the round, seat 1 is left with 9g 9k: 10 : 0, in all 10 : 0"
    )
