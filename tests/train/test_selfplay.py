"""Self-play in the frame of Stable-Baselines3: rollouts, updates, saving, and that it learns."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule

from agents.masked import best_actions
from agents.network import Rows
from agents.policy import PolicyAgent
from agents.random_agent import RandomAgent
from envs.core.game import Array
from tests.conformance.play import look
from tests.toy_game import FOLD, GAME, NUM_CARDS, RAISE, STAKE, ToyRules
from tests.train.tiny import NUM_STEPS, advance_randomly, make_learner, make_tables, weights_of
from train.evaluation import compare
from train.objective import Objective
from train.opponents import Pool, Teacher
from train.policy import adam
from train.selfplay import SelfPlayPPO
from train.trajectories import Batch

NUM_TABLES = 8
NEVER = 10**9
ROLLOUT = NUM_TABLES * NUM_STEPS


def learned(decisions: int = 3 * ROLLOUT, **settings: Any) -> SelfPlayPPO:
    model = make_learner(make_tables(NUM_TABLES), **settings)
    return model.learn(decisions, log_interval=NEVER)


def test_the_same_seed_gives_the_same_run() -> None:
    weights = weights_of(learned(seed=1))
    assert weights == weights_of(learned(seed=1))
    other = weights_of(learned(seed=2))
    assert all(weights[name] != other[name] for name in weights)


@pytest.mark.parametrize("adviser", [None, "random"])
def test_a_rollout_notes_what_was_played(adviser: str | None) -> None:
    torch.manual_seed(0)
    model = make_learner(
        make_tables(NUM_TABLES, adviser=adviser),
        objective=Objective(kind="points", unit=2),
        seed=4,
    )
    twin = make_tables(NUM_TABLES, adviser=adviser, seed=4)
    before = copy.deepcopy(model.policy)
    model.learn(ROLLOUT, log_interval=NEVER)
    buffer = model.rollout_buffer
    for step in range(NUM_STEPS):
        place = 3 + step
        assert np.array_equal(buffer.rows[place], twin.rows)
        assert np.array_equal(buffer.seats[place], twin.seats)
        logits = before.action_logits(buffer.rows[place]).detach()
        masked = logits.masked_fill(torch.from_numpy(twin.masks) == 0, -torch.inf)
        chosen = torch.from_numpy(buffer.actions[place])[:, None]
        expected = masked.log_softmax(1).gather(1, chosen)[:, 0].numpy()
        assert buffer.log_probs[place] == pytest.approx(expected, abs=1e-5)
        values = before.values(buffer.rows[place]).detach().numpy()
        assert buffer.values[place] == pytest.approx(values, abs=1e-5)
        twin.advance(buffer.actions[place])
        assert np.array_equal(buffer.rewards[step], twin.rewards / 2)
        assert np.array_equal(buffer.done[step], twin.done)
    assert (buffer.seats[:3] == -1).all()
    assert model.num_timesteps == ROLLOUT


def test_values_are_in_rewards() -> None:
    model = learned(ROLLOUT, learning_rate=0.0)
    buffer = model.rollout_buffer
    outputs = model.policy.values(buffer.rows.reshape(-1, buffer.rows.shape[-1])).detach()
    values = torch.tanh(outputs / 2).numpy().reshape(buffer.values.shape)
    assert buffer.values == pytest.approx(values, abs=1e-6)


def test_decisions_are_drawn_as_the_policy_says() -> None:
    model = learned(200 * ROLLOUT // 4, n_steps=50 * NUM_STEPS, n_epochs=0)
    buffer = model.rollout_buffer
    actions = buffer.actions[3:].ravel()
    masks = buffer.rows[3:, :, model.policy.reader.layout.masks].reshape(len(actions), -1)
    for allowed in ([1, 1, 0, 0, 0], [0, 0, 1, 1, 1]):
        which = (masks == allowed).all(axis=1)
        counts = np.bincount(actions[which], minlength=5)[np.array(allowed) == 1]
        chance = 1 / sum(allowed)  # the last layer is nearly 0 at the beginning
        deviation = (which.sum() * chance * (1 - chance)) ** 0.5
        assert (abs(counts - which.sum() * chance) < 5 * deviation + 0.02 * which.sum()).all()


def reference_losses(model: SelfPlayPPO, batch: Batch, bonus: float) -> tuple[Any, Any]:
    """Loss of the actor by plain torch, and of the critic."""
    layout = model.policy.reader.layout
    rows = torch.from_numpy(batch.rows).float()
    allowed = rows[:, layout.masks] == 1
    all_log_probs = model.policy.actor(rows[:, layout.seen]).masked_fill(~allowed, -1e9)
    all_log_probs = all_log_probs.log_softmax(1)
    log_probs = all_log_probs.gather(1, torch.from_numpy(batch.actions)[:, None])[:, 0]
    entropy = -(all_log_probs.exp() * all_log_probs).sum(1).mean()
    ratios = (log_probs - torch.from_numpy(batch.log_probs)).exp()
    advantages = torch.from_numpy(batch.advantages)
    gains = torch.minimum(ratios * advantages, ratios.clamp(0.8, 1.2) * advantages)
    values = model.policy.critic(rows[:, : layout.num_hidden + layout.num_seen])[:, 0]
    errors = torch.nn.functional.mse_loss(values, torch.from_numpy(batch.returns))
    return -gains.mean() - bonus * entropy, errors


def test_an_update_is_that_of_plain_torch() -> None:
    model = learned(
        3 * ROLLOUT,
        objective=Objective(kind="points", unit=3),
        learning_rate=LinearSchedule(0.05, 0.03, 1.0),
        ent_coef=0.4,
        final_ent_coef=0.2,
        n_epochs=3,
        max_grad_norm=0.3,
    )
    buffer = model.rollout_buffer
    model.n_epochs, model.batch_size = 1, int(buffer.complete.sum())
    model._current_progress_remaining = 0.5
    [batch] = buffer.batches(model.batch_size, np.random.default_rng(0))
    expected = copy.deepcopy(model)  # its weights move by the reference
    losses = reference_losses(expected, batch, bonus=0.3)
    torch.autograd.backward(sum(losses))
    pairs = zip(
        (expected.policy.actor, expected.policy.critic),
        model.policy.optimizers,
        strict=True,
    )
    for net, old in pairs:
        torch.nn.utils.clip_grad_norm_(net.parameters(), 0.3)
        optimizer = adam(net, 0.04)
        optimizer.load_state_dict(copy.deepcopy(old.state_dict()))
        optimizer.param_groups[0]["lr"] = 0.04
        optimizer.step()
    before = copy.deepcopy(model.policy.state_dict())
    model.train()
    for name, value in model.policy.state_dict().items():
        assert torch.allclose(value, expected.policy.state_dict()[name], atol=2e-5), name
        assert not torch.allclose(value, before[name], atol=1e-3), name


def test_figures_of_an_update() -> None:
    model = learned(ROLLOUT, learning_rate=0.0)
    figures = model.logger.name_to_value
    assert figures["train/approx_kl"] == pytest.approx(0, abs=1e-6)
    assert figures["train/clip_fraction"] == 0
    assert np.log(2) - 0.01 < figures["train/entropy"] < np.log(3)
    assert figures["train/learnt_decisions"] == model.rollout_buffer.complete.sum()
    assert figures["train/learning_rate"] == 0.0


class StopAfter(BaseCallback):
    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls

    def _on_step(self) -> bool:
        return self.n_calls < self.calls


def test_a_callback_can_stop_it() -> None:
    model = make_learner(make_tables(NUM_TABLES))
    model.learn(10 * ROLLOUT, StopAfter(NUM_STEPS + 5))
    assert model.num_timesteps == ROLLOUT + 5 * NUM_TABLES


def test_a_saved_model_is_loaded_and_predicts_and_goes_on_learning(tmp_path: Path) -> None:
    model = learned(seed=5)
    path = tmp_path / "model.zip"
    model.save(path)
    tables = make_tables(20, seed=6)
    masks = tables.masks
    loaded = SelfPlayPPO.load(path)
    assert weights_of(loaded) == weights_of(model)
    for deterministic in (True, False):
        actions, _ = loaded.predict(
            tables.observations, deterministic=deterministic, action_masks=masks
        )
        assert masks[np.arange(20), actions].all()
    expected, _ = model.predict(tables.observations, deterministic=True, action_masks=masks)
    found, _ = loaded.predict(tables.observations, deterministic=True, action_masks=masks)
    assert found.tolist() == expected.tolist()
    again = SelfPlayPPO.load(path, env=make_tables(NUM_TABLES))
    assert again.num_timesteps == 3 * ROLLOUT
    again.learn(ROLLOUT, reset_num_timesteps=False)
    assert again.num_timesteps == 4 * ROLLOUT
    assert weights_of(again) != weights_of(model)
    assert again.device.type == "cpu"


def against_random(model: SelfPlayPPO, rules: ToyRules) -> float:
    """Lower end of the interval of what the policy wins above a random agent."""
    agent = PolicyAgent(Rows(GAME, rules), model.policy.export_actor(), samples=False)
    [found] = compare(GAME, rules, agent, [("random", RandomAgent(GAME, rules))], 300)
    assert found.difference.low is not None
    return found.difference.low


def opening_chances(model: SelfPlayPPO, rules: ToyRules) -> Any:
    """Chance of raising as the first to act, by the own card."""
    states = np.repeat(GAME.new_games(rules, [0]), NUM_CARDS)
    states["cards"][:, 0] = np.arange(NUM_CARDS)
    observations = torch.from_numpy(look(GAME, rules, states, states["turn"]))
    distribution: Any = model.policy.get_distribution(observations, GAME.masks(states))
    return distribution.distribution.probs[:, RAISE].detach().numpy()


def taught(rules: ToyRules, rollouts: int, has_pool: bool, precision: str) -> SelfPlayPPO:
    """A learner of the toy game, after a second or less."""
    tables = make_tables(64, rules)
    named = [("random", [RandomAgent(GAME, rules)])]
    pool = Pool(tables, 64, named, 1, np.random.default_rng(1)) if has_pool else None
    model = make_learner(
        tables,
        seed=1,
        pool=pool,
        batch_size=256,
        n_epochs=4,
        ent_coef=0.01,
        learning_rate=1e-2,
        objective=Objective(kind="points", unit=3),
        policy_kwargs={"hidden": [32], "critic_hidden": [32], "precision": precision},
    )
    return model.learn(rollouts * 64 * NUM_STEPS)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_tiny_game_is_learnt_by_self_play(precision: str) -> None:
    rules = ToyRules(hands=1)
    assert against_random(taught(rules, 0, False, precision), rules) < 0.1
    model = taught(rules, 6, False, precision)
    assert against_random(model, rules) > 0.3
    chances = opening_chances(model, rules)
    assert chances[:4].max() < 0.2
    assert chances[-1] > 0.7


def test_a_tiny_game_is_learnt_against_the_pool() -> None:
    """One who raises too often is answered by raising with good cards, not only with the best."""
    rules = ToyRules(hands=1)
    model = taught(rules, 20, True, "float32")
    assert against_random(model, rules) > 0.6
    chances = opening_chances(model, rules)
    assert chances[:3].max() < 0.2
    assert chances[-2:].min() > 0.7


class Miser:
    """Folds with a low card and stakes the least with a high one: something to imitate."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        is_high = observations[:, :8].argmax(1) >= 4
        return np.where(masks[:, STAKE] > 0, STAKE, np.where(is_high, RAISE, FOLD))


def test_the_actor_waits_for_the_critic() -> None:
    def parts(model: SelfPlayPPO) -> tuple[bytes, bytes]:
        weights = weights_of(model)
        actor = b"".join(weights[name] for name in weights if name.startswith("actor"))
        return actor, b"".join(weights[name] for name in weights if name.startswith("critic"))

    model = make_learner(make_tables(NUM_TABLES), actor_waits=2 * ROLLOUT)
    actor, critic = parts(model)
    model.learn(2 * ROLLOUT, log_interval=NEVER)
    assert parts(model)[0] == actor
    assert parts(model)[1] != critic
    model.learn(ROLLOUT, log_interval=NEVER, reset_num_timesteps=False)
    assert parts(model)[0] != actor


def test_a_teacher_is_imitated_and_then_left_behind() -> None:
    tables = make_tables(64)
    teacher = Teacher(tables, [Miser()], 64 * NUM_STEPS * 40)
    model = make_learner(tables, teacher=teacher, learning_rate=1e-2)
    model.learn(64 * NUM_STEPS * 41)
    actions = np.empty(64, np.int64)
    model.rollout_buffer.begin()
    agree = []
    for step in range(20):
        own = np.empty(64, np.int64)
        logits = model.policy.action_logits(tables.rows).detach().float().numpy()
        best_actions(logits, np.ascontiguousarray(tables.masks), own)
        teacher.act(actions, np.arange(64))
        agree.append((own == actions).mean())
        advance_randomly(tables, step)
    assert np.mean(agree) > 0.95
    assert not model._is_taught
    before = tables.seats.copy(), tables.masks.copy()
    teacher.act = None  # type: ignore[assignment,method-assign] # is not asked any more
    chosen, _ = model._act(tables)
    assert before[1][np.arange(64), chosen].all()
