"""What the benchmarks count, and the positions that searches are measured in."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

import envs
from agents.search.worlds import repeat
from benchmarks import playouts, speed
from benchmarks.playouts import find_decisions, find_midgame, find_midgames, play_on, play_out
from benchmarks.speed import SpeedConfig, main, measure, rate
from envs.core.errors import RulesError
from envs.core.game import OVER
from envs.core.rng import spawn_seeds

GAME = envs.load_game("doudizhu")
RULES = GAME.make_rules(auction="off")


class Clock:
    """Goes on a tenth of a second with each step of a loop."""

    def __init__(self) -> None:
        self.now = 0.0

    def process_time(self) -> float:
        return self.now

    def loop(self, done: int) -> Iterator[int]:
        for _ in itertools.count():
            self.now += 0.1
            yield done


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """In place of the CPU time."""
    clock = Clock()
    monkeypatch.setattr(speed, "time", clock)
    return clock


@pytest.mark.parametrize(("steps", "spent"), [(1, 0.5), (20, 2.0)])
def test_rates_are_per_second_spent(clock: Clock, steps: int, spent: float) -> None:
    assert rate(clock.loop(3), 0.45, steps) == pytest.approx(30)
    assert clock.now == pytest.approx(spent)


def test_every_row_is_measured_in_every_round(clock: Clock) -> None:
    rates = measure({"few": clock.loop(1), "many": clock.loop(7)}, 1)
    assert rates["few"] == pytest.approx([10] * speed.ROUNDS)
    assert rates["many"] == pytest.approx([70] * speed.ROUNDS)


def test_midgame_is_two_fifths_of_a_deal_away() -> None:
    midgame = find_midgame(GAME, RULES, 20)
    assert (midgame.states["turn"] != OVER).all()
    assert play_on(GAME, repeat(midgame.states, 1)).tolist() == midgame.to_come.tolist()
    states = GAME.new_games(RULES, spawn_seeds(0, 20))
    taken = play_on(GAME, states, np.arange(20) % 3)
    assert taken.tolist() == (np.arange(20) % 3).tolist()
    whole = taken + play_on(GAME, states)
    assert (states["turn"] == OVER).all()
    assert (whole - midgame.to_come).tolist() == np.ceil(playouts.MIDGAME * whole).tolist()


def test_of_a_match_one_deal_is_played() -> None:
    states = GAME.new_games(GAME.make_rules(auction="off", hands_per_match=3), spawn_seeds(0, 5))
    deals = states["deals"].copy()
    assert (play_on(GAME, states) > 0).all()
    assert (states["deals"] == deals + 1).all()


def test_batches_are_played_out_from_the_same_positions() -> None:
    midgame = find_midgame(GAME, RULES, 20)
    before = midgame.states.tobytes()
    loop = play_out(midgame)
    assert [next(loop), next(loop)] == [playouts.BATCH // 20 * 20] * 2
    assert midgame.states.tobytes() == before


def test_a_search_is_asked_where_there_is_a_choice() -> None:
    midgame = find_midgame(GAME, RULES, 40)
    decisions = find_decisions(midgame, 7)
    assert len(decisions) == 7
    assert all(len(decision.legal) > 1 for decision in decisions)
    assert all(decision.view.pending == 0 for decision in decisions)
    choices = playouts.time_choices(midgame, 3)
    assert [one.plays for one in choices] == [len(decision.legal) for decision in decisions[:3]]
    assert all(one.playouts > one.plays and one.seconds > 0 for one in choices)


@pytest.mark.parametrize(
    ("name", "preset", "rows"),
    [
        ("doudizhu", None, ["Dou Dizhu, whole game", "Dou Dizhu, card play"]),
        ("doudizhu", "botzone", ["Dou Dizhu, botzone"]),
        ("tongits", None, ["Tongits"]),
    ],
)
def test_rows_are_named_by_game_and_variant(name: str, preset: str | None, rows: list[str]) -> None:
    midgames = find_midgames(name, preset)
    assert list(midgames) == rows
    assert all(len(midgame.states) == playouts.NUM_DEALS for midgame in midgames.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": True, "preset": "match"}, "preset match needs game: the name of the game"),
        ({"seconds": 0}, "seconds must be 1 to 3600, got 0"),
        ({"game": 3}, "game must be a word or none, got 3"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        SpeedConfig(**settings)  # type: ignore[arg-type]


def test_searches_are_tabulated(capsys: pytest.CaptureFixture[str]) -> None:
    main(SpeedConfig(game="jitgo_ttaeng", preset="single_hand", seconds=1, search=True))
    out = capsys.readouterr().out
    assert "deals played out per CPU second from midgame, 1,024 at once" in out
    assert "CPU time of one choice there of pimc:playouts=1000; medians of 50" in out
    assert out.count("single_hand") == 2
