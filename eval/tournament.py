"""Tournaments: every agent against every other on the same deals.

From the shell: `python -m eval.tournament --agents rule random my_bot.py:MyBot`.
From Python: `run_tournament(TournamentConfig(agents=["rule", "my_bot.py:MyBot"]))`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import envs
from agents.builtin import builtin_names
from agents.roster import make_agent
from envs.core.cli import INTERRUPTED, read_rules, run_program
from envs.core.errors import RulesError
from envs.core.game import Game
from envs.core.rules import check_types
from envs.core.seeding import check_seed
from eval.cluster import ray_actors
from eval.contest import Contest
from eval.match import OnEnded, ignore
from eval.report import save_report
from eval.results import Results, save_results
from eval.store import Store
from eval.terminal import print_results, progress_bar
from eval.workers import PlayChunks, Worker, processes

DEFAULT_DEALS = {"doudizhu": 5_000, "tongits": 5_000, "jitgo_ttaeng": 300, "tichu": 300}
"""Deals of each game that the agents that come along play in some twenty seconds on a slow laptop:
all games together take about a minute."""
OTHER_DEALS = 500
"""The same for games not in that list."""
MOST_DEALS = 100
"""So many times more, where they end as soon as the intervals are narrow enough."""
MAX_DEALS = 2**31
MIN_AGENTS = 2
MAX_HALF_WIDTH = 0.5
"""Of an interval for a rate, which tells nothing then."""

Watch = Callable[[Contest, int], AbstractContextManager[OnEnded]]


@dataclass(frozen=True, kw_only=True)
class TournamentConfig:
    """Compare agents: each deal is played once for every assignment of two agents to the seats, and
    of all agents if they are more and find seats at one table."""

    game: str | None = None
    """Name of the game; all games if left out."""
    agents: list[str] | None = None
    """Agents that come along by name (random, rule), one's own as path/to/file.py:Class or
    package.module:Class; those that come along if left out."""
    deals: int | None = None
    """Deals that each pair of agents plays, at most; about a minute's worth if left out, a hundred
    times that with until_half_width."""
    until_half_width: float | None = None
    """Play until the 95 % intervals of all pairs' win rates are this narrow: 0.01 is ± 1 %."""
    seed: int = 0
    """Number from which all deals and all chance follow."""
    set: list[str] = field(default_factory=list)
    """Options of the game as option=value, or preset=name for a named variant."""
    out: str | None = None
    """Folder for results.json, results.csv, report.html and finished deals, with which the same
    command goes on after it was stopped; with several games, for a folder of each game."""
    report: bool = True
    """Write report.html there, too, which takes some seconds."""
    control: bool = False
    """Narrow the intervals of mean differences by what the dealt cards are worth: pays in long runs
    against much weaker opponents."""
    records: bool = False
    """Write every game to records.jsonl in that folder."""
    workers: int | None = None
    """Processes that play, which changes no result: one if left out; with cluster, actors, one for
    each of its CPUs if left out."""
    cluster: Literal["ray"] | None = None
    """Play on the Ray cluster that RAY_ADDRESS names or that runs here."""
    batch_size: int = 1024
    """Games that advance together, about."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_seed(self.seed)
        if self.deals is not None and not 1 <= self.deals < MAX_DEALS:
            raise RulesError(f"deals must be 1 to {MAX_DEALS - 1}, got {self.deals}")
        for name, value in (("batch_size", self.batch_size), ("workers", self.workers)):
            if value is not None and value < 1:
                raise RulesError(f"{name} must be at least 1, got {value}")
        if self.until_half_width is not None and not 0 < self.until_half_width < MAX_HALF_WIDTH:
            raise RulesError(
                f"until_half_width must be above 0 and below {MAX_HALF_WIDTH}, "
                f"got {self.until_half_width}"
            )
        if self.records and self.out is None:
            raise RulesError("records=true needs out: the folder to write them to")


def prepare(config: TournamentConfig) -> list[Contest]:
    """Get everything ready, one contest for each game, so that errors come before the games.

    Raises:
        JipaeError: an unknown game, option or agent, or an agent that cannot be built.
    """
    names = [config.game] if config.game is not None else list(envs.GAMES)
    return [_prepare_game(envs.load_game(name), config) for name in names]


def _prepare_game(game: Game, config: TournamentConfig) -> Contest:
    rules = read_rules(game, config.set)
    names = config.agents or builtin_names(game)
    if len(names) < MIN_AGENTS:
        raise RulesError(f"{game.name}: a tournament needs two agents or more, got {names}")
    usual_deals = DEFAULT_DEALS.get(game.name, OTHER_DEALS)
    return Contest(
        game=game,
        rules=rules,
        names=_distinct(names),
        sources=names,
        agents=[make_agent(name, game, rules) for name in names],
        deals=config.deals or usual_deals * (1 if config.until_half_width is None else MOST_DEALS),
        seed=config.seed,
        batch_size=config.batch_size,
        until_half_width=config.until_half_width,
        control=config.control,
        records=config.records,
    )


def _distinct(names: list[str]) -> list[str]:
    """The names, numbered where one comes again: `rule`, `rule#2`."""
    numbers = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return [
        f"{name}#{number}" if number > 1 else name
        for name, number in zip(names, numbers, strict=True)
    ]


def play_all(
    config: TournamentConfig, watch: Watch = lambda contest, games: nullcontext(ignore)
) -> Iterator[tuple[Results, Path | None]]:
    """Play game after game; each with its results and the file they were written to.

    `watch(contest, games)` surrounds each contest, of which so many games were finished before; it
    gives a function to tell how many games have ended.
    """
    contests = prepare(config)
    folders = _make_folders(config.out, [contest.game.name for contest in contests])
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(Store(folder))) for folder in folders]
        for contest, store in zip(contests, stores, strict=True):
            store.begin(contest.settings, contest.groups)
        for contest, store in zip(contests, stores, strict=True):
            watching = watch(contest, store.count_games())
            with watching as on_ended, _players(contest, config) as play_chunks:
                run, results = contest.play(store, play_chunks, on_ended)
            store.write_records()
            path = None
            if store.folder is not None:
                path = save_results(results, store.folder)
                if config.report:
                    save_report(results, run, store.folder)
            yield results, path
            if results.interrupted:
                return


def _players(
    contest: Contest, config: TournamentConfig
) -> AbstractContextManager[PlayChunks, bool | None]:
    """Who plays, as the settings say."""
    if config.cluster == "ray":
        return ray_actors(contest.job, config.workers)
    if config.workers is not None and config.workers > 1:
        return processes(contest.job, config.workers)
    worker = Worker(contest.job, contest.game, contest.agents)
    return nullcontext(worker.play_all)


def _make_folders(out: str | None, games: list[str]) -> Sequence[Path | None]:
    """The folder for each game's results, where they are wanted."""
    if out is None:
        return [None] * len(games)
    folders = [Path(out, game) if len(games) > 1 else Path(out) for game in games]
    try:
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RulesError(f"out: {error}") from error
    return folders


def run_tournament(config: TournamentConfig) -> list[Results]:
    """Play a tournament of each game; `results.json` is written where `config.out` says.

    With several workers, call it under `if __name__ == "__main__":`.

    Raises:
        JipaeError: an unknown game, option or agent, an agent that cannot be built, a folder with
            another run, or workers that die.
    """
    return [results for results, _ in play_all(config)]


def play_and_print(config: TournamentConfig) -> int:
    """Play, and print what comes out; returns the exit status.

    Raises:
        JipaeError: see `run_tournament`.
    """
    for results, path in play_all(config, progress_bar):
        print_results(results, path)
        if results.interrupted:
            return INTERRUPTED
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    return run_program(TournamentConfig, "python -m eval.tournament", play_and_print, argv)


if __name__ == "__main__":
    sys.exit(main())
