"""Hands in words, in English and Korean."""

from typing import Any

from envs.jitgo_ttaeng.cards import HAND_SIZE, MONTH, list_cards
from envs.jitgo_ttaeng.hands import HWANG, RESULTS, STRENGTH, arrangements, evaluate


def build_names() -> dict[str, tuple[str, str]]:
    """The name of every result in English and Korean."""
    names = {
        "hwang": ("nothing builds", "황"),
        "seryuk": ("seryuk (4-6)", "세륙"),
        "jangsa": ("jangsa (4-10)", "장사"),
        "jangpping": ("jangpping (1-10)", "장삥"),
        "gupping": ("gupping (1-9)", "구삥"),
        "doksa": ("doksa (1-4)", "독사"),
        "alli": ("alli (1-2)", "알리"),
        "chunchu_gwang_2": ("brights 1 and 3, or pair of 2", "춘추 13광땡·2땡"),
        "chunchu_gwang_7": ("brights 1 and 3, or pair of 7", "춘추 13광땡·7땡"),
        "ttaengjabi": ("ttaengjabi (catches pairs)", "땡잡이"),
        "amhaeng": ("amhaeng (catches brights)", "암행어사"),
        "gusa": ("gusa (4-9)", "구사"),
        "meonggusa": ("meonggusa (animals 4-9)", "멍텅구리 구사"),
    }
    for digit in range(10):
        names[f"kkeut_{digit}"] = (f"{digit} kkeut", f"{digit}끗")
    for month in range(1, 11):
        names[f"ttaeng_{month}"] = (f"pair of {month}", f"{month}땡")
    for low in range(1, 6):
        pairs = f"{low} and {low + 5}"
        names[f"chunchu_{low}_{low + 5}"] = (f"pairs of {pairs}", f"춘추 {low}땡·{low + 5}땡")
    for pair in ("13", "18", "38"):
        names[f"gwang_{pair}"] = (f"brights {pair[0]} and {pair[1]}", f"{pair}광땡")
    names["kkeut_0"] = ("0 kkeut (mangtong)", "망통")
    names["kkeut_9"] = ("9 kkeut (gabo)", "갑오")
    names["ttaeng_10"] = ("pair of 10", "장땡")
    return names


NAMES = build_names()


def _name_build(build: list[int]) -> tuple[str, str]:
    """The months of a build: `1-3-6` and `136`, with a month 10 `3-7-10` in both."""
    months = [str(MONTH[card]) for card in build]
    return "-".join(months), ("-" if "10" in months else "").join(months)


def _describe(rules: Any, hand: int, language: int) -> str:
    result = int(evaluate(rules, hand))
    name = NAMES[RESULTS[result]][language]
    if result == HWANG:
        return name
    found = arrangements(rules, hand)
    exact = [arrangement for arrangement in found if arrangement.result == result]
    best = (exact or sorted(found, key=lambda other: -int(STRENGTH[other.result])))[0]
    build = _name_build(best.build)[language]
    return f"{build} builds, {name}" if language == 0 else f"{build} 짓고 {name}"


def describe_hand(rules: Any, hand: int) -> str:
    """What a hand of five cards is, by options as they stand in a record.

    >>> from envs.jitgo_ttaeng.cards import hand_of, parse_cards
    >>> from envs.jitgo_ttaeng.rules import JitgoTtaengRules, option_record
    >>> hand = hand_of(parse_cards("1R 3R 6A 7A 7R"))
    >>> describe_hand(option_record(JitgoTtaengRules()), hand)
    '1-3-6 builds, pair of 7'
    """
    return _describe(rules, hand, 0)


def describe_hand_korean(rules: Any, hand: int) -> str:
    """The same in Korean: `136 짓고 7땡`."""
    return _describe(rules, hand, 1)


def describe_cards(rules: Any, hand: int) -> str:
    """What a hand is in both languages; empty unless it has five cards."""
    if len(list_cards(hand)) < HAND_SIZE:
        return ""
    return f"{describe_hand(rules, hand)} ({describe_hand_korean(rules, hand)})"
