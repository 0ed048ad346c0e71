"""Strengths from rankings by maximum likelihood: the models of Bradley–Terry and Plackett–Luce.

A ranking comes about by drawing its parties one after the other from those that are left, party i
with a chance in proportion to exp(strength of i): the model of Plackett and Luce, which for two
parties is that of Bradley and Terry. A party's strength is the mean of its members'. A tie counts
as the average over all orders of those that are tied: between two of them half a win for each.

Sources: Bradley and Terry, "Rank analysis of incomplete block designs" (1952); Plackett, "The
analysis of permutations" (1975).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from envs.core.game import Array

TOLERANCE = 1e-8
MAX_STEPS = 200

Party = tuple[int, ...]
"""Numbers of its members' strengths, in order."""
Ranking = Sequence[Sequence[Party]]
"""Who came first, who second, and so on."""


class Draws(NamedTuple):
    """What the likelihood needs of rankings: I kinds of parties, T sets to draw from, N samples.

    Its logarithm is the sum of the strengths of all parties drawn, less the sum of the logarithms
    of exp(strength) added up over the set that each was drawn from.
    """

    members: Array
    """[I, K]: what each of the K strengths counts in that of a kind of party."""
    sets: Array
    """[T, I]: how many parties of each kind are in a set."""
    drawn: Array
    """[N, I]: how often each kind was drawn."""
    used: Array
    """[N, T]: how often one was drawn from each set."""

    def weighted(self, weights: Array) -> "Draws":
        """Samples made of these: weights [M, N]."""
        return self._replace(drawn=weights @ self.drawn, used=weights @ self.used)


def count_draws(rankings: Iterable[Ranking], num_strengths: int) -> Draws:
    """The draws that make each of N rankings."""
    counted = [(_drawn(ranking), _used(ranking)) for ranking in rankings]
    kinds = sorted({party for drawn, _ in counted for party in drawn})
    sets = sorted({parties for _, used in counted for parties in used})
    members = np.zeros((len(kinds), num_strengths))
    for row, party in zip(members, kinds, strict=True):
        np.add.at(row, list(party), 1 / len(party))
    return Draws(
        members=members,
        sets=_table([Counter(parties) for parties in sets], kinds),
        drawn=_table([drawn for drawn, _ in counted], kinds),
        used=_table([used for _, used in counted], sets),
    )


def _drawn(ranking: Ranking) -> Counter[Party]:
    return Counter(party for place in ranking for party in place)


def _used(ranking: Ranking) -> dict[tuple[Party, ...], float]:
    """How often each set was drawn from, on average over the orders of those that are tied."""
    used: dict[tuple[Party, ...], float] = {}
    for number, tied in enumerate(ranking):
        behind = [party for place in ranking[number + 1 :] for party in place]
        for size in range(1, len(tied) + 1):
            for left in combinations(tied, size):
                parties = tuple(sorted([*left, *behind]))
                used[parties] = used.get(parties, 0) + 1 / comb(len(tied), size)
    return used


def _table(rows: Sequence[Mapping[Any, float]], keys: Sequence[Any]) -> Array:
    places = {key: place for place, key in enumerate(keys)}
    table = np.zeros((len(rows), len(keys)))
    for row, counts in zip(table, rows, strict=True):
        row[[places[key] for key in counts]] = list(counts.values())
    return table


def comparisons(draws: Draws) -> Array:
    """The differences of strengths on which the likelihood depends: [·, K], one a row."""
    rows = [
        draws.members[kinds[1:]] - draws.members[kinds[0]]
        for kinds in (np.flatnonzero(parties) for parties in draws.sets)
    ]
    return np.concatenate(rows)


def fit(draws: Draws, start: Array) -> Array:
    """The most likely strengths for each of N samples: [N, K].

    start: [K] or [N, K], where to begin. All strengths must be determined and finite.

    Newton's method. Along a step that changes the differences of strengths by up to d, curvature
    grows at most exponentially, so that log(1 + d) / d of it does not lead past the summit (Sun
    and Tran-Dinh, "Generalized self-concordant functions", 2019); near it that is the whole step.
    """
    strengths = np.broadcast_to(start, (len(draws.drawn), draws.members.shape[1]))
    pairs = draws.sets[:, :, None] * draws.sets[:, None, :]  # [T, I, I]
    for _ in range(MAX_STEPS):
        kinds = strengths @ draws.members.T
        worth = np.exp(kinds - kinds.max(1, keepdims=True))
        total = worth @ draws.sets.T
        expected = worth * (draws.used / total @ draws.sets)
        both = np.tensordot(draws.used / total**2, pairs, 1) * worth[:, :, None] * worth[:, None]
        slope = (draws.drawn - expected) @ draws.members
        curvature = expected[:, :, None] * draws.members - both @ draws.members
        step = np.linalg.solve(draws.members.T @ curvature, slope[:, :, None])[:, :, 0]
        reach = np.ptp(step @ draws.members.T, axis=1, keepdims=True) + 1e-300
        strengths = strengths + step * np.log1p(reach) / reach
        if reach.max() < TOLERANCE:
            break
    return strengths
