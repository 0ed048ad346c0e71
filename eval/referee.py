"""Asks an agent for actions and judges its answers; whatever the agent does, the match goes on."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from agents.base import Agent, describe_error
from agents.process import RowFaults
from envs.core.game import Array

FaultKind = Literal["raised", "illegal", "nonsense", "timeout", "crashed"]


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
    if isinstance(answer, RowFaults):
        actions, faults = _judge(answer.actions, questions.masks)
        for row, fault in answer.faults.items():
            actions[row], faults[row] = -1, Fault(fault.kind, str(fault))
        return actions, faults
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


def tell_ended(agents: Sequence[Agent], players: Array, tables: Array, scores: Array) -> None:
    """Tell the agents that want to know, by a method `end_games`, of seats whose game is over.

    players: [N], which of the agents sat there. tables: [N], their numbers, see `Agent.act`.
    scores: [N], what the game brought them.
    """
    for player, agent in enumerate(agents):
        rows = players == player
        if rows.any() and hasattr(agent, "end_games"):
            agent.end_games(tables[rows], scores[rows])


def _answer(agent: Agent, questions: Questions) -> Array | RowFaults | Fault:
    """What the agent says, if it is one integer a row, or which rows it failed at."""
    num = len(questions.keys)
    asked = questions.take(np.arange(num))  # the agent may write into what it is given
    try:
        answer = agent.act(asked.observations, asked.masks, keys=asked.keys, tables=asked.tables)
    except RowFaults as found:
        # One of several partners counts its own rows.
        return found if len(found.actions) == num else Fault("raised", describe_error(found))
    except (Exception, SystemExit) as error:
        return Fault("raised", describe_error(error))
    try:
        actions = np.asarray(answer)
    except Exception as error:
        return Fault("nonsense", describe_error(error))
    if actions.shape != (num,) or not np.issubdtype(actions.dtype, np.integer):
        kind = type(actions.flat[0]).__name__ if actions.size else "nothing"
        got = f"got {kind} of shape {actions.shape}"
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
