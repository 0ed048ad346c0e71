"""Log-probabilities and entropies of the allowed actions, and their gradients."""

from typing import NamedTuple

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from envs.core.game import Array
from tests.agents.test_masked import FORBIDDEN, NUM_ACTIONS, random_cases
from train.masked import evaluate_actions

EXTREME = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1e4, -1e4, 0, 1e4, 0, 0, 0],
        [-1e4, -1e4, -1e4, 0, 0, 0, 0],
        [80, -80, 0, 0, 0, 0, 0],
        [3e-8, -3e-8, 0, 0, 0, 0, 0],
    ],
    np.float32,
)
CASES = {
    "random": random_cases(200, 1),
    "steep": random_cases(200, 2, scale=30),
    "one allowed": (np.full((7, 7), FORBIDDEN, np.float32) - 60, np.eye(7, dtype=np.int8)),
    "all allowed": (random_cases(50, 3)[0] - 20, np.ones((50, NUM_ACTIONS), np.int8)),
    "extreme": (EXTREME, np.array([[1, 1, 1, 1, 0, 0, 0]] * 5, np.int8)),
}


class Found(NamedTuple):
    """Values, and the gradient by the logits."""

    log_probs: Array
    entropies: Array
    gradient: Array


def actions_and_weights(masks: Array) -> tuple[Array, torch.Tensor, torch.Tensor]:
    """Allowed actions, and with what log-probabilities and entropies enter a loss."""
    rng = np.random.default_rng(0)
    actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
    first, second = torch.from_numpy(rng.standard_normal((2, len(masks)), np.float32))
    return actions, first, second


def found(logits: Array, masks: Array, dtype: torch.dtype = torch.float32) -> Found:
    actions, first, second = actions_and_weights(masks)
    inputs = torch.from_numpy(logits).to(dtype).requires_grad_()
    log_probs, entropies = evaluate_actions(inputs, masks, actions)
    torch.autograd.backward((first * log_probs + second * entropies).sum())
    assert inputs.grad is not None
    assert inputs.grad.dtype == dtype
    return Found(
        log_probs.detach().numpy(), entropies.detach().numpy(), inputs.grad.float().numpy()
    )


def expected(logits: Array, masks: Array) -> Found:
    """By torch's own softmax in float64, -inf at what is forbidden."""
    actions, first, second = actions_and_weights(masks)
    inputs = torch.from_numpy(logits).double().requires_grad_()
    allowed = torch.from_numpy(masks).bool()
    all_log_probs = inputs.masked_fill(~allowed, -torch.inf).log_softmax(1)
    finite = all_log_probs.masked_fill(~allowed, 0)
    entropies = -(finite.exp() * finite).masked_fill(~allowed, 0).sum(1)
    log_probs = finite.gather(1, torch.from_numpy(actions)[:, None])[:, 0]
    torch.autograd.backward((first * log_probs + second * entropies).sum())
    assert inputs.grad is not None
    return Found(
        log_probs.detach().numpy(), entropies.detach().numpy(), inputs.grad.float().numpy()
    )


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_are_those_of_a_masked_softmax(case: str) -> None:
    ours, theirs = found(*CASES[case]), expected(*CASES[case])
    for name, one, two in zip(Found._fields, ours, theirs, strict=True):
        assert one.dtype == np.float32
        assert one.shape == two.shape
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6, err_msg=name)
    assert not ours.gradient[CASES[case][1] == 0].any()


@pytest.mark.parametrize("case", ["random", "one allowed", "all allowed"])
def test_values_are_those_of_sb3_contrib(case: str) -> None:
    logits, masks = CASES[case]
    actions, _, _ = actions_and_weights(masks)
    distribution = MaskableCategorical(logits=torch.from_numpy(logits), masks=masks)
    ours = found(logits, masks)
    log_probs = distribution.log_prob(torch.from_numpy(actions))  # type: ignore[no-untyped-call]
    for one, two in zip(ours[:2], (log_probs, distribution.entropy()), strict=True):
        np.testing.assert_allclose(one, two.numpy(), rtol=1e-5, atol=1e-5)


def test_entropy_of_equal_chances() -> None:
    masks = np.tril(np.ones((NUM_ACTIONS, NUM_ACTIONS), np.int8))
    ours = found(np.zeros(masks.shape, np.float32), masks)
    assert ours.entropies.tolist() == pytest.approx(np.log(np.arange(1, 8)), abs=1e-6)
    assert ours.log_probs.tolist() == pytest.approx(-ours.entropies, abs=1e-6)


def test_logits_may_be_bfloat16() -> None:
    logits, masks = random_cases(50, 5)
    rounded = torch.from_numpy(logits).bfloat16().float().numpy()
    ours, theirs = found(logits, masks, torch.bfloat16)[:2], expected(rounded, masks)[:2]
    for one, two in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-6)


def test_masks_may_be_part_of_wider_rows() -> None:
    logits, masks = CASES["random"]
    rows = np.ones((len(masks), NUM_ACTIONS + 3), np.int8)
    rows[:, 3:] = masks
    for one, two in zip(found(logits, masks), found(logits, rows[:, 3:]), strict=True):
        assert np.array_equal(one, two)
