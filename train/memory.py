"""What is remembered of judged positions, for a network that learns leads over an adviser."""

from typing import Any

import numpy as np
from stable_baselines3.common.buffers import BaseBuffer

from agents.comparing import Comparisons
from envs.core.game import Array


class Memory(BaseBuffer):
    """The last R positions that were judged, with a fixed number of places for actions in each.

    contexts [R, C], features [R, 1 + L, K] float16 and actions [R, 1 + L] int16, the advised action
    first; leads [R, L] float32 of the others; counts [R] int64, how many of them there are. The
    places after those are 0.
    """

    def __init__(  # noqa: PLR0913 - Stable-Baselines3 passes the first seven
        self,
        buffer_size: int,
        observation_space: Any,
        action_space: Any,
        device: Any = "cpu",
        gamma: float = 1.0,
        gae_lambda: float = 1.0,
        n_envs: int = 1,
        *,
        replay: int,
        others: int,
        num_features: int,
        num_context: int,
    ) -> None:
        """Make room for `replay` positions with `others` actions beside the advised one."""
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        self.contexts = np.zeros((replay, num_context), np.float16)
        self.features = np.zeros((replay, 1 + others, num_features), np.float16)
        self.actions = np.zeros((replay, 1 + others), np.int16)
        self.leads = np.zeros((replay, others), np.float32)
        self.counts = np.zeros(replay, np.int64)
        self.num_added = 0
        """Positions ever added."""

    @property
    def num_held(self) -> int:
        """Positions there are."""
        return min(self.num_added, len(self.counts))

    def add(self, found: Comparisons, leads: Array) -> None:
        """Add positions; `found` has some actions of each, `leads` [M] what they lead by."""
        num = len(found.advised)
        if num == 0:
            return
        places = (self.num_added + np.arange(num)) % len(self.counts)
        self.num_added += num
        counts = np.bincount(found.rows, minlength=num)
        slot = numbers_in_rows(counts)
        at = places[found.rows]
        self.counts[places] = counts
        self.contexts[places] = found.contexts
        self.features[places] = 0
        self.features[places, 0] = found.advised_features
        self.features[at, 1 + slot] = found.features
        self.actions[places] = 0
        self.actions[places, 0] = found.advised
        self.actions[at, 1 + slot] = found.actions
        self.leads[places] = 0
        self.leads[at, slot] = leads

    def comparisons(self, places: Array) -> Comparisons:
        """All places of some positions as comparisons: [len(places) * others]."""
        num, others = len(places), self.leads.shape[1]
        features = self.features[places].astype(np.float32)
        return Comparisons(
            np.repeat(np.arange(num), others),
            self.actions[places, 1:].reshape(-1).astype(np.int64),
            features[:, 1:].reshape(num * others, features.shape[-1]),
            self.actions[places, 0].astype(np.int64),
            np.ascontiguousarray(features[:, 0]),
            self.contexts[places].astype(np.float32),
        )

    def is_used(self, places: Array) -> Array:
        """Which places for actions hold one: [N, L] bool."""
        used: Array = np.arange(self.leads.shape[1]) < self.counts[places, None]
        return used

    def _arrays(self) -> dict[str, Array]:
        names = ("contexts", "features", "actions", "leads", "counts")
        return {name: getattr(self, name) for name in names}

    def state(self) -> dict[str, Any]:
        """What `restore` takes."""
        held = self.num_held
        return {"num_added": self.num_added} | {
            name: array[:held] for name, array in self._arrays().items()
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.num_added = state["num_added"]
        for name, array in self._arrays().items():
            array[: self.num_held] = state[name]

    def _get_samples(self, batch_inds: Array, env: Any = None) -> Any:
        raise NotImplementedError("use comparisons()")


def numbers_in_rows(counts: Array) -> Array:
    """0, 1, … for the items of each row, one row after the other; counts: [N] items of each."""
    numbers: Array = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers


def choose_some(
    found: Comparisons, most: int, rng: np.random.Generator
) -> tuple[Comparisons, Array]:
    """At most so many actions of each position, at random; positions without any are left out.

    Returns the comparisons, and which of the positions [N] are left.
    """
    order = np.lexsort((rng.random(len(found.rows)), found.rows))
    counts = np.bincount(found.rows, minlength=len(found.advised))
    picked = order[numbers_in_rows(counts) < most]
    kept = np.flatnonzero(counts)
    renumbered = np.cumsum(counts > 0) - 1
    rest = Comparisons(
        renumbered[found.rows[picked]],
        found.actions[picked],
        found.features[picked],
        found.advised[kept],
        found.advised_features[kept],
        found.contexts[kept],
    )
    return rest, kept
