"""Fields of a record in an observation: one table gives layout, encoder, decoder and their docs.

A game lists its fields in the order of their codes. It brings the codes of its own (below CHOICE:
cards, moves) and their kernels; those of choices, seats and numbers, which any game has, are here.
Every value is a word of 8 bytes of the record; seats in an observation are relative to the
observer, who is seat 0.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from envs.core.jit import kernel
from envs.core.layout import Layout, Piece

CHOICE, SEAT, NUMBER, DIGITS = range(8, 12)
"""How a field is written: a choice or a seat one-hot; a small number as it is; a number as signed
digits to base 100, the lowest first."""
NUM_CODES = DIGITS + 1
ONE, OWN, EACH, ALL = range(4)
"""Which words of a field: it has one; the observer's; every seat's, from the observer on; all."""


class Field(NamedTuple):
    """A field of the record in the observation."""

    name: str  # of the piece, and of the field unless `source` says another
    code: int
    meaning: str
    whose: int = ONE
    low: int = 0  # the lowest value of a choice
    size: int = 0  # number of values of a choice, digits of a number
    source: str = ""


class Table(NamedTuple):
    """Every value of an observation with a number of seats, for the kernels."""

    words: np.ndarray  # [seats, V]: which 8-byte word of the record the observer reads
    places: np.ndarray  # [V, 3]: first place in the vector, lowest value, size
    groups: np.ndarray  # [13]: the first value of each code, and the number of values V


Shape = tuple[int, ...]


def count_values(field: Field, state: np.dtype[Any], seats: int) -> int:
    """How many words of the record are written."""
    whole = state[field.source or field.name].itemsize // 8
    return {EACH: seats, ALL: whole}.get(field.whose, 1)


def build_layout(
    fields: Sequence[Field], state: np.dtype[Any], seats: int, own: Callable[[Field], Shape]
) -> Layout:
    """The pieces of an observation; `own` gives the shape of a value of the game's own codes."""
    pieces = {}
    for field in fields:
        shape = {CHOICE: (field.size,), SEAT: (seats,), NUMBER: (1,), DIGITS: (field.size,)}.get(
            field.code
        ) or own(field)
        count = count_values(field, state, seats)
        if count > 1:
            shape = (count,) if shape == (1,) else (count, *shape)
        pieces[field.name] = Piece(shape, field.meaning)
    return Layout.of(**pieces)


def build_table(fields: Sequence[Field], state: np.dtype[Any], seats: int, layout: Layout) -> Table:
    """The table of the values of `layout`."""
    places: Any = state.fields
    words: list[list[int]] = [[] for _ in range(seats)]
    rows, codes = [], []
    for field in fields:
        start = layout[field.name].start
        first = places[field.source or field.name][1] // 8
        count = count_values(field, state, seats)
        width = math.prod(layout.pieces[field.name].shape) // count
        for k in range(count):
            for seat in range(seats):
                step = {EACH: (seat + k) % seats, OWN: seat}.get(field.whose, k)
                words[seat].append(first + step)
            rows.append((start + k * width, field.low, width))
            codes.append(field.code)
    return Table(np.array(words), np.array(rows), np.searchsorted(codes, range(NUM_CODES + 1)))


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
    while rest:  # most numbers are small
        out[at] = sign * (rest % 100)
        rest //= 100
        at += 1


@kernel(inline=True)
def read_digits(out: Any, at: int, num: int) -> int:
    """The inverse of `write_digits`."""
    value = 0
    for digit in range(num - 1, -1, -1):
        value = 100 * value + int(out[at + digit])
    return value


@kernel(inline=True)
def write_common(words: Any, table: Any, seat: int, out: Any) -> None:
    """Write choices, seats and numbers of a view of `seat`, given as its words; `out` is all 0."""
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
    for v in range(groups[DIGITS], places.shape[0]):
        write_digits(out, places[v, 0], words[source[v]])


@kernel(inline=True)
def read_common(out: Any, table: Any, words: Any) -> None:
    """The inverse of `write_common`; the observer is seat 0."""
    source, places, groups = table.words[0], table.places, table.groups
    for v in range(groups[CHOICE], groups[NUMBER]):
        words[source[v]] = read_one_hot(out, places[v, 0], places[v, 2]) + places[v, 1]
    for v in range(groups[NUMBER], groups[DIGITS]):
        words[source[v]] = out[places[v, 0]]
    for v in range(groups[DIGITS], places.shape[0]):
        words[source[v]] = read_digits(out, places[v, 0], places[v, 2])
