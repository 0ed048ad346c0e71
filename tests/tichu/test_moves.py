"""Section 12 of the rules: action ids, notation, the choices within a play."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.errors import CardError
from envs.tichu import GAME
from envs.tichu.cards import parse_cards
from envs.tichu.moves import (
    FIRST,
    KIND,
    KINDS,
    MOVES,
    NUM_ACTIONS,
    RANK,
    SIZE,
    parse_move,
)
from tests.tichu.positions import dealt, position

BLOCKS = {
    "no": 0, "call": 1, "dog": 2, "single": 3, "pair": 19, "triple": 32, "stairs": 45,
    "fullhouse": 102, "straight": 258, "quad": 313, "sflush": 326, "rank": 371, "card": 384,
    "gift": 440,
}  # fmt: skip


def test_12_2_the_ids() -> None:
    assert NUM_ACTIONS == GAME.num_actions == 442
    assert dict(zip(KINDS, FIRST.tolist(), strict=True)) == BLOCKS
    assert len({tuple(row) for row in MOVES.tolist()}) == 442
    assert (MOVES["kind"][1:] >= MOVES["kind"][:-1]).all()


def test_12_1_the_number_of_combinations() -> None:
    counts = Counter(KINDS[kind] for kind in KIND)
    wanted = {"dog": 1, "single": 16, "pair": 13, "triple": 13, "stairs": 57, "fullhouse": 156}
    wanted |= {"straight": 55, "quad": 13, "sflush": 45}
    assert {name: counts[name] for name in wanted} == wanted
    assert sum(wanted.values()) == 369


def test_12_2_runs_are_in_the_order_of_length_then_top() -> None:
    for kind in ("stairs", "straight", "sflush"):
        rows = np.flatnonzero(KINDS.index(kind) == KIND)
        keys = list(zip(SIZE[rows].tolist(), RANK[rows].tolist(), strict=True))
        assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("text", "kind", "slot"),
    [
        ("8g", "single", 0),
        ("PH", "single", 0),
        ("8g PH", "pair", 8),
        ("8g 8k PH", "triple", 8),
        ("8g 8k 9b PH", "stairs", 9),
        ("5g 5k PH 9g 9r", "fullhouse", 5),
        ("9g 9r 5g 5k PH", None, 0),
        ("9g 9r PH 5g 5k", "fullhouse", 9),
        ("9g 9r 9k 5k PH", None, 0),
        ("9g 9k 9r 5k PH", "fullhouse", 5),
        ("5g 6k PH 8b 9r", "straight", 7),
        ("PH 6k 7g 8b 9r", "straight", 5),
        ("MJ PH 3k 4b 5r", "straight", 2),
        ("3g 4g 5g 6g 7g", "sflush", 0),
        ("8k 8g", None, 0),
        ("8g 8g", None, 0),
        ("8g XX", None, 0),
        ("", None, 0),
    ],
)
def test_12_2_notation(text: str, kind: str | None, slot: int) -> None:
    if kind is None:
        with pytest.raises(CardError, match="is no combination"):
            parse_move(text)
        return
    move = parse_move(text)
    assert (move.kind, move.slot, str(move)) == (kind, slot, text)


def test_12_2_the_slot_is_asked_only_if_there_is_a_choice() -> None:
    table = position("8g 8k PH", "2g", "3g", "4g")
    as_eight, cards = 371 + 6, (384 + 24, 384 + 25)  # 8g, 8k
    paths = {path[1:] for path in GAME.plays(table.s) if path[0] == 19 + 6}
    assert paths == {(0,), (as_eight, cards[0]), (as_eight, cards[1])}
    forced = position("8g PH", "2g", "3g", "4g")
    assert all(len(path) == 1 for path in GAME.plays(forced.s))


def test_12_2_a_straight_flush_in_two_suits_is_one_choice() -> None:
    table = position("3g 4g 5g 6g 7g 3r 4r 5r 6r 7r", "2g", "3k", "4k", suit_choice="relevant")
    paths = [path for path in GAME.plays(table.s) if KINDS[KIND[path[0]]] == "sflush"]
    assert sorted(len(path) for path in paths) == [2, 2]
    assert {"3g 4g 5g 6g 7g", "3r 4r 5r 6r 7r"} <= table.legal()


def test_12_2_no_path_of_a_straight_ends_in_one_suit() -> None:
    table = position("3g 4g 5g 6g 7g 5r", "2g", "3k", "4k")
    straights = [path for path in GAME.plays(table.s) if KINDS[KIND[path[0]]] == "straight"]
    assert len(straights) == 1
    table = position("3g 4g 5g 6g 7g 5r 7r", "2g", "3k", "4k")
    texts = {text for text in table.legal() if len(text.split()) == 5}
    assert texts == {
        "3g 4g 5g 6g 7g", "3g 4g 5r 6g 7g", "3g 4g 5g 6g 7r", "3g 4g 5r 6g 7r",
    }  # fmt: skip


def test_12_3_only_ranks_with_a_card_in_a_straight_flush_are_asked() -> None:
    table = position("3g 4g 5g 6g 7g 5r 5b 9k 9r", "2g", "3k", "4k", suit_choice="relevant")
    singles = [path for path in GAME.plays(table.s) if KINDS[KIND[path[0]]] == "single"]
    assert Counter(path[0] for path in singles) == {5: 1, 6: 1, 7: 2, 8: 1, 9: 1, 11: 1}
    table.s.hands[0] |= parse_cards("5k")
    pairs = [path for path in GAME.plays(table.s) if path[0] == 19 + 3]
    own, others = 384 + 4 * 3, 384 + 4 * 3 + 1  # 5g, and 5k in place of 5k 5b 5r
    assert sorted(path[1:] for path in pairs) == [(own,), (others,)]
    triples = [path for path in GAME.plays(table.s) if path[0] == 32 + 3]
    assert sorted(path[1:] for path in triples) == [(own,), (others,)]


@pytest.mark.parametrize("pick", ["random", "lowest"])
def test_12_3_which_card_of_a_class_is_played(pick: str) -> None:
    counts = Counter[str]()
    for seed in range(600):
        table = position(
            "3g 3k 3r 9k", "2g", "3b", "4k", suit_choice="relevant", suit_pick=pick
        )  # fmt: skip
        table.s.seed = seed
        GAME.apply(table.states, np.array([19 + 1]))  # a pair of threes
        counts[" ".join(sorted({"3g", "3k", "3r"} - set(table.hand(0).split())))] += 1
    if pick == "lowest":
        assert set(counts) == {"3g 3k"}
    else:
        assert set(counts) == {"3g 3k", "3g 3r", "3k 3r"}
        assert chisquare(list(counts.values())).pvalue > 1e-4


def test_12_2_cards_not_held_are_refused() -> None:
    with pytest.raises(CardError, match="seat 0 does not hold 9k"):
        GAME.parse_play(position("3g", "2g", "3k", "4k").s, "9k")


@pytest.mark.parametrize(
    "text", ["", " ", "give", "give 2g", "take 2g 2k 2b", "give 2g 2g 2k", "2g"]
)
def test_12_2_an_exchange_names_three_cards(text: str) -> None:
    table = dealt().act("decline;" * 8)
    with pytest.raises(CardError):
        GAME.parse_play(table.s, text)
