"""The settings of a training run."""

from dataclasses import dataclass, field
from typing import Any, Literal

import envs
from envs.core.cli import read_rules
from envs.core.errors import RulesError
from envs.core.game import Game
from envs.core.rules import check_above_zero, check_range, check_types, need_defaults
from envs.core.seeding import check_seed
from train.objective import Objective

POOL = ("pool_tables", "pool_agents", "pool_size")
OWN_SETTINGS = {
    "ppo": (
        *POOL,
        "ignore",
        "epochs",
        "gae_lambda",
        "clip",
        "entropy",
        "final_entropy",
        "critic_hidden",
        "critic_sees_all",
        "samples",
        "teacher",
        "adviser",
        "teacher_decisions",
        "actor_waits",
    ),
    "dmc": (*POOL, "ignore", "epsilon", "final_epsilon", "loss", "memory"),
    "aggrevate": ("adviser", "epochs", "epsilon", "judged", "others", "reach", "margin", "replay"),
}
"""Settings that do not mean something to all algorithms."""
MANY = 2**40
RANGES = {
    "tables": (1, MANY),
    "steps": (1, MANY),
    "minibatch": (1, MANY),
    "epochs": (1, MANY),
    "decisions": (1, MANY),
    "evaluations": (0, MANY),
    "evaluation_deals": (2, MANY),
    "pool_size": (1, MANY),
    "memory": (1, MANY),
    "teacher_decisions": (0, MANY),
    "actor_waits": (0, MANY),
    "checkpoint_minutes": (0, MANY),
    "entropy": (0, MANY),
    "final_entropy": (0, MANY),
    "gae_lambda": (0, 1),
    "others": (1, MANY),
    "reach": (0, MANY),
    "margin": (0, MANY),
    "judged": (0, 1),
    "epsilon": (0, 1),
    "final_epsilon": (0, 1),
}
"""Least and largest value of numbers."""
ABOVE_ZERO = ("learning_rate", "final_learning_rate", "max_grad_norm", "clip")
"""Numbers that may be as small as one likes, but not 0."""


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Train an agent for one game by self-play. A run that was interrupted goes on where its last
    checkpoint left it: start it again with the same settings and the same folder."""

    algorithm: Literal["ppo", "dmc", "aggrevate"] = "ppo"
    """Proximal policy optimisation, Deep Monte-Carlo or AggreVaTe; that of the program."""
    game: str = "doudizhu"
    """Name of the game."""
    variants: list[str] = field(default_factory=lambda: [""])
    """What is played, each as words `option=value` and `preset=name`; the tables are shared out
    evenly. All must have the same observations. The first is the one evaluated."""
    requires: list[str] = field(default_factory=list)
    """Options that the agent depends on: it refuses to play with values that no variant has."""
    ignore: list[str] = field(default_factory=list)
    """Pieces of the observation and of the state that the networks do not read."""
    out: str = "runs/train"
    """Folder for checkpoints, logs, curves and the weights."""
    seed: int = 0
    """Number from which all chance of the run follows."""
    decisions: int = 50_000_000
    """Length of the run: decisions at all tables together; forced ones are not counted."""

    tables: int = 512
    """Games that advance together."""
    steps: int = 48
    """Decisions at each table between two updates."""
    minibatch: int = 2048
    """Decisions in a step of the optimiser; AggreVaTe: judged positions."""
    learning_rate: float = 7e-4
    """Step size at the beginning."""
    final_learning_rate: float = 7e-5
    """Step size at the end; it falls linearly."""
    max_grad_norm: float = 0.5
    """Norm to which gradients are cut."""

    epochs: int = 2
    """PPO: times that each decision is learnt from; AggreVaTe: each judged position, on average."""
    gae_lambda: float = 0.95
    """PPO: trace of the advantage estimates; 1 takes whole games."""
    clip: float = 0.2
    """PPO: range of the ratio of probabilities beyond which nothing more is gained."""
    entropy: float = 0.01
    """PPO: bonus for entropy at the beginning."""
    final_entropy: float = 0.003
    """PPO: bonus at the end; it falls linearly."""
    critic_hidden: list[int] = field(default_factory=lambda: [256, 256, 256])
    """PPO: units of each hidden layer of the critic."""
    critic_sees_all: bool = True
    """PPO: the critic reads the hidden cards too; only the actor plays."""

    epsilon: float = 0.05
    """DMC: probability of any allowed action instead of the best, at the beginning; AggreVaTe: at
    the tables, always."""
    final_epsilon: float = 0.01
    """DMC: this probability at the end; it falls linearly."""
    loss: Literal["objective", "squared"] = "objective"
    """DMC: what is minimised, the loss that fits the objective or the squared error of returns."""
    memory: int = 4
    """DMC: rollouts that a decision waits for the end of its game at most; then it is dropped."""

    judged: float = 0.15
    """AggreVaTe: share of the decisions at which other actions are tried."""
    others: int = 4
    """AggreVaTe: actions that are tried there beside the advised one, at most."""
    reach: float = 1.0
    """AggreVaTe: how much less than the advised action an action may be worth, as the adviser sees
    it, to be tried and played; in the unit of `worth` in `agents.features`."""
    margin: float = 0.02
    """AggreVaTe: lead over the advised action, in units, above which another is played."""
    replay: int = 1_000_000
    """AggreVaTe: judged positions that are remembered, at most."""

    hidden: list[int] = field(default_factory=lambda: [256, 256, 256])
    """Units of each hidden layer of the network that plays."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Type that layers compute in; auto: bfloat16 where the processor has units for it."""

    objective: Literal["win", "points", "log"] = "win"
    """What is striven for, see `train.objective`: winning, points, or their logarithm."""
    unit: float = 1.0
    """Points that make a reward of 1."""
    cap: float | None = None
    """Largest reward of one payoff, in units; none: no limit."""
    samples: bool = False
    """The finished agent draws its actions, which only PPO learns to; otherwise it takes the one it
    holds best."""

    pool_tables: int = 0
    """Tables at which the learner meets past snapshots and `pool_agents`, not only itself."""
    pool_agents: list[str] = field(default_factory=list)
    """Agents by name among the opponents there."""
    pool_size: int = 8
    """Snapshots kept at most; those that the learner does worst against are met most."""

    teacher: str | None = None
    """PPO: an agent by name that plays all seats at first, while the learner imitates it."""
    teacher_decisions: int = 0
    """PPO: decisions of this beginning."""
    adviser: str | None = None
    """PPO: an agent that comes along and has no memory; the actor sees what it would do, begins by
    doing so most of the time, and learns where to do better. It plays with the finished agent.
    AggreVaTe: the same; needed there."""
    actor_waits: int = 0
    """PPO: decisions at first from which only the critic learns, for an actor that is good already:
    what a critic says that knows nothing would spoil it."""

    evaluations: int = 10
    """Evaluations in the course of the run, evenly spaced; one more at its end."""
    against: list[str] = field(default_factory=lambda: ["random", "rule"])
    """Agents by name to evaluate against."""
    evaluation_deals: int = 500
    """Duplicate deals of each evaluation; four times as many at the end."""
    checkpoint_minutes: float = 5
    """Time between checkpoints."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_seed(self.seed)
        for name, (least, most) in RANGES.items():
            check_range(name, getattr(self, name), least, most)
        for name in ABOVE_ZERO:
            check_above_zero(name, getattr(self, name))
        for name in ("hidden", "critic_hidden"):
            if any(units < 1 for units in getattr(self, name)):
                raise RulesError(f"{name} must be 1 or more each, got {getattr(self, name)}")
        self._check_sizes()
        self._refuse_settings_of_others()
        self.make_objective()

    def _check_sizes(self) -> None:
        """Refuse numbers that do not go with one another."""
        check_range("pool_tables", self.pool_tables, 0, self.tables)
        if (self.teacher is None) != (self.teacher_decisions == 0):
            raise RulesError(
                f"teacher and teacher_decisions go together, got {self.teacher!r} "
                f"and {self.teacher_decisions}"
            )
        if self.minibatch > self.tables * self.steps:
            raise RulesError(
                f"minibatch must be at most tables × steps = {self.tables * self.steps}, "
                f"got {self.minibatch}"
            )
        if self.algorithm == "aggrevate":  # all that one step may judge
            check_range("replay", self.replay, self.tables, MANY)
        if not self.variants:
            raise RulesError("variants must name one at least, got none")

    def _refuse_settings_of_others(self) -> None:
        """Refuse what is set for other algorithms, and their absence where one needs it."""
        own = OWN_SETTINGS[self.algorithm]
        for algorithm, names in OWN_SETTINGS.items():
            others = [name for name in names if name not in own]
            need_defaults(self, f"it is a setting of {algorithm}, not {self.algorithm}", *others)
        if self.algorithm == "aggrevate" and self.adviser is None:
            raise RulesError("aggrevate needs an adviser, got none")

    def make_objective(self) -> Objective:
        """What is striven for."""
        return Objective(kind=self.objective, unit=self.unit, cap=self.cap)

    def make_game(self) -> tuple[Game, list[Any]]:
        """The game, and the rules of each variant.

        Raises:
            RulesError: an unknown game, variant or option.
        """
        game = envs.load_game(self.game)
        return game, [read_rules(game, words.split()) for words in self.variants]

    def required_options(self) -> dict[str, list[Any]]:
        """The options in `requires`, with the values that the variants have.

        Raises:
            RulesError: the game has no such option.
        """
        game, variants = self.make_game()
        known = variants[0].__dataclass_fields__
        for name in self.requires:
            if name not in known:
                raise RulesError(f"requires: {game.name} has no option {name!r}")
        return {
            name: list(dict.fromkeys(getattr(rules, name) for rules in variants))
            for name in self.requires
        }
