"""One game's tournament: its agents, pair by pair and all together, on the same deals."""

import functools
import hashlib
import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import envs
from agents.base import Agent
from agents.roster import PARTNERS
from envs.core.game import Array, Game
from envs.core.rules import changed_options
from eval.match import Foul, OnEnded, has_sides, ignore, seatings
from eval.results import Failure, Pair, Rank, Results, package_version
from eval.statistics import (
    Estimate,
    deals_for_half_width,
    estimate_mean,
    estimate_rate,
    half_width,
    holm,
    sign_flip_p,
)
from eval.store import Store
from eval.workers import Chunk, Group, Job, PlayChunks

MIN_DEALS = 100
"""Deals before the intervals are looked at for the first time: few may be equal by chance."""
GROWTH = 4
"""From one look at the intervals to the next come a 4th more deals: few looks, little chance to
stop because of a narrow interval that is so by luck."""
WANTED_HALF_WIDTH = 0.01
"""Of a win rate, where no other is asked for."""


class Score(NamedTuple):
    """What some deals brought to the P agents of a group; see `Outcome`."""

    differences: Array
    """[P, D] float64."""
    win_shares: Array
    """[P, D] float64."""
    fouls: list[Foul]
    """Players and deals are those of the contest."""


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
            "files": _file_digests(self.sources),
            "deals": self.deals,
            "seed": self.seed,
            "batch_size": self.batch_size,
            "until_half_width": self.until_half_width,
            "records": self.records,
            "version": package_version(),
        }

    def play(self, store: Store, play_chunks: PlayChunks, on_ended: OnEnded = ignore) -> Results:
        """Play all deals that the store of this contest lacks; Ctrl-C ends it early, with the
        results of what is finished.

        Deals are played in chunks, and a chunk counts once all of its games have ended: games
        that end soon are not like the others. `on_ended(num)` is told of games that have ended.

        Raises:
            AgentError: workers die.
        """
        started = time.monotonic()
        interrupted, end = False, 0
        try:
            for first, end in self._rounds():
                missing = [chunk for chunk in self._chunks(first, end) if not store.has(chunk)]
                for chunk, played in play_chunks(missing, on_ended):
                    store.add(chunk, played)
                if end < self.deals and self._is_narrow(store, end):
                    break
        except KeyboardInterrupt:
            interrupted = True
        scores = [self._score(store, number, end) for number in range(len(self.groups))]
        return self._results(scores, interrupted, round(time.monotonic() - started, 3))

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
                rate = estimate_rate(self._score(store, number, end).win_shares[0])
                if half_width(rate) > self.until_half_width:
                    return False
        return True

    def _score(self, store: Store, number: int, end: int) -> Score:
        """What the deals before `end` brought to a group, up to the first that is not finished."""
        group = self.groups[number]
        num_deals = min(store.count_deals(number), end)
        step = max(self.batch_size // group.games, 1)
        none = np.empty((len(group.players), 0))
        differences, win_shares, fouls = [none], [none], []
        for first in range(0, num_deals, step):
            outcome = store.read(Chunk(number, first, min(step, num_deals - first)))
            places = range(len(group.players))
            differences.append(np.array([outcome.differences(place) for place in places]))
            win_shares.append(np.array([outcome.win_shares(place) for place in places]))
            fouls += [
                replace(foul, player=group.players[foul.player], deal=first + foul.deal)
                for foul in outcome.fouls
            ]
        return Score(np.concatenate(differences, axis=1), np.concatenate(win_shares, axis=1), fouls)

    def _results(self, scores: list[Score], interrupted: bool, duration_s: float) -> Results:
        by_group = list(zip(self.groups, scores, strict=True))
        pairs = [(group, score) for group, score in by_group if len(group.players) == 2]
        return Results(
            game=self.game.name,
            game_version=self.game.version,
            options=changed_options(self.rules),
            seed=self.seed,
            deals=self.deals,
            games_per_deal=self.games_per_deal,
            agents=self.names,
            pairs=self._pairs(pairs),
            ranking=self._ranking(pairs),
            together=self._ranking(by_group[len(pairs) :]),
            failures=self._failures([foul for score in scores for foul in score.fouls]),
            until_half_width=self.until_half_width,
            wanted_half_width=self._wanted_half_width,
            interrupted=interrupted,
            duration_s=duration_s,
            version=package_version(),
        )

    @property
    def _wanted_half_width(self) -> float:
        return self.until_half_width or WANTED_HALF_WIDTH

    def _pairs(self, scores: list[tuple[Group, Score]]) -> list[Pair]:
        p_values = [sign_flip_p(score.differences[0]) for _, score in scores]
        corrected = holm([1.0 if p is None else p for p in p_values])
        pairs = []
        for (group, score), p, p_holm in zip(scores, p_values, corrected, strict=True):
            a, b = (self.names[player] for player in group.players)
            summary = _summary(score.differences[0], score.win_shares[0])
            rate = Estimate(summary["win_rate"], *summary["win_rate_ci"])
            wanted = deals_for_half_width(rate, summary["deals"], self._wanted_half_width)
            summary["deals_wanted"] = wanted
            summary |= {"p_value": p, "p_holm": None if p is None else p_holm}
            pairs.append(Pair(a=a, b=b, **summary))
        return pairs

    def _ranking(self, scores: list[tuple[Group, Score]]) -> list[Rank]:
        """Each agent against all others, over the deals that all the groups have finished."""
        deals = min((score.differences.shape[1] for _, score in scores), default=0)
        ranks = []
        for player, name in enumerate(self.names if scores else []):
            own = [
                (score.differences[place, :deals], score.win_shares[place, :deals])
                for group, score in scores
                for place, other in enumerate(group.players)
                if other == player
            ]
            ranks.append(Rank(agent=name, **_summary(*np.mean(own, axis=0))))
        return sorted(ranks, key=lambda rank: -(rank.mean_diff or 0.0))

    def _failures(self, fouls: list[Foul]) -> list[Failure]:
        """Fouls by agent and kind, those that cost most games first."""
        groups: dict[tuple[int, str], list[Foul]] = {}
        for foul in fouls:
            groups.setdefault((foul.player, foul.kind), []).append(foul)
        failures = []
        for (player, kind), group in groups.items():
            first = min(group, key=lambda foul: foul.deal)
            failures.append(
                Failure(
                    agent=self.names[player],
                    kind=kind,
                    games=len(group),
                    first_deal=first.deal,
                    first_message=first.message,
                )
            )
        return sorted(failures, key=lambda failure: -failure.games)


def _file_digests(sources: list[str]) -> dict[str, str]:
    """Digest of every file that agents are built by, so that a changed one is noticed."""
    parts = [part for source in sources for part in source.split(PARTNERS)]
    files = [path for part in parts if (path := part.rpartition(":")[0]).endswith(".py")]
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12] for path in files}


def _summary(differences: Array, win_shares: Array) -> dict[str, Any]:
    """The fields that `Pair` and `Rank` share, of the deals [D] of one agent."""
    diff = estimate_mean(differences)
    rate = estimate_rate(win_shares)
    return {
        "deals": len(differences),
        "mean_diff": diff.mean,
        "ci_low": diff.low,
        "ci_high": diff.high,
        "win_rate": rate.mean,
        "win_rate_ci": [rate.low, rate.high],
    }
