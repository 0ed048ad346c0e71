"""Observations of Dori-jitgo-ttaeng (RULES section 6): writing them, and reading them back.

What a seat may see is decided in one place, `state.hide`. The table `FIELDS` then says how each
field of the record stands in an observation. There is one layout for both modes and any number of
seats: eight blocks, of which those of seats that do not exist are empty.
"""

from typing import Any

import numpy as np

from envs.core.bits import mark
from envs.core.fields import (
    BITS,
    CHOICE,
    DIGITS,
    EACH,
    NUMBER,
    OWN,
    SEAT,
    Field,
    build_layout,
    build_table,
    read_words,
    write_words,
)
from envs.core.jit import kernel
from envs.core.layout import Layout, Piece
from envs.jitgo_ttaeng.cards import HAND_SIZE, NUM_CARDS, unpack_cards
from envs.jitgo_ttaeng.hands import NO_RESULT, NUM_RESULTS
from envs.jitgo_ttaeng.moves import NUM_BETTING, NUM_PILES
from envs.jitgo_ttaeng.rules import AMOUNTS, MAX_SEATS, NUM_SMALL, OPTIONS, JitgoTtaengRules
from envs.jitgo_ttaeng.state import NUM_HANDS, STATE, hide

NUM_DIGITS = 4
"""Digits of an amount: all chips, at most 8,000,000, fit."""

FIELDS = (
    Field("hand", BITS, "own cards dealt so far", OWN, size=NUM_CARDS, source="hands"),
    Field("face_up", BITS, "first card of each pile, while bets are made", size=NUM_CARDS,
          num=NUM_PILES),
    Field("shown", BITS, "cards shown at the end of the hand before, by seat (`show_last`)", EACH,
          size=NUM_CARDS),
    Field("shown_piles", BITS, "likewise the banker's hand and the piles", size=NUM_CARDS,
          num=NUM_HANDS),
    Field("result", CHOICE, "what the own five cards are worth (`helper_features`)", OWN,
          size=NUM_RESULTS, source="results"),
    Field("phase", CHOICE, "betting, bank offered, bank bet against, bank kept or left, over",
          size=5),
    Field("last_actions", CHOICE, "last action of this betting round, by seat", EACH,
          size=NUM_BETTING),
    Field("bet_piles", CHOICE, "pile bet on, by seat", EACH, size=NUM_PILES),
    Field("turn", SEAT, "who is to act; nobody when the match is over"),
    Field("sun", SEAT, "who opens; who was offered the bank first"),
    Field("banker", SEAT, "who holds the bank"),
    Field("playing", NUMBER, "1 for a seat that was dealt in", EACH),
    Field("folded", NUMBER, "1 for a seat that folded", EACH),
    Field("acted", NUMBER, "1 for a seat that acted since the last full bet or raise, or that has "
          "decided in this round against the bank", EACH),
    Field("street", NUMBER, "betting rounds finished in this hand"),
    Field("offered", NUMBER, "seats in a row that the bank went past"),
    Field("rules", NUMBER, "options, as numbers: " + ", ".join(OPTIONS[:NUM_SMALL]),
          num=NUM_SMALL),
    Field("limits", DIGITS, "options that are large: " + ", ".join(AMOUNTS), size=NUM_DIGITS,
          source="rules." + AMOUNTS[0], num=len(AMOUNTS)),
    Field("hand_number", DIGITS, "hands, or rounds against a bank, finished before",
          size=NUM_DIGITS),
    Field("current", DIGITS, "highest bet of this betting round", size=NUM_DIGITS),
    Field("last_raise", DIGITS, "the last full bet or raise", size=NUM_DIGITS),
    Field("raises", DIGITS, "raises in this betting round", size=NUM_DIGITS),
    Field("bank", DIGITS, "chips in the bank", size=NUM_DIGITS),
    Field("stake", DIGITS, "chips first laid into it", size=NUM_DIGITS),
    Field("stacks", DIGITS, "chips, apart from those at stake, by seat", EACH, size=NUM_DIGITS),
    Field("contrib", DIGITS, "chips put into this hand, or bet on a pile, by seat", EACH,
          size=NUM_DIGITS),
    Field("round_bets", DIGITS, "chips put into this betting round, by seat", EACH,
          size=NUM_DIGITS),
    Field("scores", DIGITS, "chips won or lost so far, by seat", EACH, size=NUM_DIGITS),
)  # fmt: skip

LAYOUT = build_layout(FIELDS, STATE, MAX_SEATS, {})
STATE_LAYOUT = Layout.of(
    all_hands=Piece((MAX_SEATS, NUM_CARDS), "five cards, also those to come, by seat"),
    all_piles=Piece((NUM_HANDS, NUM_CARDS), "the banker's hand and the piles"),
    **LAYOUT.pieces,
)
TABLES = [build_table(FIELDS, STATE, seats, {}, room=MAX_SEATS) for seats in range(MAX_SEATS + 1)]
TABLE = TABLES[-1]
SOURCES = np.array([table.words for table in TABLES])
"""The word to read, by seats at the table and observer: [9, 8, V]."""
TABLE_2, TABLE_4 = (
    build_table(FIELDS, STATE, seats, {}, room=MAX_SEATS, absent=False) for seats in (2, 4)
)


def layout(rules: JitgoTtaengRules) -> Layout:
    """The pieces of an observation: always the same."""
    return LAYOUT


def state_layout(rules: JitgoTtaengRules) -> Layout:
    """The pieces of the perfect-information vector: all cards, then an observation."""
    return STATE_LAYOUT


@kernel(inline=True)
def write_view(view: Any, words: Any, seat: int, out: Any) -> None:
    """Write a view of `seat`, and its 8-byte words, into `out`, which is all 0.

    The usual numbers of seats have tables of their own, which the compiler has to know.
    """
    seats = int(view.rules.num_players)
    if seats == 2:
        write_words(words, TABLE_2.words[seat], TABLE_2, seats, seat, out)
    elif seats == 4:
        write_words(words, TABLE_4.words[seat], TABLE_4, seats, seat, out)
    else:
        write_words(words, SOURCES[seats, seat], TABLE, seats, seat, out)


@kernel
def observe_batch(states: Any, seats: Any, observations: Any) -> None:
    """What the given seats may see. seats: [B]; observations: [B, L] int8, written in place."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        hide(scratch[0], int(seats[i]))
        observations[i, :] = 0
        write_view(scratch[0], words, int(seats[i]), observations[i])


@kernel
def decode_batch(observations: Any, views: Any) -> None:
    """Fill views [B] from observations [B, L] int8; the observer of each is seat 0."""
    words = views.view(np.int64)
    width = words.shape[0] // max(views.shape[0], 1)
    for i in range(views.shape[0]):
        view = words[i * width : (i + 1) * width]
        view[:] = 0
        read_words(observations[i], TABLE.words[0], TABLE, view)
        for seat in range(1, MAX_SEATS):
            views[i].results[seat] = NO_RESULT


@kernel
def observe_state_batch(states: Any, seats: Any, vectors: Any) -> None:
    """All cards from the given seats on, then what those may see; see `Game.observe_state`."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        s, seat = states[i], int(seats[i])
        players = int(s.rules.num_players)
        vectors[i, :] = 0
        at = 0
        for k in range(players):
            mark(vectors[i], at, unpack_cards(s.dealt[(seat + k) % players], 0, HAND_SIZE))
            at += NUM_CARDS
        at = MAX_SEATS * NUM_CARDS
        for pile in range(NUM_HANDS):
            mark(vectors[i], at, unpack_cards(s.piles[pile], 0, HAND_SIZE))
            at += NUM_CARDS
        scratch[0] = s
        hide(scratch[0], seat)
        write_view(scratch[0], words, seat, vectors[i, at:])
