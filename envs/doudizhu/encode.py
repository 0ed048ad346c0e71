"""Observations of Dou Dizhu (RULES section 12): writing them, and reading them back.

What a seat may see is decided in one place, `state.hide`. The table `FIELDS` then says how each
field of the record stands in an observation: layout, encoder, decoder and documentation follow it.
Seats are relative to the observer: 0 is the observer, 1 the next seat. Cards are thermometers:
level k, rank r is 1 where there are more than k cards of rank r.
"""

import functools
from typing import Any

import numpy as np

from envs.core.bits import load_word, store_word
from envs.core.fields import (
    ALL,
    CHOICE,
    DIGITS,
    EACH,
    NUM_CODES,
    NUMBER,
    OWN,
    SEAT,
    Field,
    build_layout,
    build_table,
    read_one_hot,
    read_words,
    write_words,
)
from envs.core.jit import kernel
from envs.core.layout import Layout, Piece
from envs.doudizhu.cards import NUM_RANKS, NUM_SUITED, rank_size
from envs.doudizhu.moves import KIND, LENGTH, NUM_ACTIONS, NUM_KINDS, RANK
from envs.doudizhu.rules import OPTIONS, DoudizhuRules
from envs.doudizhu.state import NO_MOVE, STATE, hide

CARDS, MOVE = range(NUM_CODES, NUM_CODES + 2)
"""How a field is written: cards as a thermometer, a declaration one-hot."""
NUM_LENGTHS = 13  # lengths of a sequence, 0 to 12

FIELDS = (
    Field("hand", CARDS, "own cards", OWN, source="hands"),
    Field("unseen", CARDS, "the pack without own cards and cards played"),
    Field("bottom", CARDS, "bottom cards, once the observer may know them"),
    Field("table_cards", CARDS, "the combination to beat; nothing at a lead"),
    Field("placed", CARDS, "wild cards of the body begun, by rank they stand for; own choice only"),
    Field("chosen", CARDS, "kickers chosen so far, for the seat that chooses only"),
    Field("played", CARDS, "all cards played, by seat", EACH),
    Field("last_cards", CARDS, "last combination of this hand, by seat", EACH),
    Field("table", MOVE, "the combination to beat: kind (23), deciding rank (15), length (13)"),
    Field("begun", MOVE, "the declaration of the selections being made, likewise"),
    Field("sizes", CHOICE, "number of cards left, by seat", EACH),
    Field("phase", CHOICE, "auction, snatching, doubling, play, over", size=5),
    Field("calls", CHOICE, "last bid: none yet, pass, 1, 2, 3, by seat", EACH, -1, 5),
    Field("bids", CHOICE, "highest bid: none, 1, 2, 3, by seat", EACH, 0, 4),
    Field("base_score", CHOICE, "base score: not yet known, 1, 2, 3", size=4),
    Field("factors", CHOICE, "doubling: not yet chosen, 1, 2, -, 4, by seat", EACH, 0, 5),
    Field("face_up", CHOICE, "rank of the card shown in the deal", size=NUM_RANKS),
    Field("wild", CHOICE, "rank of the wild cards, once known", size=NUM_SUITED),
    Field("face_up_seat", SEAT, "who holds it"),
    Field("turn", SEAT, "who is to act; nobody when the game is over"),
    Field("landlord", SEAT, "the landlord, once known"),
    Field("table_seat", SEAT, "who played the combination to beat"),
    Field("first", SEAT, "the first bidder"),
    Field("bidder", SEAT, "the highest bidder"),
    Field("snatched", NUMBER, "1 for a seat that snatched", EACH),
    Field("passed", NUMBER, "1 for a seat that passed last in this trick", EACH),
    Field("plays", NUMBER, "number of combinations played, by seat", EACH),
    Field("bombs", NUMBER, "number of bombs and rockets played, by seat", EACH),
    Field("counted_bombs", NUMBER, "bombs and rockets that count in the score"),
    Field("passes", NUMBER, "passes in a row"),
    Field("num_calls", NUMBER, "auction actions so far"),
    Field("asked", NUMBER, "seats that the snatch phase has reached"),
    Field("all_passes", NUMBER, "deals of this hand thrown in since nobody bid"),
    Field("hand_number", NUMBER, "hands of the match finished before"),
    Field("placing", NUMBER, "1 while wild cards are being placed, for the seat that does so only"),
    Field("pending", NUMBER, "actions of the unfinished choice, for the seat that chooses only"),
    Field("rules", NUMBER, "the options, as numbers: " + ", ".join(OPTIONS), ALL),
    Field("scores", DIGITS, "payoffs so far, by seat", EACH, size=5),
)


def _fields(seats: int) -> list[Field]:
    """The fields with the number of values of every choice."""
    sizes = {"sizes": 34 if seats == 4 else 21}  # one more than the largest hand
    return [field._replace(size=sizes.get(field.name, field.size)) for field in FIELDS]


def _shapes(seats: int) -> dict[int, tuple[int, ...]]:
    """Shapes of cards and declarations."""
    return {
        CARDS: (int(rank_size(seats)), NUM_RANKS),
        MOVE: (NUM_KINDS + NUM_RANKS + NUM_LENGTHS,),
    }


@functools.cache
def _layout_of(seats: int) -> Layout:
    return build_layout(_fields(seats), STATE, seats, _shapes(seats))


@functools.cache
def _state_layout_of(seats: int) -> Layout:
    cards = (int(rank_size(seats)), NUM_RANKS)
    return Layout.of(
        all_hands=Piece((seats, *cards), "cards, by seat"),
        true_bottom=Piece(cards, "bottom cards, known or not"),
        **_layout_of(seats).pieces,
    )


def layout(rules: DoudizhuRules) -> Layout:
    """The pieces of an observation; they depend on the number of seats alone."""
    return _layout_of(rules.players)


def state_layout(rules: DoudizhuRules) -> Layout:
    """The pieces of the perfect-information vector: all cards, then an observation."""
    return _state_layout_of(rules.players)


def build_declarations() -> np.ndarray:
    """Declaration by kind, rank and length: [23, 15, 13]; NO_MOVE where there is none."""
    ids = np.full((NUM_KINDS, NUM_RANKS, NUM_LENGTHS), NO_MOVE, np.int64)
    ids[KIND, RANK, LENGTH] = np.arange(NUM_ACTIONS)
    return ids


TABLE_3, TABLE_4 = (build_table(_fields(seats), STATE, seats, _shapes(seats)) for seats in (3, 4))
SIZE_4 = _layout_of(4).size
DECLARATIONS = build_declarations()


@kernel(inline=True)
def spread(nibbles: int) -> int:
    """Eight 4-bit counts, one a byte."""
    nibbles = (nibbles | (nibbles << 16)) & 0x0000FFFF0000FFFF
    nibbles = (nibbles | (nibbles << 8)) & 0x00FF00FF00FF00FF
    return (nibbles | (nibbles << 4)) & 0x0F0F0F0F0F0F0F0F


@kernel(inline=True)
def unspread(counts: int) -> int:
    """The inverse of `spread`."""
    counts = (counts | (counts >> 4)) & 0x00FF00FF00FF00FF
    counts = (counts | (counts >> 8)) & 0x0000FFFF0000FFFF
    return (counts | (counts >> 16)) & 0xFFFFFFFF


@kernel(inline=True)
def write_levels(out: Any, at: int, cards: int, first: int) -> None:
    """Write levels `first` to `first + 3` of a thermometer."""
    low, high = spread(cards & 0xFFFFFFFF), spread(cards >> 28)  # rank 7 is in both
    for level in range(4):
        # A count of at most 8 plus 7 - level reaches the byte's bit 3 if it is above the level.
        add = (7 - first - level) * 0x0101010101010101
        store_word(out, at, ((low + add) >> 3) & 0x0101010101010101)
        store_word(out, at + 7, ((high + add) >> 3) & 0x0101010101010101)
        at += NUM_RANKS


@kernel(inline=True)
def write_cards(out: Any, at: int, cards: int, seats: int) -> None:
    """Write cards as a thermometer: [4, 15], with four seats [8, 15]."""
    write_levels(out, at, cards, 0)
    if seats == 4:
        write_levels(out, at + 4 * NUM_RANKS, cards, 4)


@kernel(inline=True)
def read_cards(out: Any, at: int, seats: int) -> int:
    """The packed cards of a thermometer."""
    low, high = 0, 0
    for _ in range(rank_size(seats)):
        low += load_word(out, at)
        high += load_word(out, at + 7)
        at += NUM_RANKS
    return unspread(low) | (unspread(high) << 28)


@kernel(inline=True)
def write_move(out: Any, at: int, declaration: int) -> None:
    """Write kind, rank and length of a declaration."""
    if declaration >= 0:
        out[at + KIND[declaration]] = 1
        out[at + NUM_KINDS + RANK[declaration]] = 1
        out[at + NUM_KINDS + NUM_RANKS + LENGTH[declaration]] = 1


@kernel(inline=True)
def read_move(out: Any, at: int) -> int:
    """The inverse of `write_move`."""
    kind = read_one_hot(out, at, NUM_KINDS)
    rank = read_one_hot(out, at + NUM_KINDS, NUM_RANKS)
    length = read_one_hot(out, at + NUM_KINDS + NUM_RANKS, NUM_LENGTHS)
    return NO_MOVE if kind < 0 else DECLARATIONS[kind, rank, length]


@kernel(inline=True)
def write_view(words: Any, table: Any, seat: int, out: Any) -> None:
    """Write a view of `seat`, given as its 8-byte words, into `out`, which is all 0."""
    source, places, groups = table.words[seat], table.places, table.groups
    seats = table.words.shape[0]
    for v in range(groups[CARDS], groups[MOVE]):
        write_cards(out, places[v, 0], words[source[v]], seats)
    for v in range(groups[MOVE], groups[MOVE + 1]):
        write_move(out, places[v, 0], words[source[v]])
    write_words(words, source, table, seats, seat, out)


@kernel(inline=True)
def read_view(out: Any, table: Any, words: Any) -> None:
    """Fill the words of a view from an observation; the observer is seat 0."""
    source, places, groups = table.words[0], table.places, table.groups
    for v in range(groups[CARDS], groups[MOVE]):
        words[source[v]] = read_cards(out, places[v, 0], table.words.shape[0])
    for v in range(groups[MOVE], groups[MOVE + 1]):
        words[source[v]] = read_move(out, places[v, 0])
    read_words(out, source, table, words)


@kernel(inline=True)
def write_scratch(view: Any, words: Any, seat: int, out: Any) -> None:
    """Write a view by the table of its number of seats, which the compiler has to know."""
    if view.rules.players == 4:
        write_view(words, TABLE_4, seat, out)
    else:
        write_view(words, TABLE_3, seat, out)


@kernel
def observe_batch(states: Any, seats: Any, observations: Any) -> None:
    """What the given seats may see. seats: [B]; observations: [B, L] int8, written in place."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        hide(scratch[0], int(seats[i]))
        observations[i, :] = 0
        write_scratch(scratch[0], words, int(seats[i]), observations[i])


@kernel
def decode_batch(observations: Any, views: Any) -> None:
    """Fill views [B] from observations [B, L] int8; the observer of each is seat 0."""
    words = views.view(np.int64)
    width = words.shape[0] // max(views.shape[0], 1)
    table = TABLE_4 if observations.shape[1] == SIZE_4 else TABLE_3
    for i in range(views.shape[0]):
        view = words[i * width : (i + 1) * width]
        view[:] = 0
        read_view(observations[i], table, view)


@kernel
def observe_state_batch(states: Any, seats: Any, vectors: Any) -> None:
    """All cards from the given seats on, then what those may see; see `Game.observe_state`."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        s, seat = states[i], int(seats[i])
        players = int(s.rules.players)
        at, width = 0, rank_size(players) * NUM_RANKS
        vectors[i, :] = 0
        for k in range(players):
            write_cards(vectors[i], at, int(s.hands[(seat + k) % players]), players)
            at += width
        write_cards(vectors[i], at, int(s.bottom), players)
        at += width
        scratch[0] = s
        hide(scratch[0], seat)
        write_scratch(scratch[0], words, seat, vectors[i, at:])
