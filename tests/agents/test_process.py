"""Programs in other processes as agents, and what they may do wrong."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import envs
from agents import process
from agents.base import Bot, Decision
from agents.partners import Partners
from agents.process import MARK, ForeignAgent, RowFaults, parse_command
from agents.protocol import ProcessAgent, describe
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.rng import spawn_seeds
from eval.match import Outcome, play_deals
from tests.eval import bots
from tests.toy_game import GAME, RAISE, ToyRules

ROOT = Path(__file__).parents[2]
BOTS = ROOT / "tests" / "bots"
EXAMPLES = ROOT / "examples" / "bots"
RULES = ToyRules()
SEEDS = spawn_seeds(1, 6)
SCHEMA = json.loads((ROOT / "agents" / "protocol.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
PATIENT = "move_s=5 start_s=60"
HASTY = "move_s=0.2 bank_s=0.3 start_s=1 failures=2"


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own for what processes leave; none of them may be left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = set(process._marked(MARK.encode()))
    yield tmp_path
    assert set(process._marked(MARK.encode())) <= before


def play(name: str, seeds: Any = SEEDS) -> Outcome:
    agent = make_agent(name, GAME, RULES)
    assert isinstance(agent, ForeignAgent)
    try:
        return play_deals(GAME, RULES, [agent, bots.Last(GAME, RULES)], seeds)
    finally:
        agent.close()


def misbehaving(mode: str, settings: str = PATIENT) -> str:
    return f"process:{settings} {sys.executable} -S {BOTS / 'misbehaving.py'} {mode}"


def witness(folder: Path) -> str:
    return f"process:{PATIENT} {sys.executable} -S {BOTS / 'witness.py'} {folder}/log"


@pytest.mark.parametrize("game_name", envs.GAMES)
def test_a_shell_script_plays_every_game(game_name: str) -> None:
    game = envs.load_game(game_name)
    options = {"tichu": "round", "jitgo_ttaeng": "single_hand"}
    rules = game.make_rules(options.get(game_name))
    agents = [
        make_agent(name, game, rules) for name in (f"process:sh {EXAMPLES / 'first.sh'}", "random")
    ]
    outcome = play_deals(game, rules, agents, spawn_seeds(0, 1))
    assert outcome.fouls == []


def test_a_program_without_this_package_plays_whole_plays() -> None:
    game = envs.load_game("doudizhu")
    rules = game.make_rules("wild_three")
    name = f"process:{sys.executable} -I {EXAMPLES / 'lowest.py'}"
    agents = [make_agent(part, game, rules) for part in (name, "random")]
    outcome = play_deals(game, rules, agents, spawn_seeds(0, 3))
    assert outcome.fouls == []
    assert (outcome.payoffs != 0).any()


def test_it_plays_as_the_same_bot_in_this_process() -> None:
    class FirstPlay(Bot):
        """`examples/bots/first.sh`."""

        def choose(self, decision: Decision) -> int:
            return decision.legal[0]

    here = play_deals(GAME, RULES, [FirstPlay(GAME, RULES), bots.Last(GAME, RULES)], SEEDS)
    there = play(f"process:sh {EXAMPLES / 'first.sh'}")
    assert np.array_equal(here.payoffs, there.payoffs)


@pytest.mark.parametrize(
    ("mode", "kind", "message"),
    [
        ("sleep", "timeout", "no answer in time"),
        ("ignore_sigterm", "timeout", "no answer in time"),
        ("fork_many", "timeout", "no answer in time"),
        ("flood_stderr", "timeout", "no answer in time; stderr ends: no idea"),
        ("garbage", "nonsense", 'expected {"action": id} or {"play": "text"}, got \'I think I'),
        ("number", "nonsense", 'got \'{"action": "0"}\''),
        ("impossible", "nonsense", "expected an action from 0 to 4, got 99"),
        ("no_play", "nonsense", "sing"),
        ("flood", "nonsense", "an answer of more than 65536 bytes"),
        ("flood_lines", "nonsense", "{}"),
        ("illegal", "illegal", "action 3 is not legal: stake 2"),
        ("leave", "crashed", "it ended: exit status 3"),
        ("fail", "crashed", "exit status 1; stderr ends: RuntimeError: lost my cards"),
        ("allocate", "crashed", "exit status 1; stderr ends: MemoryError"),
        ("fork_and_leave", "crashed", "it ended: exit status 0"),
        ("daemonize", "crashed", "it ended: exit status 0"),
    ],
)
def test_misbehaviour_is_named_and_costs_its_own_games(mode: str, kind: str, message: str) -> None:
    began = time.monotonic()
    outcome = play(misbehaving(mode, HASTY if kind == "timeout" else PATIENT))
    assert time.monotonic() - began < 60
    first = outcome.fouls[0]
    assert (first.kind, first.player) == (kind, 0)
    assert message in first.message
    assert {foul.player for foul in outcome.fouls} == {0}
    assert (outcome.payoffs.sum(2) == 0).all()


def test_an_illegal_action_costs_its_own_game_only() -> None:
    outcome = play(misbehaving("illegal"))
    clean = play(f"process:sh {EXAMPLES / 'first.sh'}")
    sound = outcome.lost_by != 0
    assert 0 < sound.sum() < sound.size
    assert np.array_equal(outcome.payoffs[sound], clean.payoffs[sound])


def shell(answer: str, before: str = ":") -> str:
    """A program that always gives the same answer."""
    decides = '*\'"type":"decide"\'*'
    loop = f"while read -r line; do case $line in {decides}) {before}; echo '{answer}';; esac; done"
    return f"sh -c {shlex.quote(loop)}"


def test_a_play_that_is_not_allowed_is_illegal() -> None:
    game = envs.load_game("doudizhu")
    rules = game.make_rules(auction="off")
    pair = shell('{"play": "22"}')
    names = (f"process:{PATIENT} {pair}", "random")
    agents = [make_agent(name, game, rules) for name in names]
    outcome = play_deals(game, rules, agents, spawn_seeds(0, 4))
    assert {foul.kind for foul in outcome.fouls} == {"illegal"}
    assert outcome.fouls[0].message.endswith("is not legal: pair 22")


def test_output_that_nobody_asked_for_is_nonsense() -> None:
    outcome = play(misbehaving("chatter"))
    assert {foul.kind for foul in outcome.fouls} <= {"nonsense", "crashed"}
    assert "wrote without being asked: b'{\"action\": 0}'" in outcome.fouls[0].message


def test_after_some_failures_every_further_game_is_lost_at_once() -> None:
    began = time.monotonic()
    outcome = play(misbehaving("sleep", HASTY), spawn_seeds(1, 40))
    assert time.monotonic() - began < 30
    messages = [re.sub("seat .: ", "", foul.message) for foul in outcome.fouls]
    assert messages[:2] == ["no answer in time"] * 2
    assert set(messages[2:]) == {
        "it is not started again after 2 failures, the last: no answer in time"
    }
    assert {foul.kind for foul in outcome.fouls[2:]} == {"crashed"}
    assert len(messages) > 100


def test_it_is_started_again_after_a_failure() -> None:
    outcome = play(misbehaving("leave", f"{PATIENT} failures=1000"))
    assert {foul.kind for foul in outcome.fouls} == {"crashed"}
    assert {re.sub("seat .: ", "", foul.message) for foul in outcome.fouls} == {
        "it ended: exit status 3"
    }
    assert 0 < (outcome.lost_by == 0).sum() < outcome.lost_by.size


def test_slow_decisions_are_paid_from_the_bank() -> None:
    program = shell('{"action": 0}', before="sleep 0.2")
    agent = make_agent(f"process:move_s=0 bank_s=60 start_s=0 {program}", GAME, RULES)
    assert isinstance(agent, ProcessAgent)
    ask(agent, 0, 5)
    assert 20 < agent.bank_left(5) < 59.81
    assert agent.bank_left(6) == 60
    agent.end_games(np.array([5]), np.array([0]))
    assert agent.bank_left(5) == 60
    agent.close()
    agent = make_agent(f"process:move_s=0 bank_s=0.05 start_s=0 {program}", GAME, RULES)
    with pytest.raises(RowFaults, match="no answer in time"):
        ask(agent, 0, 5)


def ask(agent: Any, key: int, table: int) -> int:
    """Ask an agent for the first decision of a game."""
    states = GAME.new_games(RULES, [7])
    observations = np.zeros((1, GAME.layout(RULES).size), np.int8)
    GAME.observe(states, np.array([0]), observations)
    keys, tables = np.array([key]), np.array([table])
    return int(agent.act(observations, GAME.masks(states), keys=keys, tables=tables)[0])


def test_a_decision_asked_again_is_not_made_again(tmp_path: Path) -> None:
    agent = make_agent(witness(tmp_path), GAME, RULES)
    assert isinstance(agent, ProcessAgent)
    questions = [(1, 0), (1, 0), (1, 3), (2, 0)]
    assert [ask(agent, key, table) for key, table in questions] == [RAISE] * 4
    agent.close()
    assert len((tmp_path / "log").read_text().splitlines()) == 1 + 3


def test_neither_environment_nor_files_are_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    with open(tmp_path / "secret", "w") as file:
        os.set_inheritable(file.fileno(), True)
        play(witness(tmp_path))
    found = json.loads((tmp_path / "log").read_text().splitlines()[0])
    environment = found["environment"]
    assert set(environment) <= {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PWD", MARK}
    assert environment["HOME"].startswith(str(tmp_path / "jipae-home-"))
    assert len(found["files"]) <= 5  # the three usual ones, the log, and the listing itself


def test_messages_follow_the_schema_and_the_end_is_told(tmp_path: Path) -> None:
    outcome = play(witness(tmp_path))
    assert outcome.fouls == []
    messages = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()[1:]]
    for message in messages:
        VALIDATOR.validate(message)
    asked = {message["table"] for message in messages if message["type"] == "decide"}
    ends = {m["table"]: m["score"] for m in messages if m["type"] == "end"}
    assert asked <= ends.keys()
    scores = outcome.payoffs.ravel()
    assert ends == {t: scores[t] for t in np.flatnonzero(outcome.seating.ravel() == 0).tolist()}


@pytest.mark.parametrize("game_name", envs.GAMES)
def test_descriptions_follow_the_schema_and_plays_are_read_back(game_name: str) -> None:
    game = envs.load_game(game_name)
    rules = game.make_rules({"tichu": "round", "jitgo_ttaeng": "banker"}.get(game_name))
    seen: list[dict[str, Any]] = []

    class Reader(Bot):
        """Describes its decisions."""

        def choose(self, decision: Decision) -> int:
            if len(seen) < 60:
                message = describe(decision) | {"move_s": 1, "bank_s": 2.5}
                seen.append(json.loads(json.dumps(message)))
                check_plays(decision, message["plays"])
            return int(decision.rng.choice(decision.legal))

    def check_plays(decision: Decision, plays: list[str] | None) -> None:
        for text, path in zip(plays or [], decision.plays() if plays else [], strict=True):
            assert game.parse_play(decision.view, text) == path

    outcome = play_deals(game, rules, [Reader(game, rules), Reader(game, rules)], SEEDS[:1])
    assert outcome.fouls == []
    for message in seen[::3]:
        VALIDATOR.validate(message)
    assert all(message["shows"].count("\n") >= 2 for message in seen)
    assert any(message["plays"] for message in seen)


@pytest.mark.parametrize(
    "message",
    [{"action": 1.5}, {"play": 3}, {"action": 1, "play": "3"}, {}, [], {"type": "decide"}],
)
def test_the_schema_refuses(message: Any) -> None:
    assert not VALIDATOR.is_valid(message)


@pytest.mark.parametrize("message", [{"action": 1}, {"play": "3", "because": "why not"}])
def test_the_schema_takes_answers(message: Any) -> None:
    VALIDATOR.validate(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("process:", "a command is missing"),
        ("process:move_s=5", "a command is missing"),
        ("process:no_such_program --now", "there is no program 'no_such_program'"),
        ("process:mov_s=5 cat", "did you mean 'move_s'"),
        ("process:move_s=soon cat", "move_s must be a number, got 'soon'"),
        ("process:bank_s=-1 cat", "bank_s must not be negative, got -1"),
        ("process:cat 'open", "cannot be read: No closing quotation"),
    ],
)
def test_commands_that_cannot_be_right(text: str, message: str) -> None:
    with pytest.raises(AgentError, match=r"^agent ") as caught:
        make_agent(text, GAME, RULES)
    assert message in str(caught.value)


def test_words_are_quoted_as_for_a_shell_that_is_not_there() -> None:
    command, settings = parse_command("memory_mb=none move_s=0.5 echo '$HOME; a b' x=1")
    assert command[1:] == ["$HOME; a b", "x=1"]
    assert Path(command[0]).name == "echo"
    assert (settings.memory_mb, settings.move_s, settings.bank_s) == (None, 0.5, 10.0)


def test_programs_are_partners_too() -> None:
    name = f"random+process:sh {EXAMPLES / 'first.sh'} 1+1+process:sh {EXAMPLES / 'first.sh'}"
    agent = make_agent(name, GAME, RULES)
    assert isinstance(agent, Partners)
    assert [type(member).__name__ for member in agent.members] == [
        "RandomAgent",
        "ProcessAgent",
        "ProcessAgent",
    ]
    agent = None  # which stops the programs
    for mode, kind in {"illegal": "illegal", "leave": "crashed"}.items():
        faulty = make_agent(f"random+{misbehaving(mode, PATIENT)}", GAME, RULES)
        outcome = play_deals(GAME, RULES, [faulty, bots.Last(GAME, RULES)], SEEDS)
        assert {foul.kind for foul in outcome.fouls} == {kind}
        faulty = None


def test_what_it_writes_to_stderr_is_kept_within_bounds(tmp_path: Path) -> None:
    play(misbehaving("flood_stderr", "move_s=0.5 bank_s=0 failures=1"))
    [log] = tmp_path.glob("jipae-flood_stderr-*.stderr")
    assert 0 < log.stat().st_size <= process.MAX_LOG
    assert log.read_text().startswith("no idea\n")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_program_when_ours_is_stopped(how: signal.Signals) -> None:
    if how == signal.SIGKILL and not process._die_with_us():
        pytest.skip("needs setpriv")
    name = misbehaving("ignore_sigterm", "move_s=600")
    program = f"from tests.agents import test_process as t\nt.play({name!r})"
    running = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, env=os.environ | {"PYTHONPATH": "."},
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: children_of(running.pid))
    left = children_of(running.pid)
    running.send_signal(how)
    running.wait(30)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in left))


def children_of(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed]


def wait_until(condition: Any) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
