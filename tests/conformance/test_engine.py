"""What every game owes: sound states, complete decisions, the same game everywhere."""

import os
import subprocess
import sys

import numpy as np
import pytest

from envs.core.aec import GameEnv
from envs.core.game import OVER
from envs.core.layout import empty_vectors
from envs.core.vector import BatchEnv
from tests.conformance.play import all_variants, digests, look, random_actions, walk

SEEDS = list(range(30))


def test_random_play_keeps_the_cards_together_and_always_has_a_choice(variant):
    game = variant.game
    states = game.new_games(variant.rules, SEEDS)
    for states, masks in walk(game, states, np.array(SEEDS)):  # noqa: B020 - the same array
        assert set(np.unique(masks)) <= {0, 1}
        over = states["turn"] == OVER
        assert np.array_equal(masks.any(axis=1), ~over)
        assert not states["scores"][over].sum(axis=1).any()  # meanwhile a pot may hold points
        assert [game.problems(state) for state in states] == [[]] * len(SEEDS)
    assert not states["pending"].any()


def test_every_decision_can_be_completed_and_plays_are_counted(variant):
    game = variant.game
    states = game.new_games(variant.rules, SEEDS[:4])
    for number, (states, masks) in enumerate(walk(game, states, np.array(SEEDS[:4]))):  # noqa: B020
        if number % 5:
            continue
        counts = np.empty(masks.shape, np.int64)
        game.count_plays(states, masks, counts)
        for state, mask, count in zip(states, masks, counts, strict=True):
            if not mask.any():
                continue
            plays = game.plays(state)
            assert len(set(plays)) == len(plays)
            starts, num = np.unique([path[0] for path in plays], return_counts=True)
            assert starts.tolist() == np.flatnonzero(mask).tolist()  # no dead ends
            assert count[starts].tolist() == num.tolist()
            assert count.sum() == len(plays)


def test_plays_are_written_and_read_alike(variant):
    game = variant.game
    states = game.new_games(variant.rules, SEEDS[:4])
    for number, (states, _) in enumerate(walk(game, states, np.array(SEEDS[:4]))):  # noqa: B020
        for state in states[number % 4 :: 4]:
            if state.turn == OVER or state.pending:
                continue
            texts = {game.format_play(state, path): path for path in game.plays(state)}
            assert {text: game.parse_play(state, text) for text in texts} == texts
            assert len(texts) == len(game.plays(state))


def test_a_game_is_the_same_alone_and_in_a_batch(variant):
    together = digests(variant, SEEDS)
    assert [digests(variant, [seed])[0] for seed in SEEDS] == together
    assert len(set(together)) == len(SEEDS)


def digests_elsewhere(num, *names, **environment):
    """The digests of games 0 to num - 1, by name of the variant, from another process."""
    command = [sys.executable, "-m", "tests.conformance.play", str(num), *names]
    found = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return dict(line.split(" ", 1) for line in found.stdout.splitlines())


def test_a_game_is_the_same_in_another_process():
    here = {variant.name: " ".join(digests(variant, SEEDS[:4])) for variant in all_variants()}
    assert digests_elsewhere(4) == here


def test_a_game_is_the_same_without_the_jit():
    here = {variant.name: " ".join(digests(variant, SEEDS[:2])) for variant in all_variants()}
    assert digests_elsewhere(2, NUMBA_DISABLE_JIT="1") == here


@pytest.mark.parametrize("skip_forced", [False, True])
def test_tables_and_environments_play_the_same_game(variant, skip_forced):
    game, rules = variant.game, variant.rules
    batch = BatchEnv(game, rules, 3, skip_forced=skip_forced, auto_reset=False)
    batch.reset(seed=1)
    seeds = batch.states["seed"].copy()
    singles = [GameEnv(game, rules, skip_forced=skip_forced) for _ in seeds]
    for env, seed in zip(singles, seeds, strict=True):
        env.reset(seed=int(seed))
    for step in range(100_000):
        for table, env in enumerate(singles):
            assert np.array_equal(env.state(), batch.state()[table])
            assert all(env.terminations.values()) == (batch.seats[table] == OVER)
            if not all(env.terminations.values()):
                seen = env.last()[0]
                assert np.array_equal(seen["observation"], batch.observations[table])
                assert np.array_equal(seen["action_mask"], batch.masks[table])
        if batch.done.all():
            return
        actions = random_actions(batch.masks, seeds, step)
        batch.step(actions)
        for env, action, rewards in zip(singles, actions, batch.rewards, strict=True):
            if action >= 0:
                env.step(action)
                assert list(env.rewards.values()) == rewards.tolist()


def test_the_layouts_cover_their_vectors(variant):
    game, rules = variant.game, variant.rules
    states = game.new_games(rules, SEEDS)
    written = empty_vectors(len(SEEDS), game.layout(rules))
    seats = states["turn"].copy()
    for layout, write in (
        (game.layout(rules), lambda out: game.observe(states, seats, out)),
        (game.state_layout(rules), lambda out: game.observe_state(states, seats, out)),
    ):
        places = [place for _, place in layout.slices()]
        assert [place.start for place in places] == [0, *(place.stop for place in places[:-1])]
        assert places[-1].stop == layout.size
        written = empty_vectors(len(SEEDS), layout)
        write(written)
        over_rubbish = np.full_like(written, 77)
        write(over_rubbish)
        assert np.array_equal(written, over_rubbish)
        assert sum(piece.size for piece in layout.split(written).values()) == written.size


def test_the_state_is_all_cards_from_a_seat_on_and_what_that_seat_sees(variant):
    game, rules = variant.game, variant.rules
    layout, players = game.state_layout(rules), game.num_seats(rules)
    batch = BatchEnv(game, rules, len(SEEDS))
    batch.reset(seed=1)
    hands = [layout.split(batch.state(seat))[next(iter(layout.pieces))] for seat in range(players)]
    for seat in range(players):
        seen = batch.observe(np.full(len(SEEDS), seat))
        assert np.array_equal(batch.state(seat)[:, -seen.shape[1] :], seen)
        assert np.array_equal(hands[seat][:, :players], np.roll(hands[0][:, :players], -seat, 1))
        assert not hands[seat][:, players:].any()


def test_a_finished_game_can_still_be_looked_at(variant):
    game, rules = variant.game, variant.rules
    states = game.new_games(rules, SEEDS)
    for _ in walk(game, states, np.array(SEEDS)):
        pass
    for seat in range(game.num_seats(rules)):
        assert look(game, rules, states, np.full(len(SEEDS), seat)).any(axis=1).all()
        assert game.render(states[0], seat)
    assert game.last_event(states[0])
