"""Any game as a PettingZoo environment in which the seats act one after the other."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from envs.core.drawing import RENDER_MODES, check_render_mode, draw
from envs.core.errors import IllegalActionError, RulesError
from envs.core.game import NO_ACTION, OVER, Array, Game
from envs.core.info import EventText
from envs.core.legality import check_action
from envs.core.record import GameRecord, make_record
from envs.core.seeding import check_seed, fresh_seed, next_seed


@dataclass(frozen=True)
class Snapshot:
    """A moment of a `GameEnv`, to go back to; it stays valid whatever the environment does."""

    state: bytes
    """The game's record."""
    seed: int
    deal: Mapping[str, Any] | None
    actions: tuple[tuple[int, int], ...]
    private: tuple[bool, ...]
    agents: tuple[str, ...]
    agent_selection: str
    rewards: Mapping[str, float]
    cumulative_rewards: Mapping[str, float]


class GameEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is untyped
    """A game for PettingZoo's users: agents `player_0`, `player_1`, …, one for each seat.

    An observation is `{"observation": [layout.size] int8, "action_mask": [num_actions] int8}`; the
    mask of a seat that is not on turn is all 0. Rewards are the payoffs of the rules, in the
    game's units. `infos[agent]["event"]` says in words what happened last.

    `step` checks order and legality itself: an action that may not be taken raises
    `IllegalActionError` and changes nothing.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        *,
        render_mode: str | None = None,
        render_seat: int | None = None,
        skip_forced: bool = False,
    ) -> None:
        """Set the table for `game` by `rules`; `reset` deals.

        render_mode: "ansi" (`render` returns a string), "human" (every position is printed), None.
        render_seat: the seat whose view is drawn; None draws all cards open.
        skip_forced: decisions with one legal action are taken without asking.
        """
        super().__init__()
        num_seats = game.num_seats(rules)
        if render_seat is not None and render_seat not in range(num_seats):
            raise RulesError(f"render_seat must be 0 to {num_seats - 1}, got {render_seat!r}")
        self.game = game
        self.rules = rules
        self.render_mode = check_render_mode(render_mode)
        self.render_seat = render_seat
        self.skip_forced = skip_forced
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.seed: int | None = None
        """Seed of the game on the table: `reset(seed=env.seed)` deals it again."""
        self.possible_agents = [f"player_{seat}" for seat in range(num_seats)]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._size = game.layout(rules).size
        self._state_size = game.state_layout(rules).size
        self._make_spaces()
        self._states = game.new_records(rules)
        self._turns, self._payoffs = self._states["turn"], self._states["scores"][0]
        self._action = np.zeros(1, np.int64)
        self._seat = np.zeros(1, np.int64)
        self._masks = np.zeros((1, game.num_actions), np.int8)
        self._mask = self._masks[0]

    def _make_spaces(self) -> None:
        self.state_space = _int8_box(self._state_size)
        self.observation_spaces = {
            agent: spaces.Dict(
                observation=_int8_box(self._size),
                action_mask=spaces.Box(0, 1, (self.game.num_actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of `observe(agent)`: always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The space of actions: always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        seed: of the game; without one, the game follows from the one before, the first from the
            system's entropy.
        options: `{"deal": …}` lays out that deal, as `game.read_deal` describes it; PettingZoo
            wants other keys to be ignored.
        """
        if seed is None:
            seed = fresh_seed() if self.seed is None else next_seed(self.seed)
        seed = check_seed(seed)
        deal = deepcopy((options or {}).get("deal"))
        states = self.game.new_games(self.rules, [seed])
        if deal is not None:
            self.game.write_deal(states[0], deal)
        self._lay_out(states)
        self.seed, self._deal = seed, deal
        self._actions: list[tuple[int, int]] = []
        self._private: list[bool] = []
        self._begin(self.possible_agents)
        self._advance(NO_ACTION)
        self._settle(self._scores)

    def _lay_out(self, states: Array) -> None:
        """Put another game on the table; as bytes, since numpy copies records field by field."""
        self._states.view(np.uint8)[:] = states.view(np.uint8)

    def _begin(self, agents: list[str] | tuple[str, ...]) -> None:
        """PettingZoo's dictionaries as they are when nothing was won or lost yet."""
        self.agents = list(agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {}
        self._skip_agent_selection = None
        self._has_rewards = False

    def step(self, action: int | None) -> None:
        """Take `action` for `agent_selection`; None for an agent whose game is over.

        Raises:
            IllegalActionError: no game is running, or the action may not be taken now. Nothing has
                changed then.
        """
        if not self.agents:
            raise IllegalActionError(f"no game is running: reset() first, then step({action!r})")
        agent = self.agent_selection
        if self.terminations[agent]:
            if action is not None:
                raise IllegalActionError(f"the game is over for {agent}: step(None), not {action}")
            self._was_dead_step(None)
            return
        action = check_action(self.game, self._states, self._masks, action, agent)
        self._cumulative_rewards[agent] = 0.0
        scores = self._scores
        self._take(action)
        self._settle(scores)

    def _take(self, action: int) -> None:
        """Apply a legal action."""
        self._actions.append((self._turn, action))
        self._private.append(self.game.is_private(self._states[0], action))
        self._advance(action)

    def _advance(self, action: int) -> None:
        """Apply an action or none, and read what the state says: mask, seat to act, scores."""
        self._action[0] = action
        self.game.step(self._states, self._action, self._masks, False)
        self._turn: int = self._turns.item()
        self._scores: list[int] = self._payoffs.tolist()

    def _settle(self, before: list[int]) -> None:
        """Take forced decisions, and reward what was won since the scores `before`."""
        if self.skip_forced:
            while np.count_nonzero(self._masks) == 1:
                self._take(int(self._masks[0].argmax()))
        if self._scores != before:
            won = [float(now - then) for now, then in zip(self._scores, before, strict=True)]
            self.rewards = dict(zip(self.possible_agents, won, strict=False))
            self._accumulate_rewards()
            self._has_rewards = True
        elif self._has_rewards:
            self._clear_rewards()
            self._has_rewards = False
        self._announce()

    def _announce(self) -> None:
        """Say who acts next, or that the game is over, and what happened last."""
        if self._turn == OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[self._turn]
        event = EventText.of(self.game, self._states.tobytes())
        for agent in self.agents:
            self.infos[agent] = {"event": event}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Array]:
        """What `agent` sees, in new arrays: see the class."""
        seat = self._seats[agent]
        self._seat[0] = seat
        vectors = np.empty((1, self._size), np.int8)
        self.game.observe(self._states, self._seat, vectors)
        on_turn = seat == self._turn
        mask = self._mask.copy() if on_turn else np.zeros(self.game.num_actions, np.int8)
        return {"observation": vectors[0], "action_mask": mask}

    def state(self) -> Array:
        """Everything about the game, hidden cards too: [state_layout.size] int8."""
        vectors = np.empty((1, self._state_size), np.int8)
        self.game.observe_state(self._states, np.zeros(1, np.int64), vectors)
        return vectors[0]  # type: ignore[no-any-return]  # numpy's index into Any

    def history(self, agent: str | None = None) -> Array:
        """All actions of this game so far: [T, 2] int16 of seat and action.

        A play that its seat has not completed yet is left out, except for that seat itself; for an
        `agent`, so is what only other seats may know (`Game.is_private`).
        """
        actions, private = self._actions, self._private
        pending: int = self._states["pending"].item()
        if pending and (agent is None or self._seats[agent] != self._turn):
            actions, private = actions[:-pending], private[:-pending]
        if agent is not None and any(private):
            own = self._seats[agent]
            actions = [
                (seat, action)
                for (seat, action), hidden in zip(actions, private, strict=True)
                if not hidden or seat == own
            ]
        return np.array(actions, np.int16).reshape(-1, 2)

    def record(self, players: list[str] | None = None) -> GameRecord:
        """The game so far as a record to write, replay and verify; `players` names the seats."""
        if self.seed is None:
            raise IllegalActionError("no game is running: reset() first")
        actions = [action for _, action in self._actions]
        record = make_record(self.game, self.rules, self.seed, actions, deal=self._deal)
        return replace(record, players=players)

    def snapshot(self) -> Snapshot:
        """This moment, for `restore`."""
        if self.seed is None:
            raise IllegalActionError("no game is running: reset() first")
        return Snapshot(
            state=self._states.tobytes(),
            seed=self.seed,
            deal=self._deal,
            actions=tuple(self._actions),
            private=tuple(self._private),
            agents=tuple(self.agents),
            agent_selection=self.agent_selection,
            rewards=dict(self.rewards),
            cumulative_rewards=dict(self._cumulative_rewards),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a moment of an environment of the same game and rules."""
        self.seed, self._deal = snapshot.seed, snapshot.deal
        self._lay_out(np.frombuffer(snapshot.state, self.game.state))
        self._actions, self._private = list(snapshot.actions), list(snapshot.private)
        self._begin(snapshot.agents)
        self._advance(NO_ACTION)
        self.rewards = dict(snapshot.rewards)
        self._cumulative_rewards = dict(snapshot.cumulative_rewards)
        self._has_rewards = any(self.rewards.values())
        self._announce()
        self.agent_selection = snapshot.agent_selection

    def render(self) -> str | None:
        """The table as text: returned in mode "ansi", printed in mode "human"."""
        return draw(self.game, self._states[0], self.render_seat, self.render_mode)

    def close(self) -> None:
        """Nothing is held that needs closing."""


def _int8_box(size: int) -> spaces.Box:
    return spaces.Box(-128, 127, (size,), np.int8)


FACE_OPTIONS = ("render_mode", "render_seat", "skip_forced")


def make_raw_env(game: Game, preset: str | None = None, **options: Any) -> GameEnv:
    """A `GameEnv` of a named variant.

    `render_mode`, `render_seat` and `skip_forced` go to `GameEnv`, all other options to
    `game.make_rules`.
    """
    face = {name: options.pop(name) for name in FACE_OPTIONS if name in options}
    return GameEnv(game, game.make_rules(preset, **options), **face)


class OrderedGameEnv(OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    """A `GameEnv` within PettingZoo's `OrderEnforcingWrapper`.

    The wrapper adds what `GameEnv` does not check: reading the table before the first `reset`, and
    a loop over `agent_iter` that forgets to step.
    """

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """See `AECEnv.last`; asking the environment for all five at once halves a step's time."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.last(observe)  # type: ignore[no-any-return]


def make_env(game: Game, preset: str | None = None, **options: Any) -> OrderedGameEnv:
    """What `make_raw_env` makes, with the order of calls enforced.

    Bounds and legality need no wrapper. Whoever wants an illegal action to end the game wraps the
    raw environment: `TerminateIllegalWrapper(raw_env(), illegal_reward=-1)`.
    """
    return OrderedGameEnv(make_raw_env(game, preset, **options))
