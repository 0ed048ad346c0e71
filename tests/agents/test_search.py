"""Searches on a toy whose best plays are known, and that no real game's search can cheat."""

import math
import time
from typing import Any

import numpy as np
import pytest

import envs
from agents.base import Decision, ViewAgent
from agents.builtin import find_builtin
from agents.search import pimc
from agents.search.base import Policy
from agents.search.ismcts import Arm, IsmctsAgent, Node
from agents.search.pimc import (
    Judgement,
    PimcAgent,
    SearchAgent,
    contenders,
    rank,
    standard_error,
)
from agents.search.settings import Budget, SearchSettings
from agents.search.worlds import Playouts, draw_one_each, repeat
from envs.core.errors import RulesError
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from tests.conformance.play import look, walk
from tests.toy_game import FOLD, GAME, RAISE, STAKE, ToyRules
from tests.toy_players import ToyBase, ToyPolicy

RULES = ToyRules(players=2, hands=1)
SEARCHERS = [PimcAgent, IsmctsAgent]
STAKES = range(STAKE, STAKE + RULES.max_stake)


class Weighing(ToyPolicy):
    """The same; the other seat never holds 0, and 7 three times as often as anything else."""

    def weigh_batch(self, worlds: Array, weights: Array) -> None:
        weights[:] = np.choose(worlds["cards"][:, 1], [0, 1, 1, 1, 1, 1, 1, 3])


def load_toy_policy(game: Any) -> Policy:
    return ToyPolicy()


def find_toy_base(name: str, game: Any) -> type[ToyBase]:
    return ToyBase


@pytest.fixture(autouse=True)
def toy_players(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Searches of the toy find its policy, and a base that plays the wrong way round."""
    if "game_name" not in request.fixturenames:
        monkeypatch.setattr(pimc, "load_policy", load_toy_policy)
        monkeypatch.setattr(pimc, "find_builtin", find_toy_base)


@pytest.fixture
def never_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches use their time up."""
    monkeypatch.setattr(pimc, "SURE", 1e9)


def toy_playouts(rules: ToyRules = RULES, policy: type[ToyPolicy] = ToyPolicy) -> Playouts:
    return Playouts(GAME, rules, policy(), ToyBase(GAME, rules))


def hands(*cards: int, rules: ToyRules = RULES) -> Array:
    """Fresh games in which seat 0, to act first, holds each of the cards."""
    states = GAME.new_games(rules, range(len(cards)))
    for state, card in zip(states, cards, strict=True):
        others = [other for other in range(8) if other != card]
        state.cards[: rules.players] = [card, *others[: rules.players - 1]]
    return states


def ask(agent: SearchAgent | ViewAgent, states: Array, game: Any = GAME, key: int = 5) -> list[int]:
    """What it does in each state, always with the same key."""
    seen = look(game, agent.rules, states, states["turn"].copy())
    keys = np.full(len(states), key)
    answer = agent.act(seen, game.masks(states), keys=keys, tables=np.arange(len(states)))
    return answer.tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("settings", ["playouts=400", "time=0.05"])
def test_it_finds_what_is_best_against_the_policy(searcher: Any, settings: str) -> None:
    # The other seat stakes 2 with 4 and more, so a raise with 7 wins 2 half the time, and one with
    # 2 loses 2 more often than not; a fold brings nothing. The base would do the contrary.
    agent = searcher(GAME, RULES, settings)
    assert ask(agent, hands(0, 1, 2, 7)) == [FOLD, FOLD, FOLD, RAISE]


def test_the_base_is_followed_where_nothing_is_better_beyond_doubt() -> None:
    states = hands(*range(8))
    believing = ask(PimcAgent(GAME, RULES, "playouts=200,doubt=100"), states)
    assert believing == ask(ToyBase(GAME, RULES), states)
    assert believing != ask(PimcAgent(GAME, RULES, "playouts=200"), states)


@pytest.mark.usefixtures("never_sure")
def test_values_are_means_over_the_worlds() -> None:
    agent = PimcAgent(GAME, RULES, "playouts=4000")
    [state] = hands(7)
    decision = decide(agent, state)
    judged = {one.path: one for one in agent.judge(decision)}
    assert set(judged) == {(FOLD,), (RAISE, STAKE + 1)}
    best, fold = judged[RAISE, STAKE + 1], judged[FOLD,]
    # Of the seven other cards 4, 5 and 6 raise, too, and lose 2.
    assert best.mean == pytest.approx(6 / 7, abs=5 * best.error + 1e-9)
    assert 0 < best.error < 0.05
    assert best.worlds > 1500
    assert fold.mean == 0
    assert (best.lead, best.lead_error) == (best.mean, best.error)  # the base would fold
    assert (fold.lead, fold.lead_error) == (0, 0)


def test_the_first_candidate_is_all_that_the_base_would_do() -> None:
    playouts = toy_playouts()
    raising, folding, begun = hands(3, 7, 7)
    assert playouts.candidates(decide(playouts, raising)) == [(RAISE, STAKE + 2), (FOLD,)]
    assert playouts.candidates(decide(playouts, folding)) == [(FOLD,), (RAISE, STAKE + 1)]
    begun.pending = 1
    stakes = [(STAKE + 2,), (STAKE,), (STAKE + 1,)]
    assert playouts.candidates(decide(playouts, begun)) == stakes


def test_in_a_tree_the_others_learn_to_answer() -> None:
    # The other seat has found out that it had better fold whatever it holds, if seat 0 raises.
    judged = {
        one.path[0]: one
        for one in IsmctsAgent(GAME, RULES, "playouts=3000").judge(
            decide(PimcAgent(GAME, RULES), hands(7)[0])
        )
    }
    assert judged[RAISE].worlds > 2500
    assert 0 < judged[RAISE].mean < 6 / 7 - 0.1
    assert judged[FOLD].mean == 0


def decide(agent: Any, state: Any, key: int = 1) -> Decision:
    """The decision of the seat to act, for whatever has a game and rules."""
    states = np.array([state], agent.game.state)
    [seen] = look(agent.game, agent.rules, states, states["turn"].copy())
    return Decision(agent.game, agent.rules, seen, agent.game.masks(states)[0], key, 0)


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_the_same_seed_and_playouts_give_the_same_play_alone_and_together(searcher: Any) -> None:
    states = hands(3, 4, 5, 3, 4, 5)
    together = ask(searcher(GAME, RULES, "playouts=30"), states)
    assert together[:3] == together[3:]
    alone = [ask(searcher(GAME, RULES, "playouts=30"), states[i : i + 1])[0] for i in range(6)]
    assert alone == together
    few = "playouts=6,doubt=0" if searcher is PimcAgent else "playouts=70"
    agent = searcher(GAME, RULES, few)
    found = {tuple(ask(agent, hands(4, 5), key=key)) for key in range(30)}
    assert len(found) > 1  # few playouts: another key, other worlds


@pytest.mark.parametrize("searcher", SEARCHERS)
def test_a_play_is_completed_as_it_was_planned(
    searcher: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = searcher(GAME, RULES, "playouts=50")
    states = hands(7, 7)
    assert ask(agent, states) == [RAISE, RAISE]
    GAME.apply(states, np.array([RAISE, RAISE]))
    with monkeypatch.context() as patch:
        patch.setattr(searcher, "judge", None)  # is not asked again
        assert ask(agent, states) == [STAKE + 1, STAKE + 1]
    assert set(ask(searcher(GAME, RULES, "playouts=50"), states)) < set(STAKES)  # nor need it be


def test_a_deal_is_played_to_its_end_and_no_further() -> None:
    rules = ToyRules(players=2, hands=5)
    playouts = toy_playouts(rules)
    states = hands(7, rules=rules)
    states["scores"][:, :2] = [9, -9]
    decision = decide(playouts, states[0])
    worlds = playouts.sample(decision, 20, 0)
    raised, folded = playouts.values(worlds, [(RAISE, STAKE + 2), (FOLD,)])
    expected = [2 if world.cards[1] >= 4 else 0 for world in worlds]
    assert raised.tolist() == expected
    assert (folded == 0).all()
    last = repeat(states, 1)
    for action in (RAISE, STAKE):
        GAME.apply(last, np.array([action]))
    [lost] = playouts.values(playouts.sample(decide(playouts, last[0]), 5, 0), [(FOLD,)])
    assert lost.tolist() == [0] * 5  # the play itself ends the deal; the next one is not played


@pytest.mark.parametrize("policy", [ToyPolicy, Weighing])
def test_worlds_go_on_where_the_last_ones_ended(policy: type[ToyPolicy]) -> None:
    playouts = toy_playouts(policy=policy)
    decision = decide(playouts, hands(3)[0])
    whole = playouts.sample(decision, 12, 0)["cards"]
    parts = [playouts.sample(decision, 4, first)["cards"] for first in (0, 4, 8)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert len({tuple(cards) for cards in whole.tolist()}) > 3
    assert (whole[:, 0] == 3).all()


def test_worlds_are_as_likely_as_the_policy_weighs_them() -> None:
    uniform, weighed = (
        toy_playouts(policy=policy).sample(decide(toy_playouts(), hands(3)[0]), 2000, 0)
        for policy in (ToyPolicy, Weighing)
    )
    shares = np.bincount(uniform["cards"][:, 1], minlength=8) / 2000
    assert shares == pytest.approx(np.array([1, 1, 1, 0, 1, 1, 1, 1]) / 7, abs=0.03)
    shares = np.bincount(weighed["cards"][:, 1], minlength=8) / 2000
    # Of eight worlds each only, so that what is likely comes a little too seldom.
    assert shares == pytest.approx(np.array([0, 1, 1, 0, 1, 1, 1, 3]) / 8, abs=0.05)
    assert shares[0] == 0


def test_one_of_each_row_is_drawn_by_its_weight() -> None:
    weights = np.tile([1.0, 0.0, 2.0, 5.0], (4000, 1))
    seeds = spawn_seeds(3, 4000)
    drawn = draw_one_each(weights, seeds)
    assert (drawn // 4).tolist() == list(range(4000))
    shares = np.bincount(drawn % 4, minlength=4) / 4000
    assert shares == pytest.approx(weights[0] / 8, abs=0.03)
    assert shares[1] == 0
    assert np.array_equal(draw_one_each(1e-30 * weights, seeds), drawn)  # any common factor
    assert np.array_equal(draw_one_each(weights[:7], seeds[:7]), drawn[:7])
    assert draw_one_each(np.eye(8), seeds[:8]).tolist() == [9 * row for row in range(8)]


def test_repeat_copies_records() -> None:
    states = hands(1, 2)
    many = repeat(states, 3)
    assert many["cards"][:, 0].tolist() == [1, 2, 1, 2, 1, 2]
    many["cards"] = 0
    assert states["cards"][:, 0].tolist() == [1, 2]


@pytest.mark.usefixtures("never_sure")
def test_a_budget_of_playouts_is_kept() -> None:
    agent = PimcAgent(GAME, ToyRules(players=3, hands=1), "playouts=1000")
    [state] = hands(5, rules=ToyRules(players=3, hands=1))
    assert 1000 <= sum(one.worlds for one in agent.judge(decide(agent, state))) <= 1001
    tree = IsmctsAgent(GAME, RULES, "playouts=100")
    assert sum(one.worlds for one in tree.judge(decide(tree, hands(5)[0]))) == 100


def test_a_budget_of_time_is_kept() -> None:
    started = time.perf_counter()
    budget = Budget(SearchSettings(time=0.05))
    while budget.used < 1:
        assert budget.left(7) == 7
    assert 0.05 <= time.perf_counter() - started < 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time=0", "time must be above 0, got 0"),
        ("playouts=0", "playouts must be 1 to 2147483648, got 0"),
        ("playouts=many", "playouts must be a whole number or none, got 'many'"),
        ("time=1,playouts=5", "time=1 and playouts=5 exclude each other"),
        ("tim=1", "no option 'tim'; did you mean 'time'"),
        ("fast", "expected option=value, got 'fast'"),
        ("exploration=-1", "exploration must be above 0, got -1"),
        ("doubt=-1", "doubt must be 0 to 100, got -1"),
    ],
)
def test_settings_are_checked(text: str, message: str) -> None:
    with pytest.raises(RulesError, match=message):
        SearchSettings.parse(text)


def test_settings_have_defaults() -> None:
    assert SearchSettings.parse("") == SearchSettings()
    assert SearchSettings.parse("time=0.2,exploration=1.5") == SearchSettings(
        time=0.2, exploration=1.5
    )


def test_a_judgement_knows_its_error() -> None:
    one = Judgement((FOLD,))
    assert (one.mean, one.error, one.lead, one.lead_error) == (0, math.inf, 0, math.inf)
    values, firsts = np.array([1.0, 2.0, 4.0, 9.0]), np.array([1.0, 1.0, 2.0, 6.0])
    one.add(values[:1], firsts[:1])
    one.add(values[1:], firsts[1:])
    assert one.worlds == 4
    assert (one.mean, one.lead) == (4, 1.5)
    assert one.error == standard_error(values)
    assert one.lead_error == standard_error(values - firsts)


def test_standard_error() -> None:
    assert standard_error(np.array([1.0, 2.0, 4.0, 9.0])) == pytest.approx((38 / 3) ** 0.5 / 2)
    assert standard_error(np.array([3.0, 3.0])) == 0
    assert standard_error(np.array([3.0])) == standard_error(np.empty(0)) == math.inf


def judgement(number: int, mean: float, error: float) -> Judgement:
    """One that is in the lead by so much, with such an error."""
    leads = mean + error * 3**0.5 * np.array([-1.0, -1.0, 1.0, 1.0])
    return Judgement((number,), leads, leads)


@pytest.mark.parametrize(
    ("doubt", "order"), [(2, "105324"), (1, "135024"), (0, "513024"), (100, "051324")]
)
def test_a_play_has_to_lead_beyond_doubt(doubt: float, order: str) -> None:
    once = Judgement((4,), np.array([9.0]), np.array([9.0]))  # given up at once
    others = [judgement(1, 1, 0.4), judgement(2, -1, 0.1), judgement(3, 0.9, 0.6)]
    judged = [judgement(0, 0, 0), *others, once, judgement(5, 2, 1.8)]
    assert judged[1].lead_error == pytest.approx(0.4)
    assert "".join(str(one.path[0]) for one in rank(judged, doubt)) == order


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ([(-1, 0.1), (-1, 0.5)], [1]),  # one surely behind the first
        ([(1, 0.2), (0.1, 0.05), (0.1, 0.2)], [0, 2]),  # one surely behind another
        ([(1, 0.2), (0.1, 0.05)], []),  # one surely the best
        ([(1, 0.5)], [0]),
        ([], []),
    ],
)
def test_a_play_is_given_up_when_it_is_surely_not_the_best(
    others: list[tuple[float, float]], left: list[int]
) -> None:
    judged = [judgement(number, *other) for number, other in enumerate(others)]
    assert [one.path[0] for one in contenders(judged, 3.0)] == left


def test_nothing_more_is_tried_when_the_best_play_is_known() -> None:
    agent = PimcAgent(GAME, RULES, "playouts=4000")
    best, *others = agent.judge(decide(agent, hands(7)[0]))
    assert best.path == (RAISE, STAKE + 1)
    assert best.worlds + sum(one.worlds for one in others) < 500


def test_a_node_tries_everything_and_then_what_is_best() -> None:
    node, rng = Node(), np.random.default_rng(0)
    for _ in range(300):
        action = node.choose([3, 5, 9], 1.0)
        arm = node.arms.setdefault(action, Arm())
        arm.visits, node.visits = arm.visits + 1, node.visits + 1
        value = rng.normal({3: 0.0, 5: 1.0, 9: 0.5}[action])
        arm.total, node.total = arm.total + value, node.total + value
    visits = {action: arm.visits for action, arm in node.arms.items()}
    assert set(visits) == {3, 5, 9}
    assert visits[5] > 0.6 * 300
    assert node.choose([3, 9], 1e-9) in (3, 9)


@pytest.mark.parametrize("game_name", envs.GAMES)
def test_the_rule_based_player_proposes_what_comes_first(game_name: str) -> None:
    game = envs.load_game(game_name)
    rules = game.make_rules(next(iter(game.presets)))
    playouts, base = PimcAgent(game, rules).playouts, find_builtin("rule", game)(game, rules)
    states = game.new_games(rules, range(3))
    for step, (position, masks) in enumerate(walk(game, states, spawn_seeds(1, 3))):
        if step > 30:
            break
        for row in np.flatnonzero(masks.any(axis=1)).tolist():
            decision = decide(playouts, position[row], key=step)
            first, *others = playouts.candidates(decision)
            assert first[0] == ask(base, position[row : row + 1], game, key=step)[0]
            assert sorted([first[0], *(path[0] for path in others)]) == decision.legal


@pytest.mark.parametrize("searcher", SEARCHERS)
@pytest.mark.parametrize("game_name", envs.GAMES)
def test_what_a_seat_cannot_know_changes_nothing(game_name: str, searcher: Any) -> None:
    game = envs.load_game(game_name)
    rules = game.make_rules(next(iter(game.presets)))
    states = game.new_games(rules, range(6))
    tried = 0
    for step, (position, masks) in enumerate(walk(game, states, spawn_seeds(1, 6))):
        rows = np.flatnonzero(masks.sum(axis=1) > 1)
        if step % 5 or not len(rows):
            continue
        if step > 40:
            break
        seen = look(game, rules, position[rows], position["turn"][rows].copy())
        worlds = game.views(rules, seen)
        game.resample(worlds, spawn_seeds(step, len(rows)))
        # The same sights, other hidden cards; the observer is seat 0 of a world.
        assert np.array_equal(look(game, rules, worlds, np.zeros(len(rows), np.int64)), seen)
        truth, other = (  # of new agents, which remember nothing
            ask(searcher(game, rules, "playouts=60"), asked, game)
            for asked in (position[rows], worlds)
        )
        assert truth == other
        tried += len(rows)
    assert tried > 10
