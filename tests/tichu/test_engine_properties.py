"""Section 14 of the rules: what holds in every game."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.tichu import GAME
from envs.tichu.moves import ID_DOG, ID_NO, ID_RANK
from envs.tichu.render import move_of_path, path_of
from envs.tichu.state import COLLECT, EXCHANGE, INTERRUPT
from tests.conformance.play import look, random_actions, walk

VARIANTS: dict[str, dict[str, Any]] = {
    "all questions": {"bomb_ask": "public", "suit_choice": "always", "episode": "round"},
    "holders": {"episode": "round"},
}
SEEDS = np.arange(30)


@pytest.mark.parametrize("variant", VARIANTS)
def test_14_2_every_question_has_a_choice_and_a_round_is_short(variant: str) -> None:
    rules = GAME.make_rules(**VARIANTS[variant])
    steps = 0
    for states, masks in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert np.array_equal(masks.any(1), states["turn"] != OVER)
        steps += 1
    assert steps < 1200


def test_14_1_captured_cards_and_hands_are_worth_the_pack() -> None:
    rules = GAME.make_rules("round")
    for states, _ in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert [GAME.problems(s) for s in states] == [[]] * len(SEEDS)


def test_14_1_problems_are_named() -> None:
    s = GAME.new_games(GAME.make_rules("round"), [1])[0]
    s.hands[0] |= s.hands[1]
    s.points[2], s.scores[1], s.turn = 5, 3, 7
    assert len(GAME.problems(s)) == 5


def test_14_4_copies_replay_alike() -> None:
    rules = GAME.make_rules("round")
    states = GAME.new_games(rules, SEEDS)
    for step in range(50):
        GAME.apply(states, random_actions(GAME.masks(states), SEEDS, step))
    ends = []
    for _ in range(2):
        copy = states.copy()
        for _ in walk(GAME, copy, SEEDS):
            pass
        ends.append(copy.tobytes())
    assert ends[0] == ends[1]


def test_14_5_paths_and_plays_are_the_same_thing() -> None:
    rules = GAME.make_rules("round", suit_choice="always")
    for number, (states, _) in enumerate(walk(GAME, GAME.new_games(rules, SEEDS), SEEDS)):
        for s in states[number % 7 :: 7]:
            if s.stage <= EXCHANGE or s.turn == OVER or s.pending:
                continue
            for path in GAME.plays(s):
                if ID_DOG <= path[0] < ID_RANK:
                    move = move_of_path(s, path)
                    assert int(s.hands[s.turn]) & move.cards == move.cards
                    assert path_of(s, move) == path


def asked_in_turn(states: Any) -> list[int]:
    """The seats that are asked until the next regular question, if all decline."""
    s, seats = states[0], [int(states[0].turn)]
    while s.phase in (INTERRUPT, COLLECT):
        GAME.apply(states, np.array([ID_NO]))
        seats.append(int(s.turn))
    return seats


def test_14_7_with_public_questions_the_order_of_seats_is_public() -> None:
    rules = GAME.make_rules("public_questions")
    checked = 0
    for states, masks in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        for row in np.flatnonzero(masks.any(1))[::6]:
            s = states[row]
            seat = np.array([s.turn])
            if s.stage <= EXCHANGE or s.pending or (masks[row, ID_NO] == 0 and s.phase == COLLECT):
                continue
            views = np.zeros(1, GAME.state)
            GAME.decode(look(GAME, rules, np.array([s]), seat), views)
            orders = []
            for seed in (1, 2):
                world = views.copy()
                GAME.resample(world, np.array([seed]))
                orders.append(asked_in_turn(world))
            truth = [(other - seat[0]) % 4 for other in asked_in_turn(np.array([s]))]
            if not (s.wish and s.rules.wish_binds_collect):
                assert orders[0] == orders[1] == truth
                checked += 1
    assert checked > 50
