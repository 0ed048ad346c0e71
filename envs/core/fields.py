"""Observations from a table: every field of a record that a seat may see, and how it is written.

A record is a row of 8-byte words. A `Field` names some of them and says how each value stands in
the vector; layout, encoder, decoder and documentation follow from the table of fields. Seats are
relative to the observer: 0 is the observer, 1 the next seat. A vector may have room for more seats
than are at the table: their places stay empty.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from envs.core.bits import lowest
from envs.core.jit import kernel
from envs.core.layout import Piece

BITS, CHOICE, SEAT, NUMBER, DIGITS = range(5)
"""How a value is written: a set as one place an element; a choice or a seat one-hot; a small
number as it is; a number as signed digits to base 100, the lowest first."""
ONE, OWN, EACH = range(3)
"""Which words of a field: `num` from its first on; the observer's; every seat's, from the observer
on."""


class Field(NamedTuple):
    """A field of the record in the observation."""

    name: str  # of the piece, and of the field unless `source` says another
    code: int  # negative for a code of the game's own, which takes `size` places
    meaning: str
    whose: int = ONE
    low: int = 0  # the lowest value of a choice
    size: int = 0  # elements of a set, values of a choice, digits of a number
    source: str = ""  # a field within another one as `outer.inner`
    num: int = 1  # words, if the field is not one of seats


class Table(NamedTuple):
    """Every value of an observation, for the kernels: [S + 1, …] by the seats at the table."""

    words: np.ndarray  # [S + 1, S, V]: the word that each observer reads
    places: np.ndarray  # [S + 1, V, 3]: first place in the vector, lowest value, places it takes
    groups: np.ndarray  # [S + 1, 6]: the first value of each code, and the number of values


def count_values(field: Field, seats: int) -> int:
    """How many words of the record are written."""
    return {EACH: seats, OWN: 1}.get(field.whose, field.num)


def width_of(field: Field, seats: int) -> int:
    """Places that one value takes."""
    return {SEAT: seats, NUMBER: 1}.get(field.code, field.size)


def pieces_of(fields: Sequence[Field], seats: int) -> dict[str, Piece]:
    """The pieces of a vector with room for `seats`, in the order of the fields."""
    pieces = {}
    for field in fields:
        count, width = count_values(field, seats), width_of(field, seats)
        shape = (width,) if count == 1 else (count,) if width == 1 else (count, width)
        pieces[field.name] = Piece(shape, field.meaning)
    return pieces


def word_of(state: Any, path: str) -> int:
    """The first word of a field, or of a field within a field as `outer.inner`."""
    place = 0
    for name in path.split("."):
        state, offset = state.fields[name][:2]
        place += offset
    return int(place // 8)


def build_table(fields: Sequence[Field], state: Any, seats: int) -> Table:
    """The table of `fields`, which are in order of their codes, for records of dtype `state`."""
    most = sum(count_values(field, seats) for field in fields)
    words = np.zeros((seats + 1, seats, most), np.int64)
    places = np.zeros((seats + 1, most, 3), np.int64)
    groups = np.zeros((seats + 1, DIGITS + 2), np.int64)
    for num in range(seats + 1):
        codes: list[int] = []
        start = 0
        for field in fields:
            first, width = word_of(state, field.source or field.name), width_of(field, seats)
            for k in range(count_values(field, seats)):
                if field.whose != EACH or k < num:
                    observers = np.arange(seats)
                    step = {EACH: (observers + k) % max(num, 1), OWN: observers}
                    words[num, :, len(codes)] = first + step.get(field.whose, k)
                    places[num, len(codes)] = start, field.low, width
                    codes.append(field.code)
                start += width
        groups[num] = np.searchsorted(codes, range(DIGITS + 2))
    return Table(words, places, groups)


@kernel
def read_one_hot(out: Any, at: int, size: int) -> int:
    """Place of the one, or -1."""
    for value in range(size):
        if out[at + value]:
            return value
    return -1


@kernel(inline=True)
def write_bits(out: Any, at: int, bits: int) -> None:
    """Write a set as one place an element."""
    while bits:
        out[at + lowest(bits)] = 1
        bits &= bits - 1


@kernel(inline=True)
def read_bits(out: Any, at: int, size: int) -> int:
    """The inverse of `write_bits`."""
    bits = 0
    for element in range(size):
        bits |= int(out[at + element]) << element
    return bits


@kernel(inline=True)
def write_digits(out: Any, at: int, value: int) -> None:
    """Write a number below 2**32 as signed digits to base 100, the lowest first, over zeros."""
    sign, rest = (-1 if value < 0 else 1), abs(value)
    while rest:
        hundreds = (rest * 1374389535) >> 37  # rest // 100, and several times faster
        out[at] = sign * (rest - 100 * hundreds)
        rest = hundreds
        at += 1


@kernel(inline=True)
def read_digits(out: Any, at: int, size: int) -> int:
    """The inverse of `write_digits`."""
    value = 0
    for digit in range(size - 1, -1, -1):
        value = 100 * value + int(out[at + digit])
    return value


@kernel(inline=True)
def write_fields(words: Any, table: Any, num_seats: int, seat: int, out: Any) -> None:
    """Write what `seat` sees of a record, given as its words, into `out`, which is all 0.

    num_seats: seats at the table. Values of a game's own codes are left to the game.
    """
    source, places = table.words[num_seats, seat], table.places[num_seats]
    groups = table.groups[num_seats]
    for v in range(groups[BITS], groups[CHOICE]):
        write_bits(out, places[v, 0], words[source[v]])
    for v in range(groups[CHOICE], groups[SEAT]):
        value = words[source[v]] - places[v, 1]
        if value >= 0:
            out[places[v, 0] + value] = 1
    for v in range(groups[SEAT], groups[NUMBER]):
        value = words[source[v]] - seat
        if words[source[v]] >= 0:
            out[places[v, 0] + (value if value >= 0 else value + num_seats)] = 1
    for v in range(groups[NUMBER], groups[DIGITS]):
        out[places[v, 0]] = words[source[v]]
    for v in range(groups[DIGITS], groups[DIGITS + 1]):
        write_digits(out, places[v, 0], words[source[v]])


@kernel(inline=True)
def read_fields(out: Any, table: Any, words: Any) -> None:
    """Fill the words of a view from an observation; the observer is seat 0."""
    num_seats = table.words.shape[1]  # places of seats that do not exist read as nothing
    source, places = table.words[num_seats, 0], table.places[num_seats]
    groups = table.groups[num_seats]
    for v in range(groups[BITS], groups[CHOICE]):
        words[source[v]] = read_bits(out, places[v, 0], places[v, 2])
    for v in range(groups[CHOICE], groups[NUMBER]):
        words[source[v]] = read_one_hot(out, places[v, 0], places[v, 2]) + places[v, 1]
    for v in range(groups[NUMBER], groups[DIGITS]):
        words[source[v]] = out[places[v, 0]]
    for v in range(groups[DIGITS], groups[DIGITS + 1]):
        words[source[v]] = read_digits(out, places[v, 0], places[v, 2])
