"""Section 2 of the rules: the options, their defaults, and what is refused."""

import dataclasses
from typing import Any

import pytest

from envs.core.aec import make_raw_env
from envs.core.errors import RulesError
from envs.core.rules import parse_option
from envs.tongits import GAME
from tests.tongits.positions import dealt

DEFAULTS = {
    "dealer_cards": 12,
    "first_dealer": "random",
    "next_dealer": "winner",
    "num_hands": 1,
    "tongits_hidden_melds": True,
    "knock_tie": "challenger",
    "knock_block": "none",
    "challenge_requires_meld": False,
    "stockout_requires_meld": False,
    "failed_knock_pays_all": True,
    "score_base": 1,
    "score_bonus": 1,
    "score_burn": 1,
    "score_quad": 3,
    "score_tongits": 3,
    "score_challenge": 3,
    "take_for_layoff": False,
    "failed_challenge_penalty": 0,
    "bonus_ranks": "AK",
    "bonus_scope": "hand",
    "jackpot_ante": 0,
    "jackpot_streak": 2,
}
PRESETS: dict[str, dict[str, Any]] = {
    "seed": {},
    "filipino": {
        "dealer_cards": 13,
        "knock_block": "any",
        "challenge_requires_meld": True,
        "stockout_requires_meld": True,
    },
    "match": {"num_hands": 8},
}


def test_2_defaults() -> None:
    assert dataclasses.asdict(GAME.make_rules()) == DEFAULTS


@pytest.mark.parametrize("preset", PRESETS)
def test_2_presets(preset: str) -> None:
    assert dataclasses.asdict(GAME.make_rules(preset)) == DEFAULTS | PRESETS[preset]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dealer_cards", 14),
        ("first_dealer", 3),
        ("first_dealer", "winner"),
        ("first_dealer", True),
        ("next_dealer", "loser"),
        ("num_hands", 0),
        ("num_hands", 1.5),
        ("tongits_hidden_melds", 1),
        ("knock_tie", "draw"),
        ("knock_block", True),
        ("challenge_requires_meld", "yes"),
        ("stockout_requires_meld", 0),
        ("failed_knock_pays_all", None),
        ("score_base", -1),
        ("score_bonus", 101),
        ("score_burn", "1"),
        ("score_quad", -3),
        ("score_tongits", 0.5),
        ("score_challenge", 1000),
        ("take_for_layoff", 1),
        ("failed_challenge_penalty", -1),
        ("bonus_ranks", "KA"),
        ("bonus_ranks", "Q"),
        ("bonus_scope", "melds"),
        ("jackpot_ante", -1),
        ("jackpot_streak", 1),
    ],
)
def test_2_other_values_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=f"{name} .*{value!r}"):
        GAME.make_rules(**{name: value})


@pytest.mark.parametrize("name", ["num_hands", "score_base", "failed_challenge_penalty"])
def test_2_1_whole_numbers_go_up_to_100(name: str) -> None:
    assert getattr(GAME.make_rules(**{name: 100}), name) == 100
    with pytest.raises(RulesError, match=f"{name} .*101"):
        GAME.make_rules(**{name: 101})


def test_2_1_a_streak_contradicts_no_jackpot() -> None:
    with pytest.raises(RulesError, match=r"jackpot_streak=3.*jackpot_ante"):
        GAME.make_rules(jackpot_streak=3)
    assert GAME.make_rules(jackpot_streak=3, jackpot_ante=1).jackpot_streak == 3


def test_2_1_options_survive_every_reset() -> None:
    env = make_raw_env(GAME, "filipino", score_base=7)
    for seed in (None, 1, None):
        env.reset(seed=seed)
        assert (env._states["rules"]["score_base"], env._states["rules"]["knock_block"]) == (7, 2)
        assert env._states[0].sizes.max() == 13


def test_2_the_first_dealer_is_a_word_or_a_seat() -> None:
    for text, value in (("random", "random"), ("0", 0), ("2", 2)):
        assert parse_option(GAME.rules, f"first_dealer={text}") == ("first_dealer", value)
    assert [int(dealt(first_dealer=seat).s.dealer) for seat in range(3)] == [0, 1, 2]
