"""Sections 3.9 and 9 of the rules: small tichu, bombs and questions out of turn."""

import numpy as np
import pytest

from envs.tichu import GAME
from envs.tichu.env import raw_env
from envs.tichu.moves import ID_CARD, ID_NO
from envs.tichu.state import EXCHANGE
from tests.tichu.positions import Table, position

EIGHTS = "8g 8k 8b 8r"
SEVENS = "7g 7k 7b 7r"


def calling(played: tuple[int, ...] = (), **options: object) -> Table:
    """Nobody holds a bomb; those who have not played may call."""
    return position(
        "3g 4g 5b", "2g 5g", "2b 6b", "2k 5k", played=played, **options  # type: ignore[arg-type]
    )  # fmt: skip


def test_3_9_a_call_is_offered_until_the_first_card() -> None:
    table = calling().act("decline; decline; decline")
    assert "call" in table.legal()
    table.act("3g; decline; decline")
    assert table.asked == "1 follow"
    assert "call" in table.legal()
    assert calling(played=(0,)).act("decline; decline; decline").legal() == {"3g", "4g", "5b"}


def test_3_9_a_pass_is_no_card() -> None:
    table = calling().act("decline; decline; decline; 3g; decline; decline; pass")
    assert "call" in table.act("decline").legal()


def test_t_d07_nobody_may_call_once_somebody_is_out() -> None:
    table = position("3g", "2g 5g", "2b 6b", "2k 5k", played=()).act("decline; decline; decline")
    table.act("3g")
    assert table.asked == "1 follow"
    assert table.legal() == {"pass", "5g"}


def test_t_d06_after_a_call_the_same_question_comes_again() -> None:
    table = calling().act("call")
    assert table.asked == "2 interrupt"  # nothing else was asked of seat 1
    table.act("decline; decline; call")
    assert table.asked == "0 lead"
    assert table.legal() == {"3g", "4g", "5b"}
    assert table.s.calls.tolist() == [1, 1, 0, 0]


def test_t_d06_every_action() -> None:
    table = calling().act("decline; decline; decline; 3g")
    assert table.asked == "2 interrupt"  # seat 1 is next and has its own question
    assert table.act("decline").asked == "3 interrupt"
    table.act("decline; pass")
    assert table.asked == "3 interrupt"  # seat 1 has just passed, seat 2 is next
    assert table.act("decline").asked == "2 follow"


def test_t_d06_before_partner() -> None:
    table = calling(tichu_window="before_partner").act("decline; decline; decline; 3g")
    assert table.asked == "3 interrupt"
    assert table.act("decline; 5g").asked == "2 follow"  # seat 0 has played


def test_t_d06_own_turn() -> None:
    table = calling(tichu_window="own_turn").act("decline; decline; decline; 3g")
    assert table.asked == "1 follow"
    assert table.legal() == {"call", "pass", "5g"}


def test_3_9_after_the_dog_too() -> None:
    table = position("DG 4g", "2g 5g", "2b 6b", "2k 5k", played=(0,)).act("decline;" * 3 + "DG")
    assert table.asked == "1 interrupt"
    assert table.act("decline").asked == "3 interrupt"  # seat 2 leads
    assert table.act("decline").asked == "2 lead"


def test_9_1_1_seats_are_asked_from_the_owners_right_neighbour_on_the_owner_last() -> None:
    table = position("3g 2g 2k 2b 2r 4g", "3k 5k", f"{SEVENS} 3b", f"{EIGHTS} 3r").act("3g")
    asked = []
    while "interrupt" in table.asked:
        asked.append(int(table.s.turn))
        table.act("decline")
    assert asked == [2, 3, 0]
    assert table.asked == "1 follow"


def test_9_1_2_the_next_regular_actor_is_not_asked() -> None:
    table = position("3g 4g", f"{SEVENS} 2g", "5b 6b", "2k 5k").act("3g")
    assert table.asked == "1 follow"
    assert SEVENS in table.legal()


def test_9_1_2_unless_the_wish_will_forbid_one_of_his_bombs() -> None:
    table = position("3g 4g", f"{SEVENS} Tg", "5b 6b", "2k 5k", wish=10).act("3g")
    assert table.asked == "1 interrupt"
    assert table.legal() == {"decline", SEVENS}
    assert table.act("decline").legal() == {"Tg"}
    free = position("3g 4g", f"{SEVENS} 9g", "5b 6b", "2k 5k", wish=10).act("3g")
    assert free.asked == "1 follow"


def test_9_1_2_who_has_just_passed_is_not_asked() -> None:
    table = position("3g 4g", f"{SEVENS} 2g", "5b 6b", "2k 5k").act("3g; pass")
    assert table.asked == "2 follow"
    assert table.act("pass").asked == "1 interrupt"


def test_9_1_2_only_bombs_that_beat_the_table_count() -> None:
    table = position(f"{EIGHTS} 2g", "3k 4k", f"{SEVENS} 2b", "9g 9k 9b 9r 2k").act(EIGHTS)
    assert table.asked == "3 interrupt"


def test_9_1_3_a_decline_is_no_pass_and_binds_nobody() -> None:
    table = position("3g 4g", "2g 5g", f"{SEVENS} 2b", f"{EIGHTS} 2k").act("3g; decline")
    assert table.s.passes == 0
    table.act("decline; pass; decline")
    assert table.asked == "2 follow"
    assert SEVENS in table.legal()


def test_9_1_4_a_bomb_opens_a_new_window() -> None:
    table = position("3g 4g", "2g 5g", "9g 9k 9b 9r 2b", f"{EIGHTS} 2k")
    table.act(f"3g; decline; {EIGHTS}")
    assert table.asked == "2 interrupt"
    assert table.act("9g 9k 9b 9r").asked == "3 follow"


def test_9_1_5_the_owner_is_asked_last_and_takes_the_trick() -> None:
    table = position(f"3g {SEVENS} 4g", "2g 5g", "2b 6b", "2k 6k").act("3g; decline; pass")
    table.act("decline; pass; decline; pass")
    assert table.asked == "0 collect"
    assert table.legal() == {"decline", SEVENS}
    assert table.act("decline").asked == "0 lead"


def test_9_1_no_window_before_a_lead_but_for_calls() -> None:
    table = position("3g 4g", f"{SEVENS} 2g", "5b 6b", "2k 5k", played=(0, 1, 2, 3))
    assert table.asked == "0 lead"


def test_t_d28_no_window_after_the_play_that_ends_the_round() -> None:
    table = position("Kg", "9g 9k 9b 9r", "", "", finish=(3, 2)).act("Kg")
    assert table.asked == "-1 round_end"


@pytest.mark.parametrize(
    ("option", "asked"),
    [
        ("every_action", ["second pass", "third pass"]),
        ("every_play", ["third pass"]),
        ("own_turn_only", []),
    ],
)
def test_9_1_bomb_window(option: str, asked: list[str]) -> None:
    table = position("3g 4g", f"5b {EIGHTS}", "2g 4k", "2k 6k", bomb_window=option)
    found = []
    for name in ("play", "first pass", "second pass", "third pass"):
        table.act("3g" if name == "play" else "pass")
        if table.asked == "1 interrupt":
            found.append(name)
            table.act("decline")
    assert found == asked


def test_9_5_public_asks_everybody_who_might_hold_a_bomb() -> None:
    hands = ("3g 4g", "2g 5g 6g 7g", "2b 6b 8b", "2k 5k 9k Tk")
    table = position(*hands, bomb_ask="public").act("3g")
    assert table.asked == "3 interrupt"
    assert table.legal() == {"decline"}
    assert table.act("decline").asked == "1 follow"


@pytest.mark.parametrize(
    ("bomb", "size"),
    [("7g 7k 7b 7r", 4), ("Ag Ak Ab Ar", 5), ("3g 4g 5g 6g 7g", 5), ("Tg Jg Qg Kg Ag", 6)],
)
def test_9_5_the_smallest_bomb_that_beats_the_table(bomb: str, size: int) -> None:
    cards = ["2k", "4k", "6k", "8k", "9b", "Tb"]
    for num in range(3, 7):
        rest = " ".join(cards[:num])
        table = position(f"{bomb} 9g", "2r 3r", rest, "5r 6r", bomb_ask="public").act(bomb)
        assert (table.asked == "2 interrupt") == (num >= size)


def test_9_5_the_next_actor_is_asked_while_a_wish_is_active() -> None:
    hands = ("3g 4g", "2g 5g 6g 7g", "2b 6b 8b", "2k 5k 9k")
    table = position(*hands, bomb_ask="public", wish=13).act("3g")
    assert table.asked == "1 interrupt"


def test_9_1_a_question_for_a_call_offers_no_bomb_where_none_is_asked() -> None:
    options = {"bomb_window": "own_turn_only", "played": (0,)}
    table = position("3g 4g", "2g 5g", "2b 6b", f"2k {EIGHTS}", **options)  # type: ignore[arg-type]
    table.act("decline; decline; decline; 3g; decline")
    assert table.asked == "3 interrupt"
    assert table.legal() == {"decline", "call"}


def test_t_d36_forced_decisions_are_skipped() -> None:
    table = position("Kg 4g", "2g 5g", "2b 6b", "2k Ak", skip_forced=True).act("Kg")
    assert table.asked == "3 follow"  # two could only pass
    assert table.s.passes == 2


def test_t_d36_no_decision_has_one_choice() -> None:
    rules = GAME.make_rules("fast", max_rounds=3)
    states = GAME.new_games(rules, np.arange(20))
    rng = np.random.default_rng(0)
    while (states["turn"] >= 0).any():
        masks = GAME.masks(states)
        assert (masks.sum(1) != 1).all()
        actions = [rng.choice(np.flatnonzero(m)) if m.any() else -1 for m in masks]
        GAME.apply(states, np.array(actions))


def test_9_2_the_deal_of_a_round_does_not_depend_on_what_was_played() -> None:
    rules = GAME.make_rules(first_dealer=0, next_dealer="rotate", max_rounds=2)
    packs = set()
    for choice in range(5):
        states, rng = GAME.new_games(rules, [7]), np.random.default_rng(choice)
        while states[0].rounds == 0:
            allowed = np.flatnonzero(GAME.masks(states)[0])
            GAME.apply(states, np.array([rng.choice(allowed)]))
        packs.add(states[0].dealt.tobytes())
    assert len(packs) == 1


def test_9_2_history_keeps_private_actions_from_the_others() -> None:
    env = raw_env("round")
    env.reset(seed=1)
    while env._states[0].stage <= EXCHANGE:
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    seat = int(env._states[0].turn)
    env.step(ID_NO)  # a question out of turn, declined
    for other in range(4):
        history = env.history(f"player_{other}").tolist()
        gifts = [action for who, action in history if action >= ID_CARD]
        assert len(gifts) == 3
        assert ([seat, ID_NO] == history[-1]) == (other == seat)
    assert len(env.history()) == 4 + 4 + 12 + 1
