"""Runs that are killed, and workers that die: nothing is lost, nothing is played twice."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.errors import AgentError, RulesError
from envs.core.record import read_records, verify
from eval.match import NOBODY
from eval.results import Results
from eval.store import Store, load_run
from eval.tournament import TournamentConfig, prepare, run_tournament
from eval.workers import THREADS, Worker, _undisturbed, processes
from tests.toy_game import GAME

LAST, MOODY, RAISES, SLOW, SUICIDAL = (
    f"tests.eval.bots:{name}" for name in ("Last", "Moody", "Raises", "Slow", "Suicidal")
)
FILES = ("results.json", "results.csv", "records.jsonl")


@pytest.fixture(autouse=True)
def only_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})


def run(out: Path, **settings: Any) -> Results:
    usual = {"agents": [MOODY, RAISES, LAST], "deals": 25, "batch_size": 12}
    usual |= {"records": True, "report": False}
    [results] = run_tournament(TournamentConfig(**usual | settings, out=str(out)))
    return results


def files(folder: Path) -> dict[str, bytes]:
    """What a run leaves, but for how long it took."""
    found = {name: (folder / name).read_bytes() for name in FILES}
    lines = found["results.json"].splitlines()
    found["results.json"] = b"\n".join(line for line in lines if b"duration_s" not in line)
    return found


def count_deals(folder: Path) -> int:
    if not (folder / "run.sqlite").exists():
        return 0
    with closing(sqlite3.connect(folder / "run.sqlite")) as db:
        try:
            return int(db.execute("SELECT count(*) FROM deals").fetchone()[0])
        except sqlite3.OperationalError:  # no tables yet
            return 0


def start(out: Path, workers: int) -> "subprocess.Popen[bytes]":
    arguments = ["--agents", SLOW, RAISES, LAST, "--deals", "25", "--batch-size", "12"]
    arguments += ["--records", "--report", "false", "--workers", str(workers), "--out", str(out)]
    command = [sys.executable, "-m", "tests.eval.toy_tournament", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def wait_until(done: Any) -> None:
    deadline = time.monotonic() + 120
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("uninterrupted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
        run(folder, agents=[SLOW, RAISES, LAST])
    return files(folder)


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_killed_three_times_ends_with_the_same_bytes(
    workers: int, uninterrupted: dict[str, bytes], tmp_path: Path
) -> None:
    done = [0]
    for _ in range(3):
        process = start(tmp_path, workers)
        wait_until(lambda: count_deals(tmp_path) > done[-1])
        process.kill()
        process.wait()
        done.append(count_deals(tmp_path))
    assert 0 < done[1] < done[2] < done[3] < 25 * 4
    process = start(tmp_path, workers)
    assert process.wait(120) == 0
    assert files(tmp_path) == uninterrupted


def test_workers_change_nothing(uninterrupted: dict[str, bytes], tmp_path: Path) -> None:
    run(tmp_path, agents=[SLOW, RAISES, LAST], workers=2)
    assert files(tmp_path) == uninterrupted


def test_a_finished_run_is_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run(tmp_path)
    bytes_before = files(tmp_path)
    monkeypatch.setattr(Worker, "play", lambda *_: pytest.fail("played again"))
    after = run(tmp_path)
    assert (after.pairs, after.failures) == (before.pairs, before.failures)
    assert files(tmp_path) == bytes_before


def test_ctrl_c_in_workers_keeps_what_is_finished(
    uninterrupted: dict[str, bytes], tmp_path: Path
) -> None:
    process = start(tmp_path, 2)
    wait_until(lambda: count_deals(tmp_path) > 0)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert json.loads((tmp_path / "results.json").read_text())["interrupted"] is True
    run(tmp_path, agents=[SLOW, RAISES, LAST])
    assert files(tmp_path) == uninterrupted


def play_with_mortal_worker(deaths: int, notes: Path, ended: list[int]) -> Results:
    """`Suicidal` in one worker process, so that it is the same chunk over which workers die."""
    for number in range(deaths):
        (notes / str(number)).touch()
    [contest] = prepare(TournamentConfig(agents=[SUICIDAL, MOODY], deals=30, batch_size=12))
    with closing(Store(None)) as store, processes(contest.job, 1) as play_chunks:
        store.begin(contest.settings, contest.groups)
        _, results = contest.play(store, play_chunks, ended.append)
        return results


def test_workers_that_die(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SUICIDES", str(tmp_path))
    [clean] = run_tournament(TournamentConfig(agents=[SUICIDAL, MOODY], deals=30, batch_size=12))
    ended: list[int] = []
    assert play_with_mortal_worker(1, tmp_path, ended).pairs == clean.pairs
    assert sum(ended) == 30 * 6
    assert "deals 16 to 17" in caplog.text
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(AgentError, match=r"deals 16 to 17 of .* \(signal 9\), as did 1 before it"):
        play_with_mortal_worker(2, tmp_path, [])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"deals": 26}, "deals 25 there, 26 now"),
        ({"seed": 1}, "seed 0 there, 1 now"),
        ({"agents": [MOODY, LAST]}, "agents .* there, .* now"),
        ({"set": ["hands=1"]}, r"options {} there, {'hands': 1} now"),
        ({"batch_size": 13}, "batch_size 12 there, 13 now"),
        ({"records": False}, "records True there, False now"),
        ({"until_half_width": 0.1}, "until_half_width None there, 0.1 now"),
    ],
)
def test_other_settings_are_refused(
    changed: dict[str, Any], message: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "refused"
    if not folder.exists():
        run(folder)
    with pytest.raises(RulesError, match=message):
        run(folder, **changed)


def test_a_changed_bot_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    source = "from tests.eval.bots import Last\n\nclass Bot(Last):\n    '''Plays.'''\n"
    bot.write_text(source)
    settings = {"agents": [f"{bot}:Bot", LAST], "deals": 3}
    run(tmp_path / "run", **settings)
    bot.write_text(source + "# better\n")
    with pytest.raises(RulesError, match=r"files {.*bot.py"):
        run(tmp_path / "run", **settings)


@pytest.mark.parametrize("text", [b"no database at all, but a text of some length", None])
def test_a_foreign_file_is_refused(text: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    if text is None:
        with closing(sqlite3.connect(path)) as db:
            db.execute("CREATE TABLE tunes (name TEXT)")
    else:
        path.write_bytes(text)
    with pytest.raises(RulesError, match=r"run\.sqlite"):
        run(tmp_path)


def test_load_run(tmp_path: Path) -> None:
    results = run(tmp_path)
    found = load_run(tmp_path)
    assert (found.settings["game"], found.settings["deals"]) == ("toy", 25)
    assert [group.agents for group in found.groups] == [
        [MOODY, RAISES],
        [MOODY, LAST],
        [RAISES, LAST],
        [MOODY, RAISES, LAST],
    ]
    for pair, group in zip(results.pairs, found.groups[:3], strict=True):
        outcome = group.outcome
        assert outcome.payoffs.shape == outcome.seating.shape == outcome.sides.shape == (25, 6, 3)
        assert outcome.differences().mean() == pytest.approx(pair.mean_diff)
        assert outcome.win_shares().mean() == pytest.approx(pair.win_rate)
        states = GAME.new_games(GAME.rules(), group.seeds)
        assert len({tuple(cards) for cards in states["cards"].tolist()}) > 20
    fouls = [foul for group in found.groups for foul in group.outcome.fouls]
    assert len(fouls) == sum(failure.games for failure in results.failures) > 0
    for group in found.groups:
        lost = np.argwhere(group.outcome.lost_by != NOBODY)
        assert sorted((foul.deal, foul.game) for foul in group.outcome.fouls) == sorted(
            map(tuple, lost.tolist())
        )


def test_load_run_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match="holds no run"):
        load_run(tmp_path)


def test_records_are_of_all_games_and_verify(tmp_path: Path) -> None:
    results = run(tmp_path, agents=[MOODY, RAISES], deals=10)
    records = list(read_records(tmp_path / "records.jsonl"))
    assert len(records) == 10 * 6
    for record in records:
        verify(GAME, record)
    assert {frozenset(record.players or ()) for record in records} == {frozenset((MOODY, RAISES))}
    assert sum(record.returns is None for record in records) == results.failures[0].games
    outcome = load_run(tmp_path).groups[0].outcome
    for number, record in enumerate(records):
        deal, game = divmod(number, 6)
        if record.returns is not None:
            assert record.returns == outcome.payoffs[deal, game].tolist()
        assert record.players == [[MOODY, RAISES][i] for i in outcome.seating[deal, game]]


def test_workers_use_one_thread_each_and_the_parent_as_many_as_before() -> None:
    before = dict(os.environ)
    with _undisturbed():
        assert {os.environ[name] for name in THREADS} == {"1"}
    assert dict(os.environ) == before
