"""Decisions learnt from per CPU second, playing and learning together, one thread.

    python -m benchmarks.training [--settings doudizhu] [--rounds 5]

Self-play PPO beside sb3-contrib's MaskablePPO as it comes: over the same tables, and as it is
usually set up, in eight environments of one seat whose other seats the same network plays. All
have an actor and a critic of 256 × 256 units, minibatches of 2,048 and four epochs. What the
networks read differs, as the two are used: ours leave out the pieces that the settings ignore, and
read the masks and, the critic, the hidden cards; stock ones read the whole observation. A decision
counts if it was learnt from. The rows take turns in one run, so that the ratios hold even where the
machine's speed drifts; each figure is the median over the rounds, with the range.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from benchmarks.speed import tabulate
from envs.core.cli import parse_config
from envs.core.errors import JipaeError
from envs.core.game import Array, Game
from envs.core.rules import check_range, check_types, configs_dir
from envs.core.single import SeatEnv
from train.config import TrainConfig
from train.policy import working_dtype
from train.run import settle_process
from train.selfplay import SelfPlayPPO
from train.tables import Tables

HIDDEN = [256, 256]
BATCH = 2048
NUM_TABLES, NUM_STEPS = 512, 48
NUM_SEAT_ENVS = 8
SETTINGS: dict[str, Any] = {"batch_size": BATCH, "n_epochs": 4, "gamma": 1.0, "seed": 0}
STOCK = SETTINGS | {"policy_kwargs": {"net_arch": {"pi": HIDDEN, "vf": HIDDEN}}, "device": "cpu"}


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Measure decisions learnt from per CPU second, ours beside stock MaskablePPO."""

    settings: str = "doudizhu"
    """A file of `configs/train` by its stem; its game, first variant and ignored pieces count."""
    rounds: int = 5
    """Times that each row plays and learns."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_range("rounds", self.rounds, 1, 1_000)


class Itself:
    """The network in training at the other seats, asked as its users ask it."""

    model: MaskablePPO

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose an action for each row, see `agents.base.Agent`."""
        return self.model.predict(observations, action_masks=masks)[0]


def learn_for_ever(model: Any, count: Callable[[Any], int]) -> Iterator[int]:
    """Play and learn, one rollout after the other; yields what `count` says of each."""
    model.set_logger(Logger(None, []))
    while True:
        model.learn(model.n_steps * model.n_envs, reset_num_timesteps=False)
        yield count(model)


def count_complete(model: SelfPlayPPO) -> int:
    """The decisions of a rollout that filled minibatches."""
    return int(model.rollout_buffer.complete.sum()) // BATCH * BATCH


def count_steps(model: MaskablePPO) -> int:
    """All steps of a rollout."""
    return model.n_steps * model.n_envs


def read_settings(name: str) -> TrainConfig:
    """The settings of training that come along under a name.

    Raises:
        RulesError: there are none, or they are not sound.
    """
    path = configs_dir() / "train" / f"{name}.yaml"
    return parse_config(TrainConfig, "settings", ["--config", str(path)])


def own_row(tables: Tables, precision: str) -> Iterator[int]:
    """Self-play PPO, computing in one type."""
    networks = {"hidden": HIDDEN, "critic_hidden": HIDDEN, "precision": precision}
    model = SelfPlayPPO(tables, n_steps=NUM_STEPS, policy_kwargs=networks, **SETTINGS)
    return learn_for_ever(model, count_complete)


def stock_row(tables: Tables) -> Iterator[int]:
    """Stock MaskablePPO over tables, whose steps are those of whoever acts."""
    model = MaskablePPO("MlpPolicy", tables, n_steps=NUM_STEPS, **STOCK)
    return learn_for_ever(model, count_steps)


def single_row(game: Game, rules: Any) -> Iterator[int]:
    """Stock MaskablePPO in environments of one seat, against itself."""
    others = Itself()
    env = DummyVecEnv([lambda: SeatEnv(game, rules, others)] * NUM_SEAT_ENVS)
    model = MaskablePPO("MlpPolicy", env, n_steps=BATCH // NUM_SEAT_ENVS, **STOCK)
    others.model = model
    return learn_for_ever(model, count_steps)


def measure(
    rows: dict[str, Iterator[int]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, list[float]]:
    """The rate of every row in every round, the rows taking turns; the first is not counted."""
    rates: dict[str, list[float]] = {name: [] for name in rows}
    for number in range(rounds + 1):
        for name, loop in rows.items():
            start = clock()
            done = next(loop)
            if number:
                rates[name].append(done / (clock() - start))
    return rates


def main(config: TrainingConfig) -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")  # of torch and Stable-Baselines3 about themselves
    settle_process()
    settings = read_settings(config.settings)
    game, [rules, *_] = settings.make_game()

    def make_tables() -> Tables:
        return Tables(game, [rules], NUM_TABLES, ignore=settings.ignore)

    own = str(working_dtype("auto")).removeprefix("torch.")
    rows = {
        f"SelfPlayPPO, {precision}": own_row(make_tables(), precision)
        for precision in dict.fromkeys([own, "float32"])
    }
    stock = {
        "MaskablePPO, tables": stock_row(make_tables()),
        f"MaskablePPO, {NUM_SEAT_ENVS} seats": single_row(game, rules),
    }
    title = f"{game.title}: decisions learnt from per CPU second; ours computes in {own} here"
    Console().print(tabulate(title, measure(rows | stock, config.rounds), list(stock)))


if __name__ == "__main__":
    try:
        main(parse_config(TrainingConfig, "python -m benchmarks.training"))
    except JipaeError as error:
        raise SystemExit(f"benchmarks.training: {error}") from error
