"""One seat of any game as a Gymnasium environment; agents play the other seats."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import gymnasium
import numpy as np
from gymnasium import spaces

from envs.core.drawing import RENDER_MODES, check_render_mode, draw
from envs.core.errors import AgentError, IllegalActionError, RulesError
from envs.core.game import OVER, Array, Game
from envs.core.legality import check_action
from envs.core.seeding import decision_key
from envs.core.vector import BatchEnv


class Opponent(Protocol):
    """What is asked of an agent: the protocol of `agents.base.Agent`."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose one allowed action a row."""
        ...


class SeatEnv(gymnasium.Env[Array, Any]):
    """A game from one seat; a step runs from one decision of that seat to its next.

    An observation is [layout.size] int8, `action_masks()` [num_actions] bool says what is allowed:
    the name and form that sb3-contrib looks for. The reward is what the seat won since its
    decision before, in the game's units; an episode ends with the game. A game that ends before
    the seat had to decide anything is no episode: the next one is dealt.

    `seat` and `seed` tell which seat and which game are being played; `info` repeats them.
    """

    metadata = {  # noqa: RUF012 - an attribute of instances in Gymnasium's types
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        game: Game,
        rules: Any,
        opponents: Opponent | Sequence[Opponent],
        *,
        seat: int | Literal["random"] = "random",
        illegal: Literal["raise", "forfeit"] = "raise",
        skip_forced: bool = True,
        render_mode: str | None = None,
    ) -> None:
        """Take a seat in `game` by `rules`; `reset` deals.

        opponents: one agent for all other seats, or one for each, beginning with the next seat.
        seat: the seat, or "random" for another one in each episode.
        illegal: whether an illegal action raises `IllegalActionError` and changes nothing, or
            ends the episode with the payoff of `game.forfeit`, for learners that know no masks.
        skip_forced: decisions with one legal action are taken without asking.
        render_mode: "ansi" (`render` returns a string), "human" (printed at every step), or None.
        """
        num_seats = game.num_seats(rules)
        if seat != "random" and seat not in range(num_seats):
            raise RulesError(f"seat must be 0 to {num_seats - 1} or 'random', got {seat!r}")
        if illegal not in ("raise", "forfeit"):
            raise RulesError(f"illegal must be 'raise' or 'forfeit', got {illegal!r}")
        self.game = game
        self.rules = rules
        self.render_mode = check_render_mode(render_mode)
        self.seat = 0
        self.seed = 0
        self._opponents = _one_for_each(opponents, num_seats - 1)
        self._fixed_seat = None if seat == "random" else int(seat)
        self._forfeits = illegal == "forfeit"
        self._table = BatchEnv(game, rules, 1, skip_forced=skip_forced, auto_reset=False)
        self._is_over = True
        self._num_games = 0
        size = game.layout(rules).size
        self.observation_space = spaces.Box(-128, 127, (size,), np.int8)
        self.action_space = spaces.Discrete(game.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Deal a game and play up to the seat's first decision; `options` are not used."""
        super().reset(seed=seed)
        self._is_over = True
        while self._is_over:
            self._deal()
            self._play_others()
        self._show()
        return self._observation(), self._info()

    def _deal(self) -> None:
        self.seed = int(self.np_random.integers(2**63))
        num_seats = self._table.num_seats
        if self._fixed_seat is None:
            self.seat = int(self.np_random.integers(num_seats))
        else:
            self.seat = self._fixed_seat
        self._table.reset(seeds=[self.seed])
        self._num_games += 1
        self._num_decisions = [0] * num_seats
        self._won = 0.0

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the others play up to the seat's next decision.

        Raises:
            IllegalActionError: no game is running, or the action may not be taken. Nothing has
                changed then.
        """
        if self._is_over:
            raise IllegalActionError(f"no game is running: reset() first, then step({action!r})")
        table = self._table
        try:
            action = check_action(self.game, table.states, table.masks, action, f"seat {self.seat}")
        except IllegalActionError:
            if not self._forfeits:
                raise
            self._won += float(self.game.forfeit(table.states[0], self.seat)[self.seat])
            self._is_over = True
        else:
            self._take(np.array([action]))
            self._play_others()
        self._show()
        reward, self._won = self._won, 0.0
        return self._observation(), reward, self._is_over, False, self._info()

    def _take(self, actions: Array) -> None:
        self._table.step(actions)
        self._won += float(self._table.rewards[0, self.seat])

    def _play_others(self) -> None:
        """Let the others act until the seat has to decide or the game is over."""
        table = self._table
        while (seat := int(table.seats[0])) not in (self.seat, OVER):
            key = decision_key(self.seed, seat, self._num_decisions[seat])
            self._num_decisions[seat] += 1
            actions = self._opponents[(seat - self.seat - 1) % table.num_seats].act(
                table.observations,
                table.masks,
                keys=np.array([key]),
                tables=np.array([self._num_games * table.num_seats + seat]),
            )
            self._take(actions)
        self._is_over = seat == OVER

    def action_masks(self) -> Array:
        """What the seat may do: [num_actions] bool."""
        return self._table.masks[0].astype(np.bool_)  # type: ignore[no-any-return]

    def _observation(self) -> Array:
        """A new array; at the end of a game it is what the seat sees then."""
        if self._is_over:
            return self._table.observe([self.seat])[0]  # type: ignore[no-any-return]
        return self._table.observations[0].copy()  # type: ignore[no-any-return]

    def _info(self) -> dict[str, Any]:
        return {"seat": self.seat, "seed": self.seed}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The table as the seat sees it: returned in mode "ansi", printed in mode "human"."""
        return draw(self.game, self._table.states[0], self.seat, self.render_mode)


def _one_for_each(opponents: Opponent | Sequence[Opponent], num: int) -> list[Opponent]:
    if not isinstance(opponents, Sequence):
        return [opponents] * num
    if len(opponents) != num:
        raise AgentError(f"expected {num} opponents, one for each other seat, got {len(opponents)}")
    return list(opponents)
