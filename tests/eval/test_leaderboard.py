"""Ladders: what they play and what they leave, whoever joins, changes or goes."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import envs
from envs.core.cli import read_rules
from eval.leaderboard import main, missing_runs, read_ladders
from eval.store import load_run
from eval.tournament import TournamentConfig
from eval.workers import Worker

ROOT = Path(__file__).parents[2]
LAST, MOODY = (f"tests.eval.bots:{name}" for name in ("Last", "Moody"))


@pytest.fixture(autouse=True)
def only_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The agents of every chunk that is played."""
    found: list[tuple[str, ...]] = []
    play = Worker.play

    def note(worker: Worker, *arguments: Any) -> Any:
        found.append(tuple(worker.job.names))
        return play(worker, *arguments)

    monkeypatch.setattr(Worker, "play", note)
    return found


def write(folder: Path, *agents: str, **changes: Any) -> str:
    """A file of one ladder."""
    ladder = {"game": "toy", "agents": list(agents), "deals": 40, "set": ["hands=1"]} | changes
    path = folder / "ladder.yaml"
    path.write_text(yaml.safe_dump({"out": str(folder / "runs"), "ladders": [ladder]}))
    return str(path)


def table(folder: Path) -> dict[str, list[str]]:
    """The rows of the Markdown table by agent and version."""
    lines = (folder / "runs" / "ladder.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| \d", line)]
    return {f"{row[1]} {row[-2]}": row for row in rows}


def test_a_ladder_plays_nothing_twice_and_a_new_agent_its_own_pairs(
    tmp_path: Path, played: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([write(tmp_path, "random", LAST)]) == 0
    assert set(played) == {("random", LAST)}
    out = capsys.readouterr().out
    assert "toy hands=1" in out and LAST in out.replace("\n", "")
    first = (tmp_path / "runs" / "ladder.md").read_bytes()

    played.clear()
    assert main([write(tmp_path, LAST, "random")]) == 0  # in another order
    assert played == []
    assert (tmp_path / "runs" / "ladder.md").read_bytes() == first

    assert main([write(tmp_path, "random", LAST, MOODY)]) == 0
    assert {frozenset(pair) for pair in played} == {
        frozenset({"random", MOODY}),
        frozenset({LAST, MOODY}),
    }
    rows = table(tmp_path)
    assert [name.split()[0] for name in rows] == [row[1] for row in rows.values()]
    assert {row[1] for row in rows.values()} == {"random", LAST, MOODY}
    assert {row[-3] for row in rows.values()} == {"2"}
    [anchor] = [row for row in rows.values() if row[1] == "random"]
    assert anchor[2] == "0"
    page = (tmp_path / "runs" / "ladder.html").read_text()
    assert page.count("<svg") == 1 and "http" not in page and MOODY in page


def test_a_changed_agent_is_a_new_one_beside_what_it_was(
    tmp_path: Path, played: list[tuple[str, ...]]
) -> None:
    bot = tmp_path / "bot.py"
    source = "from tests.eval.bots import Last\n\nclass Bot(Last):\n    '''Plays.'''\n"
    bot.write_text(source)
    name = f"{bot}:Bot"
    assert main([write(tmp_path, "random", LAST, name)]) == 0
    played.clear()
    bot.write_text(source + "# better\n")
    assert main([write(tmp_path, "random", LAST, name)]) == 0
    assert {frozenset(pair) for pair in played} == {
        frozenset({"random", name}),
        frozenset({LAST, name}),
    }
    rows = [row for row in table(tmp_path).values() if name in row[1]]
    assert sorted(row[1] for row in rows) == [name, f"{name} (before)"]
    assert len({row[-2] for row in rows}) == 2
    assert {row[-3] for row in table(tmp_path).values() if row[1] == "random"} == {"3"}


def test_a_run_that_was_stopped_is_gone_on_with(
    tmp_path: Path, played: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path, "random", LAST, deals=400)
    with monkeypatch.context() as patch:
        play, chunks = Worker.play, iter(range(100))

        def stop_at_second(*arguments: Any) -> Any:
            if next(chunks) == 1:
                raise KeyboardInterrupt
            return play(*arguments)

        patch.setattr(Worker, "play", stop_at_second)
        assert main([file]) == 130
    assert not (tmp_path / "runs" / "ladder.md").exists()
    out, [ladder] = read_ladders(file)
    [missing] = missing_runs(out, ladder, None)
    assert 0 < len(load_run(Path(str(missing.out))).groups[0].seeds) < 400
    played.clear()
    assert main([file]) == 0
    assert len(played) == 2  # of three chunks
    assert list(missing_runs(out, ladder, None)) == []


@pytest.mark.parametrize("change", [{"deals": 41}, {"seed": 1}, {"set": ["hands=3"]}])
def test_other_settings_begin_another_ladder(change: dict[str, Any], tmp_path: Path) -> None:
    assert main([write(tmp_path, "random", LAST)]) == 0
    assert main([write(tmp_path, "random", LAST, **change)]) == 0
    assert len([path for path in (tmp_path / "runs").iterdir() if path.is_dir()]) == 2
    assert {row[-3] for row in table(tmp_path).values()} == {"1"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("out: runs", "must have the keys out, a folder, and ladders, a list"),
        ("out: 5\nladders: []", "must have the keys"),
        ("out: runs\nladders: [5]", "ladder 1 needs game and agents, got 5"),
        ("out: runs\nladders: [{game: toy}]", "ladder 1 needs game and agents"),
        ("out: runs\nladders: [{game: toy, agents: [a]}]", "two agents or more, all different"),
        ("out: runs\nladders: [{game: toy, agents: [a, a]}]", "two agents or more"),
        ("out: runs\nladders: [{game: toy, agents: [a, b], deal: 1}]", "did you mean 'deals'"),
        ("out: runs\nladders: [{game: toi, agents: [a, b]}]", "did you mean 'toy'"),
        ("out: runs\nladders: [{game: toy, agents: [a, random]}]", "no agent of toy 'a'"),
    ],
)
def test_a_file_that_is_none_of_ladders(
    text: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ladder.yaml").write_text(text)
    assert main(["ladder.yaml"]) == 2
    assert message in capsys.readouterr().err


def test_no_file_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "a file of ladders is needed" in capsys.readouterr().err
    assert main(["nowhere.yaml"]) == 2
    assert "nowhere.yaml cannot be read" in capsys.readouterr().err


def test_the_ladders_that_come_along_can_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    out, ladders = read_ladders(str(ROOT / "configs" / "eval" / "ladder.yaml"))
    assert [ladder.game for ladder in ladders] == list(envs.GAMES)
    for ladder in ladders:
        read_rules(envs.load_game(ladder.game), ladder.set)
        assert all(isinstance(run, TournamentConfig) for run in missing_runs(out, ladder, None))
