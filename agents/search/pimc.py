"""Perfect-information Monte Carlo: every play is played out in the same worlds, the best is taken.

Plays that do worse are given up, at once when that is sure and in halves as the time goes by, so
that most playouts tell apart the good ones. What the rule-based agent would play is never given up:
another play has to be better in the same worlds, beyond doubt.

Sources: Ginsberg, "GIB: imperfect information in a computationally challenging game" (2001) for the
worlds; Maron, Moore, "Hoeffding races" (1993) and Karnin, Koren, Somekh, "Almost optimal
exploration in multi-armed bandits" (2013) for giving up.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.base import Bot, Decision, Plans, decisions_in
from agents.builtin import find_builtin
from agents.search.base import load_policy
from agents.search.settings import Budget, SearchSettings
from agents.search.worlds import MOST_PLAYOUTS, Play, Playouts
from envs.core.game import Array, Game

BASE = "rule"
"""The agent that comes along whose play is the first candidate."""
SURE = 3.0
"""Standard errors beyond which a lead or a deficit is taken for real before the time is up."""
MOST_BELIEVED = 256
"""Worlds beyond which a lead gets no surer: however many they are, the others will play otherwise
than the default policy does."""
ENOUGH = 8 * MOST_BELIEVED
"""Worlds after which a search stops, whatever is left of its budget."""
LEAST_WORLDS = 16
"""Worlds before that: in a few, plays may well be equal that are not."""
MOST_WORLDS = 32
"""Worlds that are drawn at once, at most: of more the first plays are not given up in time."""


@dataclass(eq=False)
class Judgement:
    """What a search thinks of one play."""

    path: Play
    values: Array = field(default_factory=lambda: np.empty(0))
    """What it brought the seat to the end of the deal in each world it was tried in."""
    leads: Array = field(default_factory=lambda: np.empty(0))
    """By how much that was more than what the first play judged brought in the same world."""

    @property
    def worlds(self) -> int:
        """Worlds it was tried in."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Mean payoff of the seat to the end of the deal."""
        return float(self.values.mean()) if len(self.values) else 0.0

    @property
    def error(self) -> float:
        """Standard error of the mean; infinite before the second world."""
        return standard_error(self.values)

    @property
    def lead(self) -> float:
        """Mean lead over the first play."""
        return float(self.leads.mean()) if len(self.leads) else 0.0

    @property
    def lead_error(self) -> float:
        """Standard error of the lead; infinite before the second world."""
        return standard_error(self.leads)

    @property
    def doubt(self) -> float:
        """Standard error of the lead, or that of MOST_BELIEVED worlds if it is larger."""
        worlds = max(len(self.leads), 1)
        return self.lead_error * math.sqrt(max(worlds / MOST_BELIEVED, 1.0))

    def add(self, values: Array, firsts: Array) -> None:
        """It brought `values` [N] in other worlds, the first play `firsts` [N]."""
        self.values = np.concatenate([self.values, values])
        self.leads = np.concatenate([self.leads, values - firsts])


def standard_error(values: Array) -> float:
    """Of the mean of values [N]; infinite for fewer than two."""
    if len(values) < 2:
        return math.inf
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def judge_plays(
    playouts: Playouts, decision: Decision, budget: Budget, doubt: float
) -> list[Judgement]:
    """Judge every candidate play, the best first.

    The first candidate is what the rule-based agent would play. Another is better only if its lead
    is `doubt` standard errors above 0, those of MOST_BELIEVED worlds if it has more: of many plays
    the one that seems best is often just lucky, or right only against the default policy.
    """
    judged = [Judgement(path) for path in playouts.candidates(decision)]
    first, *others = judged
    halvings = max(math.ceil(math.log2(len(judged))), 1)
    num_worlds = 0
    while True:
        wanted = math.ceil(len(judged) / 2 ** math.floor(budget.used * halvings)) - 1
        if num_worlds and len(others) > max(wanted, 1):
            others.sort(key=lambda one: -one.lead)
            del others[max(wanted, 1) :]
        alive = [first, *others]
        num = max(budget.left(min(MOST_WORLDS * len(alive), MOST_PLAYOUTS)) // len(alive), 1)
        worlds = playouts.sample(decision, num, num_worlds)
        values = playouts.values(worlds, [one.path for one in alive])
        for one, row in zip(alive, values, strict=True):
            one.add(row, values[0])
        num_worlds += num
        budget.playouts += values.size
        if first.worlds >= LEAST_WORLDS:
            others = contenders(others, max(SURE, doubt))
        if budget.used >= 1 or not others or num_worlds >= ENOUGH:
            return rank(judged, doubt)


def contenders(others: list[Judgement], sure: float) -> list[Judgement]:
    """The plays that may still turn out the best; none if that one is known.

    sure: standard errors beyond which a lead or a deficit is taken for real.
    """
    known = max([0.0, *(one.lead - sure * one.doubt for one in others)])
    left = [one for one in others if one.lead + sure * one.doubt > known]
    return [] if len(left) == 1 and known > 0 else left


def rank(judged: list[Judgement], doubt: float) -> list[Judgement]:
    """Judgements in order: those surely better than the first, the first, then the others."""
    first, *others = judged
    better = [one for one in others if one.lead > doubt * one.doubt]
    rest = [one for one in others if not one.lead > doubt * one.doubt]
    better.sort(key=lambda one: doubt * one.doubt - one.lead)
    rest.sort(key=lambda one: (-one.worlds, -one.lead))
    return [*better, first, *rest]


class SearchAgent(Bot):
    """Base of the agents that search."""

    def __init__(self, game: Game, rules: Any, settings: str = "") -> None:
        """Get ready to play `game` by `rules`; settings: see `SearchSettings.parse`.

        Raises:
            AgentError: the game has no default policy.
            RulesError: wrong settings.
        """
        super().__init__(game, rules)
        self.settings = SearchSettings.parse(settings)
        base = find_builtin(BASE, game)(game, rules)
        self.playouts = Playouts(game, rules, load_policy(game), base)
        self._plans = Plans()
        self._warm_up()

    @abstractmethod
    def search(self, decision: Decision, budget: Budget) -> list[Judgement]:
        """Judge plays until the budget is used up, the one it would take first."""

    def judge(self, decision: Decision) -> list[Judgement]:
        """What it thinks of the plays, the one it would take first."""
        return self.search(decision, Budget(self.settings))

    def choose(self, decision: Decision) -> int:
        """The next action of the play that it holds best."""
        return self._plans.follow(decision, lambda: self.judge(decision)[0].path)

    def _warm_up(self) -> None:
        """Have kernels compiled before the time of the first decision runs."""
        states = self.game.new_games(self.rules, [0])
        [first] = decisions_in(self.game, self.rules, states, [0])
        self.search(first, Budget(SearchSettings(playouts=1)))


class PimcAgent(SearchAgent):
    """Plays what does best on average over worlds it has to reckon with."""

    def search(self, decision: Decision, budget: Budget) -> list[Judgement]:
        """Judge every candidate play, see `judge_plays`."""
        return judge_plays(self.playouts, decision, budget, self.settings.doubt)
