"""The PettingZoo face, over a toy game."""

import copy
import pickle

import numpy as np
import pytest
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from envs.core.aec import GameEnv, make_env
from envs.core.errors import CardError, IllegalActionError, JipaeError, RulesError
from envs.core.record import verify
from envs.core.seeding import next_seed
from tests.toy_game import FOLD, GAME, RAISE, STAKE, ToyRules

RULES = ToyRules()


def new_env(seed=5, rules=RULES, **options):
    env = GameEnv(GAME, rules, **options)
    env.reset(seed=seed)
    return env


def play(env, *actions):
    for action in actions:
        env.step(action)
    return env


def test_only_the_seat_on_turn_has_a_mask():
    env = new_env()
    assert env.agent_selection == "player_0"
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1, 0, 0, 0]
    assert not env.observe("player_1")["action_mask"].any()


def test_observations_stay_as_they_were():
    env = new_env()
    before = env.observe("player_0")
    kept = copy.deepcopy(before)
    play(env, RAISE)
    assert all(np.array_equal(before[name], kept[name]) for name in kept)


@pytest.mark.parametrize("action", [RAISE, np.int64(RAISE), np.int8(RAISE)])
def test_any_kind_of_integer_is_an_action(action):
    assert new_env().step(action) is None


def test_rewards_are_what_a_step_changed_in_the_scores():
    env = new_env()  # of three cards in a deal one is the highest
    play(env, RAISE, STAKE, RAISE, STAKE + 1)
    assert set(env.rewards.values()) == {0.0}
    play(env, FOLD)
    won = env._states["scores"][0].tolist()
    assert list(env.rewards.values()) == won
    assert sorted(won) in ([-2, 0, 2], [-1, 0, 1])
    play(env, FOLD)
    assert set(env.rewards.values()) == {0.0}
    assert env.last()[1] == env._cumulative_rewards[env.agent_selection]


def test_everybody_ends_at_once():
    env = play(new_env(), *[FOLD] * 6)
    assert env.terminations == dict.fromkeys(env.possible_agents, True)
    for agent in env.possible_agents:
        assert env.agent_selection == agent
        env.step(None)
    assert env.agents == []


ILLEGAL = {
    STAKE: r"player_0 may not take action 2 \(stake 1\); legal: 0 \(fold\), 1 \(raise\)",
    5: "player_0: an action is a whole number from 0 to 4, got 5",
    -1: "got -1",
    1.0: "got 1.0",
    "fold": "got 'fold'",
    None: "got None",
}


@pytest.mark.parametrize("action", ILLEGAL)
def test_an_illegal_action_is_named_and_changes_nothing(action):
    env = new_env()
    before = env.snapshot()
    with pytest.raises(IllegalActionError, match=ILLEGAL[action]):
        env.step(action)
    assert env.snapshot() == before


def test_stepping_needs_a_running_game():
    env = GameEnv(GAME, ToyRules())
    for use in (lambda: env.step(FOLD), env.record, env.snapshot):
        with pytest.raises(IllegalActionError, match="reset"):
            use()
    env.reset(seed=1)
    play(env, *[FOLD] * 6)
    with pytest.raises(IllegalActionError, match="over for player_0"):
        env.step(FOLD)
    play(env, None, None, None)
    with pytest.raises(IllegalActionError, match="reset"):
        env.step(None)


def test_a_seed_is_used_again_and_a_missing_one_follows():
    env = new_env(7)
    first = env.state()
    env.reset()
    assert env.seed == next_seed(7)
    env.reset(seed=7)
    assert np.array_equal(env.state(), first)
    fresh = [GameEnv(GAME, ToyRules()) for _ in range(2)]
    for other in fresh:
        other.reset()
    assert fresh[0].seed != fresh[1].seed


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, "x"])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(JipaeError, match=r"whole number from 0 to 2\*\*63 - 1, got"):
        new_env(seed)


def test_a_given_deal_is_laid_out_and_a_bad_one_changes_nothing():
    env = GameEnv(GAME, ToyRules())
    env.reset(seed=3, options={"deal": {"cards": [7, 0, 1]}})
    play(env, RAISE, STAKE + 2, RAISE, STAKE, FOLD)
    assert list(env.rewards.values()) == [1, -1, 0]
    assert env.record().deals[0] == {"cards": [7, 0, 1]}
    before = env.snapshot()
    with pytest.raises(CardError, match="cards must be a list of 3"):
        env.reset(seed=4, options={"deal": {"cards": [7]}})
    assert env.snapshot() == before


def test_history_hides_an_unfinished_selection_from_the_others():
    env = play(new_env(), FOLD, RAISE)
    assert env.history("player_1").tolist() == [[0, FOLD], [1, RAISE]]
    assert env.history("player_0").tolist() == env.history().tolist() == [[0, FOLD]]
    play(env, STAKE)
    assert env.history().tolist() == [[0, FOLD], [1, RAISE], [1, STAKE]]
    assert env.history().dtype == np.int16
    assert new_env().history().shape == (0, 2)


def test_skip_forced_asks_only_where_there_is_a_choice():
    rules = ToyRules(max_stake=1)
    env = play(new_env(rules=rules, skip_forced=True), RAISE)
    assert env.agent_selection == "player_1"
    assert env.history().tolist() == [[0, RAISE], [0, STAKE]]
    assert new_env(rules=rules, skip_forced=True).last()[0]["action_mask"].sum() == 2


def test_restore_goes_back_and_the_game_goes_on_the_same():
    env = play(new_env(), RAISE, STAKE, RAISE, STAKE, FOLD)  # the first hand is paid out
    there = env.snapshot()
    rewards, cumulative = dict(env.rewards), dict(env._cumulative_rewards)
    play(env, RAISE, STAKE + 1, FOLD, RAISE, STAKE)
    end, history = env.state(), env.history()
    env.restore(there)
    assert (env.rewards, env._cumulative_rewards) == (rewards, cumulative)
    play(env, RAISE, STAKE + 1, FOLD, RAISE, STAKE)
    assert np.array_equal(env.state(), end)
    assert np.array_equal(env.history(), history)
    over = play(env, None).snapshot()
    env.reset(seed=1)
    env.restore(over)
    assert env.agents == ["player_1", "player_2"]
    assert play(env, None, None).agents == []


def test_a_copy_is_a_game_of_its_own():
    env = play(new_env(), RAISE)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        play(other, STAKE, FOLD, FOLD)
        assert env.agent_selection == "player_0"
        assert other.history().shape == (4, 2)
    assert env.history("player_0").tolist() == [[0, RAISE]]


def test_infos_say_what_happened_last():
    env = play(new_env(), RAISE, STAKE + 1)
    info = env.infos["player_2"]
    play(env, FOLD)
    assert info == {"event": "player_0 stakes 2"}
    assert env.last()[4]["event"] == "player_1 folds"


def test_render_draws_open_or_for_one_seat(capsys):
    assert "?" not in new_env(render_mode="ansi").render()
    assert new_env(render_mode="ansi", render_seat=1).render().count("?") == 2
    play(new_env(render_mode="human"), FOLD)
    assert capsys.readouterr().out.count("player_0: card") == 2


def test_wrong_options_are_refused():
    with pytest.raises(RulesError, match="render_mode 'rgb'"):
        make_env(GAME, render_mode="rgb")
    with pytest.raises(RulesError, match="render_seat must be 0 to 2, got 3"):
        make_env(GAME, render_seat=3)
    with pytest.raises(RulesError, match="did you mean 'hands'"):
        make_env(GAME, hand=2)


def test_the_order_of_calls_is_enforced():
    env = make_env(GAME, hands=1)
    for use in (env.last, env.state, lambda: env.step(FOLD), lambda: env.observe("player_0")):
        with pytest.raises(AssertionError, match="reset"):
            use()
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agents
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


def test_terminate_illegal_ends_the_game():
    env = TerminateIllegalWrapper(new_env(), illegal_reward=-1)
    env.reset(seed=1)
    env.step(FOLD)
    env.step(STAKE)
    assert env.rewards == {"player_0": 0, "player_1": -1, "player_2": 0}
    assert all(env.terminations.values())
    for _ in range(3):
        env.step(None)
    assert env.agents == []
    env.reset(seed=1)
    assert not any(env.terminations.values())


def test_record_of_a_game():
    env = play(new_env(rules=ToyRules(hands=1)), FOLD, RAISE, STAKE, FOLD)
    record = env.record(players=["a", "b", "c"])
    assert record.actions == [(0, "fold"), (1, "raise 1"), (2, "fold")]
    assert (record.seed, record.options, record.returns) == (5, {"hands": 1}, [0, 0, 0])
    verify(GAME, record)
