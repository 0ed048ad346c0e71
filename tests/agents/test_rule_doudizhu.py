"""The rule-based player of Dou Dizhu: plain positions, legality, strength against chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.rule_based.doudizhu import RuleAgent
from envs.core.game import OVER, Array
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import DECK_3, JOKERS, num_cards, parse_cards
from envs.doudizhu.moves import format_move, parse_move
from envs.doudizhu.state import DOUBLING, NO_MOVE, NONE, PLAYING, SNATCHING
from eval.match import play_deals

NO_AUCTION = GAME.make_rules(auction="off")
ONLINE = GAME.make_rules("online")
OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"auction": "off", "farmer_bomb_limit": True},
    {"auction": "continuous", "snatch": True, "snatch_by_passers": True, "doubling": "double"},
    {"solo_kickers": False, "four_two_pair": False, "reveal_bottom": False},
    {"kicker_solo_max_same": 1, "kicker_adjacent_trio": False, "all_pass": "force_first"},
    {"hands_per_match": 3, "all_pass": "void", "farmer_bomb_limit": True},
)


def ask(agent: Any, states: Array) -> Array:
    """The agent's actions for the seats to act."""
    observations = empty_vectors(len(states), GAME.layout(agent.rules))
    GAME.observe(states, states["turn"].copy(), observations)
    keys = np.zeros(len(states), np.int64)
    answer: Array = agent.act(observations, GAME.masks(states), keys=keys, tables=keys)
    return answer


def position(hands: list[str], table: str = "", owner: int = NONE, landlord: int = 0) -> Array:
    """A play with seat 0 to act on the `table` of `owner`; cards in no hand have been played."""
    states = GAME.new_games(NO_AUCTION, [0])
    s = states[0]
    s.phase, s.turn, s.landlord, s.bottom = PLAYING, 0, landlord, 0
    s.hands[:3] = [parse_cards(hand) for hand in hands]
    s.sizes[:3] = [num_cards(int(hand)) for hand in s.hands[:3]]
    s.played[landlord] = DECK_3 - sum(int(hand) for hand in s.hands)
    s.table, s.table_seat = NO_MOVE, owner
    if table:
        move = parse_move(table, DECK_3 & JOKERS)
        s.table, s.table_cards = move.declaration, move.cards
        s.passes = s.passed[2] = int(owner == 1)
    return states


def play_of(states: Array) -> str:
    """What the rule player plays, kickers and all, in notation; "pass" if it passes."""
    agent, plays = RuleAgent(GAME, NO_AUCTION), int(states[0].plays[0])
    while True:
        GAME.apply(states, ask(agent, states))
        if states[0].plays[0] > plays:
            return format_move(int(states[0].action), int(states[0].last_played))
        if not states[0].pending:
            return "pass"


MANY = ["335567889TTQQKA2", "356679TTJJQKAA2"]
"""What two seats may hold that are far from going out."""

LEADS = {
    "goes out": (["34567", *MANY], 0, "34567"),
    "goes out with kickers": (["33344456", *MANY], 0, "333444+56"),
    "the sure card before the last one": (["3R", "889TJ", "99TTJJQQ2"], 0, "R"),
    "the sure straight before the last pair": (["33TJQKA", "4455667", "4566778899"], 0, "TJQKA"),
    "a long low straight first": (["345679JJQQKA22", *MANY], 0, "34567"),
    "the lowest kicker": (["3444TTQQ9A", *MANY], 0, "444+3"),
    "no kicker out of a pair": (["55539KK", *MANY], 0, "555+3"),
    "no solo where the landlord has one card": (["3399KK", "5566778", "4"], 2, "33"),
    "the highest solo where it must be one": (["35K", "55667788", "A"], 2, "K"),
    "a low solo for the partner's last card": (["3344KKAA2", "9", MANY[0]], 2, "3"),
    "a low pair for the partner's last two": (["3344KKAA2", "99", MANY[0]], 2, "33"),
}


@pytest.mark.parametrize("name", LEADS)
def test_lead(name: str) -> None:
    hands, landlord, play = LEADS[name]
    assert play_of(position(hands, landlord=landlord)) == play


FOLLOWS = {
    "goes out": (["99", *MANY], "55", 1, 0, "99"),
    "a bomb, then goes out": (["4444555A", *MANY], "A", 2, 0, "4444"),
    "a lone card, not one of a pair or straight": (["9JJQQ34567", *MANY], "6", 2, 0, "9"),
    "a low card, not a joker": (["39JJKKA2R", *MANY], "8", 2, 0, "9"),
    "keeps the bomb": (["3444456789JJQK2", *MANY], "5", 2, 2, "Q"),
    "keeps the rocket": (["45BR88", *MANY], "A", 2, 0, "pass"),
    "a bomb where the landlord would be out": (["34445K4", MANY[0], "3"], "A", 2, 2, "4444"),
    "lets a partner with one card lead": (["5577KKAA", "6", "334488TTJJ"], "Q", 1, 2, "pass"),
    "lets the partner's ace stand": (["369QQK2", "5577899TT", "4468TJJK22B"], "A", 2, 1, "pass"),
    "sheds on the partner's low card": (["369QQK2", "5577899TT", "446TJJK22B"], "5", 2, 1, "6"),
    "blocks the landlord's last card": (["679QK2", "4", "3355TTJJA"], "8", 2, 1, "2"),
}


@pytest.mark.parametrize("name", FOLLOWS)
def test_follow(name: str) -> None:
    hands, table, owner, landlord, play = FOLLOWS[name]
    assert play_of(position(hands, table, owner, landlord)) == play


def call_of(hand: str, phase: str = "", landlord: int = NONE, bid: int = 0) -> str:
    """What the rule player calls with a hand, in words, after a bid of the last seat."""
    states = GAME.new_games(ONLINE, [0])
    s = states[0]
    s.turn, s.hands[0], s.bottom, s.landlord = 0, parse_cards(hand), 0, landlord
    if phase:
        s.phase = {"snatch": SNATCHING, "double": DOUBLING}[phase]
    if bid:
        s.bidder, s.bids[2] = 2, bid
    if landlord == 0:
        s.sizes[0] = 20
    return GAME.format_action(s, int(ask(RuleAgent(GAME, ONLINE), states)[0]))


MONSTER, GOOD, POOR = "34567899TJQKA22BR", "3446778TTJJQKA22B", "3446779TTJJQQKAK8"


@pytest.mark.parametrize(
    ("hand", "more", "call"),
    [
        (MONSTER, {}, "bid 3"),
        (POOR, {}, "pass"),
        (POOR, {"bid": 1}, "pass"),
        (MONSTER, {"phase": "snatch"}, "snatch"),
        (POOR, {"phase": "snatch"}, "decline"),
        (MONSTER + "333", {"phase": "double", "landlord": 0}, "x4"),
        (POOR + "358", {"phase": "double", "landlord": 0}, "x1"),
        (MONSTER, {"phase": "double", "landlord": 1}, "x4"),
        (POOR, {"phase": "double", "landlord": 1}, "x1"),
    ],
)
def test_call(hand: str, more: dict[str, Any], call: str) -> None:
    assert call_of(hand, **more) == call


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_always_legal_and_the_same_alone(options: dict[str, Any]) -> None:
    """In positions of random play, so also in such as no sensible player gets into."""
    rules = GAME.make_rules(**options)
    agent, chance = RuleAgent(GAME, rules), np.random.default_rng(1)
    states = GAME.new_games(rules, spawn_seeds(2, 60))
    while len(states := states[states["turn"] != OVER]):
        masks, actions = GAME.masks(states), ask(agent, states)
        assert masks[np.arange(len(states)), actions].all()
        row = int(chance.integers(len(states)))
        assert ask(agent, states[row : row + 1]) == actions[row]
        guided = chance.random(len(states)) < 0.3
        random = (masks * chance.random(masks.shape)).argmax(1)
        GAME.apply(states, np.where(guided, actions, random))


def test_beats_chance() -> None:
    agents = [RuleAgent(GAME, NO_AUCTION), RandomAgent(GAME, NO_AUCTION)]
    outcome = play_deals(GAME, NO_AUCTION, agents, spawn_seeds(3, 200))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.93


def test_finds_a_landlord_in_nearly_every_deal() -> None:
    rules = GAME.make_rules()
    agent = RuleAgent(GAME, rules)
    outcome = play_deals(GAME, rules, [agent, agent], spawn_seeds(4, 200))
    won = (outcome.payoffs.max(2) > 0).mean()
    assert won > 0.95
