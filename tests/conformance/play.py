"""Random play of every game in every named variant: what the conformance tests are run over.

`python -m tests.conformance.play NUM [NAME…]` prints a digest of NUM games of each variant (or of
those named), to be compared with those of another process.
"""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs import GAMES, load_game
from envs.core.errors import RulesError
from envs.core.game import Array, Game
from envs.core.layout import empty_vectors
from envs.core.rng import derive_seeds, sample_uniform
from tests import toy_game

SHORT = {"max_rounds": 2}
"""Where a variant has such an option, its matches are cut short."""
TOYS = {"toy": {}, "toy-forced": {"players": 2, "max_stake": 1, "hands": 3}}


@dataclass(frozen=True)
class Variant:
    """A game by certain rules."""

    name: str
    game: Game
    preset: str | None
    options: dict[str, Any]

    @property
    def rules(self) -> Any:
        return self.game.make_rules(self.preset, **self.options)


def all_variants() -> list[Variant]:
    """The toys, and every game in each of its named variants."""
    variants = [Variant(name, toy_game.GAME, None, options) for name, options in TOYS.items()]
    for name in GAMES:
        game = load_game(name)
        variants += [
            Variant(f"{name}-{preset}", game, preset, shortened(game, preset))
            for preset in game.presets
        ]
    return variants


def shortened(game: Game, preset: str) -> dict[str, Any]:
    """The options that cut a variant's matches short, where it knows any."""
    try:
        game.make_rules(preset, **SHORT)
    except RulesError:
        return {}
    return dict(SHORT)


def random_actions(masks: Array, seeds: Array, step: int) -> Array:
    """One allowed action a row, the same for the same seed and step; -1 where there is none."""
    keys, actions = np.empty(len(seeds), np.int64), np.empty(len(seeds), np.int64)
    derive_seeds(np.asarray(seeds, np.int64), step, keys)
    sample_uniform(masks, keys, actions)
    return actions


def walk(game: Game, states: Array, seeds: Array) -> Iterator[tuple[Array, Array]]:
    """Play all states randomly to their ends, in place: yields them and their masks each time."""
    for step in range(100_000):
        masks = game.masks(states)
        yield states, masks
        if not masks.any():
            return
        game.apply(states, random_actions(masks, seeds, step))
    raise AssertionError("these games never end")


def look(game: Game, rules: Any, states: Array, seats: Array) -> Array:
    """What the seats see."""
    observations = empty_vectors(len(states), game.layout(rules))
    game.observe(states, np.asarray(seats, np.int64), observations)
    return observations


def digests(variant: Variant, seeds: list[int]) -> list[str]:
    """A fingerprint of the game of each seed: all that is seen, allowed and won in random play."""
    game, rules = variant.game, variant.rules
    shas = [hashlib.sha256() for _ in seeds]
    for states, masks in walk(game, game.new_games(rules, seeds), np.array(seeds)):
        observations = look(game, rules, states, np.maximum(states["turn"], 0))
        for row, sha in enumerate(shas):
            if masks[row].any():
                sha.update(observations[row].tobytes() + masks[row].tobytes())
    for sha, scores in zip(shas, states["scores"], strict=True):
        sha.update(scores.tobytes())
    return [sha.hexdigest() for sha in shas]


def main(num: str, *names: str) -> None:
    """Print the digests."""
    for variant in all_variants():
        if not names or variant.name in names:
            print(variant.name, *digests(variant, list(range(int(num)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
