"""What a tournament found: plain data, and the files that hold it.

One `results.json` is one game's tournament. Its keys are the fields of `Results`, and in its lists
those of `Pair`, `Rank` and the other classes here. They stay as they are; new ones may be added.
Intervals are 95 %, over deals; numbers that fewer than two deals leave open are null. `results.csv`
has a row for each pair.
"""

import csv
import dataclasses
import importlib.metadata
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE_NAME = "results.json"
TABLE_NAME = "results.csv"


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two agents against each other, seen from `a`."""

    a: str
    b: str
    deals: int
    """Deals they finished."""
    mean_diff: float | None
    """Mean payoff of `a` minus that of `b`, per seat and deal."""
    ci_low: float | None
    ci_high: float | None
    win_rate: float | None
    """Share of games that the side of `a` won; where there are no sides, in which the seats of
    `a` did better on average. Ties count half."""
    win_rate_ci: list[float | None]
    p_value: float | None
    """How likely so large a difference is between equal agents: sign-flip test over deals."""
    p_holm: float | None
    """The same, corrected by Holm for the number of pairs."""
    deals_wanted: int | None
    """About how many deals would narrow the win rate's interval to `Results.wanted_half_width`."""
    mean_diff_controlled: float | None
    """The mean difference with control variates (`eval.variance`); null unless they are wanted."""
    controlled_ci: list[float | None]

    def reversed(self) -> "Pair":
        """The same, seen from `b`."""
        low, high = self.win_rate_ci
        controlled_low, controlled_high = self.controlled_ci
        return Pair(
            a=self.b,
            b=self.a,
            deals=self.deals,
            mean_diff=_minus(0.0, self.mean_diff),
            ci_low=_minus(0.0, self.ci_high),
            ci_high=_minus(0.0, self.ci_low),
            win_rate=_minus(1.0, self.win_rate),
            win_rate_ci=[_minus(1.0, high), _minus(1.0, low)],
            p_value=self.p_value,
            p_holm=self.p_holm,
            deals_wanted=self.deals_wanted,
            mean_diff_controlled=_minus(0.0, self.mean_diff_controlled),
            controlled_ci=[_minus(0.0, controlled_high), _minus(0.0, controlled_low)],
        )


def _minus(whole: float, value: float | None) -> float | None:
    return None if value is None else whole - value


@dataclass(frozen=True, kw_only=True)
class Rank:
    """An agent against all others, pair by pair or at one table; see `Pair`.

    At one table the difference is to the mean of the others, and a game is won by who did best.
    """

    agent: str
    deals: int
    mean_diff: float | None
    ci_low: float | None
    ci_high: float | None
    win_rate: float | None
    win_rate_ci: list[float | None]


@dataclass(frozen=True, kw_only=True)
class Rated:
    """An agent's rating, from all games (`eval.ratings`): 400 points more are ten wins for a loss.

    The agent `random` has 0; without it the mean of all agents is 0.
    """

    agent: str
    role: str | None
    """As which it is rated; null over all its roles."""
    rating: float | None
    rating_ci: list[float | None]


@dataclass(frozen=True, kw_only=True)
class PartRate:
    """How often an agent won in some of its games against the others, pair by pair.

    A game is won by the best side or, where nobody has a partner, by the best seat; ties are
    shared.
    """

    agent: str
    part: str
    """A role, or `seat 0` and so on."""
    deals: int
    """Deals in which there were such games."""
    win_rate: float | None
    win_rate_ci: list[float | None]


@dataclass(frozen=True, kw_only=True)
class Weight:
    """What is left of an agent where agents beat each other in circles (`eval.cycles`), by the
    mean differences of the pairs as they were found."""

    agent: str
    alpha_rank: float
    """Share of the time in which all play as this agent does if better ones take over."""
    nash_weight: float
    """Its share of the mixture of agents that none does better against."""
    nash_gain: float
    """Its mean difference to that mixture, 0 at most."""


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Games that an agent lost because of one kind of foul answer."""

    agent: str
    kind: str
    """One of `eval.referee.FaultKind`."""
    games: int
    first_deal: int
    """Number of the first deal in which it happened, from 0."""
    first_message: str


@dataclass(frozen=True, kw_only=True)
class Results:
    """One game's tournament."""

    game: str
    game_version: int
    options: dict[str, Any]
    """Those that differ from the defaults of this version of the game."""
    seed: int
    deals: int
    """Deals that were to be played, at most."""
    games_per_deal: int
    """Games a pair plays of each deal: one for each assignment to the seats."""
    agents: list[str]
    """As named; an agent named again is told apart by a number: `rule`, `rule#2`."""
    pairs: list[Pair]
    ranking: list[Rank]
    """Over the deals that every pair finished, best first."""
    together: list[Rank]
    """All agents at one table, best first; empty where that is the pair, or they are too many for
    the seats, or where partners are fixed."""
    ratings: list[Rated]
    """Best first: each agent's over all its roles, then in each if there are several."""
    by_role: list[PartRate]
    """Empty where there is one role."""
    by_seat: list[PartRate]
    weights: list[Weight]
    """Empty of two agents."""
    failures: list[Failure]
    until_half_width: float | None
    """Half-width of all pairs' win rates at which no more deals were to be played."""
    wanted_half_width: float
    """What `Pair.deals_wanted` is for."""
    interrupted: bool
    """Whether it was stopped before all deals were played that were to be."""
    duration_s: float
    """Of the last run; all else is the same however often it was stopped and gone on with."""
    version: str
    """Of this package."""


def package_version() -> str:
    """The version of this package as installed, or "unknown"."""
    try:
        return importlib.metadata.version("jipae")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def save_results(results: Results, folder: Path) -> Path:
    """Write `results.json` and `results.csv` into a folder that exists: all of each, or nothing.

    Returns the path of `results.json`.
    """
    write_whole(folder / TABLE_NAME, _pairs_table(results))
    return write_whole(folder / FILE_NAME, json.dumps(dataclasses.asdict(results), indent=2) + "\n")


def write_whole(path: Path, text: str) -> Path:
    """Write a file: all of it, or nothing. Returns its path."""
    partial = path.with_suffix(".tmp")
    partial.write_text(text, "utf-8")
    os.replace(partial, path)
    return path


def _pairs_table(results: Results) -> str:
    """The pairs as CSV: their fields, each interval as two; None is nothing."""
    text = io.StringIO()
    rows = []
    for pair in results.pairs:
        row: dict[str, Any] = {"game": results.game}
        for name, value in dataclasses.asdict(pair).items():
            if name.endswith("_ci"):
                part = name.removesuffix("_ci")
                row[f"{part}_low"], row[f"{part}_high"] = value
            else:
                row[name] = value
        rows.append(row)
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
