"""`Game`: a game as data and kernels, over which every environment, agent and tool is generic.

A game's whole state is one numpy record; a batch of B games is an array of shape (B,). Copying
a game is an assignment, saving it is `tobytes()`. The options are part of the record, so one
batch may hold tables of different variants.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.errors import RulesError
from envs.core.layout import Layout
from envs.core.rules import configs_dir, load_yaml, make_rules, unknown_name

Array = npt.NDArray[Any]
Record = Any  # one numpy record: states[i]

OVER = -1
"""`turn` of a finished game."""
HIDDEN = -2
"""`turn` of a view whose observer is not told who acts: somebody else."""
NO_ACTION = -1
"""Taken where nothing is to be done."""


def state_dtype(num_seats: int, fields: list[Any]) -> np.dtype[Any]:
    """The dtype of a game's record: what every game has, then the game's own `fields`.

    Fields are read as attributes of numpy records, so no name may be one of theirs.
    """
    common = [
        ("seed", np.int64),  # family of the game's random numbers
        ("draws", np.int64),  # how many were drawn
        ("turn", np.int64),  # seat to act, or OVER
        ("pending", np.int64),  # actions of the acting seat's unfinished selection
        ("deals", np.int64),  # deals so far
        ("scores", np.int64, (num_seats,)),  # payoffs so far, in the game's units
    ]
    shadowed = [field[0] for field in fields if hasattr(np.record, field[0])]
    if shadowed:
        raise ValueError(f"numpy records have attributes of their own named {shadowed}")
    return np.dtype((np.record, np.dtype(common + fields, align=True)))


def _never(state: Record, action: int) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game. Kernels work on batches, in place; `states` is always [B] records of `state`.

    A *view* is a record as one seat knows it: made of that seat's observation alone, hidden cards
    absent, everything public in place, and turned so that the observer is seat 0. A *play* is what
    a player does in one turn: one action, or a declaration and the selections that complete it
    (its *path*).
    """

    name: str
    """Short name, as in `envs.make(name)`."""
    title: str
    """Name for people."""
    version: int
    """Raised whenever rules, action ids or observations change."""
    rules: type[Any]
    """The frozen dataclass of the options."""
    state: np.dtype[Any]
    """dtype of a record."""
    num_actions: int
    num_seats: Callable[[Any], int]
    """`num_seats(rules)`: seats at the table."""
    layout: Callable[[Any], Layout]
    """`layout(rules)`: the pieces of an observation."""
    state_layout: Callable[[Any], Layout]
    """`state_layout(rules)`: the pieces of the perfect-information vector."""
    write_rules: Callable[[Any, Array], None]
    """`write_rules(rules, states)`: put the options into records."""

    deal: Callable[[Array], None]
    """`deal(states)`: start each game; options and `seed` are set, everything else is 0."""
    legal: Callable[[Array, Array], None]
    """`legal(states, masks)`: masks [B, num_actions] int8; all 0 when the game is over."""
    apply: Callable[[Array, Array], None]
    """`apply(states, actions)`: take a legal action in each; NO_ACTION takes none."""
    step: Callable[[Array, Array, Array, bool], None]
    """`step(states, actions, masks, skip_forced)`: `apply`, then `legal`; with `skip_forced` on
    through all decisions that allow one action only."""
    observe: Callable[[Array, Array, Array], None]
    """`observe(states, seats, observations)`: observations [B, layout.size] int8."""
    decode: Callable[[Array, Array], None]
    """`decode(observations, views)`: fill the views [B] from observations."""
    observe_state: Callable[[Array, Array, Array], None]
    """`observe_state(states, seats, vectors)`: everything, turned so that the given seat is seat 0,
    and at the end what that seat observes: vectors [B, state_layout.size] int8."""
    resample: Callable[[Array, Array], None]
    """`resample(views, seeds)`: complete views to worlds that seat 0 cannot tell from the truth:
    hidden cards uniform over all deals consistent with the view, chance from `seeds` on."""
    count_plays: Callable[[Array, Array, Array], None]
    """`count_plays(states, masks, counts)`: counts [B, num_actions] int64, the number of legal
    plays that begin with each allowed action; works on states and on views of the seat to act."""
    sides: Callable[[Array, Array], None]
    """`sides(states, sides)`: sides [B, seats] int64, the side each seat is on to the end of the
    game, or -1 where nobody has partners or they are not known yet: a deal has sides where they are
    fixed from the start."""

    forfeit: Callable[[Record, int], Array]
    """`forfeit(state, seat)`: payoffs [seats] int64 if `seat` loses the hand by foul play."""
    is_private: Callable[[Record, int], bool] = _never
    """`is_private(state, action)`: whether only the acting seat may know that it took `action`."""
    format_action: Callable[[Record, int], str]
    """`format_action(state, action)`: one action in words."""
    format_play: Callable[[Record, tuple[int, ...]], str]
    """`format_play(state, path)`: a whole play in the game's notation."""
    parse_play: Callable[[Record, str], tuple[int, ...]]
    """`parse_play(state, text)`: the path of a play; `CardError` if it cannot be read."""
    last_event: Callable[[Record], str]
    """`last_event(state)`: what happened last, in words that every seat may read."""
    render: Callable[[Record, int | None], str]
    """`render(state, seat)`: the table as text, as `seat` sees it, or open (None)."""
    read_deal: Callable[[Record], dict[str, Any]]
    """`read_deal(state)`: the current deal as plain data."""
    write_deal: Callable[[Record, Mapping[str, Any]], None]
    """`write_deal(state, deal)`: lay out a given deal in a freshly dealt state."""
    problems: Callable[[Record], list[str]]
    """`problems(state)`: what is wrong with a state, in words; empty for a sound one."""

    @functools.cached_property
    def presets(self) -> dict[str, dict[str, Any]]:
        """Named variants: options by name, from `configs/games/<name>.yaml`."""
        path = configs_dir() / "games" / f"{self.name}.yaml"
        return {
            name: options or {}
            for name, options in load_yaml(path.read_text("utf-8"), path.name).items()
        }

    def make_rules(self, /, preset: str | None = None, **options: Any) -> Any:
        """The rules of a named variant, with `options` changed.

        Raises:
            RulesError: an unknown variant or option, a wrong value, or a contradiction.
        """
        if preset is not None and preset not in list(self.presets):  # it may be anything
            raise RulesError(unknown_name(f"preset of {self.name}", str(preset), self.presets))
        named = {} if preset is None else self.presets[preset]
        return make_rules(self.rules, {**named, **options})

    def new_records(self, rules: Any, num: int = 1) -> Array:
        """`num` blank records [num] that hold the options: to be dealt, or decoded into."""
        blank = self._blank_records.get(rules)
        if blank is None:
            states = np.zeros(1, self.state)
            self.write_rules(rules, states)
            blank = self._blank_records[rules] = states.tobytes()
        # numpy copies records field by field: bytes are several times faster.
        return np.frombuffer(bytearray(blank * num), self.state)

    def views(self, rules: Any, observations: Array) -> Array:
        """What observations [B, layout.size] say, as views [B]."""
        views = self.new_records(rules, len(observations))
        self.decode(observations, views)
        return views

    @functools.cached_property
    def _blank_records(self) -> dict[Any, bytes]:
        """The record that holds nothing but the options, by rules."""
        return {}

    def new_games(self, rules: Any, seeds: Any) -> Array:
        """One game for each seed, dealt: [len(seeds)] records."""
        states = self.new_records(rules, len(seeds))
        states["seed"] = seeds
        self.deal(states)
        return states

    def masks(self, states: Array) -> Array:
        """Action masks of a batch: [B, num_actions] int8."""
        masks = np.zeros((len(states), self.num_actions), np.int8)
        self.legal(states, masks)
        return masks

    def skip_forced(self, states: Array) -> Array:
        """Go on through decisions that allow one action only; the masks of where that leads."""
        masks = np.zeros((len(states), self.num_actions), np.int8)
        self.step(states, np.full(len(states), NO_ACTION), masks, True)
        return masks

    def plays(self, state: Record) -> list[tuple[int, ...]]:
        """All legal plays of the seat to act, as paths, in order of their action ids."""
        found: list[tuple[int, ...]] = []
        todo: list[tuple[Array, tuple[int, ...]]] = [(np.array([state], self.state), ())]
        while todo:
            states, path = todo.pop()
            if path and states[0].pending == 0:
                found.append(path)
                continue
            for action in np.flatnonzero(self.masks(states)[0])[::-1]:
                after = states.copy()
                self.apply(after, np.array([action]))
                todo.append((after, (*path, int(action))))
        return found
