"""Trained agents: weights in a file without pickle, and a card that says what they are.

`<name>.npz` holds the arrays of a network, `<name>.json` beside it the card. `PolicyAgent` plays
them without torch.
"""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from agents.comparing import Comparer, ComparingAgent
from agents.features.base import load_features
from agents.masked import best_actions, sample_actions
from agents.network import Network, Rows
from envs.core.errors import AgentError
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.core.rng import philox
from envs.core.rules import check_types

WEIGHTS = Path(__file__).parent / "weights"
"""The weights that come along: a folder a game."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Card:
    """What a file of weights is."""

    game: str
    game_version: int
    layout: str
    """Digest of the observation's layout."""
    trained_on: list[str]
    """Variants it was trained on, as words `option=value` and `preset=name`."""
    requires: dict[str, list[Any]]
    """Options that matter to it, with the values it was trained on."""
    ignore: list[str]
    """Pieces of the observation it does not read."""
    hidden: list[int]
    """Units of each hidden layer."""
    samples: bool
    """Whether it draws its actions; otherwise it takes the one it holds best."""
    algorithm: str
    decisions: int
    """Decisions it was trained for."""
    seed: int
    teacher: str | None = None
    """The agent it imitated at first."""
    adviser: str | None = None
    """The agent whose choice it sees, and begins from, at each decision."""
    features: int | None = None
    """Version of the features of actions by which its network compares actions with the advised
    ones, see `agents.comparing`; none: it reads observations."""
    reach: float = 0.0
    """How much less than the advised one an action may be worth to be compared with it."""
    margin: float = 0.0
    """Lead that an action must have to be taken instead of it."""
    results: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    """What it reached at the end: opponent, deals, mean difference, win rate, intervals."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, and comparisons with nothing."""
        check_types(self)
        if self.features is not None and self.adviser is None:
            raise ValueError("features of actions, but no adviser to compare with")


def save_policy(path: Path, card: Card, network: Network) -> None:
    """Write `path`, a name ending in .npz, and the card beside it."""
    arrays = {f"weight_{n}": weight for n, weight in enumerate(network.weights)}
    arrays |= {f"bias_{n}": bias for n, bias in enumerate(network.biases)}
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]  # a mapping of names to arrays
    text = json.dumps(dataclasses.asdict(card), indent=1, ensure_ascii=False)
    path.with_suffix(".json").write_text(text + "\n", "utf-8")


def load_card(path: Path) -> Card:
    """Read the card beside the weights `path`.

    Raises:
        AgentError: there is none, or it is not what `save_policy` writes.
    """
    place = path.with_suffix(".json")
    try:
        data = json.loads(place.read_text("utf-8"))
        return Card(**data)
    except (OSError, ValueError, TypeError) as error:
        raise AgentError(f"{place} is no card of trained weights: {error}") from error


def load_network(path: Path, card: Card, num_inputs: int, num_outputs: int) -> Network:
    """Read the weights `path`; nothing in the file is executed.

    Raises:
        AgentError: it cannot be read, or its layers are not those of the card and the game.
    """
    sizes = [num_inputs, *card.hidden, num_outputs]
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            num = len(sizes) - 1
            weights = [arrays[f"weight_{n}"] for n in range(num)]
            biases = [arrays[f"bias_{n}"] for n in range(num)]
    except Exception as error:  # numpy, zipfile and zlib raise anything over a damaged file
        raise AgentError(f"{path} holds no weights: {error}") from error
    for number, arrays in enumerate(zip(weights, biases, strict=True)):
        shapes = (sizes[number], sizes[number + 1]), (sizes[number + 1],)
        for array, shape in zip(arrays, shapes, strict=True):
            if array.shape != shape or array.dtype != np.float32:
                found = f"{array.dtype} {array.shape}"
                raise AgentError(f"{path}: layer {number} is {found}, expected float32 {shape}")
    return Network(weights, biases)


def check_fit(card: Card, game: Game, rules: Any) -> str | None:
    """Why weights with this card cannot play a game, or None if they can."""
    if (card.game, card.game_version) != (game.name, game.version):
        return f"made for {card.game}, version {card.game_version}"
    if card.layout != game.layout(rules).digest:
        return f"made for the layout {card.layout}, this game has {game.layout(rules).digest}"
    if card.features is not None:
        try:
            version = load_features(game).VERSION
        except AgentError as error:
            return str(error)
        if card.features != version:
            return f"made for version {card.features} of the features of actions, not {version}"
    for option, values in card.requires.items():
        value = getattr(rules, option, None)
        value = list(value) if isinstance(value, tuple) else value  # as JSON holds it
        if value not in values:
            return f"trained with {option} {' or '.join(map(repr, values))}, not {value!r}"
    return None


@kernel
def fill_uniforms(keys: Any, uniforms: Any) -> None:
    """A number from 0 to 1 for each key: [N] float64."""
    for i in range(keys.shape[0]):
        uniforms[i] = philox(0, int(keys[i]) >> 32, keys[i]) / 2.0**63


class PolicyAgent:
    """Plays a network."""

    def __init__(self, reader: Rows, network: Network, samples: bool) -> None:
        """Play `network` on what `reader` makes of observations.

        samples: draw actions from the softmax of its outputs, rather than take the largest.
        """
        self.reader = reader
        self.network = network
        self.samples = samples

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose an action for each row, see `Agent.act`."""
        masks = np.ascontiguousarray(masks, np.int8)
        rows = self.reader.read(observations, masks)
        marked = np.ascontiguousarray(rows[:, self.reader.layout.num_seen :])
        logits = self.network.outputs(rows, marked)
        actions = np.empty(len(masks), np.int64)
        if self.samples:
            uniforms, log_probs = np.empty(len(masks)), np.empty(len(masks), np.float32)
            fill_uniforms(keys, uniforms)
            sample_actions(logits, masks, uniforms, actions, log_probs)
        else:
            best_actions(logits, masks, actions)
        return actions


def load_agent(path: Path, game: Game, rules: Any) -> PolicyAgent | ComparingAgent:
    """The agent of a file of weights.

    Raises:
        AgentError: no such file, not weights, or weights for something else.
    """
    card = load_card(path)
    misfit = check_fit(card, game, rules)
    if misfit:
        raise AgentError(f"{path} cannot play here: {misfit}")
    if card.features is not None and card.adviser is not None:
        comparer = Comparer(game, rules, card.adviser, card.reach)
        network = load_network(path, card, comparer.num_inputs, 1)
        return ComparingAgent(comparer, network, card.margin)
    reader = Rows(game, rules, card.ignore, card.adviser)
    num_inputs = reader.layout.num_seen + reader.layout.num_actions
    return PolicyAgent(reader, load_network(path, card, num_inputs, game.num_actions), card.samples)


def shipped_weights(game: Game) -> Iterator[Path]:
    """The weights that come along for a game, in order of their names."""
    yield from sorted((WEIGHTS / game.name).glob("*.npz"))


class TrainedAgent:
    """The trained agent that comes along for a variant of a game."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Find the weights that fit.

        Raises:
            AgentError: there are none for this game or this variant of it.
        """
        misfits = []
        for path in shipped_weights(game):
            misfit = check_fit(load_card(path), game, rules)
            if misfit is None:
                self._policy = load_agent(path, game, rules)
                return
            misfits.append(f"{path.stem}: {misfit}")
        found = "; ".join(misfits) or "there are none for this game"
        raise AgentError(f"no trained weights fit: {found}")

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose an action for each row, see `Agent.act`."""
        return self._policy.act(observations, masks, keys=keys, tables=tables)
