"""What is remembered of judged positions: a ring of them, and at most so many actions of each."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces

from agents.comparing import Comparisons
from envs.core.game import Array
from train.memory import Memory, choose_some

REPLAY, OTHERS, NUM_FEATURES, NUM_CONTEXT = 5, 3, 2, 2


def make_memory() -> Memory:
    box, actions = spaces.Box(-1, 1, (1,)), spaces.Discrete(9)
    return Memory(
        48,
        box,
        actions,
        replay=REPLAY,
        others=OTHERS,
        num_features=NUM_FEATURES,
        num_context=NUM_CONTEXT,
    )


def make_found(rng: np.random.Generator, counts: list[int]) -> tuple[Comparisons, Array]:
    """Positions with so many other actions each, and leads; nothing is 0, all exact in float16."""

    def numbers(*shape: int) -> Array:
        return (rng.integers(1, 400, shape) / 8).astype(np.float32)

    num = sum(counts)
    found = Comparisons(
        np.repeat(np.arange(len(counts)), counts),
        rng.integers(1, 2000, num),
        numbers(num, NUM_FEATURES),
        rng.integers(1, 2000, len(counts)),
        numbers(len(counts), NUM_FEATURES),
        numbers(len(counts), NUM_CONTEXT),
    )
    return found, numbers(num)


def positions(found: Comparisons, leads: Array) -> list[dict[str, Any]]:
    """What there is of each position, apart from the others."""
    return [
        {
            "actions": found.actions[found.rows == row].tolist(),
            "features": found.features[found.rows == row].tolist(),
            "leads": leads[found.rows == row].tolist(),
            "advised": int(found.advised[row]),
            "advised_features": found.advised_features[row].tolist(),
            "context": found.contexts[row].tolist(),
        }
        for row in range(len(found.advised))
    ]


def held(memory: Memory) -> list[dict[str, Any]]:
    """The positions in memory, place by place; what is after the used places must be 0."""
    places = np.arange(memory.num_held)
    found, used = memory.comparisons(places), memory.is_used(places)
    assert np.array_equal(found.rows, np.repeat(places, OTHERS))
    assert used.shape == (memory.num_held, OTHERS)
    used = used.reshape(-1)
    leads = memory.leads[places].reshape(-1)
    for array in (found.actions, found.features, leads):
        assert not array[~used].any()
    rest = found._replace(
        rows=found.rows[used], actions=found.actions[used], features=found.features[used]
    )
    return positions(rest, leads[used])


def fill(memory: Memory, *batches: list[int], seed: int = 0) -> list[dict[str, Any]]:
    """Add positions; returns them all in order."""
    rng, added = np.random.default_rng(seed), []
    for counts in batches:
        found, leads = make_found(rng, counts)
        memory.add(found, leads)
        added += positions(found, leads)
    return added


def test_what_is_added_comes_back() -> None:
    memory = make_memory()
    assert memory.num_held == 0
    added = fill(memory, [2, 0, 3], [1])
    assert held(memory) == added
    assert (memory.num_held, memory.num_added) == (4, 4)
    assert memory.counts.tolist() == [2, 0, 3, 1, 0]
    for array in (memory.features, memory.contexts, memory.actions, memory.leads):
        assert not array[4:].any()


def test_the_last_positions_stay() -> None:
    memory = make_memory()
    added = fill(memory, [3, 3, 3, 2], [1, 3, 0], [2], [1, 1, 1, 1])
    places = {number % REPLAY: one for number, one in enumerate(added)}
    assert held(memory) == [places[place] for place in range(REPLAY)]
    assert (memory.num_held, memory.num_added) == (5, 12)


def test_nothing_is_added() -> None:
    memory = make_memory()
    added = fill(memory, [2, 1], [], [3])
    assert held(memory) == added


def test_any_places_are_asked_for() -> None:
    memory = make_memory()
    fill(memory, [2, 3, 1, 3, 2])
    places = np.array([4, 0, 0, 2])
    found, every = memory.comparisons(places), memory.comparisons(np.arange(REPLAY))
    assert found.rows.tolist() == [n for n in range(4) for _ in range(OTHERS)]
    for n, place in enumerate(places.tolist()):
        mine = slice(n * OTHERS, (n + 1) * OTHERS)
        of_place = slice(place * OTHERS, (place + 1) * OTHERS)
        assert np.array_equal(found.actions[mine], every.actions[of_place])
        assert np.array_equal(found.features[mine], every.features[of_place])
        assert found.advised[n] == every.advised[place]
        assert np.array_equal(found.advised_features[n], every.advised_features[place])
        assert np.array_equal(found.contexts[n], every.contexts[place])
    assert memory.is_used(places).sum(axis=1).tolist() == [2, 2, 2, 1]
    assert {array.dtype for array in found} == {np.dtype(np.int64), np.dtype(np.float32)}


@pytest.mark.parametrize("batches", [[], [[2, 3]], [[3, 2, 1, 3], [1, 2, 3]]], ids=str)
def test_it_goes_on_as_it_was(batches: list[list[int]]) -> None:
    memory, restored = make_memory(), make_memory()
    fill(memory, *batches)
    restored.restore(memory.state())
    assert held(restored) == held(memory)
    for one in (memory, restored):
        fill(one, [1, 3, 2], seed=1)
    assert held(restored) == held(memory)
    assert restored.num_added == memory.num_added


def test_some_actions_of_each_position_are_chosen() -> None:
    rng = np.random.default_rng(4)
    found, leads = make_found(rng, [0, 3, 1, 0, 5, 2, 0])
    every = positions(found, leads)
    rest, kept = choose_some(found, 2, rng)
    assert kept.tolist() == [1, 2, 4, 5]
    assert rest.rows.tolist() == [0, 0, 1, 2, 2, 3, 3]
    for row, one in enumerate(positions(rest, np.zeros(len(rest.rows)))):
        whole = every[kept[row]]
        for name in ("advised", "advised_features", "context"):
            assert one[name] == whole[name]
        chosen = list(zip(one["actions"], one["features"], strict=True))
        assert len(set(one["actions"])) == min(len(whole["actions"]), 2)
        assert all(pair in zip(whole["actions"], whole["features"], strict=True) for pair in chosen)


def test_all_actions_are_as_likely_to_be_chosen() -> None:
    rng = np.random.default_rng(5)
    num, counts = 3000, [1, 4, 3]
    found, _ = make_found(rng, counts)
    found = found._replace(actions=np.arange(8))
    many = Comparisons(
        np.concatenate([found.rows + 3 * n for n in range(num)]),
        *(np.concatenate([array] * num) for array in found[1:]),
    )
    rest, kept = choose_some(many, 2, rng)
    assert len(kept) == 3 * num
    shares = np.bincount(rest.actions, minlength=8) / num
    assert shares == pytest.approx([1] + [1 / 2] * 4 + [2 / 3] * 3, abs=0.04)


def test_nothing_is_chosen_of_nothing() -> None:
    rng = np.random.default_rng(6)
    for counts in ([], [0, 0]):
        rest, kept = choose_some(make_found(rng, counts)[0], 2, rng)
        assert (len(rest.rows), len(rest.advised), len(kept)) == (0, 0, 0)
