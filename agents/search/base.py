"""Default policies: simplified rule-based players in kernels, one module a game.

`agents.search.<game>` has `choose_batch(states, masks, actions)` and `play_out_batch(states,
payoffs)`. They read nothing that the seat to act does not know, so they work on states and on
views alike. Where it pays a module also says which worlds of a view are likely after all that was
seen: by `weigh_batch(worlds, weights)`, or, where few of those drawn are likely, by
`settle_batch(worlds, seeds)`, which makes them so. And where the end of a deal is soon searched
through with all cards known, `solve_batch(states, payoffs, solved)` finds what best play brings.
"""

import importlib
import importlib.util
from typing import Any, Protocol, cast

from agents.base import ViewAgent
from envs.core.errors import AgentError
from envs.core.game import Array, Game


class Policy(Protocol):
    """A default policy."""

    def choose_batch(self, states: Array, masks: Array, actions: Array) -> None:
        """An action for the seat to act in each state or view, NO_ACTION where there is none.

        masks: [N, num_actions] int8; actions: [N] int64, written in place.
        """
        ...

    def play_out_batch(self, states: Array, payoffs: Array) -> None:
        """Play each state to the end of its present deal, in place.

        payoffs: [N, seats] float64, written in place; what each seat won meanwhile.
        """
        ...


def load_policy(game: Game) -> Policy:
    """A game's default policy, a module.

    Raises:
        AgentError: the game has none.
    """
    name = f"agents.search.{game.name}"
    if importlib.util.find_spec(name) is None:
        raise AgentError(f"{game.name} has no default policy to search with")
    return cast(Policy, importlib.import_module(name))


class DefaultAgent(ViewAgent):
    """Plays the default policy."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`.

        Raises:
            AgentError: the game has no default policy.
        """
        super().__init__(game, rules)
        self._choose_batch = load_policy(game).choose_batch

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by the default policy, see `ViewAgent.decide`."""
        self._choose_batch(views, masks, actions)
