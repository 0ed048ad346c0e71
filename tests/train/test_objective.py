"""Payoffs turned into rewards, and the values and losses that go with them."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from envs.core.errors import RulesError
from train.objective import Objective

PAYOFFS = np.array([[-300, 0, 6], [1, -1, 48]])


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"kind": "win"}, [[-1, 0, 1], [1, -1, 1]]),
        ({"kind": "win", "unit": 100, "cap": 0.5}, [[-1, 0, 1], [1, -1, 1]]),
        ({"kind": "points"}, [[-300, 0, 6], [1, -1, 48]]),
        ({"kind": "points", "unit": 100}, [[-3, 0, 0.06], [0.01, -0.01, 0.48]]),
        ({"kind": "points", "unit": 3, "cap": 10}, [[-10, 0, 2], [1 / 3, -1 / 3, 10]]),
        ({"kind": "log"}, [[-math.log2(301), 0, math.log2(7)], [1, -1, math.log2(49)]]),
        ({"kind": "log", "unit": 3, "cap": 4}, [[-4, 0, math.log2(3)],
                                                [math.log2(4 / 3), -math.log2(4 / 3), 4]]),
    ],
)  # fmt: skip
def test_rewards(settings: dict[str, Any], expected: list[list[float]]) -> None:
    found = Objective(**settings).rewards(PAYOFFS)
    assert found.shape == PAYOFFS.shape
    assert found == pytest.approx(np.array(expected))


def test_rewards_of_a_zero_sum_game_keep_their_signs() -> None:
    for kind in ("win", "points", "log"):
        found = Objective(kind=kind, unit=7).rewards(PAYOFFS)
        assert np.array_equal(np.sign(found), np.sign(PAYOFFS))


def test_values_are_chances_of_winning_from_minus_one_to_one() -> None:
    outputs = torch.tensor([-100.0, 0.0, math.log(3), 100.0])
    assert Objective().values(outputs).tolist() == pytest.approx([-1, 0, 0.5, 1])
    for kind in ("points", "log"):
        assert Objective(kind=kind).values(outputs) is outputs


@pytest.mark.parametrize("kind", ["win", "points", "log"])
@pytest.mark.parametrize("value", [-0.8, 0.0, 0.3])
def test_the_loss_is_least_where_the_values_are_the_returns(kind: Any, value: float) -> None:
    objective = Objective(kind=kind)
    outputs = torch.linspace(-3, 3, 601)
    losses = torch.stack([objective.loss(one[None], torch.tensor([value])) for one in outputs])
    best = outputs[losses.argmin()]
    assert float(objective.values(best)) == pytest.approx(value, abs=0.01)


def test_the_loss_of_mixed_results_is_least_at_the_share_that_is_won() -> None:
    returns = torch.tensor([1.0, 1.0, 1.0, -1.0])  # 3 of 4
    outputs = torch.linspace(-3, 3, 601)
    losses = [float(Objective().loss(one.expand(4), returns)) for one in outputs]
    value = Objective().values(outputs[int(np.argmin(losses))])
    assert float(value) == pytest.approx(0.5, abs=0.01)


def test_estimates_beyond_certain_victory_are_no_more_than_that() -> None:
    outputs = torch.tensor([0.3])
    losses = [Objective().loss(outputs, torch.tensor([value])) for value in (1.0, 1.7)]
    assert losses[0] == losses[1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "wins"}, "^kind must be one of 'win', 'points', 'log', got 'wins'$"),
        ({"unit": 0}, "^unit must be above 0, got 0$"),
        ({"unit": "4"}, "^unit must be a number, got '4'$"),
        ({"cap": -1.5}, "^cap must be above 0, got -1.5$"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Objective(**settings)
