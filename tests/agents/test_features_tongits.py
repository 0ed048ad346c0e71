"""Features of the actions of Tongits: honest, the rule-based player's own thoughts, to scale."""

import math
from typing import Any

import numpy as np
import pytest

from agents.features import tongits as features
from agents.features.tongits import ACTION, CONTEXT, GOES_OUT, MANY, POINTS, VALUE
from agents.rule_based.tongits import RuleAgent
from agents.rule_based.tongits_outlook import FADE, FADE_PER_CARD
from agents.rule_based.tongits_outlook import MANY as MOST_HELD
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.tongits import GAME
from envs.tongits.moves import DISCARD, DRAW, KIND, KNOCK, NUM_ACTIONS, NUM_KINDS, RUN, SET
from envs.tongits.state import DRAWING, PLAYING, RESPONDING
from tests.agents import features as shared
from tests.agents.asking import answers
from tests.agents.features import numbers
from tests.tongits.positions import Table, position

OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"take_for_layoff": True, "knock_block": "opponent", "failed_challenge_penalty": 2},
    {"score_base": 0, "score_bonus": 5, "bonus_scope": "hand_and_melds", "knock_tie": "knocker"},
)
HIDDEN_MELDS_STAY = {"tongits_hidden_melds": False, "dealer_cards": 13}
NUM_GAMES, NUM_STEPS = 6, 60


def positions(rules: Any, guided: float = 0.7) -> Array:
    """Positions on the way of some games; a share `guided` of the actions are the rule player's."""
    chance, agent = np.random.default_rng(1), RuleAgent(GAME, rules)
    states, passed = GAME.new_games(rules, spawn_seeds(2, NUM_GAMES)), []
    for _ in range(NUM_STEPS):
        states = states[states["turn"] != OVER]
        passed.append(states.copy())
        masks, actions = GAME.masks(states), answers(GAME, rules, agent, states)
        is_guided = chance.random(len(states)) < guided
        random = (masks * chance.random(masks.shape)).argmax(1)
        GAME.apply(states, np.where(is_guided, actions, random))
    return np.concatenate(passed)


def views_of(rules: Any, states: Array) -> Array:
    return shared.views_of(GAME, rules, states)


def features_of(views: Array, rows: Array, actions: Array) -> tuple[Array, Array]:
    return shared.written(features, views, rows, actions)


def legal(states: Array) -> tuple[Array, Array]:
    rows, actions = np.nonzero(GAME.masks(states))
    return rows, actions


def test_what_a_network_is_made_for() -> None:
    assert (
        numbers(np.zeros(1, ACTION)).size,
        numbers(np.zeros(1, CONTEXT)).size,
    ) == (18, 41)
    assert features.KINDS.shape == (NUM_ACTIONS,)
    assert features.KINDS is KIND
    assert np.array_equal(np.unique(features.KINDS), np.arange(features.NUM_KINDS))
    assert features.NUM_KINDS == NUM_KINDS


@pytest.mark.parametrize("options", [*OPTION_SETS, HIDDEN_MELDS_STAY], ids=str)
def test_finite_to_scale_and_the_same_alone(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    states = positions(rules)
    views, (rows, actions) = views_of(rules, states), legal(states)
    assert set(np.unique(KIND[actions])) >= {DRAW, KNOCK, SET, RUN, DISCARD}
    before = views.tobytes()
    of_actions, of_positions = features_of(views, rows, actions)
    assert views.tobytes() == before
    for records in (of_actions, of_positions):
        values = np.abs(numbers(records))
        assert np.isfinite(values).all()
        assert values.max() < 50
        if "preset" in options:  # the others pay more
            assert np.quantile(values, 0.95, axis=0).max() < 5
    for i in range(0, len(views), 17):
        mine = rows == i
        alone, position = features_of(views[i : i + 1], rows[mine] * 0, actions[mine])
        assert np.array_equal(alone, of_actions[mine])
        assert position[0] == of_positions[i]


@pytest.mark.parametrize("preset", GAME.presets)
def test_they_depend_on_what_the_seat_sees_only(preset: str) -> None:
    rules = GAME.make_rules(preset)
    states = positions(rules)
    views, (rows, actions) = views_of(rules, states), legal(states)
    seen = features_of(views, rows, actions)
    worlds = views.copy()
    GAME.resample(worlds, spawn_seeds(3, len(worlds)))
    assert (worlds["hands"][:, 1:] != 0).any()
    for mine, theirs in zip(seen, features_of(worlds, rows, actions), strict=True):
        assert mine.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_what_the_rule_player_chooses_is_worth_most(options: dict[str, Any]) -> None:
    """When it plays, it leaves some actions out, a few of which are worth more."""
    rules = GAME.make_rules(**options)
    states = positions(rules)
    rows, actions = legal(states)
    worths = np.full((len(states), NUM_ACTIONS), -np.inf)
    worths[rows, actions] = features_of(views_of(rules, states), rows, actions)[0]["worth"]
    chosen = answers(GAME, rules, RuleAgent(GAME, rules), states)
    is_most = worths[np.arange(len(states)), chosen] >= worths.max(1) - 1e-6
    has_choice = GAME.masks(states).sum(1) > 1
    for phase, share in ((DRAWING, 1.0), (RESPONDING, 1.0), (PLAYING, 0.95)):
        asked = has_choice & (states["phase"] == phase)
        assert is_most[asked].mean() >= share if asked.any() else phase == RESPONDING


def features_in_words(table: Table, words: str) -> tuple[Any, Any]:
    """Features of an action and of the position that it is possible in."""
    action = np.array(GAME.parse_play(table.s, words))
    views = views_of(GAME.make_rules(), table.states)
    of_actions, of_positions = features_of(views, np.zeros(1, np.int64), action)
    return of_actions[0], of_positions[0]


def test_a_plain_discard() -> None:
    """The next seat holds a pair of the unseen cards: one of four may go with the king."""
    table = position("7S 7H 7D 2C KD | 2H 3H | 4C", pile="QC QS 9C")
    f, c = features_in_words(table, "DISCARD KD")
    unseen = 52 - 5 - 3
    pairs = unseen * (unseen - 1) / 2
    assert f.taken == pytest.approx(1 - (1 - 1 / pairs) ** 4)  # KS KH, KS KC, KH KC, JD QD
    assert (f.points, f.same, f.fits) == (1, 1, 0)
    assert f.loose == pytest.approx(2 / VALUE)
    assert f.num_loose == pytest.approx(1 / 3)
    assert (f.useful, f.completing) == (0, 1 / MANY)  # the seven of clubs
    fade = FADE[0] + FADE_PER_CARD * (3 - MOST_HELD)
    assert f.now == pytest.approx(math.exp(-2 / fade))
    assert f.later == f.now  # it has had its last draw
    assert c.loose == pytest.approx(12 / VALUE)
    assert list(c.sizes * MANY) == [5, 2, 1]
    assert list(c.phase) == [0, 1, 0]


def test_a_discard_that_a_seat_with_one_card_cannot_take() -> None:
    table = position("7S 7H 7D 2C KD | 2H | 4C")
    assert features_in_words(table, "DISCARD KD")[0].taken == 0


def test_going_out() -> None:
    """Each of two losers pays 1, 3 for tongits, and 1 for having no meld."""
    table = position("3S 4S 5S 7S 7H 7D KD | 2H 3H | 4C")
    f, _ = features_in_words(table, "DISCARD KD")
    assert (f.worth, f.win, f.out) == (10 / POINTS, 1, GOES_OUT)
    meld, _ = features_in_words(table, "MELD 7S 7H 7D")
    assert (meld.worth, meld.cards) == (10 / POINTS, 1)
    assert meld.before == 10 / VALUE
    assert meld.points == 1  # the king after it


def test_a_challenge_and_a_fold() -> None:
    table = position("3S 4H 5D | AH | 2D 3H", phase="DRAW", melds="0 7S 7H 7D | 1 8S 8H 8D")
    f, c = features_in_words(table.play("KNOCK"), "CHALLENGE")
    assert f.price == 2 * (1 + 1 + 3) / POINTS + 1 / POINTS  # an ace, a seat without a meld
    assert 0 < f.win < 1
    assert list(c.knocker) == [0, 0, 1]
    assert not numbers(np.array([features_in_words(table, "FOLD")[0]], ACTION)).any()
