"""Small tables and small learners of the toy game, which the tests of training are made of."""

from typing import Any

import numpy as np
import torch

from envs.core.game import Array
from envs.core.rng import spawn_seeds
from tests.conformance.play import random_actions
from tests.toy_game import GAME, ToyRules
from train.selfplay import SelfPlayPPO
from train.tables import Tables

torch.set_num_threads(1)

NUM_STEPS = 12
"""Of a rollout; no multiple of the decisions of a game."""


def make_tables(
    num: int = 8, *variants: ToyRules, seed: int = 0, adviser: str | None = None
) -> Tables:
    """Tables of the toy game, of three seats if no variants are named."""
    return Tables(GAME, variants or [ToyRules()], num, seed=seed, adviser=adviser)


def make_learner(tables: Tables | None = None, **settings: Any) -> SelfPlayPPO:
    """A learner with one layer of 16 units."""
    small = {
        "n_steps": NUM_STEPS,
        "batch_size": 32,
        "n_epochs": 2,
        "gamma": 1.0,
        "learning_rate": 1e-3,
        "policy_kwargs": {"hidden": [16], "critic_hidden": [16], "precision": "float32"},
    }
    return SelfPlayPPO(tables or make_tables(), **{**small, **settings})


def weights_of(model: SelfPlayPPO) -> dict[str, bytes]:
    """The bytes of every parameter."""
    return {name: value.numpy().tobytes() for name, value in model.policy.state_dict().items()}


def advance_randomly(tables: Tables, step: int) -> Array:
    """Take a random action at every table; returns them."""
    actions = random_actions(tables.masks, spawn_seeds(99, tables.num_envs), step)
    tables.advance(actions)
    return np.asarray(actions)
