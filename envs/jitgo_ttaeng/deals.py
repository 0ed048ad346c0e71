"""Deals of Dori-jitgo-ttaeng as plain data, and what a sound position is."""

from collections.abc import Mapping
from typing import Any

from envs.core.errors import CardError
from envs.core.game import OVER
from envs.jitgo_ttaeng.banking import offer_bank
from envs.jitgo_ttaeng.betting import find_actor
from envs.jitgo_ttaeng.cards import (
    CARD_NAMES,
    DECKS,
    HAND_SIZE,
    format_cards,
    hand_of,
    list_packed,
    pack_cards,
    parse_cards,
)
from envs.jitgo_ttaeng.dealing import hand_out, turn_up
from envs.jitgo_ttaeng.rules import MODE_BETTING
from envs.jitgo_ttaeng.state import BETTING, PUNTING, STAKING, live_seats, num_dealt

MOST_CHANCE = 2**63 - 1


def read_deal(s: Any) -> dict[str, Any]:
    """The deal of the hand or round.

    `sun`: who opens, or was offered the bank first. `hands`: five cards of each seat in the order
    of dealing, none for a seat that is not in; in banker mode the banker's hand and the piles,
    each with its face-up card first. `chance`: the number that decides what is drawn later: new
    deals for a gusa, and hands that are played through.
    """
    is_betting = s.rules.mode == MODE_BETTING
    packed = s.dealt[: s.rules.num_players] if is_betting else s.piles
    return {
        "sun": int(s.sun),
        "hands": [format_cards(list_packed(int(cards))) for cards in packed],
        "chance": int(s.chance.seed),
    }


def write_deal(s: Any, deal: Mapping[str, Any]) -> None:
    """Lay out a deal as `read_deal` gives it, in a state that has just been dealt.

    Raises:
        CardError: something is missing, a seat cannot open, or the cards are not hands of the deck.
    """
    for name, kind in {"sun": int, "hands": list, "chance": int}.items():
        if type(deal.get(name)) is not kind:
            raise CardError(f"a deal needs {name!r}, got {deal.get(name, 'nothing')!r}")
    if not 0 <= deal["chance"] <= MOST_CHANCE:
        raise CardError(f"chance must be 0 to {MOST_CHANCE}, got {deal['chance']}")
    if s.rules.mode == MODE_BETTING:
        _write_hands(s, deal)
    else:
        _write_piles(s, deal)
    s.chance.seed, s.chance.draws = deal["chance"], 0


def _write_hands(s: Any, deal: Mapping[str, Any]) -> None:
    seats = range(int(s.rules.num_players))
    if deal["sun"] not in seats or not s.playing[deal["sun"]]:
        raise CardError(f"seat {deal['sun']} has no part in the hand and cannot be sun")
    sizes = [HAND_SIZE * int(s.playing[seat]) for seat in seats]
    s.dealt[: len(seats)] = _read_hands(s, deal["hands"], sizes)
    s.sun = deal["sun"]
    hand_out(s)
    s.turn = find_actor(s, deal["sun"])


def _write_piles(s: Any, deal: Mapping[str, Any]) -> None:
    seats = range(int(s.rules.num_players)) if s.phase == STAKING else [s.sun]
    if deal["sun"] not in seats:
        raise CardError(f"the bank cannot be offered to seat {deal['sun']} now")
    s.piles[:] = _read_hands(s, deal["hands"], [HAND_SIZE] * len(s.piles))
    turn_up(s)
    if s.phase == STAKING:
        s.sun, s.offered = deal["sun"], 0
        offer_bank(s, deal["sun"])


def _read_hands(s: Any, texts: list[Any], sizes: list[int]) -> list[int]:
    """The packed cards of hands of these sizes, all different cards of the deck."""
    if len(texts) != len(sizes) or not all(isinstance(text, str) for text in texts):
        raise CardError(f"a deal has {len(sizes)} hands, as '8G 8A 2A 3R 5A', got {texts!r}")
    hands = [parse_cards(text) for text in texts]
    if [len(hand) for hand in hands] != sizes:
        raise CardError(f"the hands must have {sizes} cards, got {texts!r}")
    cards = [card for hand in hands for card in hand]
    for card in cards:
        if card not in DECKS[int(s.rules.deck)]:
            raise CardError(f"{CARD_NAMES[card]} is not in the deck of {s.rules.deck} cards")
        if cards.count(card) > 1:
            raise CardError(f"{CARD_NAMES[card]} is dealt twice")
    return [pack_cards(hand) for hand in hands]


def problems(s: Any) -> list[str]:
    """What is wrong with a position, in words; empty for a sound one (RULES 10)."""
    seats = range(int(s.rules.num_players))
    stacks, contrib, scores = s.stacks.tolist(), s.contrib.tolist(), s.scores.tolist()
    found = []
    for name in ("scores", "payoffs"):
        if sum(getattr(s, name).tolist()) != 0:
            found.append(f"{name} {getattr(s, name)} do not sum to 0")
    for seat in seats:
        chips = stacks[seat] + contrib[seat] + int(s.bank) * (seat == s.banker)
        if chips != s.rules.start_stack + scores[seat]:
            found.append(f"seat {seat} has {chips} chips, and won {scores[seat]} so far")
    if min(*stacks, *contrib, *s.round_bets.tolist(), s.bank, s.current, s.raises) < 0:
        found.append("there is a negative amount")
    if s.turn not in (OVER, *seats):
        found.append(f"it is the turn of seat {s.turn}")
    return found + (_card_problems(s) if s.phase in (BETTING, STAKING, PUNTING) else [])


def _card_problems(s: Any) -> list[str]:
    """What is wrong with the cards of a hand or round that is being played."""
    found = []
    packed = s.dealt if s.rules.mode == MODE_BETTING else s.piles
    hands = [list_packed(int(cards)) for cards in packed if cards]
    cards = [card for hand in hands for card in hand]
    if len(set(cards)) < len(cards) or not set(cards) <= set(DECKS[int(s.rules.deck)].tolist()):
        found.append(f"the cards dealt are {format_cards(cards)}")
    live, num = live_seats(s), num_dealt(s, int(s.street))
    for seat in range(int(s.rules.num_players)):
        held = hand_of(list_packed(int(s.dealt[seat]))[:num])
        if live >> seat & 1 and held != s.hands[seat]:
            found.append(f"seat {seat} does not hold the cards it was dealt")
    if s.phase == PUNTING:
        for pile, shown in zip(s.piles[1:], s.face_up, strict=True):
            if hand_of(list_packed(int(pile))[:1]) != shown:
                found.append("a pile does not begin with its face-up card")
    return found
