"""Section 6 of the rules: what a seat sees, piece by piece, and what it does not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envs.core.game import Array
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.encode import LAYOUT, NUM_DIGITS
from envs.jitgo_ttaeng.hands import NUM_RESULTS, RESULTS
from envs.jitgo_ttaeng.rules import AMOUNTS, NUM_SMALL, OPTIONS
from envs.jitgo_ttaeng.state import NONE, PUNTING
from tests.conformance.play import look, walk
from tests.jitgo_ttaeng.positions import Table, banking, betting

VARIANTS: dict[str, dict[str, Any]] = {
    "betting": {"num_players": 3, "show_last": True, "max_hands": 4, "deal_schedule": "3+2"},
    "full": {"hand_set": "full", "deck": 40, "num_players": 5, "max_hands": 2, "bet_cap": None},
    "banker": {"mode": "banker", "num_players": 4, "show_last": True, "max_rounds": 5,
               "voluntary_pass": True, "helper_features": False},
}  # fmt: skip
SAMPLES = 150


def cards(hand: Any) -> list[bool]:
    return [bool(int(hand) >> card & 1) for card in range(40)]


def one_hot(value: Any, size: int) -> list[bool]:
    return [value == place for place in range(size)]


def digits(value: Any) -> list[int]:
    sign = -1 if value < 0 else 1
    return [sign * (abs(int(value)) // 100**place % 100) for place in range(NUM_DIGITS)]


def turned(words: Any, s: Any, me: int) -> list[int]:
    """One value a seat, from the observer on; blank where there is no seat."""
    num = int(s.rules.num_players)
    return [int(words[(me + k) % num] if k < num else words[k]) for k in range(8)]


def seat(word: Any, s: Any, me: int) -> list[bool]:
    return one_hot((int(word) - me) % int(s.rules.num_players) if word >= 0 else NONE, 8)


def result(s: Any, me: int) -> int:
    return int(s.results[me]) if s.rules.helper_features else NONE


def face_up(s: Any) -> list[list[bool]]:
    return [cards(pile if s.phase == PUNTING else 0) for pile in s.face_up]


def shown(s: Any, hands: Any) -> list[list[bool]]:
    return [cards(hand if s.rules.show_last else 0) for hand in hands]


FACTS: dict[str, Callable[[Any, int], Any]] = {
    "hand": lambda s, me: cards(s.hands[me]),
    "face_up": lambda s, me: face_up(s),
    "shown": lambda s, me: shown(s, turned(s.shown, s, me)),
    "shown_piles": lambda s, me: shown(s, s.shown_piles),
    "result": lambda s, me: one_hot(result(s, me), NUM_RESULTS),
    "phase": lambda s, me: one_hot(s.phase, 5),
    "last_actions": lambda s, me: [one_hot(did, 8) for did in turned(s.last_actions, s, me)],
    "bet_piles": lambda s, me: [one_hot(pile, 3) for pile in turned(s.bet_piles, s, me)],
    "turn": lambda s, me: seat(s.turn, s, me),
    "sun": lambda s, me: seat(s.sun, s, me),
    "banker": lambda s, me: seat(s.banker, s, me),
    "playing": lambda s, me: turned(s.playing, s, me),
    "folded": lambda s, me: turned(s.folded, s, me),
    "acted": lambda s, me: turned(s.acted, s, me),
    "street": lambda s, me: [s.street],
    "offered": lambda s, me: [s.offered],
    "rules": lambda s, me: [s.rules[name] for name in OPTIONS[:NUM_SMALL]],
    "limits": lambda s, me: [digits(s.rules[name]) for name in AMOUNTS],
    "hand_number": lambda s, me: digits(s.hand_number),
    "current": lambda s, me: digits(s.current),
    "last_raise": lambda s, me: digits(s.last_raise),
    "raises": lambda s, me: digits(s.raises),
    "bank": lambda s, me: digits(s.bank),
    "stake": lambda s, me: digits(s.stake),
    "stacks": lambda s, me: [digits(chips) for chips in turned(s.stacks, s, me)],
    "contrib": lambda s, me: [digits(chips) for chips in turned(s.contrib, s, me)],
    "round_bets": lambda s, me: [digits(chips) for chips in turned(s.round_bets, s, me)],
    "scores": lambda s, me: [digits(score) for score in turned(s.scores, s, me)],
}
"""What each piece says, of the record and the observer."""


def moments(variant: str) -> Iterator[tuple[Any, int, Array]]:
    """Records of random games, an observer, and what it sees."""
    rules, seeds = GAME.make_rules(**VARIANTS[variant]), np.arange(24)
    walked = [states.copy() for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds)]
    states = np.concatenate(walked)
    chosen = np.random.default_rng(1).permutation(len(states))[:SAMPLES]
    states = np.r_[states[chosen], walked[-1]]
    observers = np.arange(len(states)) % GAME.num_seats(rules)
    return zip(states, observers.tolist(), look(GAME, rules, states, observers), strict=True)


def test_every_piece_has_a_fact() -> None:
    assert list(FACTS) == list(LAYOUT.pieces)


@pytest.mark.parametrize("variant", VARIANTS)
def test_6_every_piece_says_what_it_names(variant: str) -> None:
    for s, me, observation in moments(variant):
        for name, piece in LAYOUT.split(observation).items():
            expected = np.array(FACTS[name](s, me), np.int8)
            assert np.array_equal(piece, expected), name


def test_every_piece_is_put_to_use() -> None:
    """The test above compares something: no piece is empty in all games."""
    seen = np.array([obs for variant in VARIANTS for _, _, obs in moments(variant)])
    assert [name for name, piece in LAYOUT.split(seen).items() if not piece.any()] == []


def test_6_one_layout_for_all_variants() -> None:
    assert {GAME.layout(GAME.make_rules(preset)).digest for preset in GAME.presets} == {
        LAYOUT.digest
    }


def test_6_places_of_seats_that_do_not_exist_are_empty() -> None:
    pieces = betting([1000, 1000]).act("full").pieces(1)
    for name in ("stacks", "contrib", "scores", "playing", "last_actions", "turn"):
        assert not pieces[name][2:].any()


def test_6_seats_are_relative() -> None:
    table = betting([900, 800, 700], sun=1).act("min")
    view = table.view(2)
    assert view.stacks[:3].tolist() == [690, 890, 780]
    assert (view.sun, view.turn) == (2, 0)


def test_6_own_cards_and_result_and_no_others() -> None:
    table = Table()
    for me in range(4):
        view = table.view(me)
        assert (view.hands[0], *view.hands[1:]) == (table.s.hands[me], *[0] * 7)
        assert view.results[0] == table.s.results[me]
        assert not view.dealt.any() and set(view.results[1:]) == {NONE}


def test_6_no_result_before_five_cards_or_without_helper_features() -> None:
    assert not betting([1000] * 2, deal_schedule="4+1").pieces(0)["result"].any()
    assert not Table(helper_features=False).pieces(0)["result"].any()
    assert RESULTS[Table().view(0).results[0]]


def test_6_hands_shown_last_only_if_wanted() -> None:
    for show_last in (False, True):
        table = betting([1000] * 3, show_last=show_last).act("min, call, fold")
        seen = table.pieces(1)["shown"].sum(axis=1)[:3].tolist()
        assert seen == ([5, 0, 5] if show_last else [0, 0, 0])
        bank = banking([100, 300], show_last=show_last, win_multiple=9).act("stake all, bet A min")
        assert bank.pieces(0)["shown_piles"].any() == show_last


def test_10_8_unseen_cards_change_nothing() -> None:
    """Two tables that differ in what seat 0 cannot see look the same to it."""
    one = betting([1000] * 3).hold("1G 1R 2A 2R 3G / 4A 4R 5A 5R 6A / 7A 7R 8G 8A 9A")
    other = betting([1000] * 3).hold("1G 1R 2A 2R 3G / 10A 10R 9R 8G 3R / 4A 6A 8A 9A 5R")
    other.s.chance.seed += 1
    for table in (one, other):
        table.act("min, call")
    for seat_seen in (0,):
        assert np.array_equal(one.observe(seat_seen), other.observe(seat_seen))
    assert np.array_equal(GAME.masks(one.states), GAME.masks(other.states))


def test_10_8_cards_to_come_change_nothing() -> None:
    options = {"deal_schedule": "2+3"}
    one = betting([1000] * 2, **options).hold("1G 1R 2A 2R 3G / 4A 4R 5A 5R 6A")
    other = betting([1000] * 2, **options).hold("1G 1R 7A 8A 9R / 4A 6R 10A 10R 6A")
    assert np.array_equal(one.observe(0), other.observe(0))
    assert not np.array_equal(
        one.act("check, check").observe(0), other.act("check, check").observe(0)
    )


def test_10_8_hidden_cards_of_the_piles_change_nothing() -> None:
    hands = "1G 1R 2A 2R 3G / 4A 4R 5A 5R 6A / 7A 7R 8G 8A 9A / 10A 10R 9R 6R 3R"
    others = "6R 2A 1R 3R 7R / 4A 1G 5A 5R 6A / 7A 2R 9R 8A 9A / 10A 10R 8G 3G 4R"
    one, other = (banking([100] * 3).hold(text) for text in (hands, others))
    assert np.array_equal(one.observe(0), other.observe(0))
    one.act("stake all")
    other.act("stake all")
    for me in range(3):
        assert np.array_equal(one.observe(me), other.observe(me))
