"""Learning where to do better than an adviser: AggreVaTe, with playouts by the default policy.

At some decisions of the games on the tables, other actions are tried in the position as it is, and
it is played on, each time by the same policy, to the end of the deal. A network learns by how much
an action leads over the advised one. Half of the games go as the agent being made would play them,
half as the adviser would.

Sources: Ross, Bagnell, "Reinforcement and imitation learning via interactive no-regret learning"
(2014); Tesauro, Galperin, "On-line policy improvement using Monte-Carlo search" (1996).
"""

from typing import Any

import numpy as np
import torch
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import explained_variance
from torch import nn

from agents.comparing import Comparer, Comparisons, ComparingAgent
from agents.network import ADVISED, Network
from agents.search.base import load_policy
from agents.search.worlds import Playouts, take
from envs.core.game import Array
from train.policy import RowPolicy, Trainee, adam, perceptron, working_dtype
from train.selfplay import SelfPlay
from train.tables import Tables

UNKNOWN = -0.1
"""Lead that an action has of which nothing is known yet: such are worse on average."""
EVALUATED = 4096
"""Positions of a rollout, at most, that the network is judged by before it learns from them."""


class Memory(BaseBuffer):
    """The last R positions that were judged, with a fixed number of places for actions in each.

    contexts [R, C], features [R, 1 + L, K] float16 and actions [R, 1 + L] int16, the advised action
    first; leads [R, L] float32 of the others; counts [R] int64, how many of them there are. The
    places after those are 0.
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
        replay: int,
        others: int,
        num_features: int,
        num_context: int,
        **unused: Any,
    ) -> None:
        """Make room for `replay` positions with `others` actions beside the advised one."""
        super().__init__(buffer_size, observation_space, action_space, device, n_envs)
        self.contexts = np.zeros((replay, num_context), np.float16)
        self.features = np.zeros((replay, 1 + others, num_features), np.float16)
        self.actions = np.zeros((replay, 1 + others), np.int16)
        self.leads = np.zeros((replay, others), np.float32)
        self.counts = np.zeros(replay, np.int64)
        self.num_added = 0
        """Positions ever added."""

    @property
    def num_held(self) -> int:
        """Positions there are."""
        return min(self.num_added, len(self.counts))

    def add(self, found: Comparisons, leads: Array) -> None:
        """Add positions; `found` has some actions of each, `leads` [M] what they lead by."""
        num = len(found.advised)
        if num == 0:
            return
        places = (self.num_added + np.arange(num)) % len(self.counts)
        self.num_added += num
        counts = np.bincount(found.rows, minlength=num)
        slot = np.arange(len(found.rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        at = places[found.rows]
        self.counts[places] = counts
        self.contexts[places] = found.contexts
        self.features[places] = 0
        self.features[places, 0] = found.advised_features
        self.features[at, 1 + slot] = found.features
        self.actions[places] = 0
        self.actions[places, 0] = found.advised
        self.actions[at, 1 + slot] = found.actions
        self.leads[places] = 0
        self.leads[at, slot] = leads

    def comparisons(self, places: Array) -> Comparisons:
        """All places of some positions as comparisons: [len(places) * others]."""
        num, others = len(places), self.leads.shape[1]
        features = self.features[places].astype(np.float32)
        return Comparisons(
            np.repeat(np.arange(num), others),
            self.actions[places, 1:].reshape(-1).astype(np.int64),
            features[:, 1:].reshape(num * others, -1),
            self.actions[places, 0].astype(np.int64),
            np.ascontiguousarray(features[:, 0]),
            self.contexts[places].astype(np.float32),
        )

    def is_used(self, places: Array) -> Array:
        """Which places for actions hold one: [N, L] bool."""
        used: Array = np.arange(self.leads.shape[1]) < self.counts[places, None]
        return used

    def _arrays(self) -> dict[str, Array]:
        names = ("contexts", "features", "actions", "leads", "counts")
        return {name: getattr(self, name) for name in names}

    def state(self) -> dict[str, Any]:
        """What `restore` takes."""
        held = self.num_held
        return {"num_added": self.num_added} | {
            name: array[:held] for name, array in self._arrays().items()
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.num_added = state["num_added"]
        for name, array in self._arrays().items():
            array[: self.num_held] = state[name]

    def _get_samples(self, batch_inds: Array, env: Any = None) -> Any:
        raise NotImplementedError("use comparisons()")


class LeadPolicy(RowPolicy):
    """A network whose only output is the lead of an action over the advised one."""

    def __init__(
        self, *spaces_and_schedule: Any, comparer: Comparer, margin: float, **settings: Any
    ) -> None:
        """`settings` are those of `RowPolicy`.

        comparer: makes what the network reads.
        margin: see `ComparingAgent`.
        """
        self.comparer = comparer
        self.margin = margin
        settings.pop("use_sde", None)  # for continuous actions only
        super().__init__(*spaces_and_schedule, **settings)

    def _build(self, lr_schedule: Any) -> None:
        num_inputs = self.comparer.num_inputs
        self.actor = perceptron(num_inputs, self.hidden, 1)
        nn.init.constant_(self.actor[-1].bias, UNKNOWN)  # type: ignore[arg-type]
        self.input_scales = np.ones(num_inputs, np.float32)
        self.actor_trainee = Trainee(self.actor, self.input_scales, working_dtype(self.precision))
        self.actor_optimizer = self.optimizer = adam(self.actor, lr_schedule(1))

    def leads(self, found: Comparisons) -> torch.Tensor:
        """Leads of actions in the unit of training: [M] float32."""
        return self.actor_trainee(torch.from_numpy(self.comparer.inputs(found))).float()[:, 0]

    def make_agent(self, network: Network, samples: bool = False) -> ComparingAgent:
        """The agent that plays a network of this kind."""
        return ComparingAgent(self.comparer, network, self.margin)

    def _predict(
        self, observation: Any, deterministic: bool = False, action_masks: Array | None = None
    ) -> torch.Tensor:
        observations = observation.cpu().numpy().astype(np.int8)
        masks = np.ones((len(observations), self.action_space.n), np.int8)  # type: ignore[attr-defined]
        if action_masks is not None:
            masks = np.asarray(action_masks, np.int8).reshape(masks.shape)
        keys = np.zeros(len(masks), np.int64)
        agent = self.make_agent(self.export_actor())
        return torch.from_numpy(agent.act(observations, masks, keys=keys, tables=keys))


class Aggrevate(SelfPlay):
    """AggreVaTe at many tables."""

    policy: LeadPolicy
    rollout_buffer: Memory  # type: ignore[assignment]

    def __init__(
        self,
        env: Tables | None,
        policy: type[LeadPolicy] = LeadPolicy,
        *,
        adviser: str = "rule",
        batch_size: int = 512,
        n_epochs: int = 3,
        epsilon: float = 0.03,
        judged: float = 0.15,
        others: int = 4,
        reach: float = 1.0,
        margin: float = 0.02,
        replay: int = 1_000_000,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of `SelfPlay` and OnPolicyAlgorithm.

        adviser: the agent to improve on, which also advises at the tables.
        batch_size: positions in a step of the optimiser.
        n_epochs: times that a position is learnt from, on average.
        epsilon: probability of any allowed action at the tables.
        judged: share of the decisions whose positions are judged.
        others: actions that are tried beside the advised one, at most.
        reach: see `Comparer`.
        margin: see `ComparingAgent`.
        replay: positions that are remembered, at most.
        """
        self.adviser = adviser
        self.batch_size, self.n_epochs = batch_size, n_epochs
        self.epsilon, self.judged = epsilon, judged
        self.others, self.reach, self.margin, self.replay = others, reach, margin, replay
        unused = {"gae_lambda": 1.0, "ent_coef": 0.0, "vf_coef": 0.0}
        defaults = {"learning_rate": 1e-3, "n_steps": 48, "gamma": 1.0, "max_grad_norm": 0.5}
        fixed = {"use_sde": False, "sde_sample_freq": -1}
        super().__init__(policy, env, **(unused | defaults | fixed | settings))

    def _setup_model(self) -> None:
        self.rollout_buffer_class = Memory  # type: ignore[assignment]
        if isinstance(self.env, Tables):
            game = self.env.game
            self._comparers = [
                Comparer(game, rules, self.adviser, self.reach) for rules in self.env.variants
            ]
            first = self._comparers[0]
            self.policy_kwargs |= {"comparer": first, "margin": self.margin}
            self.rollout_buffer_kwargs |= {
                "replay": self.replay,
                "others": self.others,
                "num_features": first.num_features,
                "num_context": first.num_context,
            }
            policy = load_policy(game)
            self._playouts = [
                Playouts(game, rules, policy, comparer.adviser)
                for rules, comparer in zip(self.env.variants, self._comparers, strict=True)
            ]
        super()._setup_model()

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_comparers", "_playouts"]

    def collect_rollouts(
        self,
        env: Tables,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play `n_rollout_steps` decisions at every table, and judge some of the positions."""
        callback.on_rollout_start()
        self._num_before = self.rollout_buffer.num_added
        network = self.policy.export_actor()
        self._agents = [ComparingAgent(one, network, self.margin) for one in self._comparers]
        for _ in range(n_rollout_steps):
            advised = (env.rows[:, env.reader.layout.masks] == ADVISED).argmax(1)
            for variant in range(len(env.groups)):
                self._judge(env, variant, advised)
            env.advance(self._choose(env, advised))
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
        callback.on_rollout_end()
        return True

    def _act(self, env: Tables) -> tuple[Array, Array]:
        raise NotImplementedError("the rollouts of this algorithm are its own")

    def _judge(self, env: Tables, variant: int, advised: Array) -> None:
        """Try other actions at some of the tables of a variant, and remember what they brought."""
        place, group = env.places[variant], env.groups[variant]
        masks = env.masks[place]
        chosen = self.rng.random(len(masks)) < self.judged
        at = np.flatnonzero(chosen & (masks.sum(1) > 1))
        found = self._comparers[variant].compare(
            env.observations[place][at], masks[at], advised[place][at]
        )
        found, kept = choose_some(found, self.others, self.rng)
        if not len(kept):
            return
        states = take(group.states, at[kept])
        payoffs = self._outcomes(self._playouts[variant], states, found)
        num = len(kept)
        self.rollout_buffer.add(found, (payoffs[num:] - payoffs[:num][found.rows]).astype("f4"))

    def _outcomes(self, playouts: Playouts, states: Array, found: Comparisons) -> Array:
        """What the advised actions [N], and then the others [M], bring the seat: [N + M]."""
        tried = take(states, np.concatenate([np.arange(len(states)), found.rows]))
        seats, deals = tried["turn"].copy(), tried["deals"].copy()
        scores = tried["scores"][:, : playouts.game.num_seats(playouts.rules)].copy()
        playouts.game.apply(tried, np.concatenate([found.advised, found.actions]))
        won = playouts.play_out(tried, deals, scores)[np.arange(len(tried)), seats]
        return np.asarray(self.objective.rewards(won))

    def _choose(self, env: Tables, advised: Array) -> Array:
        """What is done at the tables [B]: by the agent at every other one, now and then anything."""
        actions = advised.copy()
        for place, agent in zip(env.places, self._agents, strict=True):
            mine = slice(place.start, place.stop, 2)
            actions[mine] = agent.improve(env.observations[mine], env.masks[mine], advised[mine])
        explores = np.flatnonzero(self.rng.random(len(actions)) < self.epsilon)
        chances = self.rng.random((len(explores), env.masks.shape[1]))
        actions[explores] = np.where(env.masks[explores], chances, -1).argmax(1)
        return actions

    def train(self) -> None:
        """Learn from positions of the memory."""
        self._update_learning_rate(self.policy.optimizers)
        memory = self.rollout_buffer
        num_new = memory.num_added - self._num_before
        self._log_gains(memory, min(num_new, EVALUATED))
        losses = []
        for _ in range(round(self.n_epochs * num_new / self.batch_size)):
            losses.append(self._improve(self.rng.integers(memory.num_held, size=self.batch_size)))
        self._n_updates += 1
        if losses:
            self._log(value_loss=float(np.mean(losses)))
        self._log(judged_positions=num_new)

    def _improve(self, places: Array) -> float:
        """One step of the network; its loss."""
        memory = self.rollout_buffer
        outputs = self.policy.leads(memory.comparisons(places)).reshape(len(places), -1)
        used = torch.from_numpy(memory.is_used(places))
        errors = (outputs - torch.from_numpy(memory.leads[places])) ** 2
        loss = (errors * used).sum() / used.sum().clamp(min=1)
        loss.backward()  # type: ignore[no-untyped-call]
        self.policy.actor_trainee.step(self.policy.actor_optimizer, self.max_grad_norm)
        return loss.item()

    @torch.no_grad()
    def _log_gains(self, memory: Memory, num: int) -> None:
        """How good the network is at the last `num` positions, which it has not learnt from yet."""
        if num == 0:
            return
        places = (memory.num_added - num + np.arange(num)) % len(memory.counts)
        used = memory.is_used(places)
        outputs = self.policy.leads(memory.comparisons(places)).numpy().reshape(num, -1)
        leads = memory.leads[places]
        best = np.where(used, outputs, -np.inf).argmax(1)
        at = np.arange(num)
        taken = used[at, best] & (outputs[at, best] > self.margin)
        self._log(
            explained_variance=float(explained_variance(outputs[used], leads[used])),
            share_improved=float(taken.mean()),
            expected_gain=float((outputs[at, best] * taken).mean()),
            gain=float((leads[at, best] * taken).mean()),
        )


def choose_some(
    found: Comparisons, most: int, rng: np.random.Generator
) -> tuple[Comparisons, Array]:
    """At most so many actions of each position, at random; positions without any are left out.

    Returns the comparisons, and which of the positions [N] are left.
    """
    order = np.lexsort((rng.random(len(found.rows)), found.rows))
    counts = np.bincount(found.rows, minlength=len(found.advised))
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    picked = order[place < most]
    kept = np.flatnonzero(counts)
    renumbered = np.cumsum(counts > 0) - 1
    rest = Comparisons(
        renumbered[found.rows[picked]],
        found.actions[picked],
        found.features[picked],
        found.advised[kept],
        found.advised_features[kept],
        found.contexts[kept],
    )
    return rest, kept
