"""The tournament program: what it finds, writes, prints, and refuses."""

import csv
import dataclasses
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import envs
from eval import tournament
from eval.contest import Contest, file_digests
from eval.results import Results
from eval.statistics import holm
from eval.tournament import TournamentConfig, main, prepare, run_tournament
from eval.workers import Worker
from tests.toy_game import GAME

LAST, MOODY, RAISES = (f"tests.eval.bots:{name}" for name in ("Last", "Moody", "Raises"))


@pytest.fixture(autouse=True)
def only_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is the only game there is, and has a named variant."""
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
    monkeypatch.setitem(vars(GAME), "presets", {"short": {"hands": 1}})
    monkeypatch.setattr(tournament, "OTHER_DEALS", 8)


def run(**settings: Any) -> Results:
    usual = {"agents": ["random", LAST], "report": False}
    [results] = run_tournament(TournamentConfig(**usual | settings))
    return results


def test_agent_named_twice_scores_exactly_nothing() -> None:
    results = run(agents=[MOODY, MOODY], deals=10)
    assert results.agents == [MOODY, f"{MOODY}#2"]
    assert (results.pairs[0].mean_diff, results.pairs[0].win_rate) == (0.0, 0.5)


def test_ranking_is_the_average_over_opponents() -> None:
    results = run(agents=["random", LAST, MOODY], deals=20)
    assert [(pair.a, pair.b) for pair in results.pairs] == [
        ("random", LAST),
        ("random", MOODY),
        (LAST, MOODY),
    ]
    by_name = {rank.agent: rank for rank in results.ranking}
    first, second, third = (pair.mean_diff or 0.0 for pair in results.pairs)
    assert by_name["random"].mean_diff == pytest.approx((first + second) / 2)
    assert by_name[LAST].mean_diff == pytest.approx((-first + third) / 2)
    means = [rank.mean_diff or 0.0 for rank in results.ranking]
    assert means == sorted(means, reverse=True)
    assert sum(means) == pytest.approx(0.0)


def test_three_agents_meet_at_one_table_too() -> None:
    results = run(agents=["random", LAST, MOODY], deals=20)
    assert {rank.agent for rank in results.together} == set(results.agents)
    means = [rank.mean_diff or 0.0 for rank in results.together]
    assert means == sorted(means, reverse=True)
    assert sum(means) == pytest.approx(0.0)
    assert sum(rank.win_rate or 0.0 for rank in results.together) == pytest.approx(1.0)
    assert {rank.deals for rank in results.together} == {20}


@pytest.mark.parametrize("settings", [{}, {"agents": [LAST, MOODY, LAST, MOODY]},
                                      {"agents": [LAST] * 3, "set": ["players=2"]}])  # fmt: skip
def test_only_agents_that_find_seats_meet_at_one_table(settings: dict[str, Any]) -> None:
    assert run(deals=2, **settings).together == []


def test_results_do_not_depend_on_the_batch_size() -> None:
    small, large = (run(agents=[MOODY, LAST], deals=9, batch_size=size) for size in (1, 1000))
    assert small.pairs == large.pairs
    small, large = (
        run(agents=[MOODY, LAST, "random"], deals=9, batch_size=size) for size in (1, 1000)
    )
    assert (small.pairs, small.together) == (large.pairs, large.together)


def test_other_seed_other_deals() -> None:
    assert run(seed=1).pairs != run(seed=2).pairs
    assert run(seed=1).pairs == run(seed=1).pairs


def test_results_file(tmp_path: Path) -> None:
    arguments = ["--agents", "random", RAISES, "--deals", "12", "--seed", "5"]
    assert main([*arguments, "--set", "hands=1", "--out", str(tmp_path / "new" / "folder")]) == 0
    data = json.loads((tmp_path / "new" / "folder" / "results.json").read_text())
    assert {"game", "game_version", "options", "seed", "deals", "agents", "pairs", "ranking",
            "failures", "interrupted", "duration_s", "version"} <= data.keys()  # fmt: skip
    assert (data["game"], data["seed"], data["deals"]) == ("toy", 5, 12)
    assert data["options"] == {"hands": 1}
    assert data["agents"] == ["random", RAISES]
    [pair] = data["pairs"]
    assert list(pair) == [
        "a",
        "b",
        "deals",
        "mean_diff",
        "ci_low",
        "ci_high",
        "win_rate",
        "win_rate_ci",
        "p_value",
        "p_holm",
        "deals_wanted",
        "mean_diff_controlled",
        "controlled_ci",
    ]
    assert pair["ci_low"] < pair["mean_diff"] < pair["ci_high"]
    assert pair["win_rate_ci"][0] < pair["win_rate"] < pair["win_rate_ci"][1]
    [failure] = data["failures"]
    assert (failure["agent"], failure["kind"]) == (RAISES, "raised")
    assert failure["games"] > 0
    assert "KeyError" in failure["first_message"]
    found = sorted(path.name for path in (tmp_path / "new" / "folder").iterdir())
    assert found == ["report.html", "results.csv", "results.json", "run.sqlite"]


def test_results_table(tmp_path: Path) -> None:
    results = run(agents=["random", LAST, MOODY], deals=30, out=str(tmp_path))
    with (tmp_path / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["game"], row["a"], row["b"]) for row in rows] == [
        ("toy", pair.a, pair.b) for pair in results.pairs
    ]
    for row, pair in zip(rows, results.pairs, strict=True):
        assert float(row["mean_diff"]) == pair.mean_diff
        assert [float(row["win_rate_low"]), float(row["win_rate_high"])] == pair.win_rate_ci
        assert float(row["p_holm"]) == pair.p_holm


def test_p_values_are_corrected_over_the_pairs() -> None:
    results = run(agents=["random", LAST, MOODY], deals=60)
    values = [pair.p_value or 0.0 for pair in results.pairs]
    assert [pair.p_holm for pair in results.pairs] == holm(values)
    assert min(values) < 0.05
    assert run(agents=[MOODY, MOODY], deals=10).pairs[0].p_value == 1.0


def test_until_half_width_stops_at_a_look() -> None:
    settings: dict[str, Any] = {"agents": [MOODY, LAST], "deals": 5_000, "batch_size": 60}
    found = run(**settings, until_half_width=0.03)
    [pair] = found.pairs
    low, high = pair.win_rate_ci
    assert low is not None and high is not None
    assert (high - low) / 2 <= 0.03
    assert 100 <= pair.deals < 5_000
    assert (pair.deals, found.deals, found.interrupted) == (pair.deals, 5_000, False)
    assert pair.deals_wanted is not None and pair.deals_wanted <= pair.deals
    # the look before was not narrow enough
    looks = [end for _, end in contest_of(**settings, until_half_width=0.03)._rounds()]
    before = run(**settings | {"deals": looks[looks.index(pair.deals) - 1]}).pairs[0]
    assert before.win_rate_ci[1] - before.win_rate_ci[0] > 0.06  # type: ignore[operator]


def test_until_half_width_is_capped_by_deals(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--agents", "random", LAST, "--deals", "110", "--until-half-width", "0.001"]
    assert main(arguments) == 0
    assert "To know all win rates to ± 0.1 % would take about" in capsys.readouterr().out


def contest_of(**settings: Any) -> Contest:
    [contest] = prepare(TournamentConfig(**{"agents": ["random", LAST], **settings}))
    return contest


def test_files_of_agents_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("bot.py", "net.npz", "model.zip", "a+b.py", "rule", "prog"):
        Path(name).write_text(name)
    sources = ["bot.py:Bot+random", "net.npz", "sb3:model.zip", "a+b.py:Bot", "rule"]
    sources.append("process:./prog --deep bot.py")
    found = file_digests(sources)
    assert found.keys() == {"bot.py", "net.npz", "model.zip", "a+b.py", "./prog"}
    Path("net.npz").write_text("trained on")
    changed = file_digests(sources)
    assert {name for name in found if found[name] != changed[name]} == {"net.npz"}


def test_looks_depend_on_the_settings_alone() -> None:
    contest = contest_of(deals=1_000, batch_size=60, until_half_width=0.01)
    rounds = list(contest._rounds())
    assert rounds[0] == (0, 100)
    assert rounds[-1][1] == 1_000
    for (first, end), (after, later) in itertools.pairwise(rounds):
        assert end == after and first < end
        assert later - end >= min(end / 4, 1_000 - end)
    assert contest_of(until_half_width=0.01).deals == 8 * 100
    assert list(contest_of(deals=50)._rounds()) == [(0, 50)]


def test_one_deal_has_no_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agents", "random", LAST, "--deals", "1", "--out", str(tmp_path)]) == 0
    [pair] = json.loads((tmp_path / "results.json").read_text())["pairs"]
    assert (pair["ci_low"], pair["ci_high"], pair["win_rate_ci"]) == (None, None, [None, None])
    assert "± ?" in capsys.readouterr().out


def test_several_games_get_a_folder_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_game(name: str) -> Any:
        game = dataclasses.replace(GAME, name=name)
        vars(game)["presets"] = {}
        return game

    monkeypatch.setattr(envs, "GAMES", {"toy": "", "other": ""})
    monkeypatch.setattr(envs, "load_game", load_game)
    assert main(["--agents", "random", LAST, "--deals", "2", "--out", str(tmp_path)]) == 0
    for name in ("toy", "other"):
        assert json.loads((tmp_path / name / "results.json").read_text())["game"] == name


def test_report_names_the_common_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agents", "random", LAST, MOODY, "--deals", "6"]) == 0
    out = capsys.readouterr().out
    assert "All at one table, each against the mean of the others" in out
    assert "p = " in out or "p < 0.001" in out
    assert "To know all win rates to ± 1 % would take about" in out


def test_report_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--agents", "random", "random", LAST, MOODY, RAISES, "--deals", "6"]) == 0
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 80
    for part in ("random#2", "Moody", "raised an error", "6 deals of 6 games", "seed 0"):
        assert part in out
    assert "\x1b" not in out + err


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(f"agents: [random, '{LAST}']\ndeals: 3\nset: [preset=short]\nout: {tmp_path}\n")
    assert main(["--config", str(file), "--deals", "4"]) == 0
    data = json.loads((tmp_path / "results.json").read_text())
    assert (data["deals"], data["options"]) == (4, {"hands": 1})


def test_repeated_options_and_preset() -> None:
    [contest] = prepare(
        TournamentConfig(agents=["random", LAST], set=["preset=short", "players=2", "max_stake=1"])
    )
    assert dataclasses.asdict(contest.rules) == {"players": 2, "max_stake": 1, "hands": 1}
    assert contest.games_per_deal == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "toi"], "did you mean 'toy'"),
        (["--agents", "random"], "two agents or more"),
        (["--agents", "random", "nobody"], "no agent of toy 'nobody'"),
        (["--set", "hand=3"], "did you mean 'hands'"),
        (["--set", "hands=many"], "hands must be a whole number, got 'many'"),
        (["--set", "players=9"], "players must be 2 or 3"),
        (["--set", "preset=long"], "no preset of toy 'long'"),
        (["--deals", "few"], "deals must be a whole number or none, got 'few'"),
        (["--deals", "0"], "deals must be 1 to"),
        (["--seed", "-1"], "seed"),
        (["--batch-size", "0"], "batch_size must be at least 1"),
        (["--workers", "0"], "workers must be at least 1"),
        (["--cluster", "moon"], "cluster must be 'ray' or none, got 'moon'"),
        (["--until-half-width", "0.5"], "until_half_width must be above 0 and below 0.5"),
        (["--records", "true"], "records=true needs out"),
        (["--colour"], "unrecognized arguments: --colour"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--out", "/dev/null/results"], "out: "),
    ],
)
def test_errors_are_one_line_and_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agents = [] if "--agents" in arguments else ["--agents", "random", "random"]
    assert main([*agents, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("agent: [random]", "did you mean 'agents'"),
        ("agents: random", "agents must be a list"),
        ("deals: 1.5", "deals must be a whole number"),
        ("- deals", "must hold a mapping"),
    ],
)
def test_config_files_are_strict(
    tmp_path: Path, text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(text)
    assert main(["--config", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_interrupted_run_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    play, chunks = Worker.play, iter(range(100))

    def stop_at_sixth(*arguments: Any) -> Any:
        if next(chunks) == 5:
            raise KeyboardInterrupt
        return play(*arguments)

    monkeypatch.setattr(Worker, "play", stop_at_sixth)
    arguments = ["--agents", "random", LAST, MOODY, "--deals", "9", "--batch-size", "12"]
    assert main([*arguments, "--out", str(tmp_path)]) == 130
    data = json.loads((tmp_path / "results.json").read_text())
    assert data["interrupted"] is True
    assert [pair["deals"] for pair in data["pairs"]] == [4, 2, 2]
    assert {rank["deals"] for rank in data["ranking"]} == {2}
    assert {rank["deals"] for rank in data["together"]} == {2}
    assert "Stopped early: every pair finished 2 deals." in capsys.readouterr().out


def test_interrupted_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Worker, "play", stop)
    assert main(["--agents", "random", LAST]) == 130
    assert "Stopped early" in capsys.readouterr().out
