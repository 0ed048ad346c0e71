"""Section 11 of the rules: what a seat sees, piece by piece, and what it does not."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from envs.core.game import HIDDEN, OVER, Array
from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from envs.tichu.cards import PACK
from envs.tichu.moves import KIND, OTHER, RANK, SIZE
from envs.tichu.rules import OPTIONS
from envs.tichu.state import EXCHANGE, INTERRUPT, NO_CALL, NONE
from tests.conformance.play import look, walk
from tests.tichu.positions import Table, position

LAYOUT = GAME.layout(None)
VARIANTS: dict[str, dict[str, Any]] = {
    "match": {"max_rounds": 3, "start_scores": [123_45, -678], "first_dealer": 1},
    "public": {"bomb_ask": "public", "suit_choice": "always", "max_rounds": None},
}
SAMPLES = 300


def flags(cards: Any) -> list[bool]:
    return [bool(int(cards) >> card & 1) for card in range(56)]


def one_hot(value: Any, size: int, low: int = 0) -> list[bool]:
    return [value == low + place for place in range(size)]


def turned(words: Any, me: int) -> list[Any]:
    """One row a seat or team, from the observer's on."""
    return [words[(me + k) % len(words)] for k in range(len(words))]


def seat(word: Any, me: int) -> list[bool]:
    return one_hot((int(word) - me) % 4 if word >= 0 else NONE, 4)


def combination(move: Any) -> list[bool]:
    if move < 0:
        return [False] * (11 + 18 + 15 + 18)
    return [
        *one_hot(KIND[move], 11), *one_hot(RANK[move], 18), *one_hot(SIZE[move], 15),
        *one_hot(OTHER[move], 18),
    ]  # fmt: skip


def digits(value: Any, num: int) -> list[int]:
    """Signed digits to base 100, the lowest first."""
    sign = -1 if value < 0 else 1
    return [sign * (abs(int(value)) // 100**k % 100) for k in range(num)]


def may_call(s: Any, other: int) -> bool:
    return bool(s.calls[other] == NO_CALL and not s.played[other] and not s.num_out)


def rule_words(s: Any) -> list[int]:
    return [int(word) for name in OPTIONS for word in np.atleast_1d(s.rules[name])]


def expected(s: Any, me: int) -> dict[str, Any]:
    """Every piece of the observation of seat `me`, from what the rules let it know."""
    asked = s.turn == me
    played = int(np.bitwise_or.reduce(s.played))
    return {
        "hand": flags(s.hands[me]),
        "unseen": flags(PACK & ~(int(s.hands[me]) | played)),
        "given": [flags(card) for card in s.given[me]],
        "received": [flags(card) for card in s.received[me]],
        "played": [flags(cards) for cards in turned(s.played, me)],
        "table_cards": flags(s.table_cards),
        "pile": flags(s.pile),
        "chosen": flags(s.chosen if asked else 0),
        "table": combination(s.table),
        "begun": combination(s.begun if asked else NONE),
        "phase": one_hot(s.phase if asked else s.stage, 10),
        "stage": one_hot(s.stage, 10),
        "sizes": [one_hot(size, 15) for size in turned(s.sizes, me)],
        "calls": [one_hot(call, 3) for call in turned(s.calls, me)],
        "place": [one_hot(place, 4) for place in turned(s.place, me)],
        "value": one_hot(s.value, 31),
        "wish": one_hot(s.wish, 18),
        "wished": one_hot(s.wished, 18, -1),
        "slot": one_hot(s.slot if asked else 0, 18),
        **{name: seat(s[name], me) for name in ("dealer", "next_seat", "owner", "passer")},
        "mahjong": seat(s.mahjong, me),
        "asked": asked,
        "may_call": [may_call(s, other) for other in turned(range(4), me)],
        "lacks": turned(s.lacks, me),
        "num_out": s.num_out,
        "passes": s.passes,
        "points": turned(s.points, me),
        "slotted": s.slotted if asked else 0,
        "pending": s.pending if asked else 0,
        "rules": [digits(word, 3) for word in rule_words(s)],
        "rounds": digits(s.rounds, 3),
        "team_scores": [digits(score, 4) for score in turned(s.team_scores, me)],
        "scores": [digits(score, 4) for score in turned(s.scores, me)],
    }


def sample(variant: str) -> Iterator[tuple[Any, int]]:
    """Moments of random play, each with a seat."""
    rules, seeds = GAME.make_rules(**VARIANTS[variant]), np.arange(20)
    rng, found = np.random.default_rng(1), 0
    for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds):
        for state in states[rng.random(len(states)) < 0.03]:
            yield state, int(rng.integers(4))
            found += 1
        if found > SAMPLES:
            return


@pytest.mark.parametrize("variant", VARIANTS)
def test_11_every_piece_says_what_the_seat_may_know(variant: str) -> None:
    for s, me in sample(variant):
        seen = look(GAME, None, np.array([s]), np.array([me]))
        pieces = {name: piece[0] for name, piece in LAYOUT.split(seen).items()}
        wanted = expected(s, me)
        assert set(pieces) == set(wanted)
        for name, piece in pieces.items():
            assert np.array_equal(piece, np.reshape(np.array(wanted[name]), piece.shape)), name


@pytest.mark.parametrize("variant", VARIANTS)
def test_11_views_are_read_back(variant: str) -> None:
    for s, me in sample(variant):
        view = Table(np.array([s])).view(me)[0]
        assert view.turn == (OVER if s.turn == OVER else 0 if s.turn == me else HIDDEN)
        assert view.hands.tolist() == [int(s.hands[me]), 0, 0, 0]
        assert view.played.tolist() == turned(s.played, me)
        assert view.table == s.table
        assert view.owner == ((s.owner - me) % 4 if s.owner >= 0 else NONE)
        assert view.team_scores.tolist() == turned(s.team_scores, me % 2)
        assert view.scores.tolist() == turned(s.scores, me)
        assert [int(card) for card in view.given[0]] == s.given[me].tolist()
        assert rule_words(view) == rule_words(s)


def test_9_2_questions_out_of_turn_are_seen_by_nobody_else() -> None:
    hands = ("3g 4g", "2g 5g", "2b 6b", "8g 8k 8b 8r 2k")
    asked = position(*hands).act("3g")
    answered = position(*hands).act("3g; decline")
    assert asked.asked == "3 interrupt"
    for other in (0, 2):
        assert_same(asked, answered, other)
    assert asked.see(3)["phase"].tolist() == one_hot(INTERRUPT, 10)
    assert asked.see(1)["stage"].tolist() == answered.see(1)["stage"].tolist()


def test_9_2_nor_is_the_gift_told_from_a_trick_about_to_be_taken() -> None:
    hands = ("DR 4g", "2g 5g", "2b 6b", "8g 8k 8b 8r 2k")
    asked = position(*hands).act("DR; decline; pass; decline; pass; pass")
    assert asked.asked == "0 gift"
    bombed = position("DR 4g", "8g 8k 8b 8r 5g", "2b 6b", "2g 2k").act("DR; pass; pass")
    bombed.act("decline; pass")
    assert bombed.asked == "1 interrupt"
    for name in ("phase", "stage", "next_seat"):
        assert asked.see(2)[name].tolist() == bombed.see(2)[name].tolist()


def test_9_2_picks_of_the_exchange_are_seen_by_nobody_else() -> None:
    rules = GAME.make_rules("round", first_dealer=0)
    seen, found = None, 0
    for states, _ in walk(GAME, GAME.new_games(rules, [4]), np.array([4])):
        s = states[0]
        if s.stage == EXCHANGE and s.turn != 3:
            now = look(GAME, rules, states, np.array([3]))
            assert seen is None or np.array_equal(now, seen)
            seen, found = now, found + 1
    assert found == 9


def assert_same(a: Table, b: Table, observer: int) -> None:
    first, second = a.see(observer), b.see(observer)
    for name, piece in first.items():
        assert np.array_equal(piece, second[name]), name


def redistributed(states: Array, seats: Array) -> Array:
    """Worlds with other cards that the seats cannot tell from the truth, seen from seat 0."""
    views = np.zeros(len(states), GAME.state)
    GAME.decode(look(GAME, None, states, seats), views)
    GAME.resample(views, spawn_seeds(5, len(views)))
    return views


def test_14_6_observations_do_not_depend_on_hidden_cards() -> None:
    rules, seeds = GAME.make_rules("round"), np.arange(40)
    for number, (states, _) in enumerate(walk(GAME, GAME.new_games(rules, seeds), seeds)):
        if number % 9 == 0:
            seats = seeds % 4
            worlds = redistributed(states, seats)
            seen = look(GAME, rules, states, seats)
            assert np.array_equal(look(GAME, rules, worlds, np.zeros_like(seats)), seen)
