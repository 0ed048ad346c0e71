"""From what was played to what it says: the results of a run, however it came about."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import envs
from envs.core.game import Array
from eval.cycles import alpha_rank, nash_average
from eval.dealt import describe_deals
from eval.match import Foul
from eval.ratings import Games, Rating, find_parties, rate, side_roles
from eval.results import Failure, Pair, PartRate, Rank, Rated, Results, Weight
from eval.statistics import (
    Estimate,
    deals_for_half_width,
    estimate_mean,
    estimate_rate,
    half_width,
    holm,
    sign_flip_p,
)
from eval.store import GroupRun, Run
from eval.variance import estimate_with_control

WANTED_HALF_WIDTH = 0.01
"""Of a win rate, where no other is asked for."""
ANCHOR = "random"
"""The agent that is rated 0 where it takes part."""
ROLE_NAMES = {"doudizhu": ("landlord", "farmer")}
"""What the roles of `side_roles` are called in a game, if it has several."""
OTHER_ROLES = ("smaller side", "larger side")


class Score(NamedTuple):
    """What the deals of a group brought to its P agents."""

    players: list[int]
    """Their numbers in the contest."""
    group: GroupRun
    differences: Array
    """[P, D] float64; see `Outcome`."""
    win_shares: Array
    """[P, D] float64."""


def is_unfinished(run: Run) -> bool:
    """Whether a run has neither all its deals nor intervals that are narrow enough."""
    deals = [len(group.seeds) for group in run.groups]
    if min(deals) == run.settings["deals"]:
        return False
    wanted = run.settings["until_half_width"]
    if wanted is None or len(set(deals)) > 1:
        return True
    pairs = [group for group in run.groups if len(group.agents) == 2]
    rates = [estimate_rate(group.outcome.win_shares()) for group in pairs]
    return any(half_width(rate) > wanted for rate in rates)


def summarize(run: Run, *, interrupted: bool, duration_s: float) -> Results:
    """The results of a run as far as it is played."""
    settings = run.settings
    names: list[str] = settings["names"]
    scores = [_score(group, names) for group in run.groups]
    pairs = [score for score in scores if len(score.players) == 2]
    found = _pairs(settings, pairs)
    return Results(
        game=settings["game"],
        game_version=settings["game_version"],
        options=settings["options"],
        seed=settings["seed"],
        deals=settings["deals"],
        games_per_deal=run.groups[0].outcome.lost_by.shape[1],
        agents=names,
        pairs=found,
        ranking=_ranking(names, pairs),
        together=_ranking(names, scores[len(pairs) :]),
        ratings=_ratings(settings, scores),
        by_role=_by_role(settings, pairs),
        by_seat=_by_seat(settings, pairs),
        weights=_weights(names, found),
        failures=_failures(run),
        until_half_width=settings["until_half_width"],
        wanted_half_width=_wanted_half_width(settings),
        interrupted=interrupted,
        duration_s=duration_s,
        version=settings["version"],
    )


def _score(group: GroupRun, names: list[str]) -> Score:
    outcome, places = group.outcome, range(len(group.agents) if len(group.seeds) else 0)
    none = np.empty((len(group.agents), 0))
    return Score(
        players=[names.index(name) for name in group.agents],
        group=group,
        differences=np.array([outcome.differences(place) for place in places] or none),
        win_shares=np.array([outcome.win_shares(place) for place in places] or none),
    )


def _wanted_half_width(settings: dict[str, Any]) -> float:
    return settings["until_half_width"] or WANTED_HALF_WIDTH


def _pairs(settings: dict[str, Any], scores: list[Score]) -> list[Pair]:
    p_values = [sign_flip_p(score.differences[0]) for score in scores]
    corrected = holm([1.0 if p is None else p for p in p_values])
    controlled = _controlled(settings, scores)
    pairs = []
    for score, p, p_holm, control in zip(scores, p_values, corrected, controlled, strict=True):
        a, b = score.group.agents
        summary = _summary(score.differences[0], score.win_shares[0])
        rate = Estimate(summary["win_rate"], *summary["win_rate_ci"])
        wanted = deals_for_half_width(rate, summary["deals"], _wanted_half_width(settings))
        summary["deals_wanted"] = wanted
        summary |= {"p_value": p, "p_holm": None if p is None else p_holm}
        summary |= {"mean_diff_controlled": control.mean, "controlled_ci": [*control[1:]]}
        pairs.append(Pair(a=a, b=b, **summary))
    return pairs


def _controlled(settings: dict[str, Any], scores: list[Score]) -> list[Estimate]:
    """The mean differences with control variates, all open unless they are wanted."""
    most = max(len(score.group.seeds) for score in scores)
    if not settings["control"] or not most:
        return [Estimate(None, None, None)] * len(scores)
    game = envs.load_game(settings["game"])
    rules = game.make_rules(**settings["options"])
    known = describe_deals(game, rules, settings["seed"], most)
    found = []
    for score in scores:
        own = known._replace(features=known.features[: len(score.group.seeds)])
        found.append(estimate_with_control(score.differences[0], own).estimate)
    return found


def _ranking(names: list[str], scores: list[Score]) -> list[Rank]:
    """Each agent against all others, over the deals that all the groups have finished."""
    deals = _common_deals(scores)
    ranks = []
    for player, name in enumerate(names if scores else []):
        own = [
            (score.differences[place, :deals], score.win_shares[place, :deals])
            for score in scores
            for place, other in enumerate(score.players)
            if other == player
        ]
        ranks.append(Rank(agent=name, **_summary(*np.mean(own, axis=0))))
    return sorted(ranks, key=lambda rank: -(rank.mean_diff or 0.0))


def _common_deals(scores: list[Score]) -> int:
    return min((len(score.group.seeds) for score in scores), default=0)


def games_of(group: GroupRun, names: list[str], deals: int) -> Games:
    """The first games of a group, for ratings: with the agents' numbers among `names`."""
    players = np.array([names.index(name) for name in group.agents])
    outcome, first = group.outcome, slice(deals)
    return Games(
        payoffs=outcome.payoffs[first],
        seating=players[outcome.seating[first]],
        lost_by=np.append(players, -1)[outcome.lost_by[first]],  # the last stands for nobody
        sides=outcome.sides[first],
    )


def role_names(game: str, num_roles: int) -> tuple[str, ...]:
    """What the roles in which agents are rated are called, if there are several."""
    return ROLE_NAMES.get(game, OTHER_ROLES) if num_roles > 1 else ()


def _ratings(settings: dict[str, Any], scores: list[Score]) -> list[Rated]:
    """The agents' ratings, best first: each overall, then in its roles, if there are several."""
    names, deals = settings["names"], _common_deals(scores)
    if not deals:
        return []
    games = [games_of(score.group, names, deals) for score in scores]
    anchor = names.index(ANCHOR) if ANCHOR in names else None
    found = rate(games, len(names), anchor=anchor)
    roles = role_names(settings["game"], len(found.by_role))
    rated = []
    for player in sorted(range(len(names)), key=lambda i: -(found.overall[i].points or 0.0)):
        own: dict[str | None, Rating] = {None: found.overall[player]}
        own |= {role: found.by_role[i][player] for i, role in enumerate(roles)}
        for role, (points, low, high) in own.items():
            rated.append(
                Rated(agent=names[player], role=role, rating=points, rating_ci=[low, high])
            )
    return rated


def _by_role(settings: dict[str, Any], pairs: list[Score]) -> list[PartRate]:
    """How often agents win in each role; empty where there is one, or no deal is finished."""
    if not _common_deals(pairs):
        return []
    num_roles = 1 + max(int(side_roles(p.group.outcome.sides).max(initial=0)) for p in pairs)
    roles = role_names(settings["game"], num_roles)
    if not roles:
        return []
    return _part_rates(settings["names"], pairs, roles, lambda score: _roles(score.group))


def _roles(group: GroupRun) -> Array:
    """Each seat's role: [D, G, S], -1 where there are no sides."""
    sides = group.outcome.sides
    return np.where(sides < 0, -1, side_roles(sides))


def _by_seat(settings: dict[str, Any], pairs: list[Score]) -> list[PartRate]:
    """How often agents win at each seat; empty where no deal is finished."""
    if not _common_deals(pairs):
        return []
    num_seats = pairs[0].group.outcome.payoffs.shape[2]
    seats = tuple(f"seat {seat}" for seat in range(num_seats))
    return _part_rates(settings["names"], pairs, seats, lambda _: np.arange(num_seats))


def _part_rates(
    names: list[str],
    pairs: list[Score],
    parts: tuple[str, ...],
    number_parts: Callable[[Score], Array],
) -> list[PartRate]:
    """How often agents win in each part of their games; `number_parts` gives every seat's."""
    deals = _common_deals(pairs)
    won = np.zeros((len(names), len(parts), deals))
    num = np.zeros_like(won)
    for score in pairs:
        outcome = score.group.outcome
        shares = _party_shares(score.group)
        numbers = np.broadcast_to(number_parts(score), outcome.payoffs.shape)
        for place, player in enumerate(score.players):
            for part in range(len(parts)):
                own = ((outcome.seating == place) & (numbers == part))[:deals]
                won[player, part] += (shares[:deals] * own).sum((1, 2))
                num[player, part] += own.sum((1, 2))
    rates = []
    for player, name in enumerate(names):
        for part, title in enumerate(parts):
            has = num[player, part] > 0
            found = estimate_rate(won[player, part, has] / num[player, part, has])
            rates.append(
                PartRate(
                    agent=name,
                    part=title,
                    deals=int(has.sum()),
                    win_rate=found.mean,
                    win_rate_ci=[found.low, found.high],
                )
            )
    return rates


def _party_shares(group: GroupRun) -> Array:
    """How much of a game each seat won with its side, or alone: [D, G, S]; ties are shared."""
    outcome = group.outcome
    games = Games(outcome.payoffs, outcome.seating, outcome.lost_by, outcome.sides)
    together, worth = find_parties(games)
    is_best = worth == worth.max(1, keepdims=True)
    num_best = (is_best / together.sum(2)).sum(1, keepdims=True)
    return np.asarray(is_best / num_best).reshape(outcome.payoffs.shape)


def _weights(names: list[str], pairs: list[Pair]) -> list[Weight]:
    """Alpha-rank and Nash averaging; empty of two agents or while a pair has played nothing."""
    if len(names) < 3 or any(pair.mean_diff is None for pair in pairs):
        return []
    payoffs = np.zeros((len(names), len(names)))
    for pair in pairs:
        a, b = names.index(pair.a), names.index(pair.b)
        payoffs[a, b], payoffs[b, a] = pair.mean_diff, -(pair.mean_diff or 0.0)
    shares, (weights, gains) = alpha_rank(payoffs), nash_average(payoffs)
    return [
        Weight(
            agent=name,
            alpha_rank=float(shares[i]),
            nash_weight=float(weights[i]),
            nash_gain=float(gains[i]),
        )
        for i, name in enumerate(names)
    ]


def _failures(run: Run) -> list[Failure]:
    """Fouls by agent and kind, those that cost most games first."""
    by_kind: dict[tuple[str, str], list[Foul]] = {}
    for group in run.groups:
        for foul in group.outcome.fouls:
            by_kind.setdefault((group.agents[foul.player], foul.kind), []).append(foul)
    failures = []
    for (agent, kind), fouls in by_kind.items():
        first = min(fouls, key=lambda foul: foul.deal)
        failures.append(
            Failure(
                agent=agent,
                kind=kind,
                games=len(fouls),
                first_deal=first.deal,
                first_message=first.message,
            )
        )
    return sorted(failures, key=lambda failure: -failure.games)


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
