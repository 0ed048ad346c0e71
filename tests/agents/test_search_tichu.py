"""The default policy of Tichu: honest, legal, the same in playouts, far better than chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.search import tichu
from agents.search.base import DefaultAgent
from envs.core.game import OVER
from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from envs.tichu.cards import parse_cards
from envs.tichu.moves import ID_NO
from envs.tichu.state import EXCHANGE, GIFT, GRAND, GRAND_CALL, RIGHT, SMALL, TICHU
from eval.match import play_deals
from tests.agents.policies import check_alone, check_honest, check_playouts, play_of
from tests.agents.test_rule_tichu import (
    FAIR,
    FOLLOWS,
    LEADS,
    MANY,
    MONSTER,
    OPTION_SETS,
    POOR,
    ROUND,
    SPARE,
    opening,
    position,
)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_it_knows_only_what_the_seat_sees(options: dict[str, Any], guided: float) -> None:
    check_honest(GAME, GAME.make_rules(**options), tichu, 6, guided)


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
@pytest.mark.parametrize("guided", [0.3, 1.0])
def test_playouts_are_games_of_the_policy(options: dict[str, Any], guided: float) -> None:
    check_playouts(GAME, GAME.make_rules(**options), tichu, 6, guided)


def test_it_does_alone_what_it_does_in_a_batch() -> None:
    check_alone(GAME, ROUND, tichu)


def test_beats_chance() -> None:
    agents = [DefaultAgent(GAME, ROUND), RandomAgent(GAME, ROUND)]
    outcome = play_deals(GAME, ROUND, agents, spawn_seeds(3, 100))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.9


def test_calls_are_made_when_all_play_by_the_policy() -> None:
    states = GAME.new_games(ROUND, spawn_seeds(4, 400))
    tichu.play_out_batch(states, np.empty((len(states), 4)))
    assert (states["turn"] == OVER).all()
    calls, first = states["calls"], states["place"] == 1
    assert first[calls == SMALL].mean() > 0.6
    assert 0.08 < (calls == SMALL).mean() < 0.25


@pytest.mark.parametrize("name", LEADS | FOLLOWS)
def test_play(name: str) -> None:
    hands, more, play = (LEADS | FOLLOWS)[name]
    assert play_of(GAME, tichu, position(hands, **more)) == play


@pytest.mark.parametrize(
    ("phase", "hand", "calls", "play"),
    [
        (GRAND, MONSTER, {}, "call"),
        (GRAND, FAIR, {}, "decline"),
        (GRAND, MONSTER, {2: GRAND_CALL}, "decline"),
        (TICHU, MONSTER, {}, "call"),
        (TICHU, POOR, {}, "decline"),
        (TICHU, MONSTER, {2: SMALL}, "decline"),
        (EXCHANGE, SPARE, {}, "give 3k Ag 2g"),
    ],
)
def test_opening(phase: int, hand: str, calls: dict[int, int], play: str) -> None:
    assert play_of(GAME, tichu, opening(phase, hand, calls)) == play


def test_wishes_for_the_card_given_to_the_right() -> None:
    states = position(["MJ 3g 4g", *MANY])
    states[0].given[0, RIGHT] = parse_cards("8g")
    assert play_of(GAME, tichu, states) == "MJ"
    assert play_of(GAME, tichu, states) == "wish 8"


def test_gives_the_dragon_to_who_has_more_cards() -> None:
    states = position(["DR", "4g 5g", "8k 9b", "4k 5k 6k 7k"])
    assert play_of(GAME, tichu, states) == "DR"
    while states[0].phase != GIFT:
        GAME.apply(states, np.array([ID_NO]))
    assert play_of(GAME, tichu, states) == "gift left"
