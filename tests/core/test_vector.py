"""The batched face, over a toy game."""

import copy

import numpy as np
import pytest

from envs.core.aec import GameEnv
from envs.core.errors import IllegalActionError, JipaeError
from envs.core.game import OVER
from envs.core.rng import derive_seed, spawn_seeds
from envs.core.seeding import next_seed
from envs.core.vector import BatchEnv
from tests.toy_game import FOLD, GAME, RAISE, STAKE, ToyRules

ONE_HAND = ToyRules(hands=1)


def new_batch(num_tables=4, seed=5, rules=ONE_HAND, **options):
    env = BatchEnv(GAME, rules, num_tables, **options)
    env.reset(seed)
    return env


def test_tables_play_the_games_of_their_seeds_whatever_their_number():
    few, many = new_batch(2), new_batch(5)
    assert many.states["seed"].tolist() == [derive_seed(5, table) for table in range(5)]
    for env in (few, many):
        for action in (RAISE, STAKE, FOLD, FOLD, RAISE):
            env.step(np.full(env.num_tables, action))
    assert np.array_equal(many.states[:2], few.states)
    assert np.array_equal(many.observations[:2], few.observations)


def test_a_finished_table_is_dealt_again_and_the_end_can_be_read():
    env = new_batch(2)
    seeds = env.states["seed"].copy()
    for actions in ([FOLD, RAISE], [RAISE, STAKE], [STAKE, FOLD], [FOLD, RAISE]):
        env.step(actions)
    assert env.done.tolist() == [True, False]
    assert env.ended["seed"][0] == seeds[0]
    assert env.states["seed"].tolist() == [next_seed(seeds[0]), seeds[1]]
    assert env.seats.tolist() == [0, 2]
    assert env.masks.tolist() == [[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]]
    env.step([FOLD, STAKE + 1])
    assert env.done.tolist() == [False, True]
    assert env.rewards[0].tolist() == [0, 0, 0]
    assert env.rewards[1].tolist() == env.returns[1].tolist()
    assert sorted(env.returns[1]) in ([-2, 0, 2], [-1, 0, 1])


def test_without_auto_reset_finished_tables_wait():
    env = new_batch(2, auto_reset=False)
    for actions in ([FOLD, RAISE], [FOLD, STAKE], [FOLD, FOLD]):
        env.step(actions)
    seeds = env.states["seed"].copy()
    assert env.done.tolist() == [True, False]
    assert env.seats.tolist() == [OVER, 2]
    assert not env.masks[0].any()
    env.step([77, FOLD])  # the first table takes anything
    assert env.done.tolist() == [True, True]
    assert env.states["seed"].tolist() == seeds.tolist()
    assert env.returns.tolist() == env.states["scores"].tolist()


def test_rewards_belong_to_the_step_also_across_hands():
    env = new_batch(3, rules=ToyRules(hands=2))
    total = np.zeros((3, 3), np.int64)
    rng = np.random.default_rng(1)
    while not env.done.any():
        env.step([rng.choice(np.flatnonzero(mask)) for mask in env.masks])
        total += env.rewards
    assert np.array_equal(total[env.done], env.returns[env.done])
    assert not total.sum(axis=1).any()


def test_forced_decisions_are_skipped():
    rules = ToyRules(max_stake=1)
    env = new_batch(2, rules=rules)
    env.step([RAISE, FOLD])
    assert env.seats.tolist() == [1, 1]
    slow = new_batch(2, rules=rules, skip_forced=False)
    slow.step([RAISE, FOLD])
    assert slow.seats.tolist() == [0, 1]


def test_a_table_can_be_repeated_alone():
    batch = new_batch(3, skip_forced=False)
    for action in (FOLD, FOLD, FOLD, RAISE):  # into the second games
        batch.step([action] * 3)
    env = GameEnv(GAME, ToyRules(hands=1))
    env.reset(seed=int(batch.states["seed"][2]))
    env.step(RAISE)
    assert np.array_equal(env.state(), batch.state()[2])
    assert np.array_equal(env.last()[0]["observation"], batch.observations[2])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([FOLD, STAKE], r"table 1, seat 0 may not take action 2 \(stake 1\); legal: 0 \(fold\)"),
        ([9, FOLD], "table 0, seat 0: an action is a whole number from 0 to 4, got 9"),
        ([FOLD, -1], "table 1, seat 0: .* got -1"),
        ([FOLD], r"actions must be 2 whole numbers, got int64 of shape \(1,\)"),
        ([0.0, 0.0], "got float64"),
    ],
)
def test_an_illegal_action_changes_no_table(actions, message):
    env = new_batch(2)
    before = copy.deepcopy(env)
    with pytest.raises(IllegalActionError, match=message):
        env.step(actions)
    for name in ("states", "observations", "masks", "seats", "rewards", "done"):
        assert np.array_equal(getattr(env, name), getattr(before, name))


def test_other_seats_can_look():
    env = new_batch(2)
    seen = env.observe([2, 1])
    assert np.array_equal(env.observe(env.seats), env.observations)
    single = GameEnv(GAME, ToyRules(hands=1))
    single.reset(seed=int(env.states["seed"][1]))
    assert np.array_equal(seen[1], single.observe("player_1")["observation"])


def test_seeds_of_the_games_can_be_given():
    env = BatchEnv(GAME, ToyRules(), 3)
    env.reset(seeds=[7, 7, 8])
    assert env.states["seed"].tolist() == [7, 7, 8]
    assert np.array_equal(env.states[0], env.states[1])
    env.reset(7)
    assert env.states["seed"].tolist() == spawn_seeds(7, 3).tolist()
    with pytest.raises(JipaeError, match="expected 3 seeds, one a table, got 2"):
        env.reset(seeds=[1, 2])
    with pytest.raises(JipaeError, match="got -1"):
        env.reset(seeds=[1, 2, -1])


def test_stepping_needs_running_games():
    env = BatchEnv(GAME, ToyRules(), 2)
    with pytest.raises(IllegalActionError, match="reset"):
        env.step([FOLD, FOLD])


def random_steps(env, num, seed=0):
    """Play `num` steps at random; everything that could be read after each."""
    rng, found = np.random.default_rng(seed), []
    for _ in range(num):
        env.step([rng.choice(np.flatnonzero(mask)) for mask in env.masks])
        arrays = (env.states, env.observations, env.masks, env.rewards, env.done)
        found.append([array.copy() for array in arrays])
    return found


def test_restored_games_go_on_as_they_did():
    env = new_batch(3, rules=ToyRules(hands=3))
    random_steps(env, 5)  # into the second hands: scores are not 0
    assert env.states["scores"].any()
    states = env.states.copy()
    expected = random_steps(env, 30, seed=1)
    assert any(arrays[-1].any() for arrays in expected)
    for other in (BatchEnv(GAME, ToyRules(hands=3), 3), env):
        other.restore(states)
        assert np.array_equal(other.states, states)
        assert np.array_equal(other.seats, states["turn"])
        assert not other.rewards.any()
        assert not other.done.any()
        assert np.array_equal(other.observe(other.seats), other.observations)
        found = random_steps(other, 30, seed=1)
        for before, after in zip(expected, found, strict=True):
            assert all(map(np.array_equal, before, after))


def test_restored_games_do_not_share_memory_with_what_they_were_restored_from():
    env = new_batch(2)
    states = env.states.copy()
    env.restore(states)
    env.step([RAISE, RAISE])
    assert not states["pending"].any()


def test_restored_games_that_are_over_stay_over():
    env = new_batch(2, auto_reset=False)
    for actions in ([FOLD, RAISE], [FOLD, STAKE], [FOLD, FOLD]):
        env.step(actions)
    other = BatchEnv(GAME, ONE_HAND, 2, auto_reset=False)
    other.restore(env.states.copy())
    assert other.done.tolist() == [True, False]
    assert other.seats.tolist() == [OVER, 2]
    assert not other.masks[0].any()
