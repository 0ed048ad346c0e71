"""Dori-jitgo-ttaeng as a PettingZoo environment; options: `envs.core.aec`, `RULES.md`."""

from typing import Any

from envs.core.aec import GameEnv, OrderedGameEnv, make_env, make_raw_env
from envs.jitgo_ttaeng import GAME


def env(preset: str | None = None, **options: Any) -> OrderedGameEnv:
    """Dori-jitgo-ttaeng within PettingZoo's `OrderEnforcingWrapper`."""
    return make_env(GAME, preset, **options)


def raw_env(preset: str | None = None, **options: Any) -> GameEnv:
    """Dori-jitgo-ttaeng without wrappers; it checks order and legality itself."""
    return make_raw_env(GAME, preset, **options)
