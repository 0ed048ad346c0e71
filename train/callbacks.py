"""What happens beside the learning: a live line, evaluations, snapshots, checkpoints."""

import csv
import dataclasses
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from stable_baselines3.common.callbacks import BaseCallback

from agents.base import Agent
from agents.network import Network
from eval.terminal import new_progress
from train.checkpoint import save_checkpoint
from train.config import TrainConfig
from train.evaluation import Comparison, compare
from train.selfplay import SelfPlay

SNAPSHOTS = 50
"""Snapshots that join the pool in the course of a run, evenly spaced."""
BEST = "best"
"""Name of the strongest network so far among the opponents of evaluations."""
MEASURES = {
    "win_rate": "share of games won, ties shared",
    "mean_diff": "mean payoff above the opponent's, a seat and deal",
}
"""What `curve.png` shows of evaluations, and in words."""
LENGTHS = {"decisions": "decisions", "cpu_minutes": "CPU minutes"}
"""Over what, and in words."""
LINES = ("o-", "s--", "^-.", "D:", "v-", "P--")
"""Marker and line of each opponent, apart without colour."""


def due(decisions: int, step: int, total: int, times: int) -> bool:
    """Whether, in the last `step` decisions, one of `times` even parts of a run was completed."""
    return times > 0 and decisions * times // total > max(decisions - step, 0) * times // total


def draw_curve(history: list[dict[str, Any]], title: str, path: Path) -> None:
    """Draw the evaluations, rows of `Watch.history`, with their intervals as a PNG file."""
    figure = Figure((11, 8), layout="constrained")
    figure.suptitle(title)
    grid = figure.subplots(len(MEASURES), len(LENGTHS), sharex="col", sharey="row", squeeze=False)
    for line, (measure, axes) in zip(grid, MEASURES.items(), strict=True):
        for place, length in zip(line, LENGTHS, strict=True):
            _draw_measure(place, history, measure, length)
        line[0].set_ylabel(axes)
    for place, words in zip(grid[-1], LENGTHS.values(), strict=True):
        place.set_xlabel(words)
    if history:
        grid[0][0].legend(title="against")
    figure.savefig(path, dpi=120)


def _draw_measure(axes: Axes, history: list[dict[str, Any]], measure: str, length: str) -> None:
    names = dict.fromkeys(row["opponent"] for row in history)
    for number, name in enumerate(names):
        rows = [row for row in history if row["opponent"] == name]
        means = np.array([row[measure] for row in rows])
        ends = np.array([row[f"{measure}_ci"] for row in rows]).T
        axes.errorbar(
            [row[length] for row in rows],
            means,
            np.abs(ends - means),
            fmt=LINES[number % len(LINES)],
            capsize=3,
            label=name,
        )
    axes.axhline(0.5 if measure == "win_rate" else 0, color="0.6", linewidth=0.8)
    axes.grid(alpha=0.3)


class Watch(BaseCallback):
    """All of it, at the only point where a run can be left and taken up: between two rollouts."""

    model: SelfPlay

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
        self.best: Network | None = None
        """The network of the evaluation that went best against the last of `opponents`."""
        self.best_diff = -np.inf
        """Its mean difference there."""
        self.console = Console(stderr=True)
        self._progress = new_progress(self.console)
        self._game, self._variants = config.make_game()

    def state(self) -> dict[str, Any]:
        """What `restore` takes."""
        return {
            "history": json.dumps(self.history),
            "hands": self.hands,
            "used_s": self.used_s,
            "best": None if self.best is None else dataclasses.asdict(self.best),
            "best_diff": self.best_diff,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned."""
        self.history = json.loads(state["history"])
        self.hands, self.used_s = state["hands"], state["used_s"]
        best = state["best"]
        if best is not None:
            layers = [[np.asarray(array) for array in best[name]] for name in ("weights", "biases")]
            self.best, self.best_diff = Network(*layers), state["best_diff"]

    def close(self) -> None:
        """Give the terminal back, however the run ended."""
        self._progress.stop()

    def results(self) -> list[dict[str, Any]]:
        """The rows of the last evaluation against `opponents`."""
        names = [name for name, _ in self.opponents]
        rows = [row for row in self.history if row["opponent"] in names]
        return rows[len(rows) - len(names) :]

    def _on_training_start(self) -> None:
        total = self.config.decisions
        self._task = self._progress.add_task(self._game.title, total=total, done="")
        self._progress.start()
        self._clock = time.process_time()
        self._started = time.monotonic(), self.num_timesteps
        self._saved = time.monotonic()

    def _on_step(self) -> bool:
        self.hands += int(self.locals["env"].done.sum())
        return True

    def _on_rollout_start(self) -> None:
        """Between two rollouts. What was due where the run was left has been done there."""
        self._count_time()
        if self.model.num_timesteps > self._started[1]:
            self._do_what_is_due(self.model.num_timesteps)
        if time.monotonic() - self._saved >= 60 * self.config.checkpoint_minutes:
            self.save()
            if not self.console.is_terminal:  # where the live line is not seen
                self.console.print(self._how_far(), highlight=False, soft_wrap=True)
        self._clock = time.process_time()
        self._show()

    def _do_what_is_due(self, decisions: int) -> None:
        config = self.config
        step = self.model.n_steps * self.model.n_envs
        if self.model.pool and due(decisions, step, config.decisions, SNAPSHOTS):
            self.model.pool.add_snapshot(f"{decisions:,}", self.model.policy.export_actor())
        if due(decisions, step, config.decisions, config.evaluations):
            self.evaluate(config.evaluation_deals)

    def _count_time(self) -> None:
        now = time.process_time()
        self.used_s += now - self._clock
        self._clock = now

    def _how_far(self) -> str:
        started, before = self._started
        decisions = self.model.num_timesteps
        pace = (decisions - before) / max(time.monotonic() - started, 1e-9)
        return f"{decisions:,} decisions, {self.hands:,} games, {pace:,.0f} decisions/s"

    def _show(self) -> None:
        self._progress.update(self._task, completed=self.model.num_timesteps, done=self._how_far())

    def _on_training_end(self) -> None:
        self._count_time()
        self._show()
        self.close()
        self.evaluate(4 * self.config.evaluation_deals)
        self.save()

    def save(self) -> None:
        """Write a checkpoint."""
        state = {"model": self.model.state(), "watch": self.state()}
        save_checkpoint(self.folder / "checkpoint.pt", state)
        self._saved = time.monotonic()

    def evaluate(self, deals: int) -> list[Comparison]:
        """Play against the opponents and the best network so far; print it and write it down."""
        network = self.model.policy.export_actor()
        opponents = list(self.opponents)
        if self.best is not None:
            opponents.append((BEST, self._agent(self.best)))
        found = compare(self._game, self._variants[0], self._agent(network), opponents, deals)
        self._note_best(network, found[: len(self.opponents)])
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
        title = f"{self._game.title}, {self.config.algorithm.upper()}, seed {self.config.seed}"
        draw_curve(self.history, title, self.folder / "curve.png")
        return found

    def _note_best(self, network: Network, found: list[Comparison]) -> None:
        diff = found[-1].difference.mean if found else None
        if diff is not None and diff > self.best_diff:
            self.best, self.best_diff = network, diff

    def _agent(self, network: Network) -> Agent:
        return self.model.policy.make_agent(network, self.config.samples)

    def _tell(self, found: Comparison) -> None:
        rate, diff = found.win_rate, found.difference
        assert diff.mean is not None and diff.high is not None  # noqa: S101 - two deals or more
        reach = diff.high - diff.mean
        self.console.print(
            f"{self.model.num_timesteps:>12,} decisions, {self.used_s / 60:6.1f} min: against "
            f"{found.opponent} {rate.mean:.3f} [{rate.low:.3f}, {rate.high:.3f}], "
            f"{diff.mean:+.3f} ± {reach:.3f} a seat and deal",
            highlight=False,
            soft_wrap=True,
        )
        self.logger.record(f"eval/{found.opponent}_win_rate", rate.mean)
        self.logger.record(f"eval/{found.opponent}_mean_diff", diff.mean)
