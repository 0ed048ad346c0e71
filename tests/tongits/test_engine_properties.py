"""Section 13 of the rules: what holds in every game."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.core.rng import sample_uniform, spawn_seeds
from envs.tongits import GAME
from envs.tongits.cards import num_cards
from envs.tongits.state import DRAWING, KNOCK_OVER, STOCK_OUT, TONGITS
from tests.conformance.play import look, random_actions, walk
from tests.tongits.positions import Table

VARIANTS: dict[str, dict[str, Any]] = {
    **GAME.presets,
    "loose": {"take_for_layoff": True, "tongits_hidden_melds": False},
    "blocks": {"knock_block": "opponent", "challenge_requires_meld": True, "dealer_cards": 13},
}
SEEDS = np.arange(40)
MOST_TURNS, MOST_DECISIONS = 25, 87
KNOCK = 1


def play(states: Array, first_step: int, steps: int) -> Array:
    """A copy of the states some random steps further."""
    states = states.copy()
    for step in range(first_step, first_step + steps):
        GAME.apply(states, random_actions(GAME.masks(states), np.arange(len(states)), step))
    return states


def play_hands(num: int, knock: bool, batch: int = 2000) -> Array:
    """Random hands to their ends, within the most turns and decisions: [num] records.

    knock: whether anybody knocks; random players do so soon, and few hands grow long.
    """
    ended = []
    for first in range(0, num, batch):
        states = GAME.new_games(GAME.make_rules(), spawn_seeds(0, batch, first))
        masks, actions = GAME.masks(states), np.zeros(batch, np.int64)
        decisions = np.zeros(batch, np.int64)
        keys = np.arange(batch) + first * MOST_DECISIONS
        while masks.any():
            decisions += states["turn"] != OVER
            if not knock:
                masks[:, KNOCK] = 0
            sample_uniform(masks, keys, actions)
            GAME.step(states, actions, masks, False)
            keys += num
        assert decisions.max() <= MOST_DECISIONS
        ended.append(states)
    return np.concatenate(ended)


def check_hands(states: Array) -> None:
    assert states["turns"].max() < MOST_TURNS  # the last turn is not counted
    assert not states["payoffs"].sum(1).any()
    assert np.array_equal(states["scores"], states["payoffs"])
    winners = states["winner"]
    assert (np.argmax(states["payoffs"], 1) == winners).all()
    assert ((states["payoffs"] > 0).sum(1) == 1).all()
    assert states["payoffs"].min() >= -37
    assert states["payoffs"].max() <= 44


@pytest.mark.parametrize("knock", [True, False])
def test_13_2_and_13_3_random_hands(knock: bool) -> None:
    states = play_hands(20_000, knock)
    check_hands(states)
    found = np.bincount(states["outcome"], minlength=4)
    assert found[STOCK_OUT] > 1000
    assert (found[KNOCK_OVER] > 1000) == knock
    assert found[TONGITS] > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_13_1_the_cards_are_in_one_place_each(variant: str) -> None:
    rules = GAME.make_rules(**VARIANTS[variant])
    for states, _ in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert [problem for s in states for problem in GAME.problems(s)] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_13_2_there_is_always_a_choice_and_a_card_to_draw(variant: str) -> None:
    rules = GAME.make_rules(**VARIANTS[variant])
    for states, masks in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        assert (masks.any(1) == (states["turn"] != OVER)).all()
        drawing = states["phase"] == DRAWING
        assert (states["stock_size"][drawing] > 0).all()
        assert masks[drawing, 0].all()
        assert not masks[~drawing, :2].any()


def rename_suits(cards: int) -> int:
    """Spades become hearts, and so on round."""
    return (cards << 13 | cards >> 39) & (2**52 - 1)


def renamed_deal(deal: dict[str, Any]) -> dict[str, Any]:
    names = str.maketrans("SHDC", "HDCS")
    hands = [hand.translate(names) for hand in deal["hands"]]
    return {**deal, "hands": hands, "stock": deal["stock"].translate(names)}


def renamed_text(text: str) -> str:
    word, *rest = text.split()
    places = ("SET", "HIGH", "LOW")
    names = str.maketrans("SHDC", "HDCS")
    return " ".join([word, *(part if part in places else part.translate(names) for part in rest)])


def turned_deal(deal: dict[str, Any]) -> dict[str, Any]:
    """Every seat moves on to the next, the dealer with it."""
    hands = deal["hands"][-1:] + deal["hands"][:-1]
    return {**deal, "hands": hands, "dealer": (deal["dealer"] + 1) % 3}


def laid_out(deal: dict[str, Any]) -> Table:
    table = Table(GAME.new_games(GAME.make_rules(), [0]))
    GAME.write_deal(table.s, deal)
    return table


@pytest.mark.parametrize("seed", range(20))
def test_13_5_renaming_suits_changes_nothing_else(seed: int) -> None:
    table = Table(GAME.new_games(GAME.make_rules(), [seed]))
    twin = laid_out(renamed_deal(GAME.read_deal(table.s)))
    rng = np.random.default_rng(seed)
    while legal := table.legal():
        by_twin = [GAME.parse_play(twin.s, renamed_text(text)) for text in legal]
        assert sorted(by_twin) == [(a,) for a in np.flatnonzero(GAME.masks(twin.states)[0])]
        number = int(rng.integers(len(legal)))
        GAME.apply(table.states, np.array(GAME.parse_play(table.s, legal[number])))
        GAME.apply(twin.states, np.array(by_twin[number]))
        assert [rename_suits(int(hand)) for hand in table.s.hands] == twin.s.hands.tolist()
    assert table.result == twin.result


@pytest.mark.parametrize("seed", range(20))
def test_13_5_turning_the_seats_changes_nothing_else(seed: int) -> None:
    table = Table(GAME.new_games(GAME.make_rules(), [seed]))
    twin = laid_out(turned_deal(GAME.read_deal(table.s)))
    step = 0
    while table.legal():
        masks = GAME.masks(table.states)
        assert np.array_equal(masks, GAME.masks(twin.states))
        for seat in range(3):
            assert np.array_equal(table.observe(seat), twin.observe((seat + 1) % 3))
        action = random_actions(masks, [seed], step)
        GAME.apply(table.states, action)
        GAME.apply(twin.states, action)
        step += 1
    assert table.scores == np.roll(twin.scores, -1).tolist()


def test_13_6_hidden_cards_change_nothing_that_a_seat_sees() -> None:
    states = play(GAME.new_games(GAME.make_rules(), SEEDS), 0, 12)
    for s in states[states["turn"] != OVER]:
        table = Table(np.array([s]))
        for me in range(3):
            other = table.copy()
            one, two = (me + 1) % 3, (me + 2) % 3
            other.s.hands[[one, two]] = swapped(int(s.hands[one]), int(s.hands[two]))
            other.s.stock[: s.stock_size] = s.stock[: s.stock_size][::-1]
            if one == s.turn or two == s.turn:
                other.s.drawn = 0
            assert not np.array_equal(other.states, table.states)
            assert np.array_equal(other.observe(me), table.observe(me))
            if me == s.turn:
                assert other.legal() == table.legal()


def swapped(one: int, two: int) -> list[int]:
    """Two hands after they exchanged their lowest cards."""
    low, other = one & -one, two & -two
    return [one ^ low ^ other, two ^ low ^ other]


def test_13_7_the_same_seed_and_actions_make_the_same_game() -> None:
    rules = GAME.make_rules("jackpot")
    first, second = (play(GAME.new_games(rules, SEEDS), 0, 80) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    others = GAME.new_games(rules, SEEDS + 1000)
    assert not np.array_equal(others["hands"], GAME.new_games(rules, SEEDS)["hands"])


def test_a_copy_of_the_record_goes_on_alike() -> None:
    """Chance included: the match goes on into hands that are not dealt yet."""
    rules = GAME.make_rules("match")
    for steps in (0, 1, 40, 100):
        states = play(GAME.new_games(rules, SEEDS), 0, steps)
        saved = np.frombuffer(states.tobytes(), GAME.state).copy()
        assert play(saved, steps, 100).tobytes() == play(states, steps, 100).tobytes()


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


def test_a_negative_action_and_looking_change_nothing() -> None:
    rules = GAME.make_rules("jackpot")
    states = play(GAME.new_games(rules, SEEDS), 0, 20)
    before = states.tobytes()
    GAME.apply(states, np.full(len(states), -1))
    look(GAME, rules, states, SEEDS % 3)
    GAME.masks(states)
    seats = np.zeros(len(states), np.int64)
    GAME.observe_state(
        states, seats, np.zeros((len(states), GAME.state_layout(rules).size), np.int8)
    )
    assert states.tobytes() == before


def test_problems_are_named() -> None:
    s = play(GAME.new_games(GAME.make_rules(), [1]), 0, 10)[0]
    assert GAME.problems(s) == []
    changes: dict[str, Any] = {
        "hands": s.hands[[0, 0, 2]],
        "sizes": s.sizes + 1,
        "scores": [1, 0, 0],
        "payoffs": [1, 1, 1],
        "turn": 3,
        "top": 51 if s.top != 51 else 50,
        "laid_off": s.hands,
        "melds": [int(s.hands[0]) & -int(s.hands[0]), 0, 0],
    }
    for name, value in changes.items():
        other = s.copy()
        other[name] = value
        assert GAME.problems(other), name
    assert num_cards(int(s.hands[0])) == s.sizes[0]
