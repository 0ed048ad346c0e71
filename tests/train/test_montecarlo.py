"""Deep Monte-Carlo: each decision is learnt once, from what its seat won until its game ended."""

from pathlib import Path

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from envs.core.rng import spawn_seeds
from tests.conformance.play import look, random_actions
from tests.toy_game import GAME, ToyRules
from tests.train.tiny import NUM_STEPS, make_tables
from train.evaluation import compare
from train.montecarlo import Returns, SelfPlayDMC, explore_actions
from train.trajectories import EMPTY

NUM_TABLES = 7
SMALL = {
    "n_steps": NUM_STEPS,
    "batch_size": 32,
    "learning_rate": 1e-2,
    "policy_kwargs": {"hidden": [16], "precision": "float32"},
}


def make_memory(memory: int) -> Returns:
    tables = make_tables(NUM_TABLES)
    spaces = tables.observation_space, tables.action_space
    return Returns(NUM_STEPS, *spaces, n_envs=NUM_TABLES, width=2, num_seats=3, memory=memory)


def test_every_decision_comes_once_with_what_its_seat_won_from_there_on() -> None:
    tables, memory = make_tables(NUM_TABLES), make_memory(5)
    rng = np.random.default_rng(1)
    expected: dict[int, float] = {}
    found: dict[int, float] = {}
    running: list[list[tuple[int, int]]] = [[] for _ in range(NUM_TABLES)]
    for rollout in range(20):
        memory.begin()
        for step in range(NUM_STEPS):
            serials = np.arange(NUM_TABLES) + NUM_TABLES * (NUM_STEPS * rollout + step)
            seats = np.where(rng.random(NUM_TABLES) < 0.2, EMPTY, tables.seats)
            memory.add(np.zeros((NUM_TABLES, 2), np.int8), serials, np.zeros(NUM_TABLES), seats)
            for table in np.flatnonzero(seats != EMPTY).tolist():
                running[table].append((int(serials[table]), int(seats[table])))
                expected[int(serials[table])] = 0.0
            tables.advance(random_actions(tables.masks, spawn_seeds(3, NUM_TABLES), step))
            memory.add_outcome(tables.rewards, tables.done)
            for table in range(NUM_TABLES):
                for serial, seat in running[table]:
                    expected[serial] += tables.rewards[table, seat]
                if tables.done[table]:
                    running[table].clear()
        for sample in memory.batches(8, rng):
            new = dict(zip(sample.actions.tolist(), sample.returns.tolist(), strict=True))
            assert not new.keys() & found.keys()
            found |= new
        assert memory.num_dropped == 0
    assert len(found) > 0.9 * len(expected)
    assert found == pytest.approx({serial: expected[serial] for serial in found})
    assert any(found.values())


def test_what_waits_too_long_is_dropped_and_counted() -> None:
    memory = make_memory(1)
    nobody_ends = np.zeros((NUM_TABLES, 3)), np.zeros(NUM_TABLES, bool)
    dropped = []
    for _ in range(2):
        memory.begin()
        for _ in range(NUM_STEPS):
            blank = np.zeros((NUM_TABLES, 2), np.int8)
            zeros = np.zeros(NUM_TABLES, np.int64)
            memory.add(blank, zeros, np.zeros(NUM_TABLES), zeros)
            memory.add_outcome(*nobody_ends)
        dropped.append(memory.num_dropped)
        assert not list(memory.batches(1, np.random.default_rng(0)))
    assert dropped == [0, NUM_STEPS * NUM_TABLES]


def test_the_best_action_is_taken_and_now_and_then_any() -> None:
    num = 20_000
    outputs = np.tile(np.array([[0.1, 0.9, 0.5, 2.0]], np.float32), (num, 1))
    masks = np.tile(np.array([[1, 1, 1, 0]], np.int8), (num, 1))
    actions, taken = np.empty(num, np.int64), np.empty(num, np.float32)
    explore_actions(outputs, masks, np.random.default_rng(2).random(num), 0.3, actions, taken)
    shares = np.bincount(actions, minlength=4) / num
    assert shares == pytest.approx([0.1, 0.8, 0.1, 0.0], abs=0.015)
    assert np.array_equal(taken, outputs[np.arange(num), actions])


def test_a_tiny_game_is_learnt(tmp_path: Path) -> None:
    rules = ToyRules(hands=1)
    model = SelfPlayDMC(make_tables(64, rules), epsilon=0.3, final_epsilon=0.1, **SMALL)  # type: ignore[arg-type]
    model.learn(64 * NUM_STEPS * 40)

    class Greedy:
        def act(self, observations, masks, *, keys, tables):  # type: ignore[no-untyped-def]
            return model.predict(observations, action_masks=masks.astype(bool))[0]

    [found] = compare(GAME, rules, Greedy(), [("random", RandomAgent(GAME, rules))], 400)
    assert found.difference.low is not None
    assert found.difference.low > 0.2
    model.save(tmp_path / "model.zip")
    states = GAME.new_games(rules, [1, 2])
    seen, masks = look(GAME, rules, states, states["turn"].copy()), GAME.masks(states)
    loaded = SelfPlayDMC.load(tmp_path / "model.zip")
    assert np.array_equal(
        loaded.predict(seen, action_masks=masks.astype(bool))[0],
        model.predict(seen, action_masks=masks.astype(bool))[0],
    )
