"""Asks an agent for actions and judges its answers; whatever the agent does, the match goes on."""

from typing import Literal, NamedTuple

import numpy as np

from agents.base import Agent, describe_error
from envs.core.game import Array

FaultKind = Literal["raised", "illegal", "nonsense"]


class Questions(NamedTuple):
    """Decisions to be made, one a row; see `Agent.act`."""

    observations: Array
    masks: Array
    keys: Array
    tables: Array

    def take(self, rows: Array) -> "Questions":
        """A copy of some rows."""
        return Questions(*(array[rows] for array in self))


class Fault(NamedTuple):
    """What was wrong with an answer."""

    kind: FaultKind
    message: str


def ask(agent: Agent, questions: Questions) -> tuple[Array, dict[int, Fault]]:
    """The agent's actions [N] int64, and the fault of each row whose answer is no legal action.

    If the call as a whole fails, each row is asked again alone to find those at fault: an agent
    with a memory then sees a decision a second time. Rows without a usable answer hold -1.
    """
    num = len(questions.keys)
    answer = _answer(agent, questions)
    if not isinstance(answer, Fault):
        return _judge(answer, questions.masks)
    if num == 1:
        return np.array([-1]), {0: answer}
    actions, faults = np.empty(num, np.int64), {}
    for row in range(num):
        actions[row : row + 1], found = ask(agent, questions.take(np.array([row])))
        if found:
            faults[row] = found[0]
    return actions, faults


def _answer(agent: Agent, questions: Questions) -> Array | Fault:
    """What the agent says, if it is one integer a row."""
    num = len(questions.keys)
    asked = questions.take(np.arange(num))  # the agent may write into what it is given
    try:
        answer = agent.act(asked.observations, asked.masks, keys=asked.keys, tables=asked.tables)
    except (Exception, SystemExit) as error:
        return Fault("raised", describe_error(error))
    try:
        actions = np.asarray(answer)
    except Exception as error:
        return Fault("nonsense", describe_error(error))
    if actions.shape != (num,) or not np.issubdtype(actions.dtype, np.integer):
        found = type(actions.flat[0]).__name__ if actions.size else "nothing"
        got = f"got {found} of shape {actions.shape}"
        return Fault("nonsense", f"expected integers of shape {(num,)}, {got}")
    return actions


def _judge(answer: Array, masks: Array) -> tuple[Array, dict[int, Fault]]:
    """Tell legal actions from others, row by row."""
    num_actions = masks.shape[1]
    exists = (answer >= 0) & (answer < num_actions)
    actions = np.where(exists, answer, -1).astype(np.int64)
    allowed = exists & (masks[np.arange(len(actions)), actions] != 0)
    faults = {}
    for row in np.flatnonzero(~allowed).tolist():
        if exists[row]:
            faults[row] = Fault("illegal", f"action {actions[row]} is not legal")
        else:
            expected = f"expected an action from 0 to {num_actions - 1}"
            faults[row] = Fault("nonsense", f"{expected}, got {answer[row]}")
    return actions, faults
