"""The pool: who plays which seats, whose decisions are learnt from, whose results are noted."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

import envs
from agents.base import Agent
from agents.network import Network
from agents.policy import PolicyAgent
from agents.random_agent import RandomAgent
from envs.core.game import Array
from tests.eval.bots import First, Last
from tests.toy_game import FOLD, GAME, ToyRules
from tests.train.tiny import NUM_STEPS, make_learner, make_tables
from train.opponents import MEMORY, NOBODY, Pool, draw_learning_seats
from train.tables import Tables
from train.trajectories import EMPTY

RULES = ToyRules()
NUM_TABLES, NUM_POOL = 10, 6


class Witness:
    """Takes the last allowed action, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Array, Array, Array, Array]] = []

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        self.asked.append((observations.copy(), masks.copy(), keys, tables))
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)  # type: ignore[no-any-return]


def make_pool(
    *agents: Agent, tables: Tables | None = None, size: int = 2, num: int = NUM_POOL
) -> Pool:
    tables = tables or make_tables(NUM_TABLES)
    named = [
        (f"agent {number}", [agent] * len(tables.variants)) for number, agent in enumerate(agents)
    ]
    return Pool(tables, num, named, size, np.random.default_rng(4))


def play(pool: Pool, steps: int, seed: int = 5) -> list[tuple[Array, Array]]:
    """Play on, the learner at random; the actions and the seats to learn of each step."""
    tables, rng, found = pool.tables, np.random.default_rng(seed), []
    for _ in range(steps):
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in tables.masks])
        pool.act(actions)
        found.append((actions.copy(), pool.seats_to_learn()))
        tables.advance(actions)
        pool.note_results()
    return found


def test_in_the_first_games_the_learner_is_everybody() -> None:
    pool = make_pool(First(GAME, RULES))
    assert np.array_equal(pool.seats_to_learn(), pool.tables.seats)
    assert (pool.member == NOBODY).all()


def test_every_game_at_a_pool_table_has_a_seat_of_each() -> None:
    pool = make_pool(RandomAgent(GAME, RULES), First(GAME, RULES))
    patterns = set()
    for step in range(60):
        play(pool, 5, step)
        for table in range(NUM_TABLES):
            learns = pool.learns[table]
            if table < NUM_TABLES - NUM_POOL:
                assert learns.all()
                assert pool.member[table] == NOBODY
            elif pool.member[table] != NOBODY:
                assert learns.any()
                assert not learns.all()
                patterns.add(tuple(learns.tolist()))
    assert len(patterns) == 6  # all ways to share out three seats
    assert (pool.member[-NUM_POOL:] != NOBODY).all()


def test_seats_do_not_change_hands_in_the_middle_of_a_game() -> None:
    pool = make_pool(RandomAgent(GAME, RULES), First(GAME, RULES))
    play(pool, 30)
    for step in range(40):
        learns, member, numbers = pool.learns.copy(), pool.member.copy(), pool.tables.numbers.copy()
        play(pool, 1, step)
        same = ~pool.tables.done
        assert np.array_equal(pool.learns[same], learns[same])
        assert np.array_equal(pool.member[same], member[same])
        assert np.array_equal(pool.tables.numbers == numbers, same)


def test_tables_of_fewer_seats_have_both_too() -> None:
    tables = make_tables(8, ToyRules(players=2), ToyRules(players=3))
    pool = make_pool(RandomAgent(GAME, RULES), tables=tables, num=8)
    for step in range(30):
        play(pool, 5, step)
        for table in np.flatnonzero(pool.member != NOBODY):
            learns = pool.learns[table, : tables.num_seats[table]]
            assert learns.any()
            assert not learns.all()


def test_opponents_decide_at_their_turns_and_nowhere_else() -> None:
    witness = Witness()
    pool = make_pool(witness)
    play(pool, 30)
    names = Counter[int]()
    for step in range(40):
        tables = pool.tables
        observations, masks, seats = (
            array.copy() for array in (tables.observations, tables.masks, tables.seats)
        )
        theirs = np.flatnonzero(~pool.learns[np.arange(NUM_TABLES), seats])
        witness.asked.clear()
        [(actions, learnt)] = play(pool, 1, step)
        assert np.flatnonzero(learnt == EMPTY).tolist() == theirs.tolist()
        assert learnt[learnt != EMPTY].tolist() == seats[learnt != EMPTY].tolist()
        for seen, allowed, keys, asked_at in witness.asked:
            assert np.array_equal(seen, observations[theirs])
            assert np.array_equal(allowed, masks[theirs])
            assert len(set(keys.tolist())) == len(theirs)
            assert (asked_at % 3).tolist() == seats[theirs].tolist()
            names.update(asked_at.tolist())
        assert all(masks[table, actions[table]] for table in theirs)
    assert max(names.values()) <= 4  # decisions of a seat in one game


def test_no_two_seats_have_the_same_name_whatever_is_played_at_the_tables() -> None:
    tables = make_tables(9, ToyRules(players=2, hands=1), ToyRules(players=3, hands=1))
    witness = Witness()
    pool = make_pool(witness, tables=tables, num=9)
    owners: dict[int, tuple[int, int]] = {}
    for step in range(60):
        waiting = np.flatnonzero(pool.seats_to_learn() == EMPTY)
        seats, games = tables.seats[waiting].tolist(), pool.tables.numbers[waiting].tolist()
        witness.asked.clear()
        play(pool, 1, step)
        names = [int(name) for *_, asked_at in witness.asked for name in asked_at]
        for name, seat, game, table in zip(names, seats, games, waiting, strict=True):
            assert owners.setdefault(name, (game, seat)) == (game, seat)
            assert name % tables.num_seats[table] == seat


def test_only_the_decisions_of_the_learner_are_learnt_from() -> None:
    tables = make_tables(NUM_TABLES)
    pool = make_pool(First(GAME, RULES), tables=tables)
    model = make_learner(tables, pool=pool, ent_coef=10.0)  # so it goes on trying everything
    model.learn(4 * NUM_STEPS * NUM_TABLES)
    buffer = model.rollout_buffer
    learnt = buffer.actions[:, -NUM_POOL:][buffer.complete[:, -NUM_POOL:]]
    everything = buffer.actions[3:, -NUM_POOL:]
    assert np.bincount(everything.ravel())[0] > len(everything.ravel()) * 0.5  # First folds
    assert np.bincount(learnt)[0] < len(learnt) * 0.5
    taken_by_others = buffer.seats[3:, -NUM_POOL:] == EMPTY
    assert 0.3 < taken_by_others.mean() < 0.7
    assert (everything[taken_by_others] == FOLD).all()
    assert not (buffer.seats[3:, :-NUM_POOL] == EMPTY).any()


def test_partners_play_together() -> None:
    tichu = envs.load_game("tichu")
    sides = np.empty((1, 4), np.int64)
    tichu.sides(tichu.new_games(tichu.make_rules(), [1]), sides)
    rng = np.random.default_rng(0)
    drawn = {tuple(draw_learning_seats(sides[0], rng).tolist()) for _ in range(50)}
    assert drawn == {(True, False, True, False), (False, True, False, True)}


@pytest.mark.parametrize("num_seats", [2, 3, 4])
def test_without_partners_every_mixed_assignment_is_drawn_alike(num_seats: int) -> None:
    rng = np.random.default_rng(0)
    sides = np.full(num_seats, -1)
    num = 3000
    drawn = Counter(tuple(draw_learning_seats(sides, rng).tolist()) for _ in range(num))
    assert len(drawn) == 2**num_seats - 2
    expected = num / len(drawn)
    assert all(abs(times - expected) < 5 * expected**0.5 for times in drawn.values())


def draws(pool: Pool, num: int = 2000) -> Array:
    found = []
    for _ in range(num):
        pool._draw(NUM_TABLES - 1)
        found.append(pool.member[-1])
    return np.bincount(found, minlength=len(pool.members)) / num


def test_harder_opponents_are_met_more_often() -> None:
    pool = make_pool(*(Witness() for _ in range(3)))
    assert draws(pool) == pytest.approx(np.full(3, 1 / 3), abs=0.05)
    for member, score in zip(pool.members, (0.9, 0.5, 0.1), strict=True):
        member.score = score
    weights = np.array([0.01, 0.25, 0.81]) + 0.01
    assert draws(pool) == pytest.approx(weights / weights.sum(), abs=0.04)


def test_results_are_noted_for_the_right_opponent() -> None:
    pool = make_pool(First(GAME, RULES), Last(GAME, RULES))
    for step in range(300):
        before = [member.score for member in pool.members]
        learns, member, totals = pool.learns.copy(), pool.member.copy(), pool.totals.copy()
        play(pool, 1, step)
        won = totals + pool.tables.rewards
        for table in np.flatnonzero(pool.tables.done & (member != NOBODY)):
            own = learns[table]
            ahead = np.sign(won[table][own].mean() - won[table][~own].mean())
            number = member[table]
            before[number] = MEMORY * before[number] + (1 - MEMORY) * (ahead + 1) / 2
        assert [one.score for one in pool.members] == pytest.approx(before)
    assert not pool.totals[pool.tables.done].any()
    assert pool.members[0].score == 0.5  # it always folds: nobody wins more than another
    assert abs(pool.members[1].score - 0.5) > 0.02


def test_results_of_a_match_are_those_of_all_its_hands() -> None:
    pool = make_pool(Last(GAME, RULES), tables=make_tables(NUM_TABLES, ToyRules(hands=3)))
    for step in range(60):
        totals = pool.totals.copy()
        play(pool, 1, step)
        done = pool.tables.done
        won = totals[done] + pool.tables.rewards[done]
        assert np.array_equal(won, pool.tables.groups[0].returns[done])


def snapshot(seed: int = 0) -> Network:
    """A network of the toy game."""
    return make_learner(make_tables(2), seed=seed).policy.export_actor()


def test_snapshots_join_until_they_are_many_and_then_replace_the_easiest() -> None:
    pool = make_pool(First(GAME, RULES), size=2)
    pool.add_snapshot("one", snapshot())
    pool.add_snapshot("two", snapshot())
    assert [member.name for member in pool.members] == ["agent 0", "one", "two"]
    for member, score in zip(pool.members, (0.99, 0.3, 0.7), strict=True):
        member.score = score
    pool.add_snapshot("three", snapshot())
    assert [member.name for member in pool.members] == ["agent 0", "one", "three"]
    assert pool.members[2].score == 0.5
    assert all(isinstance(member.agents[0], PolicyAgent) for member in pool.members[1:])


def test_without_opponents_the_learner_plays_itself() -> None:
    pool = make_pool()
    play(pool, 40)
    assert (pool.member == NOBODY).all()
    pool.add_snapshot("first", snapshot())
    play(pool, 40)
    assert (pool.member[-NUM_POOL:] == 0).all()


def arrays(pool: Pool) -> list[Any]:
    return [pool.member, pool.learns, pool.tables.numbers, pool.totals, pool.tables.rows]


def test_a_pool_goes_on_from_what_was_saved() -> None:
    pools = []
    for seed in (0, 9):
        pool = make_pool(Last(GAME, RULES), tables=make_tables(NUM_TABLES, seed=seed))
        pool.rng = np.random.Generator(np.random.Philox(seed))
        pools.append(pool)
    one, two = pools
    one.add_snapshot("one", snapshot(1))
    play(one, 33)
    one.add_snapshot("two", snapshot(2))
    play(one, 8)
    two.add_snapshot("another", snapshot(3))
    two.restore(one.state())
    two.tables.restore(one.tables.state())
    assert [member.name for member in two.members] == ["agent 0", "one", "two"]
    for _ in range(5):
        assert all(map(np.array_equal, arrays(one), arrays(two)))
        assert [member.score for member in one.members] == [member.score for member in two.members]
        found = play(one, 10), play(two, 10)
        assert all(all(map(np.array_equal, a, b)) for a, b in zip(*found, strict=True))
