"""Trained agents: files of weights, what they are refused for, and how they play."""

import dataclasses
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import policy
from agents.base import Agent
from agents.comparing import Comparer, ComparingAgent
from agents.network import Network, Rows
from agents.policy import (
    Card,
    PolicyAgent,
    TrainedAgent,
    check_fit,
    fill_uniforms,
    load_agent,
    load_card,
    load_network,
    save_policy,
    shipped_weights,
)
from agents.random_agent import RandomAgent
from envs.core.errors import AgentError
from envs.core.game import NO_ACTION, Array
from envs.core.rng import spawn_seeds
from eval.match import play_deals
from tests.agents.test_network import random_network
from tests.conformance.play import look
from tests.toy_game import GAME, NUM_ACTIONS, RAISE, ToyRules
from tests.toy_players import ToyBase, ToyFeatures, seat_toy_players

RULES = ToyRules()
IGNORE = ["stakes", "cards"]
NUM_INPUTS = GAME.layout(RULES).size - 3 + NUM_ACTIONS
CARD = Card(
    game="toy",
    game_version=1,
    layout=GAME.layout(RULES).digest,
    trained_on=["", "hands=3"],
    requires={"players": [3], "hands": [2, 3]},
    ignore=IGNORE,
    hidden=[12, 7],
    samples=False,
    algorithm="ppo",
    decisions=1000,
    seed=4,
    results=[{"opponent": "random", "mean_diff": 0.5}],
)
NETWORK = random_network([NUM_INPUTS, 12, 7, NUM_ACTIONS], seed=1)


def save(folder: Path, network: Network = NETWORK, **changes: Any) -> Path:
    """A file of weights whose card differs from `CARD` by `changes`."""
    path = folder / "toy.npz"
    save_policy(path, dataclasses.replace(CARD, **changes), network)
    return path


def questions(num: int = 40) -> tuple[Array, Array]:
    """Observations and masks of dealt games; in every other one the first seat has raised."""
    states = GAME.new_games(RULES, range(num))
    GAME.apply(states, np.where(np.arange(num) % 2, RAISE, NO_ACTION))
    return look(GAME, RULES, states, states["turn"]), GAME.masks(states)


def act(agent: Agent, keys: Array | None = None) -> list[int]:
    observations, masks = questions()
    found = agent.act(
        observations,
        masks,
        keys=spawn_seeds(0, len(masks)) if keys is None else keys,
        tables=np.arange(len(masks)),
    )
    return found.tolist()  # type: ignore[no-any-return]


def test_weights_and_card_come_back_as_they_were(tmp_path: Path) -> None:
    path = save(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["toy.json", "toy.npz"]
    assert load_card(path) == CARD
    network = load_network(path, CARD, NUM_INPUTS, NUM_ACTIONS)
    for before, after in zip(
        NETWORK.weights + NETWORK.biases, network.weights + network.biases, strict=True
    ):
        assert after.dtype == np.float32
        assert np.array_equal(before, after)


def test_the_loaded_agent_plays_as_the_network_says(tmp_path: Path) -> None:
    observations, masks = questions()
    rows = Rows(GAME, RULES, IGNORE).read(observations, masks)
    outputs = np.where(masks, NETWORK.outputs(rows, masks), -np.inf)
    found = act(load_agent(save(tmp_path), GAME, RULES))
    assert found == outputs.argmax(axis=1).tolist()
    assert len(set(found)) > 1


def refuse(path: Path, message: str, rules: ToyRules = RULES) -> None:
    """Loading fails with a sentence that names the file."""
    with pytest.raises(AgentError, match=re.escape(message)) as caught:
        load_agent(path, GAME, rules)
    assert str(path.with_suffix("")) in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"game": "tichu"}, "cannot play here: made for tichu, version 1"),
        ({"game_version": 2}, "cannot play here: made for toy, version 2"),
        (
            {"layout": "0123456789ab"},
            "cannot play here: made for the layout 0123456789ab, "
            f"this game has {GAME.layout(RULES).digest}",
        ),
        ({"requires": {"hands": [1, 5]}}, "cannot play here: trained with hands 1 or 5, not 2"),
        ({"requires": {"jokers": [2]}}, "cannot play here: trained with jokers 2, not None"),
        (
            {"hidden": [12, 8]},
            f"toy.npz: layer 1 is float32 (12, 7), expected float32 {(12, 8)}",
        ),
        ({"hidden": [12]}, "toy.npz: layer 1 is float32 (12, 7), expected float32 (12, 5)"),
        ({"hidden": [12, 7, 5]}, "toy.npz holds no weights: "),
        ({"ignore": []}, f"layer 0 is float32 ({NUM_INPUTS}, 12), expected float32 "),
    ],
)
def test_weights_for_something_else_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    refuse(save(tmp_path, **changes), message)


def test_a_card_names_an_adviser_and_cannot_name_a_file(tmp_path: Path) -> None:
    agent = load_agent(save(tmp_path, adviser="random"), GAME, RULES)
    assert isinstance(agent.reader.adviser, RandomAgent)
    with pytest.raises(AgentError, match=r"no agent of toy 'bot\.py:Bot'"):
        load_agent(save(tmp_path, adviser="bot.py:Bot"), GAME, RULES)


def test_options_that_matter_are_compared_with_those_trained_on(tmp_path: Path) -> None:
    path = save(tmp_path)
    assert isinstance(load_agent(path, GAME, ToyRules(hands=3, max_stake=1)), PolicyAgent)
    refuse(path, "cannot play here: trained with players 3, not 2", ToyRules(players=2))
    refuse(path, "cannot play here: trained with hands 2 or 3, not 4", ToyRules(hands=4))
    assert check_fit(CARD, GAME, RULES) is None


def edit_card(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    place = path.with_suffix(".json")
    place.write_text(json.dumps(change(json.loads(place.read_text()))))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda card: card | {"colour": "red"}, "toy.json is no card of trained weights: "),
        (lambda card: {"game": "toy"}, "toy.json is no card of trained weights: "),
        (lambda card: [card], "toy.json is no card of trained weights: "),
        (lambda card: "card", "toy.json is no card of trained weights: "),
    ],
)
def test_a_card_with_other_keys_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    path = save(tmp_path)
    edit_card(path, change)
    refuse(path, message)


def test_what_is_wrong_with_a_card_is_said(tmp_path: Path) -> None:
    path = save(tmp_path)
    edit_card(path, lambda card: card | {"colour": "red"})
    refuse(path, "colour")
    edit_card(path, lambda card: {key: card[key] for key in card if key not in ("colour", "seed")})
    refuse(path, "seed")


@pytest.mark.parametrize("text", ["", "{", "\udcff"], ids=["empty", "half", "no UTF-8"])
def test_a_card_that_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    path = save(tmp_path)
    path.with_suffix(".json").write_bytes(text.encode("utf-8", "surrogateescape"))
    refuse(path, "toy.json is no card of trained weights: ")


def test_missing_files_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path)
    path.unlink()
    refuse(path, "toy.npz holds no weights: ")
    path.with_suffix(".json").unlink()
    refuse(path, "toy.json is no card of trained weights: ")


def rewrite(path: Path, **changes: Array) -> None:
    """Change arrays of a file of weights."""
    with np.load(path) as arrays:
        kept = dict(arrays)
    np.savez(path, **kept | changes)


class Trap:
    """Leaves a trace when it is unpickled."""

    sprung: list[str] = []  # noqa: RUF012 - shared on purpose

    def __reduce__(self) -> tuple[Any, ...]:
        return self.sprung.append, ("sprung",)


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    path = save(tmp_path)
    rewrite(path, weight_0=np.array([Trap()], object))
    refuse(path, "toy.npz holds no weights: ")
    path.write_bytes(np.array([Trap()], object).dumps())
    refuse(path, "toy.npz holds no weights: ")
    assert Trap.sprung == []


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((NUM_INPUTS, 12)), f"layer 0 is float64 ({NUM_INPUTS}, 12), expected float32"),
        (np.zeros((12, NUM_INPUTS), np.float32), f"layer 0 is float32 (12, {NUM_INPUTS})"),
        (np.zeros(12, np.float32), "layer 0 is float32 (12,)"),
    ],
)
def test_layers_of_another_shape_or_type_are_refused(
    tmp_path: Path, array: Array, message: str
) -> None:
    path = save(tmp_path)
    rewrite(path, weight_0=array)
    refuse(path, message)


@pytest.mark.parametrize("bias", [np.zeros(12), np.zeros(11, np.float32), np.float32(0)])
def test_biases_of_another_shape_or_type_are_refused(tmp_path: Path, bias: Array) -> None:
    path = save(tmp_path)
    rewrite(path, bias_0=bias)
    refuse(path, f"toy.npz: layer 0 is {bias.dtype} {bias.shape}, expected float32 (12,)")


def damage(data: bytes) -> dict[str, bytes]:
    """What may become of a file."""
    found = {"empty": b"", "text": b"not weights", "half": data[: len(data) // 2]}
    rng = np.random.default_rng(0)
    for number in range(40):
        broken = bytearray(data)
        for place in rng.integers(len(data), size=4):
            broken[place] ^= 1 << int(rng.integers(8))
        found[f"flipped {number}"] = bytes(broken)
    return found


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path)
    refused = 0
    for name, data in damage(path.read_bytes()).items():
        path.write_bytes(data)
        try:
            load_agent(path, GAME, RULES)
        except AgentError as error:
            refused += 1
            assert str(path) in str(error), name
    assert refused > 30  # a bit of a date in the archive may be anything


def test_a_single_array_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3, np.float32))
    refuse(path, "toy.npz holds no weights: ")


def test_the_best_action_depends_on_no_key(tmp_path: Path) -> None:
    agent = load_agent(save(tmp_path), GAME, RULES)
    assert act(agent) == act(agent, spawn_seeds(9, 40))


def test_drawn_actions_depend_on_the_keys_alone(tmp_path: Path) -> None:
    agent = load_agent(save(tmp_path, samples=True), GAME, RULES)
    assert act(agent) == act(agent)
    assert act(agent) != act(agent, spawn_seeds(9, 40))
    observations, masks = questions()
    for row in range(40):
        alone = agent.act(
            observations[[row]],
            masks[[row]],
            keys=spawn_seeds(0, 40)[[row]],
            tables=np.array([7]),
        )
        assert alone.tolist() == [act(agent)[row]]


def test_actions_are_drawn_as_the_outputs_say() -> None:
    num = 20_000
    agent = PolicyAgent(Rows(GAME, RULES, IGNORE), NETWORK, samples=True)
    observations, masks = (np.repeat(array[:1], num, axis=0) for array in questions())
    found = agent.act(observations, masks, keys=spawn_seeds(3, num), tables=np.arange(num))
    outputs = NETWORK.outputs(agent.reader.read(observations[:1], masks[:1]), masks[:1])[0, :2]
    chance = 1 / (1 + np.exp(outputs[0] - outputs[1]))
    assert abs(found.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / num)


def test_uniform_numbers_of_keys() -> None:
    uniforms = np.full(10_000, -1.0)
    fill_uniforms(spawn_seeds(1, 10_000), uniforms)
    assert uniforms.min() >= 0
    assert uniforms.max() <= 1
    counts = np.histogram(uniforms, bins=10, range=(0, 1))[0]
    assert abs(counts - 1000).max() < 4.5 * 30


@pytest.mark.parametrize("samples", [False, True])
def test_it_plays_whole_games_and_scores_nothing_against_itself(samples: bool) -> None:
    agent = PolicyAgent(Rows(GAME, RULES, IGNORE), NETWORK, samples)
    assert isinstance(agent, Agent)
    outcome = play_deals(GAME, RULES, [agent, agent], spawn_seeds(2, 20))
    assert outcome.fouls == []
    assert outcome.payoffs.any()
    assert not outcome.differences().any()


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the toy's weights."""
    monkeypatch.setattr(policy, "WEIGHTS", tmp_path)
    folder = tmp_path / "toy"
    folder.mkdir()
    return folder


def test_weights_that_fit_the_variant_are_found(weights: Path) -> None:
    for name, hands in (("long", 4), ("short", 1)):
        path = save(weights, requires={"hands": [hands]})
        for suffix in (".npz", ".json"):
            path.with_suffix(suffix).rename(weights / f"{name}{suffix}")
    assert [path.stem for path in shipped_weights(GAME)] == ["long", "short"]
    for hands in (1, 4):
        agent = TrainedAgent(GAME, ToyRules(hands=hands))
        assert isinstance(agent, Agent)
        assert act(agent) == act(PolicyAgent(Rows(GAME, RULES, IGNORE), NETWORK, False))
    message = "no trained weights fit: long: trained with hands 4, not 2; short: trained with hands"
    with pytest.raises(AgentError, match=message):
        TrainedAgent(GAME, RULES)


def test_a_game_without_weights_has_no_trained_agent(weights: Path) -> None:
    with pytest.raises(AgentError, match="no trained weights fit: there are none for this game"):
        TrainedAgent(GAME, RULES)


def test_weights_that_come_along_are_whole() -> None:
    for path in policy.WEIGHTS.glob("*/*.npz"):
        assert load_card(path).game == path.parent.name


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hidden", None, "hidden must be a list, each a whole number, got None"),
        ("requires", [], "requires must be names, each with a list, each anything, got []"),
        ("samples", 1, "samples must be true or false, got 1"),
    ],
)
def test_a_card_with_values_of_the_wrong_type_is_refused(
    tmp_path: Path, key: str, value: object, message: str
) -> None:
    path = save(tmp_path)
    edit_card(path, lambda card: card | {key: value})
    refuse(path, message)


COMPARING: dict[str, Any] = {
    "adviser": "rule",
    "features": ToyFeatures.VERSION,
    "reach": 0.75,
    "margin": 0.1,
}
COMPARING_NETWORK = random_network([12, 12, 7, 1], seed=5)


@pytest.fixture
def toy_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy has a rule-based agent and features of actions."""
    seat_toy_players(monkeypatch)


@pytest.mark.usefixtures("toy_players")
def test_weights_that_compare_actions_play_with_their_adviser(tmp_path: Path) -> None:
    path = save(tmp_path, COMPARING_NETWORK, **COMPARING)
    assert load_card(path) == dataclasses.replace(CARD, **COMPARING)
    agent = load_agent(path, GAME, RULES)
    assert isinstance(agent, ComparingAgent)
    assert isinstance(agent.reader.adviser, ToyBase)
    assert (agent.reader.reach, agent.margin) == (0.75, 0.1)
    expected = ComparingAgent(Comparer(GAME, RULES, "rule", 0.75), COMPARING_NETWORK, 0.1)
    assert act(agent) == act(expected)
    advised = act(ToyBase(GAME, RULES))
    assert 0 < sum(one != two for one, two in zip(act(agent), advised, strict=True)) < len(advised)


@pytest.mark.usefixtures("toy_players")
def test_weights_that_compare_by_other_features_are_refused(tmp_path: Path) -> None:
    path = save(tmp_path, COMPARING_NETWORK, **COMPARING | {"features": 4})
    refuse(path, "here: made for version 4 of the features of actions, not 3")


@pytest.mark.usefixtures("toy_players")
def test_weights_that_compare_with_other_inputs_are_refused(tmp_path: Path) -> None:
    network = random_network([10, 12, 7, 1])
    path = save(tmp_path, network, **COMPARING)
    refuse(path, "layer 0 is float32 (10, 12), expected float32 (12, 12)")
    network = random_network([12, 12, 7, 2])
    path = save(tmp_path, network, **COMPARING)
    refuse(path, "layer 2 is float32 (7, 2), expected float32 (7, 1)")


def test_comparing_with_nothing_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path)
    edit_card(path, lambda card: card | {"features": 3})
    refuse(path, "of trained weights: features of actions, but no adviser to compare with")
