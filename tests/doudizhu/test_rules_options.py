"""Section 2 of the rules: the options, their defaults, and what is refused."""

import dataclasses
from typing import Any

import pytest

from envs.core.errors import RulesError
from envs.doudizhu import GAME

DEFAULTS = {
    "players": 3,
    "hands_per_match": 1,
    "first_bidder_next": "winner",
    "auction": "once",
    "all_pass": "redeal",
    "all_pass_limit": 3,
    "max_redeals": 10,
    "snatch": False,
    "snatch_cap": 3,
    "snatch_factor": 2,
    "snatch_by_passers": False,
    "doubling": "off",
    "reveal_bottom": True,
    "kicker_rocket": False,
    "kicker_solo_max_same": None,
    "kicker_pair_max_same": None,
    "kicker_adjacent_trio": True,
    "solo_kickers": True,
    "four_two_pair": True,
    "bomb_counts_from": 4,
    "bomb_mode": "multiply",
    "farmer_bomb_limit": False,
    "wild": "off",
}
PRESETS = {
    "rlcard": {
        "kicker_solo_max_same": 3,
        "kicker_pair_max_same": 1,
        "kicker_adjacent_trio": False,
    },
    "pagat": {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1},
    "douzero": {"kicker_rocket": True, "kicker_pair_max_same": 1},
}


def test_2_defaults() -> None:
    assert dataclasses.asdict(GAME.make_rules()) == DEFAULTS


@pytest.mark.parametrize("preset", PRESETS)
def test_2_presets(preset: str) -> None:
    assert dataclasses.asdict(GAME.make_rules(preset)) == DEFAULTS | PRESETS[preset]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", 2),
        ("hands_per_match", 0),
        ("hands_per_match", 1.5),
        ("first_bidder_next", "loser"),
        ("auction", "twice"),
        ("all_pass", "again"),
        ("max_redeals", -1),
        ("snatch", 1),
        ("doubling", "triple"),
        ("reveal_bottom", "yes"),
        ("kicker_rocket", None),
        ("kicker_solo_max_same", 0),
        ("kicker_pair_max_same", 0),
        ("kicker_adjacent_trio", 0),
        ("solo_kickers", "no"),
        ("four_two_pair", 2),
        ("bomb_counts_from", 7),
        ("bomb_mode", "double"),
        ("farmer_bomb_limit", 1),
    ],
)
def test_2_other_values_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=f"{name} .*{value!r}"):
        GAME.make_rules(**{name: value})


@pytest.mark.parametrize(
    ("name", "value", "switch"),
    [
        ("all_pass_limit", 0, {"all_pass": "force_first"}),
        ("snatch_cap", 0, {"snatch": True}),
        ("snatch_factor", 3, {"snatch": True}),
        ("snatch_by_passers", 1, {"snatch": True}),
    ],
)
def test_2_other_values_are_refused_by_name_where_they_count(
    name: str, value: Any, switch: dict[str, Any]
) -> None:
    with pytest.raises(RulesError, match=f"{name} .*{value!r}"):
        GAME.make_rules(**{name: value}, **switch)


@pytest.mark.parametrize("name", ["hands_per_match", "max_redeals"])
def test_2_whole_numbers_go_up_to_100(name: str) -> None:
    assert getattr(GAME.make_rules(**{name: 100}), name) == 100
    with pytest.raises(RulesError, match=f"{name} .*101"):
        GAME.make_rules(**{name: 101})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", 4),
        ("wild", "three"),
        ("wild", "random"),
        ("wild_alone", "own_rank"),
        ("pure_wild_bomb", "top"),
        ("wild_big_bombs", True),
    ],
)
def test_2_variants_that_are_not_there_yet_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=name):
        GAME.make_rules(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("snatch_cap", 2), ("snatch_factor", 1), ("snatch_by_passers", True)]
)
def test_2_snatch_options_contradict_no_snatching(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=f"{name}=.*snatch is off"):
        GAME.make_rules(**{name: value})
    assert getattr(GAME.make_rules(**{name: value}, snatch=True), name) == value


@pytest.mark.parametrize(
    ("name", "value"), [("all_pass", "void"), ("max_redeals", 3), ("snatch", True)]
)
def test_2_auction_options_contradict_no_auction(name: str, value: Any) -> None:
    with pytest.raises(RulesError, match=f"{name}=.*no auction"):
        GAME.make_rules(**{name: value}, auction="off")


def test_2_a_number_of_all_passes_contradicts_redeals() -> None:
    with pytest.raises(RulesError, match=r"all_pass_limit=5.*force_first"):
        GAME.make_rules(all_pass_limit=5)
    assert GAME.make_rules(all_pass_limit=5, all_pass="force_first").all_pass_limit == 5


def test_2_farmers_bombs_may_be_limited_with_three_players() -> None:
    assert GAME.make_rules(farmer_bomb_limit=True).farmer_bomb_limit
