"""Options: words read by the type of the option, and what is refused."""

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from envs.core.errors import RulesError
from envs.core.rules import (
    check_types,
    holds_list,
    list_item,
    make_rules,
    need_defaults,
    parse_value,
)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "-3", -3),
        (float, "3", 3),
        (float, "0.25", 0.25),
        (bool, "true", True),
        (str, "true", "true"),  # what a word means depends on the option
        (str, "17", "17"),
        (int | None, "none", None),
        (float | None, "2.5", 2.5),
        (Literal["off", "on"], "off", "off"),
        (Literal[1, 2], "2", 2),
        (tuple[int, int], "3,-4", (3, -4)),
    ],
)
def test_words_are_read_by_the_type_of_the_option(kind: Any, text: str, value: Any) -> None:
    found = parse_value("option", kind, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (int, "2.5", "a whole number"),
        (int, "two", "a whole number"),
        (int, "true", "a whole number"),
        (float, "much", "a number"),
        (bool, "1", "true or false"),
        (Literal["off", "on"], "of", "one of 'off', 'on'"),
        (tuple[int, int], "1,2,3", "a whole number and a whole number"),
    ],
)
def test_a_word_that_the_type_cannot_take_is_refused(kind: Any, text: str, expected: str) -> None:
    with pytest.raises(RulesError, match=f"^option must be {expected}, got '{text}'$"):
        parse_value("option", kind, text)


@pytest.mark.parametrize(
    ("kind", "item"),
    [(list[int], int), (list[str] | None, str), (list[Literal[1, 2]], Literal[1, 2])],
)
def test_item_of_a_list(kind: Any, item: Any) -> None:
    assert holds_list(kind)
    assert list_item(kind) == item


@pytest.mark.parametrize("kind", [int, str, int | None, tuple[int, int], Literal["off"]])
def test_what_is_no_list(kind: Any) -> None:
    assert not holds_list(kind)


@dataclass(frozen=True, kw_only=True)
class Options:
    """Some."""

    sizes: list[int] = field(default_factory=list)
    start: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        check_types(self)


def test_files_hold_a_tuple_as_a_list() -> None:
    assert make_rules(Options, {"sizes": [1, 2], "start": [3, 4]}) == Options(
        sizes=[1, 2], start=(3, 4)
    )


def test_every_item_of_a_list_is_checked() -> None:
    with pytest.raises(RulesError, match=r"sizes must be a list, each a whole number, got \[1, 2."):
        Options(sizes=[1, 2.5])  # type: ignore[list-item]  # on purpose


def test_options_without_a_meaning_must_have_their_defaults() -> None:
    need_defaults(Options(), "no reason", "sizes", "start")
    need_defaults(Options(sizes=[1]), "no reason", "start")
    with pytest.raises(RulesError, match=r"^start=\(0, 1\) has no meaning: nobody starts$"):
        need_defaults(Options(start=(0, 1)), "nobody starts", "sizes", "start")


def test_a_default_may_be_made_anew_each_time() -> None:
    need_defaults(Options(sizes=[]), "no reason", "sizes")
    with pytest.raises(RulesError, match=r"^sizes=\[1\] has no meaning: one size only$"):
        need_defaults(Options(sizes=[1]), "one size only", "start", "sizes")
