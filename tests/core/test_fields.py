"""Fields of a record in an observation: layout, writing, reading back."""

from typing import Any

import numpy as np

from envs.core.fields import (
    ALL,
    CHOICE,
    DIGITS,
    EACH,
    NUM_CODES,
    NUMBER,
    OWN,
    SEAT,
    Field,
    make_layout,
    make_table,
    read_words,
    write_words,
)
from envs.core.jit import kernel

STATE = np.dtype(
    [
        ("secret", np.int64),
        ("phase", np.int64),
        ("leader", np.int64),
        ("bets", np.int64, (4,)),
        ("gifts", np.int64, (4, 2)),
        ("teams", np.int64, (2,)),
        ("options", [("low", np.int64), ("high", np.int64, (2,))]),
    ]
)
CARDS = NUM_CODES
FIELDS = (
    Field("own_gifts", CARDS, "two sets of three cards", OWN, source="gifts"),
    Field("stage", CHOICE, "-1 to 2", low=-1, size=4, source="phase"),
    Field("leader", SEAT, "a seat, or nobody"),
    Field("bets", NUMBER, "by seat", EACH),
    Field("teams", DIGITS, "own team first", EACH, size=3),
    Field("options", DIGITS, "all of them", ALL, size=2),
)
SHAPES = {CARDS: (3,)}
LAYOUT_3, LAYOUT_4 = (make_layout(FIELDS, STATE, seats, SHAPES) for seats in (3, 4))
TABLE_3, TABLE_4 = (make_table(FIELDS, STATE, seats, SHAPES) for seats in (3, 4))


@kernel
def write_3(words: Any, seat: int, out: Any) -> None:
    write_words(words, TABLE_3, seat, out)


@kernel
def write_4(words: Any, seat: int, out: Any) -> None:
    write_words(words, TABLE_4, seat, out)


@kernel
def read_4(out: Any, words: Any) -> None:
    read_words(out, TABLE_4, words)


def record() -> Any:
    states = np.zeros(1, STATE)
    states[0] = (99, -1, 2, (5, 6, 7, 8), ((1, 2),) * 4, (12345, -60), (3, (4, -512)))
    return states


def pieces(seat: int, write: Any = write_4, layout: Any = LAYOUT_4) -> dict[str, list[Any]]:
    out = np.zeros(layout.size, np.int8)
    write(record().view(np.int64), seat, out)
    return {name: piece.tolist() for name, piece in layout.split(out).items()}


def test_shapes_follow_the_fields_and_the_number_of_seats() -> None:
    shapes = {name: piece.shape for name, piece in LAYOUT_4.pieces.items()}
    assert shapes == {
        "own_gifts": (2, 3),
        "stage": (4,),
        "leader": (4,),
        "bets": (4,),
        "teams": (2, 3),
        "options": (3, 2),
    }
    assert LAYOUT_3.pieces["bets"].shape == (3,)


def test_a_choice_is_one_hot_from_its_lowest_value() -> None:
    assert pieces(0)["stage"] == [1, 0, 0, 0]


def test_seats_and_rows_are_relative_to_the_observer() -> None:
    assert pieces(0)["leader"] == [0, 0, 1, 0]
    assert pieces(3)["leader"] == [0, 0, 0, 1]
    assert pieces(3)["bets"] == [8, 5, 6, 7]
    assert pieces(2, write_3, LAYOUT_3)["bets"] == [7, 5, 6]
    assert pieces(2, write_3, LAYOUT_3)["leader"] == [1, 0, 0]


def test_rows_of_teams_begin_with_the_observers() -> None:
    assert pieces(2)["teams"] == [[45, 23, 1], [-60, 0, 0]]
    assert pieces(1)["teams"] == [[-60, 0, 0], [45, 23, 1]]


def test_all_words_stand_as_they_are() -> None:
    assert pieces(1)["options"] == pieces(0)["options"] == [[3, 0], [4, 0], [-12, -5]]


def test_own_words_of_a_games_code_are_found_through_the_table() -> None:
    first = STATE.fields["gifts"][1] // 8  # type: ignore[index]
    place = slice(TABLE_4.groups[CARDS], TABLE_4.groups[CARDS + 1])
    for seat in range(4):
        assert TABLE_4.words[seat, place].tolist() == [first + 2 * seat, first + 2 * seat + 1]
    assert TABLE_4.places[place, 0].tolist() == [0, 3]


def test_words_are_read_back() -> None:
    out, words = np.zeros(LAYOUT_4.size, np.int8), np.zeros(STATE.itemsize // 8, np.int64)
    write_4(record().view(np.int64), 0, out)
    read_4(out, words)
    wanted = record()
    wanted["secret"], wanted["gifts"] = 0, 0
    assert np.array_equal(words, wanted.view(np.int64))
