"""The check that an action may be taken, and the words where it may not."""

import operator
from typing import Any

import numpy as np

from envs.core.errors import IllegalActionError
from envs.core.game import Array, Game, Record
from envs.core.jit import kernel

SHOWN_ACTIONS = 12
"""An error lists that many of the legal actions."""


def check_action(game: Game, states: Array, masks: Array, action: Any, who: str) -> int:
    """`action` as a Python integer, if the game `states` [1] with `masks` [1, A] allows it.

    Raises:
        IllegalActionError: names `who`, the action, and what would be legal.
    """
    try:
        index = operator.index(action)
    except TypeError:
        index = -1
    if not (0 <= index < game.num_actions and masks.item(index)):
        raise illegal_action(game, states[0], masks[0], action, who)
    return index


def illegal_action(
    game: Game, state: Record, mask: Array, action: Any, who: str
) -> IllegalActionError:
    """The error for an action that `mask` does not allow."""
    if not isinstance(action, int | np.integer) or not 0 <= action < game.num_actions:
        return IllegalActionError(
            f"{who}: an action is a whole number from 0 to {game.num_actions - 1}, got {action!r}"
        )
    legal = np.flatnonzero(mask).tolist()
    words = [f"{other} ({game.format_action(state, other)})" for other in legal[:SHOWN_ACTIONS]]
    if len(legal) > SHOWN_ACTIONS:
        words.append(f"{len(legal) - SHOWN_ACTIONS} more")
    return IllegalActionError(
        f"{who} may not take action {action} ({game.format_action(state, int(action))}); "
        f"legal: {', '.join(words)}"
    )


@kernel
def count_single_actions(states: Any, masks: Any, counts: Any) -> None:
    """`Game.count_plays` of a game in which every action is a whole play."""
    for i in range(masks.shape[0]):
        for action in range(masks.shape[1]):
            counts[i, action] = masks[i, action]


@kernel
def only_action(mask: Any) -> int:
    """The single allowed action of a mask [A] int8, or -1 if there are none or several."""
    found = -1
    for action in range(mask.shape[0]):
        if mask[action]:
            if found >= 0:
                return -1
            found = action
    return found
