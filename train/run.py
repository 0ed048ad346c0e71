"""A training run from its settings to the finished weights."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
import yaml
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule

from agents.policy import Card, save_policy
from agents.roster import make_agent
from envs.core.cli import parse_config
from envs.core.errors import JipaeError, RulesError
from train.callbacks import Watch
from train.checkpoint import load_checkpoint
from train.config import TrainConfig
from train.opponents import Pool
from train.selfplay import SelfPlayPPO
from train.tables import Tables

INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""


def build_tables(config: TrainConfig) -> Tables:
    """The tables of a run."""
    game, variants = config.make_game()
    return Tables(game, variants, config.tables, ignore=config.ignore, seed=config.seed)


def build_ppo(config: TrainConfig, tables: Tables) -> SelfPlayPPO:
    """The learner of a run."""
    rng = np.random.Generator(np.random.Philox(config.seed + 1))
    named = [
        (name, make_agent(name, tables.game, tables.variants[0])) for name in config.pool_agents
    ]
    pool = Pool(tables, config.pool_tables, named, config.pool_size, rng)
    return SelfPlayPPO(
        tables,
        objective=config.make_objective(),
        pool=pool if config.pool_tables else None,
        n_steps=config.steps,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        gamma=1.0,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        final_ent_coef=config.final_entropy,
        learning_rate=LinearSchedule(config.learning_rate, config.final_learning_rate, 1.0),
        max_grad_norm=config.max_grad_norm,
        policy_kwargs={
            "hidden": config.hidden,
            "critic_hidden": config.critic_hidden,
            "critic_sees_all": config.critic_sees_all,
            "precision": config.precision,
        },
        seed=config.seed,
    )


def _prepare_folder(config: TrainConfig) -> Path:
    """The folder of the run, which must not hold a run with other settings."""
    folder = Path(config.out)
    settings = yaml.safe_dump(asdict(config), sort_keys=False, allow_unicode=True)
    place = folder / "config.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        before = place.read_text("utf-8") if place.exists() else settings
        if before != settings:
            raise RulesError(f"{folder} holds a run with other settings; choose another folder")
        place.write_text(settings, "utf-8")
    except OSError as error:
        raise RulesError(f"out: {error}") from error
    return folder


def train(config: TrainConfig) -> Path:
    """Train, or go on training; returns the path of the finished weights.

    Raises:
        JipaeError: settings that contradict each other or the folder, or a broken checkpoint.
    """
    torch.set_num_threads(1)  # networks this small lose more than they gain by a second thread
    folder = _prepare_folder(config)
    game, variants = config.make_game()
    requires = config.required_options()
    opponents = [(name, make_agent(name, game, variants[0])) for name in config.against]
    model = build_ppo(config, build_tables(config))
    model.set_logger(configure(str(folder), ["csv", "tensorboard"]))
    watch = Watch(config, folder, opponents)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        state = load_checkpoint(checkpoint)
        model.restore(state["model"])
        watch.restore(state["watch"])
    remaining = config.decisions - model.num_timesteps
    if remaining > 0:
        model.learn(remaining, watch, reset_num_timesteps=False)
    path = folder / f"{game.name}.npz"
    card = Card(
        game=game.name,
        game_version=game.version,
        layout=game.layout(variants[0]).digest,
        trained_on=config.variants,
        requires=requires,
        ignore=config.ignore,
        hidden=config.hidden,
        samples=config.samples,
        algorithm="ppo",
        decisions=model.num_timesteps,
        seed=config.seed,
        results=watch.history[-len(opponents) :],
    )
    save_policy(path, card, model.policy.export_actor())
    model.save(folder / "model.zip")
    return path


def main(program: str, build: Callable[[TrainConfig], Path], argv: Sequence[str] | None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    try:
        print(f"weights: {build(parse_config(TrainConfig, program, argv))}")
    except JipaeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from the last checkpoint", file=sys.stderr)
        return INTERRUPTED
    return 0
