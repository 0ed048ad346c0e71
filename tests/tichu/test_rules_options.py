"""Section 2 of the rules: the options, their defaults, and what is refused."""

import dataclasses
from typing import Any

import pytest

from envs.core.errors import RulesError
from envs.core.rules import parse_option
from envs.tichu import GAME
from envs.tichu.rules import TichuRules

DEFAULTS = {
    "episode": "match",
    "target_score": 1000,
    "start_scores": (0, 0),
    "max_rounds": 50,
    "first_dealer": "random",
    "next_dealer": "winner",
    "grand_tichu": True,
    "tichu_window": "every_action",
    "bomb_window": "every_action",
    "bomb_ask": "holders",
    "wish_binds_collect": True,
    "dog_return": "next_active",
    "suit_choice": "relevant",
    "suit_pick": "random",
    "skip_forced": False,
}


def test_2_defaults() -> None:
    assert dataclasses.asdict(GAME.make_rules()) == DEFAULTS


def test_2_presets() -> None:
    assert GAME.presets["seed"] == {}
    assert GAME.presets["fast"] == {
        "tichu_window": "own_turn",
        "bomb_window": "own_turn_only",
        "skip_forced": True,
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"episode": "game"}, "episode must be one of 'match', 'round', got 'game'"),
        ({"target_score": 0}, "target_score must be 1 to 100000, got 0"),
        ({"target_score": 100_001}, "target_score must be 1 to 100000"),
        ({"start_scores": (0, 0, 0)}, "start_scores must be"),
        ({"start_scores": (0, 0.5)}, "start_scores must be a whole number and a whole number"),
        ({"start_scores": (0, -100_001)}, "start_scores must be -100000 to 100000, got -100001"),
        ({"max_rounds": 0}, "max_rounds must be 1 to 10000, got 0"),
        ({"first_dealer": 4}, "first_dealer must be one of 'random', 0, 1, 2, 3, got 4"),
        ({"grand_tichu": 1}, "grand_tichu must be true or false, got 1"),
        ({"episode": "round", "target_score": 500}, "target_score=500 has no meaning: one round"),
        ({"episode": "round", "max_rounds": 5}, "max_rounds=5 has no meaning"),
        ({"episode": "round", "next_dealer": "rotate"}, "next_dealer='rotate' has no meaning"),
        ({"bomb_window": "own_turn_only", "bomb_ask": "public"}, "bomb_ask='public' has no mean"),
        ({"bomb_window": "own_turn_only", "wish_binds_collect": False}, "nobody is asked for a b"),
        ({"suit_choice": "always", "suit_pick": "lowest"}, "suit_pick='lowest' has no meaning"),
        ({"tichu_windows": "own_turn"}, "no option 'tichu_windows'; did you mean 'tichu_window'"),
    ],
)
def test_2_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        GAME.make_rules(**options)


def test_2_scores_may_come_as_a_list_or_in_words() -> None:
    assert GAME.make_rules(start_scores=[300, -50]).start_scores == (300, -50)
    assert parse_option(TichuRules, "start_scores=300,-50") == ("start_scores", (300, -50))


def test_2_no_limit_of_rounds() -> None:
    assert GAME.make_rules(max_rounds=None).max_rounds is None
