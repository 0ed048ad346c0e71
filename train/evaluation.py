"""How strong the policy in training is, by duplicate deals against other agents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.base import Agent
from envs.core.game import Game
from envs.core.rng import spawn_seeds
from eval.match import play_deals
from eval.statistics import Estimate, estimate_mean, estimate_rate

FAMILY = 7_919
"""Seeds of the deals that evaluations use, apart from those of training and of tournaments."""


@dataclass(frozen=True)
class Comparison:
    """What an evaluation against one agent brought."""

    opponent: str
    deals: int
    difference: Estimate
    """Mean payoff a seat and deal above the opponent's."""
    win_rate: Estimate

    def plain(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {
            "opponent": self.opponent,
            "deals": self.deals,
            "mean_diff": self.difference.mean,
            "mean_diff_ci": [self.difference.low, self.difference.high],
            "win_rate": self.win_rate.mean,
            "win_rate_ci": [self.win_rate.low, self.win_rate.high],
        }


def compare(
    game: Game, rules: Any, agent: Agent, opponents: Sequence[tuple[str, Agent]], deals: int
) -> list[Comparison]:
    """Play `deals` duplicate deals, the same each time, against each of the opponents."""
    seeds = spawn_seeds(FAMILY, deals)
    found = []
    for name, opponent in opponents:
        outcome = play_deals(game, rules, [agent, opponent], seeds)
        found.append(
            Comparison(
                name,
                deals,
                estimate_mean(outcome.differences()),
                estimate_rate(outcome.win_shares()),
            )
        )
    return found
