"""Checkpoints: everything a run needs to go on as if it had never stopped, without pickle."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.base import describe_error
from envs.core.errors import JipaeError


def _to_tensors(value: Any) -> Any:
    """`value` with every array as a tensor, which is what the safe format holds."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(np.array(value))
    if isinstance(value, dict):
        return {key: _to_tensors(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_tensors(item) for item in value]
    return value


def chance_state(rng: np.random.Generator) -> str:
    """The state of a generator, in words that the safe format holds."""
    return json.dumps(rng.bit_generator.state, default=np.ndarray.tolist)


def restore_chance(rng: np.random.Generator, state: str) -> None:
    """Let a generator of the same kind go on from what `chance_state` returned."""
    rng.bit_generator.state = json.loads(state)


def save_checkpoint(path: Path, state: dict[str, Any]) -> None:
    """Write numbers, words, lists, mappings, arrays and tensors; never half a file."""
    part = path.with_suffix(".part")
    torch.save(_to_tensors(state), part)
    os.replace(part, path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """Read what `save_checkpoint` wrote, its arrays as tensors; nothing in the file is executed.

    Raises:
        JipaeError: it cannot be read.
    """
    try:
        return torch.load(path, weights_only=True)  # type: ignore[no-any-return]
    except Exception as error:  # torch raises anything over a damaged file
        raise JipaeError(f"{path} is no checkpoint: {describe_error(error)}") from error
