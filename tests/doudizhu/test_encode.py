"""Section 12 of the rules: what a seat sees, piece by piece, and what it does not."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.doudizhu import GAME
from envs.doudizhu.cards import counts_of, deck_counts, format_cards, parse_cards
from envs.doudizhu.moves import KIND, LENGTH, RANK
from envs.doudizhu.rules import OPTIONS
from envs.doudizhu.state import BIDDING, DOUBLING, ENDED, NONE, PLAYING, SNATCHING
from tests.conformance.play import look, walk
from tests.doudizhu.positions import Table, auction, game_of, layout_of

ROOM = {"snatch": True, "doubling": "super", "auction": "continuous", "hands_per_match": 2}
VARIANTS: dict[str, dict[str, Any]] = {
    "online": {**GAME.presets["online"], "hands_per_match": 3},
    "hidden bottom": {"reveal_bottom": False, "hands_per_match": 2, "all_pass": "void"},
    "redeals": {"doubling": "double", "snatch": True, "snatch_by_passers": True},
    "four players": {**ROOM, "players": 4},
    "four players, all kinds": {**GAME.presets["four_players_all_types"], "reveal_bottom": False},
    "wild three": {"wild": "three", "wild_alone": "own_rank", "pure_wild_bomb": "top"},
    "wild random": {**ROOM, "wild": "random"},
}
SAMPLES = 80
Moment = tuple[Any, int, dict[str, Array]]


def thermometer(s: Any, cards: Any) -> list[list[bool]]:
    levels = 8 if s.rules.players == 4 else 4
    return [[count > level for count in counts_of(cards)] for level in range(levels)]


def one_hot(value: Any, size: int, low: int = 0) -> list[bool]:
    return [value == low + place for place in range(size)]


def turned(s: Any, words: Any, me: int) -> list[int]:
    """One value a seat, from the observer on."""
    return [int(words[(me + k) % s.rules.players]) for k in range(s.rules.players)]


def seat(s: Any, word: Any, me: int) -> list[bool]:
    seats = int(s.rules.players)
    return one_hot((int(word) - me) % seats if word >= 0 else NONE, seats)


def declared(move: Any) -> list[bool]:
    if move < 0:
        return [False] * (23 + 15 + 13)
    return [*one_hot(KIND[move], 23), *one_hot(RANK[move], 15), *one_hot(LENGTH[move], 13)]


def own_choice(s: Any, me: int, value: Any, nothing: int) -> Any:
    """A part of the selection in progress (RULES 14.6)."""
    return value if s.turn == me else nothing


def unseen(s: Any, me: int) -> int:
    return deck_counts(int(s.rules.players)) - int(s.hands[me]) - int(s.played.sum())


def bottom(s: Any, me: int) -> int:
    known = s.landlord != NONE and (s.rules.reveal_bottom or s.landlord == me)
    return int(s.bottom) if known or s.turn == OVER else 0


def wild(s: Any) -> int:
    """The wild rank as everybody knows it; one that is drawn appears with the landlord."""
    drawn = s.rules.wild == 2
    return NONE if drawn and s.landlord == NONE else int(s.wild)


def digits(value: int) -> list[int]:
    sign = -1 if value < 0 else 1
    return [sign * (abs(value) // 100**place % 100) for place in range(5)]


FACTS: dict[str, Callable[[Any, int], Any]] = {
    "hand": lambda s, me: thermometer(s, s.hands[me]),
    "unseen": lambda s, me: thermometer(s, unseen(s, me)),
    "bottom": lambda s, me: thermometer(s, bottom(s, me)),
    "table_cards": lambda s, me: thermometer(s, s.table_cards),
    "placed": lambda s, me: thermometer(s, own_choice(s, me, s.placed, 0)),
    "chosen": lambda s, me: thermometer(s, own_choice(s, me, s.chosen, 0)),
    "played": lambda s, me: [thermometer(s, played) for played in turned(s, s.played, me)],
    "last_cards": lambda s, me: [thermometer(s, last) for last in turned(s, s.last_cards, me)],
    "table": lambda s, me: declared(s.table),
    "begun": lambda s, me: declared(own_choice(s, me, s.begun, NONE)),
    "sizes": lambda s, me: [
        one_hot(size, 34 if s.rules.players == 4 else 21) for size in turned(s, s.sizes, me)
    ],
    "phase": lambda s, me: one_hot(s.phase, 5),
    "calls": lambda s, me: [one_hot(call, 5, low=-1) for call in turned(s, s.calls, me)],
    "bids": lambda s, me: [one_hot(bid, 4) for bid in turned(s, s.bids, me)],
    "base_score": lambda s, me: one_hot(s.base_score, 4),
    "factors": lambda s, me: [one_hot(factor, 5) for factor in turned(s, s.factors, me)],
    "face_up": lambda s, me: one_hot(s.face_up, 15),
    "wild": lambda s, me: one_hot(wild(s), 13),
    "face_up_seat": lambda s, me: seat(s, s.face_up_seat, me),
    "turn": lambda s, me: seat(s, s.turn, me),
    "landlord": lambda s, me: seat(s, s.landlord, me),
    "table_seat": lambda s, me: seat(s, s.table_seat, me),
    "first": lambda s, me: seat(s, s.first, me),
    "bidder": lambda s, me: seat(s, s.bidder, me),
    "snatched": lambda s, me: turned(s, s.snatched, me),
    "passed": lambda s, me: turned(s, s.passed, me),
    "plays": lambda s, me: turned(s, s.plays, me),
    "bombs": lambda s, me: turned(s, s.bombs, me),
    "counted_bombs": lambda s, me: [s.counted_bombs],
    "passes": lambda s, me: [s.passes],
    "num_calls": lambda s, me: [s.num_calls],
    "asked": lambda s, me: [s.asked],
    "all_passes": lambda s, me: [s.all_passes],
    "hand_number": lambda s, me: [s.hand_number],
    "placing": lambda s, me: [own_choice(s, me, s.placing, 0)],
    "pending": lambda s, me: [own_choice(s, me, s.pending, 0)],
    "rules": lambda s, me: list(s.rules),
    "scores": lambda s, me: [digits(score) for score in turned(s, s.scores, me)],
}
"""What each piece says, of the record and the observer."""


@cache
def moments(variant: str) -> list[Moment]:
    """Records of random games, an observer, and what it sees, piece by piece."""
    rules = GAME.make_rules(**VARIANTS[variant])
    seeds = np.arange(64)
    games = GAME.new_games(rules, seeds)
    for _ in range(rules.players):
        GAME.apply(games, np.where(seeds % 2, 0, -1))  # in half of them nobody bids
    walked = [states.copy() for states, _ in walk(GAME, games, seeds)]
    states = np.concatenate(walked)
    rng = np.random.default_rng(1)
    choosing = rng.permutation(np.flatnonzero(states["pending"] > 1))[:SAMPLES]
    states = np.r_[rng.permutation(states)[:SAMPLES], states[choosing], walked[-1]]
    observers = np.arange(len(states)) % rules.players
    own = (states["pending"] > 0) & (observers > 0)  # most of those who make a selection
    observers = np.where(own, states["turn"], observers)
    pieces = map(GAME.layout(rules).split, look(GAME, rules, states, observers))
    return list(zip(states, observers.tolist(), pieces, strict=True))


@pytest.mark.parametrize("seats", [3, 4])
def test_every_piece_has_a_fact(seats: int) -> None:
    assert list(FACTS) == list(layout_of(seats).pieces)


@pytest.mark.parametrize("variant", VARIANTS)
def test_12_every_piece_says_what_it_names(variant: str) -> None:
    for s, me, pieces in moments(variant):
        for name, piece in pieces.items():
            expected = np.array(FACTS[name](s, me), np.int8)
            assert np.array_equal(piece, expected), name


def test_every_piece_is_put_to_use() -> None:
    """The test above compares something: no piece is empty in all games."""
    used = {
        name
        for variant in VARIANTS
        for _, _, pieces in moments(variant)
        for name, piece in pieces.items()
        if piece.any()
    }
    assert used == set(FACTS)


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


def test_12_the_tricks_of_four_players_as_they_went() -> None:
    table = game_of("356T 478 69J 5QA", players=4, base=2).act("3 4 pass 5 6 pass 9 pass")
    view = table.view(2)
    assert [format_cards(int(cards)) for cards in view.played] == ["9", "5", "36", "4"]
    assert [format_cards(int(cards)) for cards in view.last_cards] == ["9", "5", "6", "4"]
    assert (view.plays.tolist(), view.sizes.tolist()) == ([1, 1, 2, 1], [2, 2, 2, 2])
    assert (view.table_seat, format_cards(int(view.table_cards))) == (0, "9")
    assert (view.passes, view.passed.tolist(), view.turn) == (1, [0, 1, 0, 1], 2)
    assert (view.landlord, view.base_score, view.rules.players) == (2, 2, 4)


def test_12_more_than_four_cards_of_a_rank() -> None:
    table = game_of("333333335 4 6 7", players=4).act("33333333")
    view = table.view(1)
    assert [format_cards(int(view.table_cards)), format_cards(int(view.played[3]))] == ["3" * 8] * 2


@pytest.mark.parametrize("seats", [3, 4])
def test_12_own_hand_and_no_other(seats: int) -> None:
    table = auction(players=seats).act("pass 3")
    for me in range(seats):
        view = table.view(me)
        assert view.hands[0] == table.s.hands[me]
        assert not view.hands[1:].any()


@pytest.mark.parametrize("seats", [3, 4])
def test_12_1_the_bottom_is_among_the_unseen_cards(seats: int) -> None:
    table = auction(players=seats, reveal_bottom=False)
    for calls in ("", "3"):
        table.act(calls)
        for me in range(seats):
            assert table.view(me).unseen == deck_counts(seats) - table.s.hands[me]


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


@pytest.mark.parametrize("seats", [3, 4])
def test_14_6_the_selection_is_seen_by_its_own_seat_only(seats: int) -> None:
    hand = "33344499TTJ"
    table = game_of(f"{hand} 55 66", players=seats)
    before = [table.observe(me) for me in range(seats)]
    path = GAME.parse_play(table.s, "333444+99TT")
    for action, chosen in zip(path[:-1], ("", "99"), strict=True):
        GAME.apply(table.states, np.array([action]))
        view = table.view(0)
        assert (view.begun, format_cards(int(view.chosen))) == (path[0], chosen)
        assert view.pending == len(chosen) // 2 + 1
        assert all(np.array_equal(table.observe(me), before[me]) for me in range(1, seats))
    assert view.hands[0] == table.s.hands[0] == parse_cards(hand)


def test_14_6_wild_cards_being_placed_are_seen_by_their_own_seat_only() -> None:
    table = game_of("33344559T 6 7", wild="three")
    before = [table.observe(me) for me in range(3)]
    seen = []
    for action in GAME.parse_play(table.s, "44[4]55[5]+39")[:-1]:
        GAME.apply(table.states, np.array([action]))
        view = table.view(0)
        seen.append((format_cards(int(view.placed)), int(view.placing), int(view.pending)))
        assert all(np.array_equal(table.observe(me), before[me]) for me in (1, 2))
    assert seen == [("", 1, 1), ("4", 1, 2), ("45", 1, 3), ("45", 0, 4), ("45", 0, 5)]
    assert table.view(0).hands[0] == table.s.hands[0]


def test_12_4_namings_are_public_only_as_reading_and_cards() -> None:
    table = game_of("33344559T 6 7", wild="three").act("44[4]55[5]+39")
    for me in range(3):
        view = table.view(me)
        assert (view.table, format_cards(int(view.table_cards))) == (table.s.table, "33344559")
        assert (view.begun, view.placed, view.chosen, view.placing) == (NONE, 0, 0, 0)


def test_12_a_rank_to_be_drawn_changes_nothing_before_there_is_a_landlord() -> None:
    for calls in ("", "1", "1 3", "1 3 snatch"):
        table = auction(wild="random", snatch=True).act(calls)
        other = table.copy()
        other.s.wild = (table.s.wild + 1) % 13
        assert all(np.array_equal(other.observe(me), table.observe(me)) for me in range(3))
        assert not any(table.pieces(me)["wild"].any() for me in range(3))
        assert np.array_equal(other.mask, table.mask)


@pytest.mark.parametrize("doubling", ["off", "double"])
def test_12_everybody_sees_the_rank_drawn_once_there_is_a_landlord(doubling: str) -> None:
    table = auction(wild="random", doubling=doubling).act("pass 3")
    for me in range(3):
        assert np.flatnonzero(table.pieces(me)["wild"]).tolist() == [table.s.wild]


def test_12_the_rank_of_the_next_hand_is_hidden_again() -> None:
    table = auction(wild="random", hands_per_match=2).act("3").hold("B 44 55").act("B")
    assert (table.s.phase, table.s.hand_number) == (BIDDING, 1)
    assert not any(table.pieces(me)["wild"].any() for me in range(3))
    table.act("pass 3").hold("44 B 55").act("B")
    assert table.s.phase == ENDED
    assert all(table.view(me).wild == table.s.wild for me in range(3))


@pytest.mark.parametrize(
    "scores",
    [[12345, -12000, -345], [-49152, 24576, 24576], [629_145_600, -314_572_800, -314_572_800],
     [0, 99, -99], [100, -100, 0], [600, -100, -200, -300], [-3, 1, 1, 1]],
)  # fmt: skip
def test_12_scores_beyond_one_digit_and_below_zero(scores: list[int]) -> None:
    seats = len(scores)
    table = auction(hands_per_match=100, players=seats)
    table.s.scores[:seats] = scores
    for me in range(seats):
        assert table.view(me).scores[:seats].tolist() == scores[me:] + scores[:me]


def exchange(table: Table, one: int, two: int) -> Table:
    """The same game after two seats exchanged a low and a high card."""
    other = table.copy()
    low, high = parse_cards(table.hands[one][0]), parse_cards(table.hands[two][-1])
    other.s.hands[one] += high - low
    other.s.hands[two] += low - high
    return other


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"wild": "three"}])
def test_17_4_hidden_cards_change_nothing_that_a_third_seat_sees(options: dict[str, Any]) -> None:
    for calls in ("", "1", "pass 3"):
        table = auction(reveal_bottom=False, **options).act(calls)
        for me in range(table.seats):
            other = exchange(table, (me + 1) % table.seats, (me + 2) % table.seats)
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


@pytest.mark.parametrize("seats", [3, 4])
def test_the_state_vector_is_all_cards_and_what_seat_0_sees(seats: int) -> None:
    layout = GAME.state_layout(GAME.make_rules(players=seats))
    tables = [auction(first, players=seats).act(calls) for first, calls in ((0, ""), (2, "3"))]
    for table in tables:
        vectors = np.zeros((1, layout.size), np.int8)
        GAME.observe_state(table.states, np.zeros(1, np.int64), vectors)
        pieces = layout.split(vectors[0])
        for hand, held in zip(pieces["all_hands"], table.s.hands[:seats], strict=True):
            assert np.array_equal(hand, thermometer(table.s, held))
        assert np.array_equal(pieces["true_bottom"], thermometer(table.s, table.s.bottom))
        assert np.array_equal(vectors[0, -layout_of(seats).size :], table.observe(0))


@pytest.mark.parametrize("seats", [3, 4])
def test_the_layout_is_documented_whole(seats: int) -> None:
    layout = layout_of(seats)
    table = layout.table()
    assert all(f"| `{name}` |" in table for name in layout.pieces)
    assert all(piece.meaning for piece in layout.pieces.values())


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"wild": "random"}])
def test_seats_are_relative_to_the_observer(options: dict[str, Any]) -> None:
    """The same position with the seats turned looks the same."""
    table = auction(0, seed=4, **options)
    deal = GAME.read_deal(table.s)
    turned_table = auction(0, seed=9, **options)
    hands = deal["hands"][-1:] + deal["hands"][:-1]
    GAME.write_deal(turned_table.s, {**deal, "hands": hands, "first": 1})
    for calls in ("1", "3"):
        table.act(calls)
        turned_table.act(calls)
        for me in range(table.seats):
            assert np.array_equal(table.observe(me), turned_table.observe((me + 1) % table.seats))
