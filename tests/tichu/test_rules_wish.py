"""Section 7 of the rules: the wish."""

import pytest

from tests.tichu.positions import Table, position


def wished(rank: str, *hands: str, lead: str = "MJ", **options: object) -> Table:
    """Seat 0 leads the mahjong and wishes."""
    return position(*hands, **options).act(f"{lead}; wish {rank}")  # type: ignore[arg-type]


def test_t_d10_whoever_plays_the_mahjong_may_wish_for_any_rank_or_none() -> None:
    table = position("MJ 3g", "4k 6k", "8b 9b", "9r Tr").act("MJ")
    assert table.asked == "0 wish"
    assert table.legal() == {f"wish {rank}" for rank in "23456789TJQKA"} | {"wish none"}


def test_t_d10_also_in_a_straight_and_with_the_last_card() -> None:
    straight = position("MJ 2g 3k 4b 5r 9g", "4k 6k", "8b 9b", "9r Tr").act("MJ 2g 3k 4b 5r")
    assert straight.asked == "0 wish"
    last = position("MJ", "4k 6k", "8b 9b", "9r Tr").act("MJ")
    assert last.asked == "0 wish"


def test_t_d10_not_if_the_round_is_over() -> None:
    table = position("MJ", "4k 6k", "", "9r Tr", finish=(2,)).act("MJ")
    assert table.asked == "-1 round_end"


def test_t_d11_the_straight_with_the_mahjong_does_not_serve_its_own_wish() -> None:
    table = wished("3", "MJ 2g 3k 4b 5r 9g", "4k 6k", "8b 9b", "3r Tr", lead="MJ 2g 3k 4b 5r")
    assert table.s.wish == 3


def test_t_d12_the_phoenix_is_never_the_wished_card() -> None:
    table = wished("8", "MJ 3g", "PH 6k", "8b 9b", "9r Tr")
    assert table.legal() == {"pass", "PH", "6k"}
    pairs = position("4g 4k 3g", "PH 8k", "9b", "Tr", wish=8).act("4g 4k")
    assert pairs.legal() == {"8k PH"}
    run = position("2g 3k 4b 5r 6g Kg", "3g 4k 5b 6r 8k PH", "9b", "Tr", wish=7)
    assert "pass" in run.act("2g 3k 4b 5r 6g").legal()


def test_t_d13_who_can_serve_the_wish_must() -> None:
    table = wished("8", "MJ 3g", "8k 8r 6k Ak", "7b 9b", "9r Tr")
    assert table.legal() == {"8k", "8r"}


def test_t_d13_on_lead_too() -> None:
    table = position("DG 8g 8k 9g 9k", "4k", "7b 9b", "9r Tr", wish=8)
    assert table.legal() == {"8g", "8k", "8g 8k", "8g 8k 9g 9k"}


def test_t_d13_in_a_straight_of_the_required_length() -> None:
    table = position("2g 3k 4b 5r 6g Kg", "3g 4k 5b 6r 7k 8k 9r", "9b", "Tr", wish=8)
    assert table.act("2g 3k 4b 5r 6g").legal() == {"4k 5b 6r 7k 8k", "5b 6r 7k 8k 9r"}


def test_t_d13_with_the_help_of_the_phoenix_but_not_in_the_place_of_the_rank() -> None:
    table = position("2g 3k 4b 5r 6g Kg", "4k 5b 6r 7k 8k PH", "9b", "Tr", wish=8)
    legal = table.act("2g 3k 4b 5r 6g").legal()
    assert legal == {
        "4k 5b 6r 7k 8k", "PH 5b 6r 7k 8k", "4k PH 6r 7k 8k", "4k 5b PH 7k 8k", "4k 5b 6r PH 8k",
        "5b 6r 7k 8k PH",
    }  # fmt: skip


def test_t_d13_with_a_bomb_if_nothing_else_serves() -> None:
    table = position("Ag Ak 3g", "8g 8k 8b 8r 9k 9r", "9b", "Tr", wish=8).act("Ag Ak")
    assert table.legal() == {"8g 8k 8b 8r"}


def test_t_d13_who_cannot_serve_it_is_free() -> None:
    table = position("Ag Ak 3g", "8k 9k 9r", "9b", "Tr", wish=8).act("Ag Ak")
    assert table.legal() == {"pass"}
    bombs = position("9g 9k 9b 9r 2g", "8g 8k 8b 8r 3k", "Kb", "Tr", wish=8).act("9g 9k 9b 9r")
    assert bombs.legal() == {"pass"}


def test_13_four_of_the_wished_rank_and_the_dragon_on_the_table() -> None:
    table = position("DR 3g", "8g 8k 8b 8r 9k", "9b", "Tr", wish=8).act("DR")
    assert table.asked == "1 follow"
    assert table.legal() == {"8g 8k 8b 8r"}


def test_t_d14_out_of_turn_the_wish_does_not_bind() -> None:
    table = wished("J", "MJ 3g 4g", "2g 2k 2b 2r Jg", "3k 5k", "4k 6k")
    assert table.asked == "1 interrupt"
    assert table.legal() == {"decline", "2g 2k 2b 2r"}
    assert table.act("decline").legal() == {"Jg"}


HANDS = ("MJ 3g 4g", "2g 2k 2b 2r 9r Tr Jr Qr Kr", "3k 5k", "4k 6k")
TO_COLLECT = "2g 2k 2b 2r; decline; pass; decline; pass; decline; pass"


@pytest.mark.parametrize("binds", [True, False])
def test_t_d15_the_owner_must_beat_his_own_trick_to_serve_the_wish(binds: bool) -> None:
    table = wished("J", *HANDS, wish_binds_collect=binds).act(TO_COLLECT)
    assert table.asked == "1 collect"
    assert table.legal() == {"9r Tr Jr Qr Kr"} | (set() if binds else {"decline"})


def test_t_d16_the_wish_lasts_over_tricks_until_it_is_served() -> None:
    table = wished("9", "MJ 4g", "3k 8k 2k", "4b 8b", "5r 9r 6r")
    table.act("3k; pass; 9r")
    assert (table.s.wish, table.s.wished) == (0, 9)
    table = wished("9", "MJ 9g", "3k 2k", "Ab 8b", "5r 6r").act("3k; Ab; pass")
    assert table.legal() == {"pass"}  # the nine is too low
    table.act("pass; pass; 8b; pass")
    assert table.s.wish == 9
    assert table.legal() == {"9g"}


def test_t_d16_a_bomb_out_of_turn_serves_it_too() -> None:
    table = wished("9", "MJ 3g 4g", "5k 7k", "9g 9k 9b 9r 2b", "5r 6r").act("9g 9k 9b 9r")
    assert table.s.wish == 0


def test_t_d16_a_new_round_has_no_wish() -> None:
    table = position("MJ", "4k 6k", "2b", "9r Tr", episode="match").act("MJ; wish K; 4k; pass; 9r")
    assert (table.s.wish, table.s.wished) == (13, 13)
    table.act("pass; pass; Tr; pass; pass; 6k")
    assert table.s.rounds == 1
    assert (table.s.wish, table.s.wished) == (0, -1)


def test_11_who_did_not_serve_a_wish_with_a_single_lacks_the_rank() -> None:
    table = wished("9", "MJ 4g", "3k 8k", "4b 8b", "5r 9r").act("3k; pass")
    assert table.s.lacks.tolist() == [0, 1, 1, 0]
    table.act("9r")
    assert table.s.lacks.tolist() == [0, 1, 1, 0]


def test_11_a_wish_that_a_single_could_not_serve_says_nothing() -> None:
    table = position("Ag 3g", "8k 9k", "Tb 7b", "Tr 6r", wish=8).act("Ag; pass")
    assert table.s.lacks.tolist() == [1, 0, 0, 0]
    pairs = position("5g 5k 3g", "8k 9k", "Tb 7b", "Tr 6r", wish=8).act("5g 5k; pass")
    assert pairs.s.lacks.tolist() == [1, 0, 0, 0]


def test_11_a_bomb_out_of_turn_says_nothing_of_the_wish() -> None:
    table = wished("J", "MJ 3g 4g", "2g 2k 2b 2r Jg", "3k 5k", "4k 6k").act("2g 2k 2b 2r")
    assert table.s.lacks.tolist() == [0, 0, 0, 0]
