"""The Dou Dizhu reference against the golden cases, the counts of the rules and brute force."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from .doudizhu import (
    RANKS,
    Auction,
    Move,
    Options,
    Play,
    all_moves,
    beats,
    format_cards,
    legal_moves,
    match_winners,
    next_first_bidder,
    readings,
    settle,
    shapes,
)

Case = dict[str, Any]

CASES_FILE = Path(__file__).parents[1] / "cases" / "doudizhu.jsonl"
CASES: list[Case] = [json.loads(line) for line in CASES_FILE.read_text("utf-8").splitlines()]
RLCARD = {
    "kicker_solo_max_same": 3,
    "kicker_pair_max_same": 1,
    "kicker_adjacent_trio": False,
}
PAGAT = {"kicker_solo_max_same": 1, "kicker_pair_max_same": 1}
DOUZERO = {"kicker_rocket": True, "kicker_pair_max_same": 1}
FOUR_FULL = {"players": 4, "solo_kickers": True, "four_two_pair": True}


def cases(kind: str, refused: bool = False) -> list[Any]:
    """Parameters of the golden cases of one kind, by whether their options are refused."""
    chosen = [case for case in CASES if case["kind"] == kind]
    chosen = [case for case in chosen if ("wild_big_bombs" in case["opt"]) == refused]
    return [pytest.param(case, id=case["id"]) for case in chosen]


def parse_move(declared: list[Any] | None) -> Move | None:
    """A declared move of a case; its cards may come in any order."""
    return None if declared is None else Move(*declared)


def count_kinds(moves: Iterator[Move] | set[Move]) -> dict[str, int]:
    """Moves of each kind."""
    return dict(Counter(move.kind for move in moves))


def run_auction(case: Case) -> Auction:
    """The auction of a case after its actions."""
    opt = Options.of(**case["opt"])
    auction = Auction(opt, case["first"], case.get("earlier_all_pass", 0))
    for action in case["actions"]:
        auction.act(action)
    return auction


def score_fields(result: Any) -> Case:
    """The fields that a scored hand shares in cases of two kinds."""
    return {
        "spring": result.spring,
        "counted_bombs": result.counted_bombs,
        "multiplier": result.multiplier,
        "payoffs": result.payoffs,
    }


@pytest.mark.parametrize("case", cases("classify"))
def test_classify_case(case: Case) -> None:
    """Section 5 and 11.3: all readings of the cards."""
    expected = {tuple(reading) for reading in case["out"]}
    assert readings(case["cards"], Options.of(**case["opt"])) == expected


@pytest.mark.parametrize("case", cases("classify", refused=True))
def test_unsupported_option_is_refused(case: Case) -> None:
    """Section 2: what is not supported is refused, never ignored."""
    with pytest.raises(ValueError, match="wild_big_bombs"):
        Options.of(**case["opt"])


@pytest.mark.parametrize("case", cases("beats"))
def test_beats_case(case: Case) -> None:
    """Section 6, 10.5, 11.6: a valid reading that may be played on the old one."""
    opt = Options.of(**case["opt"])
    new, old = Move(*case["new"]), Move(*case["old"])
    assert old[:3] in readings(old.cards, opt)
    assert (new[:3] in readings(new.cards, opt) and beats(new, old, opt)) == case["out"]


@pytest.mark.parametrize("case", cases("legal"))
def test_legal_case(case: Case) -> None:
    """Sections 5 to 7: the complete list of legal moves."""
    opt, out = Options.of(**case["opt"]), case["out"]
    moves = legal_moves(case["hand"], parse_move(case["prev"]), opt, case.get("bombs_left"))
    lines = sorted("/".join(map(str, move)) for move in moves)
    assert out["can_pass"] == (case["prev"] is not None)
    assert len(moves) == out["count"]
    assert count_kinds(moves) == out["by_type"]
    if "moves" in out:
        assert lines == out["moves"]
    else:
        assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == out["sha256"]


@pytest.mark.parametrize("case", cases("auction"))
def test_auction_case(case: Case) -> None:
    """Section 4 and 10.10: state, legal actions and bomb limits after the actions."""
    auction = run_auction(case)
    found: Case = {
        "status": auction.status,
        "turn": auction.turn,
        "legal": auction.legal() or None,
        "landlord": auction.landlord,
        "base": auction.base,
        "snatches": auction.snatches,
    }
    if "bomb_limit" in case["out"]:
        found["bomb_limit"] = {str(i): limit for i, limit in enumerate(auction.bomb_limits())}
    legal = case["out"]["legal"]
    assert found == {**case["out"], "legal": None if legal is None else set(legal)}


@pytest.mark.parametrize("case", cases("score"))
def test_score_case(case: Case) -> None:
    """Section 8: from the auction to the payoffs."""
    auction, opt = run_auction(case), Options.of(**case["opt"])
    assert auction.landlord is not None
    assert auction.base is not None
    bombs = [(kind, n) for kind, n in case["bombs"]]
    terms = (auction.landlord, auction.base, auction.snatches, case.get("doubles"))
    result = settle(opt, *terms, case["winner"], bombs, case["plays"])
    found = {"landlord": auction.landlord, "base": auction.base, **score_fields(result)}
    assert found == case["out"]


@pytest.mark.parametrize("case", cases("flow"))
def test_flow_case(case: Case) -> None:
    """Section 7: a script of plays up to its end or its first illegal play."""
    opt = Options.of(**case["opt"])
    given = case.get("bomb_limit", {})
    limits = [given.get(str(seat)) for seat in range(opt.players)]
    play = Play(opt, case["hands"], case["landlord"], case["base"], bomb_limits=limits)
    found: Case = {"error": None}
    for step, (seat, *move) in enumerate(case["plays"]):
        assert seat == play.turn
        try:
            play.act(None if move == ["pass"] else Move(*move))
        except ValueError:
            found["error"] = step
            break
    lead = not play.over and play.prev is None
    found |= {"over": play.over, "winner": play.winner, "turn": play.turn, "lead": lead}
    if play.over:
        found |= score_fields(play)
    elif found["error"] is None:
        found["counts"] = [len(hand) for hand in play.hands]
    assert found == case["out"]


@pytest.mark.parametrize("case", cases("match"))
def test_match_case(case: Case) -> None:
    """Section 9: first bidders, totals and winners."""
    opt, first = Options.of(**case["opt"]), case["first"]
    totals = [0] * opt.players
    first_bidders = []
    for result in case["results"]:
        first_bidders.append(first)
        totals = [a + b for a, b in zip(totals, result["payoffs"], strict=True)]
        first = next_first_bidder(opt, first, result["landlord"], result["winner"], opt.players)
    assert case["out"] == {
        "first_bidders": first_bidders,
        "next_first_bidder": first,
        "totals": totals,
        "match_winners": match_winners(totals),
    }


@pytest.mark.parametrize("case", cases("count"))
def test_count_case(case: Case) -> None:
    """Section 13: number of moves of each kind, and of different card sets."""
    moves = list(all_moves(Options.of(**case["opt"])))
    assert case["out"] == {
        "by_type": count_kinds(set(moves)),
        "moves": len(moves),
        "distinct_card_sets": len({move.cards for move in moves}),
    }


@pytest.mark.parametrize(
    ("given", "num_moves", "num_card_sets"),
    [
        ({"kicker_rocket": True}, 34152, 33675),
        (PAGAT, 12654, 12654),
        (DOUZERO, 30383, 29984),
        ({"players": 4, "kicker_pair_max_same": 1}, 7951, 7951),
        pytest.param(FOUR_FULL, 112606, 109603, marks=pytest.mark.slow),
        pytest.param({"wild_rank": "3"}, 2135876, 1604327, marks=pytest.mark.slow),
        pytest.param({"wild_rank": "A"}, 2135876, None, marks=pytest.mark.slow),
        pytest.param({"wild_rank": "2"}, 2395505, 1806584, marks=pytest.mark.slow),
        pytest.param({"wild_rank": "8"}, 1266172, 1018761, marks=pytest.mark.slow),
        pytest.param({"wild_rank": "9"}, 1266172, 1018761, marks=pytest.mark.slow),
    ],
)
def test_13_counts(given: Case, num_moves: int, num_card_sets: int | None) -> None:
    """Section 13: the other rows of the table."""
    num, card_sets = 0, set()
    for move in all_moves(Options.of(**given)):
        num += 1
        card_sets.add(move.cards)
    assert num == num_moves
    assert num_card_sets in (None, len(card_sets))


def test_14_1_declarations() -> None:
    """The declarations in use that 14.1 counts."""
    assert len(shapes(Options.of())) == 308
    assert len(shapes(Options.of(players=4))) == 323
    assert len(shapes(Options.of(**FOUR_FULL))) == 418


BRUTE_OPTIONS: list[Case] = [
    {},
    RLCARD,
    PAGAT,
    DOUZERO,
    {"solo_kickers": False, "four_two_pair": False},
    {"players": 4},
    {**FOUR_FULL, "kicker_rocket": True},
    {**FOUR_FULL, **RLCARD},
    {"wild_rank": "3"},
    {"wild_rank": "7", **RLCARD},
    {"wild_rank": "2", **PAGAT, "wild_alone": "own_rank"},
    {"wild_rank": "A", "pure_wild_bomb": "top", "kicker_rocket": True, "wild_alone": "own_rank"},
]


def random_hand(rng: random.Random, opt: Options, size: int) -> str:
    """A hand of few different ranks, so that it holds many combinations; at most 3 wild cards."""
    start, width = rng.randrange(13), rng.randint(3, 6)
    ranks = {RANKS[i % 15] for i in range(start, start + width)} | {opt.wild_rank}
    deck = [card for card in opt.pack.elements() if card in ranks]
    hand = format_cards(Counter(rng.sample(deck, min(size, len(deck)))))
    return (
        hand.replace(opt.wild_rank, "", 1)
        if opt.wild_rank and hand.count(opt.wild_rank) > 3
        else hand
    )


def moves_by_definition(hand: str, opt: Options) -> set[Move]:
    """Every reading of every sub-multiset of the hand."""
    counts = Counter(hand)
    moves = set()
    for nums in product(*(range(num + 1) for num in counts.values())):
        cards = "".join(rank * num for rank, num in zip(counts, nums, strict=True))
        moves |= {Move(*reading, cards) for reading in readings(cards, opt)}
    return moves


@pytest.mark.parametrize("given", BRUTE_OPTIONS, ids=str)
def test_legal_moves_equal_the_definition(given: Case) -> None:
    """Constructed moves equal the search through all sub-multisets (section 13, 17.3)."""
    opt, rng = Options.of(**given), random.Random(1)
    for _ in range(3 if opt.wild_rank else 8):
        hand, other = random_hand(rng, opt, 9), random_hand(rng, opt, 9)
        moves = moves_by_definition(hand, opt)
        assert legal_moves(hand, None, opt) == moves
        for prev in rng.sample(sorted(legal_moves(other, None, opt)), 5):
            higher = {move for move in moves if beats(move, prev, opt)}
            assert legal_moves(hand, prev, opt) == higher
            calm = {m for m in higher if m.kind not in ("bomb", "soft_bomb", "rocket")}
            assert legal_moves(hand, prev, opt, bombs_left=0) == calm


def test_four_wild_cards_equal_the_definition() -> None:
    """Four wild cards, which may not be named at all under 11.5, have the most namings."""
    for alone, hand in product(("any", "own_rank"), ("7777", "77778", "77779R", "777788R")):
        opt = Options.of(wild_rank="7", wild_alone=alone)
        assert legal_moves(hand, None, opt) == moves_by_definition(hand, opt)


@pytest.mark.parametrize("given", [{}, {"players": 4}, {"wild_rank": "8"}], ids=str)
def test_17_random_games(given: Case) -> None:
    """Cards are conserved, nobody is stuck, payoffs sum to 0 (17.1, 17.2)."""
    opt, rng = Options.of(**given), random.Random(2)
    for _ in range(2 if opt.wild_rank else 10):
        deck = list(opt.pack.elements())
        rng.shuffle(deck)
        size, bottom = (25, 8) if opt.players == 4 else (17, 3)
        hands = ["".join(deck[size * seat : size * (seat + 1)]) for seat in range(opt.players)]
        hands[1] += "".join(deck[len(deck) - bottom :])
        play = Play(opt, hands, landlord=1, base=3)
        played: Counter[str] = Counter()
        while not play.over:
            moves: list[Move | None] = [*sorted(play.legal())]
            assert moves or play.may_pass
            if play.may_pass:
                moves.append(None)
            move = rng.choice(moves)
            play.act(move)
            played.update(move.cards if move else "")
            assert played + Counter("".join(play.hands)) == opt.pack
        assert sum(play.payoffs) == 0
        assert (play.payoffs[1] > 0) == (play.winner == 1)
        assert play.turn is None
        assert not play.legal()
        with pytest.raises(ValueError, match="may not play"):
            play.act(None)


def test_7_illegal_moves_change_nothing() -> None:
    """A refused move leaves the state as it was."""
    play = Play(Options.of(), ["3344", "5556", "78"], landlord=0, base=1)
    illegal = [
        None,
        Move("pair", "5", 1, "55"),
        Move("solo", "4", 1, "3"),
        Move("train", "3", 2, "3344"),
        Move("solo", "X", 1, "X"),
    ]
    before = str(vars(play))
    for move in illegal:
        with pytest.raises(ValueError, match="seat 0 may not play"):
            play.act(move)
        assert str(vars(play)) == before


def test_17_order_of_cards_does_not_matter() -> None:
    """The cards of a play may come in any order (17.5)."""
    play = Play(Options.of(), ["34447", "5556", "78"], landlord=0, base=1)
    play.act(Move("trio_solo", "4", 1, "4434"))
    assert play.prev == Move("trio_solo", "4", 1, "3444")


@pytest.mark.parametrize(
    "given",
    [
        {"players": 5},
        {"auction": "never"},
        {"wild_rank": "B"},
        {"wild_rank": "3", "players": 4},
        {"wild_alone": "own_rank"},
        {"pure_wild_bomb": "top"},
        {"snatch_cap": 2},
        {"snatch_factor": 1},
        {"snatch_by_passers": True},
        {"hands_per_match": 0},
        {"max_redeals": -1},
        {"kicker_solo_max_same": 0},
        {"bomb_counts_from": 7},
    ],
    ids=str,
)
def test_2_bad_options_are_refused(given: Case) -> None:
    """Unknown values and contradictions of section 2."""
    with pytest.raises(ValueError, match=r"must be|must keep"):
        Options.of(**given)


@pytest.mark.parametrize(
    ("given", "earlier", "expected"),
    [
        ({}, 9, ("redeal", None, None)),
        ({}, 10, ("void", None, None)),
        ({"max_redeals": 0}, 0, ("void", None, None)),
        ({"all_pass": "void"}, 0, ("void", None, None)),
        ({"all_pass": "force_first"}, 1, ("redeal", None, None)),
        ({"all_pass": "force_first", "all_pass_limit": 1}, 0, ("forced", 2, 1)),
        ({"all_pass": "force_first", "auction": "continuous"}, 2, ("forced", 2, 1)),
    ],
    ids=str,
)
def test_4_2_all_pass(given: Case, earlier: int, expected: tuple[object, ...]) -> None:
    """Redeals are limited, then the hand is forced or void (4.2, 4.3)."""
    auction = Auction(Options.of(**given), 2, earlier)
    for _ in range(3):
        auction.act("pass")
    assert (auction.status, auction.landlord, auction.base) == expected


@pytest.mark.parametrize(
    ("given", "actions", "expected"),
    [
        ({}, "pass pass 3", ("landlord", 2, 0)),
        ({"snatch_by_passers": True}, "pass 3 decline snatch", ("open", None, 1)),
        ({"snatch_by_passers": True}, "pass 3 decline snatch decline", ("landlord", 0, 1)),
        ({"snatch_by_passers": True}, "pass 3 decline decline", ("landlord", 1, 0)),
        ({"snatch_cap": 1}, "3 snatch", ("landlord", 1, 1)),
        ({"snatch_cap": 2}, "3 snatch snatch", ("landlord", 2, 2)),
        ({}, "3 decline snatch snatch", ("landlord", 0, 2)),
        ({"auction": "continuous"}, "1 pass 2 3 snatch decline", ("landlord", 2, 1)),
        ({"players": 4}, "3 snatch decline snatch snatch", ("landlord", 0, 3)),
        ({"players": 4}, "3 snatch snatch snatch", ("landlord", 3, 3)),
    ],
    ids=str,
)
def test_4_5_snatching(given: Case, actions: str, expected: tuple[object, ...]) -> None:
    """Who is asked, and when the snatch phase ends (4.5)."""
    auction = Auction(Options.of(snatch=True, **given), 0)
    for action in actions.split():
        auction.act(action)
    assert (auction.status, auction.landlord, auction.snatches) == expected


def test_4_illegal_bid_changes_nothing() -> None:
    """A refused bid leaves the auction as it was."""
    auction = Auction(Options.of(), 0)
    auction.act("2")
    before = str(vars(auction))
    for action in ("1", "2", "snatch", "4", ""):
        with pytest.raises(ValueError, match="seat 1 may not"):
            auction.act(action)
    assert str(vars(auction)) == before


def test_auction_off_makes_the_first_bidder_landlord() -> None:
    """Without an auction nobody had a turn to bid, so nobody has a bomb limit."""
    auction = Auction(Options.of(auction="off", farmer_bomb_limit=True), 2)
    assert (auction.status, auction.landlord, auction.base) == ("landlord", 2, 1)
    assert (auction.turn, auction.legal()) == (None, set())
    assert auction.bomb_limits() == [None] * 3


@pytest.mark.parametrize(
    ("given", "actions", "limits"),
    [
        ({}, "pass 2 3 snatch decline", [1, None, None]),
        ({}, "3 snatch decline decline", [None, None, None]),
        ({"all_pass": "force_first", "all_pass_limit": 1}, "pass pass pass", [None, 1, 1]),
        ({"auction": "continuous"}, "1 2 pass 3", [None, 2, 1]),
    ],
    ids=str,
)
def test_10_10_bomb_limits(given: Case, actions: str, limits: list[int | None]) -> None:
    """Limits by the highest own bid; none after 3, without a turn, for the landlord."""
    auction = Auction(Options.of(farmer_bomb_limit=True, snatch="3" in actions, **given), 0)
    for action in actions.split():
        auction.act(action)
        if auction.status != "open":
            break
    assert auction.bomb_limits() == limits


@pytest.mark.parametrize(
    ("option", "after_win", "after_void"),
    [("winner", 2, 1), ("landlord", 0, 1), ("rotate", 2, 2), ("face_up", None, None)],
)
def test_9_2_next_first_bidder(option: str, after_win: int | None, after_void: int | None) -> None:
    """Every value of the option, after a hand that was won and a void one."""
    opt = Options.of(first_bidder_next=option)
    assert next_first_bidder(opt, 1, 0, 2, 3) == after_win
    assert next_first_bidder(opt, 1, None, None, 3) == after_void


def test_4_8_doubles_follow_the_option() -> None:
    """Choices that the doubling option does not offer are refused."""
    with pytest.raises(ValueError, match="doubles must be"):
        settle(Options.of(), 0, 1, 0, [1, 2, 1], 0, [], [1, 1, 1])
    with pytest.raises(ValueError, match="doubles must be"):
        settle(Options.of(doubling="double"), 0, 1, 0, [1, 4, 1], 0, [], [1, 1, 1])
