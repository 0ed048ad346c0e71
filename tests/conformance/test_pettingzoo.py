"""PettingZoo's and Gymnasium's own tests, with every warning an error.

Three of PettingZoo's warnings are about any environment of somebody else's that masks actions: it
expects dictionaries as observations, and masks without a legal action from agents whose game is
over, of the environments in lists of its own only.
"""

import io
import warnings
from contextlib import redirect_stdout

import pytest
from gymnasium.utils.env_checker import check_env

from envs.core.aec import make_env, make_raw_env
from envs.core.single import SeatEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # these tests import PettingZoo's own games
    from pettingzoo.test import api_test, render_test, seed_test

pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros:UserWarning"),
]


@pytest.fixture(params=[make_env, make_raw_env])
def make(request, variant):
    """Makes the environment of the variant, with further options."""
    return lambda **options: request.param(
        variant.game, variant.preset, **variant.options, **options
    )


def test_api(make):
    api_test(make(), num_cycles=2000)
    api_test(make(skip_forced=True), num_cycles=2000)


def test_seeds(make):
    seed_test(make)


def test_rendering(make):
    with redirect_stdout(io.StringIO()):
        render_test(make)


class FirstLegal:
    """An opponent."""

    def act(self, observations, masks, *, keys, tables):
        return masks.argmax(axis=1)


def test_gymnasium(variant):
    env = SeatEnv(variant.game, variant.rules, FirstLegal(), illegal="forfeit")
    check_env(env, skip_render_check=True)
