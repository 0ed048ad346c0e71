"""Intervals over deals: the deal is the sample, whatever number of games it was played in."""

import math
from typing import NamedTuple

import numpy as np

from envs.core.game import Array

CONFIDENCE = 0.95


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
