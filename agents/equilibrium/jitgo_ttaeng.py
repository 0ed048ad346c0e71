"""The near-equilibrium player of Dori-jitgo-ttaeng between two players, out of a table.

The table holds a strategy for each of some stacks: for every situation of the betting and every
class of hands the weights of the actions. `jitgo_ttaeng_solver` computes it and says how far from
an equilibrium it is. In a match the stacks change; the player takes the solved stack nearest to
the smaller of the two, by ratio, and there the situation nearest to the one at the table. With a
solved stack, such as that of the first hand, both are exactly those at the table.
"""

import math
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.base import ViewAgent
from envs.core.errors import AgentError
from envs.core.game import Array, Game, Record
from envs.core.jit import kernel
from envs.core.rng import philox
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import DECKS, HAND_SIZE, NUM_MONTHS, NUM_SLOTS, hand_of, parse_cards
from envs.jitgo_ttaeng.moves import ALL_IN, CHECK_CALL, FULL, MIN
from envs.jitgo_ttaeng.rules import JitgoTtaengRules, resolve

FILE = Path(__file__).with_suffix(".npz")
STEPS = 15
"""The chances of a situation's actions are stored as weights, rounded to steps of 1/15."""
RULES: dict[str, Any] = {"num_players": 2}
"""The options that the table is for, but for the stack."""
FREE_OPTIONS = (
    "start_stack", "max_hands", "first_sun", "bust", "helper_features", "show_last", "hand_set",
)  # fmt: skip
"""Options that change nothing in the betting of a hand, or that flags stand for."""
ANTE = JitgoTtaengRules.ante

SITUATION = np.dtype(
    [
        ("depth", np.int64),  # the smaller stack, ante included
        ("is_second", np.int64),
        ("own_bet", np.int64),
        ("other_bet", np.int64),
        ("raises", np.int64),
        ("first_row", np.int64),  # rows of the weights: one an action
        ("num_rows", np.int64),
    ]
)
"""A `Situation` at a depth, and where its weights are in the table."""


class Situation(NamedTuple):
    """What a player knows of the betting when it has to act, but for bets before the last two."""

    is_second: int
    """1 for the seat that is not the sun."""
    own_bet: int
    """Chips bet in the round, ante not included."""
    other_bet: int
    raises: int


def situation_of(s: Record, seat: int) -> Situation:
    """The situation of the seat to act, at a table of two."""
    bets = s.round_bets
    return Situation(int(seat != s.sun), int(bets[seat]), int(bets[1 - seat]), int(s.raises))


def all_hands() -> Array:
    """All hands of the 20-card deck: [15504] int64 sets of cards."""
    choices = combinations(DECKS[20].tolist(), HAND_SIZE)
    return np.array([hand_of(list(cards)) for cards in choices])


def build_alike() -> int:
    """The first of the two cards of each month that no result tells apart, as a set.

    Those are the months without a gwang (RULES 3.2, with special hands off).
    """
    gwang = hand_of(parse_cards("1G 3G 8G"))
    first = hand_of([NUM_SLOTS * month for month in range(NUM_MONTHS)])
    return first & ~gwang


ALIKE = build_alike()


def stand_in(hands: Array) -> Array:
    """The hand that stands for all of its class: of two cards alike a single one is the first."""
    alone = hands >> 1 & ~hands & ALIKE
    chosen: Array = hands ^ (alone | alone << 1)
    return chosen


CLASSES = np.unique(stand_in(all_hands()))
"""The hands that stand for a class, in order: [3058] int64."""


def class_of(hands: Array) -> Array:
    """The number of each hand's class: [N]."""
    return np.searchsorted(CLASSES, stand_in(hands))


class Table(NamedTuple):
    """A strategy for each of some depths."""

    situations: Array
    """[N] records of `SITUATION`."""
    actions: Array
    """The action of every row of the weights: [R] int8."""
    weights: Array
    """[R, K] uint8, one row an action of a situation, in `STEPS`."""


def save_table(table: Table, path: str | Path) -> None:
    """Write a table as npz."""
    np.savez_compressed(path, **table._asdict())


def load_table(path: str | Path = FILE) -> Table:
    """Read a table; nothing in it is executed."""
    with np.load(path, allow_pickle=False) as arrays:
        return Table(**{name: arrays[name] for name in Table._fields})


@kernel
def distance(ours: Any, theirs: Any) -> float:
    """How different two numbers of chips are: the logarithm of their ratio, antes included."""
    return abs(math.log((ours + ANTE) / (theirs + ANTE)))


@kernel
def find_situation(situations: Any, s: Any) -> int:
    """The row of the table that is nearest to the situation of the view `s`.

    The depth comes first, then the number of raises, then the bets.
    """
    depth = min(s.stacks[0] + s.contrib[0], s.stacks[1] + s.contrib[1])
    own, other = s.round_bets[0], s.round_bets[1]
    best, found = np.inf, 0
    for i in range(situations.shape[0]):
        row = situations[i]
        if row.is_second == (s.sun != 0) and (row.other_bet > row.own_bet) == (other > own):
            cost = 1e6 * distance(depth, row.depth) + 1e3 * abs(row.raises - s.raises)
            cost += distance(own, row.own_bet) + distance(other, row.other_bet)
            if cost < best:
                best, found = cost, i
    return found


@kernel
def nearest_allowed(mask: Any, action: int) -> int:
    """The allowed action that comes nearest to one that may be forbidden at the table's stacks.

    A bet above all sizes that are allowed becomes all-in, one below them the next lower action.
    """
    if mask[action]:
        return action
    above = 0
    for size in range(action + 1, FULL + 1):
        above += mask[size]
    if MIN <= action <= FULL and above == 0 and mask[ALL_IN]:
        return ALL_IN
    while action > CHECK_CALL and not mask[action]:
        action -= 1
    return max(action, CHECK_CALL)


@kernel
def draw_action(weights: Any, key: int) -> int:
    """A row of the weights [A], in proportion to them, by the key of a decision."""
    total = 0
    for k in range(weights.shape[0]):
        total += int(weights[k])
    left = philox(0, key >> 32, key) % total
    for k in range(weights.shape[0]):
        left -= int(weights[k])
        if left < 0:
            return k
    return 0


@kernel
def choose_batch(
    situations: Any, row_actions: Any, weights: Any, kinds: Any, views: Any, masks: Any, keys: Any,
    actions: Any,
) -> None:  # fmt: skip
    """An action for every view, out of a `Table`. kinds: [N], classes of the own hands.

    actions: [N] int64, written in place.
    """
    for i in range(views.shape[0]):
        row = situations[find_situation(situations, views[i])]
        first = int(row.first_row)
        drawn = draw_action(weights[first : first + row.num_rows, kinds[i]], int(keys[i]))
        actions[i] = nearest_allowed(masks[i], int(row_actions[first + drawn]))


class EquilibriumAgent(ViewAgent):
    """Plays the stored strategy; the keys of the decisions are its only chance."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`.

        Raises:
            AgentError: the betting of these rules is not the one that was solved.
        """
        needed = GAME.make_rules(**RULES)
        for name in JitgoTtaengRules.__dataclass_fields__:
            value, wanted = resolve(rules, name), resolve(needed, name)
            if name not in FREE_OPTIONS and value != wanted:
                raise AgentError(f"was computed for {name}={wanted!r}, not for {value!r}")
        super().__init__(game, rules)
        self._table = load_table()

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Draw from the strategy, see `ViewAgent.decide`."""
        kinds = class_of(views["hands"][:, 0])
        choose_batch(*self._table, kinds, views, masks, keys, actions)
