"""Partners of one side who are different agents."""

import numpy as np
import pytest

from agents.partners import Partners
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from eval.match import play_deals, seatings

RULES = GAME.make_rules("round")


class Constant:
    """Answers every question with its number, and counts them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.tables: list[int] = []

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        self.tables += tables.tolist()
        return np.full(len(masks), self.number)


def test_each_member_plays_at_its_share_of_the_seats() -> None:
    first, second = Constant(5), Constant(7)
    tables = np.array([0, 1, 2, 3, 40, 42, 43])
    actions = Partners([first, second], 4).act(
        np.zeros((7, 3)), np.ones((7, 9)), keys=tables, tables=tables
    )
    assert actions.tolist() == [5, 5, 7, 7, 5, 7, 7]
    assert first.tables == [0, 1, 40]


def test_partners_are_named_with_a_plus() -> None:
    agent = make_agent("random+random", GAME, RULES)
    assert isinstance(agent, Partners)
    assert (len(agent.members), agent.num_seats) == (2, 4)
    with pytest.raises(AgentError, match="no agent of tichu 'nobody'"):
        make_agent("random+nobody", GAME, RULES)


def test_teams_sit_across_and_each_side_is_played_once() -> None:
    states = GAME.new_games(RULES, spawn_seeds(0, 3))
    assert seatings(GAME, RULES, states).tolist() == [[[0, 1, 0, 1], [1, 0, 1, 0]]] * 3


def test_the_same_partners_on_both_sides_score_zero() -> None:
    agents = [make_agent(name, GAME, RULES) for name in ("random+random", "random")]
    outcome = play_deals(GAME, RULES, agents, spawn_seeds(1, 5))
    assert outcome.differences().tolist() == [0.0] * 5
