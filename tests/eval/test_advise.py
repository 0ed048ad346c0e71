"""Advice in positions of records and in typed ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.errors import JipaeError
from envs.core.record import make_record, write_records
from eval.advise import AdviseConfig, find_move, judge, main, make_search, read_position

GAME = envs.load_game("doudizhu")
RULES = GAME.make_rules(auction="off")


def record(num_plays: int) -> Any:
    """A game in which each seat plays the first thing that it may, so many times."""
    states = GAME.new_games(RULES, [3])
    actions: list[int] = []
    plays = 0
    while plays < num_plays and states[0].turn >= 0:
        action = int(GAME.masks(states)[0].argmax())
        GAME.apply(states, np.array([action]))
        actions.append(action)
        plays += int(states[0].pending == 0)
    return make_record(GAME, RULES, 3, actions)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games, of two plays and of six."""
    path = tmp_path_factory.mktemp("records") / "games.jsonl"
    write_records(path, [record(2), record(6)])
    return path


def test_the_position_is_that_before_the_move(file: Path) -> None:
    for move in (1, 2, 4, 6):
        position = read_position(AdviseConfig(record=str(file), number=2, move=move))
        seat, text = record(6).actions[move - 1]
        assert int(position.states[0].turn) == seat
        assert position.played == text
    first = read_position(AdviseConfig(record=str(file), number=1))
    assert first.played is None  # the next play of a game that was not finished
    assert int(first.states[0].turn) == (record(2).actions[-1][0] + 1) % 3


def test_a_move_that_is_not_there_is_refused(file: Path) -> None:
    with pytest.raises(JipaeError, match="the game has 2 plays, not 9"):
        find_move(record(2), 9)
    with pytest.raises(JipaeError, match="holds 2 games, not 3"):
        read_position(AdviseConfig(record=str(file), number=3))


def test_a_typed_position_is_laid_out_and_played() -> None:
    deal = GAME.read_deal(GAME.new_games(RULES, [3])[0])
    plays = [text for _, text in record(3).actions]
    text = json.dumps({"deal": deal, "plays": plays})
    config = AdviseConfig(game="doudizhu", set=["auction=off"], position=text)
    typed, recorded = read_position(config), find_move(record(3), None)
    assert GAME.render(typed.states[0], None) == GAME.render(recorded.states[0], None)


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ("{dale: {}}", "position: there is no dale, only deal, plays"),
        ("[1, 2]", "position must hold a mapping"),
        ("{plays: 33}", "position: plays must be a list, got 33"),
        ("{plays: [zz]}", "position: play 1: "),
        ("{deal: {hands: 3}}", "hands"),
    ],
)
def test_typed_positions_are_checked(position: str, message: str) -> None:
    config = AdviseConfig(game="doudizhu", set=["auction=off"], position=position)
    with pytest.raises(JipaeError, match=message):
        read_position(config)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "either record or position is needed"),
        ({"record": "a", "position": "b"}, "either record or position is needed"),
        ({"position": "{}"}, "position needs game"),
        ({"record": "a", "move": 0}, "move must be at least 1, got 0"),
    ],
)
def test_settings_are_checked(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(JipaeError, match=message):
        AdviseConfig(**settings)


def test_only_searches_give_advice() -> None:
    with pytest.raises(JipaeError, match="'rule' does not search; there is pimc, ismcts"):
        make_search("rule", GAME, RULES)


def test_the_seat_is_told_what_it_sees_and_advised_the_same_each_time(file: Path) -> None:
    position = read_position(AdviseConfig(record=str(file), number=2, move=4))
    search = make_search("pimc:playouts=200", GAME, RULES)
    first, second = (judge(position, search, seed=1) for _ in range(2))
    assert [one.path for one in first] == [one.path for one in second]
    assert sum(one.worlds for one in first) >= 200
    legal = GAME.masks(position.states)[0]
    assert {one.path[0] for one in first} == set(legal.nonzero()[0].tolist())


def test_the_program_prints_a_table(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--record", str(file), "--number", "2", "--move", "1", "--agent", "pimc:playouts=100"]
    assert main([*words, "--most", "3"]) == 0
    out = capsys.readouterr().out
    assert "(played)" in out
    assert "worlds" in out
    assert f"> seat {record(6).actions[0][0]}" in out
    assert main(["--record", "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl cannot be read" in capsys.readouterr().err
