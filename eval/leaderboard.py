"""A ladder of agents that grows: `python -m eval.leaderboard configs/eval/ladder.yaml`.

Every pair of agents is a run of its own in a folder that stays, so a pair that has met is never
played again, and a new agent plays its own pairs only. An agent whose files change, or that comes
with another version of this package, is a new one; what it was before stays on the ladder. Other
options, deals or seeds, or another version of the game, begin another ladder.
"""

import hashlib
import itertools
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

import envs
from envs.core.cli import INTERRUPTED, read_rules, run_program
from envs.core.errors import RulesError
from envs.core.rules import changed_options, check_types, load_yaml, make_rules
from envs.core.seeding import check_seed
from eval.contest import file_digests, file_names
from eval.report import format_option, render
from eval.results import FILE_NAME, Rank, Rated, Results, package_version, write_whole
from eval.store import FILE_NAME as RUN_NAME
from eval.store import Run, load_run
from eval.summary import is_unfinished, summarize
from eval.terminal import format_difference, format_rating, progress_bar
from eval.tournament import TournamentConfig, play_all

MARKDOWN_NAME, PAGE_NAME = "ladder.md", "ladder.html"
TEMPLATE = "ladder.html.jinja"
KEYS = {"out", "ladders"}
"""Of a file of ladders."""


@dataclass(frozen=True, kw_only=True)
class LeaderboardConfig:
    """Play what ladders lack and write their tables: python -m eval.leaderboard FILE."""

    file: str = ""
    """YAML file: `out`, a folder, and `ladders`, each with game, agents and, as a tournament has
    them, set, deals and seed."""
    workers: int | None = None
    """Processes that play; one if left out."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, and no file."""
        check_types(self)
        if not self.file:
            raise RulesError("a file of ladders is needed, such as configs/eval/ladder.yaml")


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """A game and the agents that are to be on its ladder."""

    game: str
    agents: list[str]
    deals: int = 500
    set: list[str] = field(default_factory=list)
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_seed(self.seed)
        if len(self.agents) < 2 or len(frozenset(self.agents)) < len(self.agents):
            raise RulesError(f"a ladder needs two agents or more, all different, got {self.agents}")


class Entrant(NamedTuple):
    """An agent as it was when it played."""

    source: str
    """What it is built by."""
    version: str
    """Digests of its files; where there are none, the version of this package."""


class Row(NamedTuple):
    """A line of a ladder's table."""

    agent: str
    version: str
    is_current: bool
    rating: Rated
    by_role: list[Rated]
    difference: Rank
    opponents: int
    last_played: date


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A ladder's table."""

    title: str
    roles: list[str]
    rows: list[Row]
    results: Results


def read_ladders(path: str) -> tuple[Path, list[Ladder]]:
    """The folder and the ladders of a file.

    Raises:
        RulesError: it cannot be read, or something is missing, unknown or of the wrong type.
    """
    try:
        data = load_yaml(Path(path).read_text("utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(f"{path} cannot be read: {error}") from error
    out, entries = data.get("out"), data.get("ladders")
    if data.keys() != KEYS or not isinstance(out, str) or not isinstance(entries, list):
        raise RulesError(f"{path} must have the keys out, a folder, and ladders, a list")
    ladders = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping) or not {"game", "agents"} <= entry.keys():
            raise RulesError(f"{path}: ladder {number} needs game and agents, got {entry!r}")
        try:
            ladders.append(make_rules(Ladder, entry))
        except RulesError as error:
            raise RulesError(f"{path}: ladder {number}: {error}") from error
    return Path(out), ladders


def entrant_of(source: str, files: Mapping[str, str], package: str) -> Entrant:
    """Who an agent is, by the digests of the files of a run."""
    own = [files[name] for name in dict.fromkeys(file_names(source)) if name in files]
    return Entrant(source, " ".join(own) or f"jipae {package}")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:8]


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text).strip("-")[-40:]


def ladder_folder(out: Path, ladder: Ladder) -> Path:
    """The folder of all runs that can be compared."""
    game = envs.load_game(ladder.game)
    options = changed_options(read_rules(game, ladder.set))
    digest = _digest([game.version, options, ladder.deals, ladder.seed])
    return out / f"{ladder.game}-{digest}"


def pair_folder(folder: Path, pair: Sequence[Entrant]) -> Path:
    """The folder of the run of two agents."""
    names = "-".join(_slug(entrant.source) for entrant in pair)
    return folder / f"{names}-{_digest(pair)}"


def missing_runs(out: Path, ladder: Ladder, workers: int | None) -> Iterator[TournamentConfig]:
    """The runs that a ladder lacks, or that were stopped."""
    folder = ladder_folder(out, ladder)
    entrants = current_entrants(ladder)
    for pair in itertools.combinations(sorted(entrants), 2):
        place = pair_folder(folder, pair)
        if not (place / FILE_NAME).is_file() or is_unfinished(load_run(place)):
            yield TournamentConfig(
                game=ladder.game,
                agents=[entrant.source for entrant in pair],
                deals=ladder.deals,
                seed=ladder.seed,
                set=ladder.set,
                out=str(place),
                workers=workers,
                report=False,
            )


def current_entrants(ladder: Ladder) -> list[Entrant]:
    """The agents of a ladder as they are now."""
    files = file_digests(ladder.agents)
    return [entrant_of(source, files, package_version()) for source in ladder.agents]


def stand(out: Path, ladder: Ladder) -> Standing:
    """The table of a ladder whose pairs have all met."""
    folder, current = ladder_folder(out, ladder), current_entrants(ladder)
    runs = {path.parent: load_run(path.parent) for path in sorted(folder.glob(f"*/{RUN_NAME}"))}
    runs = {path: run for path, run in runs.items() if not is_unfinished(run)}
    met: dict[Entrant, list[Path]] = {}
    pairs = {path: _entrants(run) for path, run in runs.items()}
    for path, pair in pairs.items():
        for entrant in pair:
            met.setdefault(entrant, []).append(path)
    labels = {entrant: _label(entrant, current) for entrant in met}
    results = summarize(_merge(runs, pairs, labels), interrupted=False, duration_s=0.0)
    by_label = {label: entrant for entrant, label in labels.items()}
    differences = {rank.agent: rank for rank in results.ranking}
    roles = list(dict.fromkeys(rated.role for rated in results.ratings if rated.role is not None))
    rows = []
    for rated in results.ratings:
        if rated.role is None:
            entrant = by_label[rated.agent]
            rows.append(
                Row(
                    agent=entrant.source,
                    version=entrant.version,
                    is_current=entrant in current,
                    rating=rated,
                    by_role=[r for r in results.ratings if r.agent == rated.agent and r.role],
                    difference=differences[rated.agent],
                    opponents=len(met[entrant]),
                    last_played=max(_played_on(path) for path in met[entrant]),
                )
            )
    options = " ".join(format_option(*item) for item in results.options.items())
    title = " ".join(filter(None, [ladder.game, options]))
    return Standing(title=title, roles=roles, rows=rows, results=results)


def _entrants(run: Run) -> list[Entrant]:
    settings = run.settings
    return [
        entrant_of(source, settings["files"], settings["version"]) for source in settings["agents"]
    ]


def _label(entrant: Entrant, current: Sequence[Entrant]) -> str:
    """What an agent is called; `random` as it is now anchors the ratings."""
    return entrant.source if entrant in current else f"{entrant.source} ({entrant.version})"


def _played_on(folder: Path) -> date:
    return date.fromtimestamp((folder / FILE_NAME).stat().st_mtime)


def _merge(
    runs: Mapping[Path, Run],
    pairs: Mapping[Path, Sequence[Entrant]],
    labels: Mapping[Entrant, str],
) -> Run:
    """One run of all agents that were ever on a ladder, made of those of its pairs."""
    settings = next(iter(runs.values())).settings
    groups = [
        replace(run.groups[0], agents=[labels[entrant] for entrant in pairs[path]])
        for path, run in runs.items()
    ]
    return Run(settings=settings | {"names": list(labels.values())}, groups=groups)


def format_rows(standing: Standing) -> tuple[list[str], list[list[str]]]:
    """A ladder as a table of texts: titles and rows."""
    titles = ["", "agent", "rating", *standing.roles, "difference", "met", "version", "last played"]
    rows = []
    for place, row in enumerate(standing.rows, 1):
        name = row.agent if row.is_current else f"{row.agent} (before)"
        ratings = [format_rating(rated) for rated in (row.rating, *row.by_role)]
        difference = format_difference(row.difference)
        ends = [str(row.opponents), row.version, row.last_played.isoformat()]
        rows.append([str(place), name, *ratings, difference, *ends])
    return titles, rows


def describe(standing: Standing) -> str:
    """What a ladder's table is of."""
    results = standing.results
    return (
        f"{results.deals:,} deals of {results.games_per_deal} games a pair, seed {results.seed}, "
        f"game version {results.game_version}. Ratings are in Elo's points; the difference is the "
        "mean payoff minus that of the others, a seat and deal; intervals are 95 %, over deals."
    )


def format_markdown(standings: Sequence[Standing]) -> str:
    """Ladders as a Markdown text."""
    lines = ["# Ladders"]
    for standing in standings:
        titles, rows = format_rows(standing)
        lines += ["", f"## {standing.title}", "", describe(standing), ""]
        for cells in (titles, ["---"] * len(titles), *rows):
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def format_page(standings: Sequence[Standing]) -> str:
    """Ladders as a page."""
    from eval.figures import draw_ranking, to_svg  # matplotlib takes long to import

    parts = []
    for number, standing in enumerate(standings, 1):
        title = f"Ladder {number}: {standing.title}"
        svg = to_svg(partial(draw_ranking, standing.results), title, describe(standing))
        parts.append((standing.title, describe(standing), svg, *format_rows(standing)))
    return render(TEMPLATE, ladders=parts)


def print_standing(standing: Standing) -> None:
    """Print a ladder, without versions and dates, which its files have."""
    console = Console(highlight=False)
    console.print(Text(f"\n{standing.title}", "bold"))
    titles, rows = format_rows(standing)
    table = Table(box=None)
    for title in titles[:-2]:
        right = title not in ("", "agent")
        table.add_column(title, justify="right" if right else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row[:-2]))
    console.print(table)


def run(config: LeaderboardConfig) -> int:
    """Play what is missing, print and write the tables; returns the exit status.

    Raises:
        JipaeError: the file is none of ladders, or a tournament cannot be played.
    """
    out, ladders = read_ladders(config.file)
    standings = []
    for ladder in ladders:
        for missing in missing_runs(out, ladder, config.workers):
            for results, _ in play_all(missing, progress_bar):
                if results.interrupted:
                    return INTERRUPTED
        standings.append(stand(out, ladder))
        print_standing(standings[-1])
    write_whole(out / MARKDOWN_NAME, format_markdown(standings))
    print(f"\nladders in {write_whole(out / PAGE_NAME, format_page(standings))}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    program = "python -m eval.leaderboard"
    return run_program(LeaderboardConfig, program, run, argv, positional="file")


if __name__ == "__main__":
    sys.exit(main())
