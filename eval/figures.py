"""Figures of a tournament as SVG, to be put into a page: readable in print and without colour.

Every figure has a title and a description for those who cannot see it. Texts stay texts, in the
reader's own font. The same results give the same bytes.
"""

import io
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from envs.core.game import Array
from eval.results import PartRate, Rated, Results
from eval.statistics import t_quantile
from eval.store import Run
from eval.terminal import short_names

WIDTH = 6.0
"""Of a figure, in inches; a page scales it to its own."""
COLUMNS = 2
"""Panels side by side, few enough for a phone."""
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # by which texts are measured; the page falls back
    "font.size": 10,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "svg.fonttype": "none",
    "text.parse_math": False,  # names may hold dollars
}
INK, BAND = "#1b4965", "#9fc3d8"
MARKERS = "osD^vP*X<>"
"""Tell agents or roles apart where colours do not."""
SHOWN = (0.005, 0.995)
"""Quantiles between which payoffs are drawn: a few huge ones would hide the others."""
MOST_BINS = 41
FEWEST = 10
"""Deals before the running mean is drawn: the intervals of fewer would dwarf all others."""
POINTS = 200
"""Of the running mean, at most."""


class Drawing(NamedTuple):
    """A figure on the page."""

    title: str
    caption: str
    svg: Markup


def draw_all(results: Results, run: Run) -> list[Drawing]:
    """All figures of a run that has finished a deal or more; empty before."""
    if not results.ranking or not results.ranking[0].deals:
        return []
    figures: list[tuple[str, str, Callable[[], Figure]]] = [
        (
            "Ranking",
            "Mean payoff minus that of the others, per seat and deal, and rating in Elo's points; "
            "bars are 95 % intervals.",
            lambda: draw_ranking(results),
        ),
        (
            "Cross-table",
            "Mean payoff of the row's agent minus that of the column's; below it the row's win "
            "rate.",
            lambda: draw_cross_table(results),
        ),
        (
            "Payoffs",
            "Share of an agent's seats in games against each other agent that brought a payoff; "
            f"{_percent(1 - SHOWN[1])} at each end are left out. The line is the mean of all.",
            lambda: draw_payoffs(run),
        ),
        (
            "Win rates by role and seat",
            "How often the agent's side or, where nobody has a partner, its seat did best; ties "
            "are shared. Bars are 95 % intervals.",
            lambda: draw_parts(results),
        ),
        (
            "Results over deals",
            "Mean difference to the others after so many deals, with its 95 % interval: does it "
            "converge?",
            lambda: draw_convergence(results, run),
        ),
    ]
    return [
        Drawing(title, caption, to_svg(draw, title, caption)) for title, caption, draw in figures
    ]


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def to_svg(draw: Callable[[], Figure], title: str, description: str) -> Markup:
    """What is drawn as an element of a page, that needs nothing from elsewhere.

    Its ids begin with the title, as all of a page have to differ.
    """
    name = re.sub(r"\W+", "-", title.lower())
    file = io.StringIO()
    with mpl.rc_context(STYLE | {"svg.hashsalt": name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # the reader has them
        draw().savefig(file, format="svg", metadata={"Date": None})
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r"(?<=[\s\"(#])(id=\"|xlink:href=\"#|url\(#)", rf"\g<1>{name}-", svg)
    view = re.search(r'viewBox="([^"]*)"', svg)
    assert view is not None  # noqa: S101 - matplotlib writes one
    head = (
        f'<svg viewBox="{view[1]}" role="img" aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-text">{escape(description)}</desc>'
    )
    return Markup(head + svg[svg.index(">") + 1 :])  # noqa: S704 - matplotlib escapes texts


def _new_figure(height: float, rows: int = 1, columns: int = 1, **options: Any) -> tuple[Any, Any]:
    """A figure and its axes [rows, columns], without any state of pyplot's."""
    figure = Figure((WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def _panels(num: int, height: float, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure of so many panels, and their axes."""
    columns = min(num, COLUMNS)
    rows = math.ceil(num / columns)
    figure, axes = _new_figure(height * rows + 0.3, rows, columns, **options)
    for unused in axes.flat[num:]:
        unused.remove()
    return figure, list(axes.flat[:num])


def _dots(axes: Axes, found: Iterable[tuple[float | None, Sequence[float | None]]]) -> None:
    """Values with their intervals, one a line, from the top down; what is open is left out."""
    for line, (value, interval) in enumerate(found):
        low, high = (value if end is None else end for end in interval)
        if value is not None and low is not None and high is not None:
            axes.plot([low, high], [line, line], color=INK, linewidth=1.5)
            axes.plot([low, high], [line, line], "|", color=INK, markersize=8)
            axes.plot(value, line, "o", color=INK, markersize=6)
    axes.grid(axis="x", linewidth=0.4)


def draw_ranking(results: Results) -> Figure:
    """Agents from the best down, by mean difference and by rating."""
    shown = short_names(results.agents)
    figure, axes = _new_figure(0.9 + 0.4 * len(results.agents), 1, 2, sharey=True)
    difference, rating = axes[0]
    ranking = results.ranking
    _dots(difference, [(rank.mean_diff, (rank.ci_low, rank.ci_high)) for rank in ranking])
    difference.set_yticks(range(len(ranking)), [shown[rank.agent] for rank in ranking])
    difference.set_ylim(len(ranking) - 0.5, -0.5)
    difference.axvline(0, color="black", linewidth=0.8)
    difference.set_xlabel("mean difference")
    ratings: dict[str, Rated] = {r.agent: r for r in results.ratings if r.role is None}
    _dots(rating, [(ratings[r.agent].rating, ratings[r.agent].rating_ci) for r in ranking])
    rating.set_xlabel("rating")
    return figure  # type: ignore[no-any-return]


def draw_cross_table(results: Results) -> Figure:
    """Every agent against every other: numbers, on a ground that is darker for larger ones."""
    shown, num = short_names(results.agents), len(results.agents)
    order = [rank.agent for rank in results.ranking]
    table = np.full((num, num), np.nan)
    rates = np.full((num, num), np.nan)
    for pair in results.pairs:
        for found in (pair, pair.reversed()):
            a, b = order.index(found.a), order.index(found.b)
            table[a, b] = np.nan if found.mean_diff is None else found.mean_diff
            rates[a, b] = np.nan if found.win_rate is None else found.win_rate
    figure, axes = _new_figure(1.2 + 0.55 * num)
    grid = axes[0, 0]
    most = max(float(np.nanmax(np.abs(table))), 1e-9)
    edges = np.arange(num + 1) - 0.5
    ground = np.ma.masked_invalid(table)
    grid.pcolormesh(edges, edges, ground, cmap="PuOr", vmin=-2 * most, vmax=2 * most)
    grid.invert_yaxis()
    for row, column in np.argwhere(~np.isnan(table)).tolist():
        text = f"{table[row, column]:+.3g}\n{100 * rates[row, column]:.1f} %"
        grid.text(column, row, text, ha="center", va="center", fontsize=max(10 - num // 3, 6))
    for place in range(num):
        grid.text(place, place, "–", ha="center", va="center")
    names = [shown[name] for name in order]
    grid.set_yticks(range(num), names)
    is_long = sum(map(len, names)) > 60
    grid.set_xticks(
        range(num), names, rotation=30 if is_long else 0, ha="left" if is_long else "center"
    )
    grid.xaxis.tick_top()
    grid.set_xticks(edges, minor=True)
    grid.set_yticks(edges, minor=True)
    grid.grid(which="minor", color="black", linewidth=0.5)
    grid.tick_params(which="both", length=0)
    grid.spines[:].set_visible(False)
    return figure  # type: ignore[no-any-return]


def draw_payoffs(run: Run) -> Figure:
    """What an agent's seats got in the games against one other agent."""
    names: list[str] = run.settings["names"]
    payoffs: dict[str, list[Array]] = {name: [] for name in names}
    for group in run.groups:
        if len(group.agents) == 2:
            for place, name in enumerate(group.agents):
                own = group.outcome.seating == place
                payoffs[name].append(group.outcome.payoffs[own])
    by_agent = {name: np.concatenate(found) for name, found in payoffs.items()}
    every = np.concatenate(list(by_agent.values()))
    low, high = (float(end) for end in np.quantile(every, SHOWN))
    bins = _bins(low, high)
    shown = short_names(names)
    figure, axes = _panels(len(names), 1.6, sharex=True, sharey=True)
    for panel, (name, found) in zip(axes, by_agent.items(), strict=True):
        counts, _ = np.histogram(found, bins)
        panel.stairs(100 * counts / max(len(found), 1), bins, fill=True, color=BAND)
        panel.stairs(100 * counts / max(len(found), 1), bins, color=INK, linewidth=0.8)
        panel.axvline(float(found.mean()), color="black", linewidth=1.2)
        panel.set_title(f"{shown[name]}: mean {found.mean():+.3g}", fontsize=10)
        panel.set_ylabel("% of seats")
        panel.tick_params(labelbottom=True)
    return figure


def _bins(low: float, high: float) -> Array:
    """Borders of the bins of whole numbers: every bin holds equally many of them."""
    width = max(math.ceil((high - low + 1) / MOST_BINS), 1)
    first = math.floor(low / width) * width  # so that 0 begins a bin
    return np.arange(first, high + width + 1, width) - 0.5


def draw_parts(results: Results) -> Figure:
    """Win rates in each role, if there are several, and at each seat."""
    shown = short_names(results.agents)
    parts = [found for found in (results.by_role, results.by_seat) if found]
    lines = max(len(found) for found in parts)
    figure, axes = _panels(len(parts), 1.2 + max(0.13 * lines, 0.4 * len(results.agents)))
    order = [rank.agent for rank in results.ranking]
    for panel, rates in zip(axes, parts, strict=True):
        _draw_rates(panel, rates, order)
        panel.set_yticks(range(len(order)), [shown[name] for name in order])
        panel.set_ylim(len(order) - 0.5, -0.5)
        panel.set_xlabel("win rate in %")
        panel.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    return figure


def _draw_rates(panel: Axes, rates: list[PartRate], order: list[str]) -> None:
    """A line for each agent, on it a marker for each part."""
    titles = list(dict.fromkeys(rate.part for rate in rates))
    for number, title in enumerate(titles):
        own = {rate.agent: rate for rate in rates if rate.part == title}
        offset = (number - (len(titles) - 1) / 2) * 0.6 / len(titles)
        places, values = [], []
        for line, name in enumerate(order):
            rate = own[name]
            low, high = rate.win_rate_ci
            if rate.win_rate is not None:
                places.append(line + offset)
                values.append(100 * rate.win_rate)
                if low is not None and high is not None:
                    panel.plot([100 * low, 100 * high], [line + offset] * 2, color=INK, linewidth=1)
        marker = MARKERS[number % len(MARKERS)]
        panel.plot(values, places, marker, color=INK, label=title, markersize=5, linestyle="none")
    panel.grid(axis="x", linewidth=0.4)


def draw_convergence(results: Results, run: Run) -> Figure:
    """Each agent's mean difference to the others, as more and more deals are counted."""
    shown, deals = short_names(results.agents), results.ranking[0].deals
    figure, axes = _panels(len(results.agents), 1.7, sharex=True)
    for panel, name in zip(axes, results.agents, strict=True):
        own = [
            group.outcome.differences(group.agents.index(name))[:deals]
            for group in run.groups
            if len(group.agents) == 2 and name in group.agents
        ]
        _draw_running_mean(panel, np.mean(own, axis=0))
        panel.set_title(shown[name], fontsize=10)
        panel.set_ylabel("difference")
        panel.set_xlabel("deals")
        panel.tick_params(labelbottom=True)
    return figure


def _draw_running_mean(panel: Axes, differences: Array) -> None:
    num = np.arange(1, len(differences) + 1)
    mean = np.cumsum(differences) / num
    squares = np.maximum(np.cumsum(differences**2) / num - mean**2, 0)
    chosen = np.unique(np.geomspace(min(FEWEST, len(num)), len(num), POINTS).astype(int)) - 1
    panel.axhline(0, color="black", linewidth=0.8)
    panel.plot(num[chosen], mean[chosen], color=INK, marker="" if len(chosen) > 1 else "o")
    if len(num) > 1:
        later = chosen[num[chosen] > 1]
        reach = np.sqrt(squares[later] / (num[later] - 1))
        reach *= [t_quantile(int(deals) - 1) for deals in num[later]]
        panel.fill_between(
            num[later], mean[later] - reach, mean[later] + reach, color=BAND, linewidth=0
        )
    if len(num) > 10 * FEWEST:
        panel.set_xscale("log")
    else:
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.grid(linewidth=0.4)
