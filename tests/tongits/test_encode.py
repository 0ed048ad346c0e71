"""Section 11 of the rules: what a seat sees, piece by piece, and what it does not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.tongits import GAME
from envs.tongits.cards import format_card, format_cards, parse_cards
from envs.tongits.rules import OPTIONS
from envs.tongits.state import ENDED, NONE, STOCK_SIZE
from envs.tongits.values import hand_value
from tests.conformance.play import look, walk
from tests.tongits.positions import LAYOUT, dealt, position

VARIANTS: dict[str, dict[str, Any]] = {
    "seed": {},
    "filipino": GAME.presets["filipino"],
    "jackpot": GAME.presets["jackpot"],
}
SAMPLES = 400
MELDS = "0 7S 7H 7D | 1 9S TS JS | 2 JH JD JC"


def bits(cards: Any) -> list[int]:
    return [int(cards) >> card & 1 for card in range(52)]


def one_hot(value: Any, size: int, low: int = 0) -> list[bool]:
    return [value == low + place for place in range(size)]


def turned(words: Any, me: int) -> list[int]:
    """One value a seat, from the observer on."""
    return [int(words[(me + k) % 3]) for k in range(3)]


def seat(word: Any, me: int) -> list[bool]:
    return one_hot((int(word) - me) % 3 if word >= 0 else NONE, 3)


def digits(value: int) -> list[int]:
    sign = -1 if value < 0 else 1
    return [sign * (abs(value) // 100**place % 100) for place in range(3)]


FACTS: dict[str, Callable[[Any, int], Any]] = {
    "hand": lambda s, me: bits(s.hands[me]),
    "drawn": lambda s, me: bits(s.drawn if s.turn == me else 0),
    "melds": lambda s, me: [bits(cards) for cards in turned(s.melds, me)],
    "sets": lambda s, me: bits(s.sets),
    "laid_off": lambda s, me: [bits(cards) for cards in turned(s.laid_off, me)],
    "discards": lambda s, me: [bits(cards) for cards in turned(s.discards, me)],
    "taken": lambda s, me: bits(s.taken),
    "discard_order": lambda s, me: s.pile,
    "top": lambda s, me: one_hot(s.top, 52),
    "phase": lambda s, me: one_hot(s.phase, 4),
    "answers": lambda s, me: [one_hot(word, 2, low=1) for word in turned(s.answers, me)],
    "turn": lambda s, me: seat(s.turn, me),
    "dealer": lambda s, me: seat(s.dealer, me),
    "knocker": lambda s, me: seat(s.knocker, me),
    "streak_seat": lambda s, me: seat(s.streak_seat, me),
    "sizes": lambda s, me: turned(s.sizes, me),
    "registered": lambda s, me: turned(s.melds != 0, me),
    "blocked": lambda s, me: turned(s.blocked, me),
    "stock_size": lambda s, me: [s.stock_size],
    "pile_size": lambda s, me: [s.pile_size],
    "turns": lambda s, me: [s.turns],
    "value": lambda s, me: [hand_value(int(s.hands[me]))],
    "hand_number": lambda s, me: [s.hand_number],
    "streak": lambda s, me: [s.streak],
    "rules": lambda s, me: list(s.rules),
    "pot": lambda s, me: digits(int(s.pot)),
    "scores": lambda s, me: [digits(score) for score in turned(s.scores, me)],
}
"""What each piece says, of the record and the observer."""


def moments(variant: str) -> Iterator[tuple[Any, int, Array]]:
    """Records of random games, an observer, and what it sees."""
    rules = GAME.make_rules(**VARIANTS[variant])
    seeds = np.arange(64)
    walked = [states.copy() for states, _ in walk(GAME, GAME.new_games(rules, seeds), seeds)]
    states = np.concatenate(walked)
    chosen = np.random.default_rng(1).permutation(len(states))[:SAMPLES]
    states = np.r_[states[chosen], walked[-1]]
    observers = np.arange(len(states)) % 3
    return zip(states, observers.tolist(), look(GAME, rules, states, observers), strict=True)


def test_every_piece_has_a_fact() -> None:
    assert list(FACTS) == list(LAYOUT.pieces)


@pytest.mark.parametrize("variant", VARIANTS)
def test_11_1_every_piece_says_what_it_names(variant: str) -> None:
    for s, me, observation in moments(variant):
        for name, piece in LAYOUT.split(observation).items():
            expected = np.array(FACTS[name](s, me), np.int8)
            assert np.array_equal(piece, expected.reshape(piece.shape)), name


def test_every_piece_is_put_to_use() -> None:
    """The test above compares something: no piece is empty in all games."""
    seen = np.array([obs for variant in VARIANTS for _, _, obs in moments(variant)])
    assert [name for name, piece in LAYOUT.split(seen).items() if not piece.any()] == []


def test_11_1_the_options_as_numbers() -> None:
    table = dealt(first_dealer=2, knock_block="any", bonus_ranks="K", num_hands=7)
    rules = dict(zip(OPTIONS, table.pieces(0)["rules"].tolist(), strict=True))
    assert (rules["first_dealer"], rules["knock_block"], rules["bonus_ranks"]) == (3, 2, 2)
    assert (rules["dealer_cards"], rules["num_hands"], rules["score_quad"]) == (12, 7, 3)


def test_11_1_who_did_what() -> None:
    table = position("8S KD 2C | 8H 3C 4D | TD 2H 8D", phase="DRAW", melds=MELDS, stock="QS QH QD")
    table.play("DRAW, LAYOFF 8S LOW, LAYOFF QS HIGH, DISCARD 2C, DRAW, DISCARD 3C")
    view = table.view(2)
    assert format_cards(int(view.melds[2])) == "8S 9S TS JS QS"
    assert [format_cards(int(cards)) for cards in view.laid_off] == ["", "8S QS", ""]
    assert [format_cards(int(cards)) for cards in view.discards] == ["", "2C", "3C"]
    assert [format_card(card) for card in view.pile[: view.pile_size]] == ["2C", "3C"]
    assert (view.turn, view.turns, view.stock_size) == (0, 2, 1)
    assert view.sizes.tolist() == [3, 1, 3]


def test_11_1_cards_taken_from_the_pile() -> None:
    table = position("KD KC 2C 3D | 8H | TD", phase="DRAW", pile="5H KS")
    view = table.play("TAKE KS KD KC").view(1)
    assert (format_cards(int(view.taken)), format_card(view.top)) == ("KS", "5H")
    assert [format_cards(int(cards)) for cards in view.discards] == ["", "", "5H"]


def test_11_1_the_drawn_card_is_known_to_its_seat_until_the_turn_ends() -> None:
    table = position("KD 3C 2C | 8H 4S | TD", phase="DRAW", stock="QS QH").play("DRAW")
    assert format_cards(int(table.view(0).drawn)) == "QS"
    assert not any(table.pieces(seat)["drawn"].any() for seat in (1, 2))
    table.play("DISCARD KD")
    assert not any(table.pieces(seat)["drawn"].any() for seat in range(3))


def test_11_2_other_hands_are_never_seen() -> None:
    table = position("2S 3C | 4S 5C | 6S 7C", phase="DRAW", melds=MELDS)
    for words in ("", "KNOCK", "CHALLENGE", "CHALLENGE"):
        table.play(words)
        for me in range(3):
            view = table.view(me)
            assert (view.hands[0], *view.hands[1:]) == (table.s.hands[me], 0, 0)
    assert table.s.phase == ENDED


def test_11_2_nothing_is_seen_of_the_stock() -> None:
    table, other = (position("KD | 8H | TD", stock=stock) for stock in ("QS QH QD", "AS QD 3S"))
    assert all(np.array_equal(table.observe(me), other.observe(me)) for me in range(3))


def test_11_3_d24_the_order_of_the_pile_is_seen() -> None:
    table, other = (position("KD | 8H | TD", pile=pile) for pile in ("2S 3S 4S", "3S 2S 4S"))
    assert not np.array_equal(table.observe(0), other.observe(0))
    order = table.pieces(1)["discard_order"]
    assert [format_card(card) for card in order[:3]] == ["2S", "3S", "4S"]
    assert (order[3:] == -1).all()


def test_11_4_the_value_of_the_own_hand() -> None:
    table = position("KS KH KD 2S 3S | 8H 9H | TD")
    assert [table.pieces(me)["value"].item() for me in range(3)] == [5, 17, 10]


@pytest.mark.parametrize("scores", [[300_000, -300_000, 0], [99, -100, 1], [-250, 101, 149]])
def test_11_4_scores_beyond_one_digit_and_below_zero(scores: list[int]) -> None:
    table = dealt(num_hands=100)
    table.s.scores[:] = scores
    for me in range(3):
        assert table.view(me).scores.tolist() == scores[me:] + scores[:me]


def test_the_state_vector_is_all_cards_and_what_seat_0_sees() -> None:
    layout = GAME.state_layout(GAME.make_rules())
    table = dealt(3).play("DRAW")
    for _ in range(4):
        table.play(table.legal("DISCARD")[-1]).play("DRAW")
        vectors = np.zeros((1, layout.size), np.int8)
        GAME.observe_state(table.states, np.zeros(1, np.int64), vectors)
        pieces = layout.split(vectors[0])
        assert pieces["all_hands"].tolist() == [bits(hand) for hand in table.s.hands]
        drawn_next = table.s.stock[: table.s.stock_size][::-1]
        assert np.argmax(pieces["true_stock"], 1)[: len(drawn_next)].tolist() == drawn_next.tolist()
        assert pieces["true_stock"].sum(1).tolist() == [1] * len(drawn_next) + [0] * (
            STOCK_SIZE - len(drawn_next)
        )
        assert np.array_equal(vectors[0, -LAYOUT.size :], table.observe(0))


def test_a_finished_game_has_nobody_on_turn() -> None:
    table = position("2C | 8H | TD", melds=MELDS).play("DISCARD 2C")
    assert table.s.turn == OVER
    assert [table.pieces(me)["turn"].any() for me in range(3)] == [False] * 3
    assert parse_cards("2C") == table.view(0).discards[0]


def test_the_layout_is_documented_whole() -> None:
    table = LAYOUT.table()
    assert all(f"| `{name}` |" in table for name in LAYOUT.pieces)
    assert all(piece.meaning for piece in LAYOUT.pieces.values())
