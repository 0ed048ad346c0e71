"""Who plays a contest's deals: this process or several of them, with the same results.

The work comes in chunks, fixed by the numbers of their deals alone. A chunk is played whole, by one
worker that has built its own agents, so neither an agent's memory nor what it makes of a batch
depends on how many workers there are or on which of them plays.
"""

import importlib
import logging
import multiprocessing
import os
import signal
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from time import monotonic
from typing import Any, NamedTuple

from agents.base import Agent
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import Game
from envs.core.record import make_record
from envs.core.rng import spawn_seeds
from eval.match import OnEnded, Outcome, ignore, play_deals

logger = logging.getLogger(__name__)

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables that say how many threads numpy's and torch's libraries use."""
TELL_S = 0.2
"""A worker tells of ended games at most so often."""
PATIENCE_S = 5.0
"""How long a worker may take to clean up before it is killed."""
MAX_CRASHES = 2
"""A chunk whose worker dies is played again until it has cost so many workers."""


class Group(NamedTuple):
    """Agents that meet in every deal."""

    players: tuple[int, ...]
    """Their numbers in the contest."""
    games: int
    """Games they play of each deal."""
    first_table: int
    """Number of the first seat of their first game."""


class Chunk(NamedTuple):
    """Some deals of one group."""

    group: int
    first: int
    """Number of the first deal."""
    num: int


class Played(NamedTuple):
    """What a chunk brought."""

    outcome: Outcome
    records: list[str]
    """[D * G]: a line of JSON for each game; empty unless they are wanted."""


PlayChunks = Callable[[Sequence[Chunk], OnEnded], Iterator[tuple[Chunk, Played]]]
"""Plays chunks and gives each as it is finished, in any order."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What a worker needs to know of a contest: plain data, which goes to other processes."""

    module: str
    """That holds the game as GAME."""
    rules: Any
    agents: list[str]
    """What they are built by."""
    names: list[str]
    """What they are called in records."""
    groups: list[Group]
    seed: int
    records: bool
    """Whether every game is to be written down."""


class Worker:
    """Plays chunks with its own agents."""

    def __init__(self, job: Job, game: Game, agents: Sequence[Agent]) -> None:
        """Get ready with agents that are built already."""
        self.job, self.game, self.agents = job, game, agents

    @classmethod
    def build(cls, job: Job) -> "Worker":
        """A worker with new agents.

        Raises:
            AgentError: one of them cannot be built.
        """
        game = importlib.import_module(job.module).GAME
        return cls(job, game, [make_agent(name, game, job.rules) for name in job.agents])

    def play(self, chunk: Chunk, on_ended: OnEnded = ignore) -> Played:
        """Play the deals of a chunk."""
        job, group = self.job, self.job.groups[chunk.group]
        seeds = spawn_seeds(job.seed, chunk.num, chunk.first)
        tables = chunk.first * group.games * self.game.num_seats(job.rules)
        outcome = play_deals(
            self.game,
            job.rules,
            [self.agents[player] for player in group.players],
            seeds,
            first_table=group.first_table + tables,
            on_ended=on_ended,
            keep_actions=job.records,
        )
        seats = outcome.seating.reshape(chunk.num * group.games, -1)
        records = [
            self._record(int(seeds[game // group.games]), actions, group, seats[game])
            for game, actions in enumerate(outcome.actions)
        ]
        return Played(replace(outcome, actions=[]), records)

    def play_all(
        self, chunks: Sequence[Chunk], on_ended: OnEnded
    ) -> Iterator[tuple[Chunk, Played]]:
        """Play chunks one after the other, see `PlayChunks`."""
        for chunk in chunks:
            yield chunk, self.play(chunk, on_ended)

    def _record(self, seed: int, actions: list[int], group: Group, seats: Any) -> str:
        """One game as a line of JSON."""
        record = make_record(self.game, self.job.rules, seed, actions, skip_forced=True)
        players = [self.job.names[group.players[player]] for player in seats]
        return replace(record, players=players).to_json()


def describe_chunk(job: Job, chunk: Chunk) -> str:
    """A chunk in words: `deals 0 to 169 of rule and random`."""
    names = " and ".join(job.names[player] for player in job.groups[chunk.group].players)
    return f"deals {chunk.first} to {chunk.first + chunk.num - 1} of {names}"


class Crashes:
    """Counts the workers that each chunk has cost."""

    def __init__(self, job: Job, most: int) -> None:
        """A chunk may cost fewer workers than `most`."""
        self.job, self.most = job, most
        self._counts: Counter[Chunk] = Counter()

    def add(self, chunk: Chunk, how: str) -> None:
        """A worker died over a chunk; `how` says how it ended.

        Raises:
            AgentError: it was the last that the chunk may cost.
        """
        self._counts[chunk] += 1
        what = f"{describe_chunk(self.job, chunk)}: the worker died ({how})"
        if self._counts[chunk] == self.most:
            raise AgentError(f"{what}, as did {self.most - 1} before it")
        logger.warning("%s; they are played again", what)


@contextmanager
def processes(job: Job, num: int) -> Iterator[PlayChunks]:
    """At most `num` worker processes, each started when there is work for it and ended at the end
    of the context; it gives what plays chunks.
    """
    pool = _Pool(job, num)
    try:
        yield pool.play
    finally:
        pool.stop()


class _Pool:
    def __init__(self, job: Job, num: int) -> None:
        self.job, self.num = job, num
        self._processes: list[_Process] = []

    def stop(self) -> None:
        """End them all."""
        for process in self._processes:
            process.stop()
        for process in self._processes:
            process.wait()

    def play(self, chunks: Sequence[Chunk], on_ended: OnEnded) -> Iterator[tuple[Chunk, Played]]:
        """Play chunks, see `PlayChunks`. One whose worker dies is played again by another, once.

        Raises:
            AgentError: a chunk's second worker died, too.
        """
        waiting, crashes = deque(chunks), Crashes(self.job, MAX_CRASHES)
        while len(self._processes) < min(self.num, len(waiting)):
            self._processes.append(_Process(self.job))
        while True:
            for process in self._processes:
                if process.chunk is None and waiting:
                    process.give(waiting.popleft())
            busy = {process.pipe: process for process in self._processes if process.chunk}
            if not busy:
                return
            for pipe in wait(list(busy)):
                process = busy[pipe]  # type: ignore[index]  # only pipes were asked for
                chunk, told = process.take(on_ended)
                if told is not None:
                    yield chunk, told
                elif process.has_died:
                    process.stop()
                    on_ended(-process.ended)
                    self._processes[self._processes.index(process)] = _Process(self.job)
                    waiting.appendleft(chunk)
                    crashes.add(chunk, process.wait())


class _Process:
    """A worker process, and the chunk it is at."""

    def __init__(self, job: Job) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.chunk: Chunk | None = None
        self.ended = 0
        """Games of the chunk that have ended."""
        self.has_died = False
        self._process = context.Process(target=serve, args=(theirs, job))
        with _undisturbed():
            self._process.start()
        theirs.close()

    def give(self, chunk: Chunk) -> None:
        """Let it play a chunk."""
        self.chunk, self.ended = chunk, 0
        with suppress(OSError):  # it has died, which `take` finds out
            self.pipe.send(chunk)

    def take(self, on_ended: OnEnded) -> tuple[Chunk, Played | None]:
        """Hear what it says of its chunk: the result, if that is it."""
        assert self.chunk is not None  # noqa: S101 - it has something to say
        chunk = self.chunk
        try:
            told = self.pipe.recv()
        except (EOFError, OSError):
            self.has_died = True
            return chunk, None
        if isinstance(told, int):
            self.ended += told
            on_ended(told)
            return chunk, None
        self.chunk = None
        return chunk, told

    def stop(self) -> None:
        """Ask it to end."""
        self._process.terminate()
        self.pipe.close()

    def wait(self) -> str:
        """Let it end, or make it; says how it ended."""
        self._process.join(PATIENCE_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit status {code}"


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Processes started meanwhile never see Ctrl-C, which is for the process that started them to
    deal with, and use one thread each.
    """
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    can_block = hasattr(signal, "pthread_sigmask")  # not on Windows
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if can_block else None
    try:
        yield
    finally:
        if blocked is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def serve(pipe: Connection, job: Job) -> None:
    """A worker process: plays the chunks that come through the pipe until it closes.

    Back go numbers of ended games, then the chunk's `Played`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    with suppress(EOFError, ConnectionError, KeyboardInterrupt):
        worker = Worker.build(job)
        while True:
            chunk = pipe.recv()
            tally = _Tally(pipe)
            played = worker.play(chunk, tally.add)
            tally.tell()
            pipe.send(played)


def _stop(signum: int, frame: Any) -> None:
    raise KeyboardInterrupt  # which no agent's errors are taken for


class _Tally:
    """Sends numbers of ended games, now and then."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._ended, self._told = pipe, 0, monotonic()

    def add(self, num: int) -> None:
        """So many have ended."""
        self._ended += num
        if monotonic() - self._told > TELL_S:
            self.tell()

    def tell(self) -> None:
        """Send them."""
        self._pipe.send(self._ended)
        self._ended, self._told = 0, monotonic()
