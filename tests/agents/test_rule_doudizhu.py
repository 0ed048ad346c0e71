"""The rule-based player of Dou Dizhu: plain positions, legality, and strength against chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.rule_based.doudizhu import RuleAgent
from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_3, JOKERS, num_cards, parse_cards
from envs.doudizhu.moves import format_move, parse_move
from envs.doudizhu.state import NO_MOVE, PLAYING
from eval.match import play_deals

FARMERS_RULES = GAME.make_rules(auction="off")
OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"auction": "off", "farmer_bomb_limit": True},
    {"auction": "continuous", "snatch": True, "snatch_by_passers": True, "doubling": "double"},
    {"solo_kickers": False, "four_two_pair": False, "reveal_bottom": False},
    {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1, "kicker_adjacent_trio": False},
    {"hands_per_match": 3, "all_pass": "void", "farmer_bomb_limit": True},
)


def position(hands: list[str], table: str = "", owner: int = 0, landlord: int = 0) -> Array:
    """Seat 0 to act in a position of play; all cards in no hand have been played."""
    states = GAME.new_games(FARMERS_RULES, [0])
    s = states[0]
    s.phase, s.turn, s.landlord, s.bottom = PLAYING, 0, landlord, 0
    s.hands[:3] = [parse_cards(hand) for hand in hands]
    s.sizes[:3] = [num_cards(int(hand)) for hand in s.hands[:3]]
    s.played[landlord] = DECK_3 - sum(int(hand) for hand in s.hands)
    s.table, s.table_seat = NO_MOVE, -1
    if table:
        move = parse_move(table, DECK_3 & JOKERS)
        s.table, s.table_cards, s.table_seat = move.declaration, move.cards, owner
        s.passes = (0 - owner) % 3 - 1
        if s.passes:
            s.passed[2] = 1
    return states


def ask(agent: Any, states: Array) -> Array:
    """The agent's actions for the seats to act."""
    observations = empty_vectors(len(states), GAME.layout(agent.rules))
    GAME.observe(states, states["turn"].copy(), observations)
    keys = np.zeros(len(states), np.int64)
    return agent.act(observations, GAME.masks(states), keys=keys, tables=keys)


def play_of(states: Array) -> str:
    """What the rule player plays, kickers and all, in notation; "pass" if it passes."""
    agent, plays = RuleAgent(GAME, FARMERS_RULES), int(states[0].plays[0])
    while True:
        GAME.apply(states, ask(agent, states))
        if states[0].plays[0] > plays:
            return format_move(int(states[0].action), int(states[0].last_played))
        if not states[0].pending:
            return "pass"
