"""Choosing among the allowed actions: frequencies, log-probabilities, ties."""

import numpy as np
import pytest

from agents.masked import best_actions, sample_actions
from envs.core.game import Array

NUM_ACTIONS = 7
FORBIDDEN = 50.0
"""Logit of what may not be taken: it would win if it were looked at."""


def log_softmax(logits: Array, masks: Array) -> Array:
    """The slow and obvious way, in float64; -inf where it is forbidden."""
    allowed = np.where(masks, logits.astype(np.float64), -np.inf)
    shifted = allowed - allowed.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def random_cases(num: int, seed: int, scale: float = 2.0) -> tuple[Array, Array]:
    """Logits and masks with one allowed action a row at least."""
    rng = np.random.default_rng(seed)
    logits = (scale * rng.standard_normal((num, NUM_ACTIONS))).astype(np.float32)
    masks = (rng.random((num, NUM_ACTIONS)) < 0.5).astype(np.int8)
    masks[np.arange(num), rng.integers(NUM_ACTIONS, size=num)] = 1
    return np.where(masks, logits, np.float32(FORBIDDEN)), masks


def sample(logits: Array, masks: Array, uniforms: Array) -> tuple[Array, Array]:
    actions, log_probs = np.full(len(masks), -1), np.full(len(masks), np.nan, np.float32)
    sample_actions(logits, masks, uniforms, actions, log_probs)
    return actions, log_probs


@pytest.mark.parametrize("seed", range(4))
def test_actions_are_drawn_as_the_softmax_says(seed: int) -> None:
    num = 20_000
    logits, masks = (np.repeat(array, num, axis=0) for array in random_cases(1, seed))
    actions, _ = sample(logits, masks, np.random.default_rng(seed).random(num))
    allowed = np.flatnonzero(masks[0])
    counts = np.bincount(actions, minlength=NUM_ACTIONS)
    assert counts[allowed].sum() == num
    chances = np.exp(log_softmax(logits[:1], masks[:1]))[0, allowed]
    deviations = np.sqrt(num * chances * (1 - chances)) + 1e-9
    assert (abs(counts[allowed] - num * chances) < 4 * deviations + 1e-3).all()


def test_log_probabilities_are_those_of_the_actions() -> None:
    logits, masks = random_cases(500, 1)
    actions, log_probs = sample(logits, masks, np.random.default_rng(2).random(500))
    expected = log_softmax(logits, masks)[np.arange(500), actions]
    assert np.abs(log_probs - expected).max() < 1e-6
    assert masks[np.arange(500), actions].all()


def test_extreme_logits() -> None:
    logits = np.array([[1e4, 1e4, -1e4], [-1e30, -1e30, 0], [3e4, 0, 0]], np.float32)
    masks = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 1]], np.int8)
    actions, log_probs = sample(logits, masks, np.array([0.6, 0.4, 0.999_999]))
    assert actions.tolist() == [1, 0, 0]
    assert log_probs.tolist() == pytest.approx([-np.log(2), -np.log(2), 0], abs=1e-6)


@pytest.mark.parametrize("uniform", [0.0, 0.5, 1.0])
def test_the_only_allowed_action_is_certain(uniform: float) -> None:
    masks = np.eye(NUM_ACTIONS, dtype=np.int8)
    logits = np.where(masks, np.float32(-3), np.float32(FORBIDDEN))
    actions, log_probs = sample(logits, masks, np.full(NUM_ACTIONS, uniform))
    assert actions.tolist() == list(range(NUM_ACTIONS))
    assert log_probs.tolist() == [0.0] * NUM_ACTIONS


def test_the_ends_of_the_uniform_numbers_give_the_first_and_the_last_allowed_action() -> None:
    logits = np.zeros((3, NUM_ACTIONS), np.float32)
    masks = np.array([[0, 1, 0, 1, 1, 0, 0]] * 3, np.int8)
    assert sample(logits, masks, np.array([0.0, 0.5, 1.0]))[0].tolist() == [1, 3, 4]


def best(logits: Array, masks: Array) -> list[int]:
    actions = np.full(len(masks), -1)
    best_actions(logits, masks, actions)
    return actions.tolist()


def test_the_best_action_is_the_allowed_one_with_the_largest_logit() -> None:
    logits, masks = random_cases(300, 3)
    assert best(logits, masks) == np.argmax(log_softmax(logits, masks), axis=1).tolist()


def test_the_first_of_equals_is_the_best() -> None:
    logits = np.array([[9, 1, 2, 2, 2], [0, 0, 0, 0, 0], [-5, -5, 9, -6, -5]], np.float32)
    masks = np.array([[0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [1, 1, 0, 1, 1]], np.int8)
    assert best(logits, masks) == [2, 3, 0]


def test_masks_may_be_part_of_wider_rows() -> None:
    logits, masks = random_cases(50, 4)
    rows = np.full((50, NUM_ACTIONS + 3), 1, np.int8)
    rows[:, 3:] = masks
    uniforms = np.random.default_rng(5).random(50)
    for one, two in zip(
        sample(logits, masks, uniforms), sample(logits, rows[:, 3:], uniforms), strict=True
    ):
        assert np.array_equal(one, two)
