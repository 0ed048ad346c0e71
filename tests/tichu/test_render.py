"""What is written for people."""

from envs.tichu import GAME
from tests.tichu.positions import position

OPEN = """\
Tichu, round 1, 0 : 0: follow
  seat 0 3g                                         team 0
> seat 1 5g 6g                                      team 1, 5 points
  seat 2 7b 8b                                      team 0, tichu
  seat 3 8k 9k                                      team 1, dealer
  to beat: single 4g of seat 0, 0 passed
  in the trick: 4g
  wished: J
  seat 0 plays single 4g"""


def test_the_table_with_all_cards_and_as_a_seat_sees_it() -> None:
    table = position(
        "3g 4g", "5g 6g", "7b 8b", "8k 9k", calls={2: "small"}, won={1: "5r"}, wish=11
    ).act("4g")
    table.s.dealer = 3
    assert GAME.render(table.s, None) == OPEN
    seen = GAME.render(table.s, 2)
    assert "seat 1 2 cards" in seen and "5g" not in seen
    assert "seat 2 7b 8b" in seen


def test_what_happened_last() -> None:
    table = position("MJ DR", "5g 6g", "7b 8b", "8k 9k")
    events = []
    for play in ("MJ", "wish Q", "pass", "pass", "pass", "DR"):
        events.append(GAME.last_event(table.act(play).s))
    assert events == [
        "seat 0 plays single MJ",
        "seat 0 wishes for Q",
        "seat 1 passes",
        "seat 2 passes",
        "seat 3 passes; seat 0 takes the trick",
        "seat 0 plays single DR",
    ]
    table.act("pass; pass; pass; gift left")
    assert GAME.last_event(table.s) == "seat 0 gives the trick to seat 3"


def test_actions_in_words() -> None:
    table = position("8g 8k PH 3g", "5g 6g", "7b 8b", "8k 9k")
    words = {GAME.format_action(table.s, int(action)) for action in table.mask.nonzero()[0]}
    assert words == {"3", "8", "PH", "pair 3", "pair 8", "triple 8"}
    assert GAME.format_action(table.s, 258) == "straight MJ-5"
    assert GAME.format_action(table.s, 102) == "fullhouse 2 3"
