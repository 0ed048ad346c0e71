"""The action table of Tongits (RULES section 12), the melds, and actions in words.

An action is one of 541 ids and a whole play. `MOVES` says of every id what it is. A variant only
masks.
"""

import numpy as np

from envs.core.errors import CardError
from envs.tongits.cards import (
    ACES,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    format_card,
    format_cards,
    parse_card,
    parse_cards,
)

NUM_KINDS = 10
(
    DRAW, KNOCK, CHALLENGE, FOLD, SET, RUN, LAYOFF_SET, LAYOFF_HIGH, LAYOFF_LOW, DISCARD,
) = range(NUM_KINDS)  # fmt: skip
"""Kinds: to draw, to knock, to answer a knock, a meld that is a set or a run (taken or laid), a
card laid off on a set, on top of a run or below one, and to discard."""
CALLS = {DRAW: "DRAW", KNOCK: "KNOCK", CHALLENGE: "CHALLENGE", FOLD: "FOLD"}
"""The actions without cards, in notation."""
PLACES = {LAYOFF_SET: "SET", LAYOFF_HIGH: "HIGH", LAYOFF_LOW: "LOW"}
"""Where a card is laid off, in notation."""
SHORTEST_RUN = 3
NO_CARD = -1

MOVE = np.dtype(
    [
        ("kind", np.int64),
        ("cards", np.int64),  # set of the cards that are melded, laid off or discarded
        ("card", np.int64),  # the card that is laid off or discarded, or NO_CARD
    ]
)


def build_sets() -> list[int]:
    """All sets: by rank, the triples without S, H, D and C, then all four (RULES 5.5)."""
    fours = [ACES << rank for rank in range(NUM_RANKS)]
    return [
        four & ~missing
        for rank, four in enumerate(fours)
        for missing in (*(1 << (NUM_RANKS * suit + rank) for suit in range(NUM_SUITS)), 0)
    ]


def build_runs() -> list[tuple[int, int]]:
    """Lowest card and length of all runs: by suit, by length, then by rank (RULES 5.5)."""
    return [
        (NUM_RANKS * suit + low, length)
        for suit in range(NUM_SUITS)
        for length in range(SHORTEST_RUN, NUM_RANKS + 1)
        for low in range(NUM_RANKS - length + 1)
    ]


RUNS = build_runs()
SETS = build_sets()
SETS_OF_RANK = len(SETS) // NUM_RANKS


def build_moves() -> np.ndarray:
    """One row an action id."""
    rows = [(kind, 0, NO_CARD) for kind in CALLS]
    rows += [(SET, cards, NO_CARD) for cards in SETS]
    rows += [(RUN, ((1 << length) - 1) << low, NO_CARD) for low, length in RUNS]
    for kind in (*PLACES, DISCARD):
        rows += [(kind, 1 << card, card) for card in range(NUM_CARDS)]
    return np.array(rows, MOVE)


MOVES = build_moves()
NUM_ACTIONS = len(MOVES)
KIND, CARDS, CARD = (np.ascontiguousarray(MOVES[name]) for name in MOVE.names or ())
FIRST = np.array([np.searchsorted(KIND, kind) for kind in range(NUM_KINDS)])
"""The first id of each kind, [10]."""
ID_DRAW, ID_KNOCK, ID_CHALLENGE, ID_FOLD, ID_SET, ID_RUN = map(int, FIRST[: RUN + 1])
ID_LAYOFF_SET, ID_LAYOFF_HIGH, ID_LAYOFF_LOW, ID_DISCARD = map(int, FIRST[LAYOFF_SET:])


def build_run_ids() -> np.ndarray:
    """The id of a run by lowest card and length: [52, 14], -1 where there is none."""
    ids = np.full((NUM_CARDS, NUM_RANKS + 1), -1, np.int64)
    for number, run in enumerate(RUNS):
        ids[run] = ID_RUN + number
    return ids


RUN_ID = build_run_ids()
MELD_IDS = {int(CARDS[action]): action for action in range(ID_SET, ID_LAYOFF_SET)}
"""The id of a meld by its set of cards."""


def format_move(action: int, taken: bool) -> str:
    """An action in notation; `taken` tells TAKE from MELD."""
    kind = int(KIND[action])
    if kind in CALLS:
        return CALLS[kind]
    if kind in PLACES:
        return f"LAYOFF {format_card(CARD[action])} {PLACES[kind]}"
    word = "DISCARD" if kind == DISCARD else "TAKE" if taken else "MELD"
    return f"{word} {format_cards(int(CARDS[action]))}"


def parse_move(text: str, taken: bool) -> int:
    """Read an action in notation, in either case; the inverse of `format_move`.

    >>> parse_move("meld 7d 7s 7h", taken=False), parse_move("LAYOFF 4S LOW", taken=False)
    (37, 440)

    Raises:
        CardError: it is none, or TAKE and MELD are mixed up.
    """
    word, _, rest = text.strip().upper().partition(" ")
    for kind, call in CALLS.items():
        if text.strip().upper() == call:
            return int(FIRST[kind])
    if word == ("TAKE" if taken else "MELD"):
        action = MELD_IDS.get(parse_cards(rest))
        if action is None:
            raise CardError(f"{rest!r} is neither a set nor a run")
        return action
    if word == "DISCARD":
        return ID_DISCARD + parse_card(rest.strip())
    card, _, place = rest.partition(" ")
    for kind, name in PLACES.items():
        if word == "LAYOFF" and place.strip() == name:
            return int(FIRST[kind]) + parse_card(card)
    raise CardError(
        f"{text!r} is no action; write DRAW, MELD 7S 7H 7D, LAYOFF 4S LOW, DISCARD KD …"
    )
