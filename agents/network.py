"""Networks as numpy plays them: what they read of a vector, and their layers.

Torch is needed to train a network and not to play it.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent
from agents.builtin import find_builtin
from envs.core.errors import AgentError
from envs.core.fields import read_digits
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.core.layout import DIGITS, NUMBER, Layout
from envs.core.rules import unknown_name

NUM_LEVELS = 26
LEVELS = np.unique(np.rint(1.4142135623730951 ** np.arange(2, 2 + NUM_LEVELS)).astype(np.int64))
"""An amount is read as which of these it reaches: half octaves, 2 to 11,585."""
ADVISER_KEY = 0
"""An adviser's random number, always the same: it advises alike wherever a seat sees the same."""
ADVISED = 2
"""What stands in a row instead of the mask's 1 at the action that an adviser would take."""
TRUST = 7.0
"""What the output of an advised action begins with, above the outputs of the others."""
SCALES = {NUMBER: 1 / 16, DIGITS: 1 / 64}
"""What numbers are multiplied by before the first layer; flags stay 0 and 1."""


@kernel
def write_columns(vectors: Any, runs: Any, amounts: Any, out: Any) -> None:
    """Copy runs of columns, and write amounts as the levels they reach.

    runs: [K, 3] first column, first column in `out`, length; amounts: [M, 3] first digit, number of
    digits, first column in `out`. A negative amount is written as -1 at the levels it reaches.
    """
    for i in range(vectors.shape[0]):
        for k in range(runs.shape[0]):
            source, target = runs[k, 0], runs[k, 1]
            for column in range(runs[k, 2]):
                out[i, target + column] = vectors[i, source + column]
        for m in range(amounts.shape[0]):
            amount = read_digits(vectors[i], amounts[m, 0], amounts[m, 1])
            sign = -1 if amount < 0 else 1
            for level in range(LEVELS.shape[0]):
                reached = sign * amount >= LEVELS[level]
                out[i, amounts[m, 2] + level] = sign if reached else 0


class Inputs:
    """What a network reads of the vectors of a layout: flags and numbers as they are, amounts also
    by the powers they reach."""

    size: int
    """Columns read."""
    scales: Array
    """[size] float32; what each is multiplied by."""

    def __init__(self, layout: Layout, ignore: Sequence[str] = ()) -> None:
        """Read the pieces of `layout` except those that `ignore` names."""
        runs, amounts, scales, at = [], [], [], 0
        for name, place in layout.slices():
            piece = layout.pieces[name]
            length = place.stop - place.start
            if name in ignore:
                continue
            runs.append((place.start, at, length))
            scales += [SCALES.get(piece.kind, 1.0)] * length
            at += length
            if piece.kind == DIGITS:
                digits = piece.shape[-1]
                for first in range(place.start, place.stop, digits):
                    amounts.append((first, digits, at))
                    scales += [1.0] * len(LEVELS)
                    at += len(LEVELS)
        self.size = at
        self.scales = np.array(scales, np.float32)
        self._runs = np.array(runs, np.int64).reshape(-1, 3)
        self._amounts = np.array(amounts, np.int64).reshape(-1, 3)

    def write(self, vectors: Array, out: Array) -> None:
        """Fill `out` [N, size] int8 from `vectors` [N, layout.size] int8."""
        write_columns(vectors, self._runs, self._amounts, out)


def ask_adviser(adviser: Agent, observations: Array, masks: Array) -> Array:
    """What an adviser, an agent without a memory, would do: [N] integers, see `Agent.act`."""
    keys = np.full(len(masks), ADVISER_KEY)
    return adviser.act(np.ascontiguousarray(observations), masks, keys=keys, tables=keys)


class RowLayout(NamedTuple):
    """Columns of a row: what is hidden from the seat, what it sees, what it may do.

    The actor reads the last two, a critic in training the first two. Where there is an adviser, the
    last also tell what it would do.
    """

    num_hidden: int
    num_seen: int
    num_actions: int

    @property
    def width(self) -> int:
        """Columns altogether."""
        return sum(self)

    @property
    def seen(self) -> slice:
        """What the actor reads."""
        return slice(self.num_hidden, self.width)

    @property
    def masks(self) -> slice:
        """What the seat may do."""
        return slice(self.num_hidden + self.num_seen, self.width)


class Rows:
    """Makes the rows that networks for a game read."""

    def __init__(
        self, game: Game, rules: Any, ignore: Sequence[str] = (), adviser: str | None = None
    ) -> None:
        """Get ready for a game, without the pieces that `ignore` names.

        adviser: an agent that comes along; the rows tell what it would do. It must be one without a
            memory, and is always asked with the same key.

        Raises:
            AgentError: there is no such piece or no such agent.
        """
        layout, everything = game.layout(rules), game.state_layout(rules)
        for name in ignore:
            if name not in everything.pieces:
                raise AgentError(unknown_name("piece of the layout", name, everything.pieces))
        self._num_before = everything.size - layout.size
        num_before = len(everything.pieces) - len(layout.pieces)
        hidden = Layout(dict(list(everything.pieces.items())[:num_before]))
        self._hidden = Inputs(hidden, ignore)
        self._seen = Inputs(layout, ignore)
        self.layout = RowLayout(self._hidden.size, self._seen.size, game.num_actions)
        self.scales = np.concatenate(
            [self._hidden.scales, self._seen.scales, np.ones(game.num_actions, np.float32)]
        )
        """[width] float32; what each column is multiplied by."""
        self.adviser = None if adviser is None else find_builtin(adviser, game)(game, rules)

    def write_all(self, vectors: Array, masks: Array, out: Array) -> None:
        """Rows [N, width] int8 of perfect-information vectors, seen from the seats that act."""
        self._hidden.write(vectors[:, : self._num_before], out[:, : self.layout.num_hidden])
        self._write_seen(vectors[:, self._num_before :], masks, out[:, self.layout.seen])

    def _write_seen(self, observations: Array, masks: Array, out: Array) -> None:
        seen = self.layout.num_seen
        self._seen.write(observations, out[:, :seen])
        out[:, seen:] = masks
        if self.adviser is not None:
            advised = ask_adviser(self.adviser, observations, masks)
            out[np.arange(len(masks)), seen + advised] = ADVISED

    def read(self, observations: Array, masks: Array) -> Array:
        """What the actor reads of observations: [N, num_seen + num_actions] int8."""
        out = np.empty((len(masks), self.layout.num_seen + self.layout.num_actions), np.int8)
        self._write_seen(observations, masks, out)
        return out


@kernel
def fill_outputs(
    rows: Any, masks: Any, sizes: Any, weights: Any, biases: Any, outputs: Any
) -> None:
    """Outputs of a network for the allowed actions: [N, A] float32, written in place.

    rows: [N, inputs] int8, mostly 0; masks: [N, A] int8, ADVISED where an adviser would go.
    sizes: [layers + 1] int64; weights: one layer after the other, each [inputs, outputs], but the
    last [outputs, inputs]; biases likewise.
    Each row is worked out by itself, so its outputs do not depend on the others.
    """
    last = sizes.shape[0] - 2
    widest = np.max(sizes)
    x, y = np.empty(widest, np.float32), np.empty(widest, np.float32)
    for i in range(rows.shape[0]):
        for k in range(sizes[0]):
            x[k] = rows[i, k]
        at, base = 0, 0
        for layer in range(last):
            num, width = sizes[layer], sizes[layer + 1]
            for j in range(width):
                y[j] = biases[base + j]
            for k in range(num):
                if x[k] != 0:
                    row = weights[at + k * width : at + (k + 1) * width]
                    for j in range(width):
                        y[j] += x[k] * row[j]
            for j in range(width):
                x[j] = max(y[j], np.float32(0))
            at += num * width
            base += width
        for action in range(masks.shape[1]):
            if masks[i, action]:
                total = biases[base + action]
                total += np.float32(TRUST) * (masks[i, action] == ADVISED)
                row = weights[at + action * sizes[last] : at + (action + 1) * sizes[last]]
                for j in range(sizes[last]):
                    total += x[j] * row[j]
                outputs[i, action] = total


@dataclass(frozen=True)
class Network:
    """Fully connected layers with rectified linear units between them, and one output an action."""

    weights: list[Array]
    """Each [inputs, outputs] float32."""
    biases: list[Array]
    """Each [outputs] float32."""

    @functools.cached_property
    def _packed(self) -> tuple[Array, Array, Array]:
        sizes = [len(weight) for weight in self.weights] + [len(self.biases[-1])]
        flat = [*(weight.ravel() for weight in self.weights[:-1]), self.weights[-1].T.ravel()]
        return np.array(sizes), np.concatenate(flat), np.concatenate(self.biases)

    def outputs(self, rows: Array, masks: Array) -> Array:
        """[N, A] float32 for rows [N, inputs] int8; 0 where masks [N, A] int8 forbid.

        In masks, ADVISED stands for an allowed action that an adviser would take.
        """
        outputs = np.zeros(masks.shape, np.float32)
        fill_outputs(rows, masks, *self._packed, outputs)
        return outputs
