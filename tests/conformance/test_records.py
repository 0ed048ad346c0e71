"""Records of every game: read as written, replayed to the same end, refused when changed."""

from dataclasses import replace

import numpy as np
import pytest

from envs.core.aec import GameEnv
from envs.core.errors import RecordError
from envs.core.game import OVER
from envs.core.record import make_record, read_records, replay, verify, write_records
from tests.conformance.play import random_actions


def play(env, seed):
    """A whole random game."""
    env.reset(seed=seed)
    step = 0
    while not any(env.terminations.values()):
        mask = env.last()[0]["action_mask"]
        env.step(random_actions(mask[None], [seed], step)[0])
        step += 1
    return env


@pytest.fixture
def env(variant):
    return GameEnv(variant.game, variant.rules)


def test_a_record_survives_writing_and_replays_to_the_same_end(variant, env, tmp_path):
    records = [play(env, seed).record() for seed in range(5)]
    write_records(tmp_path / "games.jsonl", records)
    assert list(read_records(tmp_path / "games.jsonl")) == records
    for seed, record in enumerate(records):
        verify(variant.game, record)
        play(env, seed)
        *_, (state, seat, _) = replay(variant.game, record)
        vectors = np.empty((1, len(env.state())), np.int8)
        variant.game.observe_state(np.array([state]), np.zeros(1, np.int64), vectors)
        assert seat == OVER
        assert np.array_equal(vectors[0], env.state())
        assert record.returns == [int(r) for r in env._scores[: len(env.possible_agents)]]


def test_forced_decisions_are_found_again(variant, env):
    play(env, 3)
    choices, actions = [], [action for _, action in env.history()]
    env.reset(seed=3)
    for action in actions:
        if env.last()[0]["action_mask"].sum() > 1:
            choices.append(action)
        env.step(action)
    record = make_record(variant.game, variant.rules, 3, choices, skip_forced=True)
    assert record == env.record()


def test_a_game_can_be_recorded_at_any_time(variant, env):
    play(env, 4)
    whole, actions = env.record(), [action for _, action in env.history()]
    for num in range(0, len(actions), 5):
        part = make_record(variant.game, variant.rules, 4, actions[:num])
        verify(variant.game, part)
        assert part.actions == whole.actions[: len(part.actions)]


def test_a_deal_can_be_laid_out_again_under_another_seed(variant, env):
    record = play(env, 5).record()
    env.reset(seed=6, options={"deal": record.deals[0]})
    assert env.record().deals == record.deals[:1]
    assert variant.game.problems(env._states[0]) == []


def test_changed_records_are_refused(variant, env):
    record = play(env, 6).record()
    (seat, text), *others = record.actions
    other_seat = (seat + 1) % len(env.possible_agents)
    for changed in (
        {"actions": [(other_seat, text), *others]},
        {"actions": [(seat, "dance"), *others]},
        {"actions": record.actions[:-1]},
        {"actions": [*record.actions, record.actions[-1]]},
        {"returns": [value + 1 for value in record.returns]},
        {"returns": None},
        {"deals": [*record.deals, record.deals[-1]]},
        {"deals": [{}]},
        {"game_version": record.game_version + 1},
        {"options": {"no_such_option": 1}},
    ):
        with pytest.raises(RecordError):
            verify(variant.game, replace(record, **changed))
