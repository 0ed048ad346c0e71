"""Models saved by Stable-Baselines3, for whoever trusts the file: loading one executes its code."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from envs.core.errors import AgentError
from envs.core.game import Array, Game


class SB3Agent:
    """Plays a model that sb3-contrib's MaskablePPO, or a subclass of it, has saved."""

    def __init__(self, game: Game, rules: Any, path: str) -> None:
        """Load `path`, a zip file, and say on stderr that this executes code.

        Raises:
            AgentError: no such file, no such model, or one for other observations or actions.
        """
        print(
            f"warning: {path} is a pickle; loading it executes whatever code it holds",
            file=sys.stderr,
        )
        try:
            from stable_baselines3.common.save_util import load_from_zip_file
        except ImportError as error:
            raise AgentError(f"{path} needs the extra [train] to be played: {error}") from error
        if not Path(path).is_file():
            raise AgentError(f"there is no file {path}")
        data, parameters, _ = load_from_zip_file(path, device="cpu")
        if data is None or "policy" not in parameters:
            raise AgentError(f"{path} holds no model of Stable-Baselines3")
        shapes = data["observation_space"].shape, data["action_space"]
        size = game.layout(rules).size
        if shapes[0] != (size,) or getattr(shapes[1], "n", None) != game.num_actions:
            raise AgentError(
                f"{path} was trained on observations {shapes[0]} and {shapes[1]}; "
                f"{game.name} has ({size},) and Discrete({game.num_actions})"
            )
        # Not the whole algorithm: it may be a subclass with optimisers of its own.
        self._policy = data["policy_class"](
            data["observation_space"],
            data["action_space"],
            lambda progress: 0.0,
            **data["policy_kwargs"],
        )
        self._policy.load_state_dict(parameters["policy"])

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """What the model holds best, see `Agent.act`."""
        actions, _ = self._policy.predict(
            observations, action_masks=masks.astype(np.bool_), deterministic=True
        )
        return np.asarray(actions)
