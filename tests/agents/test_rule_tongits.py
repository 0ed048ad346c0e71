"""The rule-based player of Tongits: plain positions, legality, strength against chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.rule_based.tongits import RuleAgent
from agents.rule_based.tongits_hands import completing, loose_cards, points_of, points_without
from agents.rule_based.tongits_outlook import COMPLETED_BY, PAIRS
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.tongits import GAME
from envs.tongits.cards import NUM_CARDS, cards_in, format_cards, parse_card
from envs.tongits.moves import MELD_IDS
from envs.tongits.state import TONGITS
from envs.tongits.values import hand_value
from eval.match import play_deals
from tests.agents.asking import answers, check_always_legal_and_the_same_alone
from tests.tongits.positions import Table, position

OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"tongits_hidden_melds": False, "dealer_cards": 13},
    {"take_for_layoff": True, "knock_block": "opponent", "knock_tie": "knocker"},
    {"failed_challenge_penalty": 2, "failed_knock_pays_all": False, "bonus_ranks": "none"},
    {"score_base": 0, "score_bonus": 5, "bonus_scope": "hand_and_melds", "num_hands": 2},
)


def ask(agent: Any, states: Array) -> Array:
    """The agent's actions for the seats to act."""
    return answers(GAME, agent.rules, agent, states)


def choice(table: Table, **options: Any) -> str:
    """What the rule player does, in notation."""
    action = int(ask(RuleAgent(GAME, GAME.make_rules(**options)), table.states)[0])
    return GAME.format_action(table.s, action)


OTHERS = "4S 8S 9H TH QD 4C 6C TC 2S JH | 8C 9D TS QC 4H 6D JS 2D 5H QS"
"""Hands of two seats that are far from anything."""

CHOICES: dict[str, tuple[str, dict[str, Any], str]] = {
    "goes out": (f"3S 4S 5S 7S 7H 7D KD | {OTHERS}", {}, "DISCARD KD"),
    "takes to go out": (
        f"7S 7H 3C 4C 5C KD | {OTHERS}", {"phase": "DRAW", "pile": "9C 7D"}, "TAKE 7S 7H 7D",
    ),
    "lays off": (
        f"8S 2H 9C JD 5D | {OTHERS.replace('8S ', '').replace('8C ', '')}",
        {"melds": "1 8H 8D 8C"}, "LAYOFF 8S SET",
    ),
    "keeps a pair and a low card": (f"9S 9H 2C JD KS KH KD | {OTHERS}", {}, "DISCARD JD"),
    "keeps three kings in the hand": (f"KS KH KD 2C 3D 5S 8H JD | {OTHERS}", {}, "DISCARD JD"),
    "knocks with next to nothing": (
        f"AS | {OTHERS}",
        {"phase": "DRAW", "melds": "0 7S 7H 7D", "stock": "AH 2H 3H 8H QH KH AD 3D 5D 8D"}, "KNOCK",
    ),
    "does not knock with a bad hand": (
        "JD QD 9C 8H | 2S AH | 2D AC",
        {"phase": "DRAW", "melds": "0 7S 7H 7D | 1 3S 3H 3D | 2 5S 5H 5D"}, "DRAW",
    ),
    "knocks where nobody may challenge": (
        f"JD KD 9C 8H | {OTHERS}",
        {"phase": "DRAW", "melds": "0 7S 7H 7D", "challenge_requires_meld": True}, "KNOCK",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_choice(name: str) -> None:
    hands, more, expected = CHOICES[name]
    options = {key: value for key, value in more.items() if key == "challenge_requires_meld"}
    assert choice(position(hands, **more), **options) == expected


@pytest.mark.parametrize(
    ("hand", "penalty", "answer"),
    [("JD QC KH 9S", 0, "CHALLENGE"), ("JD QC KH 9S", 1, "FOLD"), ("AH", 1, "CHALLENGE")],
)
def test_answer_to_a_knock(hand: str, penalty: int, answer: str) -> None:
    options = {"failed_challenge_penalty": penalty}
    hands = f"3S 4H 5D | {hand} | 2D 3H"
    table = position(hands, phase="DRAW", melds="0 7S 7H 7D | 1 8S 8H 8D", **options)
    assert choice(table.play("KNOCK"), **options) == answer


def test_lays_its_melds_where_only_an_empty_hand_wins() -> None:
    options = {"tongits_hidden_melds": False}
    table = position(f"3S 4S 5S 7S 7H 7D KD | {OTHERS}", **options)
    taken = []
    while table.s.turn == 0:
        taken.append(choice(table, **options))
        table.play(taken[-1])
    assert sorted(word.split()[0] for word in taken) == ["DISCARD", "MELD", "MELD"]
    assert table.result == (TONGITS, 0, [10, -5, -5])


def random_hand(chance: np.random.Generator, size: int) -> int:
    """A hand of neighbouring ranks, so that it holds many melds."""
    near = [card for card in range(NUM_CARDS) if card % 13 < chance.integers(4, 14)]
    return sum(1 << int(card) for card in chance.permutation(near)[:size])


def test_loose_cards_have_the_value_of_the_hand() -> None:
    chance = np.random.default_rng(1)
    for _ in range(500):
        hand = random_hand(chance, int(chance.integers(0, 19)))
        loose = loose_cards(hand)
        assert loose & ~hand == 0
        assert points_of(loose) == hand_value(hand)
        assert hand_value(hand & ~loose) == 0
        cards = sorted((points_of(1 << card) for card in cards_in(loose)), reverse=True)
        assert [points_without(loose, num) for num in range(4)] == [
            sum(cards[num:]) for num in range(4)
        ]


def test_completing_cards_and_pairs() -> None:
    chance = np.random.default_rng(2)
    melds = [cards for cards in MELD_IDS if cards.bit_count() == 3]
    for _ in range(100):
        hand = random_hand(chance, 9)
        expected = 0
        for meld in melds:
            if (meld & ~hand).bit_count() == 1:
                expected |= meld & ~hand
        assert completing(hand) == expected
    seven = parse_card("7H")
    pairs = [format_cards(pair) for pair in PAIRS[seven]]
    assert sorted(pairs) == sorted(["7D 7C", "7S 7C", "7S 7D", "8H 9H", "6H 8H", "5H 6H"])
    completed = dict(zip(pairs, map(format_cards, COMPLETED_BY[seven]), strict=True))
    assert completed["7S 7D"] == "7H 7C"
    assert completed["6H 8H"] == "7H"
    assert completed["8H 9H"] == "7H TH"


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_always_legal_and_the_same_alone(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    agent = RuleAgent(GAME, rules)
    check_always_legal_and_the_same_alone(GAME, rules, agent, 40, 0.5)


@pytest.mark.parametrize("preset", ["seed", "filipino"])
def test_beats_chance(preset: str) -> None:
    """One wins three hands of four against two that play at random; two leave one next to none."""
    rules = GAME.make_rules(preset)
    agents = [RuleAgent(GAME, rules), RandomAgent(GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, 400))
    assert not outcome.fouls
    won = ((outcome.payoffs > 0) & (outcome.seating == 0)).any(2)
    alone = (outcome.seating == 0).sum(2) == 1
    assert won[alone].mean() > 0.75
    assert won[~alone].mean() > 0.92
