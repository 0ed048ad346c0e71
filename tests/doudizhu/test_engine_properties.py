"""Sections 16 and 17 of the rules: what holds in every game, and the largest scores."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.doudizhu import GAME
from envs.doudizhu.cards import num_cards
from envs.doudizhu.moves import ID_KICK
from envs.doudizhu.state import HAND_VOID, HAND_WON, NO_MOVE, PLAYING
from tests.conformance.play import look, random_actions, walk
from tests.doudizhu.positions import Table

VARIANTS: dict[str, dict[str, Any]] = {
    **GAME.presets,
    "match": {"hands_per_match": 3, "first_bidder_next": "face_up", "bomb_mode": "add"},
    "limits": {"farmer_bomb_limit": True, "auction": "continuous", "all_pass": "void"},
    "few kinds": {"solo_kickers": False, "four_two_pair": False, "auction": "off"},
    "four players, limits": {"players": 4, "farmer_bomb_limit": True, "hands_per_match": 2},
    "wild alone": {"wild": "random", "wild_alone": "own_rank", "pure_wild_bomb": "top"},
}
SEEDS = np.arange(30)


def play(states: Array, first_step: int, steps: int) -> Array:
    """A copy of the states some random steps further."""
    states = states.copy()
    for step in range(first_step, first_step + steps):
        GAME.apply(states, random_actions(GAME.masks(states), np.arange(len(states)), step))
    return states


def landlord_loses_what_farmers_win(s: Any) -> bool:
    seats = range(s.rules.players)
    farmers = [int(s.payoffs[seat]) for seat in seats if seat != s.landlord]
    one_side = min(farmers) * max(farmers) > 0
    return one_side and bool(s.payoffs[s.landlord] == -sum(farmers))


@pytest.mark.parametrize("variant", VARIANTS)
def test_17_1_payoffs_sum_to_zero_and_cards_are_conserved(variant: str) -> None:
    rules = GAME.make_rules(**VARIANTS[variant])
    for states, _ in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert not states["payoffs"].sum(1).any()
        assert not states["scores"].sum(1).any()
    won = states[states["outcome"] == HAND_WON]
    assert len(won) > 15
    assert all(landlord_loses_what_farmers_win(s) for s in won)
    assert [problem for s in states for problem in GAME.problems(s)] == []


@pytest.mark.parametrize(("players", "sizes", "landlord"), [(3, 17, 20), (4, 25, 33)])
def test_17_1_hand_sizes_follow_the_cards_played(players: int, sizes: int, landlord: int) -> None:
    rules = GAME.make_rules(players=players)
    for states, _ in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        for s in states:
            played = [num_cards(int(cards)) for cards in s.played[:players]]
            dealt = [landlord if seat == s.landlord else sizes for seat in range(players)]
            assert [a - b for a, b in zip(dealt, played, strict=True)] == s.sizes[:players].tolist()


@pytest.mark.parametrize("variant", VARIANTS)
def test_17_2_the_mask_is_never_empty_and_only_a_leader_may_not_pass(variant: str) -> None:
    rules = GAME.make_rules(**VARIANTS[variant])
    for states, masks in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert (masks.any(1) == (states["turn"] != OVER)).all()
        deciding = (states["phase"] == PLAYING) & (states["pending"] == 0)
        answering = states["table"] != NO_MOVE
        assert (masks[deciding, 0] == answering[deciding]).all()
        assert not masks[deciding, ID_KICK:].any()
        choosing = states["pending"] > 0
        assert not masks[choosing, :ID_KICK].any()


def test_17_5_the_same_seed_and_actions_make_the_same_game() -> None:
    for options in ({"players": 4}, {"wild": "random"}):
        rules = GAME.make_rules("online", hands_per_match=2, **options)
        first, second = (play(GAME.new_games(rules, SEEDS), 0, 80) for _ in range(2))
        assert first.tobytes() == second.tobytes()
        others = GAME.new_games(rules, SEEDS + 1000)
        assert not np.array_equal(others["hands"], GAME.new_games(rules, SEEDS)["hands"])


@pytest.mark.parametrize("auction", ["once", "continuous"])
@pytest.mark.parametrize("variant", [{}, {"players": 4}, {"wild": "random"}], ids=str)
@pytest.mark.parametrize(
    ("options", "outcome"),
    [
        ({"all_pass": "redeal"}, HAND_VOID),
        ({"all_pass": "redeal", "max_redeals": 100}, HAND_VOID),
        ({"all_pass": "void"}, HAND_VOID),
        ({"all_pass": "force_first"}, HAND_WON),
        ({"all_pass": "force_first", "all_pass_limit": 100}, HAND_WON),
    ],
)
def test_17_6_everybody_always_passing_terminates(
    options: dict[str, Any], outcome: int, variant: dict[str, Any], auction: str
) -> None:
    rules = GAME.make_rules(auction=auction, hands_per_match=2, snatch=True, **options, **variant)
    states = GAME.new_games(rules, SEEDS)
    for _ in range(1200):
        GAME.apply(states, GAME.masks(states).argmax(1))  # a pass wherever there is one
    assert (states["turn"] == OVER).all()
    assert (states["outcome"] == outcome).all()
    assert (states["payoffs"].any(1) == (outcome == HAND_WON)).all()


def test_a_copy_of_the_record_goes_on_alike() -> None:
    """Chance included: the match goes on into hands that are not dealt yet."""
    for wild, steps in product(("off", "random"), (0, 1, 40, 100)):
        rules = GAME.make_rules(hands_per_match=5, wild=wild)
        states = play(GAME.new_games(rules, SEEDS), 0, steps)
        saved = np.frombuffer(states.tobytes(), GAME.state).copy()
        assert play(saved, steps, 150).tobytes() == play(states, steps, 150).tobytes()


def test_a_batch_may_hold_several_variants() -> None:
    alone = [GAME.new_games(GAME.make_rules(**options), [7]) for options in VARIANTS.values()]
    together = np.concatenate(alone)
    for step in range(60):
        masks = GAME.masks(together)
        actions = random_actions(masks, np.arange(len(together)), step)
        for states, mask, action in zip(alone, masks, actions, strict=True):
            assert np.array_equal(GAME.masks(states)[0], mask)
            GAME.apply(states, np.array([action]))
        GAME.apply(together, actions)
    assert np.concatenate(alone).tobytes() == together.tobytes()


def test_a_negative_action_changes_nothing() -> None:
    states = play(GAME.new_games(GAME.make_rules(), SEEDS), 0, 20)
    before = states.tobytes()
    GAME.apply(states, np.full(len(states), -1))
    assert states.tobytes() == before


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"wild": "random"}], ids=str)
def test_looking_changes_nothing(options: dict[str, Any]) -> None:
    rules = GAME.make_rules("online", **options)
    states = play(GAME.new_games(rules, SEEDS), 0, 20)
    before = states.tobytes()
    look(GAME, rules, states, SEEDS % rules.players)
    masks = GAME.masks(states)
    GAME.count_plays(states, masks, np.empty(masks.shape, np.int64))
    seats = np.zeros(len(states), np.int64)
    GAME.observe_state(
        states, seats, np.zeros((len(states), GAME.state_layout(rules).size), np.int8)
    )
    assert states.tobytes() == before


def dealt(hands: list[str], bottom: str, **options: Any) -> Table:
    """A game with this deal, seat 0 to bid first."""
    table = Table(GAME.new_games(GAME.make_rules(**options), [1]))
    deal = {"hands": hands, "bottom": bottom, "first": 0, "face_up": None}
    GAME.write_deal(table.s, deal)
    return table


FOURS = [rank * 4 for rank in "3456789TJQKA2"]
LANDLORD_WINS = ["33336666" + "9999QQQQ" + "2", "4444" + "7777TTTTKKKKB", "55558888JJJJAAAAR"]
FARMERS_WIN = ["33444477" + "77TTTTKKK", "3" + "55558888JJJJAAAA", "3" + "66669999QQQQ2222"]


def test_16_2_the_most_a_landlord_wins() -> None:
    table = dealt(LANDLORD_WINS, "222").act("3")
    table.act(" ".join(FOURS))
    assert table.s.counted_bombs == 13
    assert table.payoffs == [49152, -24576, -24576]


def test_16_3_d30_the_most_a_landlord_loses() -> None:
    table = dealt(FARMERS_WIN, "KBR").act("3")
    table.act("BR pass pass").act(" ".join(FOURS[1:])).act("pass pass 3")
    assert table.s.counted_bombs == 13
    assert table.payoffs == [-49152, 24576, 24576]


def test_16_4_snatching_and_doubling_raise_the_limit() -> None:
    table = dealt(LANDLORD_WINS, "222", snatch=True, doubling="super")
    table.act("3 snatch snatch snatch x4 x4 x4").act(" ".join(FOURS))
    most = 49152 * 8 * 16
    assert table.payoffs == table.scores == [most, -most // 2, -most // 2]
    assert table.view(1).scores[:3].tolist() == [-most // 2, -most // 2, most]
