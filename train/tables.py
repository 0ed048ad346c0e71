"""Tables in lock step, as Stable-Baselines3 sees them and as self-play uses them."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from agents.network import Rows
from envs.core.errors import RulesError
from envs.core.game import Array, Game
from envs.core.rng import derive_seed
from envs.core.vector import BatchEnv


class Tables(VecEnv):
    """B tables of one game, shared out evenly among variants that have one layout.

    As a vector environment a step is one decision at every table, by whoever acts; its observation
    is what that seat sees, its reward what the seat that decided won at once. Self-play reads the
    arrays below instead, which every step writes in place, and gives each seat what it won until
    its next decision.

    rows: [B, rows.width] int8; what networks read of the seat that acts, see `agents.network.Rows`.
    masks: [B, num_actions] int8; what that seat may do.
    seats: [B] int64; the seat that acts.
    rewards: [B, S] float64; what every seat won in the last step.
    done: [B] bool; a game ended in the last step, and the next has been dealt.
    numbers: [B] int64; the number of the game at each table, no two games have the same.
    """

    def __init__(
        self,
        game: Game,
        variants: Sequence[Any],
        num_tables: int,
        *,
        ignore: Sequence[str] = (),
        adviser: str | None = None,
        seed: int = 0,
    ) -> None:
        """Set up and deal `num_tables` tables of the rules values `variants`.

        ignore, adviser: see `agents.network.Rows`.

        Raises:
            RulesError: fewer tables than variants, or variants with different observations.
            AgentError: `ignore` names a piece, or `adviser` an agent, that does not exist.
        """
        layouts = {game.layout(rules).digest: game.layout(rules) for rules in variants}
        if len(layouts) != 1:
            raise RulesError(f"variants with different observations: {', '.join(layouts)}")
        if num_tables < len(variants):
            raise RulesError(f"{num_tables} tables are too few for {len(variants)} variants")
        self.game = game
        self.variants = list(variants)
        self.readers = [Rows(game, rules, ignore, adviser) for rules in variants]
        """One for each variant; they differ in what the adviser goes by."""
        bounds = np.linspace(0, num_tables, len(variants) + 1).astype(int)
        self.places = [slice(a, b) for a, b in itertools.pairwise(bounds)]
        self.groups = [
            BatchEnv(game, rules, place.stop - place.start)
            for rules, place in zip(variants, self.places, strict=True)
        ]
        self.variant = np.repeat(np.arange(len(variants)), np.diff(bounds))
        """[B] int64; which of the variants is played."""
        self.num_seats = np.array([group.num_seats for group in self.groups])[self.variant]
        self.rows = np.empty((num_tables, self.reader.layout.width), np.int8)
        self.masks = np.empty((num_tables, game.num_actions), np.int8)
        self.observations = np.empty((num_tables, next(iter(layouts.values())).size), np.int8)
        self.seats = np.zeros(num_tables, np.int64)
        self.rewards = np.zeros((num_tables, int(self.num_seats.max())))
        self.done = np.zeros(num_tables, bool)
        self.numbers = np.arange(num_tables)
        self._spread = int(np.lcm.reduce(self.num_seats))
        self._actions = np.zeros(num_tables, np.int64)
        self._deal(seed)
        box = spaces.Box(-128, 127, self.observations.shape[1:], np.int8)
        self.render_mode = None
        super().__init__(num_tables, box, spaces.Discrete(game.num_actions))

    @property
    def reader(self) -> Rows:
        """What makes the rows of the first variant; their layout is that of all."""
        return self.readers[0]

    @property
    def names(self) -> Array:
        """Name of "this seat in this game" for the seats that act, see `Agent.act`: [B] int64."""
        return self.numbers * self._spread + self.seats

    def _by_group(self) -> Iterable[tuple[slice, BatchEnv]]:
        return zip(self.places, self.groups, strict=True)

    def _deal(self, seed: int) -> None:
        for number, group in enumerate(self.groups):
            group.reset(seed=derive_seed(seed, number))
        self.read()

    def read(self) -> None:
        """Bring the arrays up to date with the games on the tables."""
        for (place, group), reader in zip(self._by_group(), self.readers, strict=True):
            self.seats[place] = group.seats
            self.rewards[place, : group.num_seats] = group.rewards
            self.done[place] = group.done
            self.masks[place] = group.masks
            self.observations[place] = group.observations
            reader.write_all(group.state(group.seats), group.masks, self.rows[place])

    def advance(self, actions: Array) -> None:
        """Take one action [B] at every table."""
        for place, group in self._by_group():
            group.step(actions[place])
        self.read()
        self.numbers[self.done] += self.num_envs

    def sides(self, table: int) -> Array:
        """The side that each seat of a table is on, -1 where partners are not fixed: [S] int64."""
        number = self.variant[table]
        at = table - self.places[number].start
        sides = np.empty((1, int(self.num_seats[table])), np.int64)
        self.game.sides(self.groups[number].states[at : at + 1], sides)
        return sides[0]  # type: ignore[no-any-return]

    def state(self) -> dict[str, Any]:
        """What `restore` takes: the games on the tables, as bytes of each group."""
        games = [group.states.view(np.uint8).copy() for group in self.groups]
        return {"games": games, "numbers": self.numbers.copy()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on with the games of `state`."""
        for group, records in zip(self.groups, state["games"], strict=True):
            group.restore(np.asarray(records).view(self.game.state))
        self.numbers[:] = state["numbers"]
        self.read()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Deal new games that follow from `seed` (of the base class)."""
        if seed is not None:
            self._deal(seed)
        return [seed] * self.num_envs

    def reset(self) -> Array:
        """What the acting seats see; the games on the tables go on (of the base class)."""
        return self.observations.copy()

    def step_async(self, actions: Array) -> None:
        """Note the actions (of the base class)."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Take them (of the base class)."""
        actors = self.seats.copy()
        self.advance(self._actions)
        rewards = self.rewards[np.arange(self.num_envs), actors].astype(np.float32)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.observations.copy(), rewards, self.done.copy(), infos

    def close(self) -> None:
        """Nothing to close (of the base class)."""

    def has_attr(self, attr_name: str) -> bool:
        """sb3-contrib asks whether there are action masks (of the base class)."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same attribute for every table (of the base class)."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Tables have no attributes to set (of the base class)."""
        raise NotImplementedError(f"tables have no attribute {attr_name!r} to set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """`action_masks` is the only method (of the base class)."""
        if method_name != "action_masks":
            raise NotImplementedError(f"tables have no method {method_name!r}")
        return list(self.masks.astype(bool))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Tables are never wrapped (of the base class)."""
        return [False] * self.num_envs
