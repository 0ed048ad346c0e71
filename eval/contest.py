"""One game's tournament: its agents, pair by pair and all together, on the same deals."""

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
from eval.match import Foul, OnEnded, has_sides, ignore, play_deals, seatings
from eval.results import Failure, Pair, Rank, Results, package_version
from eval.statistics import estimate_mean, estimate_rate


class Group(NamedTuple):
    """Agents that meet in every deal."""

    players: tuple[int, ...]
    """Their numbers in the contest."""
    games: int
    """Games they play of each deal."""
    first_table: int
    """Number of the first seat of their first game."""


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
    agents: list[Agent]
    deals: int
    seed: int
    batch_size: int
    """Games that advance together, about."""

    @functools.cached_property
    def groups(self) -> list[Group]:
        """Every pair of agents; then, where nobody has a partner, all of them if they find seats.

        Of two agents the pair is all of them.
        """
        num = len(self.agents)
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
        scores: list[list[Score]] = [[] for _ in self.groups]
        interrupted = False
        try:
            for first in range(0, self.deals, self.deals_per_batch):
                for number, group in enumerate(self.groups):
                    scores[number].append(self._play_batch(group, first, on_ended))
        except KeyboardInterrupt:
            interrupted = True
        joined = [_join(group, parts) for group, parts in zip(self.groups, scores, strict=True)]
        by_group = list(zip(self.groups, joined, strict=True))
        pairs = [(group, score) for group, score in by_group if len(group.players) == 2]
        return Results(
            game=self.game.name,
            game_version=self.game.version,
            options=changed_options(self.rules),
            seed=self.seed,
            deals=self.deals,
            games_per_deal=self.games_per_deal,
            agents=self.names,
            pairs=[self._pair(group, score) for group, score in pairs],
            ranking=self._ranking(pairs),
            together=self._ranking(by_group[len(pairs) :]),
            failures=self._failures([foul for score in joined for foul in score.fouls]),
            interrupted=interrupted,
            duration_s=round(time.monotonic() - started, 3),
            version=package_version(),
        )

    def _play_batch(self, group: Group, first: int, on_ended: OnEnded) -> Score:
        """Play a batch of deals of a group, from deal `first` on."""
        num = min(self.deals_per_batch, self.deals - first)
        outcome = play_deals(
            self.game,
            self.rules,
            [self.agents[player] for player in group.players],
            spawn_seeds(self.seed, num, first),
            first_table=group.first_table + first * group.games * self.game.num_seats(self.rules),
            on_ended=on_ended,
        )
        fouls = [
            replace(foul, player=group.players[foul.player], deal=first + foul.deal)
            for foul in outcome.fouls
        ]
        seats = range(len(group.players))
        return Score(
            np.array([outcome.differences(player) for player in seats]),
            np.array([outcome.win_shares(player) for player in seats]),
            fouls,
        )

    def _pair(self, group: Group, score: Score) -> Pair:
        a, b = (self.names[player] for player in group.players)
        return Pair(a=a, b=b, **_summary(score.differences[0], score.win_shares[0]))

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


def _join(group: Group, parts: list[Score]) -> Score:
    """The scores of several batches as one."""
    none = np.empty((len(group.players), 0))
    return Score(
        np.concatenate([none, *(part.differences for part in parts)], axis=1),
        np.concatenate([none, *(part.win_shares for part in parts)], axis=1),
        [foul for part in parts for foul in part.fouls],
    )


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
