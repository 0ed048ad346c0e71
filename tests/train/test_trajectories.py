"""What belongs to which decision, over several rollouts, and how it is estimated."""

from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest

from envs.core.game import Array
from tests.toy_game import GAME, ToyRules
from tests.train.tiny import NUM_STEPS, advance_randomly, make_tables
from train.tables import Tables
from train.trajectories import EMPTY, Trajectories, fill_advantages

NUM_ROLLOUTS = 6
MIXED = (ToyRules(hands=2), ToyRules(players=2, hands=5), ToyRules(hands=1))


class Step(NamedTuple):
    """What is noted of one step at all tables; `names` number the decisions of a test."""

    rows: Array
    actions: Array
    names: Array
    seats: Array
    rewards: Array
    done: Array


class Play:
    """Random games, and who decided what in which of them."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.number = 0
        self.games = np.arange(tables.num_envs)
        self.decisions: dict[int, tuple[int, int]] = {}
        """Game and seat of each decision."""
        self.returns: dict[int, list[int]] = {}
        """Of the games that ended."""

    def step(self) -> Step:
        tables = self.tables
        num = tables.num_envs
        rows, seats = tables.rows.copy(), tables.seats.copy()
        names = np.arange(self.number * num, (self.number + 1) * num)
        owners = zip(self.games.tolist(), seats.tolist(), strict=True)
        self.decisions.update(zip(names.tolist(), owners, strict=True))
        actions = advance_randomly(tables, self.number)
        self.number += 1
        for place, group in zip(tables.places, tables.groups, strict=True):
            for table in np.flatnonzero(group.done):
                self.returns[int(self.games[place][table])] = group.returns[table].tolist()
        self.games[tables.done] += num
        return Step(rows, actions, names, seats, tables.rewards.copy(), tables.done.copy())


def make_buffer(
    tables: Tables, gae_lambda: float = 0.0, num_steps: int = NUM_STEPS
) -> Trajectories:
    return Trajectories(
        num_steps,
        tables.observation_space,
        tables.action_space,
        gamma=1.0,
        gae_lambda=gae_lambda,
        n_envs=tables.num_envs,
        width=tables.reader.layout.width,
        num_seats=tables.rewards.shape[1],
    )


def fill(buffer: Trajectories, steps: list[Step], values: float = 0.0) -> None:
    """One rollout; the names of the decisions stand where their log-probabilities would."""
    buffer.begin()
    for step in steps:
        buffer.add(step.rows, step.actions, step.names, step.seats)
        buffer.add_outcome(step.rewards, step.done)
    buffer.values[:] = values
    buffer.finish()


def learnt(buffer: Trajectories) -> dict[int, float]:
    """Names and advantages of the decisions to learn from."""
    complete = buffer.complete
    return dict(
        zip(
            buffer.log_probs[complete].astype(int).tolist(),
            buffer.advantages[complete].tolist(),
            strict=True,
        )
    )


@pytest.mark.parametrize("variants", [(ToyRules(),), MIXED], ids=["one", "mixed"])
def test_what_a_seat_wins_adds_up_to_its_return_over_all_its_decisions(variants: Any) -> None:
    play = Play(make_tables(7, *variants))
    buffer = make_buffer(play.tables)  # with lambda 0, an advantage over 0 is the step's reward
    won: dict[tuple[int, int], float] = defaultdict(float)
    carried = 0
    for _ in range(NUM_ROLLOUTS):
        fill(buffer, [play.step() for _ in range(NUM_STEPS)])
        for name, reward in learnt(buffer).items():
            won[play.decisions[name]] += reward
        carried += int(buffer.complete[: buffer.num_seats].sum())
    assert carried > 5 * NUM_ROLLOUTS
    assert len(play.returns) > 50
    for game, returns in play.returns.items():
        assert [won[game, seat] for seat in range(len(returns))] == returns
    assert min(min(returns) for returns in play.returns.values()) < 0


@pytest.mark.parametrize("variants", [(ToyRules(),), MIXED], ids=["one", "mixed"])
def test_every_decision_is_learnt_exactly_once(variants: Any) -> None:
    play = Play(make_tables(7, *variants))
    buffer = make_buffer(play.tables)
    times: Counter[int] = Counter()
    for _ in range(NUM_ROLLOUTS):
        fill(buffer, [play.step() for _ in range(NUM_STEPS)])
        times.update(learnt(buffer).keys())
    assert set(times.values()) == {1}
    waiting = set(play.decisions) - set(times)
    assert all(play.decisions[name][0] not in play.returns for name in waiting)
    assert 0 < len(waiting) <= 7 * 3  # the last decision of each seat in a game that goes on
    assert len({play.decisions[name] for name in waiting}) == len(waiting)


def test_a_decision_keeps_what_it_was_when_it_is_carried_over() -> None:
    play = Play(make_tables())
    buffer = make_buffer(play.tables)
    noted: dict[int, tuple[bytes, int, int]] = {}
    for _ in range(NUM_ROLLOUTS):
        steps = [play.step() for _ in range(NUM_STEPS)]
        for step in steps:
            for row, action, name, seat in zip(*step[:4], strict=True):
                noted[name] = row.tobytes(), action, seat
        fill(buffer, steps)
        for place in zip(*np.nonzero(buffer.complete), strict=True):
            expected = noted[int(buffer.log_probs[place])]
            found = buffer.rows[place].tobytes(), buffer.actions[place], buffer.seats[place]
            assert found == expected


def test_with_the_whole_trace_a_first_decision_is_worth_the_return() -> None:
    play = Play(make_tables(20))
    buffer = make_buffer(play.tables, gae_lambda=1.0, num_steps=60)
    fill(buffer, [play.step() for _ in range(60)], values=0.25)
    advantages = learnt(buffer)
    firsts: dict[tuple[int, int], int] = {}
    for name in sorted(play.decisions):
        firsts.setdefault(play.decisions[name], name)
    assert len(play.returns) > 60
    for game, returns in play.returns.items():
        for seat, value in enumerate(returns):
            assert advantages[firsts[game, seat]] == value - 0.25


def test_the_loser_is_told_although_it_did_not_act_last() -> None:
    tables = make_tables(1, ToyRules(hands=1))
    buffer = make_buffer(tables, num_steps=6)
    masks = [[1, 2], [1, 2], [1, 3]]  # everybody raises; the last seat stakes 2, the others 1
    buffer.begin()
    for action in (a for pair in masks for a in pair):
        rows, seats = tables.rows.copy(), tables.seats.copy()
        tables.advance(np.array([action]))
        buffer.add(rows, np.array([action]), np.zeros(1), seats)
        buffer.add_outcome(tables.rewards, tables.done)
    buffer.finish()
    assert tables.done.all()
    returns = tables.groups[0].returns[0].tolist()
    assert buffer.complete[:, 0].tolist() == [False] * 3 + [True] * 6
    last = {int(seat): buffer.advantages[3 + t, 0] for t, seat in enumerate(buffer.seats[3:, 0])}
    assert [last[seat] for seat in range(3)] == returns
    assert min(returns) < 0


def random_rollout(rng: np.random.Generator, num_seats: int, num_steps: int, num: int) -> list[Any]:
    """Seats, values, rewards, done and carried of a rollout that no game could bring."""
    seats = rng.integers(-1, num_seats, (num_seats + num_steps, num))
    own = np.arange(num_seats)[:, None]
    seats[:num_seats] = np.where(rng.random((num_seats, num)) < 0.5, own, EMPTY)
    values = rng.standard_normal(seats.shape, np.float32)
    rewards = rng.standard_normal((num_steps, num, num_seats), np.float32)
    done = rng.random((num_steps, num)) < 0.15
    carried = rng.standard_normal((2, num_seats, num), np.float32)
    return [seats, values, rewards, done, carried]


def decisions_of(seat: int, rows: Array, rewards: Array, done: Array, before: float) -> list[Any]:
    """Row, reward and whether the game ended, of each decision of a seat at one table, in order.

    `done` is None for the decision that stays open. The obvious way: forward in time.
    """
    num_seats = len(rows) - len(done)
    found: list[Any] = []
    current: list[Any] | None = None
    if rows[seat] == seat:
        current = [seat, before, None]
        found.append(current)
    for step, ended in enumerate(done):
        if rows[num_seats + step] == seat:
            if current is not None:
                current[2] = False
            current = [num_seats + step, 0.0, None]
            found.append(current)
        if current is not None:
            current[1] += float(rewards[step, seat])
            if ended:
                current[2] = True
                current = None
    return found


@pytest.mark.parametrize("num_seats", [1, 2, 4])
def test_advantages_are_those_of_a_slow_reference(num_seats: int) -> None:
    gamma, trace = 0.97, 0.9
    rng = np.random.default_rng(num_seats)
    seats, values, rewards, done, carried = random_rollout(rng, num_seats, 40, 25)
    before = carried.copy()
    advantages, complete = np.full(values.shape, 77, np.float32), np.ones(values.shape, bool)
    fill_advantages(
        seats, values, rewards, done, carried, np.array([gamma, trace]), advantages, complete
    )
    expected, is_complete, open_rewards = {}, np.zeros(values.shape, bool), 0
    for table, seat in np.ndindex(values.shape[1], num_seats):
        found = decisions_of(
            seat, seats[:, table], rewards[:, table], done[:, table], before[0, seat, table]
        )
        value, advantage = 0.0, 0.0
        for row, reward, ended in reversed(found):
            if ended is None:
                assert carried[1, seat, table] == pytest.approx(reward, abs=1e-5)
                open_rewards += 1
                advantage = 0.0
            else:
                following = 0.0 if ended else value
                error = reward + gamma * following - values[row, table]
                advantage = error + (0.0 if ended else gamma * trace * advantage)
                expected[row, table] = advantage
                is_complete[row, table] = True
            value = float(values[row, table])
    assert np.array_equal(complete, is_complete)
    assert complete[:num_seats].any()
    assert open_rewards > 5
    assert np.array_equal(carried[0], before[0])
    for place, advantage in expected.items():
        assert advantages[place] == pytest.approx(advantage, abs=2e-5)


def test_a_rollout_goes_on_from_what_was_saved() -> None:
    play = Play(make_tables())
    buffer, other = make_buffer(play.tables, 0.9), make_buffer(play.tables, 0.9)
    for _ in range(2):
        fill(buffer, [play.step() for _ in range(NUM_STEPS)])
    state = {name: array.copy() for name, array in buffer.state().items()}
    other.restore(state)
    assert (state["seats"] != EMPTY).sum() > 8
    for _ in range(2):
        steps = [play.step() for _ in range(NUM_STEPS)]
        fill(buffer, steps, values=0.5)
        fill(other, steps, values=0.5)
        assert learnt(buffer) == learnt(other)
        batches = [one.batches(16, np.random.default_rng(1)) for one in (buffer, other)]
        for before, after in zip(*batches, strict=True):
            assert all(map(np.array_equal, before, after))


def test_saving_does_not_change_what_follows() -> None:
    play = Play(make_tables())
    buffer, quiet = make_buffer(play.tables), make_buffer(play.tables)
    for _ in range(3):
        steps = [play.step() for _ in range(NUM_STEPS)]
        for one in (buffer, quiet):
            fill(one, steps)
        assert learnt(buffer) == learnt(quiet)
        buffer.state()
        buffer.state()


def test_batches_hold_every_decision_once_and_normalised_advantages() -> None:
    play = Play(make_tables())
    buffer = make_buffer(play.tables)
    fill(buffer, [play.step() for _ in range(NUM_STEPS)], values=0.5)
    advantages = learnt(buffer)
    found = [list(buffer.batches(size, np.random.default_rng(size))) for size in (1, 16)]
    assert len(found[0]) == len(advantages)
    assert len(found[1]) == len(advantages) // 16
    assert {len(batch.actions) for batch in found[1]} == {16}
    names = [int(batch.log_probs[0]) for batch in found[0]]
    assert sorted(names) == sorted(advantages)
    assert names != sorted(names)
    normalised = np.concatenate([batch.advantages for batch in found[0]])
    assert normalised.mean() == pytest.approx(0, abs=1e-6)
    assert normalised.std() == pytest.approx(1, abs=1e-6)
    order = np.argsort([advantages[name] for name in names], kind="stable")
    assert (np.diff(normalised[order]) >= 0).all()
    for batch, name in zip(found[0], names, strict=True):
        assert batch.returns[0] == pytest.approx(advantages[name] + 0.5)
        [seat] = buffer.seats[buffer.complete & (buffer.log_probs == name)]
        assert seat == play.decisions[name][1]


def test_tables_where_nothing_is_learnt_are_left_out() -> None:
    play = Play(make_tables(6))
    buffer = make_buffer(play.tables)
    for _ in range(3):
        steps = [play.step() for _ in range(NUM_STEPS)]
        for step in steps:
            step.seats[step.seats == 1] = EMPTY
        fill(buffer, steps)
        assert {play.decisions[name][1] for name in learnt(buffer)} == {0, 2}
    assert GAME.num_seats(ToyRules()) == 3
