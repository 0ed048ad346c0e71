"""The rule-based player of Tichu: plain positions, legality, calls, strength against chance."""

from typing import Any

import numpy as np
import pytest

from agents.random_agent import RandomAgent
from agents.rule_based.tichu import RuleAgent
from envs.core.game import OVER, Array
from envs.core.rng import spawn_seeds
from envs.tichu import GAME
from envs.tichu.cards import CARD_NAMES, PACK, parse_cards
from envs.tichu.moves import ID_NO
from envs.tichu.state import EXCHANGE, GIFT, GRAND, GRAND_CALL, RIGHT, SMALL, TICHU
from eval.match import play_deals
from tests.agents.asking import answers, check_always_legal_and_the_same_alone
from tests.cases.tichu import lay_out

ROUND = GAME.make_rules("round")
OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"max_rounds": 2, "bomb_ask": "public", "skip_forced": True},
    {"suit_choice": "always", "tichu_window": "before_partner", "episode": "round"},
)


def ask(agent: Any, states: Array) -> Array:
    """The agent's actions for the seats to act."""
    return answers(GAME, agent.rules, agent, states)


def position(hands: list[str], **more: Any) -> Array:
    """Seat 0 to act with the first of the hands; cards in no hand were played by all."""
    states = GAME.new_games(ROUND, [0])
    given = {str(seat): hand.split() for seat, hand in enumerate(hands)}
    lay_out(states[0], {"hands": given, "turn": 0, "played": [0, 1, 2, 3], **more})
    states[0].played[3] = PACK & ~np.bitwise_or.reduce(states[0].hands)
    return states


def play_of(states: Array) -> str:
    """What the rule player plays, in notation."""
    agent, before, path = RuleAgent(GAME, ROUND), states.copy(), []
    while not path or states[0].pending:
        path.append(int(ask(agent, states)[0]))
        GAME.apply(states, np.array(path[-1:]))
    return GAME.format_play(before[0], tuple(path))


MANY = ["3g 4k 5b 6r 8g 9k Jb Jr Qg Ab", "3k 4g 5r 6b 8b 9r Jg Qk Kk Ar", "3b 5g 7k 8k 9b Qb Kg Kb"]
"""What three seats may hold that are far from going out."""


def on(top: str, pile: str, owner: int, passes: int = 0) -> dict[str, Any]:
    """A table for `position`."""
    return {"table": {"top": top, "pile": pile.split(), "owner": owner, "passes": passes}}


LEADS: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "goes out": (["7g 7k 7b 9g 9r", *MANY], {}, "7g 7k 7b 9g 9r"),
    "the full house, not its parts": (["3r 3g 3k Ag Ak", *MANY], {}, "3g 3k 3r Ag Ak"),
    "the sure straight before the last pair": (
        ["4r 4k Tk Jb Qk Kr Ag", *MANY],
        {},
        "Tk Jb Qk Kr Ag",
    ),
    "no single where an enemy has one card": (["6g 6k Tg", "Kg", *MANY[1:]], {}, "6g 6k"),
    "the dog for the partner's last card": (["DG 2g 7g 7b Tg", MANY[0], "Kg", MANY[2]], {}, "DG"),
    "the dog for a partner who called": (
        ["DG 2g 3g 7g 8g 8r Tb", MANY[0], "Ag Ak DR Kr 6g 6k", MANY[2]],
        {"calls": {"2": "small"}},
        "DG",
    ),
}


@pytest.mark.parametrize("name", LEADS)
def test_lead(name: str) -> None:
    hands, more, play = LEADS[name]
    assert play_of(position(hands, **more)) == play


FOLLOWS: dict[str, tuple[list[str], dict[str, Any], str]] = {
    "goes out": (["9g", *MANY], on("single/1/5", "5k", 3), "9g"),
    "goes out with a bomb": (["6g 6k 6b 6r", *MANY], on("pair/2/8", "8g 8r", 3), "6g 6k 6b 6r"),
    "a lone card, not one of a pair": (
        ["7g Jg Jk 9r Ag", *MANY],
        on("single/1/4", "4k", 3),
        "7g",
    ),
    "lets the partner's ace stand": (
        ["2g 5k 7g 7r DR Kg", *MANY],
        on("single/1/14", "9k Ak", 2, 1),
        "pass",
    ),
    "keeps the dragon off a low card": (
        ["2g 5k 7g 7r Jg Jr DR", *MANY],
        on("single/1/10", "Tk", 3),
        "pass",
    ),
    "stops an enemy's last card": (
        ["5g 5k 9g 9r Ag", MANY[0], MANY[1], "4g"],
        on("single/1/13", "Kr", 3),
        "Ag",
    ),
    "a bomb against a call that is about to be made": (
        ["6g 6k 6b 6r 3g 9g", MANY[0], MANY[1], "4g"],
        on("pair/2/14", "Ag Ak", 3) | {"calls": {"3": "small"}},
        "6g 6k 6b 6r",
    ),
    "leaves a partner who called his trick": (
        ["Ag", MANY[0], "5k Ar Kr", MANY[2]],
        on("single/1/9", "9g", 2, 1) | {"calls": {"2": "small"}},
        "pass",
    ),
}


@pytest.mark.parametrize("name", FOLLOWS)
def test_follow(name: str) -> None:
    hands, more, play = FOLLOWS[name]
    assert play_of(position(hands, **more)) == play


def opening(phase: int, hand: str, calls: dict[int, int] | None = None) -> Array:
    """Seat 0, the dealer, holds the `hand` and is asked before the play."""
    states = GAME.new_games(ROUND, [0])
    rest = [name for name in CARD_NAMES if name not in hand.split()]
    hands = [hand.split(), *(rest[k::3] for k in range(3))]
    GAME.write_deal(
        states[0],
        {
            "dealer": 0,
            "first": [" ".join(cards[:8]) for cards in hands],
            "rest": [" ".join(cards[8:]) for cards in hands],
        },
    )
    while states[0].phase != phase or states[0].turn != 0:
        GAME.apply(states, np.array([ID_NO]))
    for seat, call in (calls or {}).items():
        states[0].calls[seat] = call
    return states


MONSTER = "DR PH Ag Ak Ab Kg Kk Kb Qg Qk Qb Jr 9k 9b"
GOOD = "DR Ag Ak 9g 9k 8g 8k 7b 7r 6b 5k 4g Kk Kb"
FAIR = "Ag Kk Jg Jr 8b 8r 6g 4r 4k 5b 6b 7r 9g 2k"
POOR = "2g 4k 5b 7r 9g Tk 3b 6r 8g Jk Qb Jr DG 2r"


@pytest.mark.parametrize(
    ("phase", "hand", "calls", "play"),
    [
        (GRAND, MONSTER, {}, "call"),
        (GRAND, GOOD, {}, "call"),
        (GRAND, FAIR, {}, "decline"),
        (GRAND, POOR, {}, "decline"),
        (GRAND, MONSTER, {2: GRAND_CALL}, "decline"),
        (TICHU, MONSTER, {}, "call"),
        (TICHU, FAIR, {}, "decline"),
        (TICHU, POOR, {}, "decline"),
        (TICHU, MONSTER, {2: SMALL}, "decline"),
    ],
)
def test_call(phase: int, hand: str, calls: dict[int, int], play: str) -> None:
    assert play_of(opening(phase, hand, calls)) == play


SPARE = "2g 3k 6b 6r 9g 9k 9b Tk Tb Jk Jr Qb Qr Ag"


@pytest.mark.parametrize(
    ("hand", "calls", "gifts"),
    [
        (SPARE, {}, "give 3k Ag 2g"),
        ("2g 3k 4b 6r 8g 8k 9k 9b Tk Tb Jk Jr Kb Kr", {0: SMALL}, "give 3k 2g 4b"),
        ("2g 3k DR 6r 9g 9k 9b Tk Tb Jk Jr Qb Qr Qg", {2: GRAND_CALL}, "give 3k DR 2g"),
    ],
)
def test_exchange(hand: str, calls: dict[int, int], gifts: str) -> None:
    """Low cards to the enemies, odd ones to the right and even ones to the left."""
    assert play_of(opening(EXCHANGE, hand, calls)) == gifts


def test_wishes_for_the_card_given_to_the_right() -> None:
    states = position(["MJ 3g 4g", *MANY])
    states[0].given[0, RIGHT] = parse_cards("8g")
    assert play_of(states) == "MJ"
    assert play_of(states) == "wish 8"


@pytest.mark.parametrize(("sizes", "gift"), [((4, 2), "gift right"), ((2, 4), "gift left")])
def test_gives_the_dragon_to_who_has_more_cards(sizes: tuple[int, int], gift: str) -> None:
    hands = ["DR", "4g 5g 6g 7g", "8k 9b", "4k 5k 6k 7k"]
    hands[1], hands[3] = hands[1][: 3 * sizes[0] - 1], hands[3][: 3 * sizes[1] - 1]
    states = position(hands)
    assert play_of(states) == "DR"
    while states[0].phase != GIFT:
        GAME.apply(states, np.array([ID_NO]))
    assert play_of(states) == gift


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_always_legal_and_the_same_alone(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    agent = RuleAgent(GAME, rules)
    check_always_legal_and_the_same_alone(GAME, rules, agent, 12, 0.3, 250)


def test_beats_chance() -> None:
    """By far more than 200 points a round, so it wins practically every match."""
    agents = [RuleAgent(GAME, ROUND), RandomAgent(GAME, ROUND)]
    outcome = play_deals(GAME, ROUND, agents, spawn_seeds(3, 100))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.9


def test_calls_are_made_when_all_play_by_the_rules() -> None:
    """Small tichu in three of five cases, and it is called in every other round or so."""
    states = GAME.new_games(ROUND, spawn_seeds(4, 400))
    agent = RuleAgent(GAME, ROUND)
    while (states["turn"] != OVER).any():
        going = np.flatnonzero(states["turn"] != OVER)
        part = states[going]
        GAME.apply(part, ask(agent, part))
        states[going] = part
    calls, first = states["calls"], states["place"] == 1
    assert first[calls == SMALL].mean() > 0.6
    assert 0.08 < (calls == SMALL).mean() < 0.25
