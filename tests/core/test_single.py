"""The Gymnasium face of one seat, over a toy game."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv

from envs.core.errors import AgentError, IllegalActionError, RulesError
from envs.core.single import SeatEnv
from tests.toy_game import CARD, FOLD, GAME, NUM_CARDS, RAISE, STAKE, ToyRules

RULES = ToyRules()


class Stubborn:
    """Takes the first or the last allowed action, and remembers what it was asked."""

    def __init__(self, last=False):
        self.last = last
        self.asked = []

    def act(self, observations, masks, *, keys, tables):
        card = int(np.argmax(observations[0, CARD : CARD + NUM_CARDS]))
        self.asked.append((card, int(keys[0]), int(tables[0])))
        return np.array([np.flatnonzero(mask)[-1 if self.last else 0] for mask in masks])


def new_env(opponents=None, rules=RULES, **options):
    return SeatEnv(GAME, rules, opponents or Stubborn(), **options)


def play_episode(env, rng, seed=None):
    """Sum of the rewards of a random episode."""
    env.reset(seed=seed)
    total, terminated = 0.0, False
    while not terminated:
        action = rng.choice(np.flatnonzero(env.action_masks()))
        _, reward, terminated, truncated, _ = env.step(action)
        assert not truncated
        total += reward
    return total


def test_a_step_goes_from_one_decision_to_the_next():
    env = new_env(Stubborn(last=True), seat=1, rules=ToyRules(hands=3))
    observation, info = env.reset(seed=1)
    assert info == {"seat": 1, "seed": env.seed}
    assert env.action_masks().tolist() == [True, True, False, False, False]
    observation, reward, *_ = env.step(RAISE)
    assert reward == 0.0
    assert env.action_masks().tolist() == [False, False, True, True, True]
    observation, reward, *_ = env.step(STAKE)  # the others stake 3
    assert reward in (-1.0, 6.0)
    assert env.observation_space.contains(observation)


def test_rewards_of_an_episode_add_up_to_the_returns():
    env = new_env(Stubborn(last=True), rules=ToyRules(hands=4))
    rng = np.random.default_rng(0)
    seats = set()
    for episode in range(30):
        total = play_episode(env, rng, seed=episode)
        assert total == env._table.returns[0, env.seat]
        seats.add(env.seat)
    assert seats == {0, 1, 2}


def test_the_seed_fixes_games_and_seats():
    games = []
    for _ in range(2):
        env = new_env()
        env.reset(seed=3)
        games.append([(env.seed, env.seat)] + [(env.reset()[1]["seed"], env.seat) for _ in "123"])
    assert games[0] == games[1]
    assert len(set(games[0])) == 4


def test_opponents_sit_in_order_after_the_seat():
    first, second = Stubborn(), Stubborn()
    env = new_env([first, second], seat=2, rules=ToyRules(hands=1))
    env.reset(seed=1)
    cards = env._table.states[0].cards
    assert [[card for card, *_ in agent.asked] for agent in (first, second)] == [
        [cards[0]],
        [cards[1]],
    ]


def test_every_decision_has_its_key_and_every_seat_of_a_game_its_name():
    agent = Stubborn(last=True)
    env = new_env(agent, seat=0, rules=ToyRules(hands=1))
    for _ in range(2):
        play_episode(env, np.random.default_rng(0), seed=1)
    asked = agent.asked
    assert len({key for _, key, _ in asked}) == len(asked) / 2  # the same game twice
    names = [name for *_, name in asked]
    assert names == sorted(names)
    assert len(set(names)) == 4  # two seats, two games


def test_games_without_a_decision_of_the_seat_are_passed_over():
    # With one seat folding at once and a single hand every episode has its decision; with the
    # forced choice of a stake skipped, the seat is never asked for it.
    env = new_env(rules=ToyRules(max_stake=1, hands=1), seat=0)
    for seed in range(5):
        env.reset(seed=seed)
        assert env.action_masks().sum() == 2
        assert env.step(RAISE)[2]


def test_an_illegal_action_raises_or_forfeits():
    env = new_env(seat=0)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="seat 0 may not take action 2"):
        env.step(STAKE)
    assert env.step(FOLD)[1] == 0.0
    env = new_env(seat=0, illegal="forfeit")
    env.reset(seed=1)
    _, reward, terminated, *_ = env.step(STAKE)
    assert (reward, terminated) == (-6.0, True)
    with pytest.raises(IllegalActionError, match="reset"):
        env.step(FOLD)


def test_check_env_passes():
    check_env(new_env(illegal="forfeit"), skip_render_check=True)


def test_masks_are_found_in_a_vectorised_environment():
    env = DummyVecEnv([new_env, new_env])
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).dtype == np.bool_
    assert get_action_masks(env).sum(axis=1).tolist() == [2, 2]


def test_render_shows_the_own_seat_only(capsys):
    env = new_env(seat=0, render_mode="ansi")
    env.reset(seed=1)
    assert env.render().count("?") == 2
    env = new_env(seat=0, render_mode="human")
    env.reset(seed=1)
    env.step(FOLD)
    assert capsys.readouterr().out.count("player_0") == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seat": 3}, RulesError, "seat must be 0 to 2 or 'random', got 3"),
        ({"illegal": "ignore"}, RulesError, "illegal must be 'raise' or 'forfeit'"),
        ({"render_mode": "rgb"}, RulesError, "no render_mode 'rgb'"),
        ({"opponents": [Stubborn()]}, AgentError, "expected 2 opponents"),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        new_env(**options)
