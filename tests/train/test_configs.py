"""The settings that come along: each is sound, and trains without a slip."""

from pathlib import Path

import numpy as np
import pytest
import torch

from envs.core.cli import parse_config
from train.config import TrainConfig
from train.run import build_tables, train
from train.trajectories import EMPTY

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "train").glob("*.yaml"))
NAMES = [path.stem for path in CONFIGS]


@pytest.mark.parametrize("path", CONFIGS, ids=NAMES)
def test_settings_that_come_along_are_sound(path: Path) -> None:
    small = ["--tables", "6", "--minibatch", "8", "--pool-tables", "0"]
    config = parse_config(TrainConfig, "train", ["--config", str(path), *small])
    assert set(config.requires) == set(config.required_options())
    tables = build_tables(config)
    assert len(tables.variants) == len(config.variants)
    assert (tables.seats != EMPTY).all()
    assert tables.reader.scales.shape == (tables.rows.shape[1],)


@pytest.mark.slow
@pytest.mark.parametrize("path", CONFIGS, ids=NAMES)
def test_200_000_decisions_without_a_slip(path: Path, tmp_path: Path) -> None:
    # An invalid action would raise: the tables check each one.
    config = parse_config(TrainConfig, "train", ["--config", str(path), "--out", str(tmp_path),
                                                 "--decisions", "200000", "--evaluations", "0",
                                                 "--evaluation-deals", "5"])  # fmt: skip
    train(config)
    saved = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert saved["model"]["decisions"] >= 200_000
    for name, weight in saved["model"]["weights"].items():
        assert np.isfinite(weight.numpy()).all(), name
