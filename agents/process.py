"""Programs as agents: started with limits, asked in lines, stopped with all they have started.

A program runs in a session of its own, with next to no environment and a limit on its memory, and
every answer has a time limit. That guards a tournament against mistakes; it is no sandbox, and a
program of a stranger belongs into a container.
"""

import os
import re
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

from agents.base import Decision
from envs.core.errors import AgentError, RulesError
from envs.core.game import Array, Game
from envs.core.rules import check_types, make_rules, parse_option

PATH = "/usr/local/bin:/usr/bin:/bin"
MARK = "JIPAE_BOT"
"""Environment variable by which everything that a program has started is found again."""
LIMIT = 'ulimit -c 0; [ "$1" = none ] || ulimit -v "$1" || :; shift; exec "$@"'
"""For the shell that becomes the program: after a fork, Python code may not set limits safely."""
MAX_OUTPUT = 1 << 16  # bytes of an answer
MAX_LOG = 1 << 20  # bytes kept of what a program writes to stderr
TAIL = 200  # characters of it that are shown
CHUNK = 1 << 16
GLANCE_S = 0.2  # between looks at whether a silent process is still there
GRACE_S = 0.5  # for a process whose input has ended
GONE_S = 2.0  # a killed process is gone long before

FailureKind = Literal["timeout", "crashed", "nonsense"]


class ProcessFault(Exception):
    """A program gave no usable answer."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        """Say what is wrong."""
        super().__init__(message)
        self.kind: FailureKind = kind


class RowFaults(AgentError):
    """Some rows of a call of `Agent.act` have no answer; it has those of the others."""

    def __init__(self, actions: Array, faults: dict[int, ProcessFault]) -> None:
        """`actions` [N] int64 are the answers, anything in the rows of `faults`."""
        super().__init__("; ".join(f"row {row}: {fault}" for row, fault in faults.items()))
        self.actions = actions
        self.faults = faults


@dataclass(frozen=True, kw_only=True)
class ProcessSettings:
    """Limits of a program, written before it: `process:move_s=5 memory_mb=none ./bot`."""

    move_s: float = 1.0
    """Seconds for a decision."""
    bank_s: float = 10.0
    """Seconds a game and seat for decisions that take longer."""
    start_s: float = 10.0
    """Seconds more for the first answer of a process."""
    memory_mb: int | None = 4096
    """Address space of each of its processes in MiB."""
    failures: int = 4
    """Crashes and timeouts after which it is not started again."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        for name in ("move_s", "bank_s", "start_s", "memory_mb", "failures"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise RulesError(f"{name} must not be negative, got {value}")


def parse_command(text: str) -> tuple[list[str], ProcessSettings]:
    """Read settings and a command; words are quoted as for a shell, and no shell sees them.

    >>> parse_command("move_s=5 python3 'my bot.py'")[1].move_s
    5

    Raises:
        AgentError: a setting that is none, quotes that do not end, or no such program.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise AgentError(f"{text!r} cannot be read: {error}") from error
    first = next((i for i, word in enumerate(words) if not _is_setting(word)), len(words))
    try:
        settings = make_rules(
            ProcessSettings, dict(parse_option(ProcessSettings, word) for word in words[:first])
        )
    except RulesError as error:
        raise AgentError(str(error)) from error
    command = words[first:]
    if not command:
        raise AgentError("a command is missing")
    program = shutil.which(command[0])
    if program is None:
        raise AgentError(f"there is no program {command[0]!r}")
    return [os.path.abspath(program), *command[1:]], settings


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


class Log:
    """What a program writes to stderr: in a file of bounded size, made when there is something."""

    def __init__(self, name: str) -> None:
        """`name` becomes part of the file's name, in the system's folder for such files."""
        self.path: Path | None = None
        self._name = re.sub(r"[^\w.-]", "", name)[:40]
        self._size = 0
        self._tail = b""

    def write(self, data: bytes) -> None:
        """Append; past the bound nothing is kept but the end, for `tail`."""
        self._tail = (self._tail + data)[-4 * TAIL :]
        if self.path is None:
            handle, path = tempfile.mkstemp(".stderr", f"jipae-{self._name}-")
            os.close(handle)
            self.path = Path(path)
        if room := MAX_LOG - self._size:
            with open(self.path, "ab") as file:
                self._size += file.write(data[:room])

    def tail(self) -> str:
        """The last line or so, for a message: "" if there is none."""
        lines = self._tail.decode("utf-8", "replace").strip().splitlines()
        return f"; stderr ends: {lines[-1].strip()[-TAIL:]}" if lines else ""


class Process:
    """One running process of a program."""

    def __init__(self, program: "Program") -> None:
        """Start it.

        Raises:
            ProcessFault: the system cannot.
        """
        mark = uuid.uuid4().hex
        memory_mb = program.settings.memory_mb
        limit = "none" if memory_mb is None else str(memory_mb * 1024)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - it is there to run what it is told
                [*_die_with_us(), "/bin/sh", "-c", LIMIT, "sh", limit, *program.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=program.environment | {MARK: mark},
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessFault("crashed", f"it cannot be started: {error}") from error
        self._program = program  # whose folder is there as long as its processes
        self._log = program.log
        self._output = b""
        self.answers = 0
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None  # noqa: S101 - as asked for above
            os.set_blocking(pipe.fileno(), False)
        self.close = weakref.finalize(self, _end, self._process, mark)
        """Let the process end, or else kill it, and all that it started; also as ours ends."""

    def ask(self, text: str, is_whole: Callable[[bytes], bool], limit_s: float) -> str:
        """Write `text` and read until what was read is a whole answer, or stdout ends.

        Raises:
            ProcessFault: no answer in time, a flood, or output before it was asked for.
        """
        if self.answers:  # a program that just begins may be quick
            self._refuse_unasked()
        self._pump(text.encode(), is_whole, limit_s)
        self.answers += 1
        output, self._output = self._output, b""
        return output.decode("utf-8", "replace")

    def put_back(self, text: str) -> None:
        """Keep what was read beyond the answer: it was not asked for."""
        self._output = text.encode()

    def tell(self, text: str, limit_s: float) -> None:
        """Write `text`, to which there is no answer.

        Raises:
            ProcessFault: it does not read.
        """
        self._pump(text.encode(), lambda output: False, limit_s, reads=False)

    def _refuse_unasked(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            if selector.select(0):
                self._output += self._read(self._process.stdout)
        if unasked := self._output.strip():
            raise ProcessFault("nonsense", f"wrote without being asked: {unasked!r:.80}")
        self._output = b""

    def _pump(
        self, text: bytes, is_whole: Callable[[bytes], bool], limit_s: float, *, reads: bool = True
    ) -> None:
        """Write all of `text`, and where `reads`, read until an answer is whole or stdout ends."""
        deadline = time.monotonic() + limit_s
        stdin, stdout, stderr = self._process.stdin, self._process.stdout, self._process.stderr
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)  # type: ignore[arg-type]
            selector.register(stderr, selectors.EVENT_READ)  # type: ignore[arg-type]
            if reads:
                selector.register(stdout, selectors.EVENT_READ)  # type: ignore[arg-type]
            while reads or text:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise ProcessFault("timeout", f"no answer in time{self._log.tail()}")
                events = selector.select(min(left, GLANCE_S))
                if reads and not events and self._process.poll() is not None:
                    return  # it has ended, and something that it started keeps stdout open
                for key, _ in events:
                    if key.fileobj is stdin:
                        text = self._write(text)
                        if not text:
                            selector.unregister(stdin)
                    elif key.fileobj is stderr:
                        if data := self._read(stderr):
                            self._log.write(data)
                        else:
                            selector.unregister(stderr)
                    elif not (data := self._read(stdout)) or self._is_done(data, is_whole):
                        return

    def _is_done(self, data: bytes, is_whole: Callable[[bytes], bool]) -> bool:
        self._output += data
        if is_whole(self._output):
            return True
        if len(self._output) > MAX_OUTPUT:
            raise ProcessFault("nonsense", f"an answer of more than {MAX_OUTPUT} bytes")
        return False

    def _write(self, text: bytes) -> bytes:
        """Write what there is room for; returns the rest."""
        assert self._process.stdin is not None  # noqa: S101 - it is a pipe
        try:
            return text[os.write(self._process.stdin.fileno(), text) :]
        except BlockingIOError:
            return text
        except OSError:  # it reads no more: whether it answers is another question
            return b""

    def _read(self, pipe: Any) -> bytes:
        """What is there; b"" at the end."""
        with suppress(OSError):
            return os.read(pipe.fileno(), CHUNK)
        return b""

    def kill(self) -> None:
        """`close` without a grace."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self.close()

    def obituary(self) -> str:
        """How the process ended: call it when stdout has."""
        try:
            code = self._process.wait(GONE_S)
        except subprocess.TimeoutExpired:
            return "it closed its output"
        if data := self._read(self._process.stderr):
            self._log.write(data)
        how = f"exit status {code}" if code >= 0 else f"signal {-code}, {signal.strsignal(-code)}"
        return f"it ended: {how}{self._log.tail()}"


def _die_with_us() -> list[str]:
    """The words that let a process end when ours is killed, where the system has them."""
    program = shutil.which("setpriv")
    return [program, "--pdeathsig", "KILL"] if program else []


def _end(process: subprocess.Popen[bytes], mark: str) -> None:
    """Let a process end, then kill its group and whatever else bears its mark."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with suppress(OSError):
            pipe.close()  # type: ignore[union-attr]  # they are pipes
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GONE_S)
    deadline = time.monotonic() + GONE_S
    while (left := _marked(f"{MARK}={mark}".encode())) and time.monotonic() < deadline:
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            with suppress(OSError):  # orphans become our children where we are the first process
                os.waitpid(pid, os.WNOHANG)


def _marked(mark: bytes) -> list[int]:
    """The processes with a word in their environment; none where the system does not tell."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        with suppress(OSError), open(f"/proc/{name}/environ", "rb", 0) as file:
            if mark in file.read():
                found.append(int(name))
    return found


class Program:
    """A program that may be started several times."""

    def __init__(self, text: str, environment: Mapping[str, str]) -> None:
        """`text` is a command, with settings before it.

        Raises:
            AgentError: see `parse_command`.
        """
        self.command, self.settings = parse_command(text)
        self.failures = 0
        self.log = Log(Path(self.command[-1]).name)
        self._last = ""
        home = tempfile.mkdtemp(prefix="jipae-home-")
        weakref.finalize(self, shutil.rmtree, home, ignore_errors=True)
        places = {"PATH": PATH, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
        self.environment = {**places, **environment}

    def start(self) -> Process:
        """A new process.

        Raises:
            ProcessFault: it failed too often before, or cannot be started.
        """
        if self.failures >= self.settings.failures:
            message = f"it is not started again after {self.failures} failures, the last: "
            raise ProcessFault("crashed", message + self._last)
        return Process(self)

    def failed(self, fault: ProcessFault) -> None:
        """Count a failure that has cost a process."""
        self.failures += 1
        self._last = str(fault)


class ForeignAgent(ABC):
    """An agent whose decisions are made by a program; a row it fails at leaves the others alone."""

    environment: ClassVar[Mapping[str, str]] = {}
    """Variables that the program finds beside the usual ones."""

    def __init__(self, game: Game, rules: Any, text: str) -> None:
        """Get ready; `text` is a command, with settings before it.

        Raises:
            AgentError: see `parse_command`.
        """
        self.game = game
        self.rules = rules
        self.program = Program(text, self.environment)
        self._answers: dict[int, tuple[int, int | ProcessFault]] = {}
        self._banks: dict[int, float] = {}

    @abstractmethod
    def choose(self, decision: Decision) -> int:
        """The id of the action that the program wants.

        Raises:
            ProcessFault: it gives no usable answer.
        """

    def end_games(self, tables: Array, scores: Array) -> None:
        """Learn that the games of these seats [N] are over, and what they brought, [N]."""
        for table in tables.tolist():
            self._answers.pop(table, None)
            self._banks.pop(table, None)

    @abstractmethod
    def close(self) -> None:
        """Stop the program; without this it stops when the agent is no longer used."""

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Call `choose` for each row, see `Agent.act`; a decision asked again is not made again.

        Raises:
            RowFaults: the program failed at some of them.
        """
        actions = np.full(len(masks), -1, np.int64)
        faults = {}
        rows = zip(observations, masks, keys.tolist(), tables.tolist(), strict=True)
        for row, question in enumerate(rows):
            answer = self._answer(Decision(self.game, self.rules, *question))
            if isinstance(answer, ProcessFault):
                faults[row] = answer
            else:
                actions[row] = answer
        if faults:
            raise RowFaults(actions, faults)
        return actions

    def _answer(self, decision: Decision) -> int | ProcessFault:
        key, answer = self._answers.get(decision.table, (None, None))
        if answer is None or (key != decision.key and not isinstance(answer, ProcessFault)):
            try:
                answer = self.choose(decision)
            except ProcessFault as fault:
                answer = fault
            self._answers[decision.table] = (decision.key, answer)
        return answer

    def bank_left(self, table: int) -> float:
        """Seconds beyond the usual ones that the game of a table still has."""
        return self._banks.get(table, self.program.settings.bank_s)

    def ask(
        self, process: Process, table: int, text: str, is_whole: Callable[[bytes], bool]
    ) -> str:
        """Ask a process for a table, on the clock of the game.

        Raises:
            ProcessFault: see `Process.ask`.
        """
        settings = self.program.settings
        free = settings.move_s + (0 if process.answers else settings.start_s)
        bank = self.bank_left(table)
        began = time.monotonic()
        try:
            return process.ask(text, is_whole, free + bank)
        finally:
            over = time.monotonic() - began - free
            if over > 0:
                self._banks[table] = max(bank - over, 0.0)
