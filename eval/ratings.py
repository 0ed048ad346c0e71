"""Ratings: who does better than whom, in Elo's units, with an agent's roles apart.

A game ranks its *parties* by payoff: its two sides, or, where nobody has a partner, its seats. The
model is Plackett–Luce, for two sides Bradley–Terry: see `eval.plackett_luce`. An agent has a
strength of its own in every role. Places count, amounts do not: in games for stakes read the mean
differences first.

So that a record without a loss, or without a win, stays finite, every agent has in every role won
and lost one made-up deal against a player of strength 0. Intervals are from the Bayesian
bootstrap: every deal, the made-up ones too, gets a random weight for all its games.

One unit of strength is 400 / ln 10 points: 400 points more are ten wins for every loss.

Sources: Turner, van Etten, Firth and Kosmidis, "Modelling rankings in R: the PlackettLuce package"
(2020), the made-up opponent; Rubin, "The Bayesian bootstrap" (1981).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from envs.core.game import Array
from eval.plackett_luce import Draws, Party, Ranking, comparisons, count_draws, fit
from eval.statistics import CONFIDENCE

ELO = 400 / math.log(10)
"""Points for one unit of strength."""
NUM_RESAMPLES = 1000
CHUNK = 2000
"""Deals whose weights are drawn at once: it bounds the memory."""


class Games(NamedTuple):
    """What some agents played: D deals of G games at S seats; see `Outcome`."""

    payoffs: Array
    """[D, G, S]."""
    seating: Array
    """[D, G, S]: the agents' numbers in the contest."""
    lost_by: Array
    """[D, G]: the agent that forfeited the game, or NOBODY."""
    sides: Array
    """[D, G, S]: the side of each seat, -1 where nobody has a partner; or what broadcasts to it."""


class Rating(NamedTuple):
    """A rating and its interval. None where the games leave it open: of agents that never met,
    however indirectly, and of two agents' roles if they only met in opposite ones."""

    points: float | None
    low: float | None
    high: float | None


OPEN = Rating(None, None, None)


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Of A agents in R roles."""

    overall: list[Rating]
    """[A]: the mean of an agent's roles."""
    by_role: list[list[Rating]]
    """[R][A]."""
    roles: list[Rating]
    """[R]: how much stronger than in the mean of all roles an agent rated 0 is in this one. Who
    wins is told by rating and role together."""


def side_roles(sides: Array) -> Array:
    """The role of each seat of sides [..., S]: 0 on the smaller side, 1 on the larger; 0 for all
    where they are of one size or there are none.
    """
    sizes = (sides[..., :, None] == sides[..., None, :]).sum(-1)
    return np.asarray(sizes > sizes.min(-1, keepdims=True), np.int64)


def rate(
    groups: Sequence[Games],
    num_agents: int,
    *,
    anchor: int | None = None,
    seed: int = 0,
    num_resamples: int = NUM_RESAMPLES,
) -> Ratings:
    """Rate agents by all the games they played.

    groups: games of one index D are of the same deal in all of them; there is one game at least.
    anchor: the agent rated 0 in every role; if left out, the mean of all agents is 0 there.
    """
    num_roles = 1 + max(int(side_roles(group.sides).max(initial=0)) for group in groups)
    played = _draws_by_deal(groups, num_agents, num_roles)
    all_deals = _add_made_up(played, float(np.mean([group.lost_by.shape[1] for group in groups])))
    whole = all_deals.weighted(np.ones((1, len(all_deals.drawn))))
    best = fit(whole, np.zeros(num_agents * num_roles))[0]
    drawn = fit(_resample(all_deals, num_resamples, seed), best)

    contrasts = _contrasts(num_agents, num_roles, anchor)
    points = ELO * contrasts @ best
    ends = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    intervals = np.quantile(ELO * drawn @ contrasts.T, ends, axis=0).T
    found = [
        Rating(float(value), float(low), float(high)) if is_known else OPEN
        for value, (low, high), is_known in zip(
            points, intervals, _are_known(contrasts, comparisons(played)), strict=True
        )
    ]
    *by_role, overall = (found[i * num_agents :][:num_agents] for i in range(num_roles + 1))
    return Ratings(overall=overall, by_role=by_role, roles=found[-num_roles:])


def _draws_by_deal(groups: Sequence[Games], num_agents: int, num_roles: int) -> Draws:
    """The draws of all games of a deal in one row. Games alike in places and agents are looked at
    once: with duplicate deals these are few.
    """
    from scipy.sparse import csr_array  # 0.2 s to import: not before the results are in

    num_strengths = num_agents * num_roles
    codes = np.concatenate([_codes(group, num_agents, num_roles) for group in groups])
    deals = [np.repeat(np.arange(len(group.payoffs)), group.payoffs.shape[1]) for group in groups]
    patterns, which = np.unique(codes, axis=0, return_inverse=True)
    draws = count_draws([_ranking(pattern, num_strengths) for pattern in patterns], num_strengths)
    games = np.ones(len(codes)), (np.concatenate(deals), which.ravel())
    return draws.weighted(csr_array(games))


def find_parties(games: Games) -> tuple[Array, Array]:
    """Which seats are of one party, [D · G, S, S] bool, and what each seat's party got,
    [D · G, S]: its mean payoff a seat, or -inf if one of it forfeited the game.
    """
    num_seats = games.payoffs.shape[2]
    payoffs, seating = (array.reshape(-1, num_seats) for array in (games.payoffs, games.seating))
    sides = np.broadcast_to(games.sides, games.payoffs.shape).reshape(-1, num_seats)
    together = (sides[:, :, None] == sides[:, None, :]) & (sides >= 0)[:, None, :]
    together |= np.eye(num_seats, dtype=bool)
    worth = (together * payoffs[:, None, :]).sum(2) / together.sum(2)
    forfeited = (together & (seating == games.lost_by.reshape(-1, 1))[:, None, :]).any(2)
    return together, np.where(forfeited, -np.inf, worth)


def _codes(games: Games, num_agents: int, num_roles: int) -> Array:
    """Every game as its seats in order of their places: [D · G, S], each seat's place, side and
    strength in one number.
    """
    num_seats = games.payoffs.shape[2]
    sides = np.broadcast_to(games.sides, games.payoffs.shape).reshape(-1, num_seats)
    strengths = side_roles(sides) * num_agents + games.seating.reshape(-1, num_seats)

    _, worth = find_parties(games)
    places = (worth[:, :, None] < worth[:, None, :]).sum(2)
    codes = (places * (num_seats + 1) + sides + 1) * (num_agents * num_roles) + strengths
    return np.sort(codes, axis=1)


def _ranking(codes: Array, num_strengths: int) -> Ranking:
    """The parties of a game by place; see `_codes`."""
    num_seats = len(codes)
    parties: dict[tuple[int, int], list[int]] = {}
    for seat, code in enumerate(codes.tolist()):
        where, strength = divmod(code, num_strengths)
        place, side = divmod(where, num_seats + 1)
        alone = num_seats + seat
        parties.setdefault((place, side - 1 if side else alone), []).append(strength)
    ranking: dict[int, list[Party]] = {}
    for (place, _), members in parties.items():
        ranking.setdefault(place, []).append(tuple(members))
    return list(ranking.values())


def _add_made_up(draws: Draws, games: float) -> Draws:
    """The draws and, of each strength K, a deal won and one lost, of so many games, against a
    player of strength 0.
    """
    from scipy.linalg import block_diag  # slow to import as well

    (num, num_kinds), num_strengths = draws.drawn.shape, draws.members.shape[1]
    own, other = np.eye(num_strengths), np.ones((num_strengths, 1))
    drawn = np.zeros((num + 2 * num_strengths, num_kinds + num_strengths + 1))
    drawn[:num, :num_kinds] = draws.drawn
    drawn[num:, num_kinds:] = games * np.block([[own, 0 * other], [0 * own, other]])
    return Draws(
        members=np.concatenate([draws.members, own, 0 * own[:1]]),
        sets=block_diag(draws.sets, np.hstack([own, other])),
        drawn=drawn,
        used=block_diag(draws.used, games * np.vstack([own, own])),
    )


def _resample(draws: Draws, num: int, seed: int) -> Draws:
    """`num` samples, in which every deal has a random weight around 1."""
    rng = np.random.default_rng(seed)
    total = draws.weighted(np.zeros((num, len(draws.drawn))))
    for first in range(0, len(draws.drawn), CHUNK):
        part = draws._replace(
            drawn=draws.drawn[first : first + CHUNK], used=draws.used[first : first + CHUNK]
        )
        part = part.weighted(rng.standard_exponential((num, len(part.drawn))))
        total = total._replace(drawn=total.drawn + part.drawn, used=total.used + part.used)
    return total


def _contrasts(num_agents: int, num_roles: int, anchor: int | None) -> Array:
    """What is made of the strengths [R · A]: ratings by role [R · A], overall [A], roles [R]."""
    strengths = np.eye(num_roles * num_agents).reshape(num_roles, num_agents, -1)
    zero = strengths.mean(1) if anchor is None else strengths[:, anchor]
    by_role = strengths - zero[:, None]
    return np.concatenate([*by_role, by_role.mean(0), zero - zero.mean(0)])


def _are_known(contrasts: Array, compared: Array) -> Array:
    """Whether the contrasts are sums of what was compared."""
    explained = contrasts @ np.linalg.pinv(compared) @ compared
    return np.asarray(np.isclose(explained, contrasts, atol=1e-6).all(1))
