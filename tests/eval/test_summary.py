"""What is said of a run: known answers over a run made by hand."""

import dataclasses
import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import envs
from eval.match import NOBODY, Foul, Outcome
from eval.results import Results
from eval.store import GroupRun, Run
from eval.summary import is_unfinished, summarize
from eval.terminal import is_narrowed, print_results, short_names
from tests.toy_game import GAME

ALICE_LANDLORD, BOB_LANDLORD, MIXED = [0, 1, 1], [1, 0, 0], [0, 0, 1]


def outcome_of(payoffs: Any, **changes: Any) -> Outcome:
    """Games [D, G, 3] of a landlord at seat 0 and two farmers; the agents take turns."""
    paid = np.array(payoffs)
    parts = {
        "payoffs": paid,
        "seating": np.broadcast_to(
            (ALICE_LANDLORD, BOB_LANDLORD, MIXED)[: paid.shape[1]], paid.shape
        ),
        "lost_by": np.full(paid.shape[:2], NOBODY),
        "fouls": [],
        "sides": np.broadcast_to([0, 1, 1], paid.shape),
    }
    return Outcome(**parts | changes)


def run_of(*groups: tuple[list[str], Outcome], **settings: Any) -> Run:
    usual = {
        "game": "doudizhu",
        "game_version": 0,
        "options": {},
        "agents": ["alice", "bob"],
        "names": ["alice", "bob"],
        "files": {},
        "deals": 4,
        "seed": 0,
        "batch_size": 8,
        "until_half_width": None,
        "control": False,
        "records": False,
        "version": "unknown",
    }
    return Run(
        settings=usual | settings,
        groups=[
            GroupRun(agents=agents, seeds=np.arange(len(outcome.payoffs)), outcome=outcome)
            for agents, outcome in groups
        ],
    )


def results_of(run: Run) -> Results:
    return summarize(run, interrupted=False, duration_s=0.0)


WON, LOST, TIED = [2, -1, -1], [-2, 1, 1], [0, 0, 0]
PAYOFFS = [[WON, LOST], [WON, WON], [LOST, LOST], [WON, TIED]]
"""Of the landlord's hand with alice as landlord, then with bob."""


def test_win_rates_by_role_and_seat() -> None:
    results = results_of(run_of((["alice", "bob"], outcome_of(PAYOFFS))))
    rates = {(rate.agent, rate.part): rate.win_rate for rate in results.by_role}
    assert rates == {
        ("alice", "landlord"): 0.75,
        ("alice", "farmer"): (1 + 0 + 1 + 0.5) / 4,
        ("bob", "landlord"): (0 + 1 + 0 + 0.5) / 4,
        ("bob", "farmer"): 0.25,
    }
    seats = {(rate.agent, rate.part): rate.win_rate for rate in results.by_seat}
    assert seats["alice", "seat 0"] == rates["alice", "landlord"]
    assert seats["bob", "seat 2"] == seats["bob", "seat 1"] == rates["bob", "farmer"]
    for rate in (*results.by_role, *results.by_seat):
        low, high = rate.win_rate_ci
        assert low is not None and high is not None and low < (rate.win_rate or 0.0) < high
        assert rate.deals == 4


def test_a_forfeited_game_is_lost_by_the_side_and_an_agent_alone_wins_by_itself() -> None:
    lost_by = np.full((4, 2), NOBODY)
    lost_by[0, 0] = 0
    results = results_of(run_of((["alice", "bob"], outcome_of(PAYOFFS, lost_by=lost_by))))
    rates = {(rate.agent, rate.part): rate.win_rate for rate in results.by_role}
    assert (rates["alice", "landlord"], rates["bob", "farmer"]) == (0.5, 0.5)

    alone = outcome_of([[[3, 3, -6], [-2, 1, 1]]] * 4, sides=np.full((4, 2, 3), -1))
    results = results_of(run_of((["alice", "bob"], alone)))
    assert results.by_role == []
    rates = {(rate.agent, rate.part): rate.win_rate for rate in results.by_seat}
    assert rates["alice", "seat 0"] == 0.5  # shared with bob's seat 1
    assert (rates["bob", "seat 0"], rates["alice", "seat 1"], rates["bob", "seat 2"]) == (0, 0.5, 0)


def test_deals_without_a_role_do_not_count_for_it() -> None:
    sides = np.broadcast_to([0, 1, 1], (4, 2, 3)).copy()
    sides[0] = -1  # everybody passed
    results = results_of(run_of((["alice", "bob"], outcome_of(PAYOFFS, sides=sides))))
    [rate] = [r for r in results.by_role if (r.agent, r.part) == ("alice", "landlord")]
    assert (rate.deals, rate.win_rate) == (3, pytest.approx(2 / 3))


def test_ratings_by_role_with_random_at_0() -> None:
    outcome = outcome_of([[WON, LOST, WON]] * 20)  # the first wins, with the other's help, too
    names = ["rule", "random"]
    results = results_of(run_of((names, outcome), agents=names, names=names, deals=20))
    assert [(rated.agent, rated.role) for rated in results.ratings] == [
        ("rule", None),
        ("rule", "landlord"),
        ("rule", "farmer"),
        ("random", None),
        ("random", "landlord"),
        ("random", "farmer"),
    ]
    for rated in results.ratings:
        low, high = rated.rating_ci
        assert rated.rating is not None and low is not None and high is not None
        assert low <= rated.rating <= high
        assert rated.rating > 100 if rated.agent == "rule" else rated.rating == low == high == 0
    others = results_of(run_of((["alice", "bob"], outcome), deals=20))
    assert sum(r.rating or 0.0 for r in others.ratings if r.role is None) == pytest.approx(0)


def test_a_circle_of_three_shares_the_time() -> None:
    names = ["rock", "paper", "scissors"]
    groups = [
        (["rock", "paper"], outcome_of([[LOST, WON]] * 4)),
        (["paper", "scissors"], outcome_of([[LOST, WON]] * 4)),
        (["rock", "scissors"], outcome_of([[WON, LOST]] * 4)),
    ]
    results = results_of(run_of(*groups, agents=names, names=names))
    for weight in results.weights:
        assert weight.alpha_rank == pytest.approx(1 / 3)
        assert weight.nash_weight == pytest.approx(1 / 3)
        assert weight.nash_gain == pytest.approx(0)
    assert results_of(run_of(groups[0], names=["rock", "paper"])).weights == []


def test_fouls_are_counted_by_agent_and_kind_over_all_groups() -> None:
    names = ["a", "b", "c"]
    fouls = [Foul(1, "illegal", "later", 3, 0), Foul(1, "illegal", "first", 1, 1)]
    other = [Foul(0, "illegal", "elsewhere", 2, 0), Foul(1, "timeout", "slept", 0, 0)]
    groups = [
        (["a", "b"], outcome_of(PAYOFFS, fouls=fouls)),
        (["a", "c"], outcome_of(PAYOFFS)),
        (["b", "c"], outcome_of(PAYOFFS, fouls=other)),
    ]
    found = results_of(run_of(*groups, agents=names, names=names)).failures
    assert [(f.agent, f.kind, f.games, f.first_deal, f.first_message) for f in found] == [
        ("b", "illegal", 3, 1, "first"),
        ("c", "timeout", 1, 0, "slept"),
    ]


def test_control_variates_are_there_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "load_game", lambda name: GAME)
    monkeypatch.setattr("eval.dealt.NUM_RANDOM", 2_000)
    rng = np.random.default_rng(0)
    outcome = outcome_of(rng.integers(-3, 4, (120, 2, 3)))
    plain = results_of(run_of((["alice", "bob"], outcome), deals=120)).pairs[0]
    assert (plain.mean_diff_controlled, plain.controlled_ci) == (None, [None, None])
    pair = results_of(run_of((["alice", "bob"], outcome), deals=120, control=True)).pairs[0]
    assert pair.mean_diff_controlled == pytest.approx(pair.mean_diff, abs=0.5)
    low, high = pair.controlled_ci
    assert low is not None and high is not None and low < (pair.mean_diff_controlled or 0.0) < high
    back = pair.reversed()
    assert (back.mean_diff_controlled, back.controlled_ci) == (
        -(pair.mean_diff_controlled or 0.0),
        [-high, -low],
    )


def test_a_narrower_interval_is_printed() -> None:
    results = results_of(run_of((["alice", "bob"], outcome_of(PAYOFFS))))
    [pair] = results.pairs
    assert not is_narrowed(pair)
    for reach, is_shown in ((0.1, True), (10.0, False)):
        narrow = dataclasses.replace(pair, mean_diff_controlled=0.5)
        narrow = dataclasses.replace(narrow, controlled_ci=[0.5 - reach, 0.5 + reach])
        text = io.StringIO()
        changed = dataclasses.replace(results, pairs=[narrow])
        print_results(changed, None, Console(file=text, width=80))
        assert ("alice - bob: +0.50 ± 0.10" in text.getvalue()) == is_shown
        assert "landlord" in text.getvalue() and "rating" in text.getvalue()
        assert max(map(len, text.getvalue().splitlines())) <= 80


def test_when_a_run_is_unfinished() -> None:
    outcome = outcome_of(PAYOFFS)
    assert not is_unfinished(run_of((["alice", "bob"], outcome)))
    assert is_unfinished(run_of((["alice", "bob"], outcome), deals=5))
    wide, narrow = ({"deals": 5, "until_half_width": width} for width in (0.01, 0.49))
    assert is_unfinished(run_of((["alice", "bob"], outcome), **wide))
    assert not is_unfinished(run_of((["alice", "bob"], outcome), **narrow))


def test_names_are_short_where_that_says_enough() -> None:
    names = ["rule", "bots/shy.py:Shy", "pimc:time=0.2", "pimc:time=2", "a.py:Bot", "b.py:Bot"]
    assert list(short_names(names).values()) == [
        "rule",
        "Shy",
        "pimc:time=0.2",
        "pimc:time=2",
        "a.py:Bot",
        "b.py:Bot",
    ]
