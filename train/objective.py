"""What a learner strives for: payoffs turned into rewards, and values that predict them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch.nn import functional

from envs.core.game import Array
from envs.core.rules import check_above_zero, check_types


@dataclass(frozen=True, kw_only=True)
class Objective:
    """How a payoff counts."""

    kind: Literal["win", "points", "log"] = "win"
    """`win`: only its sign, and values are 2p − 1 for a probability p of winning, learnt by
    cross-entropy; for games that pay once, at their end. `points`: as it is. `log`: sign times
    log2(1 + |payoff|), for payoffs that double."""
    unit: float = 1.0
    """Points that make a reward of 1."""
    cap: float | None = None
    """Largest reward of one payoff, in units; none: no limit."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_above_zero("unit", self.unit)
        if self.cap is not None:
            check_above_zero("cap", self.cap)

    def rewards(self, payoffs: Array) -> Array:
        """Rewards of payoffs in the game's units, in the same shape."""
        if self.kind == "win":
            return np.sign(payoffs)
        counted = payoffs / self.unit
        if self.kind == "log":
            counted = np.sign(counted) * np.log2(1 + np.abs(counted))
        return counted if self.cap is None else np.clip(counted, -self.cap, self.cap)

    def values(self, outputs: torch.Tensor) -> torch.Tensor:
        """Values in rewards of the critic's outputs, which are log-odds if winning counts."""
        return torch.tanh(outputs / 2) if self.kind == "win" else outputs

    def loss(self, outputs: torch.Tensor, returns: torch.Tensor) -> torch.Tensor:
        """Loss of the critic's outputs [N] against returns [N]."""
        if self.kind != "win":
            return functional.mse_loss(outputs, returns)  # the mean, where outcomes lie far apart
        chances = ((returns + 1) / 2).clamp(0, 1)
        return functional.binary_cross_entropy_with_logits(outputs, chances)
