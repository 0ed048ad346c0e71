"""Tournaments: every agent against every other on the same deals.

From the shell: `python -m eval.tournament --agents rule random my_bot.py:MyBot`.
From Python: `run_tournament(TournamentConfig(agents=["rule", "my_bot.py:MyBot"]))`.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import envs
from agents.builtin import builtin_names
from agents.roster import make_agent
from envs.core.cli import parse_config, read_rules
from envs.core.errors import JipaeError, RulesError
from envs.core.game import Game
from envs.core.rules import check_types
from envs.core.seeding import check_seed
from eval.contest import Contest
from eval.match import OnEnded, ignore
from eval.report import print_results, progress_bar
from eval.results import Results, save_results

DEFAULT_DEALS = {"doudizhu": 5_000, "tongits": 5_000, "jitgo_ttaeng": 300, "tichu": 300}
"""Deals of each game that the agents that come along play in some twenty seconds on a slow laptop:
all games together take about a minute."""
OTHER_DEALS = 500
"""The same for games not in that list."""
MAX_DEALS = 2**31
MIN_AGENTS = 2
INTERRUPTED = 130
"""Exit status after Ctrl-C, as shells have it."""

Watch = Callable[[Contest], AbstractContextManager[OnEnded]]


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
    """Deals that each pair of agents plays; about a minute's worth if left out."""
    seed: int = 0
    """Number from which all deals and all chance follow."""
    set: list[str] = field(default_factory=list)
    """Options of the game as option=value, or preset=name for a named variant."""
    out: str | None = None
    """Folder for results.json; with several games, for a folder of each game with its own."""
    batch_size: int = 1024
    """Games that advance together, about."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_seed(self.seed)
        if self.deals is not None and not 1 <= self.deals < MAX_DEALS:
            raise RulesError(f"deals must be 1 to {MAX_DEALS - 1}, got {self.deals}")
        if self.batch_size < 1:
            raise RulesError(f"batch_size must be at least 1, got {self.batch_size}")


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
    return Contest(
        game=game,
        rules=rules,
        names=_distinct(names),
        agents=[make_agent(name, game, rules) for name in names],
        deals=config.deals or DEFAULT_DEALS.get(game.name, OTHER_DEALS),
        seed=config.seed,
        batch_size=config.batch_size,
    )


def _distinct(names: list[str]) -> list[str]:
    """The names, numbered where one comes again: `rule`, `rule#2`."""
    numbers = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return [
        f"{name}#{number}" if number > 1 else name
        for name, number in zip(names, numbers, strict=True)
    ]


def play_all(
    config: TournamentConfig, watch: Watch = lambda contest: nullcontext(ignore)
) -> Iterator[tuple[Results, Path | None]]:
    """Play game after game; each with its results and the file they were written to.

    `watch(contest)` surrounds each contest; it gives a function to tell how many games have ended.
    """
    contests = prepare(config)
    folders = _make_folders(config.out, [contest.game.name for contest in contests])
    for contest, folder in zip(contests, folders, strict=True):
        with watch(contest) as on_ended:
            results = contest.play(on_ended)
        yield results, save_results(results, folder) if folder else None
        if results.interrupted:
            return


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

    Raises:
        JipaeError: an unknown game, option or agent, or an agent that cannot be built.
    """
    return [results for results, _ in play_all(config)]


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    try:
        config = parse_config(TournamentConfig, "python -m eval.tournament", argv)
        for results, path in play_all(config, progress_bar):
            print_results(results, path)
            if results.interrupted:
                return INTERRUPTED
    except JipaeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
