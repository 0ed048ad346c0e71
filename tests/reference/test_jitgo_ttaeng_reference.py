"""The reference of Dori-jitgo-ttaeng against the golden cases and the probabilities of 3.7."""

import json
import random
from collections import Counter
from functools import cache
from itertools import combinations, repeat
from pathlib import Path
from typing import Any

import pytest

from .jitgo_ttaeng import (
    DECKS,
    HWANG,
    ORDER,
    Build,
    Hand,
    Match,
    Options,
    Result,
    build_pots,
    evaluate,
    find_builds,
    month,
    name_pair,
    pay_pots,
    redealt_seats,
    winners,
)
from .jitgo_ttaeng_banker import Bank, pile_wins

Case = dict[str, Any]

CASES_FILE = Path(__file__).parents[1] / "cases" / "jitgo_ttaeng.jsonl"
CASES: list[Case] = [json.loads(line) for line in CASES_FILE.read_text("utf-8").splitlines()]
CLASSIC = Options(gwang=False, seotda=False)
MODERN = Options()
FULL = Options(special=True)
SCHEDULES = {1: (5,), 2: (4, 1), 3: (2, 2, 1)}
"""A deal for each number of betting rounds; the cases name only that."""


def deck_of(*hands: str) -> list[str]:
    """A deck that gives the players these hands, from the sun on."""
    return [card for cards in zip(*map(str.split, hands), strict=True) for card in cards]


HWANG_HAND, GABO = "1R 2R 3R 4A 9R", "5A 7A 8G 9A 10A"
HWANG_GABO_GABO = deck_of(HWANG_HAND, GABO, "5R 7R 8A 3G 6R")


def cases(kind: str) -> list[Any]:
    """Parameters of the golden cases of one kind."""
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] == kind]


def options_of(case: Case) -> Options:
    """The options of a case; those of the banker's cases begin with the classic ranking (J04)."""
    table = dict(case.get("table", {}))
    if "rounds" in table:
        table["deal_schedule"] = SCHEDULES[table.pop("rounds")]
    base = {"gwang": False, "seotda": False} if case["kind"] == "banker" else {}
    return Options(**{**base, **case.get("options", {}), **table})


def result_of(hand: Any, opt: Options) -> Result | None:
    """A hand of a case: five cards, a bare strength, or nothing."""
    if hand is None:
        return None
    return Result(ORDER[hand], hand) if isinstance(hand, int) else evaluate(tuple(hand), opt)


@pytest.mark.parametrize("case", cases("evaluate"))
def test_3_3_evaluate_case(case: Case) -> None:
    opt, out = options_of(case), case["expect"]
    hand = evaluate(tuple(case["cards"]), opt)

    def plain(build: Build) -> tuple[Any, ...]:
        return frozenset(build.build), frozenset(build.rest), build.name, build.strength

    found = {plain(build) for build in find_builds(case["cards"], opt)}
    assert found == {plain(Build(**build)) for build in out["builds"]}
    assert {frozenset(b.rest) for b in hand.counting} == {frozenset(r) for r in out["best_rest"]}
    assert (hand.name, hand.strength, hand.is_chunchu, hand.strength == 0) == (
        out["name"],
        out["strength"],
        out["chunchu"],
        out["hwang"],
    )


@pytest.mark.parametrize("case", cases("compare"))
def test_3_6_compare_case(case: Case) -> None:
    opt, out = options_of(case), case["expect"]
    hands = {i: evaluate(tuple(hand), opt) for i, hand in enumerate(case["hands"])}
    redealt = redealt_seats(hands, opt) if case.get("redeals_left", 1) > 0 else []
    assert [hand.name for hand in hands.values()] == out["names"]
    assert [hand.strength for hand in hands.values()] == out["strengths"]
    assert (redealt, bool(redealt)) == (out["redealt"], out["redeal"])
    assert ([] if redealt else winners(hands, opt)) == out["winners"]


@pytest.mark.parametrize("case", cases("pots"))
def test_4_5_pots_case(case: Case) -> None:
    opt, contrib = options_of(case), case["contrib"]
    live = [i for i, folded in enumerate(case["folded"]) if not folded]
    hands = {i: result_of(case["hands"][i], opt) or HWANG for i in live}
    pots = build_pots(contrib, live, hands, opt)
    payout = pay_pots(pots, len(contrib), case.get("sun", 0))
    assert case["expect"] == {
        "pots": [pot._asdict() for pot in pots],
        "payout": payout,
        "net": [won - paid for won, paid in zip(payout, contrib, strict=True)],
    }


@pytest.mark.parametrize("case", cases("betting"))
def test_4_betting_case(case: Case) -> None:
    opt, out = options_of(case), case["expect"]
    hand = Hand(opt, case["stacks"], case.get("sun", 0))
    steps = []
    for action in case["actions"]:
        steps.append({"actor": hand.actor, "legal": hand.legal(), "action": action})
        hand.act(action)
    names = ("phase", "round", "actor", "pot", "stacks", "contrib", "round_bets", "raises")
    state = {name: getattr(hand, name) for name in (*names, "folded")}
    assert steps == out["steps"]
    assert state | {"current_bet": hand.current} == out["state"]
    assert hand.legal() == out["legal"]
    if "result" in out:
        given = case.get("hands") or [None] * len(case["stacks"])
        end = hand.settle([result_of(cards, opt) for cards in given], opt.max_redeals)
        found = {"redeal": bool(end.redealt), "redealt": end.redealt}
        found |= {"pots": [pot._asdict() for pot in end.pots]}
        found |= {name: getattr(end, name) for name in ("payout", "stacks", "net", "next_sun")}
        assert {name: found[name] for name in out["result"]} == out["result"]


@pytest.mark.parametrize("case", cases("banker"))
def test_5_banker_case(case: Case) -> None:
    opt, out = options_of(case), case["expect"]
    # A round without bets takes a deal that nobody sees (J40); the case leaves it out.
    unseen = dict.fromkeys(("banker", "A", "B", "C"), ("1G",) * 5)
    deals = list(case["deals"])
    bank = Bank(opt, case["stacks"], case.get("banker", 0), iter(lambda: unseen, None))
    steps = []
    for action in case["actions"]:
        steps.append(
            {"phase": bank.phase, "actor": bank.actor, "legal": bank.legal(), "action": action}
        )
        if action.startswith("BET") and not bank.bets and deals:
            bank.deal = deals.pop(0)
        bank.act(action)
    names = ("phase", "actor", "banker", "bank", "stake", "stacks")
    state = {name: getattr(bank, name) for name in names} | {"rounds": bank.num_rounds}
    assert steps == out["steps"]
    assert state == out["state"]
    assert bank.legal() == out["legal"]
    assert out["rounds"] == [
        {
            "bets": {str(seat): list(bet) for seat, bet in done.bets.items()},
            "piles": done.piles or None,
            "payments": {str(seat): chips for seat, chips in done.payments.items()},
            "bank": done.bank,
            "passed": done.passed,
        }
        for done in bank.rounds
    ]


@cache
def count_hands(deck: int, opt: Options) -> Counter[str]:
    """Everything that the probability cases count over all hands."""
    counts: Counter[str] = Counter()
    for cards in combinations(DECKS[deck], 5):
        hand, builds = evaluate(cards, opt), find_builds(cards, opt)
        names = {build.name for build in builds}
        counts["total"] += 1
        counts["build" if builds else "hwang"] += 1
        counts[f"name:{hand.name}"] += 1
        counts[f"builds:{len(builds)}"] += 1
        counts["ttaeng"] += any(name.startswith("ttaeng_") for name in names)
        counts["best_is_ttaeng"] += hand.name.startswith("ttaeng_")
        counts["chunchu"] += hand.is_chunchu
        counts["several_builds"] += len(builds) > 1
        counts["several_results"] += len(names) > 1
    return counts


def count_duels(deck: int, opt: Options, face: str | None) -> Counter[str]:
    """A pile against the banker over all pairs of disjoint hands (3.7).

    Without gwang and special hands only months matter: month counts with their weights will do.
    """
    copies = deck // 10
    strengths: dict[tuple[int, ...], int] = {}
    for cards in combinations(DECKS[deck], 5):
        months = tuple(map(month, cards))
        if months not in strengths:
            strengths[months] = evaluate(cards, opt).strength
    total: Counter[str] = Counter()
    held = Counter([month(face)] if face else [])
    for pile, pile_strength in strengths.items():
        rest = Counter(pile) - held
        if rest.total() + held.total() != 5:
            continue
        ways = ways_to_hold(rest, {m: copies - held[m] for m in range(1, 11)})
        left = {m: copies - pile.count(m) for m in range(1, 11)}
        for banker, strength in strengths.items():
            num = ways * ways_to_hold(Counter(banker), left)
            total["pairs"] += num
            total["pile"] += num * (pile_strength > strength)
            total["banker"] += num * (pile_strength < strength)
            total["tie"] += num * (pile_strength == strength > 0)
            total["both_hwang"] += num * (pile_strength == strength == 0)
    return total


def ways_to_hold(months: Counter[int], left: dict[int, int]) -> int:
    """Hands with these months out of so many cards of each."""
    ways = 1
    for m, num in months.items():
        for k in range(num):
            ways = ways * (left[m] - k) // (k + 1)
    return ways


def slow_with_40_cards(kind: str) -> list[Any]:
    """The probability cases of one kind; those of the large deck are slow."""
    return [
        pytest.param(case, id=case["id"], marks=pytest.mark.slow if case["deck"] == 40 else ())
        for case in CASES
        if case["kind"] == "probability" and case["count"] == kind
    ]


@pytest.mark.parametrize("case", slow_with_40_cards("hands"))
def test_3_7_hands_case(case: Case) -> None:
    counts = count_hands(case["deck"], options_of(case))
    assert {key: counts[key] for key in case["query"]} == case["expect"]


@pytest.mark.slow
@pytest.mark.parametrize("case", slow_with_40_cards("duel"))
def test_3_7_duel_case(case: Case) -> None:
    counts = count_duels(case["deck"], options_of(case), case.get("face"))
    assert {key: counts[key] for key in case["query"]} == case["expect"]


SHARES = {20: (71.517, 28.483, 5.212), 40: (67.704, 32.296, 6.808)}
KKEUT = {
    (20, CLASSIC): (888, 1144, 918, 1144, 918, 1144, 918, 1144, 918, 1144),
    (20, MODERN): (380, 802, 918, 866, 586, 866, 918, 1144, 918, 1063),
    (40, CLASSIC): (
        34496, 45020, 35276, 45020, 35276, 45020, 35276, 45020, 35276, 45020,
    ),
    (40, MODERN): (15200, 33772, 35276, 34412, 24688, 34412, 35276, 45020, 35276, 44177),
}  # fmt: skip
REST = {  # seryuk to alli, then the ten ttaeng, then gwang 13, 18, 38
    (20, CLASSIC): (0,) * 6 + (78, 82, 78, 82, 80, 84, 80, 84, 80, 80, 0, 0, 0),
    (20, MODERN): (
        250, 256, 260, 258, 278, 278, 78, 80, 78, 82, 80, 84, 78, 84, 80, 80, 80, 81, 82,
    ),
    (40, CLASSIC): (0,) * 6
    + (4364, 4444, 4364, 4444, 4484, 4588, 4508, 4588, 4508, 4504, 0, 0, 0),
    (40, MODERN): (
        9296, 9796, 10404, 10000, 10608, 10608, 4364, 4420, 4364, 4444, 4484, 4588, 4484, 4588,
        4508, 4504, 840, 843, 844,
    ),
}  # fmt: skip
NAMES = [name for name in ORDER[11:] if "chunchu" not in name]


@pytest.mark.parametrize("opt", [CLASSIC, MODERN], ids=["classic", "modern"])
@pytest.mark.parametrize("deck", [20, pytest.param(40, marks=pytest.mark.slow)])
def test_3_7_distribution(deck: int, opt: Options) -> None:
    """The tables of 3.7, and the six percentages of the source."""
    counts = count_hands(deck, opt)
    assert tuple(counts[f"name:kkeut_{n}"] for n in range(10)) == KKEUT[deck, opt]
    assert tuple(counts[f"name:{name}"] for name in NAMES) == REST[deck, opt]
    shares = [100 * counts[key] / counts["total"] for key in ("build", "hwang", "ttaeng")]
    assert tuple(round(share, 3) for share in shares) == SHARES[deck]
    assert counts["chunchu"] == {20: (8, 12), 40: (600, 648)}[deck][opt.gwang]
    if not opt.gwang:
        several = (counts["several_builds"], counts["several_results"])
        assert several == {20: (4000, 248), 40: (180216, 12760)}[deck]


def test_1_3_decks() -> None:
    """Three gwang, eight animals, nine ribbons; 40 cards with the junk."""
    assert Counter(card[-1] for card in DECKS[20]) == {"G": 3, "A": 8, "R": 9}
    assert Counter(map(month, DECKS[40])) == dict.fromkeys(range(1, 11), 4)
    assert DECKS[40][4 * 7 : 4 * 8] == ("8G", "8A", "8J1", "8J2")


def test_3_1_last_digit() -> None:
    """Fact 1: all builds of a hand leave the same last digit, that of the total."""
    for cards in combinations(DECKS[20], 5):
        total = sum(map(month, cards)) % 10
        builds = find_builds(cards, CLASSIC)
        assert {sum(map(month, build.rest)) % 10 for build in builds} <= {total}


def test_3_2_special_pairs() -> None:
    """The pairs that depend on the pictures (J03, J09, J10)."""
    assert name_pair(["7A", "3G"], FULL) == "ttaengjabi"
    assert name_pair(["3R", "7A"], FULL) == "kkeut_0"
    assert name_pair(["3R", "7R"], Options(special=True, ttaengjabi="any37")) == "ttaengjabi"
    assert [name_pair(["4A", card], FULL) for card in ("7A", "7R", "9A", "9R")] == [
        "amhaeng",
        "kkeut_1",
        "meonggusa",
        "gusa",
    ]
    assert [name_pair(["1G", card], MODERN) for card in ("3G", "3R", "8G", "8A")] == [
        "gwang_13",
        "kkeut_4",
        "gwang_18",
        "kkeut_9",
    ]


def test_10_3_four_hands_of_20_cards() -> None:
    """The last digits of the totals of four hands add up to 0 modulo 10."""
    rng = random.Random(3)
    for _ in range(100):
        deck = rng.sample(DECKS[20], 20)
        totals = [sum(map(month, deck[5 * k : 5 * k + 5])) % 10 for k in range(4)]
        assert sum(totals) % 10 == 0


def test_4_6_bust_seats_sit_out_and_the_sun_moves() -> None:
    """J28, J30: the sun loses all to two who share; the sun moves on, and sits out."""
    match = Match(Options(bet_cap=None), [100, 100, 100], 0, repeat(HWANG_GABO_GABO))
    for action in ("ALL_IN", "CHECK_CALL", "CHECK_CALL"):
        match.act(action)
    assert match.settlements[0].pots[0].winners == [1, 2]
    assert (match.stacks, match.sun, match.over) == ([0, 150, 150], 1, False)
    assert (match.hand.actor, match.hand.live) == (1, [1, 2])


def test_4_6_end_match_at_the_first_bust() -> None:
    """J30: the option ends the match where the other one goes on."""
    opt = Options(bet_cap=None, bust="end_match")
    match = Match(opt, [100, 100, 100], 0, repeat(HWANG_GABO_GABO))
    for action in ("ALL_IN", "CHECK_CALL", "FOLD"):
        match.act(action)
    assert (match.stacks, match.over, match.hands_played) == ([0, 210, 90], True, 1)


@pytest.mark.parametrize(("max_redeals", "net"), [(1, [-10, 10]), (0, [10, -10])])
def test_3_6_new_deal(max_redeals: int, net: list[int]) -> None:
    """J12: a gusa gets both new cards; with no new deal left it is 3 kkeut, which wins."""
    decks = [deck_of("7A 10A 3R 4A 9R", "2R 7R 6R 2A 5R"), deck_of(HWANG_HAND, GABO)]
    opt = Options(special=True, max_redeals=max_redeals, max_hands=1)
    match = Match(opt, [100, 100], 0, iter(decks))
    for _ in range(2):
        match.act("CHECK_CALL")
    assert (match.over, match.net) == (True, net)


def test_4_4_illegal_actions_change_nothing() -> None:
    """A refused action leaves the hand as it was."""
    hand = Hand(MODERN, [300, 300])
    before = str(vars(hand))
    for action in ("FOLD", "MAX", "QUARTER", "ALL_IN", "BET"):
        with pytest.raises(ValueError, match="seat 0 may not"):
            hand.act(action)
        assert str(vars(hand)) == before


@pytest.mark.parametrize("opt", [CLASSIC, FULL], ids=["classic", "full"])
def test_5_2_ties_go_to_the_banker(opt: Options) -> None:
    """J41: a pile wins by a stronger hand or by catching, never by a tie or a hwang."""
    assert not pile_wins(("5A", "7A", "8G", "10A", "10R"), ("5R", "7R", "8A", "9A", "1G"), opt)
    hwang = ("1R", "2R", "3J1", "4A", "8J1")
    assert not pile_wins(hwang, ("1J1", "2J1", "3R", "4R", "8J2"), opt)


def test_random_matches_conserve_chips() -> None:
    """Section 10, property 1, over random hands of every structure."""
    rng = random.Random(4)
    tables = [
        Options(special=True, ante=7, deal_schedule=(2, 2, 1)),
        Options(bet_cap=None, max_raises=None, bust="end_match"),
        Options(structure="limit", min_raise="min_bet", ante=0),
    ]
    for number in range(60):
        opt = tables[number % 3]
        stacks = [rng.randint(1, 400) for _ in range(rng.randint(2, 8))]
        decks = iter(lambda: rng.sample(DECKS[40], 40), None)
        match = Match(opt, stacks, rng.randrange(len(stacks)), decks)
        while not match.over:
            legal = match.hand.legal()
            assert min(legal.values()) >= 0
            match.act(rng.choice(list(legal)))
            assert sum(match.stacks) == sum(stacks)
            assert sum(match.hand.stacks) + match.hand.pot == sum(stacks)
        assert all(sum(end.net) == 0 for end in match.settlements)
