"""Tongits in words: actions, what happened last, the table."""

from typing import Any

from envs.tongits.cards import (
    ACES,
    NUM_RANKS,
    NUM_SUITS,
    SUIT_CARDS,
    cards_in,
    format_card,
    format_cards,
)
from envs.tongits.moves import (
    CHALLENGE,
    DRAW,
    FOLD,
    KIND,
    KNOCK,
    format_move,
    parse_move,
)
from envs.tongits.state import (
    CHALLENGED,
    DRAWING,
    ENDED,
    FOLDED,
    KNOCK_OVER,
    NONE,
    NUM_SEATS,
    PLAYING,
    RESPONDING,
    STOCK_OUT,
    TONGITS,
    hide,
)
from envs.tongits.values import hand_value

DEEDS = {DRAW: "draws", KNOCK: "knocks", CHALLENGE: "challenges", FOLD: "folds"}
VERBS = {"TAKE": "takes", "MELD": "melds", "LAYOFF": "lays off", "DISCARD": "discards"}
PHASES = {DRAWING: "to draw", PLAYING: "to play", RESPONDING: "to answer the knock"}
MARGIN = " " * 11
ENDINGS = {
    TONGITS: "wins by tongits",
    STOCK_OUT: "wins, the stock is used up",
    KNOCK_OVER: "wins the knock",
}


def format_action(s: Any, action: int) -> str:
    """One action in notation: `DRAW`, `TAKE 7S 7H 7D`, `LAYOFF 4S LOW`, `DISCARD KD`."""
    return format_move(action, taken=s.phase == DRAWING)


def format_play(s: Any, path: tuple[int, ...]) -> str:
    """A whole play in notation; every action is one."""
    return format_action(s, path[0])


def parse_play(s: Any, text: str) -> tuple[int, ...]:
    """Read an action in notation; the inverse of `format_play`.

    Raises:
        CardError: it is none, or TAKE and MELD are mixed up.
    """
    return (parse_move(text, taken=s.phase == DRAWING),)


def last_event(s: Any) -> str:
    """What happened last, in words that every seat may read."""
    if s.actor == NONE:
        return f"the cards are dealt; seat {s.dealer} begins"
    kind = int(KIND[s.action])
    deed = DEEDS.get(kind)
    if deed is None:
        word, rest = format_move(int(s.action), taken=bool(s.took)).split(" ", 1)
        deed = f"{VERBS[word]} {rest}"
    return f"seat {s.actor} {deed}{_outcome(s)}"


def _outcome(s: Any) -> str:
    if s.outcome not in ENDINGS:
        return ""
    payoffs = ", ".join(f"{payoff:+d}" for payoff in s.payoffs)
    return f"; seat {s.winner} {ENDINGS[int(s.outcome)]}: {payoffs}"


def split_melds(cards: int, sets: int) -> list[int]:
    """The exposed `cards` of a seat as melds, `sets` among them; runs that touch come as one.

    >>> from envs.tongits.cards import parse_cards
    >>> cards = parse_cards("3S 4S 5S 7S 7H 7D")
    >>> [format_cards(meld) for meld in split_melds(cards, parse_cards("7S 7H 7D"))]
    ['7S 7H 7D', '3S 4S 5S']
    """
    found = [cards & sets & (ACES << rank) for rank in range(NUM_RANKS)]
    for suit in range(NUM_SUITS):
        runs, run = cards & ~sets & (SUIT_CARDS << (NUM_RANKS * suit)), 0
        for card in cards_in(runs):
            run |= 1 << card
            if not runs >> (card + 1) & 1:
                found.append(run)
                run = 0
    return [meld for meld in found if meld]


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: as `seat` sees it, or open if None."""
    if seat is not None:
        s = s.copy()
        hide(s, seat)
    lines = [f"Tongits, hand {s.hand_number + 1} of {s.rules.num_hands}: {_stage(s)}"]
    pile = " ".join(map(format_card, s.pile[: s.pile_size])) or "empty"
    lines.append(f"  stock {s.stock_size}, pile {pile}")
    for other in range(NUM_SEATS):
        mark = ">" if other == s.turn else " "
        lines.append(f"{mark} seat {other}{_standing(s, other)}: {_hand(s, other)}")
        melds = split_melds(int(s.melds[other]), int(s.sets))
        if melds:
            lines.append(f"{MARGIN}melds {' | '.join(map(format_cards, melds))}")
    lines.append(f"  {last_event(s)}")
    return "\n".join(lines)


def _stage(s: Any) -> str:
    if s.phase == ENDED:
        return f"over, scores {', '.join(f'{score:+d}' for score in s.scores)}"
    pot = f", pot {s.pot}" if s.rules.jackpot_ante else ""
    return f"turn {s.turns + 1}, seat {s.turn} {PHASES[int(s.phase)]}{pot}"


def _hand(s: Any, seat: int) -> str:
    """The cards of a seat, suit by suit, and what they are worth; or how many they are."""
    hand = int(s.hands[seat])
    if not hand:
        return f"{s.sizes[seat]} cards"
    suits = [hand & (SUIT_CARDS << (NUM_RANKS * suit)) for suit in range(NUM_SUITS)]
    cards = "  ".join(format_cards(suit) for suit in suits if suit)
    return f"{cards}, value {hand_value(hand)}"


def _standing(s: Any, seat: int) -> str:
    """What else is to be known about a seat."""
    words = {
        "dealer": seat == s.dealer,
        "knocker": seat == s.knocker,
        "challenges": s.answers[seat] == CHALLENGED,
        "folds": s.answers[seat] == FOLDED,
        "may not knock": s.blocked[seat],
    }
    held = ", ".join(word for word, holds in words.items() if holds)
    return f" ({held})" if held else ""
