"""Deep Monte-Carlo by self-play: values of actions, learnt from the returns of whole games.

One network gives the values of all actions at once. Every seat takes the action of the largest,
now and then another; each decision is learnt from once, when its game has ended.

Source: Zha et al., "DouZero: mastering DouDizhu with self-play deep reinforcement learning" (2021).
"""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.utils import LinearSchedule, explained_variance
from torch.nn import functional

from agents.masked import collect_allowed
from envs.core.game import Array
from envs.core.jit import kernel
from train.policy import RowPolicy
from train.selfplay import NO_CRITIC, PolicySelfPlay
from train.tables import Tables
from train.trajectories import EMPTY, shuffled_parts

Loss = Literal["objective", "squared"]


@kernel
def explore_actions(
    outputs: Any, masks: Any, uniforms: Any, epsilon: Any, actions: Any, taken: Any
) -> None:
    """The allowed action with the largest output, or with probability epsilon any, a row each.

    outputs: [N, A] float32; masks: [N, A] int8; uniforms: [N] float64 from 0 to 1. Written in
    place: actions [N] int64, taken [N] float32, the outputs of these actions.
    """
    ids = np.empty(masks.shape[1] + 1, np.int64)
    for i in range(masks.shape[0]):
        num = collect_allowed(outputs[i], masks[i], ids)
        place = 0
        if uniforms[i] < epsilon:  # then the quotient is uniform too
            place = 1 + min(int(uniforms[i] / epsilon * num), num - 1)
        actions[i] = ids[place]
        taken[i] = outputs[i, ids[place]]


class Sample(NamedTuple):
    """Decisions to learn from."""

    rows: Array
    """[N, width] int8."""
    actions: Array
    """[N] int64."""
    values: Array
    """[N] float32, as they were estimated when the actions were taken."""
    returns: Array
    """[N] float32, what the seats won from there to the end of their games."""


class Returns(BaseBuffer):
    """The decisions of the last R steps at B tables; each waits for the end of its game.

    rows: [R, B, width] int8; actions and seats int64 (EMPTY: a free place), values and returns
    float32, is_over bool (the game has ended, and with it the return is known): [R, B]. Until then
    `returns` holds what the seat had won before, below 0. totals: [B, S] float32, what every seat
    has won in its game so far.
    """

    def __init__(  # noqa: PLR0913 - Stable-Baselines3 passes the first seven
        self,
        buffer_size: int,
        observation_space: Any,
        action_space: Any,
        device: Any = "cpu",
        gamma: float = 1.0,
        gae_lambda: float = 1.0,
        n_envs: int = 1,
        *,
        width: int,
        num_seats: int,
        memory: int,
    ) -> None:
        """Make room for `memory` rollouts of `buffer_size` steps at `n_envs` tables."""
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        shape = (memory * buffer_size, n_envs)
        self.rows = np.zeros((*shape, width), np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.values, self.returns = np.zeros((2, *shape), np.float32)
        self.seats = np.full(shape, EMPTY)
        self.is_over = np.zeros(shape, bool)
        self.totals = np.zeros((n_envs, num_seats), np.float32)
        self.num_dropped = 0
        """Decisions of this rollout's time that left the memory before they were learnt from."""

    def begin(self) -> None:
        """Start a rollout."""
        self.num_dropped = 0

    def add(self, rows: Array, actions: Array, values: Array, seats: Array) -> None:
        """Note the decisions of one step; `seats` is EMPTY where there is nothing to learn."""
        place = self.pos
        self.num_dropped += int((self.seats[place] != EMPTY).sum())
        self.rows[place] = rows
        self.actions[place] = actions
        self.values[place] = values
        self.seats[place] = seats
        self.returns[place] = -self.totals[np.arange(self.n_envs), seats]
        self.is_over[place] = False

    def add_outcome(self, rewards: Array, done: Array) -> None:
        """Note what the step brought: rewards [B, S], done [B]."""
        self.totals += rewards
        tables = np.flatnonzero(done)
        waits = (self.seats[:, tables] != EMPTY) & ~self.is_over[:, tables]
        place, which = np.nonzero(waits)
        table = tables[which]
        self.returns[place, table] += self.totals[table, self.seats[place, table]]
        self.is_over[place, table] = True
        self.totals[tables] = 0
        self.pos = (self.pos + 1) % len(self.rows)

    def batches(self, size: int, rng: np.random.Generator) -> Iterator[Sample]:
        """The decisions whose games have ended, in random order, as batches of `size`.

        They leave the memory; those that fill no batch wait for the next time.
        """
        chosen = np.flatnonzero(self.is_over & (self.seats != EMPTY))
        for places in shuffled_parts(chosen, size, rng):
            self.seats.reshape(-1)[places] = EMPTY
            yield Sample(
                self.rows.reshape(-1, self.rows.shape[-1])[places],
                self.actions.reshape(-1)[places],
                self.values.reshape(-1)[places],
                self.returns.reshape(-1)[places],
            )

    def _flat(self) -> dict[str, Array]:
        """What is known of the decisions, places in one line."""
        names = ("actions", "values", "returns", "seats", "is_over")
        flat = {name: getattr(self, name).reshape(-1) for name in names}
        return {"rows": self.rows.reshape(-1, self.rows.shape[-1])} | flat

    def state(self) -> dict[str, Any]:
        """What `restore` takes, before a rollout: the decisions in the memory."""
        places = np.flatnonzero(self.seats != EMPTY)
        known = {name: array[places] for name, array in self._flat().items()}
        return known | {"places": places, "pos": self.pos, "totals": self.totals}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.seats[:] = EMPTY
        places = np.asarray(state["places"])
        for name, array in self._flat().items():
            array[places] = state[name]
        self.pos = state["pos"]
        self.totals[:] = state["totals"]

    def _get_samples(self, batch_inds: Array, env: Any = None) -> Any:
        raise NotImplementedError("use batches()")


class ValuePolicy(RowPolicy):
    """A network whose outputs are the values of the actions; the largest is played."""

    def __init__(self, *spaces_and_schedule: Any, use_sde: bool = False, **settings: Any) -> None:
        """`settings` are those of `RowPolicy`; `use_sde` is for continuous actions only."""
        super().__init__(*spaces_and_schedule, **settings)

    def _predict(
        self, observation: Any, deterministic: bool = False, action_masks: Array | None = None
    ) -> torch.Tensor:
        return super()._predict(observation, True, action_masks)


class SelfPlayDMC(PolicySelfPlay):
    """Deep Monte-Carlo at many tables."""

    rollout_buffer: Returns  # type: ignore[assignment]

    def __init__(
        self,
        env: Tables | None,
        policy: type[ValuePolicy] = ValuePolicy,
        *,
        batch_size: int = 2048,
        epsilon: float = 0.05,
        final_epsilon: float | None = None,
        loss: Loss = "objective",
        memory: int = 4,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of `SelfPlay` and OnPolicyAlgorithm.

        epsilon: probability of any allowed action; it falls to `final_epsilon`, linearly.
        loss: of the outputs against returns: that of the objective, or the squared error.
        memory: rollouts that a decision waits for the end of its game at most.
        """
        self.batch_size = batch_size
        self.epsilon, self.final_epsilon = epsilon, final_epsilon
        self.loss: Loss = loss
        self.memory = memory
        super().__init__(policy, env, **(NO_CRITIC | settings))

    def _setup_model(self) -> None:
        self.rollout_buffer_class = Returns  # type: ignore[assignment]
        self.rollout_buffer_kwargs["memory"] = self.memory
        super()._setup_model()
        end = self.epsilon if self.final_epsilon is None else self.final_epsilon
        self._epsilon_schedule = LinearSchedule(self.epsilon, end, 1.0)

    def _values(self, outputs: torch.Tensor) -> torch.Tensor:
        """In rewards, whatever the loss makes of the outputs."""
        return outputs if self.loss == "squared" else self.objective.values(outputs)

    @torch.no_grad()
    def _act(self, env: Tables) -> tuple[Array, Array]:
        """The best actions, now and then another, and their values."""
        outputs = self.policy.action_logits(env.rows).float().numpy()
        actions = np.empty(env.num_envs, np.int64)
        taken = np.empty(env.num_envs, np.float32)
        epsilon = self._epsilon_schedule(self._current_progress_remaining)
        uniforms = self.rng.random(env.num_envs)
        explore_actions(outputs, env.masks, uniforms, epsilon, actions, taken)
        return actions, self._values(torch.from_numpy(taken)).numpy()

    def train(self) -> None:
        """Improve the values by the games that have ended."""
        self._update_learning_rate(self.policy.optimizers)
        samples = self.rollout_buffer.batches(self.batch_size, self.rng)
        losses, values, returns = [], [], []
        for sample in samples:
            losses.append(self._improve(sample))
            values.append(sample.values)
            returns.append(sample.returns)
        self._n_updates += 1
        if losses:
            known = explained_variance(np.concatenate(values), np.concatenate(returns))
            self._log(value_loss=float(np.mean(losses)), explained_variance=float(known))
        self._log(
            epsilon=self._epsilon_schedule(self._current_progress_remaining),
            learnt_decisions=self.batch_size * len(losses),
            dropped_decisions=self.rollout_buffer.num_dropped,
        )

    def _improve(self, sample: Sample) -> float:
        """One step of the network; its loss."""
        actions = torch.from_numpy(sample.actions)[:, None]
        outputs = self.policy.action_logits(sample.rows).gather(1, actions)[:, 0].float()
        returns = torch.from_numpy(sample.returns)
        if self.loss == "squared":
            loss = functional.mse_loss(outputs, returns)
        else:
            loss = self.objective.loss(outputs, returns)
        loss.backward()  # type: ignore[no-untyped-call]
        self.policy.actor_trainee.step(self.policy.actor_optimizer, self.max_grad_norm)
        return loss.item()
