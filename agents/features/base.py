"""The features of single actions that networks read, one module a game.

`agents.features.<game>` has what `Features` lists. They are made from views, so from nothing that
the seat to act does not know.
"""

import importlib
import importlib.util
from typing import Any, Protocol, cast

from envs.core.errors import AgentError
from envs.core.game import Array, Game


class Features(Protocol):
    """What a module has."""

    VERSION: int
    """Number of the set of features: weights learnt with another are refused."""
    ACTION: Any
    """Record of float32 numbers: the features of an action. The first, `worth`, is what the
    rule-based agent compares; that of its own choice is nearly always the largest."""
    CONTEXT: Any
    """Record of float32 numbers: those of a position."""
    KINDS: Array
    """[num_actions] int64; the kind of each action, from 0."""
    NUM_KINDS: int

    def fill_batch(
        self, views: Array, rows: Array, actions: Array, features: Array, contexts: Array
    ) -> None:
        """Write the features of some actions and of their positions.

        views: [N] records, each as the seat to act knows it. rows: [M] int64, ascending, the view
        that each action belongs to; actions: [M] int64, legal there. features: [M] ACTION and
        contexts: [N] CONTEXT, contiguous, written in place.
        """
        ...


def load_features(game: Game) -> Features:
    """The features of a game's actions, a module.

    Raises:
        AgentError: the game has none.
    """
    name = f"agents.features.{game.name}"
    if importlib.util.find_spec(name) is None:
        raise AgentError(f"{game.name} has no features of actions to judge them by")
    return cast(Features, importlib.import_module(name))
