"""The features of actions of Dou Dizhu: by hand, honest, and as the rule-based player has them."""

import functools
from typing import Any

import numpy as np
import pytest

from agents.features import doudizhu
from agents.features.doudizhu import (
    ACTION,
    CONTEXT,
    FEW,
    KINDS,
    MANY,
    NUM_KINDS,
    TURNS,
)
from agents.rule_based.doudizhu import (
    CARD_FADE,
    ENEMY_NEAR,
    LEAD,
    PARTNER_LEAD,
    PARTNER_NEAR,
    WIN,
    RuleAgent,
)
from agents.rule_based.doudizhu_auction import BID_CHANCES, DOUBLE_CHANCES, SNATCH_CHANCE
from agents.rule_based.doudizhu_hands import CONTROL, LOW
from agents.rule_based.doudizhu_outlook import THREE
from agents.rule_based.doudizhu_outlook import WILL as WILLS
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import BLACK_JOKER, RANK_CHARS, RED_JOKER, parse_cards
from envs.doudizhu.moves import (
    FIRST,
    ID_BID,
    ID_DECLINE,
    ID_DOUBLE,
    ID_KICK,
    ID_PASS,
    ID_SNATCH,
    ID_SUB,
    KICK,
    KIND,
    PAIR,
    RUN_START,
    SOLO,
    STRAIGHT,
    SUB,
    TRIO_SOLO,
)
from envs.doudizhu.state import BIDDING, DOUBLING, NO_MOVE, PLAYING, SNATCHING
from tests.agents import features as shared
from tests.agents.asking import answers
from tests.agents.features import numbers
from tests.agents.test_rule_doudizhu import (
    FOUR,
    MANY_4,
    MONSTER,
    NO_AUCTION,
    ONLINE,
    OPTION_SETS,
    WILD,
    position,
)
from tests.agents.test_rule_doudizhu import MANY as LONG

MOST = 50.0
"""No feature is further from 0."""
WILL, NEAR = WILLS[THREE], ENEMY_NEAR[THREE]
SOLOS, PAIRS, TRIO_SOLOS = (int(FIRST[kind]) for kind in (SOLO, PAIR, TRIO_SOLO))
THREES, FOURS, FIVES, EIGHTS, KINGS, TWOS = (RANK_CHARS.index(char) for char in "3458K2")


def views_of(rules: Any, states: Array) -> Array:
    return shared.views_of(GAME, rules, states)


def features_of(views: Array, masks: Array) -> tuple[Array, Array, Array, Array]:
    return shared.features_of(doudizhu, views, masks)


@functools.cache
def played() -> list[tuple[Any, Array, Array, Array]]:
    """By variant: rules, views on the way of some games, their masks, what the player does."""
    chance, found = np.random.default_rng(1), []
    for options in OPTION_SETS:
        rules = GAME.make_rules(**options)
        agent, states = RuleAgent(GAME, rules), GAME.new_games(rules, spawn_seeds(2, 4))
        steps = []
        for _ in range(100):
            masks, choices = GAME.masks(states), answers(GAME, rules, agent, states)
            steps.append((views_of(rules, states), masks, choices))
            is_guided = chance.random(len(states)) < 0.7
            random = (masks * chance.random(masks.shape)).argmax(1)
            GAME.apply(states, np.where(is_guided, choices, random))
            states = states[states["turn"] != OVER]
            if not len(states):
                break
        found.append((rules, *(np.concatenate(part) for part in zip(*steps, strict=True))))
    return found


def all_played() -> tuple[Array, Array, Array]:
    """Views, masks and choices of all variants."""
    views, masks, choices = (np.concatenate(part) for part in list(zip(*played(), strict=True))[1:])
    return views, masks, choices


def test_a_row_is_a_dense_vector() -> None:
    assert ACTION.itemsize // 4 <= 24
    assert CONTEXT.itemsize // 4 <= 72
    assert ACTION.names is not None
    assert ACTION.names[0] == "worth"
    assert KINDS.shape == (GAME.num_actions,)
    assert set(KINDS) == set(range(NUM_KINDS))
    for dtype in ACTION, CONTEXT:
        fields = (field for field, *_ in (dtype.fields or {}).values())
        assert sum(4 * int(np.prod(field.shape)) for field in fields) == dtype.itemsize
        assert not [name for name in dtype.names or () if hasattr(np.record, name)]


def test_all_are_written_and_small() -> None:
    views, masks, _ = all_played()
    before = views.tobytes()
    for features in features_of(views, masks)[2:]:
        assert (np.abs(numbers(features)) <= MOST).all()  # no NaN either
        assert np.quantile(np.abs(numbers(features)), 0.95, axis=0).max() < 5
    assert views.tobytes() == before


def test_each_has_a_meaning_somewhere() -> None:
    views, masks, _ = all_played()
    _, _, features, contexts = features_of(views, masks)
    assert (numbers(features) != 0).any(0).all()
    for name in CONTEXT.names or ():
        assert (contexts[name] != 0).any(), name
    assert (contexts["owner"][:, 0] == 0).all()  # the table is never the own one


def test_are_the_same_alone() -> None:
    views, masks, _ = all_played()
    rows, _, features, contexts = features_of(views, masks)
    for row in range(0, len(views), 29):
        _, _, alone, context = features_of(views[row : row + 1], masks[row : row + 1])
        assert alone.tobytes() == features[rows == row].tobytes()
        assert context.tobytes() == contexts[row : row + 1].tobytes()


def test_are_the_same_whatever_the_others_hold() -> None:
    """The own seat sees a world as it saw the state that the world is drawn for."""
    for rules, views, masks, _ in played():
        worlds = views.copy()
        GAME.resample(worlds, spawn_seeds(3, len(worlds)))
        assert (worlds["hands"] != views["hands"])[:, 1:].any(1).all()
        seen = views_of(rules, worlds)
        for one, other in zip(features_of(views, masks), features_of(seen, masks), strict=True):
            assert one.tobytes() == other.tobytes()


def test_the_player_chooses_what_is_worth_most() -> None:
    """It goes out without comparing, and picks kickers and wild cards one by one."""
    views, masks, choices = all_played()
    rows, actions, features, _ = features_of(views, masks)
    worth, goes_out = np.full(masks.shape, -np.inf), np.zeros(masks.shape)
    worth[rows, actions], goes_out[rows, actions] = features["worth"], features["goes_out"]
    chosen = np.arange(len(views)), choices
    lead = worth.max(1) - worth[chosen]
    compares = (masks.sum(1) > 1) & (views["begun"] == NO_MOVE) & (goes_out[chosen] == 0)
    for phase in BIDDING, SNATCHING, DOUBLING, PLAYING:
        asked = compares & (views["phase"] == phase)
        assert len(set(choices[asked])) > 1
        assert lead[asked].max() < 1e-6
    assert (np.sort(worth[compares])[:, -2] < worth[compares].max(1) - 0.01).mean() > 0.7
    selects = (masks.sum(1) > 1) & (views["begun"] != NO_MOVE)
    for kind in KICK, SUB:
        assert (lead[selects & (KIND[choices] == kind)] < 1e-6).mean() > 0.9


def action_of(rules: Any, states: Array, action: int) -> tuple[Any, Any]:
    """Features of one action of a position, and of the position."""
    views, masks = views_of(rules, states), GAME.masks(states)
    assert masks[0, action]
    _, actions, features, contexts = features_of(views, masks)
    return features[list(actions).index(action)], contexts[0]


def test_going_out() -> None:
    """Nothing is left: it is worth what it is to lead with no cards."""
    straight = int(RUN_START[STRAIGHT, 5])
    f, g = action_of(NO_AUCTION, position(["34567", *LONG]), straight)
    assert (f.goes_out, f.turns, f.dearest, f.left, f.unbeaten) == (1, 0, 0, 0, 1)
    assert f.worth == pytest.approx((LEAD + WIN) / TURNS)
    assert (f.rank, f.cards, f.low, f.skipped) == (0, 5 / MANY, 5 / MANY, 0)
    assert g.sizes == pytest.approx(np.array([5, 16, 15, 0]) / MANY)
    assert g.groups == pytest.approx(1 / FEW)


SHORT = ["3R", "889TJ", "99TTJJQQ2"]
"""Nobody has a bomb; all unseen cards, of six ranks, are between the own two."""
OF_THE_THREE = 1 + LOW * 6 / 7
"""Turns that the three costs: it cannot keep a lead."""


def test_a_sure_lead() -> None:
    f, g = action_of(NO_AUCTION, position(SHORT), SOLOS + RED_JOKER)
    assert (f.unbeaten, f.beats.tolist(), f.jokers, f.rank) == (1, [0, 0, 0], 1, 1)
    assert f.turns * TURNS == pytest.approx(OF_THE_THREE)
    assert f.dearest == pytest.approx(OF_THE_THREE)
    assert f.worth * TURNS == pytest.approx(LEAD + WIN - OF_THE_THREE)
    assert g.turns * TURNS == pytest.approx(OF_THE_THREE + 1 - CONTROL)
    assert g.landlord.tolist() == [1, 0, 0, 0]
    assert g.leads[1] * TURNS == pytest.approx(-LEAD - NEAR * CARD_FADE**4)
    assert g.phase[PLAYING] == g.phase.sum() == g.red_jokers == 1
    assert (g.pass_worth, g.owner.sum(), g.table_size) == (0, 0, 0)


def test_a_lead_that_others_beat_at_will() -> None:
    f, _ = action_of(NO_AUCTION, position(SHORT), SOLOS + THREES)
    assert f.beats == pytest.approx([WILL, WILL * (1 - WILL), 0])
    assert f.unbeaten == pytest.approx((1 - WILL) ** 2)
    assert f.turns * TURNS == pytest.approx(1 - CONTROL)


def test_a_pass_on_the_play_of_a_partner() -> None:
    """The landlord has 9 of the 20 unseen cards, three of which are higher than the ace."""
    hands = ["369QQK2", "5577899TT", "4468TJJK22B"]
    f, g = action_of(NO_AUCTION, position(hands, "A", 2, 1), ID_PASS)
    beaten = WILL * (1 - 11 * 10 * 9 / (20 * 19 * 18))
    assert f.beats == pytest.approx([beaten, 0, 0])
    assert f.unbeaten == pytest.approx(1 - beaten)
    worth = -beaten * (LEAD + NEAR * CARD_FADE**7)
    worth += (1 - beaten) * (PARTNER_LEAD + PARTNER_NEAR * CARD_FADE**10)
    assert f.worth * TURNS == pytest.approx(worth - g.turns * TURNS)
    assert (f.on_partner, f.worth, f.turns) == (1, g.pass_worth, g.turns)
    assert g.owner.tolist() == [0, 0, 1, 0]
    assert g.landlord.tolist() == [0, 1, 0, 0]
    assert (g.table_size, g.table_each) == pytest.approx((1 / MANY, 1 / 3))
    beats, _ = action_of(NO_AUCTION, position(hands, "A", 2, 0), SOLOS + TWOS)
    assert (beats.on_partner, beats.twos) == (0, pytest.approx(1 / FEW))


def test_a_play_that_tears_a_bomb_apart() -> None:
    """The player thinks of no such lead as long as there is no hurry."""
    states = position(["3444456789JJQK2", *LONG])
    f, g = action_of(NO_AUCTION, states, PAIRS + FOURS)
    assert (f.torn, f.bombs, f.skipped, g.bombs) == (1, 0, 1, 1)
    f, _ = action_of(NO_AUCTION, states, SOLOS + THREES)
    assert (f.torn, f.bombs, f.skipped) == (0, 1, 0)


def test_a_kicker_is_judged_by_the_whole_play() -> None:
    """With the kicker that the player chooses, it is what it expected when it declared the trio."""
    states = position(["55539KK", *LONG])
    trio, _ = action_of(NO_AUCTION, states, TRIO_SOLOS + FIVES)
    GAME.apply(states, np.array([TRIO_SOLOS + FIVES]))
    three, _ = action_of(NO_AUCTION, states, ID_KICK + THREES)
    assert (trio.cards, trio.left) == (4 / MANY, 3 / MANY)
    assert trio.worth == three.worth
    assert numbers(np.array([trio, three], ACTION)).std(0)[:8] == pytest.approx(0)
    assert (three.rank, trio.rank) == pytest.approx((0, FIVES / RED_JOKER))
    king, _ = action_of(NO_AUCTION, states, ID_KICK + KINGS)
    assert king.worth < three.worth
    assert king.turns > three.turns


def test_a_wild_card_is_judged_by_the_whole_play() -> None:
    states = position(["35679QQKK2", *LONG], rules=WILD, wild="3")
    declaration = int(RUN_START[STRAIGHT, 5]) + FIVES
    straight, g = action_of(WILD, states, declaration)
    GAME.apply(states, np.array([declaration]))
    eight, _ = action_of(WILD, states, ID_SUB + EIGHTS)
    assert straight.wild == g.wild == pytest.approx(1 / FEW)
    assert (eight.worth, eight.turns, eight.wild) == (straight.worth, straight.turns, straight.wild)
    assert g.variant.tolist() == [0, 0, 1]


def test_four_seats() -> None:
    states = position(["4577TQBBRR", "33", *MANY_4[:2]], "22", 1, 1, FOUR)
    f, g = action_of(FOUR, states, PAIRS + BLACK_JOKER)
    assert (f.jokers, f.torn, f.left) == (2, 1, 1)
    assert g.sizes == pytest.approx(np.array([10, 2, 21, 21]) / MANY)
    assert (g.bombs, g.black_jokers, g.red_jokers) == (1, 2, 2)
    assert g.variant.tolist() == [0, 1, 0]


def auction(phase: int) -> Array:
    """A good hand before the play; seat 2 has bid 1."""
    states = GAME.new_games(ONLINE, [0])
    s = states[0]
    s.hands[0], s.bottom = parse_cards(MONSTER), 0
    s.turn, s.phase, s.bidder, s.bids[2], s.calls[2] = 0, phase, 2, 1, 1
    return states


def test_a_bid() -> None:
    """Step by step above the bid of the other seat."""
    two, g = action_of(ONLINE, auction(BIDDING), ID_BID + 1)
    above = g.chance - BID_CHANCES[THREE, 1]
    assert two.worth == pytest.approx(WIN * above / TURNS)
    three, g = action_of(ONLINE, auction(BIDDING), ID_BID + 2)
    above += g.chance - BID_CHANCES[THREE, 2]
    assert three.worth == pytest.approx(WIN * above / TURNS)
    assert (three.rank, g.bids.tolist()) == (1, pytest.approx([0, 0, 1 / 3, 0]))
    assert not numbers(np.array([action_of(ONLINE, auction(BIDDING), ID_PASS)[0]], ACTION)).any()


def test_a_snatch_and_a_doubling() -> None:
    f, g = action_of(ONLINE, auction(SNATCHING), ID_SNATCH)
    assert f.worth == pytest.approx(WIN * (g.chance - SNATCH_CHANCE) / TURNS)
    assert action_of(ONLINE, auction(SNATCHING), ID_DECLINE)[0].worth == 0
    states = auction(DOUBLING)
    states["landlord"] = 1
    f, g = action_of(ONLINE, states, ID_DOUBLE + 2)
    above = 2 * g.chance - DOUBLE_CHANCES[1] - DOUBLE_CHANCES[2]
    assert f.worth == pytest.approx(WIN * above / TURNS)
    assert action_of(ONLINE, states, ID_DOUBLE)[0].worth == 0
