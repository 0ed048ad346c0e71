"""Matches: who sits where, what is asked, and agents that misbehave."""

import dataclasses
import itertools
from typing import Any, ClassVar

import numpy as np
import pytest

from agents.base import Agent, Bot, Decision
from agents.random_agent import RandomAgent
from envs.core.game import OVER, Array, Game
from envs.core.record import make_record
from envs.core.rng import spawn_seeds
from eval.match import MAX_SEATINGS, NO_SIDE, NOBODY, Outcome, count_seatings, play_deals, seatings
from tests.eval import bots
from tests.toy_game import GAME, ToyRules

RULES = ToyRules()
SEEDS = spawn_seeds(1, 30)


def first_against_rest(states: Array, sides: Array) -> None:
    """Seat 0 alone, the others partners."""
    sides[:] = np.arange(sides.shape[1]) > 0


SIDED = dataclasses.replace(GAME, sides=first_against_rest)


def play(*classes: Any, game: Game = GAME, rules: ToyRules = RULES, **more: Any) -> Outcome:
    return play_deals(game, rules, [cls(game, rules) for cls in classes], SEEDS, **more)


def test_free_for_all_takes_every_mixed_assignment() -> None:
    states = GAME.new_games(RULES, [0, 1])
    found = seatings(GAME, RULES, states)
    assert found.shape == (2, 6, 3)
    assert len({tuple(row) for row in found[1].tolist()}) == 6
    assert set(found.sum(2).ravel()) == {1, 2}


def test_three_agents_take_all_six_seatings() -> None:
    found = seatings(GAME, RULES, GAME.new_games(RULES, [0, 1]), 3)
    assert found.shape == (2, 6, 3)
    assert {tuple(row) for row in found[0].tolist()} == set(itertools.permutations(range(3)))


def made_up(payoffs: Array, seating: list[Any]) -> Outcome:
    nobody, no_sides = np.full((1, 2), NOBODY), np.full(payoffs.shape, NO_SIDE)
    return Outcome(payoffs, np.array(seating), nobody, [], no_sides)


def test_scores_of_three_agents_by_hand() -> None:
    payoffs = np.array([[[6, -4, -2], [1, 1, -2]]])
    outcome = made_up(payoffs, [[[0, 1, 2], [2, 0, 1]]])
    # 0: 6, 1; 1: -4, -2; 2: -2, 1
    expected = [(3.5 + 1.75, 0.75), (-3.0 - 1.5, 0.0), (-0.5 - 0.25, 0.25)]
    for player, (difference, share) in enumerate(expected):
        assert outcome.differences(player).tolist() == pytest.approx([difference])
        assert outcome.win_shares(player).tolist() == [share]
    forfeited = dataclasses.replace(outcome, lost_by=np.array([[0, 0]]))
    assert [forfeited.win_shares(player).item() for player in range(3)] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("agents", "seats", "every"), [(2, 3, 6), (3, 3, 6), (2, 8, 254), (8, 8, 40_320)]
)
def test_number_of_seatings(agents: int, seats: int, every: int) -> None:
    assert count_seatings(agents, seats) == every
    names = itertools.product(range(agents), repeat=min(seats, 5))
    assert count_seatings(agents, min(seats, 5)) == sum(len(set(n)) == agents for n in names)


def many_seats(num: int) -> Game:
    """The toy with a longer table, which is never played at."""

    def nobody(states: Array, sides: Array) -> None:
        sides[:] = NO_SIDE

    return dataclasses.replace(GAME, num_seats=lambda rules: num, sides=nobody)


@pytest.mark.parametrize(("agents", "seats"), [(3, 6), (4, 8), (6, 8), (8, 8)])
def test_too_many_seatings_are_sampled_in_balance(agents: int, seats: int) -> None:
    game = many_seats(seats)
    found = seatings(game, RULES, GAME.new_games(RULES, [0, 1]), agents)
    num = MAX_SEATINGS // (agents * seats) * agents * seats
    assert found.shape == (2, num, seats)
    for agent in range(agents):
        at_seat = (found == agent).sum(axis=1)
        assert (at_seat == num / agents).all()
        assert (found == agent).any(axis=2).all()
    assert not np.array_equal(found[0], found[1])
    assert np.array_equal(found, seatings(game, RULES, GAME.new_games(RULES, [0, 1]), agents))


def test_sampled_seatings_are_an_unbiased_estimate() -> None:
    game, seeds = many_seats(6), spawn_seeds(3, 300)
    found = seatings(game, RULES, GAME.new_games(RULES, seeds), 3).reshape(-1, 6)
    sizes = np.sort((found[:, :, None] == np.arange(3)).sum(1), axis=1)
    split = np.mean([tuple(row) == (2, 2, 2) for row in sizes.tolist()])
    # 6! / 2!^3 of all 540 assignments give each agent two seats
    assert split == pytest.approx(90 / 540, abs=0.02)


def test_sides_are_exchanged() -> None:
    found = seatings(SIDED, RULES, SIDED.new_games(RULES, [0]))
    assert found.tolist() == [[[0, 1, 1], [1, 0, 0]]]


def test_sides_are_those_of_the_end() -> None:
    assert (play(bots.First, bots.Last).sides == NO_SIDE).all()
    for bad in (bots.Last, bots.Raises):
        assert (play(bad, bots.Last, game=SIDED).sides == [0, 1, 1]).all()


def replay(seed: Any, seating: Array, agents: list[Agent]) -> list[int]:
    """One game alone, step by step; the agents must not depend on keys."""
    states = GAME.new_games(RULES, [seed])
    while states[0].turn != OVER:
        masks = GAME.masks(states)
        act = agents[seating[states[0].turn]].act
        GAME.apply(
            states, act(masks, masks, keys=np.zeros(1, np.int64), tables=np.zeros(1, np.int64))
        )
    return states[0].scores.tolist()  # type: ignore[no-any-return]


def test_payoffs_are_those_of_games_played_alone() -> None:
    outcome = play(bots.Moody, bots.Last)
    assert (outcome.payoffs.sum(2) == 0).all()
    outcome = play(bots.First, bots.Last)
    agents: list[Agent] = [bots.First(GAME, RULES), bots.Last(GAME, RULES)]
    for deal, game in np.ndindex(outcome.payoffs.shape[:2]):
        seating = outcome.seating[deal, game]
        assert outcome.payoffs[deal, game].tolist() == replay(SEEDS[deal], seating, agents)


def test_scores_of_a_deal_by_hand() -> None:
    payoffs = np.array([[[6, -4, -2], [-2, 1, 1]]])
    outcome = made_up(payoffs, [[[0, 1, 1], [1, 0, 0]]])
    # a: 6, 1, 1 in three seats; b: -4, -2, -2
    assert outcome.differences().tolist() == pytest.approx([8 / 3 + 8 / 3])
    assert outcome.win_shares().tolist() == [1.0]
    tied = dataclasses.replace(outcome, payoffs=payoffs * [[[1], [0]]])
    assert tied.win_shares().tolist() == [0.75]
    forfeited = dataclasses.replace(outcome, lost_by=np.array([[0, NOBODY]]))
    assert forfeited.win_shares().tolist() == [0.5]


@pytest.mark.parametrize("game", [GAME, SIDED], ids=["free-for-all", "sides"])
@pytest.mark.parametrize("agent", [RandomAgent, bots.Moody, bots.Raises])
def test_an_agent_against_itself_scores_exactly_nothing(game: Game, agent: Any) -> None:
    outcome = play(agent, agent, game=game)
    assert (outcome.payoffs != 0).any()
    assert (outcome.differences() == 0).all()
    assert outcome.win_shares().mean() == 0.5


class Witness(Bot):
    """Plays like `Moody` and keeps what it was asked."""

    asked: ClassVar[list[tuple[int, int, int]]] = []

    def choose(self, decision: Decision) -> int:
        self.asked.append((decision.table, decision.key, len(decision.legal)))
        return decision.legal[decision.key % len(decision.legal)]


def test_keys_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "asked", [])
    play(Witness, Witness, first_table=1000)
    by_table: dict[int, list[int]] = {}
    for table, key, _ in Witness.asked:
        by_table.setdefault(table, []).append(key)
    assert sorted(by_table) == list(range(1000, 1000 + 30 * 6 * 3))
    for table, keys in by_table.items():
        deal, seat = (table - 1000) // 18, (table - 1000) % 3
        assert keys == by_table[1000 + deal * 18 + seat]  # as in the deal's first game
    different = {key for keys in by_table.values() for key in keys}
    assert len(different) == sum(
        len(by_table[1000 + d * 18 + s]) for d in range(30) for s in range(3)
    )


@pytest.mark.parametrize("rules", [RULES, ToyRules(max_stake=1)])
def test_kept_actions_replay_to_the_payoffs(rules: ToyRules) -> None:
    outcome = play(bots.Moody, RandomAgent, rules=rules, keep_actions=True)
    assert len(outcome.actions) == outcome.lost_by.size
    for number, actions in enumerate(outcome.actions):
        deal, game = divmod(number, outcome.lost_by.shape[1])
        record = make_record(GAME, rules, int(SEEDS[deal]), actions, skip_forced=True)
        assert record.returns == outcome.payoffs[deal, game].tolist()


def test_kept_actions_of_a_forfeited_game_end_before_the_foul() -> None:
    outcome = play(bots.Raises, bots.Last, keep_actions=True)
    for foul in outcome.fouls:
        assert outcome.lost_by[foul.deal, foul.game] == foul.player
        number = foul.deal * outcome.lost_by.shape[1] + foul.game
        record = make_record(GAME, RULES, int(SEEDS[foul.deal]), outcome.actions[number])
        assert record.returns is None


def test_forced_decisions_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Witness, "asked", [])
    play(Witness, Witness, rules=ToyRules(max_stake=1))
    assert {num_legal for *_, num_legal in Witness.asked} == {2}


def test_deals_do_not_depend_on_their_batch() -> None:
    together = play(bots.Moody, RandomAgent)
    agents: list[Agent] = [bots.Moody(GAME, RULES), RandomAgent(GAME, RULES)]
    parts = [
        play_deals(GAME, RULES, agents, SEEDS[i : i + 10], first_table=i * 18) for i in (0, 10, 20)
    ]
    assert np.array_equal(together.payoffs, np.concatenate([part.payoffs for part in parts]))


def test_every_game_is_reported_once() -> None:
    ended: list[int] = []
    play(bots.Raises, RandomAgent, on_ended=ended.append)
    assert sum(ended) == 30 * 6


@pytest.mark.parametrize(
    ("bad", "kind", "message"),
    [
        (bots.Raises, "raised", "KeyError: 'lost my cards' (bots.py, line "),
        (bots.Exits, "raised", "SystemExit: 1"),
        (bots.Illegal, "illegal", "action 1 is not legal: raise"),
        (bots.Nothing, "nonsense", "expected integers of shape (1,), got NoneType"),
        (bots.NotANumber, "nonsense", "expected integers of shape (1,), got float64"),
        (bots.Fraction, "nonsense", "expected integers of shape (1,), got float64"),
        (bots.TooHigh, "nonsense", "expected an action from 0 to 4, got 999"),
        (bots.Negative, "nonsense", "expected an action from 0 to 4, got -1"),
        (bots.Many, "nonsense", "of shape (1, 2)"),
    ],
)
def test_a_foul_costs_its_own_game_only(bad: Any, kind: str, message: str) -> None:
    clean, foul = play(bots.Last, bots.Moody), play(bad, bots.Moody)
    assert {found.kind for found in foul.fouls} == {kind}
    assert {found.player for found in foul.fouls} == {0}
    assert message in foul.fouls[0].message
    lost = foul.lost_by == 0
    assert lost.sum() == len(foul.fouls)
    assert 0.2 < lost.mean() < 0.95
    assert np.array_equal(clean.payoffs[~lost], foul.payoffs[~lost])
    assert (foul.lost_by[~lost] == NOBODY).all()
    assert (foul.payoffs.sum(2) == 0).all()


@pytest.mark.parametrize("bad", [bots.WrongShape, bots.Scribbler])
def test_an_agent_that_always_fails_loses_everything(bad: Any) -> None:
    outcome = play(bots.First, bad)
    assert (outcome.lost_by == 1).all()
    assert (outcome.win_shares() == 1).all()


class RaisesInSecondHand(bots.Last):
    """Plays soundly at first."""

    def choose(self, decision: Decision) -> int:
        if decision.view.deals == 2:
            raise RuntimeError
        return super().choose(decision)


def test_a_forfeit_comes_on_top_of_the_hands_before() -> None:
    outcome = play(RaisesInSecondHand, bots.Last)
    first_hands = play(bots.Last, bots.Last, rules=ToyRules(hands=1))
    assert (outcome.lost_by == 0).all()
    forfeits = outcome.payoffs - first_hands.payoffs
    assert (np.sort(forfeits, axis=2) == [-6, 3, 3]).all()
    assert (outcome.seating[forfeits == -6] == 0).all()
