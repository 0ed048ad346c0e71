"""The games, as PettingZoo and Gymnasium environments.

>>> import envs
>>> env = envs.make("doudizhu", auction="continuous", render_mode="ansi")

`from envs import doudizhu_v0` gives the same as `doudizhu_v0.env(…)`, without wrappers as
`doudizhu_v0.raw_env(…)`. Importing this package registers the single-seat environments, so
`gymnasium.make("jipae/DouDizhu-v0")` finds them. Everything else is loaded when it is asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from envs.core.aec import OrderedGameEnv
    from envs.core.game import Game

GAMES = {
    "doudizhu": "envs.doudizhu",
    "tongits": "envs.tongits",
    "jitgo_ttaeng": "envs.jitgo_ttaeng",
    "tichu": "envs.tichu",
}
"""Module of every game, by name."""

SINGLE_SEAT = {
    "doudizhu": "jipae/DouDizhu-v0",
    "tongits": "jipae/Tongits-v0",
    "jitgo_ttaeng": "jipae/JitgoTtaeng-v0",
    "tichu": "jipae/Tichu-v0",
}
"""Gymnasium's id of every game from one seat."""


def load_game(name: str) -> "Game":
    """The `Game` of that name.

    Raises:
        RulesError: there is none; names the nearest one.
    """
    if name not in GAMES:
        from envs.core.errors import RulesError
        from envs.core.rules import unknown_name

        raise RulesError(unknown_name("game", name, GAMES))
    game: Game = importlib.import_module(GAMES[name]).GAME
    return game


def make(name: str, preset: str | None = None, **options: Any) -> "OrderedGameEnv":
    """The PettingZoo environment of a game, see `envs.core.aec.make_env`."""
    from envs.core.aec import make_env

    return make_env(load_game(name), preset, **options)


def register_gymnasium() -> None:
    """Make `gymnasium.make` know the single-seat environments; importing `envs` does it."""
    for name, environment_id in SINGLE_SEAT.items():
        if environment_id not in registry:
            register(environment_id, entry_point="agents.single:make_single", kwargs={"game": name})


register_gymnasium()
