"""Section 12 of the rules: what a seat sees, piece by piece, and what it does not."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_3, counts_of, format_cards, parse_cards
from envs.doudizhu.moves import KIND, LENGTH, RANK
from envs.doudizhu.rules import OPTIONS
from envs.doudizhu.state import BIDDING, DOUBLING, ENDED, NONE, PLAYING, SNATCHING
from tests.conformance.play import look, walk
from tests.doudizhu.positions import Table, auction, game_of

LAYOUT = GAME.layout(GAME.make_rules())
VARIANTS: dict[str, dict[str, Any]] = {
    "online": {**GAME.presets["online"], "hands_per_match": 3},
    "hidden bottom": {"reveal_bottom": False, "hands_per_match": 2, "all_pass": "void"},
    "redeals": {"doubling": "double", "snatch": True, "snatch_by_passers": True},
}
SAMPLES = 400


def thermometer(cards: Any) -> list[list[bool]]:
    return [[count > level for count in counts_of(cards)] for level in range(4)]


def one_hot(value: Any, size: int, low: int = 0) -> list[bool]:
    return [value == low + place for place in range(size)]


def turned(words: Any, me: int) -> list[int]:
    """One value a seat, from the observer on."""
    return [int(words[(me + k) % 3]) for k in range(3)]


def seat(word: Any, me: int) -> list[bool]:
    return one_hot((int(word) - me) % 3 if word >= 0 else NONE, 3)


def declared(move: Any) -> list[bool]:
    if move < 0:
        return [False] * (23 + 15 + 13)
    return [*one_hot(KIND[move], 23), *one_hot(RANK[move], 15), *one_hot(LENGTH[move], 13)]


def own_choice(s: Any, me: int, value: Any, nothing: int) -> Any:
    """A part of the selection in progress (RULES 14.6)."""
    return value if s.turn == me else nothing


def bottom(s: Any, me: int) -> int:
    known = s.landlord != NONE and (s.rules.reveal_bottom or s.landlord == me)
    return int(s.bottom) if known or s.turn == OVER else 0


def digits(value: int) -> list[int]:
    sign = -1 if value < 0 else 1
    return [sign * (abs(value) // 100**place % 100) for place in range(5)]


FACTS: dict[str, Callable[[Any, int], Any]] = {
    "hand": lambda s, me: thermometer(s.hands[me]),
    "unseen": lambda s, me: thermometer(DECK_3 - s.hands[me] - s.played.sum()),
    "bottom": lambda s, me: thermometer(bottom(s, me)),
    "table_cards": lambda s, me: thermometer(s.table_cards),
    "chosen": lambda s, me: thermometer(own_choice(s, me, s.chosen, 0)),
    "played": lambda s, me: [thermometer(cards) for cards in turned(s.played, me)],
    "last_cards": lambda s, me: [thermometer(cards) for cards in turned(s.last_cards, me)],
    "table": lambda s, me: declared(s.table),
    "begun": lambda s, me: declared(own_choice(s, me, s.begun, NONE)),
    "sizes": lambda s, me: [one_hot(size, 21) for size in turned(s.sizes, me)],
    "phase": lambda s, me: one_hot(s.phase, 5),
    "calls": lambda s, me: [one_hot(call, 5, low=-1) for call in turned(s.calls, me)],
    "bids": lambda s, me: [one_hot(bid, 4) for bid in turned(s.bids, me)],
    "base_score": lambda s, me: one_hot(s.base_score, 4),
    "factors": lambda s, me: [one_hot(factor, 5) for factor in turned(s.factors, me)],
    "face_up": lambda s, me: one_hot(s.face_up, 15),
    "face_up_seat": lambda s, me: seat(s.face_up_seat, me),
    "turn": lambda s, me: seat(s.turn, me),
    "landlord": lambda s, me: seat(s.landlord, me),
    "table_seat": lambda s, me: seat(s.table_seat, me),
    "first": lambda s, me: seat(s.first, me),
    "bidder": lambda s, me: seat(s.bidder, me),
    "snatched": lambda s, me: turned(s.snatched, me),
    "passed": lambda s, me: turned(s.passed, me),
    "plays": lambda s, me: turned(s.plays, me),
    "bombs": lambda s, me: turned(s.bombs, me),
    "counted_bombs": lambda s, me: [s.counted_bombs],
    "passes": lambda s, me: [s.passes],
    "num_calls": lambda s, me: [s.num_calls],
    "asked": lambda s, me: [s.asked],
    "all_passes": lambda s, me: [s.all_passes],
    "hand_number": lambda s, me: [s.hand_number],
    "pending": lambda s, me: [own_choice(s, me, s.pending, 0)],
    "rules": lambda s, me: list(s.rules),
    "scores": lambda s, me: [digits(score) for score in turned(s.scores, me)],
}
"""What each piece says, of the record and the observer."""


def moments(variant: str) -> Iterator[tuple[Any, int, Array]]:
    """Records of random games, an observer, and what it sees."""
    rules = GAME.make_rules(**VARIANTS[variant])
    seeds = np.arange(64)
    games = GAME.new_games(rules, seeds)
    for _ in range(3):
        GAME.apply(games, np.where(seeds % 2, 0, -1))  # in half of them nobody bids
    walked = [states.copy() for states, _ in walk(GAME, games, seeds)]
    states = np.concatenate(walked)
    chosen = np.random.default_rng(1).permutation(len(states))[:SAMPLES]
    states = np.r_[states[chosen], states[states["pending"] > 1], walked[-1]]
    observers = np.arange(len(states)) % 3
    choosing = (states["pending"] > 0) & (observers > 0)  # two thirds of those who choose kickers
    observers = np.where(choosing, states["turn"], observers)
    return zip(states, observers.tolist(), look(GAME, rules, states, observers), strict=True)


def test_every_piece_has_a_fact() -> None:
    assert list(FACTS) == list(LAYOUT.pieces)


@pytest.mark.parametrize("variant", VARIANTS)
def test_12_every_piece_says_what_it_names(variant: str) -> None:
    for s, me, observation in moments(variant):
        for name, piece in LAYOUT.split(observation).items():
            expected = np.array(FACTS[name](s, me), np.int8)
            assert np.array_equal(piece, expected), name


def test_every_piece_is_put_to_use() -> None:
    """The test above compares something: no piece is empty in all games."""
    seen = np.array([obs for variant in VARIANTS for _, _, obs in moments(variant)])
    assert [name for name, piece in LAYOUT.split(seen).items() if not piece.any()] == []


def test_12_the_options_as_numbers() -> None:
    table = auction(auction="continuous", doubling="super", max_redeals=7, snatch=True)
    rules = dict(zip(OPTIONS, table.pieces(0)["rules"].tolist(), strict=True))
    assert (rules["auction"], rules["doubling"], rules["max_redeals"], rules["snatch"]) == (
        1,
        2,
        7,
        1,
    )
    assert (rules["players"], rules["all_pass"], rules["reveal_bottom"]) == (3, 0, 1)


def test_12_the_auction_as_it_went() -> None:
    view = auction(1, auction="continuous", snatch=True).act("pass 1 2 pass 3 snatch").view(0)
    assert view.calls[:3].tolist() == [2, 0, 3]  # the last of each seat
    assert view.bids[:3].tolist() == [2, 0, 3]
    assert (view.first, view.bidder, view.num_calls) == (1, 2, 5)
    assert (view.snatched[:3].tolist(), view.asked) == ([1, 0, 0], 3)


def test_12_the_tricks_as_they_went() -> None:
    table = game_of("356T 478 69J", base=2).act("3 4 pass 5 7 pass")
    view = table.view(1)
    assert [format_cards(int(cards)) for cards in view.played[:3]] == ["47", "", "35"]
    assert [format_cards(int(cards)) for cards in view.last_cards[:3]] == ["7", "", "5"]
    assert (view.plays[:3].tolist(), view.sizes[:3].tolist()) == ([2, 0, 2], [1, 3, 2])
    assert (view.table_seat, format_cards(int(view.table_cards))) == (0, "7")
    assert (view.passes, view.passed[:3].tolist(), view.turn) == (1, [0, 1, 0], 2)
    assert (view.landlord, view.base_score) == (2, 2)
    view = table.act("pass").view(1)
    assert (view.passes, view.passed[:3].tolist(), view.turn, view.table) == (0, [0, 0, 0], 0, NONE)
    view = table.act("8").view(1)
    assert (view.phase, view.turn) == (ENDED, NONE)
    assert view.scores[:3].tolist() == [2, 2, -4]


def test_12_bombs_as_they_were_played() -> None:
    table = game_of("33335 4444BR6 9", bomb_counts_from=5).act("3333 4444 pass pass BR")
    view = table.view(2)
    assert (view.bombs[:3].tolist(), view.counted_bombs) == ([0, 1, 2], 1)


def test_12_own_hand_and_no_other() -> None:
    table = auction().act("pass 3")
    for me in range(3):
        view = table.view(me)
        assert (view.hands[0], *view.hands[1:]) == (table.s.hands[me], 0, 0, 0)


def test_12_1_the_bottom_is_among_the_unseen_cards() -> None:
    table = auction(reveal_bottom=False)
    for calls in ("", "3"):
        table.act(calls)
        for me in range(3):
            assert table.view(me).unseen == DECK_3 - table.s.hands[me]


@pytest.mark.parametrize("reveal", [True, False])
@pytest.mark.parametrize(
    ("calls", "phase"),
    [("", BIDDING), ("3", SNATCHING), ("3 decline decline", DOUBLING),
     ("3 decline decline x1 x1 x1", PLAYING)],
)  # fmt: skip
def test_12_who_sees_the_bottom(calls: str, phase: int, reveal: bool) -> None:
    table = auction(snatch=True, doubling="double", reveal_bottom=reveal).act(calls)
    assert table.s.phase == phase
    known = phase in (DOUBLING, PLAYING)
    for me, may_know in enumerate([known, known and reveal, known and reveal]):
        assert table.view(me).bottom == (table.s.bottom if may_know else 0)


@pytest.mark.parametrize("reveal", [True, False])
def test_12_everybody_sees_the_bottom_after_the_hand(reveal: bool) -> None:
    table = auction(reveal_bottom=reveal).act("3").hold("3 44 55").act("3")
    assert table.s.phase == ENDED
    assert all(table.view(me).bottom == table.s.bottom for me in range(3))


def test_12_the_bottom_of_the_next_hand_is_hidden_again() -> None:
    table = auction(hands_per_match=2).act("3").hold("3 44 55").act("3")
    assert all(table.view(me).bottom == 0 for me in range(3))


def test_12_everybody_sees_the_bottom_after_a_void_match() -> None:
    table = auction(all_pass="void").act("pass pass pass")
    assert all(table.view(me).bottom == table.s.bottom for me in range(3))


def test_14_6_the_selection_is_seen_by_its_own_seat_only() -> None:
    table = game_of("3334449TJ 55 66", landlord=0)
    before = [table.observe(me) for me in range(3)]
    action = GAME.parse_play(table.s, "333444+9T")[0]
    for chosen in ("", "9"):
        GAME.apply(table.states, np.array([action]))
        pieces = table.pieces(0)
        assert np.array_equal(pieces["begun"], declared(table.s.begun))
        assert np.array_equal(pieces["chosen"], thermometer(parse_cards(chosen)))
        assert pieces["pending"] == len(chosen) + 1
        assert all(np.array_equal(table.observe(me), before[me]) for me in (1, 2))
        action = GAME.parse_play(table.s, "333444+9T")[1]
    assert table.view(0).hands[0] == table.s.hands[0] == parse_cards("3334449TJ")


@pytest.mark.parametrize(
    "scores",
    [[12345, -12000, -345], [-49152, 24576, 24576], [629_145_600, -314_572_800, -314_572_800],
     [0, 99, -99], [100, -100, 0]],
)  # fmt: skip
def test_12_scores_beyond_one_digit_and_below_zero(scores: list[int]) -> None:
    table = auction(hands_per_match=100)
    table.s.scores[:3] = scores
    for me in range(3):
        assert table.view(me).scores[:3].tolist() == scores[me:] + scores[:me]


def exchange(table: Table, one: int, two: int) -> Table:
    """The same game after two seats exchanged a low and a high card."""
    other = table.copy()
    low, high = parse_cards(table.hands[one][0]), parse_cards(table.hands[two][-1])
    other.s.hands[one] += high - low
    other.s.hands[two] += low - high
    return other


def test_17_4_hidden_cards_change_nothing_that_a_third_seat_sees() -> None:
    for calls in ("", "1", "pass 3"):
        table = auction(reveal_bottom=False).act(calls)
        for me in range(3):
            other = exchange(table, (me + 1) % 3, (me + 2) % 3)
            assert not np.array_equal(other.states, table.states)
            assert np.array_equal(other.observe(me), table.observe(me))
            if me == table.s.turn:
                assert np.array_equal(other.mask, table.mask)


def test_17_4_before_there_is_a_landlord_the_bottom_is_hidden_as_well() -> None:
    table, other = auction(), auction()
    bottom_card = parse_cards(GAME.read_deal(table.s)["bottom"][0])
    hand_card = parse_cards(table.hands[1][-1])
    assert bottom_card != hand_card
    other.s.bottom += hand_card - bottom_card
    other.s.hands[1] += bottom_card - hand_card
    assert all(np.array_equal(other.observe(me), table.observe(me)) for me in (0, 2))


def test_the_state_vector_is_all_cards_and_what_seat_0_sees() -> None:
    rules = GAME.make_rules()
    layout = GAME.state_layout(rules)
    for table in (auction(), auction().act("pass 2 pass"), auction(2).act("3")):
        vectors = np.zeros((1, layout.size), np.int8)
        GAME.observe_state(table.states, vectors)
        pieces = layout.split(vectors[0])
        for hand, cards in zip(pieces["all_hands"], table.s.hands[:3], strict=True):
            assert np.array_equal(hand, thermometer(cards))
        assert np.array_equal(pieces["true_bottom"], thermometer(table.s.bottom))
        assert np.array_equal(vectors[0, -LAYOUT.size :], table.observe(0))


def test_the_layout_is_documented_whole() -> None:
    table = LAYOUT.table()
    assert all(f"| `{name}` |" in table for name in LAYOUT.pieces)
    assert all(piece.meaning for piece in LAYOUT.pieces.values())


def test_seats_are_relative_to_the_observer() -> None:
    """The same position with the seats turned looks the same."""
    table = auction(0, seed=4).act("1 3")
    deal = GAME.read_deal(auction(0, seed=4).s)
    turned_table = Table(GAME.new_games(GAME.make_rules(), [9]))
    hands = deal["hands"][-1:] + deal["hands"][:-1]
    GAME.write_deal(turned_table.s, {**deal, "hands": hands, "first": 1})
    turned_table.act("1 3")
    for me in range(3):
        assert np.array_equal(table.observe(me), turned_table.observe((me + 1) % 3))
