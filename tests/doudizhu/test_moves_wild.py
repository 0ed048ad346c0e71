"""Sections 13 and 14 of the rules with wild cards: how many moves, paths, notation."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from envs.core.errors import CardError
from envs.doudizhu import GAME
from envs.doudizhu.cards import RANK_CHARS, format_cards, parse_cards
from envs.doudizhu.moves import move_of_path, parse_move
from tests.cases.doudizhu import combinations, path_of
from tests.doudizhu.positions import (
    Table,
    all_moves,
    game_of,
    masks_up_to,
    num_plays,
    whole_pack,
)

ROCKET = parse_cards("BR")
DONE = "no more wild cards in the body"
COUNTS = {
    "3": (2_135_876, 1_604_327),
    "A": (2_135_876, 1_604_327),
    "2": (2_395_505, 1_806_584),
    "8": (1_266_172, 1_018_761),
    "9": (1_266_172, 1_018_761),
}
"""Wild rank: moves and card sets (RULES 13)."""


def holding(hand: str, wild: str = "3", **options: Any) -> Table:
    """A landlord to lead with this hand and a joker more, so that no play is its last."""
    return game_of(f"{hand}R 4 4", wild_rank=wild, **options)


def words_of(table: Table, play: str) -> list[str]:
    """The actions of a play in words, after the declaration, each legal in its turn."""
    names = []
    for action in GAME.parse_play(table.s, play):
        names.append(GAME.format_action(table.s, action))
        assert table.mask[action]
        GAME.apply(table.states, np.array([action]))
    assert table.s.pending == 0
    return names[1:]


def next_words(table: Table, play: str, num: int) -> set[str]:
    """What may follow the first `num` actions of a play."""
    for action in GAME.parse_play(table.s, play)[:num]:
        assert table.mask[action]
        GAME.apply(table.states, np.array([action]))
    return {GAME.format_action(table.s, int(a)) for a in np.flatnonzero(table.mask)}


def wild_as(ranks: str) -> set[str]:
    return {f"wild card as {rank}" for rank in ranks}


@pytest.mark.parametrize("wild", COUNTS)
def test_13_counts(wild: str) -> None:
    assert num_plays(whole_pack(wild_rank=wild), 20) == COUNTS[wild][0]


@pytest.mark.slow
@pytest.mark.parametrize("wild", COUNTS)
def test_13_counts_by_enumeration(wild: str) -> None:
    moves = all_moves(wild_rank=wild)
    num_moves, num_card_sets = COUNTS[wild]
    assert len(moves) == len(set(moves)) == num_moves
    assert len({move.cards for move in moves}) == num_card_sets


def test_14_1_declarations_in_use() -> None:
    """No wild rank has a soft bomb of its own, but two between them have all thirteen."""
    masks = [masks_up_to(20, whole_pack(wild_rank=wild))[0] for wild in "38"]
    assert np.any(masks, axis=0).sum() == 321


@pytest.mark.parametrize(
    ("play", "expected"),
    [
        ("[4]5678", ["wild card as 4", DONE]),
        ("45678", [DONE]),
        ("4[5]678", ["wild card as 5", DONE]),
        ("5[5]6[6]77", ["wild card as 5", "wild card as 6", DONE]),
        ("66[66]", ["wild card as 6", "wild card as 6", DONE]),
        ("55[5]66[6]+34", ["wild card as 5", "wild card as 6", DONE, "kicker 3", "kicker 4"]),
        ("[4]", ["wild card as 4", DONE]),
        ("4", [DONE]),
    ],
)
def test_14_2_wild_cards_of_the_body_in_order_of_rank_then_kickers(
    play: str, expected: list[str]
) -> None:
    assert words_of(holding("33345566778"), play) == expected


@pytest.mark.parametrize(
    ("hand", "play", "expected"),
    [
        ("34444", "4444", []),
        ("3B", "B", []),
        ("33", "33", []),
        ("33344", "333+44", ["kicker 44"]),
        ("333344", "3333+44", ["kicker 4", "kicker 4"]),
        ("45678", "45678", []),
        ("555444967", "444555+67", ["kicker 6", "kicker 7"]),
    ],
    ids=["natural bomb", "joker", "own rank", "own rank with a pair", "own rank with two cards",
         "no wild card in the hand", "no wild card, with kickers"],
)  # fmt: skip
def test_14_2_nothing_is_asked_where_no_wild_card_can_stand(
    hand: str, play: str, expected: list[str]
) -> None:
    assert words_of(holding(hand), play) == expected


def test_14_2_the_rocket_asks_nothing() -> None:
    assert words_of(holding("3B"), "BR") == []


def test_14_2_naturals_are_used_for_the_rest_of_the_body() -> None:
    table = holding("3345678")
    words_of(table, "4[5]678")
    assert table.hands[0] == "35R"
    table = holding("3345678")
    words_of(table, "34567")  # a wild card as itself
    assert table.hands[0] == "38R"


@pytest.mark.parametrize(
    ("hand", "wild", "play", "expected"),
    [
        ("444533", "3", "444+33", [DONE, "kicker 33"]),
        ("44453", "3", "444+35", [DONE, "kicker 5 with a wild card"]),
        ("4445556677", "3", "444555+6677", ["kicker 66", "kicker 77"]),
        ("4445557799", "9", "444555+7799", [DONE, "kicker 77", "kicker 99"]),
        ("4445556733", "3", "444555+3367",
         [DONE, "kicker 6 with a wild card", "kicker 7 with a wild card"]),
        ("444555666733", "3", "444555+3666", [DONE, "kicker 66", "kicker 6 with a wild card"]),
        ("4445556673", "3", "444555+3667", [DONE, "kicker 66", "kicker 7 with a wild card"]),
        ("4445556773", "3", "444555+3677", [DONE, "kicker 6 with a wild card", "kicker 77"]),
    ],
)  # fmt: skip
def test_14_3_pairs_of_kickers(hand: str, wild: str, play: str, expected: list[str]) -> None:
    assert words_of(holding(hand, wild), play) == expected


def test_14_3_no_rank_is_paired_with_a_wild_card_twice() -> None:
    """Two sevens and two wild nines are KICK 7, KICK 9."""
    assert next_words(holding("4445557799", "9"), "444555+7799", 2) == {"kicker 77"}


def test_14_3_pairs_come_in_order_of_their_keys() -> None:
    hand, play = "444555778899", "444555+7788"
    seven, eight = "kicker 7 with a wild card", "kicker 8 with a wild card"
    assert next_words(holding(hand, "9"), play, 2) == {"kicker 77", seven, "kicker 88"}
    assert next_words(holding(hand, "9"), play, 3) == {"kicker 88", eight, "kicker 99"}
    assert next_words(holding(hand, "9"), "444555+7899", 3) == {"kicker 88", eight}
    assert next_words(holding(hand, "9"), "444555+8899", 3) == {"kicker 99"}


@pytest.mark.parametrize(
    ("hand", "play", "num", "allowed"),
    [
        ("35678", "[4]5678", 1, wild_as("4")),
        ("35678", "[4]5678", 2, {DONE}),
        ("345678", "45678", 1, wild_as("45678") | {DONE}),
        ("3345678", "4[5]678", 2, wild_as("678") | {DONE}),
        ("345678", "4[5]678", 2, {DONE}),
        ("334567", "34567", 1, wild_as("4567") | {DONE}),  # never as the wild rank
        ("33355", "55[5]", 1, wild_as("5")),
        ("33355", "5[55]", 2, wild_as("5") | {DONE}),
        ("33555", "55[55]", 2, wild_as("5") | {DONE}),
        ("33555", "55[55]", 1, wild_as("5")),  # without a wild card it would be no soft bomb
        ("3444", "444+3", 1, wild_as("4") | {DONE}),
    ],
)
def test_14_4_what_may_stand_in_the_body_next(
    hand: str, play: str, num: int, allowed: set[str]
) -> None:
    assert next_words(holding(hand), play, num) == allowed


def test_14_4_a_wild_card_that_is_needed_as_a_kicker_is_none_of_the_body() -> None:
    table = game_of("3444 5 5", wild_rank="3")
    assert next_words(table, "444+3", 1) == {DONE}


def test_14_5_at_most_eleven_actions_a_move() -> None:
    hand = "3333" + "44455566778" + "9TJQ"
    path = GAME.parse_play(holding(hand).s, "44455566[6]77[7]8[88]+9TJQR")
    assert len(path) == 1 + 4 + 1 + 5
    assert len(words_of(holding(hand), "44455566[6]77[7]8[88]+9TJQR")) == 10


@pytest.mark.parametrize(
    ("hand", "wild"),
    [("33345567", "3"), ("33334456B", "3"), ("4445556993", "9"), ("22AAKKQB", "2")],
)
def test_14_2_every_play_has_exactly_one_path(hand: str, wild: str) -> None:
    table = game_of(f"{hand} 4 4", wild_rank=wild)
    moves, paths = combinations(table.states), GAME.plays(table.s)
    assert len(set(moves)) == len(moves) == len(paths) == num_plays(table.states)
    assert {path_of(table.s, move) for move in moves} == set(paths)
    assert {move_of_path(path, ROCKET, int(table.s.wild)) for path in paths} == set(moves)
    texts = [str(move) for move in moves]
    assert len(set(texts)) == len(moves)
    assert [parse_move(text, ROCKET, int(table.s.wild)) for text in texts] == moves


def test_plays_are_counted_as_they_are_listed_at_every_step() -> None:
    table = game_of("33345567 4 4", wild_rank="3")
    following: dict[tuple[int, ...], Counter[int]] = {}
    for path in GAME.plays(table.s):
        for num, action in enumerate(path):
            following.setdefault(path[:num], Counter())[action] += 1
    for begun, expected in following.items():
        states = table.states.copy()
        for action in begun:
            GAME.apply(states, np.array([action]))
        masks = GAME.masks(states)
        counts = np.empty(masks.shape, np.int64)
        GAME.count_plays(states, masks, counts)
        assert {action: num for action, num in enumerate(counts[0].tolist()) if num} == expected


@pytest.mark.parametrize(
    ("text", "wild", "reading", "cards"),
    [
        ("[4]5678", "3", ("straight", "4", 5), "35678"),
        ("5678[9]", "3", ("straight", "5", 5), "35678"),
        ("34567", "3", ("straight", "3", 5), "34567"),
        ("44[4]+5", "3", ("trio_solo", "4", 1), "3445"),
        ("444+35", "3", ("trio_pair", "4", 1), "34445"),
        ("444+33", "3", ("trio_pair", "4", 1), "33444"),
        ("5[555]", "3", ("soft_bomb", "5", 4), "3335"),
        ("[5555]", "3", ("soft_bomb", "5", 4), "3333"),
        ("3333", "3", ("bomb", "3", 4), "3333"),
        ("5555", "3", ("bomb", "5", 4), "5555"),
        ("33", "3", ("pair", "3", 1), "33"),
        ("[44]", "3", ("pair", "4", 1), "33"),
        ("4[4]", "9", ("pair", "4", 1), "49"),
        ("33445[5]", "9", ("train", "3", 3), "334459"),
        ("444[4]+99", "9", ("four_two_solo", "4", 1), "444999"),
        ("[3]33444+9T", "9", ("plane_solo", "3", 2), "3344499T"),
        ("BR", "3", ("rocket", "R", 1), "BR"),
    ],
)
def test_notation(text: str, wild: str, reading: tuple[str, str, int], cards: str) -> None:
    move = parse_move(text, ROCKET, RANK_CHARS.index(wild))
    assert (move.kind, move.main, move.length) == reading
    assert format_cards(move.cards) == cards
    ordered = {"[3]33444+9T": "33[3]444+9T"}
    assert str(move) == ordered.get(text, text)


@pytest.mark.parametrize(
    "text",
    ["[3]", "3[3]", "[3]4567", "[B]", "[BR]", "B[R]", "[4", "4]", "44[5]", "[4]+5",
     "444+3B", "444[4]4", "55[5]+5", "555+56", "[4]5679", "44[4]+56",
     "[[4]]", "444+[5]5", "444+[55]", "[4]567[8", "4[]44"],
)  # fmt: skip
def test_what_is_no_play_with_wild_cards_is_refused_by_name(text: str) -> None:
    s = game_of("3 3 3", wild_rank="3").s
    with pytest.raises(CardError, match=re.escape(repr(text))):
        GAME.parse_play(s, text)


@pytest.mark.parametrize("text", ["[4]5678", "444+35", "[4]", "44[44]"])
def test_without_wild_cards_nothing_stands_for_another_rank(text: str) -> None:
    s = game_of("3 3 3").s
    with pytest.raises(CardError, match=re.escape(repr(text))):
        GAME.parse_play(s, text)
