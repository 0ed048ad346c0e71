"""The policies that self-play trains: networks over rows (`agents.network.Rows`).

Weights are float32. Where the processor multiplies bfloat16 natively, forward and backward passes
run on copies in that type, and their gradients go to the float32 weights.
"""

import copy
import itertools
from typing import Any, Literal

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import Schedule
from torch import nn

from agents.base import Agent
from agents.network import ADVISED, TRUST, Network, Rows
from agents.policy import PolicyAgent
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
        layers += [linear] if last else [linear, nn.ReLU(inplace=True)]
    return nn.Sequential(*layers)


def adam(net: nn.Module, learning_rate: float) -> torch.optim.Adam:
    """The optimiser of one network."""
    return torch.optim.Adam(
        net.parameters(), learning_rate, betas=(0.9, 0.99), eps=1e-5, fused=True
    )


class Trainee:
    """One network in training: float32 weights, and the copy that computes.

    The copy is in the working type, and the scales of the inputs are taken into its first layer.
    """

    def __init__(self, net: nn.Sequential, scales: Array, dtype: torch.dtype) -> None:
        """Train `net`, whose inputs are multiplied by `scales`."""
        self.net = net
        self.dtype = dtype
        self._scales = torch.from_numpy(scales)
        self._worker = copy.deepcopy(net).to(dtype)
        self._weights, self._copies = list(net.parameters()), list(self._worker.parameters())
        self._gradients = [torch.zeros_like(weight) for weight in self._weights]
        for weight, gradient in zip(self._weights, self._gradients, strict=True):
            weight.grad = gradient
        self.refresh()

    @torch.no_grad()
    def refresh(self) -> None:
        """Bring the copy up to date with the weights."""
        torch.mul(self._weights[0], self._scales, out=self._copies[0])
        for weight, working in zip(self._weights[1:], self._copies[1:], strict=True):
            working.copy_(weight)

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """Outputs [N, outputs] of rows [N, inputs] int8."""
        return self._worker(rows.to(self.dtype))  # type: ignore[no-any-return]

    def step(self, optimizer: torch.optim.Optimizer, max_grad_norm: float) -> float:
        """Take a step along the gradients of the copy; returns their norm."""
        for gradient, working in zip(self._gradients, self._copies, strict=True):
            gradient.copy_(working.grad)  # type: ignore[arg-type]
            working.grad = None
        self._gradients[0] *= self._scales
        norm = nn.utils.clip_grad_norm_(self._weights, max_grad_norm)
        optimizer.step()
        self.refresh()
        return float(norm)


class RowPolicy(MaskableActorCriticPolicy):
    """An actor: one network over rows, with an output an action.

    `predict(observation, action_masks=...)` works as in every policy of sb3-contrib; what trains,
    `action_logits`, takes rows [N, width] int8.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        reader: Rows,
        hidden: list[int],
        precision: Precision = "auto",
        **kwargs: Any,
    ) -> None:
        """Build the network for the rows that `reader` makes."""
        self.reader = reader
        self.hidden = hidden
        self.precision: Precision = precision
        super().__init__(observation_space, action_space, lr_schedule, **kwargs)

    def _build(self, lr_schedule: Schedule) -> None:
        layout = self.reader.layout
        num_read = layout.num_seen + layout.num_actions
        self.actor = perceptron(num_read, self.hidden, layout.num_actions)
        self.input_scales = self.reader.scales[layout.seen]
        self.actor_trainee = self._train_on(self.actor, layout.seen)
        self.actor_optimizer = self.optimizer = adam(self.actor, lr_schedule(1))

    def _train_on(self, net: nn.Sequential, columns: slice) -> Trainee:
        return Trainee(net, self.reader.scales[columns], working_dtype(self.precision))

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """Those of all networks, the actor's first."""
        return [self.actor_optimizer]

    def refresh(self) -> None:
        """Bring what computes up to date after weights were loaded."""
        self.actor_trainee.refresh()

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Load weights (of the base class)."""
        loaded = super().load_state_dict(*args, **kwargs)
        self.refresh()
        return loaded

    def action_logits(self, rows: Array) -> torch.Tensor:
        """[N, num_actions] float32 of rows [N, width] int8."""
        return self._trust(torch.from_numpy(rows[:, self.reader.layout.seen]))

    def _trust(self, seen: torch.Tensor) -> torch.Tensor:
        """Outputs of the actor, those of advised actions raised."""
        outputs = self.actor_trainee(seen).float()
        if self.reader.adviser is None:
            return outputs
        return outputs + TRUST * (seen[:, self.reader.layout.num_seen :] == ADVISED)

    def get_distribution(self, obs: Any, action_masks: Array | None = None) -> MaskableDistribution:
        """The softmax of the outputs at observations [N, layout.size] (of the base class)."""
        size = self.reader.layout.num_actions
        observations = obs.cpu().numpy().astype(np.int8)
        masks = np.ones((len(observations), size), np.int8)
        if action_masks is not None:
            masks = np.asarray(action_masks, np.int8).reshape(-1, size)
        inputs = torch.from_numpy(self.reader.read(observations, masks))
        distribution = self.action_dist.proba_distribution(self._trust(inputs))
        distribution.apply_masking(masks)
        return distribution

    def _predict(
        self, observation: Any, deterministic: bool = False, action_masks: Array | None = None
    ) -> torch.Tensor:
        distribution = self.get_distribution(observation, action_masks)
        return distribution.get_actions(deterministic=deterministic)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Not for this policy: it is trained on rows."""
        raise NotImplementedError("this policy is trained by self-play only")

    evaluate_actions = predict_values = forward

    def export_actor(self) -> Network:
        """The actor as numpy plays it, the scales of its inputs taken into the first layer."""
        linears = [layer for layer in self.actor if isinstance(layer, nn.Linear)]
        weights = [linear.weight.detach().numpy().T.copy() for linear in linears]
        weights[0] *= self.input_scales[:, None]
        return Network(weights, [linear.bias.detach().numpy().copy() for linear in linears])

    def make_agent(self, network: Network, samples: bool = False) -> Agent:
        """The agent that plays a network of this kind; samples: see `PolicyAgent`."""
        return PolicyAgent(self.reader, network, samples)


class SeatPolicy(RowPolicy):
    """Actor and critic apart: the actor sees what its seat sees, the critic sees all."""

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        critic_hidden: list[int],
        critic_sees_all: bool = True,
        **settings: Any,
    ) -> None:
        """Build both networks; `settings` are those of `RowPolicy`.

        critic_sees_all: the critic also reads what is hidden from the seat.
        """
        self.critic_hidden = critic_hidden
        self.critic_sees_all = critic_sees_all
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Schedule) -> None:
        super()._build(lr_schedule)
        layout = self.reader.layout
        start = 0 if self.critic_sees_all else layout.num_hidden
        self._critic_reads = slice(start, layout.num_hidden + layout.num_seen)
        num_read = self._critic_reads.stop - start
        self.critic = perceptron(num_read, self.critic_hidden, 1)
        self.critic_trainee = self._train_on(self.critic, self._critic_reads)
        self.optimizer = adam(self.critic, lr_schedule(1))

    @property
    def optimizers(self) -> list[torch.optim.Optimizer]:
        """Those of all networks, the actor's first."""
        return [self.actor_optimizer, self.optimizer]

    def refresh(self) -> None:
        """Bring what computes up to date after weights were loaded."""
        super().refresh()
        self.critic_trainee.refresh()

    def values(self, rows: Array) -> torch.Tensor:
        """Outputs of the critic [N] float32 for rows [N, width] int8."""
        return self.critic_trainee(torch.from_numpy(rows[:, self._critic_reads])).float()[:, 0]
