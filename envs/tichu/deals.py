"""Deals of Tichu as plain data, and what a sound position is."""

import functools
import operator
from collections.abc import Mapping
from typing import Any

from envs.core.errors import CardError
from envs.core.game import OVER
from envs.tichu.cards import PACK, format_cards, parse_cards, points_of
from envs.tichu.rounds import FIRST_SIZE, HAND_SIZE, clear_round, open_round
from envs.tichu.state import GRAND, NUM_SEATS


def read_deal(s: Any) -> dict[str, Any]:
    """The deal of the round: `dealer`, and by seat the `first` eight cards and the `rest`."""
    return {
        "dealer": int(s.dealer),
        "first": [format_cards(int(first)) for first in s.first],
        "rest": [
            format_cards(int(cards & ~first)) for cards, first in zip(s.dealt, s.first, strict=True)
        ],
    }


def write_deal(s: Any, deal: Mapping[str, Any]) -> None:
    """Lay out a deal as `read_deal` gives it; the first question is asked.

    Raises:
        CardError: something is missing, or the cards are not one whole deal.
    """
    wanted = {"dealer": int, "first": list, "rest": list}
    for name, kind in wanted.items():
        if name not in deal or type(deal[name]) is not kind:
            raise CardError(f"a deal needs {name!r}, got {deal.get(name, 'nothing')!r}")
    if deal["dealer"] not in range(NUM_SEATS):
        raise CardError(f"the dealer is a seat from 0 to {NUM_SEATS - 1}, got {deal['dealer']!r}")
    first = _read_hands(deal["first"], FIRST_SIZE)
    rest = _read_hands(deal["rest"], HAND_SIZE - FIRST_SIZE)
    if sum(first) + sum(rest) != PACK:  # sums of 56 single bits: equal only if all differ
        raise CardError(f"{NUM_SEATS} hands of {HAND_SIZE} cards must be the whole pack")
    clear_round(s)
    s.dealer = deal["dealer"]
    for seat in range(NUM_SEATS):
        s.first[seat], s.dealt[seat] = first[seat], first[seat] | rest[seat]
    open_round(s)


def _read_hands(texts: list[Any], size: int) -> list[int]:
    """The cards of each seat, `size` of them."""
    if len(texts) != NUM_SEATS or not all(isinstance(text, str) for text in texts):
        raise CardError(f"expected the cards of {NUM_SEATS} seats, got {texts!r}")
    hands = [parse_cards(text) for text in texts]
    for text, hand in zip(texts, hands, strict=True):
        if hand.bit_count() != size:
            raise CardError(f"{text!r} are not {size} cards")
    return hands


def problems(s: Any) -> list[str]:
    """What is wrong with a position, in words; empty for a sound one (RULES 14)."""
    found = []
    hands, played = ([int(cards) for cards in sets] for sets in (s.hands, s.played))
    coming = [int(dealt) & ~hand for dealt, hand in zip(s.dealt, hands, strict=True)]
    cards = [*hands, *played, *(coming if s.phase == GRAND else [])]
    union = functools.reduce(operator.or_, cards)
    if union != PACK or sum(map(int.bit_count, cards)) != PACK.bit_count():
        found.append(f"the cards in the game are {', '.join(map(format_cards, cards))}")
    for seat, hand in enumerate(hands):
        if hand.bit_count() != s.sizes[seat]:
            found.append(f"seat {seat} holds {format_cards(hand)}, not {s.sizes[seat]} cards")
    taken = functools.reduce(operator.or_, played) & ~int(s.pile)
    if sum(map(int, s.points)) != points_of(taken):
        found.append(f"the captured cards count {points_of(taken)}, not {s.points}")
    if sum(s.scores) != 0:
        found.append(f"scores {s.scores} do not sum to 0")
    if s.turn not in (OVER, *range(NUM_SEATS)):
        found.append(f"it is the turn of seat {s.turn}")
    return found
