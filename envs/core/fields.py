"""Observations from a table of fields: layout, encoder and decoder of a game's record.

A game lists what stands in an observation as `Field`s of its record, all of whose words have 8
bytes. The codes that games share are here; those of a game's own (its cards, as a rule) begin at
`NUM_CODES`, and its kernels write and read the words of theirs, which `Table.groups` finds, beside
`write_words` and `read_words`. Seats are relative to the observer: 0 is the observer, 1 the next
seat. A vector may have room for more seats than are at the table: their places stay empty, so
records keep the words of seats that do not exist blank.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from envs.core import layout
from envs.core.bits import mark
from envs.core.jit import kernel
from envs.core.layout import Layout, Piece

BITS, CHOICE, SEAT, NUMBER, DIGITS, NUM_CODES = range(6)
"""How a word is written: a set as one place an element; a choice or a seat one-hot; a small number
as it is; a number as signed digits to base 100, two or more, the lowest first."""
NO_SIGN = 0x7FFFFFFFFFFFFFFF  # a number that the compiler knows not to be negative divides faster
ONE, OWN, EACH, ALL = range(4)
"""Which words of a field: `num` from its first on; the observer's; every seat's or team's, from the
observer's on; all."""


KINDS = {NUMBER: layout.NUMBER, DIGITS: layout.DIGITS}
"""What a piece holds, by the code of its field; flags otherwise."""


class Field(NamedTuple):
    """A field of the record in the observation."""

    name: str  # of the piece, and of the field unless `source` says another
    code: int
    meaning: str
    whose: int = ONE
    low: int = 0  # the lowest value of a choice
    size: int = 0  # elements of a set, values of a choice, digits of a number
    source: str = ""  # a field within another one as `outer.inner`
    num: int = 1


class Table(NamedTuple):
    """Every word of an observation with a number of seats, for the kernels."""

    words: np.ndarray  # [seats, V]: which 8-byte word of the record the observer reads
    places: np.ndarray  # [V, 3]: first place in the vector, lowest value, size
    groups: np.ndarray  # [codes + 1]: the first word of each code, and the number of words V


Shapes = Mapping[int, tuple[int, ...]]
"""Shape of one word of each of a game's own codes."""


def _locate(state: Any, path: str) -> tuple[np.dtype[Any], int]:
    """The dtype of a field and its first word."""
    place = 0
    for name in path.split("."):
        state, offset = state.fields[name][:2]
        place += offset
    return state, place // 8


def _rows(
    field: Field, state: np.dtype[Any], seats: int, room: int, absent: bool = True
) -> list[list[int]]:
    """For each observer, the words of the record that a field writes, in order."""
    kind, first = _locate(state, field.source or field.name)
    if field.whose in (ONE, ALL):
        num = field.num if field.whose == ONE else kind.itemsize // 8
        return [list(range(first, first + num))] * room
    width = kind.itemsize // 8 // kind.shape[0]
    turning = min(kind.shape[0], seats)  # rows that are relative to the observer
    rows = []
    for seat in range(room):
        picked = list(range(min(kind.shape[0], room) if absent else turning))
        if field.whose == OWN:
            picked = [0]
        if seat < seats:
            picked = [(seat + k) % turning if k < turning else k for k in picked]
        rows.append([first + row * width + i for row in picked for i in range(width)])
    return rows


def _shape(field: Field, seats: int, shapes: Shapes) -> tuple[int, ...]:
    """Shape of one word."""
    if field.code >= NUM_CODES:
        return shapes[field.code]
    return {SEAT: (seats,), NUMBER: (1,)}.get(field.code, (field.size,))


def build_layout(
    fields: Sequence[Field],
    state: np.dtype[Any],
    seats: int,
    shapes: Shapes,
    kinds: Mapping[int, str] = KINDS,
) -> Layout:
    """The pieces of an observation with room for `seats`, in the order of the fields.

    kinds: what pieces hold, by code, where those of a game's own are not flags.
    """
    pieces = {}
    for field in fields:
        shape, num = _shape(field, seats, shapes), len(_rows(field, state, seats, seats)[0])
        if num > 1:
            shape = (num,) if shape == (1,) else (num, *shape)
        kind = kinds.get(field.code, layout.FLAGS)
        pieces[field.name] = Piece(shape, field.meaning, kind)
    return Layout.of(**pieces)


def build_table(
    fields: Sequence[Field],
    state: np.dtype[Any],
    seats: int,
    shapes: Shapes,
    room: int | None = None,
    absent: bool = True,
) -> Table:
    """The table for the kernels, in which words of one code lie together.

    room: seats that the vector has room for; as many as are at the table if left out.
    absent: whether the table has the words of seats that are not there, which are blank.
    """
    room = room or seats
    pieces = build_layout(fields, state, room, shapes)
    words: list[list[int]] = [[] for _ in range(room)]
    places, codes = [], []
    for field in sorted(fields, key=lambda field: field.code):
        size = math.prod(_shape(field, room, shapes))
        rows = _rows(field, state, seats, room, absent)
        for seat, row in enumerate(rows):
            words[seat] += row
        start = pieces[field.name].start
        for k in range(len(rows[0])):
            places.append((start + k * size, field.low, size))
            codes.append(field.code)
    groups = np.searchsorted(codes, range(NUM_CODES + len(shapes) + 1))
    return Table(np.array(words), np.array(places), groups)


@kernel(inline=True)
def read_bits(out: Any, at: int, size: int) -> int:
    """The set whose elements are marked from place `at` on, of at most `size`."""
    bits = 0
    for element in range(size):
        bits |= int(out[at + element]) << element
    return bits


@kernel
def read_one_hot(out: Any, at: int, size: int) -> int:
    """Place of the one, or -1."""
    for value in range(size):
        if out[at + value]:
            return value
    return -1


@kernel(inline=True)
def write_digits(out: Any, at: int, value: int) -> None:
    """Write a number as signed digits to base 100, the lowest first, over zeros; room for two.

    Most numbers are 0 or have up to two digits, so those two are written without a branch.
    """
    sign, rest = (-1 if value < 0 else 1), abs(value) & NO_SIGN
    if rest:
        out[at] = sign * (rest % 100)
        out[at + 1] = sign * (rest // 100 % 100)
        rest //= 100 * 100
        at += 2
        while rest:
            out[at] = sign * (rest % 100)
            rest //= 100
            at += 1


@kernel(inline=True)
def read_digits(out: Any, at: int, size: int) -> int:
    """The inverse of `write_digits`."""
    value = 0
    for digit in range(size - 1, -1, -1):
        value = 100 * value + int(out[at + digit])
    return value


@kernel(inline=True)
def write_words(words: Any, source: Any, table: Any, seats: int, seat: int, out: Any) -> None:
    """Write the words of the shared codes of a view of `seat` into `out`, which is all 0.

    words: the view; source: [V], the row of `table.words` for the observer and `seats`.
    """
    places, groups = table.places, table.groups
    for v in range(groups[BITS], groups[CHOICE]):
        mark(out, places[v, 0], words[source[v]])
    for v in range(groups[CHOICE], groups[SEAT]):
        value = words[source[v]] - places[v, 1]
        if value >= 0:
            out[places[v, 0] + value] = 1
    for v in range(groups[SEAT], groups[NUMBER]):
        value = words[source[v]] - seat
        if words[source[v]] >= 0:
            out[places[v, 0] + (value if value >= 0 else value + seats)] = 1
    for v in range(groups[NUMBER], groups[DIGITS]):
        out[places[v, 0]] = words[source[v]]
    for v in range(groups[DIGITS], groups[NUM_CODES]):
        write_digits(out, places[v, 0], words[source[v]])


@kernel(inline=True)
def read_words(out: Any, source: Any, table: Any, words: Any) -> None:
    """Fill the words of the shared codes of a view; source: [V], the row of seat 0."""
    places, groups = table.places, table.groups
    for v in range(groups[BITS], groups[CHOICE]):
        words[source[v]] = read_bits(out, places[v, 0], places[v, 2])
    for v in range(groups[CHOICE], groups[NUMBER]):
        words[source[v]] = read_one_hot(out, places[v, 0], places[v, 2]) + places[v, 1]
    for v in range(groups[NUMBER], groups[DIGITS]):
        words[source[v]] = out[places[v, 0]]
    for v in range(groups[DIGITS], groups[NUM_CODES]):
        words[source[v]] = read_digits(out, places[v, 0], places[v, 2])
