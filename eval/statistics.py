"""Intervals and tests over deals: the deal is the sample, however many games it was played in."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from envs.core.game import Array

CONFIDENCE = 0.95
RESAMPLES = 9_999
"""Sign flips that are tried where there are too many to try all of them."""
RESAMPLING_SEED = 20_230_907
ROUNDING = 1e-9
"""Share of the largest possible sum up to which two sums count as equal."""


class Estimate(NamedTuple):
    """A mean and its interval. None stands for what too few deals leave open: the ends of the
    interval where there is one deal, everything where there is none."""

    mean: float | None
    low: float | None
    high: float | None


def t_quantile(freedom: int) -> float:
    """How many standard errors an interval reaches to each side, by Student's t distribution."""
    from scipy.special import stdtrit  # 0.2 s to import: not before the results are in

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def estimate_mean(samples: Array) -> Estimate:
    """Mean of `samples` [deals] with its t interval."""
    num = len(samples)
    mean = float(np.mean(samples)) if num else None
    if mean is None or num == 1:
        return Estimate(mean, None, None)
    reach = t_quantile(num - 1) * float(np.std(samples, ddof=1)) / math.sqrt(num)
    return Estimate(mean, mean - reach, mean + reach)


def estimate_rate(shares: Array) -> Estimate:
    """Mean of `shares` [deals], each a share of a deal's games from 0 to 1, with its interval.

    Wilson's score interval stays inside 0 to 1 and keeps a width when every deal was won or every
    deal was lost. The games of a deal depend on one another, so it is not taken over games: the
    effective sample size is the number of independent trials that would vary as the deals do.
    Two made-up deals, one won and one lost, stand in for the variance that a few equal deals hide.

    Sources: Wilson, "Probable inference, the law of succession, and statistical inference" (1927);
    Kish, "Survey Sampling" (1965), the effective sample size; Agresti and Coull, "Approximate is
    better than exact for interval estimation of binomial proportions" (1998), the made-up deals.
    """
    num = len(shares)
    rate = float(np.mean(shares)) if num else None
    if rate is None or num == 1:
        return Estimate(rate, None, None)
    padded = np.append(shares, (0.0, 1.0))
    chance = float(padded.mean())
    size = num * chance * (1 - chance) / float(padded.var())
    ratio = t_quantile(num - 1) ** 2 / size
    middle = (rate + ratio / 2) / (1 + ratio)
    reach = math.sqrt(ratio * rate * (1 - rate) + ratio**2 / 4) / (1 + ratio)
    return Estimate(rate, max(middle - reach, 0.0), min(middle + reach, 1.0))


def half_width(estimate: Estimate) -> float:
    """Half the length of the interval, infinite where it is open."""
    if estimate.low is None or estimate.high is None:
        return math.inf
    return (estimate.high - estimate.low) / 2


def deals_for_half_width(estimate: Estimate, deals: int, wanted: float) -> int | None:
    """About how many deals would narrow an interval found over `deals` to ± `wanted`.

    The width shrinks with the root of the number of deals. None where the interval is open.
    """
    now = half_width(estimate)
    return None if math.isinf(now) else math.ceil(deals * (now / wanted) ** 2)


def sign_flip_p(differences: Array) -> float | None:
    """How likely a mean at least as far from 0 is if each deal's difference [D] is as likely to
    have the other sign: the two-sided p-value of the permutation test; None without deals.

    Two agents of the same strength whose deals are played with the seats exchanged give such
    differences. All 2**n flips of the n differences that are not 0 are tried if they are at most
    `RESAMPLES`; otherwise so many random ones, always the same, and the data counts as one of them.

    Source: Phipson and Smyth, "Permutation P-values should never be zero" (2010).
    """
    if not len(differences):
        return None
    sizes = np.abs(differences[differences != 0])
    exact = len(sizes) < 64 and 2 ** len(sizes) <= RESAMPLES
    sums = _all_flips(sizes) if exact else _random_flips(sizes)
    least = abs(float(differences.sum())) - ROUNDING * float(sizes.sum())
    reached = int((np.abs(sums) >= least).sum())
    return reached / len(sums) if exact else (reached + 1) / (len(sums) + 1)


def _all_flips(sizes: Array) -> Array:
    """The sums of the sizes [n] with every choice of signs: [2**n]."""
    signs = np.arange(2 ** len(sizes))[:, None] >> np.arange(len(sizes)) & 1
    return np.asarray((2 * signs - 1) @ sizes)


def _random_flips(sizes: Array) -> Array:
    """The sums of the sizes with random signs: [RESAMPLES].

    Of equal sizes, which are many since payoffs are whole numbers, only the number that is positive
    is drawn.
    """
    rng = np.random.default_rng(RESAMPLING_SEED)
    sums = np.zeros(RESAMPLES)
    for size, num in zip(*np.unique(sizes, return_counts=True), strict=True):
        sums += size * (2 * rng.binomial(num, 0.5, RESAMPLES) - num)
    return sums


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, corrected so that the chance of any false alarm among them all
    stays what a p-value says.

    Source: Holm, "A simple sequentially rejective multiple test procedure" (1979).
    """
    values = np.asarray(p_values, np.float64)
    order = np.argsort(values, kind="stable")
    raised = values[order] * np.arange(len(values), 0, -1)
    corrected = np.empty(len(values))
    corrected[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return [float(value) for value in corrected]
