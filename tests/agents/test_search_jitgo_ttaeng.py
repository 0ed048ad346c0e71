"""The default policy of Dori-jitgo-ttaeng: honest, legal, the same in playouts, strong."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from agents.roster import make_agent
from agents.rule_based.jitgo_ttaeng import BLUFF
from agents.rule_based.jitgo_ttaeng_odds import deck_of, reckon_standings
from agents.search import jitgo_ttaeng
from agents.search.base import DefaultAgent
from envs.core.rng import spawn_seeds
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.moves import CHECK_CALL, FOLD, FULL, WORDS
from envs.jitgo_ttaeng.rules import option_record
from eval.match import play_deals
from tests.agents.policies import check_alone, check_honest, check_playouts, choices
from tests.agents.test_rule_jitgo_ttaeng import BEST, GOOD, OPTION_SETS, POOR, position
from tests.jitgo_ttaeng.positions import Table


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_it_knows_only_what_the_seat_sees(options: dict[str, Any], guided: float) -> None:
    check_honest(GAME, GAME.make_rules(**options), jitgo_ttaeng, 10, guided)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_playouts_are_hands_of_the_policy(options: dict[str, Any], guided: float) -> None:
    check_playouts(GAME, GAME.make_rules(**options), jitgo_ttaeng, 10, guided)


def test_it_does_alone_what_it_does_in_a_batch() -> None:
    check_alone(GAME, GAME.make_rules(), jitgo_ttaeng)


@pytest.mark.parametrize("deck", [20, 40])
def test_standings_of_random_hands_are_nearly_exact(deck: int) -> None:
    for gwang, seotda, special in product((False, True), repeat=3):
        rules = GAME.make_rules(
            deck=deck, gwang=gwang, seotda=seotda, special=special, chunchu="top"
        )
        options = option_record(rules)
        exact = reckon_standings(options, deck_of(options))
        found = jitgo_ttaeng.STANDINGS[deck // 40, int(gwang), int(seotda)]
        assert np.abs(found - exact).max() < 0.01


@pytest.mark.parametrize(
    ("own", "actions", "kinds"),
    [
        (BEST, (), ("full",)),
        (BEST, ("full", "full", "full", "full"), ("call",)),
        (POOR, ("full", "full", "full"), ("fold",)),
        (GOOD, ("min",), ("call", "min", "half", "full")),
        (GOOD, ("full", "full", "full"), ("fold",)),
    ],
    ids=str,
)
def test_plays_hands_for_what_they_are_worth(
    own: str, actions: tuple[str, ...], kinds: tuple[str, ...]
) -> None:
    states = position(own, *actions)
    action = int(choices(GAME, jitgo_ttaeng, states)[0])
    assert GAME.format_action(states[0], action).split()[0] in kinds


def test_bluffs_with_some_poor_hands() -> None:
    states = GAME.new_games(GAME.make_rules(num_players=2), spawn_seeds(7, 2000))
    GAME.apply(states, choices(GAME, jitgo_ttaeng, states))
    results = states["results"][np.arange(2000), states["turn"]]
    poor = states[(results == 0) & (states["current"] == 0)]  # hwang in the last position
    chosen = choices(GAME, jitgo_ttaeng, poor)
    assert np.mean(chosen != CHECK_CALL) == pytest.approx(BLUFF, abs=0.06)


def test_does_not_fear_bets_before_all_cards_are_dealt() -> None:
    rules = GAME.make_rules(num_players=2, deal_schedule="4+1")
    states = GAME.new_games(rules, spawn_seeds(8, 500))
    GAME.apply(states, np.full(500, FULL))
    assert np.mean(choices(GAME, jitgo_ttaeng, states) == FOLD) < 0.2


def test_takes_and_keeps_the_bank_and_never_bets_against_it() -> None:
    table = Table(mode="banker", first_banker=0, voluntary_pass=True, num_players=3)
    taken = []
    for _ in range(4):
        action = int(choices(GAME, jitgo_ttaeng, table.states)[0])
        taken.append(WORDS[action])
        GAME.apply(table.states, np.array([action]))
    assert taken == ["stake all", "pass", "pass", "continue"]


@pytest.mark.parametrize(
    ("options", "other", "deals"),
    [
        ({"num_players": 2}, "random", 1500),
        ({"num_players": 2}, "call", 400),
        ({"num_players": 4}, "random", 300),
        ({"num_players": 4}, "call", 200),
        ({"deck": 40, "num_players": 6}, "random", 40),
        ({"deck": 40, "num_players": 8}, "random", 20),
        ({"num_players": 2, "deal_schedule": "2+2+1"}, "random", 600),
        ({"num_players": 4, "deal_schedule": "2+2+1"}, "random", 600),
    ],
    ids=str,
)
def test_beats_chance_and_who_always_calls(options: dict[str, Any], other: str, deals: int) -> None:
    rules = GAME.make_rules(max_hands=1, **options)
    agents = [DefaultAgent(GAME, rules), make_agent(other, GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, deals))
    assert not outcome.fouls
    differences = outcome.differences()
    assert differences.mean() > 3 * differences.std() / len(differences) ** 0.5


def test_beats_chance_for_the_bank() -> None:
    rules = GAME.make_rules("banker")
    agents = [DefaultAgent(GAME, rules), make_agent("random", GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, 60))
    assert not outcome.fouls
    differences = outcome.differences()
    assert differences.mean() > 2 * differences.std() / len(differences) ** 0.5
