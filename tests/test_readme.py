"""The README's examples run as they stand, and the generated reference is up to date."""

import json
import re
import shlex
from pathlib import Path

import pytest

import envs
from envs.__main__ import describe
from envs.core.cli import parse_config
from eval.advise import main as advise
from eval.leaderboard import read_ladders
from eval.tournament import TournamentConfig, main, prepare

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL_BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def block_with(text: str) -> str:
    return next(block for block in PYTHON_BLOCKS if text in block)


@pytest.mark.parametrize(
    "number", [i for i, block in enumerate(PYTHON_BLOCKS) if "sb3_contrib" not in block]
)
def test_python_example_runs(number: int) -> None:
    exec(PYTHON_BLOCKS[number], {"__name__": "example"})


@pytest.mark.filterwarnings("ignore")  # torch and stable-baselines3 warn about themselves
def test_trained_policy_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(block_with("model.learn"), {"__name__": "example"})
    Path("trained.py").write_text(block_with("class Trained"))
    arguments = [
        "--game",
        "doudizhu",
        "--agents",
        "random",
        "trained.py:Trained",
        "--set",
        "auction=off",
    ]
    assert main([*arguments, "--deals", "2", "--out", "results"]) == 0
    assert json.loads(Path("results/results.json").read_text())["failures"] == []


def test_the_two_commands_come_first() -> None:
    assert SHELL_BLOCKS[0] == "pip install -e . && python -m eval.tournament\n"
    assert SHELL_BLOCKS[1] == 'pip install -e ".[dev]" && pytest\n'
    assert SHELL_BLOCKS[1].strip() in (ROOT / ".ci" / "run").read_text("utf-8")


def test_bot_of_the_readme_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shy.py").write_text(block_with("class Shy"))
    command = next(block for block in SHELL_BLOCKS if "shy.py:Shy" in block)
    arguments = command.split()[3:]
    arguments[arguments.index("--deals") + 1] = "5"
    assert main(arguments) == 0
    assert Path("runs/shy/results.json").is_file()


def test_advice_of_the_readme_is_given(capsys: pytest.CaptureFixture[str]) -> None:
    block = next(block for block in SHELL_BLOCKS if "--position" in block)
    arguments = shlex.split(block[block.index("--game") :].replace("\\\n", " "))
    arguments[arguments.index("--agent") + 1] = "pimc:playouts=50"
    assert advise(arguments) == 0
    assert "lead over the play of `rule`" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", envs.GAMES)
def test_reference_is_up_to_date(name: str) -> None:
    text = (ROOT / "envs" / name / "REFERENCE.md").read_text("utf-8")
    assert text == describe(envs.load_game(name)) + "\n"


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "eval").glob("*.yaml")))
def test_configs_of_tournaments_and_ladders_are_read(path: Path) -> None:
    if path.stem == "ladder":
        assert read_ladders(str(path))[1]
    else:
        assert prepare(parse_config(TournamentConfig, "test", ["--config", str(path)]))
