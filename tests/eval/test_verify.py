"""The program that checks records: every broken game is named, and the status tells."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envs.core.record import GameRecord, write_records
from eval.verify import check_games, main
from tests.eval.test_replay import play


@pytest.fixture(scope="module")
def records() -> list[GameRecord]:
    """A game of each kind."""
    return [
        play("doudizhu", 1),
        play("tongits", 2),
        play("jitgo_ttaeng", 3, max_hands=2),
        play("tichu", 4, episode="round"),
    ]


def test_sound_games(
    records: list[GameRecord], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = replace(records[0], actions=records[0].actions[:3], returns=None)
    write_records(tmp_path / "games.jsonl", [*records, left])
    assert main([str(tmp_path / "games.jsonl")]) == 0
    out = capsys.readouterr().out
    assert out == "5 games: 5 sound (1 of them unfinished), 0 broken\n"


def broken(record: GameRecord) -> dict[str, str]:
    """Lines that are wrong, by what is said about them."""
    data = json.loads(record.to_json())
    seat, text = record.actions[0]

    def changed(**fields: Any) -> str:
        return json.dumps(data | fields)

    assert record.returns is not None
    return {
        "no JSON": '{"format": ',
        "a record must be a mapping": "[]",
        "players is missing": json.dumps({k: v for k, v in data.items() if k != "players"}),
        "unknown field colour": changed(colour=1),
        "no game 'chess'": changed(game="chess"),
        "version 7 cannot be replayed": changed(game_version=7),
        "options: no option 'hats'": changed(options={"hats": 2}),
        f"play 1: seat {seat + 1} plays": changed(actions=[[seat + 1, text]]),
        "play 1: 'dance'": changed(actions=[[seat, "dance"]]),
        "returns: the game gives": changed(returns=[value + 1 for value in record.returns]),
        "record says None": changed(returns=None),
        "players: 3 seats, got": changed(players=["one"]),
        "deals: there are 2": changed(deals=[*data["deals"], data["deals"][0]]),
        "deal 1: ": changed(deals=[{}]),
        "options: no preset of tongits '5'": changed(options={"preset": 5}),
        "deal 1: a deal for 3 seats": changed(deals=[data["deals"][0] | {"hands": [5, 6, 7]}]),
    }


def test_broken_games_are_named_and_the_others_checked(
    records: list[GameRecord], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = broken(records[1])
    sound = records[1].to_json()
    path = tmp_path / "games.jsonl"
    path.write_text("\n".join(f"{sound}\n\n{line}" for line in wrong.values()))
    assert main([str(path)]) == 1
    *lines, summary = capsys.readouterr().out.splitlines()
    assert len(lines) == len(wrong)
    for number, (line, message) in enumerate(zip(lines, wrong, strict=True)):
        assert line.startswith(f"game {2 * number + 2}, line {3 * number + 3}: ")
        assert message in line
    num = len(wrong)
    assert summary == f"{2 * num} games: {num} sound, {num} broken"


@pytest.mark.parametrize("value", [None, 5, "x", [], {}, 1.5, 2**70, ["x"], True])
def test_whatever_a_record_holds_is_a_verdict(
    value: Any, records: list[GameRecord], tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    lines = []
    for record in records:
        data = json.loads(record.to_json())
        lines += [json.dumps(data | {name: value}) for name in data]
        (deal,) = data["deals"][:1]
        lines += [json.dumps(data | {"deals": [deal | {name: value}]}) for name in deal]
    path.write_text("\n".join(lines))
    verdicts = list(check_games(str(path)))
    assert [verdict.game for verdict in verdicts] == list(range(1, len(lines) + 1))
    assert not [verdict for verdict in verdicts if "malformed" in (verdict.problem or "")]
    # Nothing but the seed and the names may be left open.
    assert sum(verdict.problem is None for verdict in verdicts) <= 3 * len(records)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        (b"", "holds no game"),
        (b"\n\n", "holds no game"),
        (b"\xff\xfe\x00", "cannot be read"),
    ],
)
def test_a_file_without_games_is_an_error(
    content: bytes | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_a_file_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "a file of records is needed" in capsys.readouterr().err
