"""Action masks: one int8 an action, 1 where it may be taken."""

from typing import Any

from envs.core.jit import kernel


@kernel
def only_action(mask: Any) -> int:
    """The single allowed action of a mask [A], or -1 if there are none or several."""
    found = -1
    for action in range(mask.shape[0]):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found
