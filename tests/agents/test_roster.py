"""Agents by name, and what is said when there is none."""

from pathlib import Path

import pytest

from agents.random_agent import RandomAgent
from agents.roster import builtin_names, make_agent
from envs.core.errors import AgentError
from tests.toy_game import GAME, ToyRules

RULES = ToyRules()
BOTS = """
import helper_beside_it
from agents.base import Bot

class First(Bot):
    def choose(self, decision):
        return decision.legal[0]

class Bare:
    def act(self, observations, masks, *, keys, tables):
        return masks.argmax(1)

class Broken(First):
    def __init__(self, game, rules):
        raise RuntimeError("no weights")

class Greedy(First):
    def __init__(self, game, rules, depth):
        pass

class Unfinished(Bot):
    pass

class Mute:
    pass
"""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """A file with agents, and a module beside it that it imports."""
    (tmp_path / "helper_beside_it.py").write_text("")
    path = tmp_path / "bots.py"
    path.write_text(BOTS)
    return path


def test_builtin_agents() -> None:
    assert builtin_names(GAME) == ["random"]  # nobody wrote a rule-based agent for the toy
    assert isinstance(make_agent("random", GAME, RULES), RandomAgent)


def test_class_in_a_file_gets_the_game(bots: Path) -> None:
    agent = make_agent(f"{bots}:First", GAME, RULES)
    assert agent.game is GAME  # type: ignore[attr-defined]  # not part of the protocol
    assert type(agent) is type(make_agent(f"{bots}:First", GAME, RULES))


def test_class_may_take_nothing(bots: Path) -> None:
    assert type(make_agent(f"{bots}:Bare", GAME, RULES)).__name__ == "Bare"


def test_class_in_a_module() -> None:
    assert isinstance(make_agent("agents.random_agent:RandomAgent", GAME, RULES), RandomAgent)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("randon", "did you mean 'random'"),
        ("nowhere.py:First", "there is no file"),
        ("no.such.module:First", "No module named 'no'"),
        ("{bots}:Firs", "no class 'Firs'; its agents: First"),
        ("{bots}:Broken", "RuntimeError: no weights"),
        ("{bots}:Greedy", "must take (game, rules) or nothing"),
        ("{bots}:Unfinished", "choose"),
        ("{bots}:Mute", "no method `act`"),
    ],
)
def test_errors_say_what_is_wrong(bots: Path, name: str, message: str) -> None:
    with pytest.raises(AgentError, match=r"^agent ") as caught:
        make_agent(name.format(bots=bots), GAME, RULES)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import torchvision_of_nobody", "No module named 'torchvision_of_nobody'"),
        ("class First(:", "SyntaxError"),
        ("raise SystemExit('stop')", "SystemExit: stop (broken.py, line 1)"),
    ],
)
def test_file_that_cannot_be_imported(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "broken.py"
    path.write_text(source)
    for _ in range(2):  # the second try must not find half a module
        with pytest.raises(AgentError) as caught:
            make_agent(f"{path}:First", GAME, RULES)
        assert message in str(caught.value)
