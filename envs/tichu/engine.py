"""The state machine of Tichu: every question and its answers, and the kernels of a `Game`.

Kernels over one record, and beside each its loop over a batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.core.legality import only_action
from envs.tichu.cards import MAHJONG, NO_WISH
from envs.tichu.counting import count_choices, count_combination
from envs.tichu.legal import mark_bombs, mark_plays
from envs.tichu.moves import (
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_GIFT,
    ID_NO,
    ID_RANK,
    NO_MOVE,
    NUM_ACTIONS,
)
from envs.tichu.rounds import (
    CALL_VALUE,
    DOUBLE_WIN,
    ask_opening,
    end_round,
    seat_after,
    start_match,
    team_of,
)
from envs.tichu.selection import choose, mark_choices, settle_choices
from envs.tichu.state import (
    ACROSS,
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
    INTERRUPT,
    LEAD,
    LEFT,
    NO_RESULT,
    NONE,
    NUM_GIVEN,
    NUM_SEATS,
    RIGHT,
    SMALL,
    TICHU,
    WAITING,
    WISH,
    may_call,
)
from envs.tichu.tricks import (
    are_bombs_asked,
    give_trick,
    go_on,
    make_wish,
    open_window,
    pass_turn,
    play,
)


@kernel
def deal_batch(states: Any) -> None:
    """Start the match of every record."""
    for i in range(states.shape[0]):
        start_match(states[i])


@kernel
def answer_opening(s: Any, action: int) -> None:
    """Call or decline before the exchange (RULES 3.3, 3.5)."""
    seat = int(s.turn)
    if action == ID_CALL:
        s.calls[seat] = GRAND_CALL if s.phase == GRAND else SMALL
    s.actor, s.event, s.outcome = seat, (CALLED if action == ID_CALL else DECLINED), NO_RESULT
    s.action = s.phase
    ask_opening(s, ((seat - s.dealer) & (NUM_SEATS - 1)) + 1)


@kernel
def call_in_play(s: Any) -> None:
    """Call small tichu in or out of turn; the same seat is asked again (RULES 3.9)."""
    seat = int(s.turn)
    s.calls[seat] = SMALL
    s.actor, s.event, s.action, s.outcome = seat, CALLED, TICHU, NO_RESULT
    if s.phase == INTERRUPT:
        s.window -= 1
        s.turn = WAITING


@kernel
def give(s: Any, action: int) -> None:
    """Pick the next card to give; after the twelfth all change hands (RULES 3.6)."""
    seat = int(s.turn)
    s.given[seat, s.pending] = 1 << (action - ID_CARD)
    s.pending += 1
    if s.pending < NUM_GIVEN:
        return
    s.pending = 0
    if ask_opening(s, ((seat - s.dealer) & (NUM_SEATS - 1)) + 1):
        exchange(s)


@kernel
def exchange(s: Any) -> None:
    """All cards change hands at once; the holder of the mahjong will lead (RULES 3.6 to 3.8)."""
    for seat in range(NUM_SEATS):
        for k in range(NUM_GIVEN):
            taker = seat_after(seat, k + 1)
            s.hands[seat] &= ~s.given[seat, k]
            s.received[taker, NUM_GIVEN - 1 - k] = s.given[seat, k]
    for seat in range(NUM_SEATS):
        s.hands[seat] |= s.received[seat, RIGHT] | s.received[seat, ACROSS]
        s.hands[seat] |= s.received[seat, LEFT]
        if s.hands[seat] & MAHJONG:
            s.mahjong, s.owner = seat, seat
    s.actor, s.event, s.outcome = NONE, EXCHANGED, NO_RESULT
    open_window(s, LEAD, s.mahjong)


@kernel
def build(s: Any, action: int) -> None:
    """Begin a combination or go on choosing, and play it when it is complete (RULES 12.2)."""
    if s.begun == NO_MOVE:
        s.begun = action
    else:
        choose(s, action)
    s.pending += 1
    if settle_choices(s):
        play(s)


@kernel
def take(s: Any, action: int) -> None:
    """Take a legal action; a negative one takes none. Changes `s` in place."""
    if action < 0 or s.turn < 0:
        return
    if s.phase == GRAND or s.phase == TICHU:
        answer_opening(s, action)
    elif s.phase == EXCHANGE:
        give(s, action)
    elif s.phase == WISH:
        make_wish(s, action)
    elif s.phase == GIFT:
        give_trick(s, action)
    elif action == ID_CALL:
        call_in_play(s)
    elif action != ID_NO or s.begun != NO_MOVE:
        build(s, action)
    elif s.phase == FOLLOW:
        pass_turn(s)
    else:  # declined
        s.turn = WAITING
    if s.turn == WAITING:
        go_on(s)
    if s.stage == ENDED:
        end_round(s)


@kernel
def mark_turn(s: Any, mask: Any) -> None:
    """Mark what may be led or put on the table, or the pass; the wish binds (RULES 7)."""
    hand, table, value = int(s.hands[s.turn]), int(s.table), int(s.value)
    if s.wish != NO_WISH and mark_plays(hand, table, value, int(s.wish), mask):
        return
    mark_plays(hand, table, value, NO_WISH, mask)
    mask[ID_NO] = table != NO_MOVE


@kernel
def mark_collect(s: Any, mask: Any) -> None:
    """Mark the bombs that beat the owner's own trick, or taking it (RULES 7, T-D15)."""
    hand, table = int(s.hands[s.turn]), int(s.table)
    binds = s.wish != NO_WISH and s.rules.wish_binds_collect
    if binds and mark_bombs(hand, table, int(s.wish), mask):
        return
    mark_bombs(hand, table, NO_WISH, mask)
    mask[ID_NO] = 1


@kernel
def mark_cards(cards: int, mask: Any) -> None:
    """Mark the cards of a set."""
    while cards:
        mask[ID_CARD + lowest(cards)] = 1
        cards &= cards - 1


@kernel
def legal(s: Any, mask: Any) -> None:
    """Fill the mask of the seat to act; all 0 when the game is over, or a view hides who acts.

    mask: [442] int8, written in place.
    """
    mask[:] = 0
    if s.turn < 0:
        return
    seat = int(s.turn)
    if s.begun != NO_MOVE:
        mark_choices(s, mask)
    elif s.phase == LEAD or s.phase == FOLLOW:
        mark_turn(s, mask)
        mask[ID_CALL] = may_call(s, seat)
    elif s.phase == INTERRUPT:
        if are_bombs_asked(s):
            mark_bombs(int(s.hands[seat]), int(s.table), NO_WISH, mask)
        mask[ID_NO], mask[ID_CALL] = 1, may_call(s, seat)
    elif s.phase == COLLECT:
        mark_collect(s, mask)
    elif s.phase == EXCHANGE:
        given = s.given[seat]
        mark_cards(int(s.hands[seat]) & ~(given[RIGHT] | given[ACROSS] | given[LEFT]), mask)
    elif s.phase == WISH:
        mask[ID_NO] = 1
        mask[ID_RANK:ID_CARD] = 1
    elif s.phase == GIFT:
        mask[ID_GIFT:] = 1
    else:
        mask[ID_NO], mask[ID_CALL] = 1, 1


@kernel
def legal_batch(states: Any, masks: Any) -> None:
    """`legal` for every record; masks: [B, 442] int8."""
    for i in range(states.shape[0]):
        legal(states[i], masks[i])


@kernel
def step(s: Any, action: int, mask: Any, skip_forced: bool) -> None:
    """Take an action and fill the mask of what comes next; go on while that is forced, if wanted.

    With the option `skip_forced` that is always wanted (RULES T-D36).
    """
    skips = skip_forced or s.rules.skip_forced
    take(s, action)
    legal(s, mask)
    while skips:
        action = only_action(mask)
        if action < 0:
            break
        take(s, action)
        legal(s, mask)


@kernel
def step_batch(states: Any, actions: Any, masks: Any, skip_forced: bool) -> None:
    """`step` for every record; actions: [B]; masks: [B, 442] int8, written in place."""
    for i in range(states.shape[0]):
        step(states[i], int(actions[i]), masks[i], skip_forced)


@kernel
def apply_batch(states: Any, actions: Any) -> None:
    """`step` without the mask for every record; actions: [B]."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    for i in range(states.shape[0]):
        s = states[i]
        if s.rules.skip_forced and actions[i] >= 0:
            step(s, int(actions[i]), mask, True)
        else:
            take(s, int(actions[i]))


@kernel
def count_plays(s: Any, mask: Any, counts: Any) -> None:
    """The number of plays that begin with each allowed action.

    mask: [442] int8; counts: [442] int64, written in place.
    """
    others = 1
    if s.turn >= 0 and s.phase == EXCHANGE:  # cards still to be picked after this one
        for k in range(s.pending + 1, NUM_GIVEN):
            others *= popcount(s.hands[s.turn]) - k
    for action in range(NUM_ACTIONS):
        counts[action] = int(mask[action]) * others
    if s.turn < 0 or s.phase == EXCHANGE:
        return
    if s.begun != NO_MOVE:
        count_choices(s, mask, counts)
        return
    for action in range(ID_DOG, ID_RANK):
        if mask[action]:
            counts[action] = count_combination(s, action)


@kernel
def count_plays_batch(states: Any, masks: Any, counts: Any) -> None:
    """`count_plays` for every record; counts: [B, 442] int64."""
    for i in range(states.shape[0]):
        count_plays(states[i], masks[i], counts[i])


@kernel
def sides_batch(states: Any, sides: Any) -> None:
    """The team of every seat: partners are fixed from the start (RULES 1.1)."""
    for i in range(states.shape[0]):
        for seat in range(sides.shape[1]):
            sides[i, seat] = team_of(seat)


def is_private(s: Any, action: int) -> bool:
    """Whether only the acting seat may know that it took `action` (RULES 9.2, 9.3).

    What it gives away, that it was asked out of turn and declined, and the choices within a play.
    """
    if s.phase == EXCHANGE or s.begun != NO_MOVE:
        return True
    return bool(action == ID_NO and s.phase in (INTERRUPT, COLLECT))


def forfeit(s: Any, seat: int) -> npt.NDArray[np.int64]:
    """Payoffs [4] if `seat` loses the match by foul play, for its partner too (RULES 10.8).

    The other team gets a double win, all calls of the offender's team fail.
    """
    team = team_of(seat)
    calls = sum(
        int(CALL_VALUE[s.calls[mate]]) for mate in range(NUM_SEATS) if team_of(mate) == team
    )
    payoffs = np.full(NUM_SEATS, DOUBLE_WIN + calls, np.int64)
    payoffs[team::2] *= -1
    return payoffs
