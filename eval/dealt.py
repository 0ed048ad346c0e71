"""Features of dealt cards, before anything is played: what a deal may be worth is read from them.

They are means over the seats, as a deal is played with the agents in all of them: of a game's own
features of a hand where it has some, elsewhere of everything that a seat sees.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from envs.core.game import Array, Game
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from eval.variance import Covariates

NUM_RANDOM = 100_000
FIRST_RANDOM = 2**31
"""Number of the first random deal in the family of a seed; those of a tournament are lower."""
CHUNK = 2_000
"""Deals looked at together."""


def bombs_of_doudizhu(pieces: dict[str, Array]) -> Array:
    """Bombs, rockets among them, and rockets of hands of Dou Dizhu: [B, 2].

    They double what there is to win; of all that was tried nothing else tells of it.
    """
    hands = pieces["hand"]  # [B, copies, ranks]
    counts = hands.sum(1)
    rockets = counts[:, -2:].sum(1) == hands.shape[1] // 2  # all jokers
    return np.stack([(counts >= 4).sum(1) + rockets, rockets], axis=1)


HAND_FEATURES: dict[str, Callable[[dict[str, Array]], Array]] = {"doudizhu": bombs_of_doudizhu}
"""A game's own features of hands: of the pieces of observations [B, ...], [B, P]."""


def deal_features(game: Game, rules: Any, seeds: Array) -> Array:
    """Features of the deals of `seeds` [D]: [D, P] float64."""
    states, layout = game.new_games(rules, seeds), game.layout(rules)
    of_hands = HAND_FEATURES.get(game.name)
    by_seat = []
    for seat in range(game.num_seats(rules)):
        vectors = empty_vectors(len(states), layout)
        game.observe(states, np.full(len(states), seat), vectors)
        by_seat.append(of_hands(layout.split(vectors)) if of_hands else vectors)
    return np.asarray(np.mean(by_seat, axis=0))


def describe_deals(
    game: Game, rules: Any, seed: int, num_deals: int, num_random: int = NUM_RANDOM
) -> Covariates:
    """The features that vary in the first deals of a seed, and what they are in random deals."""
    features = deal_features(game, rules, spawn_seeds(seed, num_deals))
    varying = np.flatnonzero(np.ptp(features, axis=0))
    features = features[:, varying]
    centre = features.mean(0)  # any would do: differences are summed up more exactly
    total, squares = np.zeros(len(varying)), np.zeros((len(varying), len(varying)))
    for first in range(0, num_random, CHUNK):
        seeds = spawn_seeds(seed, min(CHUNK, num_random - first), FIRST_RANDOM + first)
        part = deal_features(game, rules, seeds)[:, varying] - centre
        total += part.sum(0)
        squares += part.T @ part
    mean = total / num_random
    covariance = squares / num_random - np.outer(mean, mean)
    return Covariates(features, centre + mean, covariance, num_random)
