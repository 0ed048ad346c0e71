"""One game's tournament: every pair of its agents on the same deals, and what comes of it."""

import functools
import itertools
import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent
from envs.core.game import Array, Game
from envs.core.rng import spawn_seeds
from envs.core.rules import changed_options
from eval.match import Foul, OnEnded, ignore, play_deals, seatings
from eval.results import Failure, Pair, Rank, Results, package_version
from eval.statistics import estimate_mean, estimate_rate


class Score(NamedTuple):
    """What some deals brought between two agents; see `Outcome`."""

    differences: Array
    """[D] float64."""
    win_shares: Array
    """[D] float64."""
    fouls: list[Foul]
    """Players and deals are those of the contest."""


@dataclass(frozen=True, kw_only=True)
class Contest:
    """One game's tournament, ready to be played."""

    game: Game
    rules: Any
    names: list[str]
    """All different."""
    agents: list[Agent]
    deals: int
    seed: int
    batch_size: int
    """Games that advance together, about."""

    @functools.cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Indices of the agents of each pair."""
        return list(itertools.combinations(range(len(self.agents)), 2))

    @functools.cached_property
    def games_per_deal(self) -> int:
        """Games a pair plays of each deal."""
        one_deal = self.game.new_games(self.rules, [0])
        return int(seatings(self.game, self.rules, one_deal).shape[1])

    @property
    def deals_per_batch(self) -> int:
        """Deals that a pair plays at once."""
        return max(self.batch_size // self.games_per_deal, 1)

    def play(self, on_ended: OnEnded = ignore) -> Results:
        """Play all deals; Ctrl-C ends it early, with the results of what is finished.

        Deals are played in batches, and a batch counts once all of its games have ended: games
        that end soon are not like the others. `on_ended(num)` is told of games that have ended.
        """
        started = time.monotonic()
        scores: list[list[Score]] = [[] for _ in self.pairs]
        interrupted = False
        try:
            for first in range(0, self.deals, self.deals_per_batch):
                for number in range(len(scores)):
                    scores[number].append(self._play_batch(number, first, on_ended))
        except KeyboardInterrupt:
            interrupted = True
        joined = [_join(parts) for parts in scores]
        return Results(
            game=self.game.name,
            game_version=self.game.version,
            options=changed_options(self.rules),
            seed=self.seed,
            deals=self.deals,
            games_per_deal=self.games_per_deal,
            agents=self.names,
            pairs=[self._pair(*item) for item in zip(self.pairs, joined, strict=True)],
            ranking=self._ranking(joined),
            failures=self._failures([foul for score in joined for foul in score.fouls]),
            interrupted=interrupted,
            duration_s=round(time.monotonic() - started, 3),
            version=package_version(),
        )

    def _play_batch(self, number: int, first: int, on_ended: OnEnded) -> Score:
        """Play a batch of deals for pair `number`, from deal `first` on."""
        pair = self.pairs[number]
        num = min(self.deals_per_batch, self.deals - first)
        tables_per_deal = self.games_per_deal * self.game.num_seats(self.rules)
        outcome = play_deals(
            self.game,
            self.rules,
            [self.agents[player] for player in pair],
            spawn_seeds(self.seed, num, first),
            first_table=(number * self.deals + first) * tables_per_deal,
            on_ended=on_ended,
        )
        fouls = [
            replace(foul, player=pair[foul.player], deal=first + foul.deal)
            for foul in outcome.fouls
        ]
        return Score(outcome.differences(), outcome.win_shares(), fouls)

    def _pair(self, pair: tuple[int, int], score: Score) -> Pair:
        return Pair(a=self.names[pair[0]], b=self.names[pair[1]], **_summary(score))

    def _ranking(self, scores: list[Score]) -> list[Rank]:
        """Each agent against all others, over the deals that every pair has finished."""
        deals = min(len(score.differences) for score in scores)
        ranks = []
        for player, name in enumerate(self.names):
            against_others = [
                (score.differences[:deals], score.win_shares[:deals])
                if player == pair[0]
                else (-score.differences[:deals], 1 - score.win_shares[:deals])
                for pair, score in zip(self.pairs, scores, strict=True)
                if player in pair
            ]
            differences, shares = np.mean(against_others, axis=0)
            ranks.append(Rank(agent=name, **_summary(Score(differences, shares, []))))
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


def _join(parts: list[Score]) -> Score:
    """The scores of several batches as one."""
    return Score(
        np.concatenate([np.empty(0), *(part.differences for part in parts)]),
        np.concatenate([np.empty(0), *(part.win_shares for part in parts)]),
        [foul for part in parts for foul in part.fouls],
    )


def _summary(score: Score) -> dict[str, Any]:
    """The fields that `Pair` and `Rank` share."""
    diff = estimate_mean(score.differences)
    rate = estimate_rate(score.win_shares)
    return {
        "deals": len(score.differences),
        "mean_diff": diff.mean,
        "ci_low": diff.low,
        "ci_high": diff.high,
        "win_rate": rate.mean,
        "win_rate_ci": [rate.low, rate.high],
    }
