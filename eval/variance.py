"""Narrower intervals: a control variate for the luck that duplicate deals leave.

Over all seatings of a deal the better cards cancel, but not how much there is to win with them: a
deal full of bombs is worth more to the better agent. From features of the dealt cards a ridge
regression predicts what a deal brings; what is averaged is the deal's value less the prediction,
plus the mean prediction over random deals:

    mean of (value - prediction) over the deals played + mean of prediction over random deals

Exact: the estimate is unbiased, whatever the regression is worth. No deal is predicted by a fit
that has seen it (cross-fitting), and the random deals are others than those played. Approximate:
the interval, as any t interval, takes the deals' remainders for independent, though fits share most
of their deals; it counts the random deals, of which there are finitely many. Where features tell
nothing the ridge shrinks the prediction to nothing, and the interval is as wide as without.

Sources: Zrnic and Candès, "Cross-prediction-powered inference" (2024); Golub, Heath and Wahba,
"Generalized cross-validation as a method for choosing a good ridge parameter" (1979).
"""

import math
from typing import NamedTuple

import numpy as np

from envs.core.game import Array
from eval.statistics import Estimate, estimate_mean, t_quantile

NUM_FOLDS = 10
FEWEST_DEALS = 100
"""With fewer there is nothing to be learnt."""
PENALTIES = np.geomspace(1e-3, 1e3, 19)
"""Candidates, each times the number of deals."""


class Covariates(NamedTuple):
    """P features of the D deals played, and what they are in random deals."""

    features: Array
    """[D, P]."""
    mean: Array
    """[P], over random deals."""
    covariance: Array
    """[P, P], of random deals."""
    num_random: int
    """Deals behind these two; none of them is one of those played."""


class Controlled(NamedTuple):
    """A mean with control, and what that changes."""

    estimate: Estimate
    ratio: float
    """Width of its interval by that without control: of 0.8, three deals are worth nearly five."""


def estimate_with_control(values: Array, known: Covariates) -> Controlled:
    """Mean of `values` [D], one a deal, with its t interval; see above."""
    num = len(values)
    plain = estimate_mean(values)
    spread = float(np.var(values, ddof=1)) if num >= FEWEST_DEALS else 0.0
    if not spread:
        return Controlled(plain, 1.0)
    features = known.features - known.mean
    rest, weights = values.astype(float), np.zeros(features.shape[1])
    for fold in range(NUM_FOLDS):
        own = np.arange(num) % NUM_FOLDS == fold
        fitted = fit_ridge(features[~own], values[~own])
        rest[own] -= features[own] @ fitted
        weights += fitted * own.mean()
    left = float(np.var(rest, ddof=1))
    error = math.sqrt(left / num + float(weights @ known.covariance @ weights) / known.num_random)
    mean, reach = float(rest.mean()), t_quantile(num - 1) * error
    return Controlled(Estimate(mean, mean - reach, mean + reach), error / math.sqrt(spread / num))


def fit_ridge(features: Array, values: Array) -> Array:
    """Weights [P] of features [N, P] that predict values [N] up to a constant.

    Features count in units of their standard deviation; those that never vary get no weight. The
    penalty is the best by generalized cross-validation.
    """
    num = len(values)
    scale = features.std(0)
    scale[scale < 1e-9] = np.inf
    scaled = (features - features.mean(0)) / scale
    centred = values - values.mean()
    roots, axes = np.linalg.eigh(scaled.T @ scaled)
    target = axes.T @ (scaled.T @ centred)

    kept = 1 / (np.maximum(roots, 0) + num * PENALTIES[:, None])  # [penalties, P]
    squares = centred @ centred - ((2 - roots * kept) * kept) @ target**2
    scores = squares / (num - 1 - kept @ roots) ** 2
    return np.asarray(axes @ (kept[np.argmin(scores)] * target) / scale)
