"""Tichu as a PettingZoo environment; options of both functions: `envs.core.aec`, `RULES.md`."""

from typing import Any

from envs.core.aec import GameEnv, OrderedGameEnv, make_env, make_raw_env
from envs.tichu import GAME


def env(preset: str | None = None, **options: Any) -> OrderedGameEnv:
    """Tichu within PettingZoo's `OrderEnforcingWrapper`."""
    return make_env(GAME, preset, **options)


def raw_env(preset: str | None = None, **options: Any) -> GameEnv:
    """Tichu without wrappers; it checks order and legality itself."""
    return make_raw_env(GAME, preset, **options)
