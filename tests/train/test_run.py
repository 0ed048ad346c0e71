"""A whole run: weights, card, evaluations, going on after an interruption, and the program."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import envs
from agents.comparing import ComparingAgent
from agents.policy import PolicyAgent, load_agent, load_card
from envs.core.cli import INTERRUPTED
from envs.core.errors import JipaeError, RulesError
from tests.toy_game import GAME, ToyRules
from tests.toy_players import ToyBase, seat_toy_players
from train import run
from train.callbacks import Watch, due
from train.config import TrainConfig
from train.improvement import Judging
from train.run import build_aggrevate, build_tables, main, train

TABLES, STEPS, ROLLOUTS = 8, 12, 6
SMALL: dict[str, Any] = {
    "game": "toy",
    "tables": TABLES,
    "steps": STEPS,
    "minibatch": 32,
    "decisions": TABLES * STEPS * ROLLOUTS,
    "hidden": [8],
    "precision": "float32",
    "evaluations": 2,
    "evaluation_deals": 4,
    "against": ["random"],
    "checkpoint_minutes": 0.0,
}
OWN: dict[str, dict[str, Any]] = {
    "ppo": {"critic_hidden": [8]},
    "dmc": {"epsilon": 0.2},
    "aggrevate": {"adviser": "rule", "reach": 1.5, "margin": 0.05, "judged": 0.5, "replay": 100},
}
"""Of the algorithms; the memory of judged positions overflows."""


@pytest.fixture(autouse=True)
def only_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is the only game there is, and has a named variant."""
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
    monkeypatch.setitem(vars(GAME), "presets", {"short": {"hands": 1}})
    seat_toy_players(monkeypatch)


def config(folder: Path, algorithm: str = "ppo", **changes: Any) -> TrainConfig:
    given = {"algorithm": algorithm, "out": str(folder)} | changes
    return TrainConfig(**SMALL | OWN[algorithm] | given)


def interrupt(monkeypatch: pytest.MonkeyPatch, rollouts: int) -> None:
    """Let Ctrl-C be pressed in the middle of a rollout."""
    original, calls = Watch._on_step, 0

    def on_step(watch: Watch) -> bool:
        nonlocal calls
        calls += 1
        if calls == rollouts * STEPS + 5:
            raise KeyboardInterrupt
        return original(watch)

    monkeypatch.setattr(Watch, "_on_step", on_step)


def weights(path: Path) -> dict[str, bytes]:
    with np.load(path) as arrays:
        return {name: array.tobytes() for name, array in arrays.items()}


def evaluations(folder: Path) -> list[dict[str, str]]:
    """All of a run, without the time they took."""
    with (folder / "evaluations.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{name: row[name] for name in row if name != "cpu_minutes"} for row in rows]


def test_a_run_leaves_an_agent_with_its_card_and_its_evaluations(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"variants": ["preset=short", "players=2"], "requires": ["hands"]}
    path = train(config(tmp_path, ignore=["opener"], samples=True, **settings))
    assert path == tmp_path / "toy.npz"
    card = load_card(path)
    assert (card.game, card.decisions, card.hidden, card.samples) == ("toy", 576, [8], True)
    assert (card.trained_on, card.requires) == (settings["variants"], {"hands": [1, 2]})
    assert (card.ignore, card.seed) == (["opener"], 0)
    [result] = card.results
    assert (result["opponent"], result["deals"]) == ("random", 16)
    assert isinstance(load_agent(path, GAME, ToyRules(hands=1)), PolicyAgent)
    with pytest.raises(JipaeError, match="trained with hands 1 or 2, not 5"):
        load_agent(path, GAME, ToyRules(hands=5))
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    rows = [row for row in evaluations(tmp_path) if row["opponent"] == "random"]
    assert [int(row["decisions"]) for row in rows] == [288, 576]
    assert float(rows[-1]["mean_diff"]) == result["mean_diff"]
    saved = yaml.safe_load((tmp_path / "config.yaml").read_text("utf-8"))
    assert TrainConfig(**saved) == config(tmp_path, ignore=["opener"], samples=True, **settings)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pool_tables": 4, "pool_agents": ["random"]},
        {"teacher": "random", "teacher_decisions": 300},
        {"adviser": "random", "pool_tables": 4},
        {"algorithm": "dmc"},
        {"algorithm": "aggrevate"},
    ],
    ids=str,
)
def test_an_interrupted_run_ends_as_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any]
) -> None:
    straight = train(config(tmp_path / "straight", **changes))
    with monkeypatch.context() as patch:
        interrupt(patch, 3)
        with pytest.raises(KeyboardInterrupt):
            train(config(tmp_path / "broken", **changes))
    assert not (tmp_path / "broken" / "toy.npz").exists()
    resumed = train(config(tmp_path / "broken", **changes))
    assert weights(resumed) == weights(straight)
    assert evaluations(resumed.parent) == evaluations(straight.parent)
    before, after = (
        [
            int(row["time/total_timesteps"])
            for row in csv.DictReader((resumed.parent / name).read_text("utf-8").splitlines())
        ]
        for name in ("progress_to_288.csv", "progress.csv")
    )
    rollout = TABLES * STEPS
    assert before + after == list(range(rollout, (ROLLOUTS + 1) * rollout, rollout))


def test_a_run_of_aggrevate_leaves_an_agent_that_compares(tmp_path: Path) -> None:
    path = train(config(tmp_path, "aggrevate", requires=["players"]))
    card = load_card(path)
    assert (card.algorithm, card.adviser, card.features) == ("aggrevate", "rule", 3)
    assert (card.reach, card.margin) == (1.5, 0.05)
    assert (card.ignore, card.samples, card.decisions) == ([], False, 576)
    agent = load_agent(path, GAME, ToyRules())
    assert isinstance(agent, ComparingAgent)
    assert (agent.reader.reach, agent.margin) == (1.5, 0.05)
    assert type(agent.reader.adviser) is ToyBase
    with pytest.raises(JipaeError, match="trained with players 3, not 2"):
        load_agent(path, GAME, ToyRules(players=2))
    [result] = card.results
    assert (result["opponent"], result["deals"]) == ("random", 16)


def test_settings_come_to_the_learner(tmp_path: Path) -> None:
    settings = {"others": 2, "epsilon": 0.25, "epochs": 7, "objective": "points", "unit": 3}
    given = config(tmp_path, "aggrevate", **settings)
    model = build_aggrevate(given, build_tables(given))
    assert model.judging == Judging(
        share=0.5, epsilon=0.25, others=2, reach=1.5, margin=0.05, replay=100
    )
    assert (model.adviser, model.n_epochs, model.batch_size) == ("rule", 7, 32)
    assert model.objective == given.make_objective()
    assert type(model._tables.reader.adviser) is ToyBase


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    path = train(config(tmp_path))
    before, card = weights(path), load_card(path)
    path.unlink()
    assert weights(train(config(tmp_path))) == before
    assert load_card(path) == card


def test_a_folder_is_for_one_run(tmp_path: Path) -> None:
    train(config(tmp_path))
    with pytest.raises(RulesError, match="holds a run with other settings; choose another folder"):
        train(config(tmp_path, seed=1))


def test_a_broken_checkpoint_is_said_to_be_broken(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"broken")
    with pytest.raises(JipaeError, match=r"checkpoint\.pt is no checkpoint: "):
        train(config(tmp_path))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RulesError, match=r"^out: "):
        train(config(tmp_path / "file" / "folder"))


def arguments(folder: Path) -> list[str]:
    """The settings of a small run as a command line."""
    words = ["--out", str(folder)]
    for name, value in (SMALL | OWN["ppo"]).items():
        values = value if isinstance(value, list) else [value]
        words += [f"--{name.replace('_', '-')}", *map(str, values)]
    return words


def test_the_program_prints_where_the_weights_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("ppo", arguments(tmp_path)) == 0
    assert capsys.readouterr().out == f"weights: {tmp_path / 'toy.npz'}\n"
    assert json.loads((tmp_path / "toy.json").read_text("utf-8"))["algorithm"] == "ppo"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "toi"], "no game 'toi'"),
        (["--tables", "many"], "tables must be a whole number, got 'many'"),
        (["--table", "3"], "--table"),
        (["--ignore", "jokers"], "no piece of the layout 'jokers'"),
        (["--against", "rul"], "no agent of toy 'rul'"),
        (["--requires", "jokers"], "requires: toy has no option 'jokers'"),
        (["--variants", "", "", "--tables", "1", "--minibatch", "8"], "1 tables are too few"),
    ],
)
def test_errors_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main("ppo", [*arguments(tmp_path), *words]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert message in printed


@pytest.mark.parametrize("right", ["dmc", "aggrevate"])
def test_settings_for_one_algorithm_are_refused_by_the_program_of_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], right: str
) -> None:
    place = tmp_path / "settings.yaml"
    place.write_text(f"algorithm: {right}\n" + "adviser: rule\n" * (right == "aggrevate"))
    assert main("ppo", ["--config", str(place)]) == 2
    message = f"error: these settings are for {right}, which is python -m train.{right}\n"
    assert capsys.readouterr().err == message


def test_a_run_without_a_terminal_says_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(config(tmp_path, evaluations=0))
    printed = capsys.readouterr().err
    for rollouts in range(1, ROLLOUTS):
        assert f"\n{rollouts * TABLES * STEPS:,} decisions, " in f"\n{printed}"


def test_ctrl_c_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(config: TrainConfig) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "train", interrupted)
    assert main("ppo", arguments(tmp_path)) == INTERRUPTED
    assert "goes on from the last checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize(("total", "step", "times"), [(1000, 10, 10), (1000, 7, 10), (95, 10, 4)])
def test_parts_of_a_run_are_evenly_spaced(total: int, step: int, times: int) -> None:
    at = [at for at in range(step, total + step, step) if due(at, step, total, times)]
    assert at[0] == -(-total // times // step) * step
    ends = [total * part / times for part in range(1, times + 1)]
    for end in ends:
        assert sum(end <= place < end + step for place in at) == 1
    assert not any(due(at, step, total, 0) for at in range(0, total, step))
