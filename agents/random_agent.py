"""The agent that plays at random: the zero of every scale."""

from typing import Any

import numpy as np

from agents.base import ViewAgent
from envs.core.game import Array
from envs.core.jit import kernel
from envs.core.rng import philox


@kernel
def sample_weighted(weights: Any, keys: Any, actions: Any) -> None:
    """One action a row, drawn in proportion to its weight by the row's key.

    weights: [N, A] int64, not negative; keys: [N] int64; actions: [N] int64, written in place
    (-1: all weights are 0). The bias of the remainder is below the sum of a row divided by 2**63.
    """
    for i in range(weights.shape[0]):
        total = 0
        for action in range(weights.shape[1]):
            total += weights[i, action]
        actions[i] = -1
        if total > 0:
            left = philox(0, int(keys[i]) >> 32, keys[i]) % total
            for action in range(weights.shape[1]):
                left -= weights[i, action]
                if left < 0:
                    actions[i] = action
                    break


class RandomAgent(ViewAgent):
    """Uniform over the legal plays, not over the action ids: a hand of many kickers counts more."""

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Draw an action in proportion to the plays that begin with it, see `ViewAgent.decide`."""
        counts = np.empty(masks.shape, np.int64)
        self.game.count_plays(views, masks, counts)
        sample_weighted(counts, keys, actions)
