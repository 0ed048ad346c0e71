"""One game's tournament: its agents, pair by pair and all together, on the same deals."""

import functools
import hashlib
import itertools
import math
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import envs
from agents.base import Agent
from agents.roster import PARTNERS
from envs.core.game import Game
from envs.core.rules import changed_options
from eval.match import OnEnded, has_sides, ignore, seatings
from eval.results import Results, package_version
from eval.statistics import estimate_rate, half_width
from eval.store import Run, Store
from eval.summary import summarize
from eval.workers import Chunk, Group, Job, PlayChunks

MIN_DEALS = 100
"""Deals before the intervals are looked at for the first time: few may be equal by chance."""
GROWTH = 4
"""From one look at the intervals to the next come a 4th more deals: few looks, little chance to
stop because of a narrow interval that is so by luck."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """One game's tournament, ready to be played."""

    game: Game
    rules: Any
    names: list[str]
    """All different."""
    sources: list[str]
    """What the agents are built by."""
    agents: list[Agent]
    deals: int
    seed: int
    batch_size: int
    """Games that advance together, about."""
    until_half_width: float | None
    """Of all pairs' win rates: where it is reached no more deals are played."""
    control: bool
    """Whether the results are to have intervals with control variates, too."""
    records: bool
    """Whether every game is to be written down."""

    @functools.cached_property
    def groups(self) -> list[Group]:
        """Every pair of agents; then, where nobody has a partner, all of them if they find seats.

        Of two agents the pair is all of them.
        """
        num = len(self.names)
        one_deal = self.game.new_games(self.rules, [0])
        num_seats = self.game.num_seats(self.rules)
        players: list[tuple[int, ...]] = list(itertools.combinations(range(num), 2))
        if 2 < num <= num_seats and not has_sides(self.game, self.rules, one_deal):
            players.append(tuple(range(num)))
        groups, table = [], 0
        for group in players:
            games = seatings(self.game, self.rules, one_deal, len(group)).shape[1]
            groups.append(Group(group, games, table))
            table += self.deals * games * num_seats
        return groups

    @property
    def games_per_deal(self) -> int:
        """Games a pair plays of each deal."""
        return self.groups[0].games

    @functools.cached_property
    def job(self) -> Job:
        """What a worker needs to know."""
        return Job(
            module=envs.GAMES[self.game.name],
            rules=self.rules,
            agents=self.sources,
            names=self.names,
            groups=self.groups,
            seed=self.seed,
            records=self.records,
        )

    @functools.cached_property
    def settings(self) -> dict[str, Any]:
        """All that the results depend on, as plain data."""
        return {
            "game": self.game.name,
            "game_version": self.game.version,
            "options": changed_options(self.rules),
            "agents": self.sources,
            "names": self.names,
            "files": file_digests(self.sources),
            "deals": self.deals,
            "seed": self.seed,
            "batch_size": self.batch_size,
            "until_half_width": self.until_half_width,
            "control": self.control,
            "records": self.records,
            "version": package_version(),
        }

    def play(
        self, store: Store, play_chunks: PlayChunks, on_ended: OnEnded = ignore
    ) -> tuple[Run, Results]:
        """Play all deals that the store of this contest lacks: what is finished then, and what it
        says. Ctrl-C ends it early.

        Deals are played in chunks, and a chunk counts once all of its games have ended: games
        that end soon are not like the others. `on_ended(num)` is told of games that have ended.

        Raises:
            AgentError: workers die.
        """
        started = time.monotonic()
        interrupted = False
        try:
            for first, end in self._rounds():
                missing = [chunk for chunk in self._chunks(first, end) if not store.has(chunk)]
                for chunk, played in play_chunks(missing, on_ended):
                    store.add(chunk, played)
                if end < self.deals and self._is_narrow(store, end):
                    break
        except KeyboardInterrupt:
            interrupted = True
        duration_s = round(time.monotonic() - started, 3)
        run = store.run()
        return run, summarize(run, interrupted=interrupted, duration_s=duration_s)

    def _rounds(self) -> Iterator[tuple[int, int]]:
        """First deal and end of what is played before the intervals are looked at again.

        They depend on the settings alone, so a run that is gone on with stops where it would have.
        """
        if self.until_half_width is None:
            yield 0, self.deals
            return
        step = max(self.batch_size // self.games_per_deal, 1)
        first, chunks = 0, math.ceil(MIN_DEALS / step)
        while first < self.deals:
            end = min(first + chunks * step, self.deals)
            yield first, end
            first, chunks = end, math.ceil(end / step / GROWTH)

    def _chunks(self, first: int, end: int) -> list[Chunk]:
        """The work from deal `first` to before `end`: all groups about as far at any time."""
        chunks = []
        for number, group in enumerate(self.groups):
            step = max(self.batch_size // group.games, 1)
            for deal in range(first, end, step):
                chunks.append(Chunk(number, deal, min(step, end - deal)))
        return sorted(chunks, key=lambda chunk: (chunk.first, chunk.group))

    def _is_narrow(self, store: Store, end: int) -> bool:
        """Whether all pairs' win rates are known well enough from the deals before `end`."""
        assert self.until_half_width is not None  # noqa: S101 - there is one round otherwise
        for number, group in enumerate(self.groups):
            if len(group.players) == 2:
                shares = store.read(Chunk(number, 0, end)).win_shares()
                if half_width(estimate_rate(shares)) > self.until_half_width:
                    return False
        return True


def file_digests(sources: list[str]) -> dict[str, str]:
    """Digest of every file that agents are built by, so that a changed one is noticed."""
    digests = {}
    for name in itertools.chain.from_iterable(map(file_names, sources)):
        path = Path(name)
        if (path.suffix or path.name != name) and path.is_file():
            digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return digests


def file_names(source: str) -> list[str]:
    """What may be a file in the name of an agent: `bot.py` of `bot.py:Bot+random`, and others."""
    words = (source, *re.split(rf"[\s{PARTNERS}]", source))
    return [
        name for word in words for name in (word, word.rpartition(":")[0], word.partition(":")[2])
    ]
