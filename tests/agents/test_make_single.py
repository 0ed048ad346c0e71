"""The registered Gymnasium environments, with agents by name."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import envs  # noqa: F401 - registers the environments
from agents.random_agent import RandomAgent
from envs import SINGLE_SEAT, load_game
from envs.core.errors import AgentError, RulesError


@pytest.fixture(params=SINGLE_SEAT.values())
def make(request):
    """`gymnasium.make` of one game."""
    return lambda **options: gymnasium.make(request.param, **options)


def test_options_reach_the_rules_and_the_seat(make):
    env = make(opponents="random", seat=1, render_mode="ansi")
    env.reset(seed=1)
    assert env.unwrapped.seat == 1
    assert isinstance(env.render(), str)
    with pytest.raises(RulesError, match="no option 'wrong'"):
        make(opponents="random", wrong=1)
    with pytest.raises(AgentError, match="no agent"):
        make(opponents="nobody")


def test_opponents_can_be_objects_and_differ():
    game = load_game("doudizhu")
    agent = RandomAgent(game, game.make_rules(auction="off"))
    env = gymnasium.make("jipae/DouDizhu-v0", opponents=[agent, "random"], auction="off")
    env.reset(seed=1)
    assert env.unwrapped.rules.auction == "off"


def test_gymnasium_finds_nothing_to_complain_about(make):
    check_env(make(opponents="random", illegal="forfeit").unwrapped)


def test_masked_ppo_finds_the_masks_and_learns(make):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch and tensorboard warn about themselves
        torch = pytest.importorskip("torch")
        sb3_contrib = pytest.importorskip("sb3_contrib")
    torch.set_num_threads(1)  # small networks: more threads only wait for each other
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", make(opponents="rule"), n_steps=256, batch_size=64, n_epochs=2, seed=1
    )
    model.learn(2_000)
    weights = [parameter.detach().numpy() for parameter in model.policy.parameters()]
    assert all(np.isfinite(weight).all() for weight in weights)
    assert np.isfinite(model.logger.name_to_value["train/loss"])
