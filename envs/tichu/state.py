"""The record of a game of Tichu, and what each seat may see of it."""

from typing import Any

import numpy as np

from envs.core.game import HIDDEN, OVER, state_dtype
from envs.core.jit import kernel
from envs.tichu.cards import PACK
from envs.tichu.moves import NO_MOVE, NO_SLOT
from envs.tichu.rules import RULES

NUM_SEATS = 4
NONE = -1
"""In place of a seat."""
WAITING = -3
"""`turn` inside an action: who is asked next is still to be found."""
GRAND, TICHU, EXCHANGE, LEAD, FOLLOW, WISH, INTERRUPT, COLLECT, GIFT, ENDED = range(10)
"""Phases: what the seat to act is asked (RULES 3, 6)."""
PHASES = (
    "grand tichu", "small tichu", "exchange", "lead", "follow", "wish", "out of turn",
    "before the trick is taken", "gift", "over",
)  # fmt: skip
NO_CALL, SMALL, GRAND_CALL = range(3)
"""Calls."""
RIGHT, ACROSS, LEFT = range(3)
"""To whom a card is given, or from whom it comes: in `given` and `received`."""
NUM_GIVEN = 3
NOT_MADE = -1
"""In `wished`: there was no occasion yet."""
NO_EVENT, PASSED, PLAYED, CALLED, DECLINED, EXCHANGED, WISHED, TAKEN = range(8)
"""What happened last in the open: `event`."""
NO_RESULT, TRICK_END, ROUND_END = range(3)
"""What it brought about: `outcome`."""

STATE = state_dtype(
    NUM_SEATS,
    [
        ("rules", RULES),
        ("phase", np.int64),  # what the seat to act is asked
        ("stage", np.int64),  # the same as everybody knows it: questions out of turn left out, and
        # COLLECT whenever a trick is about to be taken (RULES 9.2)
        ("next_seat", np.int64),  # who acts next as everybody knows it: regular actor, owner of the
        # trick about to be taken; NONE in the exchange
        ("asked", np.int64),  # in a view: 1 if the observer is the seat to act
        ("rounds", np.int64),  # rounds finished before this one
        ("team_scores", np.int64, (2,)),  # score of each team in the match
        ("dealer", np.int64),
        ("dealt", np.int64, (NUM_SEATS,)),  # the 14 cards of each seat before the exchange
        ("first", np.int64, (NUM_SEATS,)),  # the 8 of them that were drawn first
        ("hands", np.int64, (NUM_SEATS,)),  # cards of each seat
        ("sizes", np.int64, (NUM_SEATS,)),  # number of cards of each seat
        ("given", np.int64, (NUM_SEATS, NUM_GIVEN)),  # card given to right, partner, left
        ("received", np.int64, (NUM_SEATS, NUM_GIVEN)),  # card received from them
        ("calls", np.int64, (NUM_SEATS,)),
        ("may_call", np.int64, (NUM_SEATS,)),  # in a view: 1 where a seat may still call
        ("mahjong", np.int64),  # who was dealt or given the mahjong, once he leads; or NONE
        ("played", np.int64, (NUM_SEATS,)),  # cards played by each seat
        ("place", np.int64, (NUM_SEATS,)),  # order of going out, from 1; 0 while in play
        ("num_out", np.int64),
        ("points", np.int64, (NUM_SEATS,)),  # of the cards each seat captured
        ("table", np.int64),  # combination to beat, or NO_MOVE at a lead
        ("value", np.int64),  # its rank in half ranks
        ("table_cards", np.int64),
        ("owner", np.int64),  # who played it; at a lead who played last or leads first: where
        # questions out of turn begin
        ("pile", np.int64),  # all cards of the trick
        ("passes", np.int64),  # in a row
        ("passer", np.int64),  # who passed just now, or NONE
        ("wish", np.int64),  # rank that is wished and not yet served, or NO_WISH
        ("wished", np.int64),  # what was wished in this round, NO_WISH, or NOT_MADE
        ("lacks", np.int64, (NUM_SEATS,)),  # 1 where a seat showed that it has no card of `wished`
        ("window", np.int64),  # how many seats after the owner the questions have reached
        ("begun", np.int64),  # combination being chosen, or NO_MOVE
        ("slotted", np.int64),  # 1 once it is settled what the phoenix stands for
        ("slot", np.int64),  # that rank, or NO_SLOT
        ("chosen", np.int64),  # its cards chosen so far; they are still in the hand
        ("actor", np.int64),  # who acted last in the open, or NONE
        ("event", np.int64),  # what he did
        ("action", np.int64),  # the action, for a play its combination
        ("last_cards", np.int64),  # cards of the play
        ("last_slot", np.int64),  # what its phoenix stands for
        ("outcome", np.int64),  # what it brought about
        ("taker", np.int64),  # who got the last trick or is left over at the end of the round
        ("left", np.int64),  # cards left over at the end of the last round
        ("round_points", np.int64, (2,)),  # of each team in the last round
        ("unseen", np.int64),  # in a view: the pack without own cards and cards played
    ],
)


@kernel
def clear_selection(s: Any) -> None:
    """No play is begun."""
    s.begun, s.slotted, s.slot, s.chosen, s.pending = NO_MOVE, 0, NO_SLOT, 0, 0


@kernel
def may_call(s: Any, seat: int) -> bool:
    """Whether the seat may still call small tichu (RULES 3.9)."""
    return s.calls[seat] == NO_CALL and s.played[seat] == 0 and s.num_out == 0


@kernel
def hide(s: Any, seat: int) -> None:
    """Take out of the record what `seat` may not see (RULES 9.2, 11)."""
    played = 0
    for other in range(NUM_SEATS):
        s.dealt[other], s.first[other] = 0, 0
        s.may_call[other] = may_call(s, other)
        played |= s.played[other]
        if other != seat:
            s.hands[other] = 0
            for k in range(NUM_GIVEN):
                s.given[other, k], s.received[other, k] = 0, 0
    s.unseen = PACK & ~(s.hands[seat] | played)
    s.asked = s.turn == seat
    if not s.asked:
        clear_selection(s)
        s.phase = s.stage
        if s.turn != OVER:
            s.turn = HIDDEN
    s.seed, s.draws, s.window = 0, 0, 0
