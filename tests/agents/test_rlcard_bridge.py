"""RLCard's rule agent is asked what RLCard itself would ask it, and its plays arrive."""

import sys
from typing import Any

import numpy as np
import pytest

from agents.base import Decision
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import OVER, Array
from envs.core.layout import empty_vectors
from envs.doudizhu import GAME
from envs.doudizhu.cards import format_cards
from envs.doudizhu.legal import rocket_of
from envs.doudizhu.moves import move_of_path

NAME = "agents.bridges.rlcard_doudizhu:RLCardRuleAgent"
RULES = GAME.make_rules("rlcard", auction="off")


def decision_of(states: Array) -> Decision:
    """The decision of the seat to act."""
    observations = empty_vectors(1, GAME.layout(RULES))
    GAME.observe(states, states["turn"].copy(), observations)
    return Decision(GAME, RULES, observations[0], GAME.masks(states)[0], key=1, table=0)


def same_deal(game: Any) -> Array:
    """A game of ours with the cards of an RLCard game, the landlord on seat 0."""
    hands = [player.initial_hand for player in game.players]
    bottom = game.round.seen_cards
    for card in bottom:
        hands[0] = hands[0].replace(card, "", 1)
    states = GAME.new_games(RULES, [0])
    GAME.write_deal(states[0], {"hands": hands, "bottom": bottom, "first": 0, "face_up": None})
    return states


@pytest.mark.parametrize("seed", range(12))
def test_asked_what_rlcard_asks(seed: int) -> None:
    rlcard = pytest.importorskip("rlcard")
    env = rlcard.make("doudizhu", config={"seed": seed})
    raw, _ = env.reset()
    states = same_deal(env.game)
    agent: Any = make_agent(NAME, GAME, RULES)
    rng = np.random.default_rng(seed)
    while states[0].turn != OVER:
        theirs, decision = raw["raw_obs"], decision_of(states)
        ours = agent.raw_state(decision.view)
        rocket = rocket_of(states[0].rules)
        paths = {format_cards(move_of_path(p, rocket).cards) or "pass": p for p in decision.plays()}
        assert set(paths) == set(theirs["actions"])
        assert {key: ours[key] for key in ("current_hand", "landlord", "self")} == {
            key: theirs[key] for key in ("current_hand", "landlord", "self")
        }
        assert ours["trace"] == theirs["trace"][len(theirs["trace"]) - len(ours["trace"]) :]
        if ours["trace"]:
            assert ours["actions"] == theirs["actions"]
        assert agent.choose(decision) in decision.legal

        answer = str(rng.choice(sorted(paths))) if rng.random() < 0.5 else agent._model.step(raw)
        for action in paths[answer]:
            GAME.apply(states, np.array([action]))
        raw, _ = env.step(answer, raw_action=True)
    assert env.is_over()


def test_other_rules_are_refused() -> None:
    for rules in (GAME.make_rules(auction="off"), GAME.make_rules("rlcard")):
        with pytest.raises(AgentError, match="set preset=rlcard and auction=off"):
            make_agent(NAME, GAME, rules)


def test_missing_rlcard_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlcard.games.doudizhu.utils", None)
    with pytest.raises(AgentError, match="needs RLCard"):
        make_agent(NAME, GAME, RULES)
