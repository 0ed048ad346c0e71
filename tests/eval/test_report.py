"""The report as a page: what stands in it, what it needs, that it can be made again."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import envs
from envs.core.cli import parse_config
from eval.report import format_report, main
from eval.store import Run, load_run
from eval.summary import is_unfinished, summarize
from eval.tournament import TournamentConfig, prepare, run_tournament
from eval.workers import Worker
from tests.eval.test_match import SIDED

LAST, MOODY, RAISES = (f"tests.eval.bots:{name}" for name in ("Last", "Moody", "Raises"))
FIGURES = [
    "Ranking",
    "Cross-table",
    "Payoffs",
    "Win rates by role and seat",
    "Results over deals",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module", autouse=True)
def only_the_toy() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
        yield


def play(out: Path, **settings: Any) -> Path:
    usual = {"agents": ["random", LAST, RAISES], "deals": 30, "batch_size": 100, "seed": 3}
    run_tournament(TournamentConfig(**usual | settings, out=str(out)))
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("run"), set=["hands=1"])


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = Counter[str]()
        self.titles: list[str] = []
        """Of figures, each within its `svg`."""
        self.ids: list[str] = []
        self.references: list[str] = []
        self.words: list[str] = []
        self.drawn: list[str] = []
        """Words in figures."""
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self._open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "action", "data"):
                self.references.append(value or "")
            self.references += re.findall(r"url\(([^)]*)\)", value or "")

    def handle_endtag(self, tag: str) -> None:
        while self._open.pop() != tag:  # tags without an end, such as meta
            pass

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._open[-2:] == ["svg", "title"]:
            self.titles.append(data)
        elif self._open[-1:] == ["text"]:
            self.drawn.append(data)


def page_of(run: Run) -> Page:
    results = summarize(run, interrupted=is_unfinished(run), duration_s=0.0)
    return Page(format_report(results, run))


def test_a_page_holds_every_figure_once_and_needs_nothing_else(folder: Path) -> None:
    text = (folder / "report.html").read_text("utf-8")
    page = Page(text)
    assert page.titles == FIGURES
    assert page.tags["svg"] == page.tags["desc"] == page.tags["figure"] == len(FIGURES)
    assert not page.tags.keys() & {"script", "link", "img", "iframe", "object"}
    assert "http" not in text and "@import" not in text
    assert [name for name, num in Counter(page.ids).items() if num > 1] == []
    assert {name.removeprefix("#") for name in page.references} <= set(page.ids)
    assert page.references
    assert not re.search(r"\b([Nn]a[Nn]|inf|None)\b", text)


def test_a_page_holds_all_numbers_in_words(folder: Path) -> None:
    page = Page((folder / "report.html").read_text("utf-8"))
    text = " ".join(" ".join(page.words).split())
    results = json.loads((folder / "results.json").read_text())
    for agent in results["agents"]:
        assert agent in text
    [failure] = results["failures"]
    assert f"{failure['games']:,}" in text and failure["first_message"] in text
    for words in ("30 deals", "seed 3", "hands", "jipae", "numpy", "All at one table", "Circles"):
        assert words in text
    for column in ("raised an error", "played illegally", "ran out of time", "crashed"):
        assert column in text
    assert "width=device-width" in (folder / "report.html").read_text("utf-8")


def test_the_page_is_made_again_of_the_run_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Worker, "build", lambda *_: pytest.fail("no agent is needed"))
    shutil.copy(folder / "run.sqlite", tmp_path)
    assert main([str(tmp_path)]) == 0
    assert (tmp_path / "report.html").read_bytes() == (folder / "report.html").read_bytes()


def test_the_pages_of_several_games_are_made_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        shutil.copy(folder / "run.sqlite", tmp_path / name)
    assert main([str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    for name in ("one", "other"):
        assert (tmp_path / name / "report.html").is_file()


def test_the_command_repeats_the_run(folder: Path) -> None:
    page = Page((folder / "report.html").read_text("utf-8"))
    [command] = [words for words in page.words if words.startswith("python -m eval.tournament")]
    config = parse_config(TournamentConfig, "", shlex.split(command)[3:])
    [contest] = prepare(config)
    assert json.loads(json.dumps(contest.settings)) == load_run(folder).settings


def test_every_setting_is_in_the_command(tmp_path: Path) -> None:
    settings = {"until_half_width": 0.2, "records": True, "control": True, "deals": 110}
    page = Page((play(tmp_path, **settings) / "report.html").read_text("utf-8"))
    [command] = [words for words in page.words if words.startswith("python -m eval.tournament")]
    [contest] = prepare(parse_config(TournamentConfig, "", shlex.split(command)[3:]))
    assert json.loads(json.dumps(contest.settings)) == load_run(tmp_path).settings
    assert "until win rates are known to ± 20 %" in " ".join(page.words)


@pytest.mark.parametrize("deals", [1, 2])
def test_few_deals_leave_a_page_without_gaps(deals: int, tmp_path: Path) -> None:
    text = (play(tmp_path, deals=deals) / "report.html").read_text("utf-8")
    assert Page(text).titles == FIGURES
    assert not re.search(r"\b([Nn]a[Nn]|inf|None)\b", text)


def test_no_deal_is_a_page_without_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "play", stop)
    page = Page((play(tmp_path) / "report.html").read_text("utf-8"))
    assert page.titles == []
    assert "Stopped early: every pair finished 0 deals." in page.words
    assert main([str(tmp_path)]) == 0


def test_names_are_escaped(folder: Path) -> None:
    name = '<b onclick="x">&$a$</b>'
    run = load_run(folder)
    names = [name if agent == LAST else agent for agent in run.settings["names"]]
    groups = [
        replace(group, agents=[name if agent == LAST else agent for agent in group.agents])
        for group in run.groups
    ]
    page = page_of(Run(settings=run.settings | {"names": names}, groups=groups))
    assert page.titles == FIGURES
    assert page.tags["b"] == 0
    assert name in page.words
    # a line, a row and a column, a line, and two panels
    assert len([text for text in page.drawn if text.strip().startswith(name)]) == 6


def test_roles_have_a_table_and_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "load_game", lambda name: SIDED)
    page = Page((play(tmp_path, agents=[LAST, MOODY]) / "report.html").read_text("utf-8"))
    assert page.titles == FIGURES
    results = json.loads((tmp_path / "results.json").read_text())
    assert {part["part"] for part in results["by_role"]} == {"smaller side", "larger side"}
    for part in results["by_role"]:
        others = [
            other["win_rate"]
            for other in results["by_role"]
            if (other["agent"] == part["agent"]) == (other["part"] == part["part"])
            and other != part
        ]
        assert part["win_rate"] + sum(others) == pytest.approx(1.0)
    for words in ("smaller side", "larger side"):
        assert page.words.count(words) >= 3  # figure and table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "the folder of a run is needed"), (["nowhere"], "nowhere holds no run")],
)
def test_no_run_is_an_error(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_tournament_starts_without_what_only_reports_need() -> None:
    program = (
        "import sys, eval.tournament, eval.leaderboard, eval.report; "
        "print([name for name in ('matplotlib', 'jinja2') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert found.stdout == "[]\n", found.stderr


@pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")
def test_a_browser_shows_the_page(folder: Path, tmp_path: Path) -> None:
    from matplotlib.image import imread

    picture = tmp_path / "page.png"
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    command += ["--enable-logging=stderr", "--window-size=900,6000", f"--screenshot={picture}"]
    done = subprocess.run(
        [*command, (folder / "report.html").as_uri()], capture_output=True, text=True, timeout=120
    )
    assert "CONSOLE" not in done.stderr
    assert (imread(picture)[..., :3].min(axis=2) < 0.5).mean() > 0.005
