"""Learning by self-play in the frame of Stable-Baselines3: what algorithms share, and PPO."""

from abc import abstractmethod
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm
from stable_baselines3.common.utils import LinearSchedule, explained_variance

from agents.masked import sample_actions
from envs.core.game import Array
from train.checkpoint import chance_state, restore_chance
from train.masked import evaluate, evaluate_actions
from train.objective import Objective
from train.opponents import Pool, Teacher
from train.policy import RowPolicy, SeatPolicy
from train.tables import Tables
from train.trajectories import Batch, Trajectories

VALUE_ROWS = 2048
"""Rows that the critic reads at once: of one shape, for which its kernels are made once."""


NO_CRITIC: dict[str, Any] = {
    "learning_rate": 7e-4,
    "n_steps": 48,
    "gamma": 1.0,
    "max_grad_norm": 0.5,
    "gae_lambda": 1.0,
    "ent_coef": 0.0,
    "vf_coef": 0.0,
    "use_sde": False,
    "sde_sample_freq": -1,
}
"""Settings of the base class for learners without a critic; the last five mean nothing to them."""


class SelfPlay(OnPolicyAlgorithm):
    """What algorithms share whose rollouts are games at many tables.

    `learn`, callbacks, logger, `save` and `load` are those of Stable-Baselines3. An algorithm says
    what happens at the tables in one step (`_step`), what to do before and after a rollout
    (`_begin_rollout`, `_finish_rollout`) and how to learn from it (`train`).
    """

    policy: RowPolicy  # type: ignore[assignment]

    def __init__(
        self,
        policy: Any,
        env: Tables | None,
        *,
        objective: Objective | None = None,
        pool: Pool | None = None,
        seed: int = 0,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of the base class.

        pool: opponents that the learner meets beside itself.
        """
        self.objective = objective or Objective()
        self.pool = pool
        self.rng = np.random.Generator(np.random.Philox(seed))
        super().__init__(policy, env, seed=seed, **({"device": "cpu"} | settings))  # type: ignore[arg-type]

    def _setup_model(self) -> None:
        if isinstance(self.env, Tables):
            self.policy_kwargs["reader"] = self.env.reader
        super()._setup_model()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "pool"]

    def collect_rollouts(  # type: ignore[override]
        self,
        env: Tables,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions at every table."""
        self._begin_rollout()
        callback.on_rollout_start()
        for _ in range(n_rollout_steps):
            self._step(env)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        self._finish_rollout()
        callback.on_rollout_end()
        return True

    def predict(
        self,
        observation: Any,
        state: Any = None,
        episode_start: Array | None = None,
        deterministic: bool = False,
        action_masks: Array | None = None,
    ) -> tuple[Array, Any]:
        """Actions at observations, as MaskablePPO has it."""
        return self.policy.predict(
            observation, state, episode_start, deterministic, action_masks=action_masks
        )

    def _begin_rollout(self) -> None:
        """Get ready for a rollout."""

    @abstractmethod
    def _step(self, env: Tables) -> None:
        """Take one decision at every table, and note what there is to learn."""

    def _finish_rollout(self) -> None:
        """Get ready to learn from the rollout."""

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to go on as if nothing had happened, between updates."""
        return {
            "decisions": self.num_timesteps,
            "updates": self._n_updates,
            "progress": self._current_progress_remaining,
            "weights": self.policy.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.policy.optimizers],
            "chance": chance_state(self.rng),
            "tables": self._tables.state(),
            "carried": self._buffer.state(),
            "pool": None if self.pool is None else self.pool.state(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        policy = self.policy
        self.num_timesteps, self._n_updates = state["decisions"], state["updates"]
        self._current_progress_remaining = state["progress"]
        policy.load_state_dict(state["weights"])
        for optimizer, saved in zip(policy.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        restore_chance(self.rng, state["chance"])
        self._tables.restore(state["tables"])
        self._last_obs = self._tables.observations
        self._buffer.restore(state["carried"])
        if self.pool is not None:
            self.pool.restore(state["pool"])

    @property
    def _tables(self) -> Tables:
        assert isinstance(self.env, Tables)  # noqa: S101 - the constructor takes nothing else
        return self.env

    @property
    def _buffer(self) -> Any:
        """The rollout buffer, whose methods are not those of the base class."""
        return self.rollout_buffer

    def _log(self, **figures: float) -> None:
        for name, value in figures.items():
            self.logger.record(f"train/{name}", value)


class PolicySelfPlay(SelfPlay):
    """What algorithms share that learn from the decisions of the policy in training.

    One forward pass a step serves all tables.
    """

    def _setup_model(self) -> None:
        if isinstance(self.env, Tables):
            self.rollout_buffer_kwargs |= {
                "width": self.env.reader.layout.width,
                "num_seats": self.env.rewards.shape[1],
            }
        super()._setup_model()

    def _begin_rollout(self) -> None:
        """Empty the buffer but for what is carried over."""
        self._buffer.begin()

    def _step(self, env: Tables) -> None:
        """Act at every table; the decisions of the seats that learn go to the buffer."""
        actions, notes = self._act(env)
        seats = env.seats
        if self.pool is not None:
            self.pool.act(actions)
            seats = self.pool.seats_to_learn()
        self._buffer.add(env.rows, actions, notes, seats)
        env.advance(actions)
        if self.pool is not None:
            self.pool.note_results()
        self._buffer.add_outcome(self.objective.rewards(env.rewards), env.done)

    @abstractmethod
    def _act(self, env: Tables) -> tuple[Array, Array]:
        """Actions [B] int64 of all seats that act, and a number for the buffer each [B] float32."""


class SelfPlayPPO(PolicySelfPlay, MaskablePPO):  # type: ignore[misc] # rollouts of `SelfPlay`
    """Proximal policy optimisation: MaskablePPO whose steps are those of each seat.

    The decisions of each seat make a trajectory of their own, see `train.trajectories`.
    """

    policy: SeatPolicy
    rollout_buffer: Trajectories  # type: ignore[assignment]

    def __init__(
        self,
        env: Tables | None,
        policy: type[SeatPolicy] = SeatPolicy,
        *,
        final_ent_coef: float | None = None,
        teacher: Teacher | None = None,
        actor_waits: int = 0,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of `SelfPlay` and MaskablePPO.

        final_ent_coef: the entropy bonus falls from `ent_coef` to this one, linearly.
        teacher: an agent that is imitated at first, while the critic learns from its games.
        actor_waits: decisions at first from which only the critic learns.
        """
        self.final_ent_coef = final_ent_coef
        self.teacher = teacher
        self.actor_waits = actor_waits
        super().__init__(policy, env, **settings)

    def _setup_model(self) -> None:
        self.rollout_buffer_class = Trajectories  # type: ignore[assignment]
        super()._setup_model()
        start = self.ent_coef
        end = start if self.final_ent_coef is None else self.final_ent_coef
        self._entropy_schedule = LinearSchedule(start, end, 1.0)

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        modules, variables = super()._get_torch_save_params()
        return [*modules, "policy.actor_optimizer"], variables

    @torch.no_grad()
    def _act(self, env: Tables) -> tuple[Array, Array]:
        """Actions drawn by the policy, and their log-probabilities."""
        logits = self.policy.action_logits(env.rows).float().numpy()
        actions = np.empty(env.num_envs, np.int64)
        log_probs = np.empty(env.num_envs, np.float32)
        sample_actions(logits, env.masks, self.rng.random(env.num_envs), actions, log_probs)
        if self.teacher is not None and self._is_taught:
            self.teacher.act(actions, self.rng.integers(2**63, size=env.num_envs))
            evaluate(logits, env.masks, actions, log_probs, np.empty_like(log_probs))
        return actions, log_probs

    @property
    def _is_taught(self) -> bool:
        return self.teacher is not None and self.num_timesteps <= self.teacher.decisions

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "teacher"]

    @torch.no_grad()
    def _finish_rollout(self) -> None:
        """Work out the values, and from them the advantages."""
        buffer = self.rollout_buffer
        rows = buffer.rows.reshape(-1, buffer.rows.shape[-1])
        values = buffer.values.reshape(-1)
        for first in range(0, len(rows), VALUE_ROWS):
            part = slice(first, first + VALUE_ROWS)
            values[part] = self.objective.values(self.policy.values(rows[part])).numpy()
        buffer.finish()

    def train(self) -> None:
        """Improve the policy and the values by the rollout."""
        self._update_learning_rate(self.policy.optimizers)
        entropy_bonus = self._entropy_schedule(self._current_progress_remaining)
        totals = np.zeros(4)
        num_batches = 0
        for _ in range(self.n_epochs):
            for batch in self.rollout_buffer.batches(int(self.batch_size or 0), self.rng):
                if self.num_timesteps > self.actor_waits:
                    totals += self._improve_actor(batch, entropy_bonus)
                totals[3] += self._improve_critic(batch)
                num_batches += 1
        self._n_updates += self.n_epochs
        self._log_update(totals / max(num_batches, 1))

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
        if self._is_taught:
            loss = -log_probs.mean()
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

    def _log_update(self, means: Array) -> None:
        buffer = self.rollout_buffer
        learnt = buffer.complete
        returns = (buffer.values + buffer.advantages)[learnt]
        self._log(
            entropy=means[0],
            clip_fraction=means[1],
            approx_kl=means[2],
            value_loss=means[3],
            explained_variance=float(explained_variance(buffer.values[learnt], returns)),
            learnt_decisions=int(learnt.sum()),
        )
