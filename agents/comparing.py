"""Agents that improve on an adviser: a network compares each other action with the advised one.

What the network says is the *lead* of an action: by how much more it brings, to the end of the
deal, than what the adviser would do. The agent follows the adviser unless a lead is large enough.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.builtin import find_builtin
from agents.features.base import load_features
from agents.network import Network, ask_adviser
from envs.core.game import Array, Game
from envs.core.jit import kernel


class Comparisons(NamedTuple):
    """Actions within reach of the advised ones, [M], and what there is to know of them.

    All features are float32.
    """

    rows: Array
    """[M] int64, ascending; the observation that each action belongs to."""
    actions: Array
    """[M] int64."""
    features: Array
    """[M, K]"""
    advised: Array
    """[N] int64; the advised actions."""
    advised_features: Array
    """[N, K]"""
    contexts: Array
    """[N, C]"""


class Comparer:
    """Makes what networks read to compare actions with those that an adviser would take."""

    def __init__(self, game: Game, rules: Any, adviser: str, reach: float) -> None:
        """Get ready for a game.

        adviser: an agent that comes along, without a memory; it is always asked with the same key.
        reach: how much less than the advised action, by the adviser's own measure (`worth` in
            `agents.features`), an action may be worth to be compared with it.

        Raises:
            AgentError: there is no such agent, or the game has no features of actions.
        """
        self.game, self.rules = game, rules
        self.reach = reach
        self.adviser = find_builtin(adviser, game)(game, rules)
        self._module = load_features(game)
        self.num_features = self._module.ACTION.itemsize // np.dtype(np.float32).itemsize
        self.num_context = self._module.CONTEXT.itemsize // np.dtype(np.float32).itemsize
        self.num_inputs = 2 * (self.num_features + self._module.NUM_KINDS) + self.num_context

    def advise(self, observations: Array, masks: Array) -> Array:
        """What the adviser would do: [N] int64."""
        return np.asarray(ask_adviser(self.adviser, observations, masks), np.int64)

    def compare(self, observations: Array, masks: Array, advised: Array) -> Comparisons:
        """The other actions within reach at observations [N, layout.size].

        masks: [N, num_actions] int8; advised: [N] int64.
        """
        views = self.game.views(self.rules, np.ascontiguousarray(observations))
        rows, actions = np.nonzero(masks)
        module = self._module
        features = np.empty(len(rows), module.ACTION)
        contexts = np.empty(len(views), module.CONTEXT)
        module.fill_batch(views, rows, actions, features, contexts)
        worth = features["worth"]
        is_advised = actions == advised[rows]
        own = np.flatnonzero(is_advised)  # one a row, in order
        kept = np.flatnonzero(~is_advised & (worth[own][rows] - worth <= self.reach))
        numbers = features.view(np.float32).reshape(-1, self.num_features)
        return Comparisons(
            rows[kept],
            actions[kept],
            numbers[kept],
            advised,
            numbers[own],
            contexts.view(np.float32).reshape(-1, self.num_context),
        )

    def inputs(self, found: Comparisons) -> Array:
        """What the network reads of each of the actions: [M, num_inputs] float32."""
        out = np.empty((len(found.rows), self.num_inputs), np.float32)
        module = self._module
        fill_inputs(found, module.KINDS, module.NUM_KINDS, out)
        return out


@kernel
def fill_inputs(found: Any, kinds: Any, num_kinds: int, out: Any) -> None:
    """What a network reads of each action in `found`, see `Comparisons`.

    One after the other: its features, by how much they are more than those of the advised action,
    the position's, 1 for its kind, 1 for the kind of the advised action. kinds: [num_actions]
    int64; out: [M, inputs] float32.
    """
    num, num_context = found.features.shape[1], found.contexts.shape[1]
    at = 2 * num + num_context
    for i in range(found.rows.shape[0]):
        row = found.rows[i]
        for k in range(num):
            out[i, k] = found.features[i, k]
            out[i, num + k] = found.features[i, k] - found.advised_features[row, k]
        for k in range(num_context):
            out[i, 2 * num + k] = found.contexts[row, k]
        for k in range(2 * num_kinds):
            out[i, at + k] = 0
        out[i, at + kinds[found.actions[i]]] = 1
        out[i, at + num_kinds + kinds[found.advised[row]]] = 1


@kernel
def improve(rows: Any, others: Any, leads: Any, margin: float, actions: Any) -> None:
    """Put the action with the largest lead above the margin in place of the advised one.

    rows, others: [M] int64, the row and id of each action; leads: [M] float32; actions: [N] int64,
    the advised ones at first.
    """
    row, best = -1, margin
    for i in range(rows.shape[0]):
        if rows[i] != row:
            row, best = rows[i], margin
        if leads[i] > best:
            best = leads[i]
            actions[row] = others[i]


class ComparingAgent:
    """Does what an adviser would do, unless its network knows something better."""

    def __init__(self, reader: Comparer, network: Network, margin: float) -> None:
        """Judge what `reader` makes of observations by `network`, which has one output, the lead.

        margin: lead that an action must have to be taken, in the unit it was trained in.
        """
        self.reader = reader
        self.network = network
        self.margin = margin

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose an action for each row, see `Agent.act`."""
        return self.improve(observations, masks, self.reader.advise(observations, masks))

    def improve(self, observations: Array, masks: Array, advised: Array) -> Array:
        """The actions to take where the adviser would take `advised` [N] int64: [N] int64."""
        found = self.reader.compare(observations, masks, advised)
        inputs = self.reader.inputs(found)
        leads = self.network.outputs(inputs, np.ones((len(inputs), 1), np.int8))[:, 0]
        actions = advised.copy()
        improve(found.rows, found.actions, leads, self.margin, actions)
        return actions
