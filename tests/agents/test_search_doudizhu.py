"""The default policy of Dou Dizhu: honest, legal, the same in playouts, far better than chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.search import doudizhu
from agents.search.base import DefaultAgent
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import parse_cards
from envs.doudizhu.state import NO_CALL
from eval.match import play_deals
from tests.agents.policies import check_alone, check_honest, check_playouts, choices, play_of
from tests.agents.test_rule_doudizhu import NO_AUCTION, OPTION_SETS, WILD, position
from tests.conformance.play import look


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_it_knows_only_what_the_seat_sees(options: dict[str, Any], guided: float) -> None:
    check_honest(GAME, GAME.make_rules(**options), doudizhu, 20, guided)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_playouts_are_games_of_the_policy(options: dict[str, Any], guided: float) -> None:
    check_playouts(GAME, GAME.make_rules(**options), doudizhu, 20, guided)


def test_it_does_alone_what_it_does_in_a_batch() -> None:
    check_alone(GAME, NO_AUCTION, doudizhu)


@pytest.mark.parametrize(
    "preset", ["standard", "four_players", "four_players_all_types", "wild_three", "wild_random"]
)
def test_beats_chance(preset: str) -> None:
    rules = GAME.make_rules(preset, auction="off")
    agents = [DefaultAgent(GAME, rules), RandomAgent(GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, 200))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.93


@pytest.mark.parametrize("preset", ["standard", "four_players", "wild_three", "wild_random"])
def test_finds_a_landlord_in_nearly_every_deal(preset: str) -> None:
    rules = GAME.make_rules(preset)
    agent = DefaultAgent(GAME, rules)
    outcome = play_deals(GAME, rules, [agent, agent], spawn_seeds(4, 200))
    assert (outcome.payoffs.max(2) > 0).mean() > 0.95


MANY = ["335567889TTQQKA2", "356679TTJJQKAA2"]
"""What two seats may hold that are far from going out."""


@pytest.mark.parametrize(
    ("hands", "table", "owner", "landlord", "play"),
    [
        (["33344456", *MANY], "", -1, 0, "333444+56"),
        (["444477QQ", *MANY], "", -1, 0, "4444+77QQ"),
        (["3R", "889TJ", "99TTJJQQ2"], "", -1, 0, "R"),
        (["3444TTQQ9A", *MANY], "", -1, 0, "444+3"),
        (["345679JJQQKA22", *MANY], "", -1, 0, "34567"),
        (["3399KK", "5566778", "4"], "", -1, 2, "33"),
        (["9JJQQ34567", *MANY], "6", 2, 0, "9"),
        (["45BR88", *MANY], "A", 2, 0, "pass"),
        (["34445K4", MANY[0], "3"], "A", 2, 2, "4444"),
        (["5577KKAA", "6", "334488TTJJ"], "Q", 1, 2, "pass"),
        (["679QK2", "4", "3355TTJJA"], "8", 2, 1, "2"),
    ],
)
def test_play(hands: list[str], table: str, owner: int, landlord: int, play: str) -> None:
    assert play_of(GAME, doudizhu, position(hands, table, owner, landlord)) == play


@pytest.mark.parametrize(
    ("hands", "table", "owner", "landlord", "play"),
    [
        (["3QQ", *MANY], "", -1, 0, "QQ[Q]"),
        (["35679QQKK2", *MANY], "", -1, 0, "567[8]9"),
        (["3666459J", "4", MANY[0]], "2", 1, 1, "666[6]"),
        (["345689J", "4", MANY[0]], "A", 1, 1, "[2]"),
        (["3455889A", "44", MANY[0]], "KK", 1, 1, "A[A]"),
    ],
)
def test_play_with_wild_cards(
    hands: list[str], table: str, owner: int, landlord: int, play: str
) -> None:
    states = position(hands, table, owner, landlord, WILD, wild="3")
    assert play_of(GAME, doudizhu, states) == play


def weights(worlds: Array) -> Array:
    """How likely the worlds are by what others passed over and bid."""
    before, found = worlds.tobytes(), np.full(len(worlds), np.nan)
    doudizhu.weigh_batch(worlds, found)
    assert worlds.tobytes() == before
    return found


def turned(state: Any) -> Array:
    """The state as a world of the seat to act, which is seat 0 in it."""
    states, rules = np.array([state], GAME.state), GAME.make_rules(players=int(state.rules.players))
    world = GAME.views(rules, look(GAME, rules, states, states["turn"].copy()))
    world["rules"], world["bottom"], world["wild"] = state.rules, state.bottom, state.wild
    players = int(state.rules.players)
    world["hands"][0, :players] = np.roll(state.hands[:players], -int(state.turn))
    return world


LIKELY, SURPRISING = 1.0, doudizhu.SURPRISE
LOW = "34579JQ"
"""What the seat to act holds: it is passes of others that matter."""


@pytest.mark.parametrize(
    ("hands", "table", "landlord", "weight"),
    [
        ([LOW, "3", "5566778"], "A", 1, LIKELY),
        ([LOW, "3", "5522778"], "A", 1, SURPRISING),
        ([LOW, "3", "5544445"], "A", 1, SURPRISING),
        ([LOW, "2", "5566778"], "A", 1, LIKELY),  # seat 1 played that itself
        ([LOW, "3", "6"], "5", 0, SURPRISING),
    ],
)
def test_who_passes_hardly_holds_what_beats_the_table(
    hands: list[str], table: str, landlord: int, weight: float
) -> None:
    assert weights(position(hands, table, 1, landlord)) == weight


@pytest.mark.parametrize(
    ("won_by", "weight"),
    [
        ("K", SURPRISING),
        ("T", SURPRISING**2),
        ("4447", SURPRISING),
        ("R", LIKELY),
        ("444555", LIKELY),
        ("", LIKELY),
    ],
)
def test_at_a_lead_all_have_passed_over_the_own_last_play(won_by: str, weight: float) -> None:
    states = position([LOW, "888J", "3335A"])
    states["plays"][0, 0], states["last_cards"][0, 0] = len(won_by), parse_cards(won_by)
    assert weights(states) == weight


def test_with_wild_cards_in_it_the_last_play_says_nothing() -> None:
    states = position([LOW, "222888", "2225A"], rules=WILD, wild="K")
    states["plays"][0, 0], states["last_cards"][0, 0] = 1, parse_cards("K")
    assert weights(states) == LIKELY


WEAK, STRONG = "33455678899TTJQKK", "3444566JJQAA222BR"


@pytest.mark.parametrize("auction", ["once", "continuous"])
@pytest.mark.parametrize(
    ("calls", "weight"),
    [
        ((NO_CALL, NO_CALL), LIKELY),
        ((0, 3), LIKELY),
        ((0, NO_CALL), LIKELY),
        ((3, NO_CALL), SURPRISING),
        ((0, 0), SURPRISING),
        ((0, 1), SURPRISING),
        ((1, 0), SURPRISING**2),
    ],
)
def test_bids_tell_of_the_hands_dealt(auction: str, calls: tuple[int, int], weight: float) -> None:
    """Seat 1 is weak, seat 2 strong; the landlord has taken up a bottom, and both have played."""
    states = position([LOW, WEAK, STRONG], "A", 2, 2, rules=GAME.make_rules(auction=auction))
    s = states[0]
    s.first, s.calls[1:3], s.bids[1:3] = 1, calls, np.maximum(calls, 0)
    s.bottom, s.played[1], s.played[2] = parse_cards("222"), parse_cards("33"), parse_cards("7")
    s.hands[1], s.hands[2] = parse_cards(WEAK[2:]), parse_cards(STRONG + "7")
    assert weights(states) == weight


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_what_the_policy_really_held_is_likely(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    states = GAME.new_games(rules, spawn_seeds(9, 6))
    true: list[float] = []
    drawn: list[float] = []
    while len(states):
        worlds = GAME.views(rules, look(GAME, rules, states, states["turn"].copy()))
        GAME.resample(worlds, spawn_seeds(len(true), len(states)))
        drawn.extend(weights(worlds))
        true.extend(weights(turned(state))[0] for state in states)
        GAME.apply(states, choices(GAME, doudizhu, states))
        states = states[states["turn"] != OVER]
    assert np.mean(true) > 0.99
    assert min(drawn) > 0
    assert np.mean(drawn) < 0.95
