"""The report of a run as one file for a browser: `python -m eval.report RUN`.

`report.html` needs nothing from elsewhere and no script. It is made of the run's folder alone, by
every tournament at its end and by this program again.
"""

import importlib.metadata
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envs.core.cli import run_program
from envs.core.errors import RulesError
from envs.core.rules import check_types
from eval.results import Results, write_whole
from eval.store import FILE_NAME as RUN_NAME
from eval.store import Run, load_run
from eval.summary import is_unfinished, summarize
from eval.terminal import (
    FAULTS,
    describe_precision,
    format_controlled,
    format_difference,
    format_p,
    format_rate,
    format_rating,
    is_narrowed,
    short_names,
)

FILE_NAME = "report.html"
TEMPLATE = "report.html.jinja"
LIBRARIES = ("numpy", "numba", "scipy")
"""Whose versions the report names: results may depend on them."""


@dataclass(frozen=True, kw_only=True)
class ReportConfig:
    """Make the report of a tournament's run again: python -m eval.report RUN."""

    run: str = ""
    """Folder of the run, or of several games' runs, as a tournament's out named it."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, and no folder."""
        check_types(self)
        if not self.run:
            raise RulesError("the folder of a run is needed")


def save_report(results: Results, run: Run, folder: Path) -> Path:
    """Write `report.html` into a folder that exists: all of it, or nothing. Returns its path."""
    return write_whole(folder / FILE_NAME, format_report(results, run))


def format_report(results: Results, run: Run) -> str:
    """The report as a page."""
    from eval.figures import draw_all  # matplotlib and Jinja2 take long to import

    ratings = {rated.agent: rated for rated in results.ratings if rated.role is None}
    return render(
        TEMPLATE,
        results=results,
        shown=short_names(results.agents),
        figures={figure.title: figure for figure in draw_all(results, run)},
        ratings=ratings,
        role_ratings={(rated.agent, rated.role): rated for rated in results.ratings},
        roles=list(dict.fromkeys(part.part for part in results.by_role)),
        narrowed=[pair for pair in results.pairs if is_narrowed(pair)],
        faults=FAULTS,
        lost={(failure.agent, failure.kind): failure.games for failure in results.failures},
        command=repeat_command(run.settings),
        settings=run.settings,
        versions=_versions(),
    )


def render(template: str, **values: Any) -> str:
    """A page made of a file in `templates/`, in which texts are escaped."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("eval"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    forms = (format_controlled, format_difference, format_p, format_rate, format_rating)
    environment.filters |= {form.__name__.removeprefix("format_"): form for form in forms}
    environment.filters["precision"] = describe_precision
    return environment.get_template(template).render(**values)


def repeat_command(settings: dict[str, Any]) -> str:
    """The command that plays the same deals again, and comes to the same results."""
    words = ["python", "-m", "eval.tournament", "--game", settings["game"]]
    words += ["--agents", *settings["agents"], "--deals", str(settings["deals"])]
    words += ["--seed", str(settings["seed"]), "--batch-size", str(settings["batch_size"])]
    if settings["options"]:
        words += ["--set", *(format_option(*item) for item in settings["options"].items())]
    if settings["until_half_width"] is not None:
        words += ["--until-half-width", str(settings["until_half_width"])]
    words += [f"--{name}" for name in ("control", "records") if settings[name]]
    return shlex.join([*words, "--out", "runs/again"])


def format_option(name: str, value: Any) -> str:
    """An option of a game as a command line has it: `max_bombs=2`, `ante=1,2`."""
    words = {None: "none", True: "true", False: "false"}
    if isinstance(value, tuple | list):
        return f"{name}={','.join(map(str, value))}"
    return f"{name}={words[value] if value is None or isinstance(value, bool) else value}"


def _versions() -> dict[str, str]:
    """Versions of what made the report."""
    found = {name: importlib.metadata.version(name) for name in LIBRARIES}
    return {"Python": platform.python_version(), **found}


def find_runs(folder: Path) -> list[Path]:
    """The folder itself, or those in it that hold the runs of several games."""
    within = sorted(path.parent for path in folder.glob(f"*/{RUN_NAME}"))
    return [folder] if (folder / RUN_NAME).is_file() or not within else within


def make_reports(config: ReportConfig) -> int:
    """Make the reports of all runs of a folder; returns the exit status.

    Raises:
        RulesError: there is no run.
    """
    for folder in find_runs(Path(config.run)):
        run = load_run(folder)
        results = summarize(run, interrupted=is_unfinished(run), duration_s=0.0)
        print(f"report in {save_report(results, run, folder)}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    return run_program(ReportConfig, "python -m eval.report", make_reports, argv, positional="run")


if __name__ == "__main__":
    sys.exit(main())
