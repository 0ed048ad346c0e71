"""Dori-jitgo-ttaeng in words: actions, what happened last, the table."""

from typing import Any

import numpy as np

from envs.jitgo_ttaeng.banking import most_to_bet, room, size_of
from envs.jitgo_ttaeng.betting import NO_SIZE, owed, price, write_sizes
from envs.jitgo_ttaeng.cards import describe_card, format_hand, list_cards
from envs.jitgo_ttaeng.moves import (
    BET,
    CHECK_CALL,
    CHECK_WORD,
    FOLD,
    KOREAN,
    MIN,
    NUM_BETTING,
    NUM_SIZES,
    PASS,
    PILES,
    STAKE,
    WORDS,
    parse_action,
)
from envs.jitgo_ttaeng.rules import MODE_BETTING
from envs.jitgo_ttaeng.showdown import pot
from envs.jitgo_ttaeng.state import (
    BANK_LEFT,
    BANK_WON,
    BETTING,
    BROKE,
    CONTINUING,
    ENDED,
    FOLDED_OUT,
    NONE,
    NOTHING,
    PUNTING,
    SHOWN_DOWN,
    STAKING,
    hide,
)
from envs.jitgo_ttaeng.words import describe_cards


def format_play(s: Any, path: tuple[int, ...]) -> str:
    """An action in notation: `check`, `half`, `stake quarter`, `bet B min`."""
    action = path[0]
    if action == CHECK_CALL and s.phase == BETTING and owed(s, int(s.turn)) == 0:
        return CHECK_WORD
    return WORDS[action]


def parse_play(s: Any, text: str) -> tuple[int, ...]:
    """Read an action in notation; the inverse of `format_play`.

    Raises:
        CardError: it is none.
    """
    return (parse_action(text),)


def format_action(s: Any, action: int) -> str:
    """One action in words, with its Korean name and what it costs."""
    words = format_play(s, (action,))
    if words == CHECK_WORD:
        return "check (체크)"
    if action < len(KOREAN):
        words += f" ({KOREAN[action]})"
    chips = cost(s, action)
    return f"{words}, {chips} chips" if chips else words


def cost(s: Any, action: int) -> int:
    """Chips that an action costs; 0 also where it is not possible."""
    if s.phase == BETTING and action < NUM_BETTING:
        sizes = np.empty(NUM_BETTING, np.int64)
        write_sizes(s, sizes)
        return int(price(s, action, sizes)) if action < MIN or sizes[action] != NO_SIZE else 0
    if s.phase == STAKING and STAKE <= action < BET:
        return int(size_of(action - STAKE, int(s.rules.min_stake), int(s.stacks[s.turn])))
    if s.phase == PUNTING and action >= BET:
        most = int(most_to_bet(s, int(s.turn)))
        return int(size_of((action - BET) % NUM_SIZES, int(s.rules.min_bet), most))
    return 0


def last_event(s: Any) -> str:
    """What happened last, in words that every seat may read."""
    if s.actor == NONE:
        return "the cards are dealt"
    return f"seat {s.actor} {_deed(s)}{_outcome(s)}"


def _deed(s: Any) -> str:
    action, chips = int(s.action), int(s.paid)
    if action == FOLD:
        return "folds"
    if action == CHECK_CALL:
        return f"calls {chips}" if chips else "checks"
    if action < NUM_BETTING:
        return f"goes all-in with {chips}" if WORDS[action] == "all-in" else f"bets {chips}"
    if action == PASS:
        return "passes"
    if action < STAKE:
        return "keeps the bank"
    if action < BET:
        return f"takes the bank with {chips}"
    return f"bets {chips} on pile {PILES[(action - BET) // NUM_SIZES]}"


def _outcome(s: Any) -> str:
    if s.outcome == NOTHING or s.outcome == BANK_LEFT:
        return "" if s.outcome == NOTHING else " and gives the bank up"
    payoffs = ", ".join(f"{s.payoffs[seat]:+d}" for seat in range(s.rules.num_players))
    if s.outcome == FOLDED_OUT:
        return f"; the last seat takes the pot: {payoffs}"
    if s.outcome == SHOWN_DOWN:
        redeals = f" after {s.redeals} new deals" if s.redeals else ""
        return f"; showdown{redeals}{_shown_hands(s)}: {payoffs}"
    end = {BROKE: "; the bank is lost", BANK_WON: "; the bank has won and passes on"}
    shown = _shown_piles(s) if any(s.shown_piles) else "; nobody has bet"
    return f"{shown}: {payoffs}{end.get(int(s.outcome), '')}"


def _shown_hands(s: Any) -> str:
    return "".join(
        f"; seat {seat} {format_hand(int(hand))} {describe_cards(s.rules, int(hand))}"
        for seat, hand in enumerate(s.shown)
        if hand
    )


def _shown_piles(s: Any) -> str:
    names = ("banker", *(f"pile {pile}" for pile in PILES))
    return "".join(
        f"; {name} {format_hand(int(hand))} {describe_cards(s.rules, int(hand))}"
        for name, hand in zip(names, s.shown_piles, strict=True)
    )


def render(s: Any, seat: int | None = None) -> str:
    """The table as text: as `seat` sees it, or open if None."""
    event = last_event(s)
    if seat is not None:
        s = s.copy()
        hide(s, seat)
    lines = [f"Dori-jitgo-ttaeng, {_stage(s)}"]
    for other in range(int(s.rules.num_players)):
        lines.append(_seat_line(s, other))
        if s.hands[other]:
            lines.append(f"    {_name_cards(int(s.hands[other]))}")
    if s.phase == PUNTING:
        for pile, cards in zip(PILES, s.face_up, strict=True):
            shown = f"{format_hand(int(cards))} {_name_cards(int(cards))}"
            lines.append(f"  pile {pile}: {shown} and four cards face down")
    return "\n".join([*lines, f"  {event}"])


def _stage(s: Any) -> str:
    if s.phase == ENDED:
        scores = ", ".join(f"{s.scores[seat]:+d}" for seat in range(s.rules.num_players))
        return f"over, scores {scores}"
    if s.rules.mode == MODE_BETTING:
        where = f"hand {s.hand_number + 1} of {s.rules.max_hands}, sun is seat {s.sun}"
        return f"{where}: pot {pot(s)}, to call {owed(s, int(s.turn))}, raises {s.raises}"
    where = f"round {s.hand_number + 1} of {s.rules.max_rounds}"
    if s.phase == STAKING:
        return f"{where}: the bank is offered to seat {s.turn}"
    what = "may give it up" if s.phase == CONTINUING else f"room for {room(s)}"
    return f"{where}: bank {s.bank} of seat {s.banker}, stake {s.stake}, {what}"


def _seat_line(s: Any, seat: int) -> str:
    mark = ">" if seat == s.turn else " "
    line = f"{mark} seat {seat}  stack {s.stacks[seat]:>6}  in {s.contrib[seat]:>5}"
    if s.rules.mode != MODE_BETTING:
        pile = f"on pile {PILES[s.bet_piles[seat]]}" if s.bet_piles[seat] != NONE else ""
        return f"{line}  {'banker' if seat == s.banker else pile}".rstrip()
    did = WORDS[s.last_actions[seat]] if s.last_actions[seat] != NONE else ""
    if s.folded[seat]:
        did = WORDS[FOLD]
    elif not s.playing[seat]:
        did = "out"
    hand = int(s.hands[seat])
    return f"{line}  {did:7}  {format_hand(hand)} {describe_cards(s.rules, hand)}".rstrip()


def _name_cards(hand: int) -> str:
    """The cards in English and Korean."""
    return ", ".join(describe_card(card) for card in list_cards(hand))
