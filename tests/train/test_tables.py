"""Tables in lock step: what networks read of them, variants side by side, and as SB3 sees them."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from envs.core.errors import AgentError, IllegalActionError, RulesError
from envs.core.game import Array
from envs.core.rng import derive_seed
from envs.core.vector import BatchEnv
from tests.toy_game import GAME, LAYOUT, NUM_ACTIONS, ToyRules
from tests.train.tiny import advance_randomly, make_tables
from train.tables import Tables

PAIR, TRIO = ToyRules(players=2), ToyRules(players=3)


def snapshot(tables: Tables) -> list[Array]:
    arrays = (tables.rows, tables.observations, tables.seats, tables.rewards, tables.done)
    return [array.copy() for array in arrays]


def test_rows_are_those_of_the_seat_that_acts() -> None:
    tables = make_tables(5, TRIO, PAIR)
    assert tables.num_seats.tolist() == [3, 3, 2, 2, 2]
    for step in range(30):
        for place, group in zip(tables.places, tables.groups, strict=True):
            layout = tables.reader.layout
            vectors = group.state(group.seats)
            rows = tables.rows[place]
            assert np.array_equal(rows[:, layout.masks], group.masks)
            assert np.array_equal(rows[:, : vectors.shape[1]], vectors)
            assert np.array_equal(tables.masks[place], group.masks)
            assert np.array_equal(tables.observations[place], group.observations)
        advance_randomly(tables, step)


def test_tables_of_a_variant_play_the_games_of_a_batch() -> None:
    tables = make_tables(5, TRIO, PAIR, seed=3)
    batch = BatchEnv(GAME, PAIR, 3)
    batch.reset(seed=derive_seed(3, 1))
    ended = 0
    for step in range(40):
        assert np.array_equal(tables.seats[2:], batch.seats)
        actions = advance_randomly(tables, step)
        batch.step(actions[2:])
        ended += int(batch.done.sum())
        assert np.array_equal(tables.done[2:], batch.done)
        assert np.array_equal(tables.rewards[2:, :2], batch.rewards)
        assert not tables.rewards[2:, 2].any()
    assert ended > 3


def test_games_follow_from_the_seed() -> None:
    one, two, other = make_tables(seed=1), make_tables(seed=1), make_tables(seed=2)
    assert all(map(np.array_equal, snapshot(one), snapshot(two)))
    assert not np.array_equal(one.rows, other.rows)
    other.seed(1)
    assert np.array_equal(one.rows, other.rows)
    advance_randomly(other, 0)
    before = other.rows.copy()
    other.seed(None)
    assert np.array_equal(other.rows, before)


def test_tables_go_on_from_what_was_saved() -> None:
    tables, other = make_tables(5, TRIO, PAIR), make_tables(5, TRIO, PAIR, seed=8)
    for step in range(7):
        advance_randomly(tables, step)
    state = tables.state()
    other.restore(state)
    assert np.array_equal(tables.rows, other.rows)
    for step in range(7, 40):
        assert np.array_equal(advance_randomly(tables, step), advance_randomly(other, step))
        assert all(map(np.array_equal, snapshot(tables), snapshot(other)))


def first_against_rest(states: Array, sides: Array) -> None:
    """Seat 0 alone, the others partners."""
    sides[:] = np.arange(sides.shape[1]) > 0


def test_sides_of_the_seats() -> None:
    tables = make_tables(3, TRIO, PAIR)
    assert [tables.sides(table).tolist() for table in range(3)] == [[-1] * 3, [-1] * 2, [-1] * 2]
    with pytest.raises(IndexError):
        tables.sides(3)
    sided = dataclasses.replace(GAME, sides=first_against_rest)
    assert Tables(sided, [TRIO], 2).sides(1).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("variants", "num", "ignore", "error", "message"),
    [
        ([TRIO, PAIR], 1, [], RulesError, "^1 tables are too few for 2 variants$"),
        ([TRIO], 2, ["card", "hands"], AgentError, "no piece of the layout 'hands'"),
    ],
)
def test_what_is_refused(
    variants: list[ToyRules], num: int, ignore: list[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Tables(GAME, variants, num, ignore=ignore)


def test_variants_with_different_observations_are_refused() -> None:
    def layout(rules: ToyRules) -> Any:
        return dataclasses.replace(
            LAYOUT, pieces=dict(list(LAYOUT.pieces.items())[rules.players :])
        )

    game = dataclasses.replace(GAME, layout=layout)
    with pytest.raises(RulesError, match="variants with different observations: "):
        Tables(game, [TRIO, PAIR], 4)


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(IllegalActionError, match="table 1"):
        make_tables(2).step(np.array([0, 4]))


def step_of(tables: Tables, actions: Array) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
    tables.step_async(actions)
    return tables.step_wait()


def test_a_step_is_a_decision_at_every_table() -> None:
    tables, twin = make_tables(4, seed=2), make_tables(4, seed=2)
    assert np.array_equal(tables.reset(), twin.observations)
    paid = 0
    for step in range(40):
        actors, mine = twin.seats.copy(), np.arange(4)
        actions = advance_randomly(twin, step)
        observations, rewards, done, infos = step_of(tables, actions)
        assert np.array_equal(observations, twin.observations)
        assert observations.dtype == tables.observation_space.dtype
        assert rewards.tolist() == twin.rewards[mine, actors].tolist()
        assert done.tolist() == twin.done.tolist()
        assert infos == [{}] * 4
        paid += int((rewards != 0).sum())
    assert paid > 5


def test_what_a_step_returned_does_not_change_later() -> None:
    tables = make_tables(4)
    first = [tables.reset(), *step_of(tables, np.zeros(4, int))[:3]]
    before = [array.copy() for array in first]
    for step in range(10):
        advance_randomly(tables, step)
    assert all(map(np.array_equal, first, before))


def test_sb3_contrib_finds_the_masks() -> None:
    tables = make_tables(4, TRIO, PAIR)
    assert is_masking_supported(tables)
    masks = get_action_masks(tables)
    assert masks.shape == (4, NUM_ACTIONS)
    assert masks.dtype == bool
    assert np.array_equal(masks, tables.masks == 1)
    assert not tables.has_attr("anything_else")
    with pytest.raises(NotImplementedError, match="no method 'seat'"):
        tables.env_method("seat")
    with pytest.raises(NotImplementedError, match="no attribute 'seat'"):
        tables.set_attr("seat", 1)


def test_stock_maskable_ppo_learns_at_the_tables() -> None:
    tables = make_tables(4, TRIO, PAIR)
    model = MaskablePPO(
        "MlpPolicy", tables, n_steps=8, batch_size=16, n_epochs=1, seed=0, device="cpu"
    )
    before = [weight.detach().clone() for weight in model.policy.parameters()]
    model.learn(64)
    assert model.num_timesteps == 64
    changed = zip(before, model.policy.parameters(), strict=True)
    assert any((one != two).any() for one, two in changed)
    actions, _ = model.predict(tables.observations, action_masks=tables.masks)
    assert tables.masks[np.arange(4), actions].all()
