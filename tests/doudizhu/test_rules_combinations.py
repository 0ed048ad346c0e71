"""Section 5 of the rules: the fourteen kinds of combinations and their kickers."""

import pytest

from envs.doudizhu.cards import RANK_CHARS
from envs.doudizhu.moves import KINDS
from tests.doudizhu.positions import answers, leads, readings

SEQUENCE = "3456789TJQKA"
NOTHING: list[tuple[str, str, int]] = []


def kinds(cards: str, **options: object) -> set[str]:
    return {kind for kind, _, _ in readings(cards, **options)}


def runs(same: int, length: int) -> list[str]:
    """All sequences of a length with so many cards of each rank."""
    starts = range(len(SEQUENCE) - length + 1)
    return ["".join(rank * same for rank in SEQUENCE[start : start + length]) for start in starts]


def test_5_fourteen_kinds_and_pass() -> None:
    cards = "3 33 333 3334 33344 34567 334455 333444 33344456 3334445566 3333 333345 33334455 BR"
    seen = [kind for hand in cards.split() for kind in kinds(hand)]
    assert len(seen) == len(set(seen)) == 14
    assert set(seen) < set(KINDS)
    assert "pass" in answers("3", to="4")


@pytest.mark.parametrize("rank", RANK_CHARS)
def test_5_solo(rank: str) -> None:
    assert readings(rank) == [("solo", rank, 1)]


@pytest.mark.parametrize("rank", RANK_CHARS[:13])
def test_5_pair_trio_bomb_of_one_rank(rank: str) -> None:
    assert readings(rank * 2) == [("pair", rank, 1)]
    assert readings(rank * 3) == [("trio", rank, 1)]
    assert readings(rank * 4) == [("bomb", rank, 4)]


@pytest.mark.parametrize("cards", ["34", "335", "345", "3344", "33455", "3345", "4BR"])
def test_5_what_is_nothing(cards: str) -> None:
    assert readings(cards) == NOTHING


def test_5_trio_solo() -> None:
    assert readings("3334") == [("trio_solo", "3", 1)]
    assert readings("2223") == [("trio_solo", "2", 1)]


def test_5_trio_pair() -> None:
    assert readings("33344") == [("trio_pair", "3", 1)]
    assert readings("33222") == [("trio_pair", "2", 1)]
    assert readings("33345") == NOTHING


@pytest.mark.parametrize(
    ("kind", "same", "shortest", "longest"),
    [("straight", 1, 5, 12), ("train", 2, 3, 10), ("plane", 3, 2, 6)],
)
def test_5_sequences(kind: str, same: int, shortest: int, longest: int) -> None:
    for length in range(1, longest + 1):
        for cards in runs(same, length):
            assert ((kind, cards[0], length) in readings(cards)) == (length >= shortest)


@pytest.mark.parametrize("cards", ["34568", "345667", "334466", "3344567", "333555", "3334445"])
def test_5_sequences_have_no_gap_and_equal_counts(cards: str) -> None:
    assert kinds(cards).isdisjoint({"straight", "train", "plane"})


@pytest.mark.parametrize("length", [2, 3, 4, 5])
def test_5_plane_solo(length: int) -> None:
    for body in runs(3, length):
        kickers = [rank for rank in RANK_CHARS[:14] if rank not in body]
        assert ("plane_solo", body[0], length) in readings(body + "".join(kickers[:length]))
        assert readings(body + "".join(kickers[: length - 1])) == NOTHING


@pytest.mark.parametrize("length", [2, 3, 4])
def test_5_plane_pair(length: int) -> None:
    for body in runs(3, length):
        kickers = [rank * 2 for rank in RANK_CHARS[:13] if rank not in body]
        assert ("plane_pair", body[0], length) in readings(body + "".join(kickers[:length]))
        assert readings(body + "".join(kickers[: length - 1]) + "R") == NOTHING


@pytest.mark.parametrize("cards", ["3333BR", "33334", "3333456", "222AAA45"])
def test_5_bodies_of_what_is_no_plane_and_no_four_with_two(cards: str) -> None:
    assert readings(cards) == NOTHING


def test_5_four_two_solo() -> None:
    assert readings("333345") == [("four_two_solo", "3", 1)]
    assert readings("333344") == [("four_two_solo", "3", 1)]
    assert readings("22223R") == [("four_two_solo", "2", 1)]


def test_5_four_two_pair() -> None:
    assert readings("33334455") == [("four_two_pair", "3", 1)]
    assert readings("33334456") == NOTHING


def test_5_rocket_is_exactly_both_jokers() -> None:
    assert readings("BR") == [("rocket", "R", 1)]
    assert readings("3BR") == NOTHING


def test_5_1_d15_the_fourth_card_of_a_body_rank_is_no_kicker() -> None:
    assert kinds("3333") == {"bomb"}
    assert readings("33334445") == NOTHING
    assert leads("33334") == {"3", "33", "333", "3333", "4", "333+4"}


def test_5_2_d16_single_kickers_may_be_equal() -> None:
    assert readings("33344499") == [("plane_solo", "3", 2)]
    assert readings("333444555" + "999") == [("plane_solo", "3", 3)]
    assert readings("333444555666" + "9999") == [("plane_solo", "3", 4)]


def test_5_2_d16_four_of_a_rank_are_two_pairs() -> None:
    assert readings("333444" + "9999") == [("plane_pair", "3", 2)]
    assert readings("3333" + "9999") == [("four_two_pair", "3", 1), ("four_two_pair", "9", 1)]


@pytest.mark.parametrize(("limit", "most"), [(None, 4), (1, 1), (2, 2), (3, 3), (4, 4), (9, 4)])
def test_5_2_kicker_solo_max_same(limit: int | None, most: int) -> None:
    kickers = {1: "9TJQ", 2: "99TJ", 3: "999T", 4: "9999"}
    allowed = {
        same
        for same, four in kickers.items()
        if readings("333444555666" + four, kicker_solo_max_same=limit)
    }
    assert allowed == set(range(1, most + 1))
    assert bool(readings("333399", kicker_solo_max_same=limit)) == (most >= 2)


@pytest.mark.parametrize(("limit", "most"), [(None, 2), (1, 1), (2, 2)])
def test_5_2_kicker_pair_max_same(limit: int | None, most: int) -> None:
    for body in ("333444", "3333"):
        assert bool(readings(body + "9999", kicker_pair_max_same=limit)) == (most >= 2)
        assert readings(body + "99TT", kicker_pair_max_same=limit)


def test_5_2_the_limits_are_for_one_size_of_kickers_each() -> None:
    assert readings("33344499", kicker_pair_max_same=1)
    assert readings("3334449999", kicker_solo_max_same=1)


def test_5_3_a_joker_is_a_single_kicker_and_two_are_no_pair() -> None:
    assert readings("333B") == [("trio_solo", "3", 1)]
    assert readings("3334445R") == [("plane_solo", "3", 2)]
    for cards in ("333BR", "33344455BR", "333344BR"):
        assert readings(cards, kicker_rocket=True) == NOTHING


def test_5_4_d17_kickers_are_not_the_rocket() -> None:
    for cards in ("3333BR", "333444BR", "333444555" + "6BR"):
        assert readings(cards) == NOTHING
    assert readings("333444555" + "66R") == [("plane_solo", "3", 3)]


def test_5_4_kicker_rocket() -> None:
    assert readings("3333BR", kicker_rocket=True) == [("four_two_solo", "3", 1)]
    assert readings("333444BR", kicker_rocket=True) == [("plane_solo", "3", 2)]
    assert readings("3334445556BR", kicker_rocket=True) == [("plane_solo", "3", 3)]


@pytest.mark.parametrize("cards", ["333444" + "5566" + "7", "333444" + "556", "333344" + "5"])
def test_5_5_single_and_pair_kickers_never_mix(cards: str) -> None:
    assert readings(cards) == NOTHING


def test_5_5_kickers_do_not_matter_for_comparison() -> None:
    assert "444+3" in answers("4443", to="333+R")
    assert "333+R" not in answers("333R", to="444+3")
    assert "444555+33" in answers("44455533", to="333444+R2")


def test_5_6_a_four_with_kickers_is_no_bomb() -> None:
    assert answers("444456", to="33") == {"pass", "4444", "44"}
    assert "3333" in answers("3333", to="4444+56")


def test_5_7_several_readings() -> None:
    assert readings("333444555666") == [
        ("plane", "3", 4),
        ("plane_solo", "3", 3),
        ("plane_solo", "4", 3),
    ]
    assert readings("33334444") == [("four_two_pair", "3", 1), ("four_two_pair", "4", 1)]


def test_5_7_d18_every_reading_is_a_move_and_the_declared_one_counts() -> None:
    assert {"333444555666", "333444555+666", "444555666+333"} <= leads("333444555666")
    other = "444555666777"
    assert "444555666777" in answers(other, to="333444555666")
    assert "444555666+777" in answers(other, to="333444555+666")
    assert "444555666777" not in answers(other, to="333444555+666")
    assert "444555666+777" not in answers(other, to="444555666+333")
    assert "555666777+444" in answers(other, to="444555666+333")


def test_5_7_kicker_adjacent_trio() -> None:
    rule = {"kicker_adjacent_trio": False}
    assert readings("333444555666", **rule) == [("plane", "3", 4)]
    assert readings("444555666" + "888", **rule) == [("plane_solo", "4", 3)]
    assert readings("444555666" + "33" + "7", **rule) == [("plane_solo", "4", 3)]
    assert readings("444555666777" + "333" + "9", **rule) == NOTHING
    assert readings("444555666777" + "888" + "9", **rule) == NOTHING
    assert readings("444555666777" + "3333", **rule) == NOTHING
    assert readings("444555666777" + "3339") == [("plane_solo", "3", 4), ("plane_solo", "4", 4)]


def test_5_7_only_ranks_of_sequences_are_adjacent() -> None:
    assert readings("QQQKKKAAA" + "222", kicker_adjacent_trio=False) == [("plane_solo", "Q", 3)]


def test_5_7_preset_rlcard_keeps_limits_and_adjacency_together() -> None:
    preset = {"kicker_solo_max_same": 3, "kicker_pair_max_same": 1, "kicker_adjacent_trio": False}
    assert readings("444555666777" + "999T", **preset) == [("plane_solo", "4", 4)]
    assert readings("444555666777" + "9999", **preset) == NOTHING
    assert readings("444555666777" + "333T", **preset) == NOTHING


def test_10_2_solo_kickers_off_removes_three_kinds() -> None:
    for cards in ("3334", "33344456", "333345"):
        assert readings(cards)
        assert readings(cards, solo_kickers=False) == NOTHING
    assert readings("33344", solo_kickers=False) == [("trio_pair", "3", 1)]
    assert readings("33334455", solo_kickers=False) == [("four_two_pair", "3", 1)]


def test_10_2_four_two_pair_off_removes_that_kind() -> None:
    assert readings("33334455", four_two_pair=False) == NOTHING
    assert readings("333345", four_two_pair=False) == [("four_two_solo", "3", 1)]
    assert readings("3334445566", four_two_pair=False) == [("plane_pair", "3", 2)]
