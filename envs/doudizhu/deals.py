"""Deals of Dou Dizhu as plain data, and what a sound position is."""

from collections.abc import Mapping
from typing import Any

from envs.core.errors import CardError
from envs.core.game import OVER
from envs.doudizhu.auction import clear_hand, open_auction
from envs.doudizhu.cards import (
    NUM_SUITED,
    RANK_CHARS,
    count_of,
    deck_of,
    format_cards,
    hand_size,
    num_cards,
    parse_cards,
)
from envs.doudizhu.rules import WILD_RANDOM
from envs.doudizhu.state import NONE


def read_deal(s: Any) -> dict[str, Any]:
    """The deal of the hand: `hands` before the bottom was taken up, `bottom`, `first` bidder,
    `face_up`, the rank of the card shown to be his, or null, and, where there are wild cards,
    their rank `wild`.
    """
    hands = [int(s.hands[seat]) + int(s.played[seat]) for seat in range(s.rules.players)]
    if s.landlord != NONE:
        hands[s.landlord] -= int(s.bottom)
    deal = {
        "hands": [format_cards(hand) for hand in hands],
        "bottom": format_cards(int(s.bottom)),
        "first": int(s.first),
        "face_up": None if s.face_up == NONE else RANK_CHARS[s.face_up],
    }
    return deal if s.wild == NONE else deal | {"wild": RANK_CHARS[s.wild]}


def write_deal(s: Any, deal: Mapping[str, Any]) -> None:
    """Lay out a deal as `read_deal` gives it and open the auction.

    Raises:
        CardError: something is missing, or the cards are not one whole deal.
    """
    seats = int(s.rules.players)
    wanted = {"hands": list, "bottom": str, "first": int, "face_up": str | None}
    for name, kind in wanted.items():
        if name not in deal or not isinstance(deal[name], kind):
            raise CardError(f"a deal needs {name!r}, got {deal.get(name, 'nothing')!r}")
    is_text = all(isinstance(hand, str) for hand in deal["hands"])
    if len(deal["hands"]) != seats or not is_text or deal["first"] not in range(seats):
        raise CardError(f"a deal for {seats} seats cannot be {dict(deal)!r}")
    hands = [parse_cards(hand) for hand in deal["hands"]]
    bottom = parse_cards(deal["bottom"])
    size = hand_size(seats)
    if sum(hands) + bottom != deck_of(seats) or any(num_cards(hand) != size for hand in hands):
        raise CardError(f"{seats} hands of {size} cards and the bottom must be the whole pack")
    shown = NONE
    if deal["face_up"] is not None:
        shown = RANK_CHARS.find(deal["face_up"]) if len(deal["face_up"]) == 1 else NONE
        if shown < 0 or not count_of(hands[deal["first"]], shown):
            raise CardError(f"seat {deal['first']} has no {deal['face_up']!r} to show")
    wild = _read_wild(s, deal)
    outcome = int(s.outcome)
    clear_hand(s)
    for seat, hand in enumerate(hands):
        s.hands[seat], s.sizes[seat] = hand, size
    s.bottom, s.first = bottom, deal["first"]
    s.face_up, s.face_up_seat = shown, (NONE if shown == NONE else deal["first"])
    s.wild = wild
    open_auction(s)
    s.outcome = outcome


def _read_wild(s: Any, deal: Mapping[str, Any]) -> int:
    """The wild rank of a deal; where it names none, the one drawn before remains."""
    wild = deal.get("wild")
    if wild is None:
        return int(s.wild)
    fixed = "" if s.wild == NONE else RANK_CHARS[s.wild]
    allowed = RANK_CHARS[:NUM_SUITED] if s.rules.wild == WILD_RANDOM else fixed
    if not isinstance(wild, str) or len(wild) != 1 or wild not in allowed:
        raise CardError(f"the wild rank can be {allowed or 'none'}, got {wild!r}")
    return RANK_CHARS.index(wild)


def problems(s: Any) -> list[str]:
    """What is wrong with a position, in words; empty for a sound one (RULES 17.1)."""
    seats = int(s.rules.players)
    found = []
    cards = sum(int(s.hands[seat]) + int(s.played[seat]) for seat in range(seats))
    if s.landlord == NONE:
        cards += int(s.bottom)
    if cards != deck_of(seats):
        found.append(f"the cards in the game are {format_cards(cards)}")
    for seat in range(seats):
        if num_cards(int(s.hands[seat])) != s.sizes[seat]:
            found.append(
                f"seat {seat} holds {format_cards(int(s.hands[seat]))}, not {s.sizes[seat]} cards"
            )
    for name in ("scores", "payoffs"):
        if sum(getattr(s, name)) != 0:
            found.append(f"{name} {getattr(s, name)} do not sum to 0")
    if s.turn not in (OVER, *range(seats)):
        found.append(f"it is the turn of seat {s.turn}")
    return found
