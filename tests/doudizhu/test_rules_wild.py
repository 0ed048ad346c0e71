"""Section 11 of the rules: wild cards."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from envs.core.errors import CardError
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_3, RANK_CHARS, count_of, format_cards, num_cards
from envs.doudizhu.moves import RANK
from envs.doudizhu.state import DOUBLING, NONE, SNATCHING
from tests.doudizhu.positions import all_moves, answers, auction, beats, game_of, leads, readings

SUITED = RANK_CHARS[:13]
THREES: dict[str, Any] = {"wild_rank": "3"}
NINES: dict[str, Any] = {"wild_rank": "9"}
OWN_RANK: dict[str, Any] = {"wild_rank": "3", "wild_alone": "own_rank"}
TOP: dict[str, Any] = {"wild_rank": "3", "pure_wild_bomb": "top"}
NOTHING: list[tuple[str, str, int]] = []
NUM_DEALS = 2600
NEVER = 1e-4  # a fair draw fails a test this often, for one seed in 10,000
Readings = set[tuple[str, str, int]]


def named(cards: int, natural: dict[int, Readings], wild: int) -> Readings:
    """The readings of cards by RULES 11.3: all that any naming of the wild cards makes of them.

    natural: the readings of cards among which none is wild.
    """
    found: Readings = set()
    others = [1 << (4 * rank) for rank in range(13) if rank != wild]
    for renamed in range(count_of(cards, wild) + 1):
        kept = cards - (renamed << (4 * wild))
        for names in combinations_with_replacement(others, renamed):
            for kind, main, n in natural.get(kept + sum(names), set()):
                found.add(("soft_bomb" if kind == "bomb" and renamed else kind, main, n))
    return found


def disguised(combinations: list[int], num: int, wild: int) -> Iterator[int]:
    """Some of these combinations, some cards of each exchanged for wild ones."""
    rng = np.random.default_rng(1)
    for cards in rng.choice(combinations, num, replace=False).tolist():
        ranks = [rank for rank in range(13) for _ in range(count_of(cards, rank)) if rank != wild]
        most = 4 - count_of(cards, wild)
        for rank in rng.permutation(ranks)[: rng.integers(most + 1)].tolist():
            cards += (1 << (4 * wild)) - (1 << (4 * rank))
        yield cards


def test_11_1_rank_3_is_wild_from_the_start() -> None:
    table = auction(wild="three")
    assert [table.view(seat).wild for seat in range(3)] == [0, 0, 0]
    assert "[4]5678" in game_of("35678 3 3", wild="three").legal()
    assert "[4]5678" not in game_of("35678 3 3").legal()


def test_11_1_a_random_rank_is_public_once_the_landlord_is_known() -> None:
    table = auction(wild="random", snatch=True, doubling="double")
    for calls in ("", "1", "3"):
        table.act(calls)
        assert [table.view(seat).wild for seat in range(3)] == [NONE] * 3
    assert table.s.phase == SNATCHING
    assert table.act("decline decline").s.phase == DOUBLING
    assert [table.view(seat).wild for seat in range(3)] == [table.s.wild] * 3


def test_11_1_d26_the_rank_is_any_of_the_thirteen() -> None:
    states = GAME.new_games(GAME.make_rules(wild="random"), range(NUM_DEALS))
    assert chisquare(np.bincount(states["wild"], minlength=13)).pvalue > NEVER


@pytest.mark.parametrize("options", [{}, {"all_pass": "void", "hands_per_match": 2}])
def test_11_1_every_deal_has_a_draw_of_its_own(options: dict[str, Any]) -> None:
    states = GAME.new_games(GAME.make_rules(wild="random", **options), range(NUM_DEALS))
    before = states["wild"].copy()
    for _ in range(3):
        GAME.apply(states, np.zeros(NUM_DEALS, np.int64))  # everybody passes
    assert (states["deals"] == 2).all()
    pairs = np.bincount(13 * before + states["wild"], minlength=13 * 13)
    assert chisquare(pairs).pvalue > NEVER


def test_11_1_nothing_is_added_to_the_pack() -> None:
    for wild in ("three", "random"):
        states = GAME.new_games(GAME.make_rules(wild=wild), range(50))
        assert (states["hands"].sum(1) + states["bottom"] == DECK_3).all()


def test_11_1_a_deal_names_its_wild_rank() -> None:
    table = auction(wild="random")
    deal = {**GAME.read_deal(table.s), "wild": "9"}
    GAME.write_deal(table.s, deal)
    assert (GAME.read_deal(table.s), table.s.wild) == (deal, SUITED.index("9"))
    assert GAME.read_deal(auction(wild="three").s)["wild"] == "3"
    assert "wild" not in GAME.read_deal(auction().s)


@pytest.mark.parametrize(
    ("rule", "wild"),
    [("random", "B"), ("random", "34"), ("random", ""), ("three", "4"), ("off", "3")],
)
def test_11_1_a_deal_with_another_wild_rank_is_refused(rule: Any, wild: str) -> None:
    table = auction(wild=rule)
    with pytest.raises(CardError, match=f"wild rank .*{wild!r}"):
        GAME.write_deal(table.s, {**GAME.read_deal(table.s), "wild": wild})


@pytest.mark.parametrize("wild", SUITED)
def test_11_2_a_wild_card_may_stand_for_any_rank_itself_included(wild: str) -> None:
    assert leads(wild, wild_rank=wild) == {wild, *(f"[{r}]" for r in SUITED if r != wild)}
    assert readings(wild, wild_rank=wild) == sorted(("solo", rank, 1) for rank in SUITED)


@pytest.mark.parametrize("cards", ["3B", "3R", "33B", "444B3", "45673R"])
def test_11_2_a_wild_card_never_stands_for_a_joker(cards: str) -> None:
    assert readings(cards, **THREES) == NOTHING
    assert not {"BR", "RR", "BB"} & leads(cards, **THREES)


def test_11_2_the_rocket_is_both_jokers() -> None:
    assert readings("BR", **THREES) == [("rocket", "R", 1)]
    assert readings("3BR", **THREES) == NOTHING


@pytest.mark.parametrize(
    ("wild", "options"),
    [
        ("3", {}),
        ("8", {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1}),
        ("2", {"kicker_adjacent_trio": False, "kicker_rocket": True}),
    ],
)
def test_11_3_a_reading_is_one_of_any_naming(wild: str, options: dict[str, Any]) -> None:
    natural: dict[int, Readings] = {}
    for move in all_moves(**options):
        natural.setdefault(move.cards, set()).add((move.kind, move.main, move.length))
    small = [cards for cards in natural if num_cards(cards) <= 10]
    for cards in disguised(small, 20, RANK_CHARS.index(wild)):
        expected = named(cards, natural, RANK_CHARS.index(wild))
        assert readings(format_cards(cards), wild_rank=wild, **options) == sorted(expected)


def test_11_3_namings_of_the_same_combination_are_one_move() -> None:
    assert readings("444TT3", **THREES) == [("four_two_solo", "4", 1)]
    mains = [("four_two_pair", main, 1) for main in SUITED]  # of 4: 5555, 6666, 5566, …
    assert readings("33334444", **THREES) == sorted(mains)


def test_11_3_cards_of_the_body_rank_stand_in_it_or_wild_ones_do() -> None:
    assert {"555", "55[5]", "5[55]"} <= leads("55533", **THREES)
    assert "[555]" not in leads("55533", **THREES)
    assert {"45678", "[4]5678", "4[5]678", "4567[8]"} <= leads("345678", **THREES)
    assert "[4]567[8]" not in leads("345678", **THREES)


def test_11_3_no_more_than_four_of_a_rank() -> None:
    assert readings("44443", **THREES) == NOTHING
    assert readings("444433", **THREES) == [("four_two_solo", "4", 1)]
    assert readings("44445555333", **THREES) == NOTHING


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("TJQ3A", {("straight", "T", 5)}),
        ("3555", {("soft_bomb", "5", 4), ("trio_solo", "5", 1)}),
        ("334455", {("train", "3", 3), ("train", "4", 3), ("plane", "4", 2),
                    ("four_two_solo", "4", 1), ("four_two_solo", "5", 1)}),
        ("44443", set()),
    ],
)  # fmt: skip
def test_11_examples(cards: str, expected: Readings) -> None:
    assert readings(cards, **THREES) == sorted(expected)


def test_11_4_every_reading_is_a_move() -> None:
    assert readings("35678", **THREES) == [("straight", "4", 5), ("straight", "5", 5)]
    assert {"[4]5678", "5678[9]"} <= leads("35678", **THREES)


def test_11_4_the_declared_reading_is_what_later_plays_must_beat() -> None:
    assert "5678[9]" in answers("35678", to="[4]5678", **THREES)
    assert answers("35678", to="5678[9]", **THREES) == {"pass"}
    assert "[5]6789" in answers("36789", to="[4]5678", **THREES)
    assert "[5]6789" not in answers("36789", to="5678[9]", **THREES)
    assert answers("3K", to="[Q]", **THREES) == {"pass", "K", "[K]", "[A]", "[2]"}


def test_11_4_the_declared_reading_is_public() -> None:
    for play, rank in (("[4]5678", "4"), ("5678[9]", "5")):
        table = game_of("356789 44 55", **THREES).act(play)
        view = table.view(1)
        assert (view.table, format_cards(int(view.table_cards))) == (table.s.table, "35678")
        assert RANK_CHARS[RANK[view.table]] == rank


@pytest.mark.parametrize(("size", "kind"), [(1, "solo"), (2, "pair"), (3, "trio")])
def test_11_5_d27_wild_cards_alone_may_be_anything(size: int, kind: str) -> None:
    assert readings("3" * size, **THREES) == sorted((kind, rank, 1) for rank in SUITED)
    assert "[" + "2" * size + "]" in answers("3" * size, to="A" * size, **THREES)


def test_11_5_d27_four_wild_cards_alone() -> None:
    soft = [("soft_bomb", rank, 4) for rank in SUITED[1:]]
    trios = [("trio_solo", rank, 1) for rank in SUITED]
    assert readings("3333", **THREES) == sorted([("bomb", "3", 4), *soft, *trios])


@pytest.mark.parametrize(("size", "kind"), [(1, "solo"), (2, "pair"), (3, "trio"), (4, "bomb")])
def test_11_5_own_rank(size: int, kind: str) -> None:
    length = 4 if kind == "bomb" else 1
    assert readings("3" * size, **OWN_RANK) == [(kind, "3", length)]
    assert leads("3333", **OWN_RANK) == {"3", "33", "333", "3333"}
    assert answers("3" * size, to="4" * size, **OWN_RANK) == {"pass"}


def test_11_5_own_rank_is_for_wild_cards_alone() -> None:
    for cards in ("34", "334", "3334", "3555", "35678", "33345", "334455", "333344", "33334444"):
        assert readings(cards, **OWN_RANK) == readings(cards, **THREES) != NOTHING


def test_11_6_four_cards_with_a_wild_one_are_a_soft_bomb() -> None:
    for cards in ("5553", "5533", "5333"):
        assert ("soft_bomb", "5", 4) in readings(cards, **THREES)
        assert ("bomb", "5", 4) not in readings(cards, **THREES)
    assert readings("5555", **THREES) == [("bomb", "5", 4)]


@pytest.mark.parametrize("soft", ["555[5]", "55[55]", "5[555]", "[5555]", "222[2]"])
def test_11_6_a_natural_bomb_beats_a_soft_one_whatever_the_ranks(soft: str) -> None:
    assert beats("4444", soft, **THREES)
    assert beats("3333", soft, **THREES)
    assert not beats(soft, "4444", **THREES)
    assert not beats(soft, "3333", **THREES)


@pytest.mark.parametrize(
    ("new", "old"),
    [("666[6]", "5[555]"), ("6[666]", "555[5]"), ("2[222]", "AAA[A]"), ("[5555]", "[4444]")],
)
def test_11_6_soft_bombs_by_rank(new: str, old: str) -> None:
    assert beats(new, old, **THREES)
    assert not beats(old, new, **THREES)


def test_11_6_the_number_of_wild_cards_is_irrelevant() -> None:
    soft = ["555[5]", "55[55]", "5[555]", "[5555]"]
    assert not any(beats(new, old, **THREES) for new in soft for old in soft)


@pytest.mark.parametrize("old", ["2", "22", "222", "555+44", "TJQKA", "QQKKAA", "5555+67"])
def test_11_6_a_soft_bomb_beats_what_is_no_bomb(old: str) -> None:
    assert beats("444[4]", old, **THREES)


def test_11_6_the_rocket_beats_all_bombs() -> None:
    for bomb in ("3333", "2222", "222[2]"):
        assert beats("BR", bomb, **TOP)
        assert not beats(bomb, "BR", **TOP)


def test_11_6_both_kinds_double() -> None:
    for bomb, hand in (("4444", "44445"), ("444[4]", "34445"), ("3333", "33335")):
        table = game_of(f"{hand} 66 77", **THREES).act(f"{bomb} pass pass 5")
        assert table.payoffs == [8, -4, -4]  # and a spring


def test_11_6_a_four_with_kickers_is_no_bomb_with_wild_cards_either() -> None:
    table = game_of("34445678 66 99", **THREES).act("444[4]+56 pass pass 7 pass pass 8")
    assert table.payoffs == [4, -2, -2]
    assert "444[4]+56" not in answers("344456", to="2", **THREES)


def test_11_6_d28_four_wild_cards_as_themselves_are_a_natural_bomb() -> None:
    assert ("bomb", "9", 4) in readings("9999", **NINES)
    assert beats("9999", "8888", **NINES)
    assert not beats("9999", "TTTT", **NINES)
    assert beats("TTTT", "9999", **NINES)


def test_11_6_d28_they_may_also_be_named_as_another_soft_bomb() -> None:
    assert answers("3333", to="AAA[A]", **THREES) == {"pass", "3333", "[2222]"}
    assert answers("3333", to="AAA[A]", **OWN_RANK) == {"pass", "3333"}


@pytest.mark.parametrize("old", ["2222", "222[2]", "[2222]", "222", "2"])
def test_11_6_d28_top(old: str) -> None:
    assert beats("3333", old, **TOP)


def test_11_6_d28_only_the_rocket_beats_the_top_bomb() -> None:
    assert answers("2222444BR", to="3333", **TOP) == {"pass", "BR"}


def test_11_6_d28_top_is_for_wild_cards_as_themselves() -> None:
    nines = {**NINES, "pure_wild_bomb": "top"}
    assert answers("9999", to="TTTT", **nines) == {"pass", "9999"}
    assert answers("9999", to="KKK[K]", **nines) == {"pass", "9999", "[AAAA]", "[2222]"}
    assert not beats("3333", "4444", **nines)


@pytest.mark.parametrize("limit", [True, False])
def test_10_10_soft_bombs_count_for_the_limit(limit: bool) -> None:
    table = auction(wild="three", farmer_bomb_limit=limit).act("pass pass 1")
    table.hold("33444555 89 9TT").act("9 444[4] pass pass")
    assert {"555", "55[5]", "555+3"} <= table.legal()
    assert ("555[5]" in table.legal()) != limit


@pytest.mark.parametrize("cards", ["44443", "555533", "3335555", "33334", "33334444"])
def test_11_7_no_bombs_of_five_or_more(cards: str) -> None:
    kinds = {kind for kind, _, _ in readings(cards, **THREES)}
    assert kinds.isdisjoint({"bomb", "soft_bomb"})


def test_11_8_a_wild_card_as_itself_is_an_ordinary_card() -> None:
    assert readings("34567", **THREES) == [("straight", "3", 5), ("straight", "4", 5)]
    assert {"34567", "4567[8]"} <= leads("34567", **THREES)
    assert readings("789TJ", **NINES) == [("straight", "7", 5)]
    assert leads("789TJ", **NINES) >= {"789TJ", "9", "[2]"}
    assert {"[6]789T", "789T[J]"} <= leads("7899T", **NINES)


def test_11_8_twos_as_wild_cards_are_in_no_sequence_as_themselves() -> None:
    assert readings("2TJQK", wild_rank="2") == [("straight", "9", 5), ("straight", "T", 5)]
    assert readings("2JQKA", wild_rank="2") == [("straight", "T", 5)]
    assert readings("222AAA", wild_rank="2") == [("four_two_solo", "A", 1), ("plane", "K", 2)]


def test_11_8_an_ordinary_card_is_never_wild() -> None:
    assert readings("2", wild_rank="7") == [("solo", "2", 1)]
    assert readings("35678", **NINES) == NOTHING
    assert readings("35678", wild="three") == readings("35678", **THREES)


def test_11_9_a_kicker_of_a_body_rank_stays_forbidden() -> None:
    assert "55[5]+5" not in leads("3555", **THREES)
    assert "55[55]+5" not in leads("355556", **THREES)
    assert readings("55553", **THREES) == NOTHING


def test_11_9_a_wild_card_is_always_possible_as_a_kicker() -> None:
    assert "555+3" in leads("3555", **THREES)
    assert "4444+33" in leads("444433", **THREES)
    assert "999+9" in leads("9999", **NINES)


def test_11_9_pairs_of_a_card_and_a_wild_one() -> None:
    assert readings("44453", **THREES) == [("trio_pair", "4", 1)]
    assert {"444+35", "444+33"} <= leads("444533", **THREES)
    assert "444555+3367" in leads("4445556733", **THREES)
    assert readings("444B3", **THREES) == NOTHING


def test_11_9_the_limits_hold_for_what_wild_cards_stand_for() -> None:
    cards = "444555" + "6667"  # 6666 would be two pairs of one rank
    sevens: dict[str, Any] = {"wild_rank": "7"}
    assert ("plane_pair", "4", 2) in readings(cards, **sevens)
    assert ("plane_pair", "4", 2) not in readings(cards, kicker_pair_max_same=1, **sevens)
    pairs = "444555" + "6677"
    assert ("plane_pair", "4", 2) in readings(pairs, kicker_pair_max_same=1, **sevens)
    solos = "444555" + "97"
    assert ("plane_solo", "4", 2) in readings(solos, kicker_solo_max_same=1, **sevens)


def test_11_9_kickers_are_not_the_rocket() -> None:
    assert readings("4443BR", **THREES) == NOTHING
    assert readings("4443BR", kicker_rocket=True, **THREES) == [("four_two_solo", "4", 1)]
    assert readings("4443B5", **THREES) == [("four_two_solo", "4", 1)]
