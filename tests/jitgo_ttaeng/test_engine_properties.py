"""Section 10 of the rules: what holds in every position, whatever is played."""

from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import DECKS, list_cards
from envs.jitgo_ttaeng.rules import MAX_SEATS
from envs.jitgo_ttaeng.state import BETTING
from tests.conformance.play import look, random_actions, walk
from tests.jitgo_ttaeng.positions import banking, betting

SEEDS = np.arange(40)
VARIANTS: dict[str, dict[str, Any]] = {
    "betting": {},
    "eight, no limit": {"deck": 40, "num_players": 8, "bet_cap": None, "hand_set": "full"},
    "limit, streets": {"structure": "limit", "deal_schedule": "1+1+1+1+1", "num_players": 2},
    "large antes": {"ante": 300, "num_players": 3, "bet_cap": None},
    "banker": {"mode": "banker", "bank_cap": "stake", "voluntary_pass": True},
    "banker, all hands": {"mode": "banker", "hand_set": "full", "num_players": 8, "deck": 40},
}


def total(states: Array) -> Array:
    chips: Array = states["stacks"].sum(1) + states["contrib"].sum(1) + states["bank"]
    return chips


@pytest.mark.parametrize("name", VARIANTS)
def test_10_1_chips_are_conserved(name: str) -> None:
    rules = GAME.make_rules(**VARIANTS[name])
    states = GAME.new_games(rules, SEEDS)
    chips = total(states)
    for states, _ in walk(GAME, states, SEEDS):  # noqa: B020 - the same array
        assert np.array_equal(total(states), chips)
        assert not states["scores"].sum(1).any() and not states["payoffs"].sum(1).any()
        assert min(states["stacks"].min(), states["contrib"].min(), states["bank"].min()) >= 0
    assert (states["turn"] == OVER).all()


def test_10_5_raises_are_capped_and_rounds_end_matched() -> None:
    states = GAME.new_games(GAME.make_rules(deal_schedule="4+1", max_raises=2), SEEDS)
    before = states.copy()
    for states, _ in walk(GAME, states, SEEDS):  # noqa: B020 - the same array
        assert (states["raises"] <= 2).all()
        for then, now in zip(before, states, strict=True):
            if now.street > then.street and now.hand_number == then.hand_number:
                live = (now.playing[:4] == 1) & (now.folded[:4] == 0)
                stakes = now.contrib[:4][live & (now.stacks[:4] > 0)]
                assert len(set(stakes.tolist())) <= 1
        before = states.copy()


@pytest.mark.parametrize("cap", ["current", "stake"])
def test_10_6_bets_never_exceed_the_cap(cap: str) -> None:
    rules = GAME.make_rules(mode="banker", bank_cap=cap)
    for states, _ in walk(GAME, GAME.new_games(rules, SEEDS), SEEDS):
        limit = states["bank"]
        if cap == "stake":
            limit = np.minimum(limit, states["stake"])
        assert (states["contrib"].sum(1) <= limit).all()


def test_10_7_at_a_full_table_every_card_is_in_a_hand() -> None:
    for s in GAME.new_games(GAME.make_rules(), SEEDS):
        cards = [card for hand in s.hands for card in list_cards(int(hand))]
        assert sorted(cards) == DECKS[20].tolist()


def test_deals_are_uniform() -> None:
    states = GAME.new_games(GAME.make_rules(num_players=2, deck=40), np.arange(8_000))
    for seat in range(2):
        counts = [int((states["hands"][:, seat] >> card & 1).sum()) for card in range(40)]
        assert abs(np.array(counts) - 1_000).max() < 5 * np.sqrt(1_000 * 7 / 8)


def play(states: Array, first_step: int, num_steps: int) -> Array:
    for step in range(first_step, first_step + num_steps):
        GAME.apply(states, random_actions(GAME.masks(states), states["seed"], step))
    return states


@pytest.mark.parametrize("name", VARIANTS)
def test_a_saved_game_goes_on_the_same(name: str) -> None:
    states = play(GAME.new_games(GAME.make_rules(**VARIANTS[name]), SEEDS), 0, 20)
    saved = np.frombuffer(states.tobytes(), GAME.state).copy()
    assert play(saved, 20, 60).tobytes() == play(states, 20, 60).tobytes()


def test_a_batch_may_hold_both_modes() -> None:
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


def test_looking_and_negative_actions_change_nothing() -> None:
    rules = GAME.make_rules()
    states = play(GAME.new_games(rules, SEEDS), 0, 20)
    before = states.tobytes()
    look(GAME, rules, states, SEEDS % 4)
    GAME.masks(states)
    seats = np.zeros(len(states), np.int64)
    GAME.observe_state(
        states, seats, np.zeros((len(states), GAME.state_layout(rules).size), np.int8)
    )
    GAME.apply(states, np.full(len(states), -1))
    assert states.tobytes() == before


def test_seats_that_do_not_exist_stay_blank() -> None:
    states = play(GAME.new_games(GAME.make_rules(num_players=3), SEEDS), 0, 30)
    blank = GAME.new_games(GAME.make_rules(num_players=2), [0])[0]
    for name in ("stacks", "contrib", "playing", "hands", "results", "last_actions", "bet_piles"):
        assert (states[name][:, 3:] == getattr(blank, name)[3:]).all()
    assert states["stacks"].shape[1] == MAX_SEATS


def test_foul_play_costs_all_chips() -> None:
    table = betting([500, 300, 200]).act("full")
    assert GAME.forfeit(table.s, 1).tolist() == [150, -300, 150]
    bank = banking([101, 300, 200]).act("stake all, bet A half")
    assert GAME.forfeit(bank.s, 0).tolist() == [-101, 51, 50]
    assert table.s.phase == BETTING


def test_largest_amounts_fit() -> None:
    table = betting([1_000_000] * 8, deck=40, start_stack=1_000_000, bet_cap=None, ante=999_990)
    table.act("min, " + ", ".join(["call"] * 7))
    assert sum(table.amounts("stacks")) == 8_000_000
    assert table.view(3).stacks.sum() == 8_000_000
