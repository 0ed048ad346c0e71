"""Decisions per CPU second under uniformly random play, with mask and observation, one thread.

    python -m benchmarks.speed [--game doudizhu] [--seconds 10]

Ours and, where installed, other public suites take turns in one run, so that the ratios hold even
where the machine's speed drifts; so do the game's named variants. Each figure is the median over
the rounds, with the range.

    python -m benchmarks.speed --search [--game doudizhu] [--seconds 10]

Instead: deals that the default policies play out to their ends per CPU second, from midgame, in all
games; and the CPU time of whole choices of a search there, with what it spends around the playouts.
"""

import itertools
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
from benchmarks.playouts import (
    BATCH,
    NUM_CHOICES,
    SETTINGS,
    Midgame,
    find_midgames,
    play_out,
    time_choices,
)
from envs.core.aec import make_env, make_raw_env
from envs.core.cli import parse_config
from envs.core.errors import JipaeError, RulesError
from envs.core.game import Game
from envs.core.rng import sample_uniform
from envs.core.rules import check_range, check_types
from envs.core.vector import BatchEnv

ROUNDS = 5
BATCH_SIZES = (1, 64, 1024)
DEFAULT = "default rules"


@dataclass(frozen=True, kw_only=True)
class SpeedConfig:
    """Measure decisions per CPU second, ours beside other public suites."""

    game: str | None = None
    """The game to measure; Dou Dizhu if left out, or with search all of them."""
    preset: str | None = None
    """Its named variant; the default rules if left out."""
    seconds: int = 10
    """CPU seconds for each row, split into five rounds."""
    search: bool = False
    """Measure playouts and choices of searches instead."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range, and a variant of no game."""
        check_types(self)
        check_range("seconds", self.seconds, 1, 3_600)
        if self.search and self.preset is not None and self.game is None:
            raise RulesError(f"preset {self.preset} needs game: the name of the game")

    @property
    def measured(self) -> str:
        """The one game to measure without searches."""
        return self.game or "doudizhu"


def play_batch(game: Game, preset: str | None, num_tables: int) -> Iterator[int]:
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
    game, preset = envs.load_game(config.measured), config.preset
    rows = {f"BatchEnv, {size:,} tables": play_batch(game, preset, size) for size in BATCH_SIZES}
    rows["raw_env()"] = count_ones(play_aec(make_raw_env(game, preset)))
    rows["env()"] = count_ones(play_aec(make_env(game, preset)))
    return rows


def variant_rows(config: SpeedConfig) -> dict[str, Iterator[int]]:
    """The largest batch in the measured variant, then in every named one that differs from it."""
    game = envs.load_game(config.measured)
    rules = game.make_rules(config.preset)
    others = [name for name in game.presets if game.make_rules(name) != rules]
    return {
        name or DEFAULT: play_batch(game, name, max(BATCH_SIZES))
        for name in [config.preset, *others]
    }


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


def rate(loop: Iterator[int], seconds: float, steps: int) -> float:
    """What a loop yields per CPU second, over a stretch of `seconds`.

    steps: those between two looks at the clock.
    """
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += sum(itertools.islice(loop, steps))
    return done / spent


def measure(
    rows: dict[str, Iterator[int]], seconds: float, steps: int = 20
) -> dict[str, list[float]]:
    """The rate of every row in every round, the rows taking turns; see `rate`."""
    for loop in rows.values():
        rate(loop, 0.2, steps)  # compile, warm up
    rates: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(ROUNDS):
        for name, loop in rows.items():
            rates[name].append(rate(loop, seconds / ROUNDS, steps))
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


def tabulate_choices(title: str, midgames: dict[str, Midgame]) -> Table:
    """A row each, of medians; the choices are made now."""
    table = Table(title=title)
    table.add_column("game")
    for name in ("decisions to come", "plays", "playouts", "ms"):
        table.add_column(name, justify="right")
    for name, midgame in midgames.items():
        plays, playouts, seconds = map(statistics.median, zip(*time_choices(midgame), strict=True))
        to_come = f"{midgame.to_come.mean():.1f}"
        table.add_row(name, to_come, f"{plays:.0f}", f"{playouts:,.0f}", f"{1000 * seconds:.1f}")
    return table


def measure_search(config: SpeedConfig) -> Iterator[Table]:
    """Measure the playouts of all games, or of one, then whole decisions."""
    midgames: dict[str, Midgame] = {}
    for name in list(envs.GAMES) if config.game is None else [config.game]:
        midgames |= find_midgames(name, config.preset)
    rows = {name: play_out(midgame) for name, midgame in midgames.items()}
    title = f"deals played out per CPU second from midgame, {BATCH:,} at once"
    yield tabulate(title, measure(rows, config.seconds, steps=1), [])
    title = f"CPU time of one choice there of pimc:{SETTINGS}; medians of {NUM_CHOICES}"
    yield tabulate_choices(title, midgames)


def main(config: SpeedConfig) -> None:
    """Measure and print."""
    console = Console()
    if config.search:
        for table in measure_search(config):
            console.print(table)
        return
    warnings.simplefilter("ignore")  # of the other suites
    peers, missing = installed_peers(peers_of(config.measured))
    rates = measure({**own_rows(config), **peers}, config.seconds)
    variants = measure(variant_rows(config), config.seconds)
    title = "decisions per CPU second, mask and observation included"
    console.print(tabulate(title, rates, list(peers)))
    title = f"the same in the named variants, BatchEnv, {max(BATCH_SIZES):,} tables"
    console.print(tabulate(title, variants, [config.preset or DEFAULT]))
    for name in missing:
        console.print(
            f"not measured, since it is not installed: {name} (pip install 'jipae[peers]')"
        )


if __name__ == "__main__":
    try:
        main(parse_config(SpeedConfig, "python -m benchmarks.speed"))
    except JipaeError as error:
        raise SystemExit(f"benchmarks.speed: {error}") from error
