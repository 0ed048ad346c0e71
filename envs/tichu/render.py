"""Tichu in words: actions, plays, what happened last, the table."""

from typing import Any

import numpy as np

from envs.core.errors import CardError
from envs.tichu.cards import (
    CARD_NAMES,
    LOWEST,
    NO_WISH,
    RANK_CARDS,
    RANK_CHARS,
    format_cards,
    members,
    parse_cards,
)
from envs.tichu.moves import (
    FULL_HOUSE,
    HIGH,
    ID_CALL,
    ID_CARD,
    ID_GIFT,
    ID_NO,
    ID_RANK,
    KIND,
    KINDS,
    LOW,
    NO_MOVE,
    NO_SLOT,
    OTHER,
    RANK,
    SIZE,
    Move,
    parse_move,
)
from envs.tichu.rounds import seat_after, team_of
from envs.tichu.selection import (
    choose,
    draw_cards,
    open_rank,
    own_tokens,
    settle_choices,
)
from envs.tichu.state import (
    CALLED,
    COLLECT,
    DECLINED,
    ENDED,
    EXCHANGE,
    EXCHANGED,
    FOLLOW,
    GIFT,
    GRAND,
    GRAND_CALL,
    NO_CALL,
    NO_EVENT,
    NUM_GIVEN,
    NUM_SEATS,
    PASSED,
    PHASES,
    ROUND_END,
    TAKEN,
    TRICK_END,
    WISH,
    WISHED,
    hide,
)

GIFTS = {"gift right": ID_GIFT, "gift left": ID_GIFT + 1}
WISHES = {"wish none": ID_NO} | {
    f"wish {char}": ID_RANK + number for number, char in enumerate(RANK_CHARS)
}
CALL_NAMES = ("", "tichu", "grand tichu")
PLACES = ("", "first out", "second out", "third out")


def simple_plays(s: Any) -> dict[str, int]:
    """The plays in notation that are one action and no cards, in the phase of `s`."""
    if s.phase == WISH:
        return WISHES
    if s.phase == GIFT:
        return GIFTS
    return {"pass" if s.phase == FOLLOW else "decline": ID_NO, "call": ID_CALL}


def format_action(s: Any, action: int) -> str:
    """One action in words; a combination is named by its ranks, its cards may still be open."""
    if s.begun != NO_MOVE:
        if action == ID_NO:
            return "without the phoenix"
        if ID_RANK <= action < ID_CARD:
            return f"phoenix as {RANK_CHARS[RANK[action] - LOWEST]}"
    if action <= ID_CALL:
        words = {ID_NO: "take the trick" if s.phase == COLLECT else "decline", ID_CALL: "call"}
        return words[action] if s.phase != FOLLOW or action == ID_CALL else "pass"
    if action >= ID_GIFT:
        return "gift right" if action == ID_GIFT else "gift left"
    if action >= ID_CARD:
        return CARD_NAMES[RANK[action]]
    if action >= ID_RANK:
        return f"wish {RANK_CHARS[RANK[action] - LOWEST]}"
    return _format_combination(action)


def _format_combination(action: int) -> str:
    """`pair 8`, `straight 5-9`, `fullhouse 5 9` (trio, pair), `dragon`."""
    kind, low, high = KINDS[KIND[action]], int(LOW[action]), int(HIGH[action])
    names = [_rank_name(rank) for rank in (low, high)]
    if SIZE[action] == 1:
        return names[0]
    if KIND[action] == FULL_HOUSE:
        return f"{kind} {_rank_name(int(RANK[action]))} {_rank_name(int(OTHER[action]))}"
    return f"{kind} {names[0]}" + (f"-{names[1]}" if high > low else "")


def _rank_name(rank: int) -> str:
    """A rank as a character, or the name of the special card."""
    cards = members(int(RANK_CARDS[rank]))
    return CARD_NAMES[cards[0]] if len(cards) == 1 else RANK_CHARS[rank - LOWEST]


def move_of_path(s: Any, path: tuple[int, ...]) -> Move:
    """The combination that a path of actions makes in the state `s`, which stays as it is."""
    after = np.array([s])[0]
    after.begun = path[0]
    for action in path[1:]:
        settle_choices(after)
        choose(after, action)
    settle_choices(after)
    return Move(path[0], int(draw_cards(after)), int(after.slot))


def path_of(s: Any, move: Move) -> tuple[int, ...]:
    """The actions by which the seat to act plays a combination of its cards."""
    after = np.array([s])[0]
    after.begun = move.declaration
    path = [move.declaration]
    while not settle_choices(after):
        if after.slotted:
            action = ID_CARD + _next_token(after, move)
        else:
            action = ID_NO if move.slot == NO_SLOT else ID_RANK + move.slot - LOWEST
        choose(after, action)
        path.append(action)
    return tuple(path)


def _next_token(s: Any, move: Move) -> int:
    """The card that says which of the cards of `move` is chosen next."""
    held = int(s.hands[s.turn]) & int(RANK_CARDS[open_rank(s)])
    own = int(own_tokens(s))
    others = held & ~own
    wanted = members(held & own & move.cards & ~int(s.chosen))
    if (move.cards & others).bit_count() > (int(s.chosen) & others).bit_count():
        wanted.append(members(others)[0])
    return min(wanted)


def format_play(s: Any, path: tuple[int, ...]) -> str:
    """A whole play in notation: `pass`, `call`, `wish 9`, `give 2k DR 2b`, `gift left`, `8g PH`.

    Of equivalent cards those that will be played (RULES 12.3).
    """
    if s.phase == EXCHANGE:
        return "give " + " ".join(CARD_NAMES[RANK[action]] for action in path)
    for text, action in simple_plays(s).items():
        if path == (action,):
            return text
    return str(move_of_path(s, path))


def parse_play(s: Any, text: str) -> tuple[int, ...]:
    """Read a play in notation; the inverse of `format_play`.

    Raises:
        CardError: no play of this phase, or cards that the seat to act does not hold.
    """
    simple = simple_plays(s).get(text.strip())
    if simple is not None:
        return (simple,)
    if s.phase == EXCHANGE:
        verb, *names = text.split() or [""]
        parse_cards(" ".join(names))
        if verb != "give" or len(names) != NUM_GIVEN:
            raise CardError(f"{text!r} is no exchange; write give 2k DR 2b: right, partner, left")
        return tuple(ID_CARD + CARD_NAMES.index(name) for name in names)
    move = parse_move(text)
    if missing := move.cards & ~int(s.hands[s.turn]):
        raise CardError(f"seat {s.turn} does not hold {format_cards(missing)}")
    return path_of(s, move)


def last_event(s: Any) -> str:
    """What happened last in the open, in words that every seat may read."""
    if s.event == NO_EVENT:
        return "the cards are dealt"
    if s.event == EXCHANGED:
        return f"the cards are exchanged; seat {s.mahjong} holds the mahjong"
    return f"seat {s.actor} {_deed(s)}{_outcome(s)}"


def _deed(s: Any) -> str:
    if s.event in (CALLED, DECLINED):
        call = CALL_NAMES[GRAND_CALL if s.action == GRAND else 1]
        return f"calls {call}" if s.event == CALLED else f"does not call {call}"
    if s.event == PASSED:
        return "passes"
    if s.event == TAKEN:
        return f"gives the trick to seat {seat_after(int(s.actor), int(RANK[s.action]))}"
    if s.event == WISHED:
        rank = int(RANK[s.action])
        return f"wishes for {RANK_CHARS[rank - LOWEST] if rank else 'nothing'}"
    move = Move(int(s.action), int(s.last_cards), int(s.last_slot))
    return f"plays {move.kind} {move}"


def _outcome(s: Any) -> str:
    if s.outcome == TRICK_END and s.event != TAKEN:
        return f"; seat {s.taker} takes the trick"
    if s.outcome != ROUND_END:
        return ""
    left = format_cards(int(s.left))
    rest = f"seat {s.taker} is left with {left}" if left else "double win"
    points, scores = (" : ".join(map(str, pair)) for pair in (s.round_points, s.team_scores))
    return f" and ends the round, {rest}: {points}, in all {scores}"


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: as `seat` sees it, or open if None."""
    if seat is not None:
        s = s.copy()
        hide(s, seat)
    scores = " : ".join(map(str, s.team_scores))
    lines = [f"Tichu, round {s.rounds + (s.phase != ENDED)}, {scores}: {PHASES[s.phase]}"]
    for other in range(NUM_SEATS):
        hand = format_cards(int(s.hands[other])) or f"{s.sizes[other]} cards"
        mark = ">" if other == (s.turn if seat is None or s.turn >= 0 else s.next_seat) else " "
        lines.append(f"{mark} seat {other} {hand:42} {_standing(s, other)}".rstrip())
    if s.table != NO_MOVE:
        kind, cards = KINDS[KIND[s.table]], format_cards(int(s.table_cards))
        lines.append(f"  to beat: {kind} {cards} of seat {s.owner}, {s.passes} passed")
        lines.append(f"  in the trick: {format_cards(int(s.pile))}")
    if s.wish != NO_WISH:
        lines.append(f"  wished: {RANK_CHARS[s.wish - LOWEST]}")
    if s.begun != NO_MOVE:
        chosen = format_cards(int(s.chosen))
        lines.append(f"  choosing: {_format_begun(s)} {chosen}".rstrip())
    lines.append(f"  {last_event(s)}")
    return "\n".join(lines)


def _format_begun(s: Any) -> str:
    """The combination whose choices are being made."""
    slot = f", phoenix as {RANK_CHARS[s.slot - LOWEST]}" if s.slot != NO_SLOT else ""
    return _format_combination(int(s.begun)) + slot


def _standing(s: Any, seat: int) -> str:
    """What has become of a seat in this round."""
    words = [f"team {team_of(seat)}"]
    if s.calls[seat] != NO_CALL:
        words.append(CALL_NAMES[s.calls[seat]])
    if s.points[seat]:
        words.append(f"{s.points[seat]} points")
    if s.place[seat]:
        words.append(PLACES[s.place[seat]])
    if seat == s.dealer:
        words.append("dealer")
    if any(s.given[seat]):
        gifts = [format_cards(int(card)) for card in s.given[seat] if card]
        words.append(f"gave {', '.join(gifts)}")
    return ", ".join(words)
