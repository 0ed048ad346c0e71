"""The networks in training: what they read, how they step, and that numpy plays the same."""

import copy
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import envs
from agents.network import ADVISED, ADVISER_KEY, TRUST
from agents.policy import PolicyAgent
from agents.roster import make_agent
from envs.core.game import Array
from tests.train.tiny import advance_randomly, make_learner, make_tables
from train.policy import SeatPolicy, Trainee, perceptron, working_dtype
from train.tables import Tables

NUM_TABLES = 48


def make_policy(tables: Tables, **settings: Any) -> SeatPolicy:
    """A policy whose last layer makes a difference."""
    small = {"hidden": [32, 24], "critic_hidden": [16], "precision": "float32"}
    torch.manual_seed(1)
    policy = SeatPolicy(
        tables.observation_space,
        tables.action_space,
        lambda _: 1e-3,
        reader=tables.reader,
        **{**small, **settings},
    )
    with torch.no_grad():
        linears = [layer for layer in policy.actor if isinstance(layer, nn.Linear)]
        for layer in linears:
            layer.bias.normal_(0, 0.3)
        linears[-1].weight.mul_(100)
    policy.refresh()
    return policy


def scaled(rows: Array, scales: Array) -> torch.Tensor:
    return torch.from_numpy(rows.astype(np.float32) * scales)


def play_tables(name: str, adviser: str | None = None) -> Tables:
    """Tables of a game in the middle of it."""
    game = envs.load_game(name)
    rules = game.make_rules(next(iter(game.presets)))
    tables = Tables(game, [rules], NUM_TABLES, adviser=adviser, seed=3)
    for step in range(15):
        advance_randomly(tables, step)
    return tables


@pytest.fixture(scope="module", params=envs.GAMES)
def played(request: pytest.FixtureRequest) -> Tables:
    """Tables of each game."""
    return play_tables(request.param)


@pytest.fixture(scope="module", params=envs.GAMES)
def advised(request: pytest.FixtureRequest) -> Tables:
    """Tables of each game where rows tell what `rule` would do."""
    return play_tables(request.param, "rule")


def ask_rule(tables: Tables) -> Array:
    """What `rule` would do at each table."""
    rule = make_agent("rule", tables.game, tables.variants[0])
    keys = np.full(tables.num_envs, ADVISER_KEY)
    return rule.act(tables.observations, tables.masks, keys=keys, tables=keys)


def test_advice_stands_in_the_rows_and_the_masks_stay_as_they_are(advised: Tables) -> None:
    marks = advised.rows[:, advised.reader.layout.masks]
    assert np.array_equal(marks > 0, advised.masks == 1)
    assert ((marks == ADVISED).sum(axis=1) == 1).all()
    assert np.array_equal(marks.argmax(axis=1), ask_rule(advised))


def test_an_advised_learner_begins_with_what_its_adviser_does(advised: Tables) -> None:
    policy = make_policy(advised)
    nn.init.zeros_(policy.actor[-1].weight)
    nn.init.zeros_(policy.actor[-1].bias)
    policy.refresh()
    logits = policy.action_logits(advised.rows)
    expected = np.zeros_like(logits.detach())
    expected[np.arange(NUM_TABLES), ask_rule(advised)] = TRUST
    assert np.array_equal(logits.detach(), expected)
    actions, _ = policy.predict(
        advised.observations, deterministic=True, action_masks=advised.masks
    )
    assert np.array_equal(actions, ask_rule(advised))


def test_numpy_takes_advice_as_torch_does(advised: Tables) -> None:
    policy = make_policy(advised)
    network, layout = policy.export_actor(), advised.reader.layout
    rows = advised.reader.read(advised.observations, advised.masks)
    assert np.array_equal(rows, advised.rows[:, layout.seen])
    outputs = network.outputs(rows, np.ascontiguousarray(advised.rows[:, layout.masks]))
    logits = policy.action_logits(advised.rows).detach().numpy()
    allowed = advised.masks == 1
    assert np.abs(outputs - logits)[allowed].max() < 1e-5
    agent = PolicyAgent(advised.reader, network, samples=False)
    names = np.arange(NUM_TABLES)
    actions = agent.act(advised.observations, advised.masks, keys=names, tables=names)
    assert np.array_equal(actions, np.where(allowed, logits, -np.inf).argmax(axis=1))


def test_numpy_plays_the_network_that_torch_trains(played: Tables) -> None:
    policy = make_policy(played)
    network = policy.export_actor()
    layout = played.reader.layout
    logits = policy.action_logits(played.rows).detach().numpy()
    rows = played.reader.read(played.observations, played.masks)
    assert np.array_equal(rows, played.rows[:, layout.seen])
    outputs = network.outputs(rows, np.ascontiguousarray(played.masks))
    allowed = played.masks == 1
    assert logits[allowed].std() > 0.1
    assert np.abs(outputs - logits)[allowed].max() < 1e-5
    for row in range(0, NUM_TABLES, 7):
        alone = network.outputs(rows[[row]], np.ascontiguousarray(played.masks[[row]]))
        assert alone.tobytes() == outputs[[row]].tobytes()


def test_inputs_are_scaled_and_outputs_are_those_of_the_layers(played: Tables) -> None:
    policy, layout = make_policy(played), played.reader.layout
    seen = scaled(played.rows[:, layout.seen], played.reader.scales[layout.seen])
    logits = policy.action_logits(played.rows)
    assert logits.shape == (NUM_TABLES, layout.num_actions)
    assert torch.allclose(logits, policy.actor(seen), atol=1e-5)


def test_predict_takes_the_best_allowed_action(played: Tables) -> None:
    policy = make_policy(played)
    masks = np.ascontiguousarray(played.masks)
    actions, _ = policy.predict(played.observations, deterministic=True, action_masks=masks)
    agent = PolicyAgent(played.reader, policy.export_actor(), samples=False)
    names = np.arange(NUM_TABLES)
    expected = agent.act(played.observations, masks, keys=names, tables=names)
    assert actions.tolist() == expected.tolist()
    for _ in range(3):
        drawn, _ = policy.predict(played.observations, action_masks=masks)
        assert masks[np.arange(NUM_TABLES), drawn].all()
    one, _ = policy.predict(played.observations[0], deterministic=True, action_masks=masks[0])
    assert one == actions[0]


@pytest.mark.parametrize("sees_all", [True, False])
def test_what_the_critic_reads(sees_all: bool) -> None:
    tables = make_tables(4)
    policy = make_policy(tables, critic_sees_all=sees_all)
    layout = tables.reader.layout
    first = policy.values(tables.rows)
    assert first.shape == (4,)
    assert first.dtype == torch.float32
    for place, is_read in (
        (slice(layout.num_hidden), sees_all),
        (slice(layout.num_hidden, layout.num_hidden + layout.num_seen), True),
        (layout.masks, False),
    ):
        rows = tables.rows.copy()
        rows[:, place] += 1
        assert bool((policy.values(rows) != first).all()) == is_read
        if not is_read:
            assert torch.equal(policy.values(rows), first)


def test_the_actor_does_not_see_what_is_hidden() -> None:
    tables = make_tables(4)
    policy = make_policy(tables)
    rows = tables.rows.copy()
    rows[:, : tables.reader.layout.num_hidden] += 1
    assert torch.equal(policy.action_logits(rows), policy.action_logits(tables.rows))


def test_layers_of_a_perceptron() -> None:
    net = perceptron(10, [8, 6], 3)
    linears = [layer for layer in net if isinstance(layer, nn.Linear)]
    assert [layer.weight.shape for layer in linears] == [(8, 10), (6, 8), (3, 6)]
    assert isinstance(net[-1], nn.Linear)
    assert sum(isinstance(layer, nn.ReLU) for layer in net) == 2
    for layer, gain in zip(linears, (2, 2, 1e-4), strict=True):
        assert torch.allclose(
            layer.weight @ layer.weight.T, gain * torch.eye(len(layer.bias)), atol=1e-5
        )
        assert not layer.bias.any()
    assert all(one.out_features == two.in_features for one, two in pairwise(linears))


SCALES = np.array([1, 1, 0.25, 1 / 16, 1], np.float32)


def step_pair(dtype: torch.dtype, num: int = 5) -> tuple[nn.Sequential, nn.Sequential]:
    """A net after some steps, and one that plain torch took along the same way in float32."""
    torch.manual_seed(0)
    net = perceptron(5, [6], 2)
    with torch.no_grad():
        list(net.parameters())[-2].mul_(100)
    plain = copy.deepcopy(net)
    trainee = Trainee(net, SCALES, dtype)
    # Not Adam, which forgets how large a gradient is.
    optimizers = [torch.optim.SGD(one.parameters(), 0.5) for one in (net, plain)]
    rows = np.random.default_rng(0).integers(-9, 10, (64, 5)).astype(np.int8)
    for _ in range(num):
        outputs = trainee(torch.from_numpy(rows)).float()
        torch.autograd.backward((outputs**2).mean())
        trainee.step(optimizers[0], 0.5)
        optimizers[1].zero_grad()
        torch.autograd.backward((plain(scaled(rows, SCALES)) ** 2).mean())
        nn.utils.clip_grad_norm_(plain.parameters(), 0.5)
        optimizers[1].step()
    return net, plain


@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.bfloat16, 1e-2)], ids=str
)
def test_a_step_is_that_of_plain_torch(dtype: torch.dtype, tolerance: float) -> None:
    before, _ = step_pair(dtype, 0)
    net, plain = step_pair(dtype)
    for one, two, old in zip(
        net.parameters(), plain.parameters(), before.parameters(), strict=True
    ):
        assert one.dtype == torch.float32
        assert torch.allclose(one, two, atol=tolerance)
        assert float((one - old).abs().max().detach()) > 2 * tolerance


def test_gradients_do_not_add_up_from_step_to_step() -> None:
    torch.manual_seed(0)
    trainee = Trainee(perceptron(5, [6], 2), SCALES, torch.float32)
    optimizer = torch.optim.SGD(trainee.net.parameters(), 0.0)
    rows = torch.ones((4, 5), dtype=torch.int8)
    norms = []
    for _ in range(2):
        torch.autograd.backward(trainee(rows).sum())
        norms.append(trainee.step(optimizer, 1e9))
    assert norms[0] == norms[1] > 0


def test_weights_that_are_loaded_are_those_that_compute() -> None:
    tables = make_tables(4)
    model, other = make_learner(tables, seed=1), make_learner(make_tables(4), seed=2)
    expected = model.policy.action_logits(tables.rows)
    assert not torch.equal(other.policy.action_logits(tables.rows), expected)
    other.set_parameters(model.get_parameters())
    assert torch.equal(other.policy.action_logits(tables.rows), expected)
    assert torch.equal(other.policy.values(tables.rows), model.policy.values(tables.rows))


def test_precision() -> None:
    assert working_dtype("float32") == torch.float32
    assert working_dtype("bfloat16") == torch.bfloat16
    assert working_dtype("auto") in (torch.float32, torch.bfloat16)
    tables = make_tables(4)
    coarse, fine = (make_policy(tables, precision=name) for name in ("bfloat16", "float32"))
    seen = torch.from_numpy(tables.rows[:, tables.reader.layout.seen])
    assert coarse.actor_trainee(seen).dtype == torch.bfloat16
    outputs, expected = coarse.action_logits(tables.rows), fine.action_logits(tables.rows)
    assert outputs.dtype == torch.float32
    assert torch.allclose(outputs, expected, atol=0.05)
    assert not torch.equal(outputs, expected)


def test_it_is_not_trained_on_observations() -> None:
    with pytest.raises(NotImplementedError, match="trained by "):
        make_policy(make_tables(4))(torch.zeros(1))
