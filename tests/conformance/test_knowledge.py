"""What a seat knows: observations read back, and hidden cards dealt out anew."""

import numpy as np
import pytest

from envs.core.game import HIDDEN, OVER
from envs.core.rng import spawn_seeds
from tests.conformance.play import look, walk

SEEDS = list(range(20))


@pytest.fixture
def moments(variant):
    """States of random play, each with a seat that looks at it: `(states, seats)`."""
    game, rules = variant.game, variant.rules
    found = [
        states.copy() for states, _ in walk(game, game.new_games(rules, SEEDS), np.array(SEEDS))
    ]
    states = np.concatenate(found)
    seats = np.tile(np.arange(game.num_seats(rules)), len(states))
    return np.repeat(states, game.num_seats(rules)), seats


def make_views(variant, observations):
    return variant.game.views(variant.rules, observations)


def test_a_view_says_what_the_observation_said(variant, moments):
    states, seats = moments
    game, rules = variant.game, variant.rules
    seen = look(game, rules, states, seats)
    views = make_views(variant, seen)
    assert np.array_equal(look(game, rules, views, np.zeros_like(seats)), seen)
    num_seats = game.num_seats(rules)
    over = states["turn"] == OVER
    turns = np.where(over, OVER, (states["turn"] - seats) % num_seats)
    is_hidden = (views["turn"] == HIDDEN) & (turns > 0)  # somebody else: not told who
    assert np.array_equal(views["turn"], np.where(is_hidden, HIDDEN, turns))
    own = turns == 0
    assert np.array_equal(game.masks(views[own]), game.masks(states[own]))


def test_an_unfinished_selection_is_seen_by_its_own_seat_alone(variant):
    game, rules = variant.game, variant.rules
    seeds, seats = np.arange(100), np.arange(game.num_seats(rules))
    before, found, has_selections = None, 0, False
    for states, _ in walk(game, game.new_games(rules, seeds), seeds):
        if not has_selections:
            has_selections = any(len(path) > 1 for path in game.plays(states[0]))
        seen = np.stack([look(game, rules, states, np.full(len(seeds), seat)) for seat in seats])
        for table in np.flatnonzero(states["pending"]):
            others = seats != states["turn"][table]
            assert np.array_equal(seen[others, table], before[others, table])
            found += 1
        before = seen
    assert (found > 0) == has_selections


def test_plays_are_counted_alike_in_the_view(variant, moments):
    states, seats = (array[moments[0]["turn"] == moments[1]] for array in moments)
    game = variant.game
    views = make_views(variant, look(game, variant.rules, states, seats))
    masks = game.masks(states)
    counts, counts_seen = np.empty(masks.shape, np.int64), np.empty(masks.shape, np.int64)
    game.count_plays(states, masks, counts)
    game.count_plays(views, masks, counts_seen)
    assert np.array_equal(counts, counts_seen)


def test_resampled_worlds_are_sound_and_look_the_same(variant, moments):
    states, seats = moments
    game, rules = variant.game, variant.rules
    seen = look(game, rules, states, seats)
    worlds = make_views(variant, seen)
    game.resample(worlds, spawn_seeds(1, len(worlds)))
    assert [problem for world in worlds for problem in game.problems(world)] == []
    assert np.array_equal(look(game, rules, worlds, np.zeros_like(seats)), seen)
    own = states["turn"] == seats
    assert np.array_equal(game.masks(worlds[own]), game.masks(states[own]))


def test_resampled_worlds_can_be_played_to_the_end(variant, moments):
    states, seats = (array[::7] for array in moments)
    game = variant.game
    worlds = make_views(variant, look(game, variant.rules, states, seats))
    seeds = spawn_seeds(2, len(worlds))
    game.resample(worlds, seeds)
    for _ in walk(game, worlds, seeds):
        pass
    assert not worlds["scores"].sum(axis=1).any()
    assert [problem for world in worlds for problem in game.problems(world)] == []


def test_hidden_cards_change_and_the_seed_decides(variant):
    game, rules = variant.game, variant.rules
    states = np.repeat(game.new_games(rules, [1]), 32)
    seen = look(game, rules, states, states["turn"].copy())

    def resampled(seed):
        worlds = make_views(variant, seen)
        game.resample(worlds, spawn_seeds(seed, len(worlds)))
        vectors = np.empty((len(worlds), game.state_layout(rules).size), np.int8)
        game.observe_state(worlds, np.zeros(len(worlds), np.int64), vectors)
        return vectors

    assert len(np.unique(resampled(3), axis=0)) > 4
    assert np.array_equal(resampled(3), resampled(3))
