"""Section 3 of the rules: builds, results, and who wins a showdown."""

import numpy as np
import pytest

from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import CARD_NAMES, DECKS, HAND_SIZE, MONTH
from envs.jitgo_ttaeng.hands import (
    HWANG,
    PAIRS,
    RESULTS,
    STRENGTH,
    TTAENG_1,
    TTAENG_10,
    arrangements,
    evaluate_batch,
)
from envs.jitgo_ttaeng.rules import option_record
from tests.cases.jitgo_ttaeng import all_hands
from tests.jitgo_ttaeng.positions import dealt_again, result, set_of, showdown

BUILDS = """1-1-8 1-2-7 1-3-6 1-4-5 1-9-10 2-2-6 2-3-5 2-4-4 2-8-10 2-9-9 3-3-4 3-7-10 3-8-9 4-6-10
4-7-9 4-8-8 5-5-10 5-6-9 5-7-8 6-6-8 6-7-7 10-10-10"""
SETS = {"classic": 0, "modern": 3, "full": 7}
FULL = {"hand_set": "full", "deck": 40}


def months_of(cards: list[int]) -> list[int]:
    return sorted(int(MONTH[card]) for card in cards)


def results(deck: int, **options):
    hands = all_hands(deck)
    found = np.empty(len(hands), np.int64)
    evaluate_batch(option_record(GAME.make_rules(deck=deck, **options)), hands, found)
    return found


def test_3_1_the_22_builds() -> None:
    rules = option_record(GAME.make_rules(deck=40))
    three_tens = set_of("10A 10R 10J1 9A 9R")
    found = set()
    for hand in [*all_hands(20).tolist(), three_tens]:
        for way in arrangements(rules, hand):
            found.add("-".join(map(str, months_of(way.build))))
    assert found == set(BUILDS.split())


def test_3_1_fact_1_all_builds_leave_the_same_last_digit() -> None:
    rules = option_record(GAME.make_rules())
    for hand in all_hands(20)[::7]:
        ways = arrangements(rules, int(hand))
        assert len({sum(months_of(way.rest)) % 10 for way in ways}) <= 1


def test_3_1_fact_2_up_to_six_builds() -> None:
    rules = option_record(GAME.make_rules(deck=40))
    assert len(arrangements(rules, set_of("1G 1R 1J1 1J2 8G"))) == 6
    assert {len(arrangements(rules, int(hand))) for hand in all_hands(20)[::5]} <= set(range(5))


@pytest.mark.parametrize("name", SETS)
def test_3_2_the_55_pairs(name: str) -> None:
    """The table of RULES 3.2, computed another way, for cards whose pictures do not matter."""
    table = PAIRS[SETS[name]]
    seotda = {(4, 6): 11, (4, 10): 12, (1, 10): 13, (1, 9): 14, (1, 4): 15, (1, 2): 16}
    for low in range(1, 11):
        for high in range(low, 11):
            a, b = 4 * (low - 1) + 2, 4 * (high - 1) + 3
            strength = 1 + (low + high) % 10
            if low == high:
                strength = 16 + low
            elif name != "classic":
                strength = seotda.get((low, high), strength)
            assert STRENGTH[table[a, b]] == strength
            assert table[a, b] == table[b, a]


def test_3_2_j03_pictures_matter() -> None:
    for pair, name in (
        ("1G 3G", "gwang_13"), ("1G 8G", "gwang_18"), ("3G 8G", "gwang_38"), ("1R 3G", "kkeut_4"),
        ("1G 3J1", "kkeut_4"), ("3G 7A", "ttaengjabi"), ("3R 7A", "kkeut_0"), ("4A 7A", "amhaeng"),
        ("4A 7R", "kkeut_1"), ("4A 9A", "meonggusa"), ("4A 9R", "gusa"), ("4J1 9J1", "gusa"),
    ):  # fmt: skip
        first, second = (CARD_NAMES.index(card) for card in pair.split())
        assert RESULTS[PAIRS[SETS["full"], first, second]] == name


def test_j09_any_3_with_any_7() -> None:
    hand = "1R 4R 5R 3R 7R"
    assert result(hand, **FULL) == "kkeut_0"
    assert result(hand, ttaengjabi="any37", **FULL) == "ttaengjabi"


def test_3_2_strengths_follow_the_names() -> None:
    assert [RESULTS[k] for k in (0, 1, 10, 11, 16, 17, 26, 27, 32, 34, 35, 40)] == [
        "hwang", "kkeut_0", "kkeut_9", "seryuk", "alli", "ttaeng_1", "ttaeng_10", "chunchu_1_6",
        "gwang_13", "gwang_38", "chunchu_1_6", "chunchu_gwang_2",
    ]  # fmt: skip
    special = {RESULTS[k]: int(STRENGTH[k]) for k in range(42, 46)}
    assert special == {"ttaengjabi": 1, "amhaeng": 2, "gusa": 4, "meonggusa": 4}


def test_j04_hand_sets_and_flags() -> None:
    gupping, brights = "1R 4A 5A 1G 9A", "6A 7A 7R 1G 3G"
    assert result(gupping, hand_set="classic") == "kkeut_0"
    assert result(gupping) == "gupping"
    assert result(gupping, seotda=False) == "kkeut_0"
    assert result(brights) == "gwang_13"
    assert result(brights, gwang=False) == "ttaeng_7"
    assert result(brights, hand_set="classic", gwang=True) == "gwang_13"


def test_3_3_the_best_arrangement_counts() -> None:
    assert result("1R 3R 6A 7A 7R") == "ttaeng_7"
    assert result("4A 7A 9A 1G 9R") == "gupping"  # not the mangtong that others leave


def test_j07_special_is_preferred_to_an_equal_kkeut() -> None:
    assert result("3G 7A 2A 2R 6A", **FULL) == "ttaengjabi"
    assert result("4A 9A 4R 1G 5A", **FULL) in ("meonggusa", "gusa")
    assert result("4A 9A 9R 2A 9J1", **FULL) == "meonggusa"


@pytest.mark.parametrize(
    ("cards", "low"),
    [("1G 1R 8G 6A 6R", "1_6"), ("2A 2R 6A 7A 7R", "2_7"), ("3G 3R 4A 8G 8A", "3_8"),
     ("4A 4R 2A 9A 9R", "4_9"), ("5A 5R 10A 10R 10J1", "5_10")],
)  # fmt: skip
def test_3_5_j08_chunchu(cards: str, low: str) -> None:
    high = int(low.split("_")[1])
    assert result(cards, deck=40) == f"ttaeng_{high}"
    for rule in ("above_jang", "top"):
        assert result(cards, deck=40, chunchu=rule) == f"chunchu_{low}"
    above = STRENGTH[results(20, chunchu="above_jang")]
    top = STRENGTH[results(20, chunchu="top")]
    assert set(above) & set(range(27, 32)) and not set(above) & set(range(35, 42))
    assert set(top) & set(range(35, 42)) and not set(top) & set(range(27, 32))


def test_3_5_chunchu_with_brights() -> None:
    two, seven = "1G 3G 6A 2A 2R", "1G 3G 6A 7A 7R"
    assert [result(hand, chunchu="above_jang") for hand in (two, seven)] == ["gwang_13"] * 2
    assert result(two, chunchu="top") == "chunchu_gwang_2"
    assert result(seven, chunchu="top") == "chunchu_gwang_7"
    assert result(seven, chunchu="top", gwang=False) == "ttaeng_7"


@pytest.mark.parametrize(("gwang", "num"), [(False, 8), (True, 12)])
def test_3_5_no_other_chunchu_exists(gwang: bool, num: int) -> None:
    found = results(20, chunchu="top", gwang=gwang)
    assert sum(RESULTS[k].startswith("chunchu") for k in found) == num


def test_3_6_the_highest_wins_and_equals_share() -> None:
    pair_8, gabo, gabo_too = "2R 3G 5R 8G 8A", "1R 4A 5A 2A 7R", "1J1 4J1 5J1 3R 6A"
    assert showdown(f"{pair_8} / {gabo}", deck=40) == [0]
    assert showdown(f"{gabo} / {gabo_too}", deck=40) == [0, 1]  # J06


def test_3_6_all_hwang_is_a_draw() -> None:
    assert showdown("1R 2R 3R 4A 8A / 1G 2A 3G 4R 8G") == [0, 1]


def test_j09_ttaengjabi_catches_pairs() -> None:
    catcher = "3G 7A 1R 4R 5R"
    pair_9, pair_10, alli = "2R 8A 10A 9A 9R", "2R 3R 5A 10A 10R", "4A 6A 10A 1G 2A"
    assert showdown(f"{pair_9} / {catcher}", **FULL) == [1]
    assert showdown(f"{pair_9} / {catcher}", deck=40) == [0]  # special hands off
    assert showdown(f"{pair_10} / {catcher}", **FULL) == [0]
    assert showdown(f"{pair_10} / {catcher}", ttaengjabi_max=10, **FULL) == [1]
    assert showdown(f"{alli} / {catcher}", **FULL) == [0]


def test_j10_amhaeng_catches_brights_but_38() -> None:
    catcher = "4A 7A 1R 2R 7R"
    assert result(catcher, **FULL) == "amhaeng"
    assert showdown(f"6A 7J1 7J2 1G 3G / {catcher}", **FULL) == [1]
    assert showdown(f"5A 7J1 8A 3G 8G / {catcher}", **FULL) == [0]


def test_j13_catching_looks_at_the_best_hand() -> None:
    brights, jang, catcher = "6A 7J1 7J2 1G 3G", "2R 3R 5A 10A 10R", "4A 7A 1R 2J1 7R"
    assert showdown(f"{brights} / {jang} / {catcher}", **FULL) == [2]


GUSA, MEONGGUSA = "2J1 3R 5J1 4R 9R", "2R 3J1 5R 4A 9A"


def test_j11_gusa_wants_alli_or_lower() -> None:
    alli, seven = "4J1 6A 10A 1G 2A", "1R 3G 6R 7A 7R"
    assert dealt_again(f"{GUSA} / {alli}", **FULL) == [0, 1]
    assert dealt_again(f"{GUSA} / {seven}", **FULL) == []
    assert dealt_again(f"{GUSA} / {alli}", deck=40) == []


@pytest.mark.parametrize("most", [8, 9, 10])
def test_j11_meonggusa_wants_a_pair_or_lower(most: int) -> None:
    pairs = {8: "2A 3G 5A 8G 8A", 9: "1R 1G 8A 9J1 9J2", 10: "2A 3G 5A 10A 10R"}
    for month, pair in pairs.items():
        again = dealt_again(f"{MEONGGUSA} / {pair}", meonggusa_max=most, **FULL)
        assert again == ([0, 1] if month <= most else [])


def test_j11_hwang_is_not_rescued() -> None:
    nothing, alli = "1R 2A 3G 4J1 8A", "4J2 6A 10A 1G 2J2"
    assert dealt_again(f"{nothing} / {GUSA} / {alli}", **FULL) == [1, 2]
    assert dealt_again(f"{nothing} / {GUSA}", **FULL) == []  # one hand alone builds


@pytest.mark.parametrize(
    ("deck", "build", "hwang", "pairs"),
    [
        (20, 71.517, 28.483, 5.212),
        pytest.param(40, 67.704, 32.296, 6.808, marks=pytest.mark.slow),
    ],
)
def test_3_7_the_six_probabilities(deck: int, build: float, hwang: float, pairs: float) -> None:
    found = results(deck, hand_set="classic")
    shares = [
        (found != HWANG).mean(),
        (found == HWANG).mean(),
        ((found >= TTAENG_1) & (found <= TTAENG_10)).mean(),
    ]
    assert [round(100 * float(share), 3) for share in shares] == [build, hwang, pairs]


def test_10_2_flags_never_lower_a_hand() -> None:
    classic, gwang = results(20, hand_set="classic"), results(20, hand_set="classic", gwang=True)
    modern = results(20, hand_set="modern")
    assert (STRENGTH[classic] <= STRENGTH[gwang]).all()
    assert (STRENGTH[gwang] <= STRENGTH[modern]).all()


def test_10_3_four_hands_use_up_twenty_cards() -> None:
    cards = np.random.default_rng(1).permutation(DECKS[20]).reshape(4, HAND_SIZE)
    assert MONTH[cards].sum() % 10 == 0
