"""Dou Dizhu in words: actions, plays, what happened last, the table, deals as plain data."""

from typing import Any

from envs.doudizhu.auction import num_snatches
from envs.doudizhu.cards import (
    RANK_CHARS,
    format_cards,
)
from envs.doudizhu.engine import multiplier
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import (
    BID,
    BODY,
    DONE,
    DOUBLE,
    ID_BID,
    ID_DECLINE,
    ID_DOUBLE,
    ID_PASS,
    ID_SNATCH,
    KICK,
    KICKER_CARDS,
    KICKW,
    KIND,
    KINDS,
    PASS,
    RANK,
    ROCKET,
    SNATCH,
    SUB,
    Move,
    move_of_path,
    parse_move,
)
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    ENDED,
    HAND_VOID,
    HAND_WON,
    LANDLORD_FOUND,
    NO_MOVE,
    NONE,
    PLAYING,
    REDEALT,
    hide,
)
from envs.doudizhu.wild import asks_wild

CALLS = {
    "pass": ID_PASS,
    "bid 1": ID_BID,
    "bid 2": ID_BID + 1,
    "bid 3": ID_BID + 2,
    "decline": ID_DECLINE,
    "snatch": ID_SNATCH,
    "x1": ID_DOUBLE,
    "x2": ID_DOUBLE + 1,
    "x4": ID_DOUBLE + 2,
}
"""The plays that are no cards, in notation."""
CALL_NAMES = {action: name for name, action in CALLS.items()}


def format_action(s: Any, action: int) -> str:
    """One action in words; a declaration with kickers to come ends in `+…`."""
    kind = KIND[action]
    if action in CALL_NAMES:
        return CALL_NAMES[action]
    if kind == DONE:
        return "no more wild cards in the body"
    if kind == SUB:
        return f"wild card as {RANK_CHARS[RANK[action]]}"
    if kind == KICKW:
        return f"kicker {RANK_CHARS[RANK[action]]} with a wild card"
    if kind == KICK:
        size = int(KICKER_CARDS[s.begun]) if s.begun != NO_MOVE else 1
        return "kicker " + RANK_CHARS[RANK[action]] * size
    body = int(rocket_of(s.rules)) if kind == ROCKET else int(BODY[action])
    kickers = "+…" if KICKER_CARDS[action] else ""
    return f"{KINDS[kind]} {format_cards(body)}{kickers}"


def format_play(s: Any, path: tuple[int, ...]) -> str:
    """A whole play in notation: `pass`, `bid 2`, `snatch`, `x2`, `333444+56`."""
    if path[0] in CALL_NAMES:
        return CALL_NAMES[path[0]]
    return str(move_of_path(path, int(rocket_of(s.rules)), int(s.wild)))


def parse_play(s: Any, text: str) -> tuple[int, ...]:
    """Read a play in notation; the inverse of `format_play`.

    Raises:
        CardError: neither a call nor a combination.
    """
    call = CALLS.get(text.strip().lower())
    if call is not None:
        return (call,)
    move = parse_move(text, int(rocket_of(s.rules)), int(s.wild))
    hand = int(s.hands[s.turn])
    return move.path(placing=asks_wild(hand, int(s.wild), move.declaration))


def last_event(s: Any) -> str:
    """What happened last, in words that every seat may read."""
    if s.actor == NONE:
        text = "the cards are dealt"
        return f"{text}; seat {s.landlord} is landlord" if s.landlord != NONE else text
    return f"seat {s.actor} {_deed(s)}{_outcome(s)}"


def _deed(s: Any) -> str:
    action, kind = int(s.action), KIND[s.action]
    if kind == PASS:
        return "passes"
    if kind == BID:
        return f"bids {RANK[action]}"
    if kind == SNATCH:
        return "snatches" if action == ID_SNATCH else "declines"
    if kind == DOUBLE:
        return f"plays for x{RANK[action]}"
    return f"plays {KINDS[kind]} {Move(action, int(s.last_played), int(s.last_wild))}"


def _outcome(s: Any) -> str:
    if s.outcome == REDEALT:
        return "; everybody passed: new deal"
    if s.outcome == LANDLORD_FOUND:
        bottom = f", bottom {format_cards(int(s.bottom))}" if s.rules.reveal_bottom else ""
        return f"; seat {s.landlord} is landlord for {s.base_score}{bottom}{_wild(s)}"
    if s.outcome == HAND_VOID:
        return "; everybody passed: the hand is void"
    if s.outcome == HAND_WON:
        payoffs = ", ".join(f"{s.payoffs[seat]:+d}" for seat in range(s.rules.players))
        return f" and wins the hand: {payoffs}"
    return ""


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: as `seat` sees it, or open if None."""
    if seat is not None:
        s = s.copy()
        hide(s, seat)
    lines = [f"Dou Dizhu, hand {s.hand_number + 1} of {s.rules.hands_per_match}: {_stage(s)}"]
    lines.append(f"  bottom {format_cards(int(s.bottom)) or 'unknown'}{_face_up(s)}{_wild(s)}")
    for other in range(int(s.rules.players)):
        hand = format_cards(int(s.hands[other])) or f"{s.sizes[other]} cards"
        role = "landlord" if other == s.landlord else ("farmer" if s.landlord != NONE else "")
        mark = ">" if other == s.turn else " "
        lines.append(f"{mark} seat {other} {role:8} {hand:33} {_doing(s, other)}".rstrip())
    if s.table != NO_MOVE:
        kind = KINDS[KIND[s.table]]
        move = Move(int(s.table), int(s.table_cards), int(s.wild))
        lines.append(f"  to beat: {kind} {move} of seat {s.table_seat}")
    if s.begun != NO_MOVE:
        chosen = format_cards(int(s.placed)) if s.placing else format_cards(int(s.chosen))
        what = "wild cards" if s.placing else "kickers"
        lines.append(f"  choosing {what}: {format_action(s, int(s.begun))} {chosen}".rstrip())
    lines.append(f"  {last_event(s)}")
    return "\n".join(lines)


def _stage(s: Any) -> str:
    if s.phase == ENDED:
        scores = ", ".join(f"{s.scores[seat]:+d}" for seat in range(s.rules.players))
        return f"over, scores {scores}"
    if s.phase in (PLAYING, DOUBLING):
        return f"base {s.base_score}, bombs {s.counted_bombs}, x{multiplier(s, False)}"
    return "auction" if s.phase == BIDDING else f"snatching, {num_snatches(s)} so far"


def _face_up(s: Any) -> str:
    if s.face_up == NONE:
        return f", seat {s.first} bids first"
    return f", {RANK_CHARS[s.face_up]} face up at seat {s.face_up_seat}"


def _wild(s: Any) -> str:
    return "" if s.wild == NONE else f", {RANK_CHARS[s.wild]} wild"


def _doing(s: Any, seat: int) -> str:
    if s.phase not in (PLAYING, ENDED):
        if s.factors[seat]:
            return f"x{s.factors[seat]}"
        return {0: "pass", 1: "bid 1", 2: "bid 2", 3: "bid 3"}.get(int(s.calls[seat]), "")
    if s.passed[seat]:
        return "pass"
    return format_cards(int(s.table_cards)) if seat == s.table_seat else ""
