"""A contest's deals on a Ray cluster that is already there; the results are the same as anywhere.

Each CPU gets an actor: a worker that has built its own agents and plays chunk after chunk. This
package and the files of agents must be on every machine of the cluster at the same place.
"""

import importlib
import logging
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from envs.core.errors import AgentError, RulesError
from eval.match import OnEnded
from eval.workers import Chunk, Crashes, Job, PlayChunks, Played, Worker

MAX_LOSSES = 5
"""A chunk that is lost with its actor is played again until it has cost so many: machines of a
cluster come and go, so one loss more or less says little about an agent."""
MAX_FALSE_STARTS = 20
"""So many actors in a row may be lost before they have built their agents."""


class PlayingActor:
    """A worker somewhere in the cluster."""

    def build(self, job: Job) -> None:
        """Build the agents: not as it is created, since an error there looks like a lost actor."""
        self._worker = Worker.build(job)

    def play(self, chunk: Chunk) -> Played:
        """Play a chunk."""
        return self._worker.play(chunk)


@contextmanager
def ray_actors(job: Job, num: int | None) -> Iterator[PlayChunks]:
    """Actors on the cluster that RAY_ADDRESS names or that runs here, which are ended at the end of
    the context; it gives what plays chunks.

    num: how many; one for each CPU of the cluster if None.

    Raises:
        RulesError: ray is not installed, or there is no cluster.
    """
    ray, has_joined = _join()
    actors = _Actors(ray, job, num or max(int(ray.cluster_resources().get("CPU", 1)), 1))
    try:
        yield actors.play
    finally:
        actors.stop()
        if has_joined:
            ray.shutdown()


class _Actors:
    def __init__(self, ray: Any, job: Job, num: int) -> None:
        self.job = job
        self._ray, self._num = ray, num
        self._actor_class = self._ray.remote(PlayingActor).options(num_cpus=1)
        self._idle: list[Any] = []
        self._busy: dict[Any, tuple[Any, Chunk | None]] = {}
        """Actors and their chunks, None for one that builds its agents, by what they promised."""
        self._false_starts = 0

    def stop(self) -> None:
        """End them all."""
        for actor in [*self._idle, *(actor for actor, _ in self._busy.values())]:
            self._ray.kill(actor)

    def play(self, chunks: Sequence[Chunk], on_ended: OnEnded) -> Iterator[tuple[Chunk, Played]]:
        """Play chunks, see `PlayChunks`. One that is lost with its actor is played by another.

        Raises:
            AgentError: a chunk has cost too many actors, or they cannot even build their agents.
        """
        waiting, crashes = deque(chunks), Crashes(self.job, MAX_LOSSES)
        while waiting or any(chunk for _, chunk in self._busy.values()):
            self._give(waiting)
            actor, chunk, played = self._next(crashes)
            if actor is not None:
                self._idle.append(actor)
            elif chunk is not None:
                waiting.appendleft(chunk)
            if chunk is not None and played is not None:
                on_ended(played.outcome.lost_by.size)
                yield chunk, played

    def _give(self, waiting: deque[Chunk]) -> None:
        """Let idle actors play what waits; start new ones if there are too few."""
        num_playing = sum(chunk is not None for _, chunk in self._busy.values())
        wanted = min(self._num, len(waiting) + num_playing)
        while len(self._idle) + len(self._busy) < wanted:
            actor = self._actor_class.remote()
            self._busy[actor.build.remote(self.job)] = actor, None
        while self._idle and waiting:
            actor, chunk = self._idle.pop(), waiting.popleft()
            self._busy[actor.play.remote(chunk)] = actor, chunk

    def _next(self, crashes: Crashes) -> tuple[Any, Chunk | None, Played | None]:
        """The next actor that is done or lost, None then; its chunk, and what that brought."""
        errors = self._ray.exceptions
        [promise], _ = self._ray.wait(list(self._busy), num_returns=1)
        actor, chunk = self._busy.pop(promise)
        try:
            played = self._ray.get(promise)
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            self._ray.kill(actor)  # it may only be out of reach
            how = str(error).partition("\n")[0]
            if chunk is not None:
                crashes.add(chunk, how)
            else:
                self._count_false_start(how)
            return None, chunk, None
        self._false_starts = 0
        return actor, chunk, played

    def _count_false_start(self, how: str) -> None:
        self._false_starts += 1
        if self._false_starts == MAX_FALSE_STARTS:
            raise AgentError(f"cluster: actors die before they have built their agents: {how}")


def _join() -> tuple[Any, bool]:
    """The module ray, in touch with a cluster, and whether it was not so before."""
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise RulesError('cluster: ray is missing: pip install "jipae[cluster]"') from error
    if ray.is_initialized():
        return ray, False
    try:
        ray.init(address="auto", log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise RulesError(f"cluster: none to join (`ray start --head`): {reason}") from error
    return ray, True
