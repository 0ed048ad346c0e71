"""Stepping through recorded games: what is shown, by which keys, and to whom."""

import itertools
import os
import pty
import select
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.game import OVER
from envs.core.record import GameRecord, make_record, write_records
from eval.replay import KEYS, SEQUENCE, Stepper, list_steps, main
from tests.conformance.play import random_actions

ROOT = Path(__file__).parents[2]


def play(name: str, seed: int, **options: Any) -> GameRecord:
    """A whole random game."""
    game = envs.load_game(name)
    rules = game.make_rules(**options)
    states, actions = game.new_games(rules, [seed]), []
    while states[0].turn != OVER:
        actions.append(random_actions(game.masks(states), np.array([seed]), len(actions)))
        game.apply(states, actions[-1])
    record = make_record(game, rules, seed, [int(action[0]) for action in actions])
    return replace(record, players=["ann", "bob", "cat", "dan"][: game.num_seats(rules)])


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three games: of Dou Dizhu, of Tichu, and one that was left."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    first, second = play("doudizhu", 1, auction="off"), play("tichu", 2, episode="round")
    write_records(path, [first, second, replace(first, actions=first.actions[:2], returns=None)])
    return path


def shown(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    assert main([str(argument) for argument in arguments]) == 0
    return capsys.readouterr().out


def test_several_games_are_listed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, third, advice = shown(capsys, file).splitlines()
    assert first.startswith("   1  doudizhu auction=off: ann, bob, cat; ")
    assert "tichu episode=round: ann, bob, cat, dan" in second
    assert third.endswith("2 plays; unfinished")
    assert "--game 1 to --game 3" in advice


def test_all_steps_are_printed_where_there_is_no_terminal(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = play("doudizhu", 1, auction="off")
    blocks = shown(capsys, file, "--game", 1).strip().split("\n\n")
    num_steps = len(record.actions) + 1
    assert len(blocks) == num_steps + 1
    assert blocks[1].startswith(f"1 of {num_steps}  the deal\nDou Dizhu")
    for block, (seat, text) in zip(blocks[2:], record.actions, strict=True):
        assert block.splitlines()[0].endswith(f" seat {seat} ({record.players[seat]}): {text}")  # type: ignore[index]
    assert blocks[-1].splitlines()[1].startswith("Dou Dizhu, hand 1 of 1: over")


def test_a_single_game_needs_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_records(tmp_path / "one.jsonl", [play("doudizhu", 3, auction="off")])
    assert "1 of " in shown(capsys, tmp_path / "one.jsonl")


def test_open_cards_or_those_of_a_seat(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    openly = shown(capsys, file, "--game", 1)
    assert "17 cards" not in openly.split("\n\n")[1]
    assert "as seat" not in openly
    seen = shown(capsys, file, "--game", 1, "--seat", 1)
    assert "as seat 1 sees it" in seen
    hands = [line for line in seen.split("\n\n")[1].splitlines() if line[2:6] == "seat"]
    assert [line.endswith(" cards") for line in hands] == [True, False, True]


@pytest.mark.parametrize("seat", range(4))
def test_a_seat_sees_no_secret_plays_of_others(seat: int) -> None:
    game, record = envs.load_game("tichu"), play("tichu", 2, episode="round")
    steps, problem = list_steps(game, record, seat)
    assert problem is None
    gifts = [(giver, text) for giver, text in record.actions if text.startswith("give ")]
    assert len(gifts) == 4
    for giver, text in gifts:
        assert any(text in step.play for step in steps) == (giver == seat)
    for before, after in itertools.pairwise(steps):
        assert after.play or after.table != before.table
    everything = list_steps(game, record, None)[0]
    assert len(everything) == len(record.actions) + 1 > len(steps)


def test_a_broken_game_is_shown_as_far_as_it_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = play("doudizhu", 1, auction="off")
    actions = [*record.actions[:3], (0, "dance")]
    write_records(tmp_path / "broken.jsonl", [replace(record, actions=actions)])
    assert main([str(tmp_path / "broken.jsonl")]) == 1
    out, err = capsys.readouterr()
    assert out.count(" of 3  ") == 3
    assert err.startswith("error: play 4: ")
    write_records(tmp_path / "nothing.jsonl", [replace(record, deals=[{"hands": 5}])])
    assert main([str(tmp_path / "nothing.jsonl")]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "a file of records is needed"),
        (["--game", "1"], "a file of records is needed"),
        (["nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["FILE", "--game", "4"], "game must be 1 to 3, got 4"),
        (["FILE", "--game", "0"], "game must be at least 1, got 0"),
        (["FILE", "--game", "-1"], "game must be at least 1, got -1"),
        (["FILE", "--game", "1", "--seat", "3"], "seat must be 0 to 2, got 3"),
        (["FILE", "--game", "two"], "game must be a whole number or none, got 'two'"),
        (["EMPTY"], "holds no game"),
        (["BINARY"], "cannot be read"),
        (["GARBAGE"], "line 2: no JSON"),
        (["OPTIONS"], "options: no preset of doudizhu '5'"),
    ],
)
def test_errors_are_one_line_and_exit_2(
    arguments: list[str],
    message: str,
    file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = file.read_text().splitlines()[0]
    (tmp_path / "EMPTY").write_text("\n")
    (tmp_path / "BINARY").write_bytes(b"\xff\xfe")
    (tmp_path / "GARBAGE").write_text(f"{line}\n{{\n")
    (tmp_path / "OPTIONS").write_text(line.replace('{"auction": "off"}', '{"preset": 5}'))
    places = {name: tmp_path / name for name in ("EMPTY", "BINARY", "GARBAGE", "OPTIONS")}
    words = [str(places.get(word, file if word == "FILE" else word)) for word in arguments]
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_keys_move_within_the_game() -> None:
    stepper = Stepper(12)
    for keys, place in [
        ([" "], 1),
        (["\x1b[C", "\n"], 3),
        (["\x1b[D"], 2),
        (["e"], 11),
        ([" "], 11),
        (["1", "0", "\n"], 9),
        (["7", "x", "\n"], 10),
        (["9", "9", "\r"], 11),
        (["0", "\n"], 0),
        (["\x1b[D"], 0),
        (["\x1b[F", "\x1b[H"], 0),
    ]:
        assert all(stepper.press(key) for key in keys)
        assert stepper.place == place
    assert not any(stepper.press(key) for key in ("q", "\x1b", ""))


def test_the_keys_of_terminals_are_read_as_one() -> None:
    for key in KEYS:
        if len(key) > 1:
            assert SEQUENCE.fullmatch(key.encode())
            assert not SEQUENCE.fullmatch(key[:-1].encode())


def test_keys_step_on_a_terminal(file: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "eval.replay", str(file), "--game", "1"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "90", "LINES": "30"}
    run = subprocess.Popen(
        command, cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    last = len(play("doudizhu", 1, auction="off").actions) + 1
    keys = [("1 of ", b"\x1b[C"), ("2 of ", b"e"), (f"{last} of ", b"3\n"), ("3 of ", b"q")]
    try:
        for wanted, key in keys:
            seen = ""
            while wanted not in seen:
                assert select.select([ours], [], [], 60)[0], f"{wanted!r} never came: {seen!r}"
                seen += os.read(ours, 65536).decode()
            os.write(ours, key)
        assert run.wait(60) == 0
    finally:
        run.kill()
        run.wait()
        os.close(ours)


def test_a_reader_may_stop_reading(file: Path) -> None:
    command = f"{sys.executable} -m eval.replay {file} --game 2 | head -1"
    run = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True)
    assert run.stdout.startswith("Game 2: tichu")
    assert run.stderr == ""
