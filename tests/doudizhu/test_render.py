"""The table in words: what a seat is shown, what happened last, deals as plain data."""

import numpy as np
import pytest

from envs.core.errors import CardError
from envs.doudizhu import GAME
from tests.doudizhu.positions import Table, auction, game_of


def test_a_seat_is_shown_its_own_cards_only() -> None:
    table = auction(reveal_bottom=False).act("pass 3")
    bottom = GAME.read_deal(table.s)["bottom"]
    for me in range(3):
        text = GAME.render(table.s, me)
        assert [hand in text for hand in table.hands] == [seat == me for seat in range(3)]
        assert (f"bottom {bottom}" in text) == (me == 1)
    assert all(hand in GAME.render(table.s, None) for hand in table.hands)


def test_a_selection_is_shown_to_its_own_seat_only() -> None:
    table = game_of("333444567 88 99")
    before = [GAME.render(table.s, me) for me in range(3)]
    GAME.apply(table.states, np.array([GAME.parse_play(table.s, "333444+56")[0]]))
    after = [GAME.render(table.s, me) for me in range(3)]
    assert "choosing kickers: plane_solo 333444+…" in after[0]
    assert after[1:] == before[1:]


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        ("", "the cards are dealt"),
        ("pass", "seat 0 passes"),
        ("2", "seat 0 bids 2"),
        ("3 snatch", "seat 1 snatches"),
        ("3 decline", "seat 1 declines"),
        ("3 decline decline x2", "seat 0 plays for x2"),
        ("pass pass pass", "seat 2 passes; everybody passed: new deal"),
    ],
)
def test_what_happened_last(calls: str, words: str) -> None:
    table = auction(snatch=True, doubling="double").act(calls)
    assert GAME.last_event(table.s) == words


def test_what_happened_last_in_play() -> None:
    table = game_of("3334569 88 99").act("333+4")
    assert GAME.last_event(table.s) == "seat 0 plays trio_solo 333+4"
    assert GAME.last_event(table.act("pass").s) == "seat 1 passes"
    assert GAME.last_event(table.act("pass 5 pass 9").s).startswith("seat 2 plays solo 9")
    table = game_of("3 88 99").act("3")
    assert GAME.last_event(table.s) == "seat 0 plays solo 3 and wins the hand: +4, -2, -2"


@pytest.mark.parametrize("reveal", [True, False])
def test_the_bottom_is_named_where_it_is_public(reveal: bool) -> None:
    table = auction(reveal_bottom=reveal).act("3")
    bottom = GAME.read_deal(table.s)["bottom"]
    assert (f"bottom {bottom}" in GAME.last_event(table.s)) == reveal


def test_a_deal_is_read_as_it_was_written() -> None:
    table = Table(GAME.new_games(GAME.make_rules(), [3]))
    deal = GAME.read_deal(table.s)
    other = Table(GAME.new_games(GAME.make_rules(), [4]))
    GAME.write_deal(other.s, deal)
    assert GAME.read_deal(other.s) == deal
    for calls in ("pass", "pass", "3"):
        table.act(calls)
        assert GAME.read_deal(table.s) == deal
    table.act(next(iter(table.legal())))
    assert GAME.read_deal(table.s) == deal


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hands", ["3", "4", "5"]),
        ("hands", "333"),
        ("hands", [5, 6, 7]),
        ("bottom", "33"),
        ("bottom", "xyz"),
        ("first", 3),
        ("first", None),
        ("face_up", "1"),
        ("face_up", "BR"),
        ("face_up", 3),
    ],
)
def test_a_deal_that_is_none_is_refused(name: str, value: object) -> None:
    table = auction()
    deal = {**GAME.read_deal(table.s), name: value}
    with pytest.raises(CardError):
        GAME.write_deal(table.s, deal)


def test_a_deal_with_a_face_up_card_that_nobody_shows_is_refused() -> None:
    table = auction()
    deal = GAME.read_deal(table.s)
    absent = next(rank for rank in "BR3456789" if rank not in deal["hands"][0])
    with pytest.raises(CardError, match="seat 0 has no"):
        GAME.write_deal(table.s, {**deal, "face_up": absent})
