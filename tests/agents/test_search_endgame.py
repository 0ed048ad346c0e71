"""The endgame of Dou Dizhu: its values are those of plain minimax, and searches make use of it."""

from typing import Any

import numpy as np
import pytest

from agents.search import doudizhu
from agents.search.doudizhu_endgame import MOST_CARDS, solve_batch
from agents.search.pimc import PimcAgent
from agents.search.worlds import repeat
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from tests.agents.policies import play_of, positions
from tests.agents.test_rule_doudizhu import FOUR, NO_AUCTION, WILD, position
from tests.agents.test_rule_doudizhu import play_of as rule_play_of
from tests.agents.test_search import FOLD, RAISE, STAKE, ToyPolicy, decide, hands, toy_playouts
from tests.conformance.play import look
from tests.toy_game import GAME as TOY

FEW_CARDS = 8
"""Cards of all hands that are few enough for plain minimax."""
UNSOLVED = -0.5
"""What stands in payoffs that are not written: nobody wins that."""


def solve(states: Array, **limit: int) -> tuple[list[Any], list[bool]]:
    """Payoffs and whether they were found; states stay as they are, like payoffs not found."""
    before = states.tobytes()
    payoffs = np.full((len(states), int(states[0].rules.players)), UNSOLVED)
    solved = np.zeros(len(states), np.bool_)
    solve_batch(states, payoffs, solved, **limit)
    assert states.tobytes() == before
    assert (payoffs[~solved] == UNSOLVED).all()
    return payoffs.tolist(), solved.tolist()


Known = dict[Any, tuple[Any, list[int]]]
"""Positions with what each seat wins from there on."""


def minimax(states: Array, known: Known) -> list[int]:
    """What each seat wins from a state on, batch of one, by trying everything: no bounds."""
    s, landlord = states[0], int(states[0].landlord)
    key = (*s.hands, s.turn, s.table, s.table_seat, *s.plays, *s.bombs)
    if key in known:
        return known[key][1]
    outcomes = []
    for path in GAME.plays(s):
        after = states.copy()
        for action in path:
            GAME.apply(after, np.array([action]))
        if after[0].turn == OVER or after[0].deals != s.deals:
            outcomes.append((after[0].scores - s.scores)[: int(s.rules.players)].tolist())
        else:
            outcomes.append(minimax(after, known))
    choose = max if s.turn == landlord else min
    known[key] = s, choose(outcomes, key=lambda outcome: outcome[landlord])
    return known[key][1]


def check(states: Array) -> None:
    """The value of a state, batch of one, and of all positions that may follow, is minimax's."""
    known: Known = {}
    minimax(states.copy(), known)
    found = list(known.values())[::-1]
    payoffs, solved = solve(np.array([state for state, _ in found], GAME.state))
    assert all(solved)
    for (_, expected), got in zip(found, payoffs, strict=True):
        assert got == expected


def endgames(rules: Any, num: int, most: int = FEW_CARDS) -> Array:
    """`num` states at play decisions with at most so many cards left in all hands."""
    found: list[Array] = []
    for states in positions(GAME, rules, doudizhu, 300, 0.7):
        few = (states["sizes"].sum(1) <= most) & (states["pending"] == 0)
        found.append(states[few & (GAME.masks(states).sum(1) > 1)])
        if sum(map(len, found)) >= num:
            break
    return np.concatenate(found)[:num]


@pytest.mark.parametrize(
    "options",
    [
        {"auction": "off", "hands_per_match": 2},
        {"preset": "online"},
        {"auction": "off", "bomb_mode": "add", "doubling": "super", "kicker_rocket": True},
        {"auction": "off", "solo_kickers": False, "kicker_solo_max_same": 1},
        {"preset": "four_players"},
        {"preset": "four_players_all_types", "auction": "off"},
    ],
    ids=str,
)
def test_values_are_those_of_minimax(options: dict[str, Any]) -> None:
    states = endgames(GAME.make_rules(**options), 8)
    for i in range(len(states)):
        check(states[i : i + 1])


PLAYED = (2, 2, 2)
"""Combinations played by each seat, so that there is no spring."""


@pytest.mark.parametrize("rules", [NO_AUCTION, FOUR], ids=["three seats", "four seats"])
def test_values_where_bombs_and_spring_are_at_hand(rules: Any) -> None:
    chance, seats = np.random.default_rng(5), rules.players
    for _ in range(16):
        cards = chance.permutation(list("33334444BR56" if seats == 3 else "333333334444445"))[:8]
        hands = ["".join(cards[seat::seats]) for seat in range(seats)]
        states = position(hands, landlord=int(chance.integers(seats)), rules=rules)
        states["plays"][0, :seats] = chance.integers(2, size=seats)
        check(states)


@pytest.mark.parametrize(
    ("cards", "landlord", "plays", "payoffs"),
    [
        (["77", "3", "4"], 0, PLAYED, [2, -1, -1]),
        (["77", "3", "4"], 0, (1, 0, 0), [4, -2, -2]),  # spring
        (["77", "3", "4"], 2, (1, 0, 1), [2, 2, -4]),  # the landlord played once
        (["4444", "33", "66"], 0, PLAYED, [4, -2, -2]),  # a bomb
        (["44447", "36", "56"], 0, (1, 0, 0), [8, -4, -4]),  # both
        (["5444", "9", "6"], 0, PLAYED, [2, -1, -1]),
        (["35", "4666", "4"], 0, PLAYED, [-2, 1, 1]),
        (["3BR", "44", "55"], 0, PLAYED, [4, -2, -2]),
        (["38888", "4", "9999"], 0, PLAYED, [-4, 2, 2]),  # better no bomb than two
        (["38", "4", "9"], 1, PLAYED, [1, -2, 1]),  # the partner beats what the landlord beats
    ],
)
def test_bombs_and_spring_double(
    cards: list[str], landlord: int, plays: tuple[int, ...], payoffs: list[int]
) -> None:
    states = position(cards, landlord=landlord)
    states["plays"][0, :3] = plays
    assert solve(states) == ([payoffs], [True])
    check(states)


def test_what_takes_too_long_is_left_alone() -> None:
    [state] = endgames(NO_AUCTION, 1, MOST_CARDS)
    states = np.array([state], GAME.state)
    assert solve(states, most_nodes=1)[1] == [False]
    assert solve(states)[1] == [True]


def test_endgames_of_play_do_not_take_too_long() -> None:
    for rules in (NO_AUCTION, FOUR):
        states = endgames(rules, 40, MOST_CARDS)
        for i in range(len(states)):
            assert solve(states[i : i + 1])[1] == [True]


def test_a_batch_of_worlds_is_solved_as_each_one_alone() -> None:
    states = position(["48TQ2R", "79J", "5K2"])
    states["plays"][0, :3] = PLAYED
    view = GAME.views(NO_AUCTION, look(GAME, NO_AUCTION, states, states["turn"].copy()))
    worlds = repeat(view, 40)
    GAME.resample(worlds, spawn_seeds(1, 40))
    together = solve(worlds)
    assert together[1] == [True] * 40
    assert together[0] == [solve(worlds[i : i + 1])[0][0] for i in range(40)]
    assert len({payoffs[0] for payoffs in together[0]}) == 2


def test_what_it_is_not_for_is_left_alone() -> None:
    few = ["4445", "678", "9J"]
    begun = position(few)
    GAME.apply(begun, np.array([GAME.parse_play(begun[0], "444+5")[0]]))
    over = position(few)
    over["turn"] = OVER
    many = position(["44455", "6789TJ", "QK"])
    limited = position(["4444", "678", "9J"], rules=GAME.make_rules(farmer_bomb_limit=True))
    wild = position(few, rules=WILD, wild="3")
    for states in (GAME.new_games(GAME.make_rules(), [1]), begun, over, many, limited, wild):
        assert solve(states)[1] == [False]
    assert many["sizes"].sum() == MOST_CARDS + 1
    assert solve(position(few, rules=GAME.make_rules(farmer_bomb_limit=True)))[1] == [True]


HIDDEN_WINS = [
    (["JAA2R", "77J22", "J"], 0, "2"),
    (["5668R", "44458", "8"], 0, "8"),
    (["7QQKB", "R", "77K"], 2, "QQ"),
    (["77TK2", "Q", "7TK2R"], 2, "77"),
]
"""Hands, the landlord, and what seat 0 leads to win however the others' cards lie."""


@pytest.mark.parametrize(("cards", "landlord", "play"), HIDDEN_WINS)
def test_a_search_finds_a_win_that_playouts_miss(
    cards: list[str], landlord: int, play: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = position(cards, landlord=landlord)
    states["plays"][0, :3] = PLAYED
    assert play_of(GAME, doudizhu, states.copy()) != play
    assert rule_play_of(states.copy()) != play
    [path] = [path for path in GAME.plays(states[0]) if GAME.format_play(states[0], path) == play]
    agent = PimcAgent(GAME, NO_AUCTION, "playouts=300")
    best = agent.judge(decide(agent, states[0]))[0]
    assert (best.path, best.values.min() > 0) == (path, True)
    monkeypatch.delattr(doudizhu, "solve_batch")
    without = PimcAgent(GAME, NO_AUCTION, "playouts=300")
    assert without.judge(decide(without, states[0]))[0].path != path


class Solving(ToyPolicy):
    """The same, but that the seat with the 7 is known to win 50."""

    def solve_batch(self, states: Array, payoffs: Array, solved: Array) -> None:
        assert (states["turn"] != OVER).all()
        solved[:] = (states["cards"][:, 0] == 7) | (states["cards"][:, 1] == 7)
        payoffs[states["cards"][:, 0] == 7, :2] = 50, -50
        payoffs[states["cards"][:, 1] == 7, :2] = -50, 50


def test_what_is_solved_is_not_played_out() -> None:
    playouts, plain = toy_playouts(policy=Solving), toy_playouts()
    worlds = plain.sample(decide(plain, hands(3)[0]), 30, 0)
    paths, last = [(RAISE, STAKE + 2), (FOLD,)], hands(7)
    raised, folded = playouts.values(worlds, paths)
    expected = plain.values(worlds, paths)
    expected[:, worlds["cards"][:, 1] == 7] = -50
    assert [raised.tolist(), folded.tolist()] == expected.tolist()
    assert 0 < (folded == -50).sum() < 30
    for action in (RAISE, STAKE):
        TOY.apply(last, np.array([action]))
    ended = decide(playouts, last[0])
    assert playouts.values(playouts.sample(ended, 9, 0), [(FOLD,)]).tolist() == [[0] * 9]
