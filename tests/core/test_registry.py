"""Finding the games: by name, as modules, and through Gymnasium."""

import subprocess
import sys

import gymnasium
import pytest

import envs
from envs import doudizhu_v0, load_game
from envs.core.errors import RulesError


def test_games_are_found_by_name():
    for name in envs.GAMES:
        assert load_game(name).name == name
    with pytest.raises(RulesError, match="no game 'doudizu'; did you mean 'doudizhu'"):
        load_game("doudizu")


def test_modules_and_make_give_the_same_environment():
    made = [envs.make("doudizhu", auction="off"), doudizhu_v0.env(auction="off")]
    raw = doudizhu_v0.raw_env(preset="rlcard", auction="off", render_mode="ansi")
    assert made[0].rules == made[1].rules
    assert str(raw) == str(made[0].unwrapped) == "doudizhu_v0"
    assert (raw.rules.kicker_solo_max_same, raw.render_mode) == (3, "ansi")


def run_python(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_importing_the_package_is_light():
    heavy = {"numba", "pettingzoo", "scipy", "torch", "yaml"}
    assert run_python(f"import envs, sys; print({heavy} & set(sys.modules))").strip() == "set()"


def test_gymnasium_knows_the_games():
    assert set(envs.SINGLE_SEAT) == set(envs.GAMES)
    assert set(envs.SINGLE_SEAT.values()) <= set(gymnasium.registry)
    code = "import gymnasium; print(gymnasium.make('envs:jipae/DouDizhu-v0', opponents='random'))"
    assert "SeatEnv" in run_python(code)
