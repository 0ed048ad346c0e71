"""The distribution of a policy over the allowed actions, for autograd.

Values and gradients are those of a softmax over the allowed logits; see `agents.masked`.
"""

import math
from typing import Any

import numpy as np
import torch

from agents.masked import collect_allowed, sum_weights
from envs.core.game import Array
from envs.core.jit import kernel


@kernel
def evaluate(logits: Any, masks: Any, actions: Any, log_probs: Any, entropies: Any) -> None:
    """Log-probability of the actions taken and entropy, a row each: [N] float32."""
    ids = np.empty(masks.shape[1] + 1, np.int64)
    for i in range(masks.shape[0]):
        num = collect_allowed(logits[i], masks[i], ids)
        top = logits[i, ids[0]]
        total, weighted = 0.0, 0.0
        for k in range(1, num + 1):
            above = logits[i, ids[k]] - top
            weight = math.exp(above)
            total += weight
            weighted += weight * above
        log_probs[i] = logits[i, actions[i]] - top - math.log(total)
        entropies[i] = math.log(total) - weighted / total


@kernel
def differentiate(
    logits: Any,
    masks: Any,
    actions: Any,
    entropies: Any,
    by_log_prob: Any,
    by_entropy: Any,
    gradient: Any,
) -> None:
    """Gradient by the logits [N, A] float32, from those by log-probability and entropy [N]."""
    ids = np.empty(masks.shape[1] + 1, np.int64)
    for i in range(masks.shape[0]):
        gradient[i, :] = 0
        num = collect_allowed(logits[i], masks[i], ids)
        top = logits[i, ids[0]]
        log_total = math.log(sum_weights(logits[i], ids, num))
        for k in range(1, num + 1):
            log_prob = logits[i, ids[k]] - top - log_total
            prob = math.exp(log_prob)
            gradient[i, ids[k]] = -prob * (
                by_log_prob[i] + by_entropy[i] * (log_prob + entropies[i])
            )
        gradient[i, actions[i]] += by_log_prob[i]


class MaskedEvaluation(torch.autograd.Function):
    """Log-probabilities and entropies of `evaluate`, for autograd."""

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, masks: Array, actions: Array
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """`logits`: [N, A] of any floating type; masks: [N, A] int8; actions: [N] int64."""
        values = logits.detach().float().numpy()
        log_probs, entropies = np.empty((2, len(values)), np.float32)
        evaluate(values, masks, actions, log_probs, entropies)
        ctx.saved = values, masks, actions, entropies, logits.dtype
        return torch.from_numpy(log_probs), torch.from_numpy(entropies)

    @staticmethod
    def backward(
        ctx: Any, by_log_prob: torch.Tensor, by_entropy: torch.Tensor
    ) -> tuple[torch.Tensor, None, None]:
        """Gradient by the logits."""
        values, masks, actions, entropies, dtype = ctx.saved
        gradient = np.empty_like(values)
        differentiate(
            values,
            masks,
            actions,
            entropies,
            by_log_prob.numpy(),
            by_entropy.numpy(),
            gradient,
        )
        return torch.from_numpy(gradient).to(dtype), None, None


def evaluate_actions(
    logits: torch.Tensor, masks: Array, actions: Array
) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probability of each action taken and entropy of each distribution: two [N] float32."""
    return MaskedEvaluation.apply(logits, masks, actions)  # type: ignore[no-any-return, no-untyped-call]
