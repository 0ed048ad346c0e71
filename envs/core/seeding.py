"""Seeds of games: checked where they come in, and the chain from one game to the next."""

import operator
import secrets
from typing import Any

from envs.core.errors import JipaeError
from envs.core.jit import kernel
from envs.core.rng import WORD, derive_seed

MAX_SEATS = 16
"""No game seats more; it only spreads the numbers of the decisions."""

NEXT_GAME = WORD
"""Index in `derive_seed` of the game after this one: the last, which no table number reaches."""


def check_seed(seed: Any) -> int:
    """`seed` as a Python integer.

    Raises:
        JipaeError: it is no whole number from 0 to 2**63 - 1.
    """
    try:
        value = operator.index(seed)
    except TypeError:
        value = -1
    if not 0 <= value < 2**63:
        raise JipaeError(f"a seed must be a whole number from 0 to 2**63 - 1, got {seed!r}")
    return value


def fresh_seed() -> int:
    """A seed from the system's entropy."""
    return secrets.randbits(63)


@kernel
def decision_key(seed: int, seat: int, number: int) -> int:
    """The random number that an agent gets for decision `number` of a seat in the game `seed`."""
    return derive_seed(seed, number * MAX_SEATS + seat)


def next_seed(seed: int) -> int:
    """Seed of the game that follows the game `seed` at the same table."""
    return int(derive_seed(seed, NEXT_GAME))
