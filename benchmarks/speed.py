"""Decisions per CPU second under uniformly random play, with mask and observation, one thread.

    python -m benchmarks.speed [--game doudizhu] [--seconds 10]

Ours and, where installed, other public suites take turns in one run, so that the ratios hold even
where the machine's speed drifts; so do the game's named variants. Each figure is the median over
the rounds, with the range.
"""

import statistics
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import envs
from benchmarks.peers import Player, peers_of, play_aec
from envs.core.aec import make_env, make_raw_env
from envs.core.cli import parse_config
from envs.core.errors import JipaeError
from envs.core.game import Game
from envs.core.rng import sample_uniform
from envs.core.rules import check_types
from envs.core.vector import BatchEnv

ROUNDS = 5
BATCH_SIZES = (1, 64, 1024)


@dataclass(frozen=True, kw_only=True)
class SpeedConfig:
    """Measure decisions per CPU second, ours beside other public suites."""

    game: str = "doudizhu"
    """The game to measure."""
    preset: str | None = None
    """Its named variant; the first one if left out."""
    seconds: int = 10
    """CPU seconds for each row, split into five rounds."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type."""
        check_types(self)

    @property
    def variant(self) -> str:
        """The named variant to measure."""
        return self.preset or next(iter(envs.load_game(self.game).presets))


def play_batch(game: Game, preset: str, num_tables: int) -> Iterator[int]:
    """Step a `BatchEnv` for ever; yields the decisions of each step."""
    env = BatchEnv(game, game.make_rules(preset), num_tables, skip_forced=False)
    env.reset(seed=0)
    actions, keys = np.zeros(num_tables, np.int64), np.arange(num_tables)
    while True:
        keys += num_tables
        sample_uniform(env.masks, keys, actions)
        env.step(actions)
        yield num_tables


def count_ones(player: Iterator[None]) -> Iterator[int]:
    """One decision for each step of a loop."""
    for _ in player:
        yield 1


def own_rows(config: SpeedConfig) -> dict[str, Iterator[int]]:
    """Our own loops by the name to print."""
    game = envs.load_game(config.game)
    rows = {
        f"BatchEnv, {size:,} tables": play_batch(game, config.variant, size) for size in BATCH_SIZES
    }
    rows["raw_env()"] = count_ones(play_aec(make_raw_env(game, config.variant)))
    rows["env()"] = count_ones(play_aec(make_env(game, config.variant)))
    return rows


def variant_rows(config: SpeedConfig) -> dict[str, Iterator[int]]:
    """The largest batch in every named variant, the measured one first."""
    game = envs.load_game(config.game)
    names = [config.variant, *(name for name in game.presets if name != config.variant)]
    return {name: play_batch(game, name, max(BATCH_SIZES)) for name in names}


def installed_peers(peers: dict[str, Player]) -> tuple[dict[str, Iterator[int]], list[str]]:
    """The peers that can be started, and the names of the others."""
    rows, missing = {}, []
    for name, player in peers.items():
        loop = count_ones(player())
        try:
            next(loop)
        except ImportError:
            missing.append(name)
        else:
            rows[name] = loop
    return rows, missing


def rate(loop: Iterator[int], seconds: float) -> float:
    """Decisions per CPU second over a stretch of `seconds`."""
    decisions, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        for _ in range(20):
            decisions += next(loop)
    return decisions / spent


def measure(rows: dict[str, Iterator[int]], seconds: float) -> dict[str, list[float]]:
    """The rate of every row in every round, the rows taking turns."""
    for loop in rows.values():
        rate(loop, 0.2)  # compile, warm up
    rates: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, loop in rows.items():
            rates[name].append(rate(loop, seconds / ROUNDS))
    return rates


def tabulate(title: str, rates: dict[str, list[float]], peers: list[str]) -> Table:
    """A row each, with the median of the ratios to each peer, round by round."""
    table = Table(title=title)
    table.add_column("loop")
    table.add_column("median", justify="right")
    table.add_column("range", justify="right")
    for peer in peers:
        table.add_column(f"× {peer}", justify="right")
    for name, values in rates.items():
        ratios = [
            statistics.median(a / b for a, b in zip(values, rates[peer], strict=True))
            for peer in peers
        ]
        table.add_row(
            name,
            f"{statistics.median(values):,.0f}",
            f"{min(values):,.0f} – {max(values):,.0f}",
            *(f"{ratio:,.3g}" for ratio in ratios),
        )
    return table


def main(config: SpeedConfig) -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")  # of the other suites
    peers, missing = installed_peers(peers_of(config.game))
    rates = measure({**own_rows(config), **peers}, config.seconds)
    variants = measure(variant_rows(config), config.seconds)
    console = Console()
    title = "decisions per CPU second, mask and observation included"
    console.print(tabulate(title, rates, list(peers)))
    title = f"the same in the named variants, BatchEnv, {max(BATCH_SIZES):,} tables"
    console.print(tabulate(title, variants, [config.variant]))
    for name in missing:
        console.print(
            f"not measured, since it is not installed: {name} (pip install 'jipae[peers]')"
        )


if __name__ == "__main__":
    try:
        main(parse_config(SpeedConfig, "python -m benchmarks.speed"))
    except JipaeError as error:
        raise SystemExit(f"benchmarks.speed: {error}") from error
