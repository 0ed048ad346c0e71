"""Observations of Tichu: writing them, and reading them back.

What a seat may see is decided in one place, `state.hide`. The table `FIELDS` then says how each
field of the record stands in an observation: layout, encoder, decoder and documentation follow it.
Seats are relative to the observer: 0 is the observer, 1 its right neighbour, 2 its partner. Cards
are 56 flags, in the order of their indices.
"""

from typing import Any

import numpy as np

from envs.core.fields import (
    ALL,
    BITS,
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
from envs.core.game import HIDDEN, OVER
from envs.core.jit import kernel
from envs.core.layout import Layout
from envs.tichu.cards import NUM_CARDS, NUM_RANKS
from envs.tichu.moves import ID_DRAGON, ID_RANK, KIND, NO_MOVE, OTHER, RANK, RANK_NAMED, SIZE, VALUE
from envs.tichu.rounds import HAND_SIZE
from envs.tichu.rules import OPTIONS, TichuRules
from envs.tichu.state import ENDED, NOT_MADE, NUM_SEATS, PHASES, STATE, hide

MOVE = NUM_CODES
"""How a field is written, beside the codes of all games: a combination as its kind, rank, number of
cards and, for a full house, rank of the pair, each one-hot."""
NUM_PHASES = len(PHASES)
SHAPES = {MOVE: (RANK_NAMED + NUM_RANKS + HAND_SIZE + 1 + NUM_RANKS,)}
FIELDS = (
    Field("hand", BITS, "own cards", OWN, source="hands", size=NUM_CARDS),
    Field("unseen", BITS, "the pack without own cards and cards played", size=NUM_CARDS),
    Field(
        "given",
        BITS,
        "card given to the right neighbour, the partner, the left one",
        OWN,
        size=NUM_CARDS,
    ),
    Field("received", BITS, "card received from them", OWN, size=NUM_CARDS),
    Field("played", BITS, "all cards played in this round, by seat", EACH, size=NUM_CARDS),
    Field("table_cards", BITS, "the combination to beat; nothing at a lead", size=NUM_CARDS),
    Field("pile", BITS, "all cards of the trick", size=NUM_CARDS),
    Field("chosen", BITS, "cards of the play begun; own choice only", size=NUM_CARDS),
    Field("table", MOVE, "the combination to beat: kind (11), rank (18), size (15), pair (18)"),
    Field("begun", MOVE, "the combination begun, likewise; own choice only"),
    Field("phase", CHOICE, "what is asked: " + ", ".join(PHASES), size=NUM_PHASES),
    Field("stage", CHOICE, "the same as everybody knows it", size=NUM_PHASES),
    Field("sizes", CHOICE, "number of cards left, by seat", EACH, size=HAND_SIZE + 1),
    Field("calls", CHOICE, "no call, small tichu, grand tichu, by seat", EACH, size=3),
    Field("place", CHOICE, "in play, out as first, second, third, by seat", EACH, size=4),
    Field("value", CHOICE, "rank to beat in half ranks, dragon 30", size=int(VALUE[ID_DRAGON]) + 1),
    Field("wish", CHOICE, "rank wished and not yet served, 0 for none", size=NUM_RANKS),
    Field("wished", CHOICE, "not yet, nothing, or the rank wished", low=NOT_MADE, size=NUM_RANKS),
    Field("slot", CHOICE, "what the phoenix of the play begun stands for", size=NUM_RANKS),
    Field("dealer", SEAT, "who dealt"),
    Field("next_seat", SEAT, "regular actor, or owner of the trick about to be taken"),
    Field("owner", SEAT, "who played the combination to beat; at a lead, who played last"),
    Field("passer", SEAT, "who passed just now"),
    Field("mahjong", SEAT, "who held the mahjong when the play began"),
    Field("asked", NUMBER, "1 if the observer is the seat to act"),
    Field("may_call", NUMBER, "1 where a seat may still call small tichu", EACH),
    Field("lacks", NUMBER, "1 where a seat showed that it has no card of the rank wished", EACH),
    Field("num_out", NUMBER, "seats that are out"),
    Field("passes", NUMBER, "passes in a row"),
    Field("points", NUMBER, "points of captured cards, by seat", EACH),
    Field("slotted", NUMBER, "1 once it is settled what the phoenix stands for; own choice only"),
    Field("pending", NUMBER, "actions of the unfinished choice, for the seat that chooses only"),
    Field("rules", DIGITS, "the options, as numbers: " + ", ".join(OPTIONS), ALL, size=3),
    Field("rounds", DIGITS, "rounds of the match finished before", size=3),
    Field("team_scores", DIGITS, "score of the own team and of the other", EACH, size=4),
    Field("scores", DIGITS, "payoffs so far, by seat", EACH, size=4),
)
STATE_FIELDS = (
    Field("all_hands", BITS, "cards, by seat", EACH, source="hands", size=NUM_CARDS),
    Field("all_dealt", BITS, "the 14 cards dealt, by seat", EACH, source="dealt", size=NUM_CARDS),
    Field("all_given", BITS, "what it gives away, by seat", EACH, source="given", size=NUM_CARDS),
    Field("choice", BITS, "cards of the play begun", source="chosen", size=NUM_CARDS),
    Field("choice_of", MOVE, "the combination begun", source="begun"),
    Field("question", CHOICE, "what the seat to act is asked", size=NUM_PHASES, source="phase"),
    Field("turn", SEAT, "the seat to act"),
)
"""What the perfect-information vector holds before the observation."""
LAYOUT = build_layout(FIELDS, STATE, NUM_SEATS, SHAPES)
HIDDEN_LAYOUT = build_layout(STATE_FIELDS, STATE, NUM_SEATS, SHAPES)
STATE_LAYOUT = Layout({**HIDDEN_LAYOUT.pieces, **LAYOUT.pieces})
NUM_HIDDEN = HIDDEN_LAYOUT.size
TABLE = build_table(FIELDS, STATE, NUM_SEATS, SHAPES)
HIDDEN_TABLE = build_table(STATE_FIELDS, STATE, NUM_SEATS, SHAPES)


def layout(rules: TichuRules) -> Layout:
    """The pieces of an observation, the same in all variants."""
    return LAYOUT


def state_layout(rules: TichuRules) -> Layout:
    """The pieces of the perfect-information vector: all cards, then an observation."""
    return STATE_LAYOUT


def build_combinations() -> np.ndarray:
    """Combination by kind, rank, size and pair: [11, 18, 15, 18]; NO_MOVE where there is none."""
    ids = np.full((RANK_NAMED, NUM_RANKS, HAND_SIZE + 1, NUM_RANKS), NO_MOVE, np.int64)
    rows = slice(ID_RANK)
    ids[KIND[rows], RANK[rows], SIZE[rows], OTHER[rows]] = np.arange(ID_RANK)
    return ids


COMBINATIONS = build_combinations()


@kernel(inline=True)
def write_move(out: Any, at: int, combination: int) -> None:
    """Write kind, rank, size and pair of a combination."""
    if combination >= 0:
        out[at + KIND[combination]] = 1
        at += RANK_NAMED
        out[at + RANK[combination]] = 1
        at += NUM_RANKS
        out[at + SIZE[combination]] = 1
        out[at + HAND_SIZE + 1 + OTHER[combination]] = 1


@kernel(inline=True)
def read_move(out: Any, at: int) -> int:
    """The inverse of `write_move`."""
    kind = read_one_hot(out, at, RANK_NAMED)
    if kind < 0:
        return NO_MOVE
    at += RANK_NAMED
    rank = read_one_hot(out, at, NUM_RANKS)
    at += NUM_RANKS
    size = read_one_hot(out, at, HAND_SIZE + 1)
    other = read_one_hot(out, at + HAND_SIZE + 1, NUM_RANKS)
    return COMBINATIONS[kind, rank, size, other]


@kernel(inline=True)
def write_view(words: Any, table: Any, seat: int, out: Any) -> None:
    """Write a view of `seat`, given as its 8-byte words, into `out`, which is all 0."""
    source, places, groups = table.words[seat], table.places, table.groups
    write_words(words, source, table, NUM_SEATS, seat, out)
    for v in range(groups[MOVE], places.shape[0]):
        write_move(out, places[v, 0], words[source[v]])


@kernel
def observe_batch(states: Any, seats: Any, observations: Any) -> None:
    """What the given seats may see. seats: [B]; observations: [B, L] int8, written in place."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        scratch[0] = states[i]
        hide(scratch[0], int(seats[i]))
        observations[i, :] = 0
        write_view(words, TABLE, int(seats[i]), observations[i])


@kernel
def decode_batch(observations: Any, views: Any) -> None:
    """Fill views [B] from observations [B, L] int8; the observer of each is seat 0."""
    words = views.view(np.int64)
    width = words.shape[0] // max(views.shape[0], 1)
    source, places, groups = TABLE.words[0], TABLE.places, TABLE.groups
    for i in range(views.shape[0]):
        out, view = observations[i], words[i * width : (i + 1) * width]
        view[:] = 0
        read_words(out, source, TABLE, view)
        for v in range(groups[MOVE], places.shape[0]):
            view[source[v]] = read_move(out, places[v, 0])
        s = views[i]
        s.turn = 0 if s.asked else (OVER if s.phase == ENDED else HIDDEN)


@kernel
def observe_state_batch(states: Any, seats: Any, vectors: Any) -> None:
    """All cards from the given seats on, then what those may see; see `Game.observe_state`."""
    scratch = states[:1].copy()
    words = scratch.view(np.int64)
    for i in range(states.shape[0]):
        seat = int(seats[i])
        scratch[0] = states[i]
        vectors[i, :] = 0
        write_view(words, HIDDEN_TABLE, seat, vectors[i])
        hide(scratch[0], seat)
        write_view(words, TABLE, seat, vectors[i, NUM_HIDDEN:])
