"""Agents by name, and what is said when there is none."""

from pathlib import Path

import numpy as np
import pytest

import envs
from agents.builtin import builtin_names
from agents.network import Network, Rows
from agents.policy import Card, save_policy
from agents.random_agent import RandomAgent
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.single import SeatEnv
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


def test_a_path_may_hold_what_joins_partners(tmp_path: Path) -> None:
    folder = tmp_path / "c++"
    folder.mkdir()
    (folder / "bot.py").write_text(BOTS.replace("import helper_beside_it\n", ""))
    assert type(make_agent(f"{folder / 'bot.py'}:First", GAME, RULES)).__name__ == "First"


def test_weights_by_the_path_of_their_file(tmp_path: Path) -> None:
    rows = Rows(GAME, RULES)
    sizes = [rows.layout.num_seen + GAME.num_actions, GAME.num_actions]
    network = Network([np.zeros(sizes, np.float32)], [np.arange(sizes[1], dtype=np.float32)])
    card = Card(
        game=GAME.name,
        game_version=GAME.version,
        layout=GAME.layout(RULES).digest,
        trained_on=[""],
        requires={},
        ignore=[],
        hidden=[],
        samples=False,
        algorithm="none",
        decisions=0,
        seed=0,
        results=[],
    )
    save_policy(tmp_path / "first.npz", card, network)
    agent = make_agent(str(tmp_path / "first.npz"), GAME, RULES)
    states = GAME.new_games(RULES, [1, 2])
    masks = GAME.masks(states)
    seen = np.zeros((2, GAME.layout(RULES).size), np.int8)
    GAME.observe(states, states["turn"].copy(), seen)
    actions = agent.act(seen, masks, keys=np.arange(2), tables=np.arange(2))
    assert actions.tolist() == [int(np.flatnonzero(mask)[-1]) for mask in masks]
    with pytest.raises(AgentError, match=r"second\.json is no card"):
        make_agent(str(tmp_path / "second.npz"), GAME, RULES)


def test_no_trained_weights_come_along_for_this_game() -> None:
    with pytest.raises(AgentError, match="no trained weights fit: there are none for this game"):
        make_agent("trained", GAME, RULES)


def test_a_model_of_stable_baselines3_is_loaded_on_request_with_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = SeatEnv(GAME, RULES, RandomAgent(GAME, RULES))
    sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8).save(tmp_path / "own.zip")
    agent = make_agent(f"sb3:{tmp_path / 'own.zip'}", GAME, RULES)
    assert "executes whatever code it holds" in capsys.readouterr().err
    states = GAME.new_games(RULES, [1, 2, 3])
    masks = GAME.masks(states)
    seen = np.zeros((3, GAME.layout(RULES).size), np.int8)
    actions = agent.act(seen, masks, keys=np.arange(3), tables=np.arange(3))
    assert masks[np.arange(3), actions].all()
    with pytest.raises(AgentError, match="there is no file"):
        make_agent("sb3:nowhere.zip", GAME, RULES)
    other = envs.load_game("tongits")
    with pytest.raises(AgentError, match="was trained on observations"):
        make_agent(f"sb3:{tmp_path / 'own.zip'}", other, other.make_rules())
