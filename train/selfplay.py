"""Proximal policy optimisation by self-play, an extension of sb3-contrib's MaskablePPO."""

import json
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule, explained_variance

from agents.masked import sample_actions
from envs.core.game import Array
from train.masked import evaluate_actions
from train.objective import Objective
from train.opponents import Pool
from train.policy import SeatPolicy
from train.tables import Tables
from train.trajectories import Batch, Trajectories

VALUE_ROWS = 2048
"""Rows that the critic reads at once: of one shape, for which its kernels are made once."""


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO whose rollouts are games at many tables, and whose steps are those of each seat.

    One forward pass a step serves all tables; the decisions of each seat make a trajectory of their
    own, see `train.trajectories`. `learn`, callbacks, logger, `save` and `load` are those of
    Stable-Baselines3.
    """

    policy: SeatPolicy
    rollout_buffer: Trajectories  # type: ignore[assignment]

    def __init__(
        self,
        env: Tables | None,
        policy: type[SeatPolicy] = SeatPolicy,
        *,
        objective: Objective | None = None,
        final_ent_coef: float | None = None,
        pool: Pool | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of MaskablePPO.

        final_ent_coef: the entropy bonus falls from `ent_coef` to this one, linearly.
        pool: opponents that the learner meets beside itself.
        """
        self.objective = objective or Objective()
        self.final_ent_coef = final_ent_coef
        self.pool = pool
        self.rng = np.random.Generator(np.random.Philox(seed))
        super().__init__(policy, env, seed=seed, device="cpu", **settings)  # type: ignore[arg-type]

    def _setup_model(self) -> None:
        self.rollout_buffer_class = Trajectories  # type: ignore[assignment]
        if isinstance(self.env, Tables):
            self.policy_kwargs["reader"] = self.env.reader
            self.rollout_buffer_kwargs = {
                "width": self.env.reader.layout.width,
                "num_seats": self.env.rewards.shape[1],
            }
        super()._setup_model()
        start = self.ent_coef
        end = start if self.final_ent_coef is None else self.final_ent_coef
        self._entropy_schedule = LinearSchedule(start, end, 1.0)

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        modules, variables = super()._get_torch_save_params()
        return [*modules, "policy.actor_optimizer"], variables

    def set_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Load weights, as in the base class."""
        super().set_parameters(*args, **kwargs)
        self.policy.refresh()

    def collect_rollouts(  # type: ignore[override]
        self,
        env: Tables,
        callback: BaseCallback,
        rollout_buffer: Trajectories,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions at every table, and work out the advantages."""
        rollout_buffer.begin()
        callback.on_rollout_start()
        for _ in range(n_rollout_steps):
            actions, log_probs = self._act(env)
            seats = env.seats
            if self.pool is not None:
                self.pool.act(actions)
                seats = self.pool.seats_to_learn()
            rollout_buffer.add(env.rows, actions, log_probs, seats)
            env.advance(actions)
            if self.pool is not None:
                self.pool.note_results()
            rollout_buffer.add_outcome(self.objective.rewards(env.rewards), env.done)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        self._fill_values(rollout_buffer)
        rollout_buffer.finish()
        callback.on_rollout_end()
        return True

    @torch.no_grad()
    def _act(self, env: Tables) -> tuple[Array, Array]:
        """Actions [B] int64 of all seats that act, and their log-probabilities [B] float32."""
        logits = self.policy.action_logits(env.rows).float().numpy()
        actions = np.empty(env.num_envs, np.int64)
        log_probs = np.empty(env.num_envs, np.float32)
        sample_actions(logits, env.masks, self.rng.random(env.num_envs), actions, log_probs)
        return actions, log_probs

    @torch.no_grad()
    def _fill_values(self, buffer: Trajectories) -> None:
        rows = buffer.rows.reshape(-1, buffer.rows.shape[-1])
        values = buffer.values.reshape(-1)
        for first in range(0, len(rows), VALUE_ROWS):
            part = slice(first, first + VALUE_ROWS)
            values[part] = self.objective.values(self.policy.values(rows[part])).numpy()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "pool"]

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to go on as if nothing had happened, between updates."""
        policy = self.policy
        return {
            "decisions": self.num_timesteps,
            "updates": self._n_updates,
            "weights": policy.state_dict(),
            "optimizers": [policy.actor_optimizer.state_dict(), policy.optimizer.state_dict()],
            "chance": json.dumps(
                self.rng.bit_generator.state, default=lambda array: array.tolist()
            ),
            "tables": self._tables.state(),
            "carried": self.rollout_buffer.state(),
            "pool": None if self.pool is None else self.pool.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        policy = self.policy
        self.num_timesteps, self._n_updates = state["decisions"], state["updates"]
        policy.load_state_dict(state["weights"])
        policy.refresh()
        for optimizer, saved in zip(
            (policy.actor_optimizer, policy.optimizer), state["optimizers"], strict=True
        ):
            optimizer.load_state_dict(saved)
        self.rng.bit_generator.state = json.loads(state["chance"])
        self._tables.restore(state["tables"])
        self._last_obs = self._tables.observations
        self.rollout_buffer.restore(state["carried"])
        if self.pool is not None:
            self.pool.restore(state["pool"])

    @property
    def _tables(self) -> Tables:
        assert isinstance(self.env, Tables)  # noqa: S101 - the constructor takes nothing else
        return self.env

    def train(self) -> None:
        """Improve the policy and the values by the rollout."""
        lr = self.lr_schedule(self._current_progress_remaining)
        for optimizer in (self.policy.actor_optimizer, self.policy.optimizer):
            for group in optimizer.param_groups:
                group["lr"] = lr
        entropy_bonus = self._entropy_schedule(self._current_progress_remaining)
        totals = np.zeros(4)
        num_batches = 0
        for _ in range(self.n_epochs):
            for batch in self.rollout_buffer.batches(int(self.batch_size or 0), self.rng):
                totals += self._improve_actor(batch, entropy_bonus)
                totals[3] += self._improve_critic(batch)
                num_batches += 1
        self._n_updates += self.n_epochs
        self._log(totals / max(num_batches, 1), lr)

    def _improve_actor(self, batch: Batch, entropy_bonus: float) -> Array:
        """One step of the actor; mean entropy, share of clipped ratios, KL divergence, and 0."""
        logits = self.policy.action_logits(batch.rows)
        masks = batch.rows[:, self.policy.reader.layout.masks]
        log_probs, entropies = evaluate_actions(logits, masks, batch.actions)
        change = log_probs - torch.from_numpy(batch.log_probs)
        ratios = change.exp()
        advantages = torch.from_numpy(batch.advantages)
        clip = self.clip_range(self._current_progress_remaining)  # type: ignore[operator]
        gains = torch.min(advantages * ratios, advantages * ratios.clamp(1 - clip, 1 + clip))
        loss = -gains.mean() - entropy_bonus * entropies.mean()
        loss.backward()  # type: ignore[no-untyped-call]
        self.policy.actor_trainee.step(self.policy.actor_optimizer, self.max_grad_norm)
        with torch.no_grad():
            clipped = ((ratios - 1).abs() > clip).float().mean()
            divergence = ((ratios - 1) - change).mean()
        return np.array([entropies.mean().item(), clipped.item(), divergence.item(), 0.0])

    def _improve_critic(self, batch: Batch) -> float:
        """One step of the critic; its loss."""
        outputs = self.policy.values(batch.rows)
        loss = self.objective.loss(outputs, torch.from_numpy(batch.returns))
        loss.backward()  # type: ignore[no-untyped-call]
        self.policy.critic_trainee.step(self.policy.optimizer, self.max_grad_norm)
        return loss.item()

    def _log(self, means: Array, lr: float) -> None:
        buffer = self.rollout_buffer
        learnt = buffer.complete
        returns = (buffer.values + buffer.advantages)[learnt]
        for name, value in (
            ("entropy", means[0]),
            ("clip_fraction", means[1]),
            ("approx_kl", means[2]),
            ("value_loss", means[3]),
            ("explained_variance", explained_variance(buffer.values[learnt], returns)),
            ("learnt_decisions", int(learnt.sum())),
            ("learning_rate", lr),
        ):
            self.logger.record(f"train/{name}", value)
