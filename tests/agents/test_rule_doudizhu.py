"""The rule-based player of Dou Dizhu: plain positions, legality, strength against chance."""

from typing import Any

import pytest

from agents.random_agent import RandomAgent
from agents.rule_based.doudizhu import RuleAgent
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.doudizhu import GAME
from envs.doudizhu.cards import RANK_CHARS, deck_of, num_cards, parse_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import parse_move
from envs.doudizhu.state import DOUBLING, NO_MOVE, NONE, PLAYING, SNATCHING
from eval.match import play_deals
from tests.agents.asking import answers, check_always_legal_and_the_same_alone

NO_AUCTION = GAME.make_rules(auction="off")
ONLINE = GAME.make_rules("online")
FOUR = GAME.make_rules("four_players", auction="off")
FOUR_LIMITED = GAME.make_rules("four_players", farmer_bomb_limit=True)
WILD = GAME.make_rules("wild_random", auction="off")
OPTION_SETS: tuple[dict[str, Any], ...] = (
    *({"preset": name} for name in GAME.presets),
    {"auction": "off", "farmer_bomb_limit": True},
    {"auction": "continuous", "snatch": True, "snatch_by_passers": True, "doubling": "double"},
    {"solo_kickers": False, "four_two_pair": False, "reveal_bottom": False},
    {"kicker_solo_max_same": 1, "kicker_adjacent_trio": False, "all_pass": "force_first"},
    {"hands_per_match": 3, "all_pass": "void", "farmer_bomb_limit": True},
    {"players": 4, "auction": "continuous", "snatch": True, "farmer_bomb_limit": True},
    {"preset": "four_players_all_types", "kicker_pair_max_same": 1, "doubling": "super"},
    {"wild": "random", "wild_alone": "own_rank", "pure_wild_bomb": "top", "doubling": "super"},
    {"wild": "three", "kicker_solo_max_same": 1, "kicker_pair_max_same": 1, "auction": "off"},
    {"wild": "random", "auction": "continuous", "farmer_bomb_limit": True, "hands_per_match": 2},
)


def ask(agent: Any, states: Array) -> Array:
    """The agent's actions for the seats to act."""
    return answers(GAME, agent.rules, agent, states)


def position(
    hands: list[str],
    table: str = "",
    owner: int = NONE,
    landlord: int = 0,
    rules: Any = NO_AUCTION,
    wild: str = "",
) -> Array:
    """A play with seat 0 to act on the `table` of `owner`; cards in no hand have been played."""
    states = GAME.new_games(rules, [0])
    s, seats = states[0], len(hands)
    s.phase, s.turn, s.landlord, s.bottom = PLAYING, 0, landlord, 0
    s.hands[:seats] = [parse_cards(hand) for hand in hands]
    s.sizes[:seats] = [num_cards(int(hand)) for hand in s.hands[:seats]]
    s.played[landlord] = deck_of(seats) - sum(int(hand) for hand in s.hands)
    s.table, s.table_seat = NO_MOVE, owner
    s.wild = RANK_CHARS.index(wild) if wild else NONE
    if table:
        move = parse_move(table, int(rocket_of(s.rules)), int(s.wild))
        s.table, s.table_cards = move.declaration, move.cards
        s.passes = seats - 1 - owner
        s.passed[owner + 1 : seats] = 1
    return states


def play_of(states: Array, rules: Any = NO_AUCTION) -> str:
    """What the rule player plays, kickers and all, in notation; "pass" if it passes."""
    agent, before, path = RuleAgent(GAME, rules), states.copy(), []
    while not path or states[0].pending:
        actions = ask(agent, states)
        path.append(int(actions[0]))
        GAME.apply(states, actions)
    return GAME.format_play(before[0], tuple(path))


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


MANY_4 = ["33556778899TTJQQKKAA2", "3445667799TTJJQKKAA22", "344556688TTJJQQKKAA2B"]
"""The same for four seats."""

FOUR_LEADS = {
    "goes out with a plane and pairs": (["5556667788", *MANY_4], 0, "555666+7788"),
    "a low pair, not out of a bomb of five": (["5555588TTK2", *MANY_4], 0, "88"),
    "a trio takes a pair along": (["4446688KKKA", *MANY_4], 0, "444+66"),
    "no pair for the landlord's last two": (["44555AA", *MANY_4[:2], "66"], 3, "555+44"),
    "a low solo for a partner's last card": (["3356KKA2", "9", *MANY_4[:2]], 3, "5"),
}


@pytest.mark.parametrize("name", FOUR_LEADS)
def test_lead_with_four_seats(name: str) -> None:
    hands, landlord, play = FOUR_LEADS[name]
    assert play_of(position(hands, landlord=landlord, rules=FOUR), FOUR) == play


FOUR_FOLLOWS = {
    "a four stops the landlord": (["4444677899", "3", *MANY_4[:2]], "A", 1, 1, "4444"),
    "a five beats a higher four": (["555557", "36", *MANY_4[:2]], "AAAA", 1, 1, "55555"),
    "the smaller bomb is enough": (["44445555569J", "3", *MANY_4[:2]], "A", 1, 1, "4444"),
    "keeps the bomb early": (["44445667889TTJQ", *MANY_4], "7", 1, 1, "8"),
    "a pair of jokers blocks": (["4577TQBB", "33", *MANY_4[:2]], "22", 1, 1, "BB"),
    "lets a partner lead": (["4444577899", *MANY_4[:2], "36"], "A", 2, 3, "pass"),
}


@pytest.mark.parametrize("name", FOUR_FOLLOWS)
def test_follow_with_four_seats(name: str) -> None:
    hands, table, owner, landlord, play = FOUR_FOLLOWS[name]
    assert play_of(position(hands, table, owner, landlord, FOUR), FOUR) == play


@pytest.mark.parametrize(("bombs", "play"), [(0, "4444"), (1, "Q")])
def test_10_10_knows_the_bomb_limit(bombs: int, play: str) -> None:
    """A farmer who passed in the auction may play one bomb; without it he breaks his fours up."""
    states = position(["4444QQQQ", "3", *MANY_4[:2]], "J", 1, 1, FOUR_LIMITED)
    states["calls"], states["bombs"] = 0, [[bombs, 0, 0, 0]]
    assert play_of(states, FOUR_LIMITED) == play


WILD_LEADS = {
    "goes out with a wild card": (["3QQ", *MANY], 0, "QQ[Q]"),
    "goes out with a bomb rather than a kicker": (["3QQQ", *MANY], 0, "QQQ[Q]"),
    "goes out with a four and two": (["3KKK49", *MANY], 0, "KKK[K]+49"),
    "completes a straight": (["35679QQKK2", *MANY], 0, "567[8]9"),
    "completes a train": (["355667TJK2", *MANY], 0, "55667[7]"),
    "the low card, not the wild one": (["34TJKA2", *MANY], 0, "4"),
    "no wild card as a kicker": (["355566648JQ", *MANY], 0, "666+4"),
}


@pytest.mark.parametrize("name", WILD_LEADS)
def test_lead_with_wild_cards(name: str) -> None:
    hands, landlord, play = WILD_LEADS[name]
    assert play_of(position(hands, landlord=landlord, rules=WILD, wild="3"), WILD) == play


WILD_FOLLOWS = {
    "a soft bomb stops the landlord": (["3666459J", "4", MANY[0]], "2", 1, 1, "666[6]"),
    "a natural bomb beats a soft one": (["66663459J", "45", MANY[0]], "888[8]", 1, 1, "6666"),
    "a wild card alone as a two": (["345689J", "4", MANY[0]], "A", 1, 1, "[2]"),
    "a pair with a wild card": (["3455889A", "44", MANY[0]], "KK", 1, 1, "A[A]"),
    "keeps the wild card early": (["3446689JJKK2", *MANY], "T", 1, 1, "2"),
    "the natural pair": (["3455699QQ", *MANY], "88", 1, 1, "99"),
}


@pytest.mark.parametrize("name", WILD_FOLLOWS)
def test_follow_with_wild_cards(name: str) -> None:
    hands, table, owner, landlord, play = WILD_FOLLOWS[name]
    assert play_of(position(hands, table, owner, landlord, WILD, wild="3"), WILD) == play


def call_of(
    hand: str, phase: str = "", landlord: int = NONE, bid: int = 0, rules: Any = ONLINE
) -> str:
    """What the rule player calls with a hand, in words, after a bid of seat 2."""
    states = GAME.new_games(rules, [0])
    s = states[0]
    s.turn, s.hands[0], s.bottom, s.landlord = 0, parse_cards(hand), 0, landlord
    if phase:
        s.phase = {"snatch": SNATCHING, "double": DOUBLING}[phase]
    if bid:
        s.bidder, s.bids[2] = 2, bid
    if landlord == 0:
        s.sizes[0] = 20
    return GAME.format_action(s, int(ask(RuleAgent(GAME, rules), states)[0]))


MONSTER, POOR = "34567899TJQKA22BR", "3446779TTJJQQKAK8"
MONSTER_4, POOR_4 = "4444455555KKKKKAAAAA2222B", "3445566788999TTJJQQKKAA2B"
FOUR_BIDS, WILD_BIDS = GAME.make_rules("four_players"), GAME.make_rules("wild_three")


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
        (MONSTER_4, {"rules": FOUR_BIDS}, "bid 3"),
        (POOR_4, {"rules": FOUR_BIDS}, "pass"),
        ("3333" + MONSTER[4:], {"rules": WILD_BIDS}, "bid 3"),
        (POOR, {"rules": WILD_BIDS}, "pass"),
    ],
)
def test_call(hand: str, more: dict[str, Any], call: str) -> None:
    assert call_of(hand, **more) == call


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_always_legal_and_the_same_alone(options: dict[str, Any]) -> None:
    rules = GAME.make_rules(**options)
    agent = RuleAgent(GAME, rules)
    check_always_legal_and_the_same_alone(GAME, rules, agent, 60, 0.3)


@pytest.mark.parametrize(
    "preset", ["standard", "four_players", "four_players_all_types", "wild_three", "wild_random"]
)
def test_beats_chance(preset: str) -> None:
    rules = GAME.make_rules(preset, auction="off")
    agents = [RuleAgent(GAME, rules), RandomAgent(GAME, rules)]
    outcome = play_deals(GAME, rules, agents, spawn_seeds(3, 200))
    assert not outcome.fouls
    assert outcome.win_shares().mean() > 0.93


@pytest.mark.parametrize("preset", ["standard", "four_players", "wild_three", "wild_random"])
def test_finds_a_landlord_in_nearly_every_deal(preset: str) -> None:
    rules = GAME.make_rules(preset)
    agent = RuleAgent(GAME, rules)
    outcome = play_deals(GAME, rules, [agent, agent], spawn_seeds(4, 200))
    won = (outcome.payoffs.max(2) > 0).mean()
    assert won > 0.95
