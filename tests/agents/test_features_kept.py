"""The features that shipped weights were learnt with are still what the modules make.

They follow from the rule-based agents. Whoever changes one of those so that its features change
raises the module's VERSION, trains anew, and writes the means down again:
`python -m tests.agents.test_features_kept`.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envs
from agents.comparing import Comparer
from agents.features.base import load_features
from envs.core.cli import read_rules
from envs.core.vector import BatchEnv

KEPT = Path(__file__).parent / "features_kept.json"
VARIANTS = {
    "doudizhu": "preset=standard",
    "tichu": "preset=round",
    "tongits": "preset=seed",
}
TABLES, STEPS, EVERY = 32, 120, 4
ALL = 1e9
"""A reach that leaves no action out."""


def mean_features(name: str) -> dict[str, Any]:
    """Version, and the mean of every number over the positions of some games."""
    game = envs.load_game(name)
    rules = read_rules(game, VARIANTS[name].split())
    comparer = Comparer(game, rules, "rule", ALL)
    tables = BatchEnv(game, rules, TABLES)
    tables.reset(seed=1)
    parts: dict[str, list[Any]] = {"features": [], "advised_features": [], "contexts": []}
    for step in range(STEPS):
        advised = comparer.advise(tables.observations, tables.masks)
        if step % EVERY == 0:
            found = comparer.compare(tables.observations, tables.masks, advised)
            for part, rows in parts.items():
                rows.append(getattr(found, part))
        tables.step(advised)
    means = {part: np.concatenate(rows).mean(0).tolist() for part, rows in parts.items()}
    return {"version": load_features(game).VERSION} | means


@pytest.mark.parametrize("name", VARIANTS)
def test_features_are_those_of_their_version(name: str) -> None:
    kept, found = json.loads(KEPT.read_text("utf-8"))[name], mean_features(name)
    assert found["version"] == kept["version"]
    for part in ("features", "advised_features", "contexts"):
        assert found[part] == pytest.approx(kept[part], rel=1e-3, abs=1e-4), part


def write_down() -> None:
    """Write the means of all games down."""
    means = {name: mean_features(name) for name in VARIANTS}
    KEPT.write_text(json.dumps(means, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write_down()
