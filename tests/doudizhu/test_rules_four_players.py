"""Section 10 of the rules: four players and two packs."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.game import OVER, Array
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_4, RANK_CHARS, count_of, format_cards, num_cards
from envs.doudizhu.moves import FIRST, NUM_ACTIONS, PAIR
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    HAND_VOID,
    HAND_WON,
    LANDLORD_FOUND,
    NO_MOVE,
    PLAYING,
    REDEALT,
    SNATCHING,
)
from tests.conformance.play import random_actions
from tests.doudizhu.positions import Table, answers, auction, beats, game_of, leads, readings

SEQUENCE = "3456789TJQKA"
FOUR: dict[str, Any] = {"players": 4}
ALL_TYPES: dict[str, Any] = {"players": 4, "solo_kickers": True, "four_two_pair": True}
NOTHING: list[tuple[str, str, int]] = []
NUM_DEALS = 2000
NEVER = 1e-4  # a fair deal fails a test this often, for one seed in 10,000
ALL_PASS = "pass pass pass pass"

# Hands of the seats from the landlord on, and what is played.
LANDLORD_WINS = ("35 47 66 88", "3 4 pass pass 5")
FARMERS_WIN = ("35Q 48 77 99", "3 4 pass pass 5 8")
LANDLORD_SPRING = ("36 44 55 77", "3 pass pass pass 6")
FARMERS_SPRING = ("345 46 77 88", "3 4 pass pass pass 6")
FOUR_AND_FIVE = ("333344444 66 77 88", "3333 pass pass pass 44444")  # and a spring


def kinds(cards: str, **options: Any) -> set[str]:
    return {kind for kind, _, _ in readings(cards, **options)}


def finish(table: Table, script: tuple[str, str]) -> list[int]:
    """Payoffs after the script; it is the landlord's turn to lead."""
    hands, plays = script
    landlord, seats = int(table.s.landlord), hands.split()
    table.hold(" ".join(seats[(seat - landlord) % 4] for seat in range(4))).act(plays)
    assert table.s.outcome == HAND_WON
    return table.payoffs


def payoffs(script: tuple[str, str], calls: str = "1 pass pass pass", **options: Any) -> list[int]:
    """Payoffs of a hand that seat 0 bids first in."""
    return finish(auction(players=4, **options).act(calls), script)


@pytest.fixture(scope="module")
def deals() -> Array:
    return GAME.new_games(GAME.make_rules(players=4), range(NUM_DEALS))


def test_10_1_two_packs(deals: Array) -> None:
    assert (deals["hands"].sum(1) + deals["bottom"] == DECK_4).all()
    assert format_cards(DECK_4) == "".join(rank * 8 for rank in RANK_CHARS[:13]) + "BBRR"
    assert num_cards(DECK_4) == 108


def test_10_1_hand_sizes(deals: Array) -> None:
    assert (deals["sizes"] == 25).all()
    assert {num_cards(int(hand)) for hand in deals["hands"].ravel()} == {25}
    assert {num_cards(int(bottom)) for bottom in deals["bottom"]} == {8}


def test_10_1_the_landlord_takes_up_eight_cards() -> None:
    table = auction(players=4).act("pass pass 3")
    assert [len(hand) for hand in table.hands] == [25, 25, 33, 25]
    assert table.s.sizes.tolist() == [25, 25, 33, 25]


def test_10_1_every_card_may_go_anywhere(deals: Array) -> None:
    places = np.c_[deals["hands"], deals["bottom"]]
    for rank in (0, 7, 14):
        counts = ((places >> (4 * rank)) & 15).sum(0)
        expected = counts.sum() * np.array([25, 25, 25, 25, 8]) / 108
        assert chisquare(counts, expected).pvalue > NEVER


@pytest.mark.parametrize(
    ("hands", "plays"),
    [("33 4 55 66", "3 4"), ("33 44 5 66", "3 pass 5"), ("33 44 55 6", "3 pass pass 6")],
)
def test_10_1_three_farmers_win_when_one_is_out(hands: str, plays: str) -> None:
    table = game_of(hands, **FOUR).act(plays)
    assert table.s.outcome == HAND_WON
    assert table.payoffs[0] < 0 < min(table.payoffs[1:])


def test_3_3_d3_the_face_up_card_is_any_of_the_hundred_dealt(deals: Array) -> None:
    assert (deals["first"] == deals["face_up_seat"]).all()
    assert all(count_of(int(s.hands[s.face_up_seat]), int(s.face_up)) for s in deals)
    assert chisquare(np.bincount(deals["face_up_seat"], minlength=4)).pvalue > NEVER
    ranks = np.bincount(deals["face_up"], minlength=15)
    assert chisquare(ranks, NUM_DEALS * np.array([8] * 13 + [2, 2]) / 108).pvalue > NEVER


@pytest.mark.parametrize("cards", ["3334", "33344456", "444456", "33334444", "44445566"])
def test_10_2_no_single_kickers_and_no_four_with_two_by_default(cards: str) -> None:
    assert readings(cards, **FOUR) == NOTHING
    assert readings(cards, **ALL_TYPES) != NOTHING


def test_10_2_each_option_brings_its_own_kinds() -> None:
    cards = ("3334", "33344456", "333345", "33334455")
    solo = [kinds(hand, players=4, solo_kickers=True) for hand in cards]
    assert solo == [{"trio_solo"}, {"plane_solo"}, {"four_two_solo"}, set()]
    pairs = [kinds(hand, players=4, four_two_pair=True) for hand in cards]
    assert pairs == [set(), set(), set(), {"four_two_pair"}]


def test_10_2_the_kinds_that_are_left() -> None:
    cards = "3 33 333 33344 34567 334455 333444 3334445566 3333 BBRR"
    seen = [kind for hand in cards.split() for kind in kinds(hand, **FOUR)]
    assert seen == [
        "solo", "pair", "trio", "trio_pair", "straight", "train", "plane", "plane_pair", "bomb",
        "rocket",
    ]  # fmt: skip


@pytest.mark.parametrize("options", [FOUR, ALL_TYPES])
def test_10_2_bodies_are_exact_whatever_the_hand_holds(options: dict[str, Any]) -> None:
    assert {"333444", "333444+5555", "33", "333", "333+55"} <= leads("33333444445555", **options)
    assert "334455" in leads("333344445555", **options)
    assert "34567" in leads("33334444555566667777", **options)
    for cards in ("3333444", "33344445", "334444555", "3345667"):
        assert kinds(cards, **options).isdisjoint({"plane", "train", "straight"})


def test_10_3_pairs_of_equal_jokers() -> None:
    assert readings("BB", **FOUR) == [("pair", "B", 1)]
    assert readings("RR", **FOUR) == [("pair", "R", 1)]
    assert answers("22BBRR", to="AA", **FOUR) == {"pass", "22", "BB", "RR", "BBRR"}


@pytest.mark.parametrize(("new", "old"), [("BB", "22"), ("RR", "BB"), ("RR", "22"), ("R", "B")])
def test_10_3_order_of_the_jokers(new: str, old: str) -> None:
    assert beats(new, old, **FOUR)
    assert not beats(old, new, **FOUR)


def test_10_3_d22_two_different_jokers_are_no_pair() -> None:
    for cards in ("BR", "333BR", "33344455BR", "BBR", "BRR"):
        assert readings(cards, **FOUR) == NOTHING
    assert leads("BBR", **FOUR) == {"B", "BB", "R"}


def test_10_3_d22_a_pair_of_jokers_is_a_pair_kicker() -> None:
    assert readings("333BB", **FOUR) == [("trio_pair", "3", 1)]
    assert readings("333RR", **FOUR) == [("trio_pair", "3", 1)]
    assert readings("333444BB55", **FOUR) == [("plane_pair", "3", 2)]
    assert ("four_two_pair", "3", 1) in readings("3333BB55", **ALL_TYPES)


@pytest.mark.parametrize("cards", ["AAA222", "KKAA22", "AABBRR", "22BBRR", "QKA2B", "A2BBR"])
def test_1_4_pairs_of_jokers_are_in_no_sequence_either(cards: str) -> None:
    assert readings(cards, **ALL_TYPES) == NOTHING


def test_10_4_the_rocket_is_all_four_jokers() -> None:
    assert readings("BBRR", **FOUR) == [("rocket", "R", 1)]
    assert leads("BBRR", **FOUR) == {"B", "R", "BB", "RR", "BBRR"}


@pytest.mark.parametrize("old", ["3", "22", "RR", "222+RR", "3333", "22222222"])
def test_10_4_the_rocket_beats_everything(old: str) -> None:
    assert beats("BBRR", old, **FOUR)


def test_10_4_nothing_beats_the_rocket() -> None:
    assert answers("2222222233333333", to="BBRR", **FOUR) == {"pass"}


def test_10_4_kickers_may_be_all_jokers_but_one() -> None:
    assert readings("333444BR", **ALL_TYPES) == [("plane_solo", "3", 2)]
    assert readings("333444555BBR", **ALL_TYPES) == [("plane_solo", "3", 3)]
    assert readings("3333BR", **ALL_TYPES) == [("four_two_solo", "3", 1)]
    assert readings("3333BB", **ALL_TYPES) == [("four_two_solo", "3", 1)]


@pytest.mark.parametrize("cards", ["3333BBRR", "333444BBRR", "333444555666BBRR"])
def test_10_4_kickers_are_not_the_rocket(cards: str) -> None:
    assert readings(cards, **ALL_TYPES) == NOTHING
    assert readings(cards, **ALL_TYPES, kicker_rocket=True) != NOTHING


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8])
def test_10_5_bombs_of_four_to_eight_cards(size: int) -> None:
    for rank in RANK_CHARS[:13]:
        assert readings(rank * size, **ALL_TYPES) == [("bomb", rank, size)]


def test_10_5_a_hand_may_play_a_bomb_of_part_of_its_cards() -> None:
    assert leads("333333", **FOUR) == {"3" * size for size in range(1, 7)}


@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_10_5_more_cards_beat_fewer(size: int) -> None:
    assert beats("3" * (size + 1), "2" * size, **FOUR)
    assert not beats("2" * size, "3" * (size + 1), **FOUR)


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8])
def test_10_5_equal_size_by_rank(size: int) -> None:
    assert beats("5" * size, "4" * size, **FOUR)
    assert not beats("4" * size, "5" * size, **FOUR)
    assert not beats("4" * size, "4" * size, **FOUR)


def test_10_5_what_beats_a_bomb() -> None:
    hand = "3333334444455555777BBRR"
    assert answers(hand, to="44444", **FOUR) == {"pass", "333333", "55555", "BBRR"}


@pytest.mark.parametrize("old", ["2", "RR", "222", "222+AA", "QQKKAA", "KKKAAA+2233"])
def test_10_5_a_bomb_beats_everything_that_is_none(old: str) -> None:
    assert beats("3333", old, **FOUR)


def test_10_5_equal_cards_are_only_a_bomb() -> None:
    for size in (5, 6, 7, 8):
        assert kinds("3" * size, **ALL_TYPES) == {"bomb"}
    assert "333+33" not in leads("33333", **ALL_TYPES)


@pytest.mark.parametrize(
    ("kind", "same", "longest", "kickers"),
    [
        ("straight", 1, 12, ""),
        ("train", 2, 12, ""),
        ("plane", 3, 11, ""),
        ("plane_solo", 3, 8, "22222222"),
        ("plane_pair", 3, 6, "22222222AAAA"),
    ],
)
def test_10_6_the_longest_sequences(kind: str, same: int, longest: int, kickers: str) -> None:
    body = "".join(rank * same for rank in SEQUENCE[:longest])
    assert (kind, "3", longest) in readings(body + kickers, **ALL_TYPES)


def test_10_6_what_no_hand_can_hold_is_no_combination() -> None:
    assert readings("".join(rank * 3 for rank in SEQUENCE), **ALL_TYPES) == NOTHING


def test_10_6_a_longer_sequence_beats_no_shorter_one() -> None:
    assert not beats("333444555666777888999", "333444555666777888", **FOUR)
    assert beats("444555666777888999TTT", "333444555666777888999", **FOUR)


def test_10_7_d23_the_landlord_plays_against_three() -> None:
    assert payoffs(LANDLORD_WINS) == [3, -1, -1, -1]
    assert payoffs(LANDLORD_WINS, "pass 2 pass pass") == [-2, 6, -2, -2]
    assert payoffs(FARMERS_WIN, "3") == [-9, 3, 3, 3]


def test_10_7_d23_doubling_is_settled_pair_by_pair() -> None:
    table = auction(players=4, doubling="super").act("1 pass pass pass x2 x1 x2 x4")
    assert finish(table, LANDLORD_WINS) == [14, -2, -4, -8]


def test_10_7_d23_spring_needs_all_three_farmers_silent() -> None:
    assert payoffs(LANDLORD_SPRING) == [6, -2, -2, -2]
    for plays in ("3 4 pass pass 6", "3 pass 5 pass 6", "3 pass pass 5 6"):
        assert payoffs(("36 44 55 57", plays)) == [3, -1, -1, -1]


def test_10_7_d23_anti_spring() -> None:
    assert payoffs(FARMERS_SPRING) == [-6, 2, 2, 2]
    assert payoffs(("3456 46 77 88", "3 4 pass pass 5 6")) == [-3, 1, 1, 1]


def test_10_7_four_seats_bid_once_each() -> None:
    table = auction(first=2, players=4)
    for seat, call in ((2, "pass"), (3, "1"), (0, "pass"), (1, "2")):
        assert (table.s.phase, table.s.turn) == (BIDDING, seat)
        table.act(call)
    assert (table.s.landlord, table.s.base_score, table.s.turn) == (1, 2, 1)


def test_10_7_d23_three_passes_after_a_bid_end_a_continuous_auction() -> None:
    table = auction(players=4, auction="continuous").act("pass 1 pass pass")
    assert table.s.phase == BIDDING
    assert table.copy().act("pass").s.landlord == 1
    table.act("2 pass pass")
    assert (table.s.phase, table.s.turn) == (BIDDING, 3)
    assert (table.act("pass").s.landlord, table.s.base_score) == (0, 2)


@pytest.mark.parametrize("rule", ["once", "continuous"])
def test_10_7_four_passes_are_an_all_pass(rule: str) -> None:
    table = auction(players=4, auction=rule).act("pass pass pass")
    assert table.s.all_passes == 0
    assert table.act("pass").s.outcome == REDEALT
    assert auction(players=4, auction=rule, all_pass="void").act(ALL_PASS).s.outcome == HAND_VOID
    forced: dict[str, Any] = {"all_pass": "force_first", "all_pass_limit": 1}
    table = auction(3, players=4, auction=rule, **forced).act(ALL_PASS)
    assert (table.s.outcome, table.s.landlord) == (LANDLORD_FOUND, 3)


def test_10_7_every_other_seat_may_snatch_and_the_caller_snatches_back() -> None:
    table = auction(first=1, players=4, snatch=True).act("3")
    for seat, word in ((2, "decline"), (3, "snatch"), (0, "decline"), (1, "snatch")):
        assert (table.s.phase, table.s.turn) == (SNATCHING, seat)
        table.act(word)
    assert (table.s.landlord, table.s.base_score) == (1, 3)


def test_10_7_the_third_snatch_ends_the_phase() -> None:
    table = auction(players=4, snatch=True).act("3 snatch snatch snatch")
    assert (table.s.outcome, table.s.landlord) == (LANDLORD_FOUND, 3)
    more = auction(players=4, snatch=True, snatch_cap=4).act("3 snatch snatch snatch snatch")
    assert (more.s.outcome, more.s.landlord) == (LANDLORD_FOUND, 0)


def test_10_7_four_seats_choose_to_double_the_landlord_first() -> None:
    table = auction(first=3, players=4, doubling="double").act("3")
    for seat in (3, 0, 1, 2):
        assert (table.s.phase, table.s.turn) == (DOUBLING, seat)
        table.act("x2")
    assert (table.s.phase, table.s.turn) == (PLAYING, 3)


def test_10_7_a_trick_ends_after_three_passes() -> None:
    table = game_of("3T6 4Q 5JJ 8A", **FOUR).act("3 4 pass pass")
    assert (table.s.turn, table.s.table != NO_MOVE) == (0, True)
    table = game_of("3T6 4Q9 5JJ 8A", **FOUR).act("3 4 pass pass pass")
    assert (table.s.turn, table.s.table) == (1, NO_MOVE)
    assert table.legal() == {"9", "Q"}


def test_10_7_a_pass_does_not_lock_a_player_out_of_the_trick() -> None:
    table = game_of("3K5 4A 62 79", **FOUR).act("3 pass 6 7 K")
    assert (table.s.turn, table.legal()) == (1, {"A", "pass"})


@pytest.mark.parametrize(("counts_from", "x"), [(None, 4), (4, 8), (5, 4), (6, 2)])
def test_10_8_fours_do_not_double_by_default(counts_from: int | None, x: int) -> None:
    assert payoffs(FOUR_AND_FIVE, bomb_counts_from=counts_from) == [3 * x, -x, -x, -x]


@pytest.mark.parametrize("counts_from", [4, 5, 6])
def test_10_8_the_rocket_and_larger_bombs_always_double(counts_from: int) -> None:
    rocket = ("BBRR5 67 88 99", "BBRR pass pass pass 5")
    assert payoffs(rocket, bomb_counts_from=counts_from) == [12, -4, -4, -4]
    bomb = ("3333335 67 88 99", "333333 pass pass pass 5")
    assert payoffs(bomb, bomb_counts_from=counts_from) == [12, -4, -4, -4]


def test_10_8_fours_still_beat_what_is_no_bomb() -> None:
    for counts_from in (4, 5, 6):
        assert beats("3333", "KKKAAA+22BB", players=4, bomb_counts_from=counts_from)


def test_10_9_d24_each_counted_bomb_adds_one_base() -> None:
    plays = "33333 77777 pass pass pass 5 pass pass Q pass pass pass 4"
    assert payoffs(("333334Q 7777758 66 99", plays), bomb_mode="add") == [9, -3, -3, -3]


def test_10_9_d24_spring_still_doubles() -> None:
    script = ("333334 77777 66 99", "33333 77777")
    expected = [-36, 12, 12, 12]  # 2 · (1 + 2) · 2
    assert payoffs(script, "2 pass pass pass", bomb_mode="add") == expected


@pytest.mark.parametrize(("counts_from", "x"), [(None, 4), (4, 6), (6, 2)])
def test_10_9_d24_fours_add_where_they_count(counts_from: int | None, x: int) -> None:
    paid = payoffs(FOUR_AND_FIVE, bomb_mode="add", bomb_counts_from=counts_from)
    assert paid == [3 * x, -x, -x, -x]


def bombs_of(table: Table, seat: int, bombs: str = "3333 44444 555555 BBRR") -> int:
    """How many of these bombs in a row a seat may play."""
    hands = ["7789"] * 4
    hands[seat] = "33334444455555566668BBRR"
    table.hold(" ".join(hands))
    while table.s.turn != seat:
        table.act("pass" if "pass" in table.legal() else "7")
    for num, bomb in enumerate(bombs.split()):
        if bomb not in table.legal():
            return num
        table.act(f"{bomb} pass pass pass")
    return len(bombs.split())


@pytest.mark.parametrize(
    ("calls", "bombs", "options"),
    [
        ("1 2 3", [1, 2, 4, 4], {}),  # seat 3 had no turn to bid
        ("3", [4, 4, 4, 4], {}),
        ("pass 1 pass 2", [1, 1, 1, 4], {}),
        ("pass pass pass 1", [1, 1, 1, 4], {}),
        ("1 2 pass pass", [1, 4, 1, 1], {}),
        ("1 pass 2 pass pass 3", [1, 4, 2, 1], {"auction": "continuous"}),
        ("2 pass pass 3", [2, 1, 1, 4], {"auction": "continuous"}),
        ("2 3 decline snatch decline decline", [2, 4, 4, 4], {"snatch": True}),
        (ALL_PASS, [4, 1, 1, 1], {"all_pass": "force_first", "all_pass_limit": 1}),
    ],
)
def test_10_10_d25_farmer_bomb_limit(calls: str, bombs: list[int], options: dict[str, Any]) -> None:
    table = auction(players=4, farmer_bomb_limit=True, **options).act(calls)
    assert table.s.phase == PLAYING
    assert [bombs_of(table.copy(), seat) for seat in range(4)] == bombs


def test_10_10_no_limit_by_default() -> None:
    table = auction(players=4).act("pass pass pass 1")
    assert [bombs_of(table.copy(), seat) for seat in range(4)] == [4, 4, 4, 4]


def test_10_10_d25_fours_and_the_rocket_count_although_fours_do_not_double() -> None:
    table = auction(players=4, farmer_bomb_limit=True).act("pass pass pass 1")
    for bombs in ("3333 44444", "BBRR 3333", "44444 BBRR"):
        assert bombs_of(table.copy(), 0, bombs) == 1


def test_10_10_over_the_limit_the_cards_may_be_broken_up() -> None:
    table = auction(players=4, farmer_bomb_limit=True).act("pass pass pass 1")
    bombs_of(table, 0)
    assert {"4444", "44444", "555555", "BBRR"}.isdisjoint(table.legal())
    assert {"444", "555", "BB", "RR", "444555", "555+BB"} <= table.legal()


@pytest.mark.parametrize(("limit", "allowed"), [(True, "pass"), (False, "pass 5555")])
def test_10_10_over_the_limit_no_bomb_answers_a_bomb(limit: bool, allowed: str) -> None:
    table = auction(players=4, farmer_bomb_limit=limit).act("pass pass pass 1")
    table.hold("44445555669 7 8 3333A2").act("A 4444 pass pass pass 66 pass pass 3333")
    assert table.legal() == set(allowed.split())


@pytest.mark.parametrize("most", [int(FIRST[PAIR]), NUM_ACTIONS], ids=["single cards", "any plays"])
def test_7_7_at_most_432_decisions_of_play(most: int) -> None:
    seeds = np.arange(60)
    states = GAME.new_games(GAME.make_rules(players=4, auction="off"), seeds)
    decisions = np.zeros(len(states), np.int64)
    step = 0
    while (states["turn"] != OVER).any():
        masks = GAME.masks(states)
        masks[:, most:] = 0
        GAME.apply(states, random_actions(masks, seeds, step))
        decisions += masks.any(1) & (states["pending"] == 0)
        step += 1
    assert 100 < decisions.max() <= 432
