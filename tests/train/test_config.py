"""Settings of a run: what they mean, and what they refuse."""

from pathlib import Path
from typing import Any

import pytest

import envs
from envs.core.cli import parse_config
from envs.core.errors import JipaeError, RulesError
from tests.toy_game import GAME, ToyRules
from train.config import TrainConfig


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is a game, and has a named variant."""
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
    monkeypatch.setitem(vars(GAME), "presets", {"short": {"hands": 1}})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": 3}, "game must be a word, got 3"),
        ({"variants": "preset=card_play"}, "variants must be a list, each a word, got 'preset=c"),
        ({"variants": []}, "variants must name one at least, got none"),
        ({"seed": -1}, "a seed must be a whole number from 0 to 2**63 - 1, got -1"),
        ({"seed": 2**63}, "a seed must be a whole number from 0 to 2**63 - 1, got 9223372036854"),
        ({"decisions": 0}, "decisions must be 1 to 1099511627776, got 0"),
        ({"tables": 0}, "tables must be 1 to 1099511627776, got 0"),
        ({"steps": 0}, "steps must be 1 to 1099511627776, got 0"),
        ({"minibatch": 0}, "minibatch must be 1 to 1099511627776, got 0"),
        ({"epochs": 0}, "epochs must be 1 to 1099511627776, got 0"),
        ({"epochs": 1.5}, "epochs must be a whole number, got 1.5"),
        ({"evaluations": -1}, "evaluations must be 0 to 1099511627776, got -1"),
        ({"evaluation_deals": 1}, "evaluation_deals must be 2 to 1099511627776, got 1"),
        ({"pool_size": 0}, "pool_size must be 1 to 1099511627776, got 0"),
        ({"pool_tables": 513}, "pool_tables must be 0 to 512, got 513"),
        ({"pool_tables": -1}, "pool_tables must be 0 to 512, got -1"),
        (
            {"tables": 4, "steps": 6, "minibatch": 25},
            "minibatch must be at most tables × steps = 24, got 25",
        ),
        ({"hidden": [16, "32"]}, "hidden must be a list, each a whole number, got [16, '32']"),
        ({"precision": "half"}, "precision must be one of 'auto', 'float32', 'bfloat16', got 'ha"),
        ({"objective": "fame"}, "objective must be one of 'win', 'points', 'log', got 'fame'"),
        ({"unit": 0}, "unit must be above 0, got 0"),
        ({"cap": -1.0}, "cap must be above 0, got -1.0"),
        ({"samples": 1}, "samples must be true or false, got 1"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0, got 0.0"),
        ({"final_learning_rate": -1e-4}, "final_learning_rate must be above 0, got -0.0001"),
        ({"clip": 0}, "clip must be above 0, got 0"),
        ({"max_grad_norm": -1}, "max_grad_norm must be above 0, got -1"),
        ({"checkpoint_minutes": -1}, "checkpoint_minutes must be 0 to 1099511627776, got -1"),
        ({"entropy": -0.01}, "entropy must be 0 to 1099511627776, got -0.01"),
        ({"hidden": [16, 0]}, "hidden must be 1 or more each, got [16, 0]"),
        ({"gae_lambda": 3.0}, "gae_lambda must be 0 to 1, got 3.0"),
        ({"teacher": "rule"}, "teacher and teacher_decisions go together, got 'rule' and 0"),
        ({"teacher_decisions": 9}, "teacher and teacher_decisions go together, got None and 9"),
        ({"teacher_decisions": -1}, "teacher_decisions must be 0 to 1099511627776, got -1"),
        ({"algorithm": "a2c"}, "algorithm must be one of 'ppo', 'dmc', 'aggrevate', got 'a2c'"),
    ],
    ids=str,
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(JipaeError) as caught:
        TrainConfig(**settings)
    assert str(caught.value).startswith(message)


AGGREVATE: dict[str, Any] = {"algorithm": "aggrevate", "adviser": "rule"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"judged": 1.5}, "judged must be 0 to 1, got 1.5"),
        ({"judged": -0.1}, "judged must be 0 to 1, got -0.1"),
        ({"others": 0}, "others must be 1 to 1099511627776, got 0"),
        ({"others": 1.5}, "others must be a whole number, got 1.5"),
        ({"reach": -1.0}, "reach must be 0 to 1099511627776, got -1.0"),
        ({"margin": -0.1}, "margin must be 0 to 1099511627776, got -0.1"),
        ({"replay": 511}, "replay must be 512 to 1099511627776, got 511"),
        ({"epsilon": 1.1}, "epsilon must be 0 to 1, got 1.1"),
        ({"adviser": None}, "aggrevate needs an adviser, got none"),
    ],
    ids=str,
)
def test_what_is_refused_for_aggrevate(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError) as caught:
        TrainConfig(**AGGREVATE | settings)
    assert str(caught.value) == message


def test_aggrevate_and_the_ends_of_its_ranges() -> None:
    TrainConfig(**AGGREVATE)
    for end in (0.0, 1.0):
        TrainConfig(**AGGREVATE, judged=end, epsilon=end, reach=end, margin=end)
    TrainConfig(**AGGREVATE, others=1, replay=512, epochs=1)


OF_PPO: dict[str, Any] = {
    "ignore": ["opener"],
    "pool_tables": 4,
    "pool_agents": ["random"],
    "pool_size": 3,
    "gae_lambda": 0.9,
    "clip": 0.1,
    "entropy": 0.02,
    "final_entropy": 0.001,
    "critic_hidden": [64],
    "critic_sees_all": False,
    "samples": True,
    "actor_waits": 1000,
}
OF_DMC: dict[str, Any] = {"final_epsilon": 0.02, "loss": "squared", "memory": 3}
OF_AGGREVATE: dict[str, Any] = {
    "judged": 0.3,
    "others": 2,
    "reach": 0.5,
    "margin": 0.1,
    "replay": 1000,
}


@pytest.mark.parametrize(
    ("own", "owner", "settings"),
    [
        (AGGREVATE, "ppo", OF_PPO),
        (AGGREVATE, "ppo", {"teacher": "random", "teacher_decisions": 9}),
        (AGGREVATE, "dmc", OF_DMC),
        ({"algorithm": "ppo"}, "aggrevate", OF_AGGREVATE),
        ({"algorithm": "ppo"}, "dmc", OF_DMC | {"epsilon": 0.2}),
        ({"algorithm": "dmc"}, "aggrevate", OF_AGGREVATE),
        ({"algorithm": "dmc"}, "ppo", {"epochs": 3, "adviser": "rule", "critic_hidden": [64]}),
    ],
    ids=str,
)
def test_settings_of_other_algorithms_are_refused(
    own: dict[str, Any], owner: str, settings: dict[str, Any]
) -> None:
    TrainConfig(**own)
    algorithm = own["algorithm"]
    together = [dict([item]) for item in settings.items()]
    for some in [settings] if "teacher" in settings else together:
        with pytest.raises(RulesError) as caught:
            TrainConfig(**own | some)
        name, value = next(iter(some.items()))
        message = f"{name}={value!r} has no meaning: it is a setting of {owner}, not {algorithm}"
        assert str(caught.value) == message


def test_settings_may_have_their_defaults_for_any_algorithm() -> None:
    plain = {name: getattr(TrainConfig(), name) for name in OF_PPO | OF_DMC | OF_AGGREVATE}
    TrainConfig(**AGGREVATE, **plain)
    TrainConfig(**plain)


def test_the_ends_of_the_ranges_are_allowed() -> None:
    config = TrainConfig(
        tables=4, steps=6, minibatch=24, pool_tables=4, evaluations=0, evaluation_deals=2, seed=0
    )
    assert (config.pool_tables, config.minibatch) == (4, 24)


def test_game_and_variants(toy: None) -> None:
    config = TrainConfig(game="toy", variants=["", "preset=short players=2"])
    assert config.make_game() == (GAME, [ToyRules(), ToyRules(hands=1, players=2)])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"game": "toi"}, "no game 'toi'; did you mean 'toy'"),
        ({"variants": ["preset=long"]}, "toy: no preset of toy 'long'"),
        ({"variants": ["", "card=2"]}, "toy: no option 'card'"),
        ({"variants": ["hands"]}, "toy: expected option=value, got 'hands'"),
    ],
)
def test_games_and_variants_that_do_not_exist(
    toy: None, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(RulesError, match=message):
        TrainConfig(**{"game": "toy"} | settings).make_game()


def test_options_that_the_agent_depends_on(toy: None) -> None:
    variants = ["hands=3", "hands=2 players=2", "hands=3 players=2"]
    config = TrainConfig(game="toy", variants=variants, requires=["hands", "players"])
    assert config.required_options() == {"hands": [3, 2], "players": [3, 2]}
    with pytest.raises(RulesError, match=r"^requires: toy has no option 'hand'$"):
        TrainConfig(game="toy", requires=["hands", "hand"]).required_options()


def test_what_is_striven_for() -> None:
    objective = TrainConfig(objective="points", unit=5, cap=2).make_objective()
    assert (objective.kind, objective.unit, objective.cap) == ("points", 5, 2)


def test_settings_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("game: tichu\nhidden: [8, 8]\nunit: 100\n")
    argv = ["--config", str(path), "--hidden", "64", "32", "--variants", "", "a=1 b=2"]
    config = parse_config(TrainConfig, "test", [*argv, "--learning-rate", "0.01", "--cap", "none"])
    assert config == TrainConfig(
        game="tichu", hidden=[64, 32], unit=100, variants=["", "a=1 b=2"], learning_rate=0.01
    )
