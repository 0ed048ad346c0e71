"""Observations of Tongits (RULES section 11): writing them, and reading them back.

What a seat may see is decided in one place, `state.hide`. The table `FIELDS` then says how each
field of the record stands in an observation: layout, encoder, decoder and documentation follow it.
Seats are relative to the observer: 0 is the observer, 1 the next seat. A set of cards is 52
numbers, 1 for a card of the set, in the order AS 2S … KC.
"""

from typing import Any

import numpy as np

from envs.core.bits import load_word, mark, store_word
from envs.core.fields import (
    ALL,
    BITS,
    CHOICE,
    DIGITS,
    EACH,
    KINDS,
    NUM_CODES,
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
from envs.core.layout import NUMBER as NUMBER_PIECE
from envs.core.layout import Layout, Piece
from envs.tongits.cards import NUM_CARDS
from envs.tongits.rules import OPTIONS, TongitsRules
from envs.tongits.state import NONE, NUM_SEATS, STATE, STOCK_SIZE, hide

ORDER = NUM_CODES
"""How a field is written: cards in order, as their indices."""

FIELDS = (
    Field("hand", BITS, "own cards", OWN, source="hands", size=NUM_CARDS),
    Field("drawn", BITS, "the card the observer drew in its present turn", size=NUM_CARDS),
    Field("melds", BITS, "exposed cards, by owner of the meld", EACH, size=NUM_CARDS),
    Field("sets", BITS, "exposed cards that lie in sets; the others lie in runs", size=NUM_CARDS),
    Field("laid_off", BITS, "exposed cards that were laid off, by the seat that did it", EACH,
          size=NUM_CARDS),
    Field("discards", BITS, "cards in the pile, by the seat that discarded them", EACH,
          size=NUM_CARDS),
    Field("taken", BITS, "cards once taken from the pile", size=NUM_CARDS),
    Field("discard_order", ORDER, "indices of the cards in the pile, oldest first, -1 padded",
          source="pile"),
    Field("top", CHOICE, "the top of the pile", size=NUM_CARDS),
    Field("phase", CHOICE, "DRAW, PLAY, RESPOND, OVER", size=4),
    Field("answers", CHOICE, "answer to the knock: challenged, folded, by seat", EACH, 1, 2),
    Field("turn", SEAT, "who is to act; nobody when the game is over"),
    Field("dealer", SEAT, "the dealer"),
    Field("knocker", SEAT, "who knocked"),
    Field("streak_seat", SEAT, "who won the last hand played for the jackpot"),
    Field("sizes", NUMBER, "number of cards in hand, by seat", EACH),
    Field("registered", NUMBER, "1 for a seat that owns an exposed meld", EACH),
    Field("blocked", NUMBER, "1 for a seat whose next knock is barred", EACH),
    Field("stock_size", NUMBER, "number of cards in the stock"),
    Field("pile_size", NUMBER, "number of cards in the pile"),
    Field("turns", NUMBER, "turns completed in this hand"),
    Field("value", NUMBER, "value of the own hand: least points outside melds"),
    Field("hand_number", NUMBER, "hands of the match finished before"),
    Field("streak", NUMBER, "hands won in a row that count for the jackpot"),
    Field("rules", NUMBER, "the options, as numbers: " + ", ".join(OPTIONS), ALL),
    Field("pot", DIGITS, "the jackpot after the hand before", size=3),
    Field("scores", DIGITS, "payoffs so far, by seat", EACH, size=3),
)  # fmt: skip

SHAPES = {ORDER: (STOCK_SIZE,)}
LAYOUT = build_layout(FIELDS, STATE, NUM_SEATS, SHAPES, {**KINDS, ORDER: NUMBER_PIECE})
STATE_LAYOUT = Layout.of(
    all_hands=Piece((NUM_SEATS, NUM_CARDS), "cards, by seat"),
    true_stock=Piece((STOCK_SIZE, NUM_CARDS), "cards of the stock, the next to be drawn first"),
    **LAYOUT.pieces,
)
STOCK_PLACE = STATE_LAYOUT["true_stock"].start
SEEN_PLACE = STATE_LAYOUT["hand"].start


def layout(rules: TongitsRules) -> Layout:
    """The pieces of an observation; they are the same in all variants."""
    return LAYOUT


def state_layout(rules: TongitsRules) -> Layout:
    """The pieces of the perfect-information vector: all cards, then an observation."""
    return STATE_LAYOUT


TABLE = build_table(FIELDS, STATE, NUM_SEATS, SHAPES)


@kernel
def write_view(words: Any, seat: int, out: Any) -> None:
    """Write a view of `seat`, given as its 8-byte words, into `out`, which is all 0."""
    source, places, groups = TABLE.words[seat], TABLE.places, TABLE.groups
    for v in range(groups[ORDER], groups[ORDER + 1]):  # bytes already
        store_word(out, places[v, 0], words[source[v]])
        store_word(out, places[v, 0] + 8, words[source[v] + 1])
    write_words(words, source, TABLE, NUM_SEATS, seat, out)


@kernel(inline=True)
def read_view(out: Any, words: Any) -> None:
    """Fill the words of a view from an observation; the observer is seat 0."""
    source, places, groups = TABLE.words[0], TABLE.places, TABLE.groups
    for v in range(groups[ORDER], groups[ORDER + 1]):
        words[source[v]] = load_word(out, places[v, 0])
        words[source[v] + 1] = load_word(out, places[v, 0] + 8)
    read_words(out, source, TABLE, words)


@kernel
def observe_batch(states: Any, seats: Any, observations: Any) -> None:
    """What the given seats may see. seats: [B]; observations: [B, L] int8, written in place."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        hide(scratch[0], int(seats[i]))
        observations[i, :] = 0
        write_view(words, int(seats[i]), observations[i])


@kernel
def decode_batch(observations: Any, views: Any) -> None:
    """Fill views [B] from observations [B, L] int8; the observer of each is seat 0."""
    words = views.view(np.int64)
    width = words.shape[0] // max(views.shape[0], 1)
    for i in range(views.shape[0]):
        view = words[i * width : (i + 1) * width]
        view[:] = 0
        read_view(observations[i], view)


@kernel
def observe_state_batch(states: Any, seats: Any, vectors: Any) -> None:
    """All cards from the given seats on, then what those may see; see `Game.observe_state`."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        s, seat = states[i], int(seats[i])
        vectors[i, :] = 0
        for k in range(NUM_SEATS):
            mark(vectors[i], k * NUM_CARDS, int(s.hands[(seat + k) % NUM_SEATS]))
        for k in range(int(s.stock_size)):
            card = int(s.stock[int(s.stock_size) - 1 - k])
            if card != NONE:  # in a view
                vectors[i, STOCK_PLACE + k * NUM_CARDS + card] = 1
        scratch[0] = s
        hide(scratch[0], seat)
        write_view(words, seat, vectors[i, SEEN_PLACE:])
