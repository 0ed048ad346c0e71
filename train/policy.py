"""The policy that self-play trains: an actor that sees what its seat sees, a critic that sees all.

Weights are float32. Where the processor multiplies bfloat16 natively, forward and backward passes
run on copies in that type, and their gradients go to the float32 weights.
"""

import copy
import itertools
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from agents.network import Network, Rows
from envs.core.game import Array

Precision = Literal["auto", "float32", "bfloat16"]


def working_dtype(precision: Precision) -> torch.dtype:
    """The type that layers compute in; "auto" is bfloat16 where the processor has units for it."""
    if precision == "auto":
        has_units = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
        return torch.bfloat16 if has_units() else torch.float32
    return torch.bfloat16 if precision == "bfloat16" else torch.float32


def perceptron(num_inputs: int, hidden: list[int], num_outputs: int) -> nn.Sequential:
    """Fully connected layers with rectified linear units between them, orthogonally initialised.

    Source of the gains: Andrychowicz et al., "What matters for on-policy deep actor-critic
    methods?" (2021).
    """
    layers: list[nn.Module] = []
    sizes = [num_inputs, *hidden, num_outputs]
    for number, (size, following) in enumerate(itertools.pairwise(sizes)):
        linear = nn.Linear(size, following)
        last = number == len(hidden)
        nn.init.orthogonal_(linear.weight, 0.01 if last else 2**0.5)
        nn.init.zeros_(linear.bias)
        layers += [linear] if last else [linear, nn.ReLU()]
    return nn.Sequential(*layers)


class Trainee:
    """One network in training: float32 weights, the copy that computes, and the optimiser."""

    def __init__(self, net: nn.Sequential, scales: Array, dtype: torch.dtype) -> None:
        """Train `net`, whose inputs are multiplied by `scales`."""
        self.net = net
        self.dtype = dtype
        self._worker = net if dtype == torch.float32 else copy.deepcopy(net).to(dtype)
        self._scales = torch.from_numpy(scales).to(dtype)
        self._is_scaled = bool((scales != 1).any())
        self.refresh()

    def _pairs(self) -> Iterator[tuple[nn.Parameter, nn.Parameter]]:
        return zip(self.net.parameters(), self._worker.parameters(), strict=True)

    @torch.no_grad()
    def refresh(self) -> None:
        """Bring the copy up to date with the weights."""
        if self._worker is not self.net:
            for master, worker in self._pairs():
                worker.copy_(master)

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """Outputs [N, outputs] of rows [N, inputs] int8."""
        inputs = rows.to(self.dtype)
        if self._is_scaled:
            inputs *= self._scales
        return self._worker(inputs)  # type: ignore[no-any-return]

    def step(self, optimizer: torch.optim.Optimizer, max_grad_norm: float) -> float:
        """Take a step along the gradients of the copy; returns their norm."""
        parameters = list(self.net.parameters())
        if self._worker is not self.net:
            for master, worker in self._pairs():
                master.grad = worker.grad.float()  # type: ignore[union-attr]
                worker.grad = None
        norm = nn.utils.clip_grad_norm_(parameters, max_grad_norm)
        optimizer.step()
        optimizer.zero_grad()
        self.refresh()
        return float(norm)


class SeatPolicy(MaskableActorCriticPolicy):
    """Separate actor and critic over rows (`agents.network.Rows`).

    `predict(observation, action_masks=...)` works as in every policy of sb3-contrib; what trains,
    `action_logits` and `values`, takes rows [N, width] int8.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        reader: Rows,
        hidden: list[int],
        critic_hidden: list[int],
        critic_sees_all: bool = True,
        precision: Precision = "auto",
        **kwargs: Any,
    ) -> None:
        """Build both networks for the rows that `reader` makes.

        critic_sees_all: the critic also reads what is hidden from the seat.
        """
        self.reader = reader
        self.hidden, self.critic_hidden = hidden, critic_hidden
        self.critic_sees_all = critic_sees_all
        self.precision: Precision = precision
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        layout = self.reader.layout
        start = 0 if self.critic_sees_all else layout.num_hidden
        self._critic_reads = slice(start, layout.num_hidden + layout.num_seen)
        num_read = self._critic_reads.stop - start
        self.actor = perceptron(
            layout.num_seen + layout.num_actions, self.hidden, layout.num_actions
        )
        self.critic = perceptron(num_read, self.critic_hidden, 1)
        dtype = working_dtype(self.precision)
        scales = self.reader.scales
        self.actor_trainee = Trainee(self.actor, scales[layout.seen], dtype)
        self.critic_trainee = Trainee(self.critic, scales[self._critic_reads], dtype)
        settings: dict[str, Any] = {"betas": (0.9, 0.99), "eps": 1e-5, "fused": True}
        self.actor_optimizer, self.optimizer = (
            torch.optim.Adam(net.parameters(), lr_schedule(1), **settings)
            for net in (self.actor, self.critic)
        )

    def refresh(self) -> None:
        """Bring what computes up to date after weights were loaded."""
        self.actor_trainee.refresh()
        self.critic_trainee.refresh()

    def action_logits(self, rows: Array) -> torch.Tensor:
        """[N, num_actions] of rows [N, width] int8, in the working type."""
        return self.actor_trainee(torch.from_numpy(rows[:, self.reader.layout.seen]))

    def values(self, rows: Array) -> torch.Tensor:
        """Outputs of the critic [N] float32 for rows [N, width] int8."""
        return self.critic_trainee(torch.from_numpy(rows[:, self._critic_reads])).float()[:, 0]

    def get_distribution(self, obs: Any, action_masks: Array | None = None) -> MaskableDistribution:
        """The distribution over actions at observations [N, layout.size] (of the base class)."""
        size = self.reader.layout.num_actions
        observations = obs.cpu().numpy().astype(np.int8)
        masks = np.ones((len(observations), size), np.int8)
        if action_masks is not None:
            masks = np.asarray(action_masks, np.int8).reshape(-1, size)
        inputs = torch.from_numpy(self.reader.read(observations, masks))
        distribution = self.action_dist.proba_distribution(self.actor_trainee(inputs).float())
        distribution.apply_masking(masks)
        return distribution

    def _predict(
        self, observation: Any, deterministic: bool = False, action_masks: Array | None = None
    ) -> torch.Tensor:
        distribution = self.get_distribution(observation, action_masks)
        return distribution.get_actions(deterministic=deterministic)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Not for this policy: it is trained on rows, by `action_logits` and `values`."""
        raise NotImplementedError("this policy is trained by SelfPlayPPO only")

    evaluate_actions = predict_values = forward

    def export_actor(self) -> Network:
        """The actor as numpy plays it, the scales of its inputs taken into the first layer."""
        linears = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        weights = [linear.weight.detach().numpy().T.copy() for linear in linears]
        weights[0] *= self.reader.scales[self.reader.layout.seen][:, None]
        return Network(weights, [linear.bias.detach().numpy().copy() for linear in linears])
