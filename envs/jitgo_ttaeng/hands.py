"""What a hand of five cards is worth (RULES section 3).

Three cards that add up to 10, 20 or 30 are a *build*; the two cards left give a *result*. All
builds of a hand leave the same last digit (RULES 3.1, Fact 1), so a pair is left by a build if
and only if its sum has the last digit of all five. `PAIRS` names the result of every two cards
for every set of options; the kernels try the ten pairs.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from envs.core.bits import lowest
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import CARD_IDS, CARD_NAMES, MONTH, NUM_CARDS, list_cards
from envs.jitgo_ttaeng.rules import ANY_37, CHUNCHU_OFF, CHUNCHU_TOP

SEOTDA = {
    "seryuk": (4, 6),
    "jangsa": (4, 10),
    "jangpping": (1, 10),
    "gupping": (1, 9),
    "doksa": (1, 4),
    "alli": (1, 2),
}
"""The seotda hands by their months, the lowest first."""
GWANG = {"gwang_13": ("1G", "3G"), "gwang_18": ("1G", "8G"), "gwang_38": ("3G", "8G")}
SPECIAL = ("ttaengjabi", "amhaeng", "gusa", "meonggusa")
SPECIAL_PAIRS = {"ttaengjabi": ("3G", "7A"), "amhaeng": ("4A", "7A"), "meonggusa": ("4A", "9A")}
CHUNCHU = [f"chunchu_{low}_{low + 5}" for low in range(1, 6)]

RESULTS = (
    "hwang",
    *(f"kkeut_{digit}" for digit in range(10)),
    *SEOTDA,
    *(f"ttaeng_{month}" for month in range(1, 11)),
    *CHUNCHU,
    *GWANG,
    *CHUNCHU,
    "chunchu_gwang_2",
    "chunchu_gwang_7",
    *SPECIAL,
)
"""The name of every result; but for the special hands its number is its strength (RULES 3.2)."""
NUM_RESULTS = len(RESULTS)
NO_RESULT = -1
"""In place of a result: not all five cards are there, or they are not known."""
HWANG, KKEUT = 0, RESULTS.index("kkeut_0")
ALLI, TTAENG_1, TTAENG_10 = (RESULTS.index(name) for name in ("alli", "ttaeng_1", "ttaeng_10"))
GWANG_13, GWANG_18 = RESULTS.index("gwang_13"), RESULTS.index("gwang_18")
CHUNCHU_ABOVE, CHUNCHU_FIRST = TTAENG_10 + 1, RESULTS.index("gwang_38") + 1
CHUNCHU_GWANG_2 = RESULTS.index("chunchu_gwang_2")
TTAENGJABI, AMHAENG, GUSA, MEONGGUSA = range(NUM_RESULTS - len(SPECIAL), NUM_RESULTS)


def build_strengths() -> np.ndarray:
    """The strength of every result: [46]. A special hand is the kkeut it would be (RULES 3.2)."""
    strengths = np.arange(NUM_RESULTS)
    for result, digit in ((TTAENGJABI, 0), (AMHAENG, 1), (GUSA, 3), (MEONGGUSA, 3)):
        strengths[result] = KKEUT + digit
    return strengths


def name_pair(first: str, second: str, flags: Sequence[bool]) -> str:
    """The result of two cards: gwang-ttaeng, ttaeng, special, seotda or kkeut (RULES 3.2).

    flags: whether gwang, seotda, special hands, and any 3 with any 7 as ttaengjabi count.
    """
    gwang, seotda, special, any_37 = flags
    by_cards = (GWANG if gwang else {}) | (SPECIAL_PAIRS if special else {})
    for name, pair in by_cards.items():
        if {first, second} == set(pair):
            return name
    low, high = sorted((int(MONTH[CARD_IDS[first]]), int(MONTH[CARD_IDS[second]])))
    if low == high:
        return f"ttaeng_{low}"
    by_months = dict(SEOTDA) if seotda else {}
    if special:
        by_months |= {"gusa": (4, 9)} | ({"ttaengjabi": (3, 7)} if any_37 else {})
    for name, months in by_months.items():
        if (low, high) == months:
            return name
    return f"kkeut_{(low + high) % 10}"


def build_pairs() -> np.ndarray:
    """The result of every two cards for every set of options: [16, 40, 40] int8."""
    pairs = np.zeros((16, NUM_CARDS, NUM_CARDS), np.int8)
    for flags in product((False, True), repeat=4):
        number = sum(flag << place for place, flag in enumerate(flags))
        for a, b in combinations(range(NUM_CARDS), 2):
            result = RESULTS.index(name_pair(CARD_NAMES[a], CARD_NAMES[b], flags))
            pairs[number, a, b] = pairs[number, b, a] = result
    return pairs


STRENGTH = build_strengths()
PAIRS = build_pairs()
PREFERENCE = STRENGTH * NUM_RESULTS + np.arange(NUM_RESULTS)
"""Of two arrangements the one with the higher number counts (RULES J07)."""


@kernel
def pair_set(rules: Any) -> int:
    """The row of `PAIRS` for the options."""
    any_37 = rules.ttaengjabi == ANY_37
    return int(rules.gwang) + 2 * int(rules.seotda) + 4 * int(rules.special) + 8 * int(any_37)


@kernel
def sum_months(hand: int) -> int:
    """The months of a set of cards, added up."""
    total = 0
    while hand:
        total += MONTH[lowest(hand)]
        hand &= hand - 1
    return total


@kernel(inline=True)
def rank_chunchu(rule: int, best: int, low: int, high: int) -> int:
    """The result of a hand that leaves the ttaeng or gwang-ttaeng `low` and `high` (RULES 3.5)."""
    if rule == CHUNCHU_OFF or low == high:
        return best
    if high <= TTAENG_10:
        lowest_one = CHUNCHU_FIRST if rule == CHUNCHU_TOP else CHUNCHU_ABOVE
        return lowest_one + low - TTAENG_1
    if rule == CHUNCHU_TOP:
        return CHUNCHU_GWANG_2 + (low != TTAENG_1 + 1)
    return best


@kernel
def evaluate(rules: Any, hand: int) -> int:
    """The result of a hand of five cards: the best arrangement counts (RULES 3.3)."""
    pairs, total = pair_set(rules), sum_months(hand)
    best, preference, low, high = HWANG, 0, NUM_RESULTS, 0
    first = hand
    while first:
        a = lowest(first)
        first &= first - 1
        second = first
        while second:
            b = lowest(second)
            second &= second - 1
            if (total - MONTH[a] - MONTH[b]) % 10 == 0:
                result = int(PAIRS[pairs, a, b])
                if PREFERENCE[result] > preference:
                    best, preference = result, PREFERENCE[result]
                if TTAENG_1 <= result < TTAENGJABI:
                    low, high = min(low, result), max(high, result)
    return rank_chunchu(rules.chunchu, best, low, high) if high else best


@kernel
def evaluate_batch(rules: Any, hands: Any, results: Any) -> None:
    """`evaluate` for every hand; hands, results: [B] int64, `results` written in place."""
    for i in range(hands.shape[0]):
        results[i] = evaluate(rules, hands[i])


@kernel
def best_strength(results: Any, players: int) -> int:
    """The highest strength among `players`, a set of places in `results`."""
    best = 0
    while players:
        best = max(best, STRENGTH[results[lowest(players)]])
        players &= players - 1
    return best


@kernel
def players_with(results: Any, players: int, result: int) -> int:
    """Those of `players` whose hand is `result`."""
    found, rest = 0, players
    while rest:
        player = lowest(rest)
        rest &= rest - 1
        if results[player] == result:
            found |= 1 << player
    return found


@kernel
def winners(rules: Any, results: Any, players: int) -> int:
    """Those of `players` who win, or share, what they compete for (RULES 3.6).

    results: [P] int64; players: a set of places in it.
    """
    best = best_strength(results, players)
    if best == HWANG:
        return players
    if rules.special:
        caught = 0
        if TTAENG_1 <= best < TTAENG_1 + rules.ttaengjabi_max:
            caught = players_with(results, players, TTAENGJABI)
        elif best == GWANG_13 or best == GWANG_18:
            caught = players_with(results, players, AMHAENG)
        if caught:
            return caught
    found, rest = 0, players
    while rest:
        player = lowest(rest)
        rest &= rest - 1
        if STRENGTH[results[player]] == best:
            found |= 1 << player
    return found


@kernel
def redealt(rules: Any, results: Any, players: int) -> int:
    """Those of `players` who get new cards since a gusa or meonggusa is among them; usually none.

    RULES 3.6, J11.
    """
    built = players & ~players_with(results, players, HWANG)
    if not rules.special or built & (built - 1) == 0:
        return 0
    best = best_strength(results, built)
    if best < TTAENG_1 + rules.meonggusa_max and players_with(results, built, MEONGGUSA):
        return built
    return built if best <= ALLI and players_with(results, built, GUSA) else 0


class Arrangement(NamedTuple):
    """One way to build: three cards, the two left, and their result."""

    build: list[int]
    rest: list[int]
    result: int


def arrangements(rules: Any, hand: int) -> list[Arrangement]:
    """Every way in which a hand of five cards builds; none if it is hwang.

    rules: the options as they stand in a record, see `rules.option_record`.
    """
    cards, pairs = list_cards(hand), PAIRS[pair_set(rules)]
    found = []
    for rest in combinations(cards, 2):
        build = [card for card in cards if card not in rest]
        if sum(MONTH[card] for card in build) % 10 == 0:
            found.append(Arrangement(build, list(rest), int(pairs[rest])))
    return found
