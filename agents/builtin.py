"""The agents that come along, by name."""

import importlib
import importlib.util
from typing import Any

from envs.core.errors import AgentError
from envs.core.game import Game
from envs.core.rules import unknown_name

GENERALISTS = {
    "random": ("agents.random_agent", "RandomAgent"),
    "call": ("agents.rule_based.{game}", "CallAgent"),
    "tight": ("agents.rule_based.{game}", "TightAgent"),
    "rule": ("agents.rule_based.{game}", "RuleAgent"),
}
"""Module and class of the agents that play every variant of a game, the weakest first."""
SPECIALISTS = {
    "equilibrium": ("agents.equilibrium.{game}", "EquilibriumAgent"),
    "trained": ("agents.policy", "TrainedAgent"),
}
"""Those of the agents that play some variants only."""


def builtin_names(game: Game) -> list[str]:
    """The agents that come along for a game and play all its variants, the weakest first."""
    return [name for name, place in GENERALISTS.items() if _find(game, *place)]


def find_builtin(name: str, game: Game) -> type[Any]:
    """The class of an agent that comes along, built as `Class(game, rules)`.

    Raises:
        AgentError: the game has no such agent.
    """
    places = GENERALISTS | SPECIALISTS
    found = _find(game, *places[name]) if name in places else None
    if found is None:
        names = [known for known, place in places.items() if _find(game, *place)]
        raise AgentError(
            f"{unknown_name(f'agent of {game.name}', name, names)}; "
            "one's own is named path/to/file.py:Class, package.module:Class or path/to/weights.npz"
        )
    return found


def _find(game: Game, module: str, class_name: str) -> type[Any] | None:
    """A class that comes along, None if the game has no such agent."""
    name = module.format(game=game.name)
    if importlib.util.find_spec(name) is None:
        return None
    return getattr(importlib.import_module(name), class_name, None)
