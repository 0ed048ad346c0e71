"""The Tichu reference against the golden cases, the counts of the rules and brute force."""

import json
import random
from collections import Counter
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import pytest

from tests.reference.tichu import (
    SEATS,
    Action,
    Options,
    Round,
    match_status,
    next_dealer,
    points,
    settle,
)
from tests.reference.tichu_combinations import (
    ORDINARY_RANKS,
    PACK,
    PHOENIX,
    SHAPES,
    Play,
    Reading,
    all_plays,
    beats,
    bombs_on,
    class_of,
    plays_on,
    put_on,
    readings,
    sort_cards,
    straight_flush_cards,
    turn_plays,
    wished_plays,
)

Case = dict[str, Any]

CASES_FILE = Path(__file__).parents[1] / "cases" / "tichu.jsonl"
CASES: list[Case] = [json.loads(line) for line in CASES_FILE.read_text("utf-8").splitlines()]


def cases(*kinds: str) -> list[Any]:
    """Parameters of the golden cases of some kinds."""
    return [pytest.param(case, id=case["id"]) for case in CASES if case["kind"] in kinds]


def parse_top(text: str | None) -> Reading | None:
    return None if text is None else Reading.parse(text)


def parse_action(text: str) -> Action:
    return Play.parse(text) if "=" in text else text


def by_seat(values: dict[str, Any] | None, blank: Any) -> list[Any]:
    return [(values or {}).get(str(seat), blank) for seat in SEATS]


def start(case: Case, given: Case) -> Round:
    """The position of a case before its script."""
    opt = Options(**case.get("options", {}))
    if "deck" in given:
        return Round.deal(opt, given["deck"], given["dealer"])
    table = given.get("table", {})
    return Round(
        opt=opt,
        hands=[sort_cards(hand) for hand in by_seat(given["hands"], ())],
        turn=given["turn"],
        top=parse_top(table.get("top")),
        owner=table.get("owner"),
        pile=list(table.get("pile", [])),
        passes=table.get("passes", 0),
        wish=given.get("wish"),
        finish=list(given.get("finish", [])),
        played=set(given.get("played", [])),
        calls={int(seat): call for seat, call in given.get("calls", {}).items()},
        won=[list(cards) for cards in by_seat(given.get("won"), ())],
    )


def describe(table: Round) -> Case:
    """What the cases say about a position."""
    found: Case = {
        "finish": table.result.finish if table.result else table.finish,
        "wish": table.wish,
        "calls": {str(seat): call for seat, call in sorted(table.calls.items())},
        "hand_counts": [len(hand) for hand in table.hands],
        "won_points": [points(cards) for cards in table.won],
    }
    if table.result:
        result = table.result._asdict()
        return found | {"next": "round_end"} | result
    assert table.question
    seat, phase, choices = table.question
    top = None if table.top is None else str(table.top)
    found |= {"next": phase, "seat": seat, "top": top, "owner": table.owner}
    return found | {"choices": sorted(map(str, choices))}


@pytest.mark.parametrize("case", cases("classify"))
def test_classify_case(case: Case) -> None:
    """Section 4: all readings of the cards."""
    assert {str(reading) for reading in readings(case["input"]["cards"])} == set(
        case["expect"]["readings"]
    )


@pytest.mark.parametrize("case", cases("beats"))
def test_beats_case(case: Case) -> None:
    """Section 5 and 8.3: the readings that may be put on top."""
    top = parse_top(case["input"]["top"])
    found = {put_on(reading, top) for reading in readings(case["input"]["cards"])}
    assert {str(reading) for reading in found if reading} == set(case["expect"]["beats"])


@pytest.mark.parametrize("case", cases("legal", "wish"))
def test_legal_case(case: Case) -> None:
    """Sections 6, 7 and 9: the complete list of legal plays, and passing."""
    given, expected = case["input"], case["expect"]
    hand, top, wish = sort_cards(given["hand"]), parse_top(given["top"]), given["wish"]
    if given["phase"] == "turn":
        plays, may_pass = turn_plays(hand, top, wish)
        obliged = bool(wished_plays(plays, wish))
    else:
        plays = bombs_on(hand, top)
        wished = wished_plays(plays, wish) if given["phase"] == "collect" else []
        plays, may_pass, obliged = wished or plays, not wished, bool(wished)
    found: Case = {"may_pass": may_pass, "count": len(plays), "obliged": obliged}
    found |= {"plays": sorted(map(str, plays))}
    if "plays" in expected:
        expected = expected | {"plays": sorted(expected["plays"])}
    assert {key: found[key] for key in expected} == expected
    assert len(set(plays)) == len(plays)


@pytest.mark.parametrize("case", cases("score"))
def test_score_case(case: Case) -> None:
    """Section 10: from the captured cards to the end of the match."""
    given = case["input"]
    calls = {int(seat): call for seat, call in given["calls"].items()}
    result = settle(given["finish"], by_seat(given["won"], ()), by_seat(given["left"], ()), calls)
    found: Case = result._asdict()
    if "scores_before" in given:
        before = given["scores_before"]
        scores = [a + b for a, b in zip(before, result.round_points, strict=True)]
        opt = Options(target_score=given.get("target", 1000))
        over, winner = match_status(scores, 1, opt)
        found |= {"scores": scores, "over": over, "winner": winner}
    assert found == case["expect"]


@pytest.mark.parametrize("case", cases("flow"))
def test_flow_case(case: Case) -> None:
    """Sections 3 and 6 to 10: who is asked what, and the position after it."""
    table = start(case, case["input"]["start"])
    for seat, phase, action in case["input"]["script"]:
        assert table.question
        assert table.question[:2] == (seat, phase)
        table.act(parse_action(action))
    expected = case["expect"]
    if "choices" in expected:
        expected = expected | {"choices": sorted(expected["choices"])}
    found = describe(table)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("case", cases("hidden"))
def test_hidden_case_can_be_played(case: Case) -> None:
    """Section 11: both histories of a pair are legal, whatever is seen of them."""
    for history in (case["input"]["a"], case["input"]["b"]):
        table = start(case, history["start"])
        for seat, phase, action in history["script"]:
            assert table.question
            assert table.question[:2] == (seat, phase)
            table.act(parse_action(action))
        assert table.question


def test_12_1_readings() -> None:
    """369 declarations with type, length and ranks."""
    kinds = Counter(reading.kind for reading in SHAPES)
    assert kinds == {
        "pair": 13, "triple": 13, "stairs": 57, "fullhouse": 156, "straight": 55,
        "quad": 13, "sflush": 45,
    }  # fmt: skip
    singles = {reading for card in PACK for reading in readings([card])}
    assert len(SHAPES) + len(singles) == 369


def test_12_1_readings_with_the_rank_of_the_phoenix() -> None:
    """1,376 with the rank that the phoenix stands for."""
    slots = {
        reading: sum(rank in ORDINARY_RANKS for rank in needed)
        for reading, needed in SHAPES.items()
        if reading.kind not in ("quad", "sflush")
    }
    added = Counter[str]()
    for reading, num in slots.items():
        added[reading.kind] += num
    assert added == {"pair": 13, "triple": 13, "stairs": 239, "fullhouse": 312, "straight": 430}
    assert 369 + added.total() == 1376


def count_card_sets(reading: Reading) -> int:
    """Plays with this reading that the whole pack allows, counted without listing them."""
    needed = SHAPES[reading]
    ways = {rank: comb(4 if rank > 1 else 1, num) for rank, num in needed.items()}
    total = 1
    for num in ways.values():
        total *= num
    one_suit = 0 if 1 in needed else 4
    if reading.kind == "sflush":
        return one_suit
    num_plays = total - (one_suit if reading.kind == "straight" else 0)
    if reading.kind == "quad":
        return num_plays
    for rank in set(needed) & set(ORDINARY_RANKS):
        num_plays += total // ways[rank] * comb(4, needed[rank] - 1)
    return num_plays


def test_12_1_card_sets() -> None:
    """873,322,273 plays of the whole pack, by kind as far as the rules give them."""
    counts = Counter[str]()
    for reading in SHAPES:
        counts[reading.kind] += count_card_sets(reading)
    assert counts["straight"] == 859_980_620
    assert counts["stairs"] == 13_329_288
    assert counts["fullhouse"] == 11_856
    assert counts["sflush"] == 180
    assert counts.total() + len(PACK) == 873_322_273


def test_12_1_small_counts_are_the_plays_of_the_pack() -> None:
    """The count above, against a list: ranks 2 to 6 and the phoenix as one of them."""
    hand = sort_cards([card for card in PACK if card[0] in "23456" or card == PHOENIX])
    within = {reading for reading, needed in SHAPES.items() if set(needed) <= set(range(2, 7))}
    listed = Counter(play.reading for play in all_plays(hand) if play.reading in within)
    assert listed == {reading: count_card_sets(reading) for reading in within}


def random_hand(rng: random.Random, size: int) -> tuple[str, ...]:
    """A hand of few ranks and suits, so that it holds many combinations."""
    low, width = rng.randrange(13), rng.randint(3, 8)
    letters = [PACK[4 * (rank % 13)][0] for rank in range(low, low + width)]
    near = [card for card in PACK if card[0] in letters or card in ("MJ", "PH")]
    if rng.random() < 0.4:
        near = [card for card in near if card[1] in "gkJH"]
    return sort_cards(rng.sample(near, min(size, len(near))))


def test_4_plays_equal_the_definition() -> None:
    """Constructed plays equal the search through all subsets (section 4)."""
    rng = random.Random(1)
    for _ in range(25):
        hand = random_hand(rng, rng.randint(5, 9))
        by_definition = {
            Play(reading, sort_cards(cards))
            for size in range(1, len(hand) + 1)
            for cards in combinations(hand, size)
            for reading in readings(cards)
        }
        assert len(all_plays(hand)) == len(by_definition)
        assert set(all_plays(hand)) == by_definition


def test_5_plays_on_a_table_equal_the_definition() -> None:
    """What may be put on a table is what beats it (section 5)."""
    rng = random.Random(2)
    for _ in range(40):
        hand, other = random_hand(rng, 14), random_hand(rng, 14)
        top = rng.choice(plays_on(other, None)).reading
        if top.kind == "dog":
            continue
        expected = {p for p in all_plays(hand) if p.reading.rank and beats(p.reading, top)}
        found = [play for play in plays_on(hand, top) if play.cards != (PHOENIX,)]
        assert set(found) == expected
        assert len(found) == len(expected)


def test_12_3_classes_differ_in_cards_without_meaning_only() -> None:
    """Plays of one class: the same plays, up to classes, are left after each (12.3)."""
    rng = random.Random(3)
    for _ in range(10):
        hand = random_hand(rng, 8)
        relevant = straight_flush_cards(hand)
        followers: dict[object, object] = {}
        for play in all_plays(hand):
            rest = sort_cards(set(hand) - set(play.cards))
            after = Counter(class_of(later, relevant) for later in all_plays(rest))
            assert followers.setdefault(class_of(play, relevant), after) == after


OPTIONS: list[Case] = [
    {},
    {"tichu_window": "before_partner", "bomb_window": "every_play", "grand_tichu": False},
    {"tichu_window": "own_turn", "bomb_window": "own_turn_only"},
    {"bomb_ask": "public", "wish_binds_collect": False, "dog_return": "skip_self"},
]


@pytest.mark.parametrize("given", OPTIONS, ids=str)
def test_14_random_rounds(given: Case) -> None:
    """Cards are conserved, nobody is stuck, points add up, refused answers change nothing."""
    rng, opt = random.Random(4), Options(**given)
    for _ in range(8):
        table = Round.deal(opt, rng.sample(PACK, 56), rng.randrange(4))
        decisions = 0
        while table.question:
            decisions += 1
            assert table.question.choices
            before = describe(table)
            with pytest.raises(ValueError, match="is no answer to"):
                table.act("nonsense")
            assert describe(table) == before
            table.act(rng.choice(table.question.choices))
            held = [card for hand in table.hands for card in hand] + table.pile
            held += [card for cards in table.won for card in cards]
            if table.question and table.question.phase not in ("grand", "tichu", "exchange"):
                assert len(set(held)) == len(held)
                assert set(PACK) - set(held) <= {"DG"}
        assert decisions < 1200
        assert table.result
        assert sum(table.result.card_points or [100]) == 100
        bonuses = {"small": 100, "grand": 200}
        called = sum(
            bonuses[call] * (1 if seat == table.finish[0] else -1)
            for seat, call in table.calls.items()
        )
        assert sum(table.result.round_points) == called + (200 if table.result.double else 100)


@pytest.mark.parametrize(
    ("scores", "rounds", "given", "expected"),
    [
        ((999, 990), 3, {}, (False, None)),
        ((1000, 990), 3, {}, (True, 0)),
        ((1100, 1200), 3, {}, (True, 1)),
        ((1100, 1100), 3, {}, (False, None)),
        ((300, 900), 50, {}, (True, None)),
        ((300, 900), 99, {"max_rounds": None}, (False, None)),
        ((30, 70), 1, {"episode": "round"}, (True, None)),
        ((30, 70), 1, {"target_score": 70}, (True, 1)),
    ],
)
def test_10_5_match_status(
    scores: tuple[int, int], rounds: int, given: Case, expected: tuple[bool, int | None]
) -> None:
    """The goal, ties above it, and the most rounds (10.5 to 10.7)."""
    assert match_status(scores, rounds, Options(**given)) == expected


def test_3_1_next_dealer() -> None:
    """The winner of the round, or the seat to the right (T-D02)."""
    assert next_dealer(2, [0, 1, 3, 2], Options()) == 0
    assert next_dealer(3, [2, 1, 3, 0], Options(next_dealer="rotate")) == 0


@pytest.mark.parametrize(
    "given",
    [
        {"episode": "hand"},
        {"target_score": 0},
        {"max_rounds": 0},
        {"first_dealer": 4},
        {"bomb_window": "always"},
        {"grand_tichu": "maybe", "suit_pick": "highest"},
    ],
    ids=str,
)
def test_2_bad_options_are_refused(given: Case) -> None:
    """Unknown values of section 2."""
    with pytest.raises(ValueError, match="must be"):
        Options(**given)
