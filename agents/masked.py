"""Choosing among the allowed actions, without touching the others.

Filling the logits of forbidden actions with a large negative number and taking a softmax over all
spends most of its time on actions that cannot be taken. These kernels visit the allowed ones only.
"""

import math
from typing import Any

import numpy as np

from envs.core.jit import kernel


@kernel(inline=True)
def collect_allowed(logits: Any, mask: Any, ids: Any) -> int:
    """Ids of the allowed actions in order, and in front the place of the largest logit: [A + 1]."""
    num = 0
    best = 0
    for action in range(mask.shape[0]):
        if mask[action]:
            num += 1
            ids[num] = action
            if num == 1 or logits[action] > logits[best]:
                best = action
    ids[0] = best
    return num


@kernel(inline=True)
def sum_weights(logits: Any, ids: Any, num: int) -> float:
    """Sum of the exponentials of the allowed logits, each less the largest."""
    total = 0.0
    for k in range(1, num + 1):
        total += math.exp(logits[ids[k]] - logits[ids[0]])
    return total


@kernel
def sample_actions(logits: Any, masks: Any, uniforms: Any, actions: Any, log_probs: Any) -> None:
    """Draw an action a row: actions [N] int64 and log_probs [N] float32, written in place.

    logits: [N, A] float32; masks: [N, A] int8; uniforms: [N] float64 from 0 to 1.
    """
    ids = np.empty(masks.shape[1] + 1, np.int64)
    for i in range(masks.shape[0]):
        num = collect_allowed(logits[i], masks[i], ids)
        top = logits[i, ids[0]]
        total = sum_weights(logits[i], ids, num)
        left = uniforms[i] * total
        chosen = ids[num]
        for k in range(1, num + 1):
            left -= math.exp(logits[i, ids[k]] - top)
            if left < 0:
                chosen = ids[k]
                break
        actions[i] = chosen
        log_probs[i] = logits[i, chosen] - top - math.log(total)


@kernel
def best_actions(logits: Any, masks: Any, actions: Any) -> None:
    """The allowed action with the largest logit, the first of equals: actions [N] int64."""
    ids = np.empty(masks.shape[1] + 1, np.int64)
    for i in range(masks.shape[0]):
        collect_allowed(logits[i], masks[i], ids)
        actions[i] = ids[0]
