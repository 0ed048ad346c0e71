"""The adapter for bots that think about one decision at a time."""

import numpy as np

from agents.base import Agent, Bot, Decision, Plans, describe_error
from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from tests.toy_game import FOLD, GAME, NO_CARD, RAISE, STAKE, ToyRules

RULES = ToyRules()


def decision(*actions: int) -> Decision:
    """The decision of the seat to act after some actions in the game of seed 5."""
    states = GAME.new_games(RULES, [5])
    for action in actions:
        GAME.apply(states, np.array([action]))
    observations = empty_vectors(1, GAME.layout(RULES))
    GAME.observe(states, states["turn"].copy(), observations)
    return Decision(GAME, RULES, observations[0], GAME.masks(states)[0], key=7, table=3)


def test_decision_says_what_is_legal() -> None:
    assert decision().legal == [FOLD, RAISE]
    assert decision(RAISE).legal == [STAKE, STAKE + 1, STAKE + 2]


def test_decision_lists_whole_plays_and_completions() -> None:
    assert decision().plays() == [(FOLD,), *((RAISE, STAKE + k) for k in range(3))]
    assert decision(RAISE).plays() == [(STAKE,), (STAKE + 1,), (STAKE + 2,)]


def test_view_hides_the_cards_of_others() -> None:
    assert (decision().view.cards == NO_CARD).sum() == 2


def test_decision_puts_actions_into_words() -> None:
    assert [decision().words(action) for action in decision().legal] == ["fold", "raise"]


def test_rng_depends_on_the_key_alone() -> None:
    assert decision().rng.integers(10**9) == decision(RAISE).rng.integers(10**9)


def test_a_play_goes_on_as_planned_and_no_further() -> None:
    plans = Plans()
    planned = [(RAISE, STAKE + 2), (STAKE,), (FOLD,)]

    def plan() -> tuple[int, ...]:
        return planned.pop(0)

    assert plans.follow(decision(), plan) == RAISE
    assert plans.follow(decision(RAISE), plan) == STAKE + 2
    # Another play that is begun already, as when its first action was forced: the old rest, which
    # nobody was asked for, is not its rest.
    assert plans.follow(decision(RAISE, STAKE, RAISE), plan) == STAKE
    plans.forget(3)
    assert plans.follow(decision(), plan) == FOLD


class Echo(Bot):
    """Chooses its table's number, to see that rows stay together."""

    def choose(self, decision: Decision) -> int:
        return decision.table * 10 + decision.legal[0]


def test_bot_decides_row_by_row() -> None:
    bot = Echo(GAME, RULES)
    masks = np.array([[0, 1, 0, 0, 0], [0, 0, 0, 1, 1]], np.int8)
    actions = bot.act(
        empty_vectors(2, GAME.layout(RULES)), masks, keys=spawn_seeds(0, 2), tables=np.array([4, 6])
    )
    assert actions.tolist() == [41, 63]
    assert isinstance(bot, Agent)


def test_describe_error_names_the_place() -> None:
    def divide(rows: Array | int) -> None:
        rows / 0

    try:
        divide(1)
    except ZeroDivisionError as error:
        text = describe_error(error)
    assert text.startswith("ZeroDivisionError: division by zero (test_base.py, line ")
