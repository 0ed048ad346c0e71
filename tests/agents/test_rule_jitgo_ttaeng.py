"""The rule-based players of Dori-jitgo-ttaeng: plain positions, legality, strength."""

from typing import Any

import numpy as np
import pytest

from agents.base import Agent
from agents.builtin import builtin_names
from agents.roster import make_agent
from agents.rule_based.jitgo_ttaeng import CallAgent, RuleAgent, TightAgent
from agents.rule_based.jitgo_ttaeng_odds import deck_of, reckon_piles, reckon_standings
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.hands import RESULTS
from envs.jitgo_ttaeng.moves import CHECK_CALL, parse_action
from eval.match import play_deals
from tests.agents.asking import answers, check_always_legal_and_the_same_alone

HEADS_UP = GAME.make_rules(num_players=2, max_hands=1, first_sun=0)
OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"helper_features": False, "deal_schedule": "4+1", "num_players": 2},
    {"bet_cap": 40, "max_raises": 0, "ante": 0},
)
BEST, GOOD, POOR = "5A 7A 8G 10A 10R", "5R 7R 8A 3G 6R", "1R 2R 3R 4A 9R"  # jang, gabo, hwang
OTHER = "1G 2A 4R 6A 9A"


def ask(agent: Agent, states: Array, keys: Array | None = None) -> Array:
    """The agent's actions for the seats to act."""
    return answers(GAME, None, agent, states, keys)


def position(own: str, *actions: str) -> Array:
    """A hand between two; the seat to act after `actions` holds `own`."""
    states = GAME.new_games(HEADS_UP, [0])
    hands = [own, OTHER] if len(actions) % 2 == 0 else [OTHER, own]
    GAME.write_deal(states[0], {"sun": 0, "hands": hands, "chance": 0})
    for action in actions:
        GAME.apply(states, np.array([parse_action(action)]))
    return states


def play_of(agent: type[Any], own: str, *actions: str) -> str:
    """What an agent does with a hand after some actions, in words."""
    states = position(own, *actions)
    return GAME.format_action(states[0], int(ask(agent(GAME, HEADS_UP), states)[0]))


@pytest.mark.parametrize(
    ("own", "actions", "kinds"),
    [
        (BEST, (), ("full",)),
        (BEST, ("full",), ("full",)),
        (BEST, ("full", "full", "full", "full"), ("call",)),
        (POOR, ("full",), ("fold",)),
        (POOR, ("check", "full", "full"), ("fold",)),
        (GOOD, ("min",), ("call", "min", "half", "full")),
        (GOOD, ("full", "full", "full"), ("fold",)),
    ],
    ids=str,
)
def test_rule_plays_hands_for_what_they_are_worth(
    own: str, actions: tuple[str, ...], kinds: tuple[str, ...]
) -> None:
    assert play_of(RuleAgent, own, *actions).split()[0] in kinds


@pytest.mark.parametrize(("actions", "share"), [((), 0.075), (("check",), 0.15)])
def test_rule_bluffs_by_the_key_and_more_in_the_last_position(
    actions: tuple[str, ...], share: float
) -> None:
    states = np.repeat(position(POOR, *actions), 2000)
    agent, keys = RuleAgent(GAME, HEADS_UP), spawn_seeds(5, 2000)
    chosen = ask(agent, states, keys)
    assert (chosen == ask(agent, states, keys)).all()
    assert np.mean(chosen != CHECK_CALL) == pytest.approx(share, abs=0.025)


def test_call_and_tight_do_what_they_say() -> None:
    for own in (BEST, POOR):
        assert play_of(CallAgent, own, "full", "full").startswith("call")
        assert play_of(CallAgent, own).startswith("check")
    assert play_of(TightAgent, POOR, "min").startswith("fold")
    assert play_of(TightAgent, GOOD, "full").startswith("call")
    assert play_of(TightAgent, POOR).startswith("check")
    assert play_of(TightAgent, BEST, "min").startswith("half")


def banker_table(**options: Any) -> Array:
    rules = GAME.make_rules(mode="banker", first_banker=0, **options)
    return GAME.new_games(rules, spawn_seeds(1, 20))


def test_rule_takes_the_bank_and_keeps_it() -> None:
    """The banker has the edge (RULES 3.7)."""
    states = banker_table(voluntary_pass=True)
    agent = RuleAgent(GAME, GAME.make_rules(mode="banker", voluntary_pass=True))
    assert (ask(agent, states) == parse_action("stake all")).all()
    GAME.apply(states, np.full(20, parse_action("stake all")))
    while len(punting := np.flatnonzero(states["turn"] != 0)):
        before = states[punting]
        GAME.apply(before, np.full(len(before), parse_action("pass")))
        states[punting] = before
    assert (ask(agent, states) == parse_action("continue")).all()


def test_rule_bets_on_a_favourite_only() -> None:
    states = banker_table()
    GAME.apply(states, np.full(20, parse_action("stake half")))
    agent = RuleAgent(GAME, GAME.make_rules(mode="banker"))
    assert (ask(agent, states) == parse_action("pass")).all()  # no pile is one in the classic game
    agent._piles = np.where(np.arange(40) == 4, 0.6, 0.4)
    actions = ask(agent, states)
    for s, action in zip(states, actions, strict=True):
        shown = [int(card).bit_length() - 1 for card in s.face_up]
        wanted = f"bet {'ABC'[shown.index(4)]} all" if 4 in shown else "pass"
        assert action == parse_action(wanted)


@pytest.mark.parametrize("deck", [20, 40])
def test_3_7_odds(deck: int) -> None:
    """The chances of the rules: hwang and kkeut 0, a pile by its face-up month, ties excluded."""
    rules = GAME.make_rules(mode="banker", deck=deck)
    options = GAME.new_records(rules)[0].rules
    standings = reckon_standings(options, deck_of(options))
    hwang, mangtong = {20: (4416, 888), 40: (212512, 34496)}[deck]
    total = {20: 15504, 40: 658008}[deck]
    assert standings[RESULTS.index("hwang")] == pytest.approx(hwang / total / 2)
    assert standings[RESULTS.index("kkeut_0")] == pytest.approx((hwang + mangtong / 2) / total)
    piles = reckon_piles(options, deck_of(options))
    assert piles[piles > 0].mean() == pytest.approx({20: 0.4381, 40: 0.4291}[deck], abs=0.004)
    if deck == 20:
        by_month = piles.reshape(10, 4)[:, :2].mean(1)
        assert by_month[4] == pytest.approx(0.453, abs=0.012)
        assert by_month[3] == pytest.approx(0.421, abs=0.012)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("agent_class", [RuleAgent, CallAgent, TightAgent])
def test_always_legal_and_the_same_alone(agent_class: type[Any], options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    agent = agent_class(GAME, rules)
    check_always_legal_and_the_same_alone(GAME, rules, agent, 30, 0.3, 200)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("other", ["random", "call", "tight"])
def test_beats_the_foils(seats: int, other: str) -> None:
    rules = GAME.make_rules(num_players=seats, max_hands=1)
    agents = [make_agent(name, GAME, rules) for name in ("rule", other)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, 6000 // seats))
    assert not outcome.fouls
    differences = outcome.differences()
    error = differences.std() / len(differences) ** 0.5
    assert differences.mean() > 2 * error


@pytest.mark.parametrize("seats", [2, 4])
def test_a_bet_before_all_cards_are_dealt_frightens_nobody(seats: int) -> None:
    rules = GAME.make_rules("streets", num_players=seats, max_hands=1)
    agents = [RuleAgent(GAME, rules), make_agent("random", GAME, rules)]
    differences = play_deals(GAME, rules, agents, spawn_seeds(5, 400)).differences()
    assert differences.mean() > 3 * differences.std() / len(differences) ** 0.5


def test_roster_knows_them() -> None:
    assert builtin_names(GAME) == ["random", "call", "tight", "rule"]
