"""Chance as a counter in the game record: Philox-2x32-10.

The random numbers of a game are a pure function of its `seed` and of how many were drawn before
(`draws`), so a copied record draws the same future, and a game is the same alone, in a batch and
in another process. Products are masked, so the arithmetic is the same on int64 (compiled, where
it wraps) and on Python's integers (without the JIT).

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.jit import kernel

WORD = 0xFFFFFFFF
MULTIPLIER = 0xD256D193
KEY_STEP = 0x9E3779B9
SPAWN_KEY = 0x5851F42D  # keeps derived seeds apart from the numbers a game draws


@kernel
def philox(counter: int, high: int, key: int) -> int:
    """One block of Philox-2x32-10 from two counter words and a key of 32 bits each.

    Returns 63 bits: the first output word, and above it the second without its top bit.
    """
    low, high, key = int(counter) & WORD, int(high) & WORD, int(key) & WORD
    for _ in range(10):
        product = low * MULTIPLIER
        low, high = (((product >> 32) & WORD) ^ key ^ high) & WORD, product & WORD
        key = (key + KEY_STEP) & WORD
    return ((high & 0x7FFFFFFF) << 32) | low


@kernel
def next_word(s: Any) -> int:
    """Draw 32 random bits from the record `s`."""
    draws, seed = int(s.draws), int(s.seed)
    s.draws = draws + 1
    return philox(draws, seed >> 32, seed) & WORD


@kernel
def randint(s: Any, bound: int) -> int:
    """Draw an integer from 0 to `bound` − 1, exactly uniform; `bound` is below 2**31.

    Source: Lemire, "Fast random integer generation in an interval" (2019).
    """
    product = next_word(s) * bound
    if product & WORD < bound:
        reject = (WORD + 1 - bound) % bound
        while product & WORD < reject:
            product = next_word(s) * bound
    return product >> 32


@kernel
def shuffle(s: Any, cards: Any) -> None:
    """Put the one-dimensional array `cards` into a uniformly random order, in place."""
    for i in range(cards.shape[0] - 1, 0, -1):
        j = randint(s, i + 1)
        swap = cards[i]
        cards[i] = cards[j]
        cards[j] = swap


@kernel
def derive_seed(seed: int, index: int) -> int:
    """Seed number `index` (below 2**32) of the family `seed`: a non-negative integer of 63 bits."""
    seed = int(seed)
    return philox(int(index), seed >> 32, (seed & WORD) ^ SPAWN_KEY)


@kernel
def derive_seeds(seeds: Any, index: int, out: Any) -> None:
    """`out[i] = derive_seed(seeds[i], index)`, both [B] int64."""
    for i in range(seeds.shape[0]):
        out[i] = derive_seed(seeds[i], index)


def spawn_seeds(seed: int, num: int, first: int = 0) -> npt.NDArray[np.int64]:
    """Seeds `first` to `first + num - 1` of the family `seed`: [num] int64."""
    return np.array([derive_seed(seed, first + i) for i in range(num)], np.int64)


@kernel
def pick_allowed(mask: Any, seed: int) -> int:
    """One allowed action of a mask [A] int8, uniform over the ids; -1 if there is none."""
    num = 0
    for action in range(mask.shape[0]):
        num += int(mask[action])  # int(): without the JIT, int8 arithmetic wraps
    skip = ((philox(0, seed >> 32, seed) & WORD) * num) >> 32
    for action in range(mask.shape[0]):
        if mask[action]:
            if skip == 0:
                return action
            skip -= 1
    return -1


@kernel
def sample_uniform(masks: Any, seeds: Any, actions: Any) -> None:
    """`pick_allowed` for every row. seeds: [B] int64; actions: [B] int64, written in place."""
    for i in range(masks.shape[0]):
        actions[i] = pick_allowed(masks[i], int(seeds[i]))
