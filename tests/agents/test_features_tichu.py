"""The features of actions of Tichu: by hand, honest, and as the rule-based player has them."""

import functools
from typing import Any

import numpy as np
import pytest

from agents.features import tichu
from agents.features.tichu import (
    ACTION,
    BESIDE_PARTNER,
    CONTEXT,
    KINDS,
    NUM_KINDS,
    POINTS,
    TURNS,
)
from agents.rule_based.tichu import FEWEST_TURNS, PARTNER_LEAD, PILE, TURN, RuleAgent
from agents.rule_based.tichu_calls import DOG_TO_ENEMY, GRAND_ODDS
from agents.rule_based.tichu_hands import CONTROL, LOW_COST
from agents.rule_based.tichu_outlook import FIRST, WILL
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from envs.tichu.cards import CARD_NAMES, parse_cards
from envs.tichu.moves import (
    ID_CALL,
    ID_CARD,
    ID_DRAGON,
    ID_GIFT,
    ID_MAHJONG,
    ID_NO,
    ID_PHOENIX,
    ID_RANK,
    PAIR,
    RANKED,
    SINGLE,
)
from envs.tichu.state import EXCHANGE, GIFT, GRAND, GRAND_CALL, RIGHT, WISH
from tests.agents import features as shared
from tests.agents.asking import answers
from tests.agents.features import numbers
from tests.agents.test_rule_tichu import MANY, MONSTER, OPTION_SETS, ROUND, on, opening, position

MOST = 50.0
"""No feature is further from 0."""


def views_of(rules: Any, states: Array) -> Array:
    return shared.views_of(GAME, rules, states)


def features_of(views: Array, masks: Array) -> tuple[Array, Array, Array, Array]:
    return shared.features_of(tichu, views, masks)


@functools.cache
def played() -> tuple[Array, Array, Array]:
    """Views on the way of games of several variants, their masks, and what the player does."""
    chance, found = np.random.default_rng(1), []
    for options in OPTION_SETS:
        rules = GAME.make_rules(**options)
        agent, states = RuleAgent(GAME, rules), GAME.new_games(rules, spawn_seeds(2, 3))
        for _ in range(200):
            masks, choices = GAME.masks(states), answers(GAME, rules, agent, states)
            kept = masks.sum(1) > 1
            found.append((views_of(rules, states)[kept], masks[kept], choices[kept]))
            is_guided = chance.random(len(states)) < 0.7
            random = (masks * chance.random(masks.shape)).argmax(1)
            GAME.apply(states, np.where(is_guided, choices, random))
            states = states[states["turn"] != OVER]
    views, masks, choices = (np.concatenate(part) for part in zip(*found, strict=True))
    return views, masks, choices


def test_a_row_is_a_dense_vector() -> None:
    assert ACTION.itemsize // 4 <= 20
    assert CONTEXT.itemsize // 4 <= 64
    assert KINDS.shape == (GAME.num_actions,)
    assert set(KINDS) == set(range(NUM_KINDS))
    for dtype in ACTION, CONTEXT:
        fields = (field for field, *_ in (dtype.fields or {}).values())
        assert sum(4 * int(np.prod(field.shape)) for field in fields) == dtype.itemsize
        assert not [name for name in dtype.names or () if hasattr(np.record, name)]


def test_all_are_written_and_small() -> None:
    views, masks, _ = played()
    before = views.tobytes()
    for features in features_of(views, masks)[2:]:
        assert (np.abs(numbers(features)) <= MOST).all()  # no NaN either
        assert (numbers(features) != 0).any(0).all()  # each has a meaning somewhere
    assert views.tobytes() == before


def test_are_the_same_alone() -> None:
    views, masks, _ = played()
    rows, _, features, contexts = features_of(views, masks)
    for row in range(0, len(views), 7):
        _, _, alone, context = features_of(views[row : row + 1], masks[row : row + 1])
        assert alone.tobytes() == features[rows == row].tobytes()
        assert context.tobytes() == contexts[row : row + 1].tobytes()


def test_are_the_same_whatever_the_others_hold() -> None:
    """A world has hands, gifts and chance in the places that the view leaves empty."""
    views, masks, _ = played()
    worlds = views.copy()
    GAME.resample(worlds, np.arange(len(worlds)))
    assert (worlds["hands"] != views["hands"])[:, 1:].any(1).mean() > 0.9
    worlds["unseen"] = views["unseen"]
    for one, other in zip(features_of(views, masks), features_of(worlds, masks), strict=True):
        assert one.tobytes() == other.tobytes()


def test_the_player_chooses_what_is_worth_most() -> None:
    views, masks, choices = played()
    rows, actions, features, _ = features_of(views, masks)
    worth = np.full(masks.shape, -np.inf)
    worth[rows, actions] = features["worth"]
    lead = worth.max(1) - worth[np.arange(len(views)), choices]
    compares = masks.sum(1) > 1
    assert set(views["phase"][compares]) >= set(range(EXCHANGE, GIFT + 1))
    assert {ID_NO, ID_PHOENIX, ID_CALL} <= set(choices[compares])
    assert lead[compares].max() < 1e-6
    assert (np.sort(worth[compares])[:, -2] < worth[compares].max(1) - 0.01).mean() > 0.8


def action_of(states: Array, action: int) -> tuple[Any, Any]:
    """Features of one action of a position, and of the position."""
    views, masks = views_of(ROUND, states), GAME.masks(states)
    assert masks[0, action]
    _, actions, features, contexts = features_of(views, masks)
    return features[list(actions).index(action)], contexts[0]


def test_going_out() -> None:
    """Nothing is left; it is worth the stakes: 40 points, all seats being equal."""
    f, g = action_of(position(["Tg Tk", *MANY]), RANKED[PAIR] + 10)
    assert (f.goes_out, f.turns, f.dearest) == (1, 0, 0)
    assert f.worth == pytest.approx((FIRST + PILE * 20) / POINTS)
    assert g.stakes == pytest.approx(np.array([0.4, -0.4, 0.4, -0.4]))
    assert (f.rank, f.cards, f.points) == pytest.approx((10 / 14, 0.4, 0.8))


FEW = ["DR 5g", "6g 6k", "7g 7k 7b", "4g"]
"""Nobody has a bomb; five of the six unseen cards are higher than the five."""


def test_a_sure_lead() -> None:
    """The five is left, which cannot keep a lead."""
    f, g = action_of(position(FEW), ID_DRAGON)
    assert f.unbeaten == 1
    assert f.turns * TURNS == pytest.approx(1 + LOW_COST * 5 / 7)
    assert f.dearest == pytest.approx(f.turns * TURNS)
    assert f.specials.tolist() == [1, 0, 0, 0]
    assert g.specials.tolist() == [1, 0, 0, 0]
    assert g.turns * TURNS == pytest.approx(1 + LOW_COST * 5 / 7 + 1 - CONTROL)
    assert g.sizes == pytest.approx(np.array([2, 2, 3, 1]) / 5)


def test_a_lead_that_the_last_card_of_an_enemy_beats() -> None:
    """Of his two cards, the enemy to the right has at least one that beats the five; he does so at
    will. That of the one to the left beats it with chance 5/6, and then he surely does so."""
    f, _ = action_of(position(FEW), RANKED[SINGLE] + 5)
    assert f.unbeaten == pytest.approx((1 - WILL[SINGLE]) * (1 - 5 / 6))
    assert f.turns * TURNS == pytest.approx(1 - CONTROL)


def test_a_pass() -> None:
    """The trick is the partner's: the enemy who is still to come holds no higher card."""
    hands = ["5g 5k", "6g", "7g", "8g"]
    f, g = action_of(position(hands, **on("single/1/14", "Ag", 2, 1)), ID_NO)
    assert (f.unbeaten, g.pile, g.passes) == (1, 0, 1)
    assert g.owner.tolist() == [0, 0, 1, 0]
    turns = TURN * max(g.turns * TURNS, FEWEST_TURNS)
    assert f.worth == g.pass_worth == pytest.approx((PARTNER_LEAD + FIRST - turns) / POINTS)


def test_a_call() -> None:
    states = opening(GRAND, MONSTER)
    f, g = action_of(states, ID_CALL)
    assert f.worth == pytest.approx(f.index - GRAND_ODDS)
    assert f.index == g.grand_index
    states[0].calls[2] = GRAND_CALL
    beside, g = action_of(states, ID_CALL)
    assert beside.worth == pytest.approx(f.worth - BESIDE_PARTNER)
    assert g.grand.tolist() == [0, 0, 1, 0]


def test_a_gift() -> None:
    hand = "DG 3k 6b 6r 9g 9k 9b Tk Tb Jk Jr Qb Qr Ag"
    f, g = action_of(opening(EXCHANGE, hand), ID_CARD + CARD_NAMES.index("DG"))
    assert f.gift == pytest.approx(DOG_TO_ENEMY)
    assert f.worth == pytest.approx((DOG_TO_ENEMY - f.turns * TURNS) * TURN / POINTS)
    assert f.specials.tolist() == [0, 0, 0, 1]
    assert g.gift_to.tolist() == [1, 0, 0]
    f, _ = action_of(opening(EXCHANGE, hand), ID_CARD + CARD_NAMES.index("9g"))
    assert f.held == 0.75


def test_a_wish() -> None:
    """The enemy to the right surely holds the card that he was given."""
    states = position(["MJ 3g 4g", *MANY])
    states[0].given[0, RIGHT] = parse_cards("8g")
    GAME.apply(states, np.array([ID_MAHJONG]))
    while states[0].phase != WISH:
        GAME.apply(states, np.array([ID_NO]))
    eight, g = action_of(states, ID_RANK + 8 - 2)
    assert (eight.worth, eight.holds[0], eight.held) == (1, 1, 0)
    assert g.phase[WISH] == g.phase.sum() == 1
    three, _ = action_of(states, ID_RANK + 3 - 2)
    assert (three.worth, three.held) == (0, 0.25)
    assert 0 < three.holds[0] < 1


def test_who_gets_the_dragon() -> None:
    states = position(["DR", "4g 5g", "8k 9b", "4k 5k 6k"])
    states[0].points[3] = 25
    GAME.apply(states, np.array([ID_DRAGON]))
    while states[0].phase != GIFT:
        GAME.apply(states, np.array([ID_NO]))
    left, _ = action_of(states, ID_GIFT + 1)
    assert (left.worth, left.cards, left.points) == pytest.approx((1, 0.6, 0.5))
    right, _ = action_of(states, ID_GIFT)
    assert (right.worth, right.cards, right.points) == pytest.approx((0, 0.4, 0))
