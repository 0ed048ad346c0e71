"""The default policy of Tongits: honest, legal, the same in playouts, far better than chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.search import tongits
from agents.search.base import DefaultAgent
from envs.core.rng import spawn_seeds
from envs.tongits import GAME
from eval.match import play_deals
from tests.agents.policies import check_alone, check_honest, check_playouts, choices
from tests.agents.test_rule_tongits import CHOICES, OPTION_SETS
from tests.tongits.positions import Table, position


def choice(table: Table) -> str:
    """What the policy does, in notation."""
    return GAME.format_action(table.s, int(choices(GAME, tongits, table.states)[0]))


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.5, 1.0])
def test_it_knows_only_what_the_seat_sees(options: dict[str, Any], guided: float) -> None:
    check_honest(GAME, GAME.make_rules(**options), tongits, 30, guided)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.5, 1.0])
def test_playouts_are_hands_of_the_policy(options: dict[str, Any], guided: float) -> None:
    check_playouts(GAME, GAME.make_rules(**options), tongits, 30, guided)


def test_it_does_alone_what_it_does_in_a_batch() -> None:
    check_alone(GAME, GAME.make_rules(dealer_cards=13), tongits)


@pytest.mark.parametrize("name", CHOICES)
def test_plain_positions_as_the_rule_based_player(name: str) -> None:
    hands, more, expected = CHOICES[name]
    assert choice(position(hands, **{"stock": "QS QH QD QC JH TS", **more})) == expected


@pytest.mark.parametrize(
    ("hand", "penalty", "answer"),
    [("JD QC KH 9S", 0, "CHALLENGE"), ("JD QC KH 9S", 1, "FOLD"), ("AH", 1, "CHALLENGE")],
)
def test_answer_to_a_knock(hand: str, penalty: int, answer: str) -> None:
    hands, melds = f"3S 4H 5D | {hand} | 2D 3H", "0 7S 7H 7D | 1 8S 8H 8D"
    table = position(hands, phase="DRAW", melds=melds, failed_challenge_penalty=penalty)
    assert choice(table.play("KNOCK")) == answer


def test_registers_in_its_last_turn() -> None:
    hands = "5S 6S 7S QD 9H 2C | 3S 3D | 4S 4D"
    assert choice(position(hands, stock="QS QH")) == "MELD 5S 6S 7S"
    assert choice(position(hands, stock="QS QH", melds="0 8S 8H 8D")) == "DISCARD QD"


def test_lays_its_melds_where_only_an_empty_hand_wins() -> None:
    table = position("3S 4S 5S 7S 7H 7D KD | 8C 9D | TS QC", tongits_hidden_melds=False)
    taken = []
    while table.s.turn == 0:
        taken.append(choice(table))
        table.play(taken[-1])
    assert sorted(word.split()[0] for word in taken) == ["DISCARD", "MELD", "MELD"]


@pytest.mark.parametrize("preset", ["seed", "filipino"])
def test_beats_chance(preset: str) -> None:
    """One wins two hands of three against two that play at random."""
    rules = GAME.make_rules(preset)
    agents = [DefaultAgent(GAME, rules), RandomAgent(GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(5, 100))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.78
    alone = (outcome.seating == 0).sum(2) == 1
    assert ((outcome.payoffs > 0) & (outcome.seating == 0)).any(2)[alone].mean() > 0.66


def test_random_numbers_of_a_position_fill_the_futures() -> None:
    states = GAME.new_games(GAME.make_rules(), spawn_seeds(6, 20))
    thoughts, view = np.zeros(1, tongits.OUTLOOK), states[:1].copy()
    seen = []
    for state in states:
        tongits.turn_round(view, state)
        tongits.look(thoughts[0], view[0])
        futures = [int(future) for future in thoughts[0].futures[: tongits.FUTURES]]
        assert all(future & int(view[0].hands[0]) == 0 for future in futures)
        assert {future.bit_count() for future in futures} == {tongits.MOST_DRAWS}
        seen += futures
    drawn = [sum(future >> card & 1 for future in seen) for card in range(52)]
    assert min(drawn) > 0  # 640 cards of 52
    assert max(drawn) < 30
