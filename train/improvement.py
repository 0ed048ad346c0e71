"""Learning where to do better than an adviser: AggreVaTe, with playouts by the default policy.

At some decisions of the games on the tables, other actions are tried in the position as it is, and
it is played on, each time by the same policy, to the end of the deal. A network learns by how much
an action leads over the advised one. Half of the games go as the agent being made would play them,
half as the adviser would.

Sources: Ross, Bagnell, "Reinforcement and imitation learning via interactive no-regret learning"
(2014); Tesauro, Galperin, "On-line policy improvement using Monte-Carlo search" (1996).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import explained_variance
from torch import nn

from agents.comparing import Comparer, ComparingAgent, Comparisons
from agents.network import ADVISED, Network
from agents.search.base import load_policy
from agents.search.worlds import Playouts, take
from envs.core.errors import AgentError
from envs.core.game import OVER, Array
from train.memory import Memory, choose_some
from train.policy import RowPolicy, Trainee, adam, perceptron, working_dtype
from train.selfplay import NO_CRITIC, SelfPlay
from train.tables import Tables

UNKNOWN = -0.1
"""Lead that an action has of which nothing is known yet: such are worse on average."""
EVALUATED = 4096
"""Positions of a rollout, at most, that the network is judged by before it learns from them."""


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
        if action_masks is None:
            raise AgentError("this policy needs action_masks: its adviser only knows legal actions")
        observations = observation.cpu().numpy().astype(np.int8)
        masks = np.asarray(action_masks, np.int8).reshape(len(observations), -1)
        keys = np.zeros(len(masks), np.int64)
        agent = self.make_agent(self.export_actor())
        return torch.from_numpy(agent.act(observations, masks, keys=keys, tables=keys))


@dataclass(frozen=True, kw_only=True)
class Judging:
    """How positions are judged."""

    share: float = 0.3
    """Of the decisions at the tables, those at which it is done."""
    epsilon: float = 0.03
    """Probability of any allowed action at the tables."""
    others: int = 4
    """Actions that are tried beside the advised one, at most."""
    reach: float = 1.0
    """See `Comparer`."""
    margin: float = 0.02
    """See `ComparingAgent`."""
    replay: int = 1_000_000
    """Positions that are remembered, at most."""


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
        judging: Judging | None = None,
        batch_size: int = 512,
        n_epochs: int = 3,
        **settings: Any,
    ) -> None:
        """Learn at the tables `env`; `settings` are those of `SelfPlay` and OnPolicyAlgorithm.

        adviser: the agent to improve on, which also advises at the tables.
        judging: how positions are judged.
        batch_size: positions in a step of the optimiser.
        n_epochs: times that a position is learnt from, on average.
        """
        self.adviser = adviser
        self.judging = judging or Judging()
        self.batch_size, self.n_epochs = batch_size, n_epochs
        super().__init__(policy, env, **(NO_CRITIC | settings))

    def _setup_model(self) -> None:
        self.rollout_buffer_class = Memory  # type: ignore[assignment]
        if isinstance(self.env, Tables):
            game = self.env.game
            self._comparers = [
                Comparer(game, rules, self.adviser, self.judging.reach)
                for rules in self.env.variants
            ]
            first = self._comparers[0]
            self.policy_kwargs |= {"comparer": first, "margin": self.judging.margin}
            self.rollout_buffer_kwargs |= {
                "replay": self.judging.replay,
                "others": self.judging.others,
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
        return [*super()._excluded_save_params(), "_comparers", "_playouts", "_agents"]

    def _begin_rollout(self) -> None:
        """Let the agent at the tables play as the network is now."""
        self._num_before = self.rollout_buffer.num_added
        network = self.policy.export_actor()
        margin = self.judging.margin
        self._agents = [ComparingAgent(one, network, margin) for one in self._comparers]

    def _step(self, env: Tables) -> None:
        """Judge some of the positions on the tables, and go on."""
        advised = (env.rows[:, env.reader.layout.masks] == ADVISED).argmax(1)
        for variant in range(len(env.groups)):
            self._judge(env, variant, advised)
        env.advance(self._choose(env, advised))

    def _judge(self, env: Tables, variant: int, advised: Array) -> None:
        """Try other actions at some of the tables of a variant, and remember what they brought."""
        place, group = env.places[variant], env.groups[variant]
        masks = env.masks[place]
        chosen = self.rng.random(len(masks)) < self.judging.share
        at = np.flatnonzero(chosen & (masks.sum(1) > 1))
        found = self._comparers[variant].compare(
            env.observations[place][at], masks[at], advised[place][at]
        )
        found, kept = choose_some(found, self.judging.others, self.rng)
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
        """What to do at the tables: as the agent would at every other, now and then anything."""
        actions = advised.copy()
        for place, agent in zip(env.places, self._agents, strict=True):
            mine = np.arange(place.start, place.stop, 2)
            mine = mine[env.seats[mine] != OVER]  # forced actions may end a game just dealt
            actions[mine] = agent.improve(env.observations[mine], env.masks[mine], advised[mine])
        explores = np.flatnonzero(self.rng.random(len(actions)) < self.judging.epsilon)
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
        taken = used[at, best] & (outputs[at, best] > self.judging.margin)
        self._log(
            explained_variance=float(explained_variance(outputs[used], leads[used])),
            share_improved=float(taken.mean()),
            expected_gain=float((outputs[at, best] * taken).mean()),
            gain=float((leads[at, best] * taken).mean()),
        )
