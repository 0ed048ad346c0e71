"""A training run from its settings to the finished weights."""

import contextlib
import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule

from agents.base import Agent
from agents.features.base import load_features
from agents.policy import Card, save_policy
from agents.roster import make_agent
from envs.core.cli import INTERRUPTED, run_program
from envs.core.errors import RulesError
from envs.core.game import Game
from envs.core.rules import load_yaml, make_rules
from train.callbacks import Watch
from train.checkpoint import load_checkpoint
from train.config import TrainConfig
from train.improvement import Aggrevate, Judging
from train.montecarlo import SelfPlayDMC
from train.opponents import Pool, Teacher
from train.selfplay import SelfPlay, SelfPlayPPO
from train.tables import Tables

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Of glibc's malloc.h: free bytes that are given back, and size of blocks that always are."""


def build_tables(config: TrainConfig) -> Tables:
    """The tables of a run."""
    game, variants = config.make_game()
    return Tables(
        game,
        variants,
        config.tables,
        ignore=config.ignore,
        adviser=config.adviser,
        seed=config.seed,
    )


def _common_settings(config: TrainConfig, tables: Tables) -> dict[str, Any]:
    """What learners of all algorithms are told."""
    rng = np.random.Generator(np.random.Philox(config.seed + 1))
    named = [(name, _agents_by_variant(name, tables)) for name in config.pool_agents]
    samples = config.algorithm == "ppo"
    pool = Pool(tables, config.pool_tables, named, config.pool_size, rng, samples)
    return {
        "objective": config.make_objective(),
        "pool": pool if config.pool_tables else None,
        "n_steps": config.steps,
        "batch_size": config.minibatch,
        "gamma": 1.0,
        "learning_rate": LinearSchedule(config.learning_rate, config.final_learning_rate, 1.0),
        "max_grad_norm": config.max_grad_norm,
        "seed": config.seed,
    }


def _agents_by_variant(name: str, tables: Tables) -> list[Agent]:
    return [make_agent(name, tables.game, rules) for rules in tables.variants]


def _build_teacher(config: TrainConfig, tables: Tables) -> Teacher | None:
    if config.teacher is None:
        return None
    agents = _agents_by_variant(config.teacher, tables)
    return Teacher(tables, agents, config.teacher_decisions)


def build_ppo(config: TrainConfig, tables: Tables) -> SelfPlayPPO:
    """The learner of a run by proximal policy optimisation."""
    return SelfPlayPPO(
        tables,
        n_epochs=config.epochs,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        final_ent_coef=config.final_entropy,
        teacher=_build_teacher(config, tables),
        actor_waits=config.actor_waits,
        policy_kwargs={
            "hidden": config.hidden,
            "critic_hidden": config.critic_hidden,
            "critic_sees_all": config.critic_sees_all,
            "precision": config.precision,
        },
        **_common_settings(config, tables),
    )


def build_dmc(config: TrainConfig, tables: Tables) -> SelfPlayDMC:
    """The learner of a run by Deep Monte-Carlo."""
    return SelfPlayDMC(
        tables,
        epsilon=config.epsilon,
        final_epsilon=config.final_epsilon,
        loss=config.loss,
        memory=config.memory,
        policy_kwargs={"hidden": config.hidden, "precision": config.precision},
        **_common_settings(config, tables),
    )


def build_aggrevate(config: TrainConfig, tables: Tables) -> Aggrevate:
    """The learner of a run by AggreVaTe."""
    judging = Judging(
        share=config.judged,
        epsilon=config.epsilon,
        others=config.others,
        reach=config.reach,
        margin=config.margin,
        replay=config.replay,
    )
    return Aggrevate(
        tables,
        adviser=str(config.adviser),
        judging=judging,
        n_epochs=config.epochs,
        policy_kwargs={"hidden": config.hidden, "precision": config.precision},
        **_common_settings(config, tables),
    )


BUILDERS: dict[str, Callable[[TrainConfig, Tables], SelfPlay]] = {
    "ppo": build_ppo,
    "dmc": build_dmc,
    "aggrevate": build_aggrevate,
}
"""The learner of each algorithm."""


def settle_process() -> None:
    """One thread, and memory that is kept.

    Networks this small lose more than they gain by a second thread. And where the C library is
    glibc, it gives freed blocks back to the system and gets them again in each step of the
    optimiser, a fifth of its time, unless it is told not to.
    """
    torch.set_num_threads(1)
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 2**25)
        mallopt(M_TRIM_THRESHOLD, 2**30)


def _prepare_folder(config: TrainConfig) -> Path:
    """The folder of the run, which must not hold a run with other settings.

    Settings that are newer than the run have their defaults there.
    """
    folder = Path(config.out)
    place = folder / "config.yaml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if place.exists():
            before = load_yaml(place.read_text("utf-8"), str(place))
            if make_rules(TrainConfig, before) != config:
                raise RulesError(f"{folder} holds a run with other settings; choose another folder")
        settings = yaml.safe_dump(asdict(config), sort_keys=False, allow_unicode=True)
        place.write_text(settings, "utf-8")
    except OSError as error:
        raise RulesError(f"out: {error}") from error
    return folder


def train(config: TrainConfig) -> Path:
    """Train, or go on training; returns the path of the finished weights.

    Raises:
        JipaeError: settings that contradict each other or the folder, or a broken checkpoint.
    """
    settle_process()
    folder = _prepare_folder(config)
    game, variants = config.make_game()
    requires = config.required_options()
    opponents = [(name, make_agent(name, game, variants[0])) for name in config.against]
    model = BUILDERS[config.algorithm](config, build_tables(config))
    watch = Watch(config, folder, opponents)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        state = load_checkpoint(checkpoint)
        model.restore(state["model"])
        watch.restore(state["watch"])
    _learn(config, model, watch)
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
        algorithm=config.algorithm,
        teacher=config.teacher,
        adviser=config.adviser,
        decisions=model.num_timesteps,
        seed=config.seed,
        results=watch.results(),
        **_comparing(config, game),
    )
    save_policy(path, card, model.policy.export_actor())
    model.save(folder / "model.zip")
    return path


def _comparing(config: TrainConfig, game: Game) -> dict[str, Any]:
    """What the card says of a network that compares actions."""
    if config.algorithm != "aggrevate":
        return {}
    version = load_features(game).VERSION
    return {"features": version, "reach": config.reach, "margin": config.margin}


def _learn(config: TrainConfig, model: SelfPlay, watch: Watch) -> None:
    """Go on up to the end of the run."""
    remaining = config.decisions - model.num_timesteps
    if remaining <= 0:
        return
    _keep_progress(Path(config.out) / "progress.csv", model.num_timesteps)
    logger = configure(config.out, ["csv", "tensorboard"])
    model.set_logger(logger)
    try:
        model.learn(remaining, watch, reset_num_timesteps=False)
    finally:
        watch.close()
        logger.close()


def _keep_progress(path: Path, decisions: int) -> None:
    """Put what was logged before a run was left out of the way: the logger would overwrite it."""
    if decisions and path.exists():
        path.replace(path.with_name(f"{path.stem}_to_{decisions}{path.suffix}"))


def main(algorithm: str, argv: Sequence[str] | None = None) -> int:
    """The program of an algorithm: returns its exit status, 2 after an error in the settings."""

    def run(config: TrainConfig) -> int:
        if config.algorithm != algorithm:
            right = f"python -m train.{config.algorithm}"
            raise RulesError(f"these settings are for {config.algorithm}, which is {right}")
        return _train(config)

    program, defaults = f"python -m train.{algorithm}", {"algorithm": algorithm}
    return run_program(TrainConfig, program, run, argv, defaults=defaults)


def _train(config: TrainConfig) -> int:
    try:
        print(f"weights: {train(config)}")
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from the last checkpoint", file=sys.stderr)
        return INTERRUPTED
    return 0
