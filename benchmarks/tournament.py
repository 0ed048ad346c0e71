"""Hands per second of whole tournaments, and decisions per second of trained agents.

    python -m benchmarks.tournament [--deals 4000] [--rounds 3]

The first table: `rule` against `random` in Dou Dizhu without an auction, by `eval.tournament` with
two workers, their start included, beside RLCard's `tournament` with its rule-based agent and two
random ones. Seconds are those of the clock on the wall, since workers share the processor's cores.

The second: `trained` against `trained`, whole deals, beside a network of the same size that
Stable-Baselines3's `predict` asks for one decision after the other, and that alone.
"""

import random
import tempfile
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.console import Console
from sb3_contrib import MaskablePPO

from agents.policy import TrainedAgent, load_card, shipped_weights
from agents.random_agent import RandomAgent
from benchmarks.speed import tabulate
from benchmarks.training import measure
from envs import load_game
from envs.core.cli import parse_config
from envs.core.errors import JipaeError
from envs.core.game import Array
from envs.core.rng import spawn_seeds
from envs.core.rules import check_range, check_types
from envs.core.single import SeatEnv
from eval.match import play_deals
from eval.tournament import TournamentConfig, run_tournament
from train.run import settle_process

GAME = load_game("doudizhu")
VARIANT = ["preset=rlcard", "auction=off"]
"""As RLCard plays."""
WORKERS = 2
PEER_HANDS, PREDICTIONS, TRAINED_DEALS = 100, 1_000, 500
"""What the other rows do in a round."""


@dataclass(frozen=True, kw_only=True)
class SpeedOfTournaments:
    """Measure hands per second of tournaments, and decisions per second of trained agents."""

    deals: int = 4_000
    """Duplicate deals of each tournament."""
    rounds: int = 3
    """Times that each row is measured."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_range("deals", self.deals, 1, 1_000_000)
        check_range("rounds", self.rounds, 1, 1_000)


def own_hands(deals: int) -> Iterator[int]:
    """Whole tournaments, as the program plays them; yields the hands of each."""
    while True:
        with tempfile.TemporaryDirectory() as folder:
            config = TournamentConfig(
                game=GAME.name,
                agents=["rule", "random"],
                set=VARIANT,
                deals=deals,
                workers=WORKERS,
                out=folder,
                report=False,
            )
            [results] = run_tournament(config)
        yield results.deals * results.games_per_deal


def rlcard_hands() -> Iterator[int]:
    """RLCard's own tournament."""
    import rlcard
    from rlcard.agents import RandomAgent
    from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1
    from rlcard.utils import tournament

    env = rlcard.make("doudizhu")
    others = [RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players - 1)]
    env.set_agents([DouDizhuRuleAgentV1(), *others])
    random.seed(0)
    while True:
        tournament(env, PEER_HANDS)
        yield PEER_HANDS


class Counting:
    """An agent whose decisions are counted."""

    def __init__(self, agent: Any) -> None:
        """Count those of `agent`."""
        self.agent, self.decisions = agent, 0

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose an action for each row, see `agents.base.Agent`."""
        self.decisions += len(masks)
        actions: Array = self.agent.act(observations, masks, keys=keys, tables=tables)
        return actions


def own_decisions() -> Iterator[int]:
    """`trained` against itself on duplicate deals; yields how often it decided."""
    rules = GAME.make_rules()
    agents = [Counting(TrainedAgent(GAME, rules)) for _ in range(2)]
    for family in range(1_000_000):
        before = sum(agent.decisions for agent in agents)
        play_deals(GAME, rules, agents, spawn_seeds(family, TRAINED_DEALS))
        yield sum(agent.decisions for agent in agents) - before


def predicted_decisions() -> Iterator[int]:
    """A new network of the same size, asked by `predict` one decision at a time."""
    hidden = load_card(next(shipped_weights(GAME))).hidden
    rules = GAME.make_rules()
    env = SeatEnv(GAME, rules, RandomAgent(GAME, rules))
    networks = {"net_arch": {"pi": hidden, "vf": hidden}}
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=networks, device="cpu")
    observation, _ = env.reset(seed=0)
    mask = np.asarray(env.action_masks())
    while True:
        for _ in range(PREDICTIONS):
            model.predict(observation, action_masks=mask, deterministic=True)
        yield PREDICTIONS


def main(config: SpeedOfTournaments) -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")  # of the other suites
    settle_process()
    console = Console()
    own, peer = f"eval.tournament, {WORKERS} workers", "RLCard's tournament"
    rows = {own: own_hands(config.deals), peer: rlcard_hands()}
    rates = measure(rows, config.rounds, time.perf_counter)
    console.print(tabulate("Dou Dizhu, hands per second", rates, [peer]))
    own, peer = "trained against trained", "predict, one at a time"
    rows = {own: own_decisions(), peer: predicted_decisions()}
    rates = measure(rows, config.rounds, time.perf_counter)
    console.print(tabulate("Dou Dizhu, decisions per second", rates, [peer]))


if __name__ == "__main__":
    try:
        main(parse_config(SpeedOfTournaments, "python -m benchmarks.tournament"))
    except JipaeError as error:
        raise SystemExit(f"benchmarks.tournament: {error}") from error
