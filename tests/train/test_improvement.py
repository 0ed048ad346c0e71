"""AggreVaTe: judged positions, the network that learns from them, and that it beats its adviser."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.save_util import load_from_zip_file

import envs
from agents.comparing import ComparingAgent
from agents.network import ADVISED
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import OVER, Array
from tests.conformance.play import look
from tests.toy_game import FOLD, GAME, NUM_CARDS, RAISE, STAKE, ToyRules
from tests.toy_players import ToyBase, ToyPolicy, seat_toy_players, worth_of
from tests.train.tiny import advance_randomly, make_tables, weights_of
from train.evaluation import compare
from train.improvement import UNKNOWN, Aggrevate, Judging
from train.objective import Objective
from train.tables import Tables

NUM_TABLES, NUM_STEPS = 8, 6
NEVER = 10**9
REACH = 0.5
"""Out of it is to fold a 3."""
ALL = Judging(share=1.0, epsilon=0.0, replay=500)


@pytest.fixture(autouse=True)
def toy_players(monkeypatch: pytest.MonkeyPatch) -> None:
    seat_toy_players(monkeypatch)


def make_toys(*variants: ToyRules, num: int = NUM_TABLES) -> Tables:
    return make_tables(num, *variants, adviser="rule")


def make_learner(tables: Tables | None = None, **settings: Any) -> Aggrevate:
    """A learner with one layer of 16 units."""
    small = {
        "judging": ALL,
        "n_steps": NUM_STEPS,
        "batch_size": 32,
        "policy_kwargs": {"hidden": [16], "precision": "float32"},
    }
    model = Aggrevate(tables or make_toys(), **{**small, **settings})
    model.set_logger(Logger(None, []))
    return model


def play_alone(model: Aggrevate, steps: int = NUM_STEPS) -> None:
    """A rollout without learning from it."""
    model._begin_rollout()
    for _ in range(steps):
        model._step(model._tables)


def advised_at(tables: Tables) -> Array:
    return np.asarray((tables.rows[:, tables.reader.layout.masks] == ADVISED).argmax(1))


Position = tuple[int, list[float], dict[int, float]]
"""Advised action, context, and leads of the other actions."""


def remembered(model: Aggrevate, first: int) -> list[Position]:
    """The positions from `first` on."""
    memory = model.rollout_buffer
    places = np.arange(first, memory.num_added)
    found, used = memory.comparisons(places), memory.is_used(places)
    actions = found.actions.reshape(used.shape)
    return [
        (
            int(found.advised[n]),
            found.contexts[n].tolist(),
            dict(zip(actions[n][used[n]].tolist(), memory.leads[place][used[n]], strict=True)),
        )
        for n, place in enumerate(places)
    ]


def outcome(state: Any, action: int, players: int) -> int:
    """What the seat to act wins until the end of its hand if it takes an action."""
    states = np.array([state], GAME.state)
    seat, hand, before = int(state.turn), int(state.deals), state.scores[:players].copy()
    GAME.apply(states, np.array([action]))
    answer = np.empty(1, np.int64)
    while states["turn"][0] != OVER and states["deals"][0] == hand:
        ToyPolicy().choose_batch(states, GAME.masks(states), answer)
        GAME.apply(states, answer)
    return int(states["scores"][0, seat] - before[seat])


def expected_position(
    state: Any, advised: int, rules: ToyRules, objective: Objective
) -> Position | None:
    """What is to be remembered of a position, one playout after the other."""
    card = int(state.cards[state.turn])
    allowed = np.flatnonzero(GAME.masks(np.array([state], GAME.state))[0]).tolist()
    worth = {action: worth_of(card, action) for action in allowed}
    won = {
        action: float(objective.rewards(np.array(outcome(state, action, rules.players))))
        for action in allowed
        if worth[advised] - worth[action] <= REACH
    }
    leads = {action: won[action] - won[advised] for action in won if action != advised}
    return (advised, [card / NUM_CARDS, rules.players], leads) if leads else None


def test_leads_are_those_of_playouts_one_by_one() -> None:
    variants = [ToyRules(players=2, hands=3), ToyRules()]
    objective = Objective(kind="points", unit=2, cap=1.5)
    tables = make_toys(*variants)
    judging = Judging(share=1.0, reach=REACH, replay=500)
    model = make_learner(tables, objective=objective, judging=judging)
    model._begin_rollout()
    leads: list[float] = []
    num_without = 0
    for step in range(20):
        states = np.concatenate([group.states for group in tables.groups]).copy()
        advised, before = advised_at(tables), model.rollout_buffer.num_added
        expected = [
            expected_position(state, action, variants[tables.variant[table]], objective)
            for table, (state, action) in enumerate(
                zip(states.view(np.recarray), advised.tolist(), strict=True)
            )
        ]
        for variant in range(2):
            model._judge(tables, variant, advised)
        after = np.concatenate([group.states for group in tables.groups])
        assert after.tobytes() == states.tobytes()  # the games on the tables stay as they are
        assert remembered(model, before) == [one for one in expected if one]
        num_without += sum(one is None for one in expected[:-1])
        leads += [lead for one in expected if one for lead in one[2].values()]
        advance_randomly(tables, step)
    assert set(leads) == {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5}  # those of 2 are cut to the cap
    assert num_without > 5  # with others after them


def test_a_share_of_the_positions_is_judged_by_some_of_the_actions() -> None:
    judging = Judging(share=0.25, others=1, reach=2.0, replay=2000)
    model = make_learner(make_toys(num=400), judging=judging)
    play_alone(model, 2)
    memory = model.rollout_buffer
    assert memory.num_added == pytest.approx(0.25 * 800, abs=5 * (800 * 0.25 * 0.75) ** 0.5)
    assert set(memory.counts[: memory.num_added].tolist()) == {1}
    assert memory.leads.shape == (2000, 1)


def always_lead_by(model: Aggrevate, lead: float) -> None:
    """Give the network the same lead for everything."""
    last: Any = model.policy.actor[-1]
    with torch.no_grad():
        last.weight.zero_()
        last.bias.fill_(lead)
    model.policy.refresh()


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_half_of_the_games_go_as_the_agent_plays(
    monkeypatch: pytest.MonkeyPatch, epsilon: float
) -> None:
    judging = Judging(share=0.0, epsilon=epsilon, replay=10)
    tables = make_toys(ToyRules(), ToyRules(players=2), num=160)
    model = make_learner(tables, judging=judging)
    always_lead_by(model, 1.0)
    taken: list[Array] = []

    def advance(actions: Array) -> None:
        taken.append(actions != advised_at(tables))
        original(actions)

    original = tables.advance
    monkeypatch.setattr(tables, "advance", advance)
    play_alone(model, 20)
    deviates = np.array(taken)
    # Of two or three actions one is the other; any is allowed now and then.
    chance = epsilon * np.array([7 / 12, 5 / 12])
    shares = deviates[:, ::2].mean(), deviates[:, 1::2].mean()
    assert shares == pytest.approx((1 - chance[1], chance[0]), abs=0.07 if epsilon else 0)


def test_a_game_that_was_over_when_dealt_is_left_alone() -> None:
    tables = make_toys(num=6)
    model = make_learner(tables, judging=Judging(share=1.0, epsilon=0.0, replay=50))
    always_lead_by(model, 1.0)
    model._begin_rollout()
    advised = advised_at(tables)
    tables.seats[2], tables.masks[2] = OVER, 0
    assert np.flatnonzero(model._choose(tables, advised) != advised).tolist() == [0, 4]
    model._judge(tables, 0, advised)
    assert model.rollout_buffer.num_added == 5


def test_any_allowed_action_is_as_likely_now_and_then() -> None:
    tables = make_toys(num=3000)
    model = make_learner(tables, judging=Judging(share=0.0, epsilon=1.0, replay=10))
    model._begin_rollout()
    for legal in ([FOLD, RAISE], [STAKE, STAKE + 1, STAKE + 2]):
        actions = model._choose(tables, advised_at(tables))
        shares = np.bincount(actions, minlength=GAME.num_actions) / len(actions)
        assert shares[legal] == pytest.approx(1 / len(legal), abs=0.05)
        if RAISE in legal:
            tables.advance(np.full(len(actions), RAISE))


def test_what_is_exported_says_what_is_trained() -> None:
    model = make_learner(judging=Judging(share=1.0, reach=2.0, replay=500), learning_rate=0.05)
    model.learn(4 * NUM_TABLES * NUM_STEPS, log_interval=NEVER)
    found = model.rollout_buffer.comparisons(np.arange(model.rollout_buffer.num_held))
    with torch.no_grad():
        trained = model.policy.leads(found).numpy()
    agent = model.policy.make_agent(model.policy.export_actor())
    assert isinstance(agent, ComparingAgent)
    inputs = agent.reader.inputs(found)
    exported = agent.network.outputs(inputs, np.ones((len(inputs), 1), np.int8))[:, 0]
    assert exported == pytest.approx(trained, abs=1e-5)
    assert np.std(trained) > 0.05


def test_nothing_is_known_at_the_beginning() -> None:
    model = make_learner()
    play_alone(model)
    found = model.rollout_buffer.comparisons(np.arange(model.rollout_buffer.num_held))
    with torch.no_grad():
        assert model.policy.leads(found).numpy() == pytest.approx(UNKNOWN, abs=0.05)
    tables = model._tables
    assert np.array_equal(model._choose(tables, advised_at(tables)), advised_at(tables))


def test_a_step_is_that_of_plain_torch() -> None:
    model = make_learner(learning_rate=0.05, max_grad_norm=0.3)
    play_alone(model)
    memory = model.rollout_buffer
    places = np.array([0, 3, 5, 5])
    actor = copy.deepcopy(model.policy.actor)
    optimizer = torch.optim.Adam(actor.parameters(), 0.05, betas=(0.9, 0.99), eps=1e-5)
    inputs = torch.from_numpy(model.policy.comparer.inputs(memory.comparisons(places)))
    used = torch.from_numpy(memory.is_used(places)).reshape(-1)
    errors = (actor(inputs)[:, 0] - torch.from_numpy(memory.leads[places]).reshape(-1)) ** 2
    loss = errors[used].mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(actor.parameters(), 0.3)
    optimizer.step()
    assert model._improve(places) == pytest.approx(loss.item(), abs=1e-6)
    for name, value in model.policy.actor.state_dict().items():
        assert torch.allclose(value, actor.state_dict()[name], atol=1e-5), name


def slow_gains(model: Aggrevate, first: int) -> dict[str, float]:
    """What the network as it is now makes of the positions from `first` on, one by one."""
    agent = model.policy.make_agent(model.policy.export_actor())
    memory, gains, hopes = model.rollout_buffer, [], []
    for place in range(first, memory.num_added):
        found, num = memory.comparisons(np.array([place])), int(memory.counts[place])
        few = found._replace(
            rows=found.rows[:num], actions=found.actions[:num], features=found.features[:num]
        )
        inputs = agent.reader.inputs(few)
        outputs = agent.network.outputs(inputs, np.ones((num, 1), np.int8))[:, 0]
        best = int(outputs.argmax())
        if outputs[best] > agent.margin:
            gains.append(float(memory.leads[place, best]))
            hopes.append(float(outputs[best]))
    num = memory.num_added - first
    shares = {"share_improved": len(gains) / num, "gain": sum(gains) / num}
    return shares | {"expected_gain": sum(hopes) / num}


def test_gains_are_measured_before_learning_from_their_positions() -> None:
    judging = Judging(share=1.0, reach=2.0, margin=0.3, replay=500)
    model = make_learner(judging=judging, learning_rate=0.05, n_epochs=10)
    play_alone(model)
    model.train()
    before = model.rollout_buffer.num_added
    play_alone(model)
    expected = slow_gains(model, before)
    model.train()
    figures = model.logger.name_to_value
    found = {name: figures[f"train/{name}"] for name in expected}
    assert found == pytest.approx(expected, abs=1e-5)
    assert 0 < found["share_improved"] < 1
    assert found["gain"] != 0
    assert slow_gains(model, before)["expected_gain"] != pytest.approx(expected["expected_gain"])
    for name in ("explained_variance", "value_loss", "learning_rate"):
        assert np.isfinite(figures[f"train/{name}"])
    assert figures["train/judged_positions"] == model.rollout_buffer.num_added - before
    assert figures["train/explained_variance"] <= 1


def test_a_rollout_without_anything_to_judge() -> None:
    model = make_learner(judging=Judging(share=0.0, replay=10))
    before = weights_of(model)  # type: ignore[arg-type]
    model.learn(NUM_TABLES * NUM_STEPS, log_interval=NEVER)
    assert weights_of(model) == before  # type: ignore[arg-type]
    assert model.logger.name_to_value["train/judged_positions"] == 0


def test_the_same_seed_gives_the_same_run() -> None:
    def learned(seed: int) -> dict[str, bytes]:
        model = make_learner(make_toys(), judging=Judging(replay=100), seed=seed)
        return weights_of(model.learn(4 * NUM_TABLES * NUM_STEPS, log_interval=NEVER))  # type: ignore[arg-type]

    assert learned(1) == learned(1)
    assert learned(1) != learned(2)


def openings(rules: ToyRules) -> tuple[Array, Array]:
    """What the first to act sees and may do, by the own card."""
    states = np.repeat(GAME.new_games(rules, [0]), NUM_CARDS)
    states["cards"][:, 0] = np.arange(NUM_CARDS)
    return look(GAME, rules, states, states["turn"].copy()), GAME.masks(states)


def test_an_adviser_is_improved_on_and_the_model_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The adviser raises with what loses to the default policy, and folds what wins.
    rules = ToyRules(players=2, hands=1)
    model = make_learner(
        make_toys(rules, num=64),
        judging=Judging(share=0.5, replay=20_000),
        objective=Objective(kind="points", unit=3),
        learning_rate=1e-2,
        seed=3,
    )
    base = ToyBase(GAME, rules)

    def lead_over_base() -> Any:
        agent = model.policy.make_agent(model.policy.export_actor())
        [found] = compare(GAME, rules, agent, [("rule", base)], 200)
        return found.difference

    assert lead_over_base().mean == 0
    model.learn(12 * 64 * NUM_STEPS, log_interval=NEVER)
    assert lead_over_base().low > 0.5
    seen, masks = openings(rules)
    agent = model.policy.make_agent(model.policy.export_actor())
    keys = np.arange(NUM_CARDS)
    expected = agent.act(seen, masks, keys=keys, tables=keys).tolist()
    assert expected[:2] + expected[-2:] == [FOLD, FOLD, RAISE, RAISE]
    model.save(tmp_path / "model.zip")
    saved, _, _ = load_from_zip_file(tmp_path / "model.zip")
    assert saved is not None
    assert not {"rollout_buffer", "_comparers", "_playouts", "_agents"} & saved.keys()
    loaded = Aggrevate.load(tmp_path / "model.zip")
    for one in (model, loaded):
        for deterministic in (True, False):
            found, _ = one.predict(seen, deterministic=deterministic, action_masks=masks)
            assert found.tolist() == expected
        with pytest.raises(AgentError, match="this policy needs action_masks"):
            one.predict(seen)
    played = make_agent(f"sb3:{tmp_path / 'model.zip'}", GAME, rules)
    assert "executes whatever code it holds" in capsys.readouterr().err
    assert played.act(seen, masks, keys=keys, tables=keys).tolist() == expected
    again = Aggrevate.load(tmp_path / "model.zip", env=make_toys(rules, num=64))
    again.learn(64 * NUM_STEPS, log_interval=NEVER, reset_num_timesteps=False)
    assert again.num_timesteps == 13 * 64 * NUM_STEPS
    assert weights_of(again) != weights_of(model)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "options", "reach"),
    [("tichu", {"episode": "round"}, 1.2), ("tongits", {"preset": "filipino"}, 0.2)],
)
def test_real_games_are_judged(name: str, options: dict[str, Any], reach: float) -> None:
    game = envs.load_game(name)
    rules = game.make_rules(**options)
    tables = Tables(game, [rules], 8, adviser="rule")
    judging = Judging(share=1.0, reach=reach, replay=200)
    model = Aggrevate(
        tables,
        judging=judging,
        objective=Objective(kind="points"),
        n_steps=4,
        batch_size=8,
        policy_kwargs={"hidden": [8], "precision": "float32"},
    )
    model.learn(2 * 8 * 4, log_interval=NEVER)
    memory = model.rollout_buffer
    assert 8 < memory.num_added <= 64
    places = np.arange(memory.num_held)
    used, found = memory.is_used(places), memory.comparisons(places)
    assert np.isfinite(memory.leads).all()
    assert memory.leads.any()
    assert 1 <= memory.counts[places].min() <= memory.counts[places].max() <= 4
    worth = found.features[:, 0].reshape(used.shape)
    below = (found.advised_features[:, :1] - worth)[used]
    assert (below <= reach + 0.01).all()  # of numbers in float16
    assert below.max() > 0.1 * reach
