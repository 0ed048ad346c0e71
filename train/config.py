"""The settings of a training run."""

from dataclasses import dataclass, field
from typing import Any, Literal

import envs
from envs.core.cli import read_rules
from envs.core.errors import RulesError
from envs.core.game import Game
from envs.core.rules import check_range, check_types
from envs.core.seeding import check_seed
from train.objective import Objective


@dataclass(frozen=True, kw_only=True)
class TrainConfig:
    """Train an agent for one game by self-play. A run that was interrupted goes on where its last
    checkpoint left it: start it again with the same settings and the same folder."""

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
    """Decisions in a step of the optimiser."""
    epochs: int = 2
    """Times that each decision is learnt from."""
    learning_rate: float = 7e-4
    """Step size at the beginning."""
    final_learning_rate: float = 7e-5
    """Step size at the end; it falls linearly."""
    gae_lambda: float = 0.95
    """Trace of the advantage estimates; 1 takes whole games."""
    clip: float = 0.2
    """Range of the ratio of probabilities beyond which nothing more is gained."""
    entropy: float = 0.01
    """Bonus for entropy at the beginning."""
    final_entropy: float = 0.003
    """Bonus at the end; it falls linearly."""
    max_grad_norm: float = 0.5
    """Norm to which gradients are cut."""

    hidden: list[int] = field(default_factory=lambda: [256, 256, 256])
    """Units of each hidden layer of the actor."""
    critic_hidden: list[int] = field(default_factory=lambda: [256, 256, 256])
    """Units of each hidden layer of the critic."""
    critic_sees_all: bool = True
    """The critic reads the hidden cards too; only the actor plays."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """Type that layers compute in; auto: bfloat16 where the processor has units for it."""

    objective: Literal["win", "points", "log"] = "win"
    """What is striven for, see `train.objective`: winning, points, or their logarithm."""
    unit: float = 1.0
    """Points that make a reward of 1."""
    cap: float | None = None
    """Largest reward of one payoff, in units; none: no limit."""
    samples: bool = False
    """The finished agent draws its actions; otherwise it takes the one it holds best."""

    pool_tables: int = 0
    """Tables at which the learner meets past snapshots and `pool_agents`, not only itself."""
    pool_agents: list[str] = field(default_factory=list)
    """Agents by name among the opponents there."""
    pool_size: int = 8
    """Snapshots kept at most; those that the learner does worst against are met most."""

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
        for name, least in (("tables", 1), ("steps", 1), ("minibatch", 1), ("epochs", 1),
                            ("decisions", 1), ("evaluations", 0), ("evaluation_deals", 2),
                            ("pool_size", 1)):  # fmt: skip
            check_range(name, getattr(self, name), least, 2**40)
        check_range("pool_tables", self.pool_tables, 0, self.tables)
        if self.minibatch > self.tables * self.steps:
            raise RulesError(
                f"minibatch must be at most tables × steps = {self.tables * self.steps}, "
                f"got {self.minibatch}"
            )
        if not self.variants:
            raise RulesError("variants must name one at least, got none")
        self.make_objective()

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
