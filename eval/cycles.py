"""Rankings of agents that beat each other in circles: alpha-rank and Nash averaging.

Both take the payoff table of a tournament, [A, A] with what the agent of the row gains a deal
against that of the column: antisymmetric, 0 on the diagonal, no gaps. A rating (`eval.ratings`) is
one number an agent and cannot tell a circle from a tie.

Sources: Omidshafiei et al., "Alpha-rank: multi-agent evaluation by evolution" (2019); Balduzzi,
Tuyls, Perolat and Graepel, "Re-evaluating evaluation" (2018).
"""

import numpy as np

from envs.core.game import Array

NOISE = 0.01
"""Chance to move to a worse agent; OpenSpiel's."""


def alpha_rank(payoffs: Array, noise: float = NOISE) -> Array:
    """Share of the time that a population plays each agent: [A], sums to 1.

    Everybody plays one agent; now and then another one, uniformly random, is tried against it and
    takes over if it is better, in half of the cases if it is as good, and rarely, with chance
    `noise`, if it is worse: alpha-rank with infinite selection. Amounts do not count. Agents in a
    circle that beat all others share the time.
    """
    num = len(payoffs)
    against = payoffs.T  # what that of the column gains
    takes_over = np.select([against > payoffs, against < payoffs], [1 - noise, noise], 0.5)
    np.fill_diagonal(takes_over, 0)
    moves = takes_over / max(num - 1, 1)  # from the agent of the row to that of the column
    flow = np.diag(moves.sum(1)) - moves.T
    return np.linalg.solve(flow + 1, np.ones(num))


def nash_average(payoffs: Array) -> tuple[Array, Array]:
    """Weights of the agents, and each agent's mean gain against agents so weighted: both [A].

    The weights are the mixture that no agent gains against; if there are several, the one of
    highest entropy, so that an agent and its copy share what it had alone. The gain is 0 for agents
    with a weight, and at most 0 for the others.
    """
    scaled = payoffs / max(np.abs(payoffs).max(), np.finfo(float).tiny)
    support = _support(scaled)
    weights = np.zeros(len(payoffs))
    weights[support] = _most_even(scaled[:, support], support)
    return weights, payoffs @ weights


def _support(payoffs: Array) -> Array:
    """Which agents have a weight in some mixture that no agent gains against: [A] bool."""
    from scipy.optimize import linprog  # slow to import: not before the results are in

    num = len(payoffs)
    # Mixtures p of any sum, and t ≤ p, t ≤ 1: the largest sum of t is 1 for each agent in one.
    table = np.block([[payoffs, np.zeros((num, num))], [-np.eye(num), np.eye(num)]])
    bounds = [(0, None)] * num + [(0, 1)] * num
    found = linprog(np.repeat([0, -1], num), A_ub=table, b_ub=np.zeros(2 * num), bounds=bounds)
    return np.asarray(found.x[num:] > 0.5)


def _most_even(payoffs: Array, support: Array) -> Array:
    """The mixture [S] of highest entropy of those that nobody gains against.

    payoffs: [A, S], of all agents against the S that have a weight. Every one of these gains
    exactly 0 against such a mixture. Solved by its dual: a multiplier for each agent, not negative
    for those without a weight.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    found = minimize(
        lambda multipliers: logsumexp(-multipliers @ payoffs),
        np.zeros(len(payoffs)),
        jac=lambda multipliers: -payoffs @ softmax(-multipliers @ payoffs),
        bounds=[(None if has_weight else 0, None) for has_weight in support],
        method="L-BFGS-B",
        options={"ftol": 0, "gtol": 1e-12, "maxiter": 10_000},
    )
    return np.asarray(softmax(-found.x @ payoffs))
