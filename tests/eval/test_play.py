"""A person at the terminal: scripted through every game, with whatever a person may type."""

import importlib
import io
import random
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from rich.console import Console

import envs
from agents.base import Decision
from envs.core.game import OVER
from envs.core.record import GameRecord, read_records, verify
from envs.core.seeding import decision_key, next_seed
from eval.choices import MOST_WHOLE
from eval.person import Left, Person
from eval.play import PlayConfig, Session, Table, main
from eval.texts import Words
from tests.conformance.play import look, random_actions
from tests.eval.bots import First
from tests.eval.test_choices import positions
from tests.toy_game import GAME as TOY

ROOT = Path(__file__).parents[2]
SHORT = {
    "doudizhu": ["preset=online"],
    "tongits": [],
    "jitgo_ttaeng": ["max_hands=2"],
    "tichu": ["episode=round"],
}
"""Options that keep the games short, and Dou Dizhu's auction long."""
GARBAGE = (
    "",
    "foo",
    "99999",
    "hint nobody",
    "33 33",
    "[",
    "dance 7",
    "help me",
    "-1",
    "é\0",
)


class Script:
    """Types lines one after the other, then there are no more."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        try:
            return next(self.lines)
        except StopIteration:
            raise EOFError from None


def monkey(seed: int, words: Iterable[str] = ()) -> Iterable[str]:
    """Types numbers, and now and then something else, as chance will have it."""
    rng = random.Random(seed)
    others = [*words, "undo", "more", "table", "plays", "history", "help"]
    while True:
        number = str(rng.randrange(1, 26))
        yield rng.choice(others) if rng.random() < 0.3 else number


def sit(*arguments: Any, lines: Iterable[str] = ()) -> Script:
    """Play in English with what is typed."""
    script = Script(lines)
    assert main(["--language", "en", *map(str, arguments)], script) == 0
    return script


def options_of(name: str) -> list[str]:
    return ["--game", name, *(["--set", *SHORT[name]] if SHORT[name] else [])]


def read(path: Path) -> list[GameRecord]:
    records = list(read_records(path))
    for record in records:
        verify(envs.load_game(record.game), record)
    return records


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is the only game there is."""
    monkeypatch.setattr(envs, "GAMES", {"toy": "tests.toy_game"})
    monkeypatch.setitem(vars(TOY), "presets", {})


@pytest.mark.parametrize("name", envs.GAMES)
def test_a_game_is_played_to_its_end_by_the_first_number(name: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    sit(*options_of(name), "--games", 1, "--seed", 1, "--record", path, lines=iter(lambda: "1", 0))
    [record] = read(path)
    assert record.returns is not None
    assert record.players == ["human", *["rule"] * (len(record.players or []) - 1)]
    assert record.seed == 1


@pytest.mark.parametrize("name", envs.GAMES)
@pytest.mark.parametrize("seat", [0, 2])
def test_whatever_is_typed_the_game_goes_on(
    name: str, seat: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["--games", 1, "--seed", 3, "--seat", seat, "--record", path]
    script = monkey(seat, (*GARBAGE, "hint", "hint random"))
    sit(*options_of(name), *arguments, lines=script)
    [record] = read(path)
    assert record.returns is not None
    out = capsys.readouterr().out
    own = record.returns[seat]
    words = "you come out even" if not own else f"you {'win' if own > 0 else 'lose'} {own:+d}"
    assert f"The game is over: {words}." in out
    assert f"  seat {seat} you: {own:+d}, in all {own:+d}" in out


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("doudizhu", ["preset=four_players_all_types"]),
        ("doudizhu", ["preset=wild_random", "auction=off"]),
        ("tongits", ["preset=jackpot", "num_hands=2"]),
        ("jitgo_ttaeng", ["preset=banker", "max_rounds=2"]),
        ("tichu", ["preset=every_suit"]),
    ],
)
def test_variants_are_played_too(name: str, options: list[str], tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["--games", 1, "--seed", 5, "--against", "random", "--record", path]
    sit("--game", name, "--set", *options, *arguments, lines=monkey(1, ("foo", "34567+8")))
    [record] = read(path)
    assert record.returns is not None
    assert record.options


@pytest.mark.parametrize("name", ["doudizhu", "tichu"])
def test_what_is_no_play_changes_nothing(name: str, tmp_path: Path) -> None:
    path, numbers = tmp_path / "games.jsonl", ["1"] * 6
    disturbed = [line for number in numbers for line in (*GARBAGE, "hint", "table", number)]
    for lines in (numbers, disturbed):
        sit(*options_of(name), "--seed", 4, "--record", path, lines=lines)
    first, second = read(path)
    assert first == second
    assert first.actions


@pytest.mark.parametrize("name", envs.GAMES)
def test_hints_are_legal_and_can_be_typed(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []

    def obedient() -> Iterable[str]:
        while True:
            capsys.readouterr()
            yield "hint random" if len(said) % 3 == 2 else "hint"
            found = re.search(r"^\w+ would play (.*)\.$", capsys.readouterr().out, re.M)
            assert found
            said.append(found[1])
            yield found[1]
            answer = capsys.readouterr().out
            assert "cannot be played" not in answer

    path = tmp_path / "games.jsonl"
    arguments = ["--games", 1, "--seed", 2, "--record", path]
    sit(*options_of(name), *arguments, lines=obedient())
    [record] = read(path)
    assert record.returns is not None
    own = [text for seat, text in record.actions if seat == 0]
    assert said
    assert [text for text in own if text in said] != []


def test_a_hint_goes_on_from_what_is_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["1", "1", "3", "hint", "undo", "hint", "hint random"]
    sit(*options_of("tichu"), "--seed", 7, lines=lines)
    out = capsys.readouterr().out
    first, second, _ = re.findall(r"would play give (.*)\.", out)
    assert "Chosen so far: 7g " in out
    assert first.split()[0] == "7g"
    assert second.split()[0] != "7g"  # what the agent thinks of it


def test_undo_at_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    lines = ["1", "1", "1", "1", "undo", "undo", "undo", "14", "13", "12", "quit"]
    sit(*options_of("tichu"), "--seed", 7, "--record", path, lines=lines)
    out = capsys.readouterr().out
    assert out.count("The last choice is taken back.") == 2
    assert out.count("There is no half-made choice to take back") == 1
    [record] = read(path)
    [gift] = [text for seat, text in record.actions if seat == 0 and text.startswith("give")]
    assert gift == "give DG Ak Kb"


def test_a_long_list_has_pages(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "players=4", "--against", "random", "--seed", 1]
    script = sit(*arguments, lines=["bid 3", "more", "more", "126", "quit"])
    out = capsys.readouterr().out
    assert [int(page) for page in re.findall(r"Page (\d) of 2", out)] == [1, 2, 1]
    first, second = (set(re.findall(r"\[(\d+)\] ", part)) for part in out.split("Page ")[:2])
    assert len(first) > MOST_WHOLE
    assert not first & second
    assert "seat 0 plays bomb QQQQQ" in out
    assert len(script.prompts) == 6


def test_a_short_list_is_a_line_a_play(capsys: pytest.CaptureFixture[str]) -> None:
    sit(*options_of("jitgo_ttaeng"), "--seed", 1, lines=["more"])
    out = capsys.readouterr().out
    assert re.search(r"^ +\d  half +half \(하프\), \d+ chips", out, re.M)
    assert "That is the whole list." in out


@pytest.mark.parametrize("name", envs.GAMES)
def test_nothing_hidden_is_ever_shown(name: str) -> None:
    """In worlds that the person cannot tell apart, all commands show the same."""

    def show(table: Table, state: Any) -> str:
        table._states = np.array([state], table.game.state)
        output = io.StringIO()
        script = Script(["table", "hint", "hint random", "history", "more", "foo", "99", "resign",
                         "no", "help"])  # fmt: skip
        person = Person(Words("en"), script, Console(file=output, width=90))
        config = PlayConfig(game=name, language="en")
        session = Session(config, person)
        with pytest.raises(Left):
            session._choose(table)
        # What happened last is for all to see, and is not in a world made of a view.
        return output.getvalue().replace(table.game.last_event(state), "")

    for game, rules, state in positions(name, 6, seat=0):
        view = game.views(rules, look(game, rules, np.array([state]), np.array([0])))
        world = view.copy()
        game.resample(world, np.array([123]))
        # The same chance: of cards that are equivalent it decides which one is played.
        world["seed"], world["draws"] = state.seed, state.draws
        assert world[0].tobytes() != np.array([state]).tobytes()
        table = Table(game, rules, 9, 0)
        assert show(table, state) == show(table, world[0])


def test_a_secret_play_is_in_nobodys_history() -> None:
    game = envs.load_game("tichu")
    table = Table(game, game.make_rules(episode="round"), 5, 0)
    step, secrets = 0, 0
    while table.state.turn != OVER:
        path: tuple[int, ...] = ()
        states = np.array([table.state])
        while not path or states[0].pending:
            action = random_actions(game.masks(states), np.array([5]), step)
            path, step = (*path, int(action[0])), step + 1
            game.apply(states, action)
        is_secret = game.is_private(table.state, path[0])
        text = game.format_play(table.state, path)
        event = table.take(path)
        secrets += is_secret
        if is_secret:
            assert event is None or event.startswith("the cards are exchanged")
        assert not text.startswith("give") or text not in (event or "")
    assert secrets >= 4


def test_resigning_costs_what_foul_play_costs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["--set", "auction=off", "--seat", 1, "--seed", 3, "--games", 1]
    sit(
        *arguments, "--record", path, lines=["resign", "perhaps", "no", "resign", "", "resign", "y"]
    )
    out = capsys.readouterr().out
    [record] = read(path)
    assert record.returns is None
    game = envs.load_game("doudizhu")
    table = Table(game, game.make_rules(auction="off"), 3, 0)
    for seat, text in record.actions:
        assert table.state.turn == seat
        table.take(game.parse_play(table.state, text))
    payoffs = game.forfeit(table.state, 1)
    assert table.forfeit() == payoffs.tolist()
    assert "Please answer yes or no." in out
    assert "You resign." in out
    for seat, payoff in enumerate(payoffs):
        name = "you" if seat == 1 else "rule"
        assert f"seat {seat} {name}: {payoff:+d}, in all {payoff:+d}" in out


@pytest.mark.usefixtures("toy")
def test_an_agent_at_fault_forfeits(capsys: pytest.CaptureFixture[str]) -> None:
    agents = [f"tests.eval.bots:{name}" for name in ("Scribbler", "Last")]
    arguments = ["--game", "toy", "--seed", 1, "--games", 1, "--against", *agents]
    sit(*arguments, lines=["fold", "-"])
    out = capsys.readouterr().out
    assert "Seat 1, tests.eval.bots:Scribbler, gives no sound answer and forfeits" in out
    assert "seat 1 tests.eval.bots:Scribbler: -6, in all -6" in out
    assert "The game is over: you win +3." in out


class Told(First):
    """Remembers what it is asked and told; all of its kind share the memory."""

    asked: ClassVar[list[tuple[int, int]]] = []
    told: ClassVar[list[tuple[list[int], list[int]]]] = []

    def choose(self, decision: Decision) -> int:
        self.asked.append((decision.table, decision.key))
        return super().choose(decision)

    def end_games(self, tables: Any, scores: Any) -> None:
        self.told.append((tables.tolist(), scores.tolist()))


@pytest.mark.usefixtures("toy")
def test_agents_are_told_of_the_end(tmp_path: Path) -> None:
    path, name = tmp_path / "games.jsonl", f"{__name__}:Told"
    told = importlib.import_module(__name__).Told
    told.asked.clear(), told.told.clear()
    arguments = ["--game", "toy", "--seed", 1, "--record", path, "--against", name, "random"]
    lines = ["raise 1", "raise 2", "", f"hint {name}", "raise 1", "quit"]
    sit(*arguments, lines=lines)
    first, _ = read(path)
    assert first.returns is not None
    assert told.told[0] == ([4], [first.returns[1]])
    assert [tables for tables, _ in told.told] == [[4], [7], [6]]
    assert {table for table, _ in told.asked} == {4, 6, 7}


@pytest.mark.usefixtures("toy")
def test_agents_get_the_keys_of_a_tournament() -> None:
    told = importlib.import_module(__name__).Told
    told.asked.clear()
    table = Table(TOY, TOY.make_rules(), 5, 3)
    agent = told(TOY, TOY.make_rules())
    table.take(table.ask(agent))
    keys = [decision_key(5, 0, number) for number in range(2)]
    assert told.asked == [(3, key) for key in keys[: len(told.asked)]]
    asked = [key for _, key in told.asked]
    for path in [(1,), (), (1,)]:
        table.ask(agent, path)
    assert len({*asked, *(key for _, key in told.asked)}) == 3


@pytest.mark.usefixtures("toy")
def test_a_hint_of_an_agent_at_fault_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["hint tests.eval.bots:WrongShape", "hint nobody", "hint random", "quit"]
    sit("--game", "toy", "--seed", 1, lines=lines)
    out = capsys.readouterr().out
    assert "tests.eval.bots:WrongShape has no answer: expected integers" in out
    assert "nobody has no answer: " in out
    assert re.search(r"random would play (fold|raise \d)\.", out)


@pytest.mark.usefixtures("toy")
def test_several_games_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    arguments = ["--game", "toy", "--seed", 11, "--against", "random", "--record", path]
    game = ["raise 2"] * 2
    sit(*arguments, lines=[*game, "", *game, "maybe", "yes", *game, "n"])
    out = capsys.readouterr().out
    records = read(path)
    seeds = [11, next_seed(11), next_seed(next_seed(11))]
    assert [record.seed for record in records] == seeds
    assert re.findall(r"--seed (\d+) it is", out) == [str(seed) for seed in seeds]
    total = 0
    for record in records:
        assert record.returns is not None
        total += record.returns[0]
        assert f"seat 0 you: {record.returns[0]:+d}, in all {total:+d}" in out
    assert re.findall(r"games played: (\d)", out) == ["1", "2", "3"]
    capsys.readouterr()
    sit(*arguments[:-2], "--games", 1, "--seed", seeds[1], lines=[*game, "-"])
    assert "games played: 1" in capsys.readouterr().out


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("how", ["quit", "끝", None, KeyboardInterrupt])
def test_leaving_does_not_count(
    how: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines() -> Iterable[str]:
        yield "fold"
        if how is KeyboardInterrupt:
            raise KeyboardInterrupt
        if how is not None:
            yield how

    path = tmp_path / "games.jsonl"
    arguments = ["--game", "toy", "--seed", 1, "--against", "random", "--record", path]
    sit(*arguments, lines=lines())
    out = capsys.readouterr().out
    assert "You leave; the game does not count." in out
    assert "games played" not in out
    [record] = read(path)
    assert record.returns is None
    assert (0, "fold") in record.actions


@pytest.mark.usefixtures("toy")
def test_a_record_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["--game", "toy", "--seed", 5, "--games", 1]
    sit(*arguments, lines=["fold", "fold", "-"])
    assert list(tmp_path.iterdir()) == []
    script = sit(*arguments, lines=["fold", "fold", ""])
    assert "[toy-5.jsonl; - for none]" in script.prompts[-1]
    assert len(read(tmp_path / "toy-5.jsonl")) == 1
    sit(*arguments, lines=["fold", "fold", "/dev/null/no", "other.jsonl"])
    assert "could not be written" in capsys.readouterr().out
    assert len(read(tmp_path / "other.jsonl")) == 1
    sit(*arguments, lines=["fold", "fold"])
    assert len(list(tmp_path.iterdir())) == 2


def test_agents_sit_from_the_next_seat_on(capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["random", "call", "tight"]
    arguments = ["--set", "max_hands=1", "--seat", 2, "--against", *agents]
    sit("--game", "jitgo_ttaeng", *arguments, lines=["quit"])
    out = capsys.readouterr().out
    names = re.findall(r"^  seat \d: (\w+)$", out, re.M)
    assert names == ["call", "tight", "you", "random"]


def test_the_same_seed_is_the_same_session(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        sit("--seed", 8, "--against", "random", lines=["1", "1", "1"])
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "tichoo"], "did you mean 'tichu'"),
        (["--seat", "3"], "seat must be 0 to 2, got 3"),
        (["--seat", "-1"], "seat must be 0 to 2, got -1"),
        (["--against", "rule", "rule", "rule"], "expected 2 agents, or one for all, got 3"),
        (["--against", "nobody"], "no agent of doudizhu 'nobody'"),
        (["--set", "wild=purple"], "wild must be"),
        (["--seed", "-5"], "seed"),
        (["--games", "0"], "games must be at least 1, got 0"),
        (["--language", "fr"], "language must be one of 'en', 'ko' or none, got 'fr'"),
        (["--record", "/dev/null/x"], "record: "),
        (["--loud"], "unrecognized arguments: --loud"),
    ],
)
def test_errors_are_one_line_and_exit_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments, Script([])) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_the_program_reads_lines_from_anywhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eval.play", "--seed", "1", "--language", "en"]
    path = tmp_path / "games.jsonl"
    typed = b"\xff\xfe\nhint\n1\n1\n"
    run = subprocess.run(
        [*command, "--record", str(path)], input=typed, cwd=ROOT, capture_output=True
    )
    assert run.returncode == 0, run.stderr
    assert b"rule would play" in run.stdout
    assert b"You leave" in run.stdout
    assert b"Traceback" not in run.stderr
    assert len(read(path)) == 1
