"""What happens beside the learning: a live line, evaluations, snapshots, checkpoints."""

import csv
import json
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback

from agents.base import Agent
from agents.policy import PolicyAgent
from train.checkpoint import save_checkpoint
from train.config import TrainConfig
from train.evaluation import Comparison, compare
from train.selfplay import SelfPlayPPO

SNAPSHOTS = 50
"""Snapshots that join the pool in the course of a run, evenly spaced."""


def due(decisions: int, step: int, total: int, times: int) -> bool:
    """Whether, in the last `step` decisions, one of `times` even parts of a run was completed."""
    return times > 0 and decisions * times // total > max(decisions - step, 0) * times // total


class Watch(BaseCallback):
    """All of it, at the only point where a run can be left and taken up: between two rollouts."""

    model: SelfPlayPPO

    def __init__(
        self, config: TrainConfig, folder: Path, opponents: list[tuple[str, Agent]]
    ) -> None:
        """Watch the run of `config`; `opponents` are those of its evaluations."""
        super().__init__()
        self.config = config
        self.folder = folder
        self.opponents = opponents
        self.history: list[dict[str, Any]] = []
        """One row an opponent and evaluation, in order."""
        self.hands = 0
        self.used_s = 0.0
        """CPU seconds of the learning, evaluations not counted."""
        self.console = Console(stderr=True)
        self._game, self._variants = config.make_game()

    def state(self) -> dict[str, Any]:
        """What `restore` takes."""
        return {"history": json.dumps(self.history), "hands": self.hands, "used_s": self.used_s}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.history = json.loads(state["history"])
        self.hands, self.used_s = state["hands"], state["used_s"]

    def _on_training_start(self) -> None:
        config = self.config
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(20),
            TextColumn("{task.fields[done]}"),
            TimeRemainingColumn(),
            console=self.console,
            disable=not self.console.is_terminal,
        )
        self._task = self._progress.add_task(self._game.title, total=config.decisions, done="")
        self._progress.start()
        self._clock = time.process_time()
        self._started = time.monotonic(), self.num_timesteps
        self._saved = time.monotonic()

    def _on_step(self) -> bool:
        self.hands += int(self.locals["env"].done.sum())
        return True

    def _on_rollout_start(self) -> None:
        """Between two rollouts."""
        config, decisions = self.config, self.model.num_timesteps
        self._count_time()
        step = self.model.n_steps * self.model.n_envs
        if decisions and due(decisions, step, config.decisions, SNAPSHOTS) and self.model.pool:
            self.model.pool.add_snapshot(f"{decisions:,}", self.model.policy.export_actor())
        if decisions and due(decisions, step, config.decisions, config.evaluations):
            self.evaluate(config.evaluation_deals)
        if time.monotonic() - self._saved >= 60 * config.checkpoint_minutes:
            self.save()
        self._clock = time.process_time()
        self._show()

    def _count_time(self) -> None:
        now = time.process_time()
        self.used_s += now - self._clock
        self._clock = now

    def _show(self) -> None:
        started, before = self._started
        decisions = self.model.num_timesteps
        pace = (decisions - before) / max(time.monotonic() - started, 1e-9)
        done = f"{decisions:,} decisions, {self.hands:,} games, {pace:,.0f} decisions/s"
        self._progress.update(self._task, completed=decisions, done=done)

    def _on_training_end(self) -> None:
        self._count_time()
        self._show()
        self._progress.stop()
        self.evaluate(4 * self.config.evaluation_deals)
        self.save()

    def save(self) -> None:
        """Write a checkpoint."""
        state = {"model": self.model.state(), "watch": self.state()}
        save_checkpoint(self.folder / "checkpoint.pt", state)
        self._saved = time.monotonic()

    def evaluate(self, deals: int) -> list[Comparison]:
        """Play against the opponents, print and write down what came of it."""
        agent = self.agent()
        found = compare(self._game, self._variants[0], agent, self.opponents, deals)
        for comparison in found:
            self.history.append(
                {
                    "decisions": self.model.num_timesteps,
                    "cpu_minutes": round(self.used_s / 60, 2),
                    **comparison.plain(),
                }
            )
            self._tell(comparison)
        with (self.folder / "evaluations.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self.history[0] if self.history else ["decisions"])
            writer.writeheader()
            writer.writerows(self.history)
        return found

    def agent(self) -> PolicyAgent:
        """The policy as it is now, as it will play."""
        policy = self.model.policy
        return PolicyAgent(policy.reader, policy.export_actor(), self.config.samples)

    def _tell(self, found: Comparison) -> None:
        rate, diff = found.win_rate, found.difference
        assert diff.mean is not None and diff.high is not None  # noqa: S101 - two deals or more
        reach = diff.high - diff.mean
        self.console.print(
            f"{self.model.num_timesteps:>12,} decisions, {self.used_s / 60:6.1f} min: against "
            f"{found.opponent} {rate.mean:.3f} [{rate.low:.3f}, {rate.high:.3f}], "
            f"{diff.mean:+.3f} ± {reach:.3f} a seat and deal",
            highlight=False,
        )
        self.logger.record(f"eval/{found.opponent}_win_rate", rate.mean)
        self.logger.record(f"eval/{found.opponent}_mean_diff", diff.mean)
