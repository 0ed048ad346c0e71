"""Deals of Tongits as plain data, and what a sound position is."""

from collections.abc import Mapping
from typing import Any

from envs.core.errors import CardError
from envs.core.game import OVER
from envs.tongits.cards import (
    DECK,
    NUM_CARDS,
    cards_in,
    format_card,
    format_cards,
    num_cards,
    parse_card,
    parse_cards,
    ranks_of,
    ranks_with_three,
)
from envs.tongits.match import clear_hand, open_hand
from envs.tongits.state import ENDED, HAND_SIZE, NONE, NUM_SEATS, PLAYING, exposed, in_pile
from envs.tongits.values import cards_in_runs


def read_deal(s: Any) -> dict[str, Any]:
    """The deal of a hand in which nobody has acted: `hands`, `stock` from the top, `dealer`.

    Raises:
        CardError: somebody has; which cards were drawn since, and by whom, is not kept.
    """
    undealt = NUM_CARDS - sum(_hand_sizes(s, int(s.dealer)))
    if s.stock_size != undealt or exposed(s) or in_pile(s):
        raise CardError("the deal cannot be read any more: the hand has begun")
    stock = s.stock[: s.stock_size][::-1]
    return {
        "hands": [format_cards(int(hand)) for hand in s.hands],
        "stock": " ".join(map(format_card, stock)),
        "dealer": int(s.dealer),
    }


def write_deal(s: Any, deal: Mapping[str, Any]) -> None:
    """Lay out a deal as `read_deal` gives it; the dealer is to act.

    Raises:
        CardError: something is missing, or the cards are not one whole deal.
    """
    for name, kind in {"hands": list, "stock": str, "dealer": int}.items():
        if name not in deal or not isinstance(deal[name], kind):
            raise CardError(f"a deal needs {name!r}, got {deal.get(name, 'nothing')!r}")
    dealer = deal["dealer"]
    is_text = all(isinstance(hand, str) for hand in deal["hands"])
    if len(deal["hands"]) != NUM_SEATS or not is_text or dealer not in range(NUM_SEATS):
        raise CardError(f"a deal for {NUM_SEATS} seats cannot be {dict(deal)!r}")
    hands = [parse_cards(hand) for hand in deal["hands"]]
    stock = [parse_card(word) for word in deal["stock"].split()]
    sizes = _hand_sizes(s, dealer)
    if [num_cards(hand) for hand in hands] != sizes:
        raise CardError(f"the hands must hold {sizes} cards, got {deal['hands']!r}")
    if sum(hands) + sum(1 << card for card in stock) != DECK:
        raise CardError(f"hands and stock must be the whole pack, got {dict(deal)!r}")
    clear_hand(s)
    for seat, hand in enumerate(hands):
        s.hands[seat], s.sizes[seat] = hand, sizes[seat]
    s.stock[: len(stock)] = stock[::-1]
    s.stock_size, s.dealer = len(stock), dealer
    open_hand(s)


def _hand_sizes(s: Any, dealer: int) -> list[int]:
    """Cards dealt to each seat."""
    return [int(s.rules.dealer_cards) if seat == dealer else HAND_SIZE for seat in range(NUM_SEATS)]


def problems(s: Any) -> list[str]:
    """What is wrong with a position, in words; empty for a sound one (RULES 13.1)."""
    found = _card_problems(s) + _meld_problems(s)
    for name, total in (("scores", -int(s.pot)), ("payoffs", 0)):
        if sum(getattr(s, name)) != total:
            found.append(f"{name} {getattr(s, name)} do not sum to {total}")
    if s.turn not in (OVER, *range(NUM_SEATS)):
        found.append(f"it is the turn of seat {s.turn}")
    return found


def _card_problems(s: Any) -> list[str]:
    """Cards that are not in exactly one place, and numbers of cards that are wrong."""
    found = []
    stock = [int(card) for card in s.stock[: s.stock_size]]
    pile = [int(card) for card in s.pile[: s.pile_size]]
    places = [card for cards in (*s.hands, *s.melds) for card in cards_in(cards)]
    if sorted([*places, *stock, *pile]) != cards_in(DECK):
        found.append(f"hands and melds {places}, stock {stock} and pile {pile} are no whole pack")
    if sum(1 << card for card in pile) != in_pile(s) or s.top != (pile[-1] if pile else NONE):
        found.append(f"the pile {pile} does not agree with its top {s.top} or who discarded it")
    sizes = [num_cards(int(hand)) for hand in s.hands]
    if sizes != s.sizes.tolist():
        found.append(f"the seats hold {sizes} cards, not {s.sizes.tolist()}")
    in_play = NUM_SEATS * HAND_SIZE + (s.phase == PLAYING)
    if s.phase != ENDED and len(places) != in_play:
        found.append(f"hands and melds hold {len(places)} cards, not {in_play}")
    return found


def _meld_problems(s: Any) -> list[str]:
    """Exposed cards that form no melds."""
    found = []
    for seat, melds in enumerate(map(int, s.melds)):
        sets = melds & int(s.sets)
        runs = melds & ~sets
        if ranks_of(sets) != ranks_with_three(sets) or cards_in_runs(runs) != runs:
            found.append(f"seat {seat} has exposed {format_cards(melds)}: that is not all melds")
    if int(s.sets) & ~exposed(s) or sum(map(int, s.laid_off)) & ~exposed(s):
        found.append("cards of sets and cards laid off are not exposed")
    return found
