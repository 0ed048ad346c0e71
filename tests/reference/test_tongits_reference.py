"""The Tongits reference against the golden cases and the properties of the rules."""

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from .tongits import (
    ACTIONS,
    MELDS,
    PACK,
    RANKS,
    SEATS,
    SUITS,
    VALUE,
    Cards,
    End,
    Hand,
    Match,
    Meld,
    Options,
    action_id,
    choose_random,
    hand_value,
    is_meld,
    is_run,
    knock_winner,
    layoffs,
    melds_in,
    settle,
    sort_cards,
    stockout_winner,
)

Case = dict[str, Any]

CASES_FILE = Path(__file__).parents[1] / "cases" / "tongits.jsonl"
CASES: list[Case] = [json.loads(line) for line in CASES_FILE.read_text("utf-8").splitlines()]
FILIPINO: Case = {
    "dealer_cards": 13,
    "knock_block": "any",
    "challenge_requires_meld": True,
    "stockout_requires_meld": True,
}
OPTION_SETS: list[Case] = [
    {},
    FILIPINO,
    {"tongits_hidden_melds": False, "knock_block": "opponent", "knock_tie": "knocker"},
    {"take_for_layoff": True, "bonus_scope": "hand_and_melds", "knock_block": "any"},
    {"failed_knock_pays_all": False, "failed_challenge_penalty": 2, "bonus_ranks": "A"},
]


def cases(kind: str) -> list[Any]:
    """Parameters of the golden cases of one kind."""
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def options(case: Case) -> Options:
    """The options of a case."""
    return Options.of(**case["in"].get("options", {}))


def as_melds(melds: Iterable[Mapping[str, Any]]) -> list[Meld]:
    """The exposed melds of a case."""
    return [Meld(meld["owner"], frozenset(meld["cards"])) for meld in melds]


@pytest.mark.parametrize("case", cases("melds"))
def test_melds_case(case: Case) -> None:
    """Section 5: every meld inside a hand, in index order."""
    found = [sort_cards(meld) for meld in melds_in(case["in"]["hand"])]
    assert found == case["out"]["melds"]


@pytest.mark.parametrize("case", cases("deadwood"))
def test_deadwood_case(case: Case) -> None:
    """Section 8: the value, and that the arrangement given leaves it."""
    hand, out = case["in"]["hand"], case["out"]
    melded = [card for meld in out["partition"] for card in meld]
    assert hand_value(hand) == out["value"]
    assert all(is_meld(meld) for meld in out["partition"])
    assert len(melded) == len(set(melded))
    assert set(melded) <= set(hand)
    assert sum(VALUE[card] for card in set(hand) - set(melded)) == out["value"]


@pytest.mark.parametrize("case", cases("layoffs"))
def test_layoffs_case(case: Case) -> None:
    """Section 5: every card that joins an exposed meld."""
    found = layoffs(case["in"]["hand"], as_melds(case["in"]["melds"]))
    assert sorted(map(list, found)) == sorted(case["out"]["layoffs"])


@pytest.mark.parametrize("case", cases("legal"))
def test_legal_case(case: Case) -> None:
    """Sections 4 to 6: all legal actions, by id."""
    assert Hand.of_state(options(case), case["in"]["state"]).legal() == case["out"]["legal"]


@pytest.mark.parametrize("case", cases("showdown"))
def test_showdown_case(case: Case) -> None:
    """Sections 6 and 7: who wins a comparison of hands."""
    given, opt = case["in"], options(case)
    totals = [hand_value(hand) for hand in given["hands"]]
    if given["end"] == "knock":
        winner = knock_winner(opt, totals, given["knocker"], given["challengers"])
    else:
        winner = stockout_winner(opt, totals, given["last_drawer"], given["registered"])
    assert case["out"] == {"totals": totals, "winner": winner}


@pytest.mark.parametrize("case", cases("score"))
def test_score_case(case: Case) -> None:
    """Section 9: payoffs of an ended hand."""
    given = {name: value for name, value in case["in"].items() if name != "options"}
    end = End(kind=given.pop("end"), **given)
    assert settle(options(case), end) == case["out"]["payoffs"]


@pytest.mark.parametrize("case", cases("flow"))
def test_flow_case(case: Case) -> None:
    """Sections 3 to 9: a script from a deal or a state."""
    given, opt = case["in"], options(case)
    if "state" in given:
        hand = Hand.of_state(opt, given["state"])
    else:
        deal = given["deal"]
        hand = Hand.of_deal(opt, deal["dealer"], deal["hands"], deal["stock"])
    legal_after = {}
    for step in range(len(given["script"]) + 1):
        if step in given.get("legal_after", []):
            legal_after[str(step)] = hand.legal()
        if step < len(given["script"]):
            seat, action = given["script"][step].split(" ", 1)
            assert int(seat) == hand.player
            hand.act(action)
    final: Case = {
        "phase": hand.phase,
        "hand_counts": [len(cards) for cards in hand.hands],
        "stock": len(hand.stock),
        "discard": hand.pile,
        "melds": [{"owner": meld.owner, "cards": sort_cards(meld.cards)} for meld in hand.melds],
    }
    if hand.phase != "OVER":
        final["player"] = hand.player
    else:
        ended = {"end": hand.end, "winner": hand.winner}
        final |= {**ended, "totals": hand.totals, "payoffs": hand.payoffs}
    assert final == case["out"]["final"]
    assert legal_after == case["out"].get("legal_after", {})


@pytest.mark.parametrize("case", cases("match"))
def test_match_case(case: Case) -> None:
    """Section 10: dealers, rewards with the jackpot, and scores."""
    given = case["in"]
    opt = Options.of(num_hands=len(given["winners"]), **given.get("options", {}))
    match = Match(opt, given["first_dealer"])
    dealers, rewards = [], []
    for winner, payoffs in zip(given["winners"], given["hand_payoffs"], strict=True):
        assert not match.is_over
        dealers.append(match.dealer)
        rewards.append(match.finish_hand(winner, payoffs))
    assert match.is_over
    assert case["out"] == {"dealers": dealers, "rewards": rewards, "scores": match.scores}


@pytest.mark.parametrize("case", cases("hidden"))
def test_hidden_case(case: Case) -> None:
    """Section 11: what an observer can tell apart."""
    given, opt = case["in"], options(case)
    a, b = (
        Hand.of_state(opt, given[name]).view(given["observer"]) for name in ["state_a", "state_b"]
    )
    assert (a == b) == case["out"]["same_observation"]


@pytest.mark.parametrize("case", cases("index"))
def test_index_case(case: Case) -> None:
    """Section 12: action ids."""
    assert action_id(case["in"]["action"]) == case["out"]["id"]


def test_5_counts() -> None:
    """Section 5: 65 sets, 264 runs, each once, and no other subset of 3 or 4 cards is a meld."""
    assert (len(MELDS), len(set(MELDS))) == (329, 329)
    assert sum(is_run(meld) for meld in MELDS) == 264
    assert all(is_meld(meld) for meld in MELDS)
    rng = random.Random(1)
    for size in (2, 3, 4, 5):
        for _ in range(3000):
            cards = frozenset(rng.sample(PACK[:6] + PACK[13:19] + PACK[26:30], size))
            assert is_meld(cards) == (cards in MELDS)


def test_12_ids() -> None:
    """Section 12: 541 ids."""
    assert (len(ACTIONS), len(set(ACTIONS))) == (541, 541)


def random_hand(rng: random.Random, size: int) -> list[str]:
    """A hand of neighbouring ranks, so that it holds many melds."""
    low, width = rng.randrange(9), rng.randint(4, 5)
    near = [card for card in PACK if card[0] in RANKS[low : low + width]]
    return rng.sample(near, min(size, len(near)))


def least_by_definition(hand: Cards) -> int:
    """The minimum over all families of disjoint melds (section 8), family by family."""
    values, todo = [], [(hand, melds_in(hand))]
    while todo:
        loose, melds = todo.pop()
        values.append(sum(VALUE[card] for card in loose))
        for i, meld in enumerate(melds):
            todo.append((loose - meld, [later for later in melds[i:] if not later & meld]))
    return min(values)


def test_8_value_equals_the_definition() -> None:
    """Section 13.4: the recursion finds the minimum over all families of disjoint melds."""
    rng = random.Random(2)
    for _ in range(150):
        hand = frozenset(random_hand(rng, rng.randint(5, 12)))
        assert hand_value(hand) == least_by_definition(hand)


def test_13_4_melds_and_cards_change_the_value() -> None:
    """A meld taken out lowers nothing; a card adds at most its own value."""
    rng = random.Random(3)
    for _ in range(300):
        *hand, card = random_hand(rng, 13)
        value = hand_value(hand)
        assert all(value <= hand_value(set(hand) - meld) for meld in melds_in(hand))
        assert hand_value([*hand, card]) <= value + VALUE[card]


def shuffled(rng: random.Random) -> list[str]:
    """The pack in random order."""
    return rng.sample(PACK, len(PACK))


def check_cards(hand: Hand) -> None:
    """Section 13.1: every card in exactly one place."""
    held = [card for cards in hand.hands for card in cards]
    exposed = [card for meld in hand.melds for card in meld.cards]
    assert sorted([*held, *exposed, *hand.stock, *hand.pile]) == sorted(PACK)
    if hand.phase in ("DRAW", "PLAY"):
        assert len(held) + len(exposed) == (36 if hand.phase == "DRAW" else 37)


@pytest.mark.parametrize("given", OPTION_SETS, ids=str)
def test_13_random_play(given: Case) -> None:
    """Sections 13.1 to 13.3: cards, termination, payoffs."""
    opt, rng = Options.of(**given), random.Random(4)
    most_turns, most_decisions = (49, 135) if opt.take_for_layoff else (25, 87)
    ends = set()
    for _ in range(60):
        hand = Hand.of_pack(opt, rng.randrange(3), shuffled(rng))
        assert [len(cards) for cards in hand.hands].count(opt.dealer_cards) >= 1
        while hand.phase != "OVER":
            check_cards(hand)
            legal = hand.legal()
            assert legal
            assert sorted(map(action_id, legal)) == list(map(action_id, legal))
            assert hand.stock or hand.phase != "DRAW"
            hand.act(choose_random(legal, rng))
        check_cards(hand)
        assert hand.legal() == []
        assert hand.turns <= most_turns
        assert len(hand.log) <= most_decisions
        assert sum(hand.payoffs) == 0
        assert [seat for seat in SEATS if hand.payoffs[seat] > 0] == [hand.winner]
        ends.add(hand.end)
    assert {"stockout", "knock"} <= ends


def rename(text: str, suits: Mapping[str, str]) -> str:
    """Cards of a text in other suits, sorted anew; only cards end in a suit after a rank."""
    name, *words = text.split()
    cards = [word[0] + suits[word[1]] for word in words if word in PACK]
    return " ".join([name, *sort_cards(cards), *(word for word in words if word not in PACK)])


@pytest.mark.parametrize("given", OPTION_SETS, ids=str)
def test_13_5_suits_and_seats_are_alike(given: Case) -> None:
    """Section 13.5: renamed suits and rotated seats play the same hand."""
    opt, rng = Options.of(**given), random.Random(5)
    for _ in range(20):
        suits = dict(zip(SUITS, rng.sample(SUITS, 4), strict=True))
        turn = rng.randrange(3)
        plain = Hand.of_pack(opt, rng.randrange(3), shuffled(rng))
        hands = [{rename(f"x {card}", suits)[2:] for card in cards} for cards in plain.hands]
        turned = [hands[(seat - turn) % 3] for seat in SEATS]
        stock = [rename(f"x {card}", suits)[2:] for card in plain.stock]
        other = Hand.of_deal(opt, (plain.dealer + turn) % 3, turned, stock)
        while plain.phase != "OVER":
            assert other.player == (plain.player + turn) % 3
            assert {rename(action, suits) for action in plain.legal()} == set(other.legal())
            action = choose_random(plain.legal(), rng)
            plain.act(action)
            other.act(rename(action, suits))
        assert other.end == plain.end
        assert other.payoffs == [plain.payoffs[(seat - turn) % 3] for seat in SEATS]


def swap_hidden(hand: Hand, observer: int, rng: random.Random) -> Hand:
    """The same hand with all cards that `observer` cannot see dealt anew."""
    others = [seat for seat in SEATS if seat != observer]
    hidden = [*hand.stock, *(card for seat in others for card in sort_cards(hand.hands[seat]))]
    rng.shuffle(hidden)
    hands = list(hand.hands)
    stock = [hidden.pop() for _ in hand.stock]
    for seat in others:
        hands[seat] = frozenset(hidden.pop() for _ in hand.hands[seat])
    return Hand(**{**vars(hand), "hands": hands, "stock": stock})


def test_13_6_hidden_cards_do_not_show() -> None:
    """Section 13.6: exchanged hidden cards change no view, mask included."""
    rng = random.Random(6)
    for _ in range(20):
        hand = Hand.of_pack(Options.of(**FILIPINO), 0, shuffled(rng))
        while hand.phase != "OVER":
            for observer in SEATS:
                other = swap_hidden(hand, observer, rng)
                assert other.hands != hand.hands
                assert other.view(observer) == hand.view(observer)
            hand.act(choose_random(hand.legal(), rng))


def knock_at(totals: Sequence[str], sapawed: bool = False, **given: Any) -> Hand:
    """Seat 0 to draw, with a meld on the table; each seat holds the cards named."""
    held = {card for cards in totals for card in cards.split()}
    melds = [{"owner": 0, "cards": ["QS", "QH", "QD"]}, {"owner": 1, "cards": ["6C", "7C", "8C"]}]
    rest = [card for card in PACK if card not in held and card not in "QS QH QD 6C 7C 8C"]
    state = {
        "phase": "DRAW", "player": 0, "dealer": 0, "hands": [cards.split() for cards in totals],
        "stock": rest[:5], "discard": rest[5:], "melds": melds, "sapawed": [sapawed, False, False],
        "knocker": None, "responses": {},
    }  # fmt: skip
    return Hand.of_state(Options.of(**given), state)


@pytest.mark.parametrize("block", ["none", "opponent", "any"])
def test_6_flag_blocks_one_knock(block: str) -> None:
    """D9: the flag bars the knock, and drawing clears it."""
    hand = knock_at(["5S QC", "2D", "9C"], sapawed=block != "none", knock_block=block)
    assert ("KNOCK" in hand.legal()) == (block == "none")
    hand.act("DRAW")
    assert not hand.sapawed[0]
    hand.act("LAYOFF QC SET")
    assert hand.sapawed[0] == (block == "any")


def test_6_unregistered_seat_is_not_asked() -> None:
    """D10: seat 2 owns no meld, so seat 1 alone answers."""
    hand = knock_at(["5S", "2D", "3S"], challenge_requires_meld=True)
    hand.act("KNOCK")
    assert hand.player == 1
    hand.act("FOLD")
    assert (hand.phase, hand.winner, hand.payoffs) == ("OVER", 0, [3, -1, -2])


def test_4_refused_action_changes_nothing() -> None:
    """An illegal action leaves the hand as it was."""
    hand = knock_at(["5S", "2D", "3S"])
    before = str(vars(hand))
    for action in ("FOLD", "DISCARD 5S", "KNOCK 5S", "TAKE 2C 3C 4C", ""):
        with pytest.raises(ValueError, match="seat 0 may not"):
            hand.act(action)
        assert str(vars(hand)) == before


@pytest.mark.parametrize(
    "given",
    [
        {"dealer_cards": 14},
        {"first_dealer": 3},
        {"next_dealer": "loser"},
        {"num_hands": 0},
        {"tongits_hidden_melds": 1},
        {"knock_tie": "draw"},
        {"knock_block": True},
        {"score_base": -1},
        {"bonus_ranks": "AQ"},
        {"bonus_scope": "melds"},
        {"jackpot_ante": -1},
        {"jackpot_streak": 1},
    ],
    ids=str,
)
def test_2_bad_options_are_refused(given: Case) -> None:
    """Values that section 2 does not list."""
    with pytest.raises(ValueError, match="must be"):
        Options.of(**given)


def test_10_streak_restarts_after_the_pot() -> None:
    """D23: a third win in a row does not take the pot again, a fourth does."""
    match = Match(Options.of(num_hands=4, jackpot_ante=1, next_dealer="rotate"), 2)
    rewards = [match.finish_hand(0, [2, -1, -1])[0] for _ in range(4)]
    assert rewards == [1, 1 + 6, 1, 1 + 6]
    assert (sum(match.scores), match.dealer) == (0, 0)
