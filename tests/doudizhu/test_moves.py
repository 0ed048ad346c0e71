"""Sections 13 and 14 of the rules: the action table, notation, paths, how many moves there are."""

import hashlib
import re
from collections import Counter
from functools import cache
from itertools import product, zip_longest
from typing import Any

import numpy as np
import pytest

from envs.core.errors import CardError
from envs.doudizhu import GAME
from envs.doudizhu.cards import NUM_RANKS, pack, parse_cards
from envs.doudizhu.moves import (
    BODY,
    KIND,
    KINDS,
    LENGTH,
    MOVES,
    NUM_ACTIONS,
    RANK,
    Move,
    move_of_path,
    parse_move,
)
from tests.conformance.play import random_actions
from tests.doudizhu.positions import all_moves, game_of, num_plays, whole_pack

ROCKET = parse_cards("BR")
BLOCKS = {
    "pass": (0, 0),
    "bid": (1, 3),
    "snatch": (4, 5),
    "double": (6, 8),
    "solo": (9, 23),
    "pair": (24, 38),
    "trio": (39, 51),
    "trio_solo": (52, 64),
    "trio_pair": (65, 77),
    "straight": (78, 113),
    "train": (114, 168),
    "plane": (169, 233),
    "plane_solo": (234, 289),
    "plane_pair": (290, 334),
    "four_two_solo": (335, 347),
    "four_two_pair": (348, 360),
    "bomb": (361, 425),
    "rocket": (426, 426),
    "soft_bomb": (427, 439),
    "kick": (440, 454),
    "kickw": (455, 467),
    "sub": (468, 480),
    "done": (481, 481),
}
"""Kind: its first and its last id (RULES 14)."""
SEQUENCES = {
    "straight": (1, range(5, 13)),
    "train": (2, range(3, 13)),
    "plane": (3, range(2, 12)),
    "plane_solo": (3, range(2, 9)),
    "plane_pair": (3, range(2, 7)),
}
"""Kind: cards of each rank of the body, lengths."""
SAME = {"solo": 1, "pair": 2, "trio": 3, "trio_solo": 3, "trio_pair": 3,
        "four_two_solo": 4, "four_two_pair": 4}  # fmt: skip
VARIANTS: dict[str, dict[str, Any]] = {
    "standard": {},
    "rlcard": {
        "kicker_solo_max_same": 3,
        "kicker_pair_max_same": 1,
        "kicker_adjacent_trio": False,
    },
    "kicker_rocket": {"kicker_rocket": True},
    "pagat": {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1},
    "douzero": {"kicker_rocket": True, "kicker_pair_max_same": 1},
    "four players": {"players": 4},
    "four players, no equal pairs": {"players": 4, "kicker_pair_max_same": 1},
    "four players, all kinds": {"players": 4, "solo_kickers": True, "four_two_pair": True},
}


@cache
def moves_of(variant: str) -> list[Move]:
    return all_moves(**VARIANTS[variant])


def ids(kind: str) -> range:
    first, last = BLOCKS[kind]
    return range(first, last + 1)


def test_14_the_blocks_of_ids() -> None:
    assert tuple(BLOCKS) == KINDS
    assert NUM_ACTIONS == GAME.num_actions == len(MOVES) == 482
    for kind in BLOCKS:
        assert np.flatnonzero(KINDS.index(kind) == KIND).tolist() == list(ids(kind))


def test_14_bids_snatches_and_doubles() -> None:
    assert RANK[1:4].tolist() == [1, 2, 3]
    assert RANK[6:9].tolist() == [1, 2, 4]
    s = game_of("3 3 3").s
    names = [GAME.format_action(s, action) for action in range(9)]
    assert names == ["pass", "bid 1", "bid 2", "bid 3", "decline", "snatch", "x1", "x2", "x4"]


@pytest.mark.parametrize("kind", SAME)
def test_14_single_ranks_in_order_of_rank(kind: str) -> None:
    for rank, action in enumerate(ids(kind)):
        assert (RANK[action], LENGTH[action]) == (rank, 1)
        assert BODY[action] == pack([SAME[kind] * (r == rank) for r in range(NUM_RANKS)])


@pytest.mark.parametrize("kind", SEQUENCES)
def test_14_sequences_by_length_then_start(kind: str) -> None:
    same, lengths = SEQUENCES[kind]
    places = [(n, start) for n in lengths for start in range(12 - n + 1)]
    for action, (n, start) in zip(ids(kind), places, strict=True):
        assert (RANK[action], LENGTH[action]) == (start, n)
        assert BODY[action] == pack([same * (start <= r < start + n) for r in range(NUM_RANKS)])


def test_14_bombs_by_size_then_rank() -> None:
    for action, (size, rank) in zip(ids("bomb"), product(range(4, 9), range(13)), strict=True):
        assert (RANK[action], LENGTH[action]) == (rank, size)
        assert BODY[action] == size << (4 * rank)


def test_14_selections_by_rank() -> None:
    for kind in ("soft_bomb", "kick", "kickw", "sub"):
        assert RANK[ids(kind)].tolist() == list(range(len(ids(kind))))


def test_14_the_table_is_what_it_was() -> None:
    """Another table is another version of the game: raise `GAME.version`."""
    digest = hashlib.sha256(np.array(MOVES.tolist(), "<i8").tobytes()).hexdigest()
    assert digest == "1573080352af99a361c86774ba757a8fb17bc77f1979778744b708faf5f72b4e"


@pytest.mark.parametrize(
    ("variant", "num_moves", "num_card_sets"),
    [
        ("standard", 32663, 32193),
        ("rlcard", 27471, 27471),
        ("kicker_rocket", 34152, 33675),
        ("pagat", 12654, 12654),
        ("douzero", 30383, 29984),
        ("four players", 36187, 36187),
        ("four players, no equal pairs", 7951, 7951),
        ("four players, all kinds", 112606, 109603),
    ],
)
def test_13_counts(variant: str, num_moves: int, num_card_sets: int) -> None:
    moves = moves_of(variant)
    assert len(moves) == len(set(moves)) == num_moves
    assert len({move.cards for move in moves}) == num_card_sets


def test_13_2_counts_by_kind() -> None:
    assert Counter(move.kind for move in moves_of("standard")) == {
        "solo": 15, "pair": 13, "trio": 13, "trio_solo": 182, "trio_pair": 156, "straight": 36,
        "train": 52, "plane": 45, "plane_solo": 23245, "plane_pair": 6552, "four_two_solo": 1326,
        "four_two_pair": 1014, "bomb": 13, "rocket": 1,
    }  # fmt: skip
    fewer = Counter(move.kind for move in moves_of("rlcard"))
    assert [fewer[kind] for kind in ("plane_solo", "plane_pair")] == [21822, 2939]
    assert fewer["four_two_pair"] == 858


def test_13_4_counts_by_kind_with_four_players() -> None:
    assert Counter(move.kind for move in moves_of("four players")) == {
        "solo": 15, "pair": 15, "trio": 13, "trio_pair": 182, "straight": 36, "train": 55,
        "plane": 65, "plane_pair": 35740, "bomb": 65, "rocket": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("variant", "mean", "high"),
    [("standard", 79, 209), ("four players", 242, 632), ("four players, all kinds", 1062, 4350)],
)
def test_13_5_how_many_leads_a_landlord_has(variant: str, mean: int, high: int) -> None:
    rules = GAME.make_rules(auction="off", **VARIANTS[variant])
    leads = num_plays(GAME.new_games(rules, range(1500)))
    assert leads.mean() == pytest.approx(mean, rel=0.05)
    assert np.percentile(leads, 99) == pytest.approx(high, rel=0.12)


def test_13_5_how_many_leads_a_farmer_has() -> None:
    states = GAME.new_games(GAME.make_rules(auction="off"), range(1500))
    states["turn"] = (states["landlord"] + 1) % 3
    assert num_plays(states).mean() == pytest.approx(44, rel=0.05)


@pytest.mark.parametrize(
    ("variant", "num"),
    [("standard", 308), ("four players", 323), ("four players, all kinds", 418)],
)
def test_14_1_declarations_in_use(variant: str, num: int) -> None:
    assert len({move.declaration for move in moves_of(variant)}) == num


@cache
def paths_of(variant: str) -> list[tuple[int, ...]]:
    return [move.path() for move in moves_of(variant)]


@pytest.mark.parametrize(("variant", "step"), [("kicker_rocket", 1), ("four players", 10)])
def test_14_2_the_path_of_every_play_is_legal_step_by_step(variant: str, step: int) -> None:
    moves, paths = moves_of(variant)[::step], paths_of(variant)[::step]
    states = whole_pack(len(moves), **VARIANTS[variant])
    for actions in np.array(list(zip_longest(*paths, fillvalue=-1))):
        going = actions >= 0
        masks = GAME.masks(states[going])
        assert masks[np.arange(len(masks)), actions[going]].all()
        GAME.apply(states, actions)
    assert states["action"].tolist() == [move.declaration for move in moves]
    assert states["last_played"].tolist() == [move.cards for move in moves]
    assert (states["pending"] == 0).all()


def test_14_3_kickers_are_chosen_in_order_of_rank() -> None:
    for _, *kicks in paths_of("kicker_rocket"):
        assert kicks == sorted(kicks)
    table = game_of("333444555BKKQ 9 9")
    declaration = parse_move("333444555+BKK", ROCKET).declaration
    allowed = []
    for kick in (None, "kicker Q", "kicker K"):
        choices = {GAME.format_action(table.s, action): action for action in ids("kick")}
        action = declaration if kick is None else choices[kick]
        GAME.apply(table.states, np.array([action]))
        allowed.append([word for word, action in choices.items() if table.mask[action]])
    assert allowed == [["kicker Q", "kicker K"], ["kicker K"], ["kicker K", "kicker B"]]


def test_14_4_a_kicker_is_masked_when_nothing_can_follow_it() -> None:
    table = game_of("3334446B 9 9")
    declaration = parse_move("333444+6B", ROCKET).declaration
    GAME.apply(table.states, np.array([declaration]))
    assert np.flatnonzero(table.mask).tolist() == [440 + 3]  # a joker first leaves nothing higher


@pytest.mark.parametrize(
    ("variant", "most"),
    [("kicker_rocket", 6), ("four players", 7), ("four players, all kinds", 9)],
)
def test_14_5_so_many_actions_a_move_at_most(variant: str, most: int) -> None:
    one_each = {move.declaration: move for move in moves_of(variant)}
    assert max(len(move.path()) for move in one_each.values()) == most


def test_every_play_has_its_own_notation() -> None:
    moves = moves_of("kicker_rocket")
    assert len({str(move) for move in moves}) == len(moves)


@pytest.mark.parametrize(
    ("variant", "rocket", "num_simple"),
    [("kicker_rocket", "BR", 188), ("four players, all kinds", "BBRR", 265)],
)
def test_notation_is_read_back(variant: str, rocket: str, num_simple: int) -> None:
    moves = moves_of(variant)
    simple = [move for move in moves if not move.kickers]
    assert len(simple) == num_simple
    for move in simple + moves[:: len(moves) // 300]:
        assert parse_move(str(move), parse_cards(rocket)) == move
        assert move_of_path(move.path(), parse_cards(rocket)) == move


def test_17_5_cards_may_be_written_in_any_order() -> None:
    for text in ("444333+65", "343434+56", " 3 4 3 4 3 4 + 6 5 "):
        assert str(parse_move(text, ROCKET)) == "333444+56"
    assert parse_move("RB", ROCKET) == parse_move("BR", ROCKET)


@pytest.mark.parametrize(
    ("text", "kind", "main", "length"),
    [
        ("333444555666", "plane", "3", 4),
        ("333444555+666", "plane_solo", "3", 3),
        ("444555666+333", "plane_solo", "4", 3),
        ("3333+4444", "four_two_pair", "3", 1),
        ("4444+3333", "four_two_pair", "4", 1),
        ("3333+44", "four_two_solo", "3", 1),
        ("333444+55", "plane_solo", "3", 2),
        ("333444+5555", "plane_pair", "3", 2),
        ("333+44", "trio_pair", "3", 1),
        ("3333", "bomb", "3", 4),
    ],
)
def test_5_7_notation_names_the_reading(text: str, kind: str, main: str, length: int) -> None:
    move = parse_move(text, ROCKET)
    assert (move.kind, move.main, move.length, str(move)) == (kind, main, length, text)


@pytest.mark.parametrize(
    "text",
    ["34", "345", "3x", "+34", "333+3", "333+BR", "3333+4", "333444+5", "333444+556", "34567+8",
     "3456B", "KA2", "AAA222+34", "BR+3", "bid 4", "x3", "3" * 9],
)  # fmt: skip
def test_what_is_no_play_is_refused_by_name(text: str) -> None:
    s = game_of("3 3 3").s
    with pytest.raises(CardError, match=re.escape(repr(text))):
        GAME.parse_play(s, text)


@pytest.mark.parametrize("text", ["", "+", " "])
def test_nothing_is_no_play(text: str) -> None:
    with pytest.raises(CardError, match="no combination"):
        parse_move(text, ROCKET)


@pytest.mark.parametrize("words", ["pass", "bid 1", "bid 3", "decline", "snatch", "x1", "x4"])
def test_calls_in_notation(words: str) -> None:
    s = game_of("3 3 3").s
    assert GAME.format_play(s, GAME.parse_play(s, words)) == words


@pytest.mark.parametrize("variant", ["kicker_rocket", "four players"])
def test_plays_are_counted_as_they_are_listed(variant: str) -> None:
    seeds = np.arange(30)
    states = GAME.new_games(GAME.make_rules(auction="off", **VARIANTS[variant]), seeds)
    for step in range(25):
        masks = GAME.masks(states)
        counts = np.empty(masks.shape, np.int64)
        GAME.count_plays(states, masks, counts)
        s = states[step]
        firsts = Counter(path[0] for path in GAME.plays(s))
        assert {action: num for action, num in enumerate(counts[step].tolist()) if num} == firsts
        GAME.apply(states, random_actions(masks, seeds, step))
