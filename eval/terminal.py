"""A tournament on the terminal: a progress bar while it runs, tables at its end."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from agents.roster import SEARCHES
from eval.contest import Contest
from eval.match import OnEnded
from eval.results import Failure, Pair, PartRate, Rank, Rated, Results, Weight

COLUMNS = 3  # opponents side by side in a cross-table of 80 columns
NOTHING = "-"
LEAST_P = 0.001
FAULTS = {
    "raised": "raised an error",
    "illegal": "played illegally",
    "nonsense": "answered with nonsense",
    "timeout": "ran out of time",
    "crashed": "crashed",
}
"""What an agent did that lost it a game, by `eval.referee.FaultKind`."""


def new_progress(console: Console, *, transient: bool = False) -> Progress:
    """A bar for long work, whose task says in `done` what is done; on a terminal only."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(20),
        TextColumn("{task.fields[done]}"),
        TimeRemainingColumn(),
        console=console,
        transient=transient,
        disable=not console.is_terminal,
    )


@contextmanager
def progress_bar(contest: Contest, games: int) -> Iterator[OnEnded]:
    """Show deals done, games a second and the time left, on a terminal only; `games` were done
    before.
    """
    games_per_deal = sum(group.games for group in contest.groups)
    started = time.monotonic()
    ended = games
    with new_progress(Console(stderr=True), transient=True) as progress:
        total = contest.deals * games_per_deal
        task = progress.add_task(contest.game.title, total=total, completed=games, done="")

        def on_ended(num: int) -> None:
            nonlocal ended
            ended += num
            pace = (ended - games) / (time.monotonic() - started)
            done = f"{ended // games_per_deal:,}/{contest.deals:,} deals, {pace:,.0f} games/s"
            progress.update(task, completed=ended, done=done)

        yield on_ended


def print_results(results: Results, path: Path | None, console: Console | None = None) -> None:
    """Print cross-table, ranking, the faults of agents and the settings; `path` is the file."""
    console = console or Console(highlight=False)
    shown = short_names(results.agents)
    console.print(Text(f"\n{results.game}: {_describe_settings(results)}", "bold"))
    if results.interrupted:
        done = results.ranking[0].deals
        console.print(Text(f"Stopped early: every pair finished {done:,} deals.", "bold red"))
    console.print("Mean payoff of the row minus that of the column, and win rate in %,")
    console.print("per seat and deal, with 95 % intervals over deals; p is how likely so large")
    console.print("a difference is between equals (sign-flip test, Holm's correction)")
    for first in range(0, len(results.agents), COLUMNS):
        console.print(_cross_table(results, results.agents[first : first + COLUMNS], shown))
    _print_controlled(results, shown, console)
    console.print("Ranking, by the mean difference to all others; the rating is in Elo's points")
    console.print(_ranking_table(results, results.ranking, shown))
    if results.together:
        console.print("All at one table, each against the mean of the others")
        console.print(_ranking_table(results, results.together, shown))
    if results.by_role:
        console.print("By role, pair by pair: win rate of the agent's side in %, and rating")
        console.print(_role_table(results, shown))
    if results.weights:
        console.print("If better agents take over: who is left, of those that beat each other")
        console.print(_weight_table(results.weights, shown))
    console.print(describe_precision(results))
    for failure in results.failures:
        console.print(Text(_describe_failure(failure), "red"))
    console.print(f"{results.duration_s:.1f} s, jipae {results.version}")
    if path is not None:
        console.print(Text(f"results in {path}"))


def short_names(names: list[str]) -> dict[str, str]:
    """The class alone of agents named `file.py:Class`, where that says which agent is meant.

    Searches keep their names: what follows are settings.
    """
    short = [
        name if name.partition(":")[0] in SEARCHES else name.rpartition(":")[2] for name in names
    ]
    return {
        name: own if short.count(own) == 1 else name for name, own in zip(names, short, strict=True)
    }


def _describe_settings(results: Results) -> str:
    options = [f"{name}={value}" for name, value in results.options.items()]
    games = f"{results.deals:,} deals of {results.games_per_deal} games"
    return ", ".join([games, f"seed {results.seed}", *options])


def _cross_table(results: Results, opponents: list[str], shown: dict[str, str]) -> Table:
    """All agents, one a row, against some opponents."""
    pairs = {(pair.a, pair.b): pair for pair in results.pairs}
    pairs |= {(pair.b, pair.a): pair.reversed() for pair in results.pairs}
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    for opponent in opponents:
        table.add_column(Text(shown[opponent]), justify="right", overflow="fold")
    for agent in results.agents:
        cells = [_cell(pairs.get((agent, opponent))) for opponent in opponents]
        table.add_row(Text(shown[agent]), *cells)
    return table


def _cell(pair: Pair | None) -> Text:
    if pair is None:
        return Text(NOTHING)
    return Text(f"{format_difference(pair)}\n{format_rate(pair)}\n{format_p(pair.p_holm)}")


def _print_controlled(results: Results, shown: dict[str, str], console: Console) -> None:
    """The intervals that control variates make narrower."""
    narrower = [pair for pair in results.pairs if is_narrowed(pair)]
    if narrower:
        console.print("Differences with control variates, where that narrows the interval")
    for pair in narrower:
        console.print(Text(f"  {shown[pair.a]} - {shown[pair.b]}: {format_controlled(pair)}"))


def _new_table(*titles: str) -> Table:
    """A table whose first column is of agents."""
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("agent", overflow="fold")
    for title in titles:
        table.add_column(title, justify="right")
    return table


def _ranking_table(results: Results, ranking: list[Rank], shown: dict[str, str]) -> Table:
    ratings = {rated.agent: rated for rated in results.ratings if rated.role is None}
    has_ratings = bool(ratings) and ranking is results.ranking
    table = _new_table("difference", "win rate in %", *["rating"] * has_ratings)
    for rank in ranking:
        cells = [format_difference(rank), format_rate(rank)]
        if has_ratings:
            cells.append(format_rating(ratings[rank.agent]))
        table.add_row(Text(shown[rank.agent]), *map(Text, cells))
    return table


def _role_table(results: Results, shown: dict[str, str]) -> Table:
    rates = {(part.agent, part.part): part for part in results.by_role}
    ratings = {(rated.agent, rated.role): rated for rated in results.ratings}
    roles = list(dict.fromkeys(part.part for part in results.by_role))
    table = _new_table(*roles)
    for rank in results.ranking:
        cells = []
        for role in roles:
            rating = ratings.get((rank.agent, role))
            points = format_rating(rating) if rating is not None else NOTHING
            cells.append(Text(f"{format_rate(rates[rank.agent, role])}\n{points}"))
        table.add_row(Text(shown[rank.agent]), *cells)
    return table


def _weight_table(weights: list[Weight], shown: dict[str, str]) -> Table:
    table = _new_table("alpha-rank", "Nash weight", "gain against it")
    for weight in weights:
        shares = (f"{share:.3f}" for share in (weight.alpha_rank, weight.nash_weight))
        table.add_row(Text(shown[weight.agent]), *shares, f"{weight.nash_gain:+.2f}")
    return table


def format_difference(found: Pair | Rank) -> str:
    """A mean difference and its interval, to two digits of the interval: `+1.24 ± 0.31`."""
    return _format_mean(found.mean_diff, [found.ci_low, found.ci_high])


def format_controlled(pair: Pair) -> str:
    """A mean difference with control variates and its interval."""
    return _format_mean(pair.mean_diff_controlled, pair.controlled_ci)


def is_narrowed(pair: Pair) -> bool:
    """Whether control variates make the interval of a mean difference narrower."""
    (low, high), (plain_low, plain_high) = pair.controlled_ci, (pair.ci_low, pair.ci_high)
    if low is None or high is None or plain_low is None or plain_high is None:
        return False
    return high - low < plain_high - plain_low


def _format_mean(mean: float | None, interval: list[float | None]) -> str:
    low, high = interval
    if mean is None:
        return NOTHING
    if low is None or high is None:
        return f"{mean:+.2f} ± ?"
    reach = (high - low) / 2
    digits = min(max(1 - math.floor(math.log10(reach)), 0), 6) if reach > 0 else 2
    return f"{mean:+.{digits}f} ± {reach:.{digits}f}"


def format_rate(found: Pair | Rank | PartRate) -> str:
    """A win rate and its interval in percent: `61.2 [59.8, 62.6]`."""
    low, high = found.win_rate_ci
    if found.win_rate is None:
        return NOTHING
    if low is None or high is None:
        return f"{100 * found.win_rate:.1f} [?, ?]"
    return f"{100 * found.win_rate:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def format_rating(rated: Rated) -> str:
    """A rating and its interval: `+212 [198, 227]`."""
    low, high = rated.rating_ci
    if rated.rating is None or low is None or high is None:
        return NOTHING
    if rated.rating == low == high:
        return "0"
    return f"{round(rated.rating):+d} [{round(low)}, {round(high)}]"


def format_p(p: float | None) -> str:
    """A p-value: `p = 0.012`, `p < 0.001`."""
    if p is None:
        return NOTHING
    return f"p = {p:.3f}" if p >= LEAST_P else f"p < {LEAST_P}"


def describe_precision(results: Results) -> str:
    """How well the win rates are known, and what it would take to know them well enough."""
    played = max((pair.deals for pair in results.pairs), default=0)
    needed = [pair.deals_wanted for pair in results.pairs if pair.deals_wanted is not None]
    wanted = f"± {100 * results.wanted_half_width:g} %"
    if len(needed) < len(results.pairs):
        return "Two deals or more would tell how many it takes to know the win rates well."
    if max(needed) <= played:
        return f"All win rates are known to {wanted} after {played:,} deals."
    return f"To know all win rates to {wanted} would take about {max(needed):,} deals."


def _describe_failure(failure: Failure) -> str:
    return (
        f"{failure.agent} lost {failure.games:,} games because it {FAULTS[failure.kind]}; "
        f"first in deal {failure.first_deal}: {failure.first_message}"
    )
