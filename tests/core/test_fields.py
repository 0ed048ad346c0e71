"""Observations from a table of fields: written, read back, seats relative to the observer."""

from typing import Any

import numpy as np
import pytest

from envs.core.fields import (
    BITS,
    CHOICE,
    DIGITS,
    EACH,
    NUMBER,
    OWN,
    SEAT,
    Field,
    build_table,
    pieces_of,
    read_fields,
    word_of,
    write_fields,
)
from envs.core.jit import kernel
from envs.core.layout import Layout

SEATS = 4
INNER = np.dtype([("first", np.int64), ("second", np.int64)])
STATE = np.dtype(
    [
        ("turn", np.int64),
        ("hands", np.int64, (SEATS,)),
        ("calls", np.int64, (SEATS,)),
        ("chips", np.int64, (SEATS,)),
        ("rules", INNER),
        ("piles", np.int64, (2,)),
    ]
)
FIELDS = (
    Field("hand", BITS, "own cards", OWN, size=6, source="hands"),
    Field("piles", BITS, "cards of two piles", size=6, num=2),
    Field("calls", CHOICE, "none, pass, 1, 2, by seat", EACH, -1, 4),
    Field("turn", SEAT, "who acts"),
    Field("second", NUMBER, "an option", source="rules.second"),
    Field("chips", DIGITS, "chips, by seat", EACH, size=3),
)
LAYOUT = Layout(pieces_of(FIELDS, SEATS))
TABLE = build_table(FIELDS, STATE, SEATS)


@kernel
def write(words: Any, num_seats: int, seat: int, out: Any) -> None:
    write_fields(words, TABLE, num_seats, seat, out)


@kernel
def read(out: Any, words: Any) -> None:
    read_fields(out, TABLE, words)


@pytest.fixture
def state():
    """Three of four seats are taken."""
    states = np.zeros(1, STATE)
    states["turn"] = 2
    states["hands"] = [[0b1, 0b110, 0b100001, 0]]
    states["calls"] = [[-1, 2, 0, -1]]
    states["chips"] = [[10_203, -405, 7, 0]]
    states["rules"] = (5, -3)
    states["piles"] = [[0b11, 0]]
    return states


def look(states, seat):
    out = np.zeros(LAYOUT.size, np.int8)
    write(states.view(np.int64), 3, seat, out)
    return out


def test_values_stand_as_their_codes_say(state):
    pieces = LAYOUT.split(look(state, 1))
    assert pieces["hand"].tolist() == [0, 1, 1, 0, 0, 0]
    assert pieces["piles"].tolist() == [[1, 1, 0, 0, 0, 0], [0] * 6]
    assert pieces["second"].tolist() == [-3]


def test_seats_are_relative_and_those_that_do_not_exist_empty(state):
    pieces = LAYOUT.split(look(state, 1))
    assert pieces["turn"].tolist() == [0, 1, 0, 0]
    assert pieces["calls"].tolist() == [[0, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 0], [0] * 4]
    assert pieces["chips"].tolist() == [[-5, -4, 0], [7, 0, 0], [3, 2, 1], [0, 0, 0]]


def test_what_is_read_looks_the_same_from_seat_0(state):
    for seat in range(3):
        seen, view = look(state, seat), np.zeros(1, STATE)
        read(seen, view.view(np.int64))
        assert view["turn"] == (2 - seat) % 3
        assert view["chips"][0, :3].tolist() == np.roll(state["chips"][0, :3], -seat).tolist()
        assert np.array_equal(look(view, 0), seen)


def test_nobody_acts(state):
    state["turn"] = -1
    seen, view = look(state, 2), np.zeros(1, STATE)
    assert not LAYOUT.split(seen)["turn"].any()
    read(seen, view.view(np.int64))
    assert view["turn"] == -1


def test_fields_are_found_within_fields():
    assert [word_of(STATE, path) for path in ("turn", "chips", "rules.first", "rules.second")] == [
        0, 9, 13, 14,
    ]  # fmt: skip


@pytest.mark.parametrize("value", [0, 1, 99, 100, 9_999, 10_000, 999_999, -999_999])
def test_numbers_survive(state, value):
    state["chips"][0, 0] = value
    view = np.zeros(1, STATE)
    read(look(state, 0), view.view(np.int64))
    assert view["chips"][0, 0] == value
