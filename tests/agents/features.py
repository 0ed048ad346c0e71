"""Making the features of actions in given positions, as the tests of each game's do."""

from typing import Any

import numpy as np

from agents.features.base import Features
from envs.core.game import Array, Game
from tests.conformance.play import look


def views_of(game: Game, rules: Any, states: Array) -> Array:
    """What the seats to act see."""
    return game.views(rules, look(game, rules, states, states["turn"].copy()))


def written(module: Features, views: Array, rows: Array, actions: Array) -> tuple[Array, Array]:
    """Features of actions and of positions, written over what is no number."""
    features, contexts = np.empty(len(rows), module.ACTION), np.empty(len(views), module.CONTEXT)
    for records in (features, contexts):
        records.view(np.float32).fill(np.nan)
    module.fill_batch(views, rows, actions, features, contexts)
    return features, contexts


def features_of(module: Features, views: Array, masks: Array) -> tuple[Array, Array, Array, Array]:
    """Rows and ids of all legal actions, their features, and those of the positions."""
    rows, actions = np.nonzero(masks)
    return rows, actions, *written(module, views, rows, actions)


def numbers(records: Array) -> Array:
    """Features as a matrix."""
    return records.view(np.float32).reshape(len(records), -1)
