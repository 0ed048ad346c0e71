"""Evaluations: duplicate deals, the same each time."""

import numpy as np
import pytest

from agents.base import Agent
from agents.network import Rows
from agents.policy import PolicyAgent
from agents.random_agent import RandomAgent
from tests.eval.bots import First, Last, Raises
from tests.toy_game import GAME, ToyRules
from tests.train.tiny import make_learner
from train.evaluation import compare

RULES = ToyRules()


def trained(samples: bool) -> Agent:
    network = make_learner(seed=3).policy.export_actor()
    return PolicyAgent(Rows(GAME, RULES), network, samples)


@pytest.mark.parametrize(
    "agent",
    [trained(False), trained(True), RandomAgent(GAME, RULES)],
    ids=["best", "draws", "random"],
)
def test_an_agent_against_itself_scores_exactly_nothing(agent: Agent) -> None:
    [found] = compare(GAME, RULES, agent, [("itself", agent)], 20)
    assert (found.difference.mean, found.win_rate.mean) == (0.0, 0.5)


def test_each_opponent_is_compared_on_the_same_deals() -> None:
    agent = RandomAgent(GAME, RULES)
    opponents: list[tuple[str, Agent]] = [
        ("first", First(GAME, RULES)),
        ("last", Last(GAME, RULES)),
    ]
    found = compare(GAME, RULES, agent, opponents, 30)
    assert [(one.opponent, one.deals) for one in found] == [("first", 30), ("last", 30)]
    assert found == compare(GAME, RULES, agent, opponents, 30)
    assert found[1:] == compare(GAME, RULES, agent, opponents[1:], 30)
    assert found[0].difference != found[1].difference


def test_results_of_a_comparison() -> None:
    """Who always folds gives nothing to one opponent; two of them pay each other."""
    [found] = compare(GAME, RULES, First(GAME, RULES), [("last", Last(GAME, RULES))], 10)
    assert found.difference.mean == 0.0
    [foul] = compare(GAME, RULES, Raises(GAME, RULES), [("last", Last(GAME, RULES))], 10)
    assert foul.difference.mean is not None
    assert foul.difference.mean < 0
    plain = foul.plain()
    assert plain["mean_diff"] == foul.difference.mean
    assert plain["mean_diff_ci"][0] < plain["mean_diff"] < plain["mean_diff_ci"][1]
    assert plain["win_rate_ci"][0] < plain["win_rate"] < plain["win_rate_ci"][1]
    assert (plain["opponent"], plain["deals"]) == ("last", 10)
    assert not np.isnan(plain["win_rate"])
