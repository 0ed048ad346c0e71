"""Observations from a table of fields: layout, encoder and decoder of a game's record.

A game lists what stands in an observation as `Field`s of its record, all of whose words are int64.
How cards are written is the game's own affair: its codes begin at `NUM_CODES`, and its kernels
write and read the words of theirs (`Table.groups` says where they are) beside `write_words` and
`read_words`, which know the codes that all games share. Seats are relative to the observer: 0 is
the observer, 1 the next seat.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from envs.core.jit import kernel
from envs.core.layout import Layout, Piece

CHOICE, SEAT, NUMBER, DIGITS, NUM_CODES = range(5)
"""How a word is written: a choice or a seat one-hot; a small number as it is; a number as signed
digits to base 100, the lowest first."""
ONE, OWN, EACH, ALL = range(4)
"""Which words of a field: it has one; the observer's; every seat's or team's, from the observer's
on; all."""


class Field(NamedTuple):
    """A field of the record in the observation."""

    name: str  # of the piece, and of the field unless `source` says another
    code: int
    meaning: str
    whose: int = ONE
    low: int = 0  # the lowest value of a choice
    size: int = 0  # values of a choice, digits of a number
    source: str = ""


class Table(NamedTuple):
    """Every word of an observation with a number of seats, for the kernels."""

    words: np.ndarray  # [seats, V]: which 8-byte word of the record the observer reads
    places: np.ndarray  # [V, 3]: first place in the vector, lowest value, size
    groups: np.ndarray  # [codes + 1]: the first value of each code, and the number of values V


def _rows(field: Field, state: np.dtype[Any], seats: int) -> list[list[int]]:
    """For each observer, the words of the record that a field writes, in order."""
    places: Any = state.fields
    kind, offset = places[field.source or field.name][:2]
    first = offset // 8
    if field.whose in (ONE, ALL):
        num = 1 if field.whose == ONE else kind.itemsize // 8
        return [list(range(first, first + num))] * seats
    num_rows = min(kind.shape[0], seats)
    width = kind.itemsize // 8 // kind.shape[0]
    picked = num_rows if field.whose == EACH else 1
    return [
        [first + (seat + k) % num_rows * width + i for k in range(picked) for i in range(width)]
        for seat in range(seats)
    ]


Shapes = Mapping[int, tuple[int, ...]]
"""Shape of one word of each of a game's own codes."""


def _shape(field: Field, seats: int, shapes: Shapes) -> tuple[int, ...]:
    """Shape of one word."""
    common = {CHOICE: (field.size,), SEAT: (seats,), NUMBER: (1,), DIGITS: (field.size,)}
    return common[field.code] if field.code in common else shapes[field.code]


def make_layout(
    fields: Sequence[Field], state: np.dtype[Any], seats: int, shapes: Shapes
) -> Layout:
    """The pieces of an observation, in the order of the fields."""
    pieces = {}
    for field in fields:
        shape, num = _shape(field, seats, shapes), len(_rows(field, state, seats)[0])
        if num > 1:
            shape = (num,) if shape == (1,) else (num, *shape)
        pieces[field.name] = Piece(shape, field.meaning)
    return Layout(pieces)


def make_table(fields: Sequence[Field], state: np.dtype[Any], seats: int, shapes: Shapes) -> Table:
    """The table for the kernels: words of one code lie together."""
    layout = make_layout(fields, state, seats, shapes)
    words: list[list[int]] = [[] for _ in range(seats)]
    places, codes = [], []
    for field in sorted(fields, key=lambda field: field.code):
        size = math.prod(_shape(field, seats, shapes))
        rows = _rows(field, state, seats)
        for seat, row in enumerate(rows):
            words[seat] += row
        start = layout[field.name].start
        for k in range(len(rows[0])):
            places.append((start + k * size, field.low, size))
            codes.append(field.code)
    groups = np.searchsorted(codes, range(NUM_CODES + len(shapes) + 1))
    return Table(np.array(words), np.array(places), groups)


@kernel
def read_one_hot(out: Any, at: int, size: int) -> int:
    """Place of the one, or -1."""
    for value in range(size):
        if out[at + value]:
            return value
    return -1


@kernel(inline=True)
def write_digits(out: Any, at: int, value: int) -> None:
    """Write a number as signed digits to base 100, the lowest first, over zeros."""
    sign, rest = (-1 if value < 0 else 1), abs(value)
    while rest:  # few numbers are large
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
def write_words(words: Any, table: Any, seat: int, out: Any) -> None:
    """Write the words of the common codes of a view of `seat` into `out`, which is all 0."""
    source, places, groups = table.words[seat], table.places, table.groups
    seats = table.words.shape[0]
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
def read_words(out: Any, table: Any, words: Any) -> None:
    """Fill the words of the common codes of a view; the observer is seat 0."""
    source, places, groups = table.words[0], table.places, table.groups
    for v in range(groups[CHOICE], groups[NUMBER]):
        words[source[v]] = read_one_hot(out, places[v, 0], places[v, 2]) + places[v, 1]
    for v in range(groups[NUMBER], groups[DIGITS]):
        words[source[v]] = out[places[v, 0]]
    for v in range(groups[DIGITS], groups[NUM_CODES]):
        words[source[v]] = read_digits(out, places[v, 0], places[v, 2])
