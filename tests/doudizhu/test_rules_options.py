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
    "solo_kickers": None,
    "four_two_pair": None,
    "bomb_counts_from": None,
    "bomb_mode": "multiply",
    "farmer_bomb_limit": False,
    "wild": "off",
    "wild_alone": "any",
    "pure_wild_bomb": "natural",
}
USUAL = {
    3: {"solo_kickers": True, "four_two_pair": True, "bomb_counts_from": 4},
    4: {"solo_kickers": False, "four_two_pair": False, "bomb_counts_from": 5},
}
"""What is played where the option is None, by number of seats."""
PRESETS: dict[str, dict[str, Any]] = {
    "standard": {},
    "rlcard": {
        "kicker_solo_max_same": 3,
        "kicker_pair_max_same": 1,
        "kicker_adjacent_trio": False,
    },
    "pagat": {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1},
    "douzero": {"kicker_rocket": True, "kicker_pair_max_same": 1},
    "botzone": {
        "kicker_rocket": True,
        "kicker_solo_max_same": 1,
        "kicker_pair_max_same": 1,
        "all_pass": "force_first",
        "all_pass_limit": 1,
    },
    "online": {"auction": "continuous", "snatch": True, "doubling": "super"},
    "four_players": {"players": 4},
    "four_players_all_types": {"players": 4, "solo_kickers": True, "four_two_pair": True},
    "wild_three": {"wild": "three"},
    "wild_random": {"wild": "random"},
    "card_play": {"auction": "off"},
    "match": {"hands_per_match": 8},
}


def in_force(name: str, **options: Any) -> int:
    """An option as the record of a game holds it."""
    return int(GAME.new_records(GAME.make_rules(**options))[0].rules[name])


def test_2_defaults() -> None:
    assert dataclasses.asdict(GAME.make_rules()) == DEFAULTS


@pytest.mark.parametrize("players", USUAL)
@pytest.mark.parametrize("name", USUAL[3])
def test_2_defaults_that_depend_on_the_number_of_players(name: str, players: int) -> None:
    assert in_force(name, players=players) == USUAL[players][name]
    other = USUAL[7 - players][name]
    assert in_force(name, players=players, **{name: other}) == other


def test_2_presets_are_all_there() -> None:
    assert set(GAME.presets) == set(PRESETS)


@pytest.mark.parametrize("preset", PRESETS)
def test_2_presets(preset: str) -> None:
    assert dataclasses.asdict(GAME.make_rules(preset)) == DEFAULTS | PRESETS[preset]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("players", 2),
        ("players", 5),
        ("players", None),
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
        ("bomb_counts_from", 3),
        ("bomb_counts_from", 7),
        ("bomb_mode", "double"),
        ("farmer_bomb_limit", 1),
        ("wild", "four"),
        ("wild", None),
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
        ("wild_alone", "nothing", {"wild": "three"}),
        ("pure_wild_bomb", True, {"wild": "random"}),
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


@pytest.mark.parametrize("value", [True, False])
def test_2_bombs_of_more_cards_with_wild_ones_are_not_offered(value: bool) -> None:
    with pytest.raises(RulesError, match=r"wild_big_bombs is not offered: .*14\.7"):
        GAME.make_rules(wild="three", wild_big_bombs=value)


@pytest.mark.parametrize("wild", ["three", "random"])
def test_2_d26_wild_cards_contradict_four_players(wild: str) -> None:
    with pytest.raises(RulesError, match=f"wild='{wild}' .*three players"):
        GAME.make_rules(wild=wild, players=4)
    assert GAME.make_rules(wild=wild).wild == wild


@pytest.mark.parametrize(("name", "value"), [("wild_alone", "own_rank"), ("pure_wild_bomb", "top")])
def test_2_options_of_wild_cards_contradict_none(name: str, value: Any) -> None:
    for players in (3, 4):
        with pytest.raises(RulesError, match=f"{name}=.*no wild cards"):
            GAME.make_rules(**{name: value}, players=players)
    for wild in ("three", "random"):
        assert getattr(GAME.make_rules(**{name: value}, wild=wild), name) == value


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


@pytest.mark.parametrize("rule", ["void", "force_first"])
def test_2_a_number_of_redeals_contradicts_other_rules(rule: str) -> None:
    with pytest.raises(RulesError, match=r"max_redeals=3.*redeal"):
        GAME.make_rules(max_redeals=3, all_pass=rule)
    assert GAME.make_rules(max_redeals=3).max_redeals == 3


def test_2_farmers_bombs_may_be_limited_with_three_players() -> None:
    assert GAME.make_rules(farmer_bomb_limit=True).farmer_bomb_limit
