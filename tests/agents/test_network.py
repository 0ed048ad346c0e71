"""What networks read, and the layers as numpy plays them."""

from itertools import pairwise

import numpy as np
import pytest

import envs
from agents.network import ADVISED, LEVELS, SCALES, Inputs, Network, Rows
from envs.core.errors import AgentError
from envs.core.game import Array
from envs.core.layout import DIGITS, FLAGS, NUMBER, Layout, Piece
from tests.conformance.play import Variant, look, walk
from tests.toy_game import CARD, GAME, MAX_SEATS, NUM_CARDS, NUM_HIDDEN, STAKES, ToyRules

LAYOUT = Layout.of(
    hand=Piece((3,), "cards"),
    turns=Piece((2,), "turns", NUMBER),
    stacks=Piece((2, 3), "chips", DIGITS),
    to_act=Piece((2,), "who acts"),
)
HAND, TURNS, STACKS, TO_ACT = (LAYOUT[name] for name in LAYOUT.pieces)
NUM_LEVELS = len(LEVELS)
AMOUNTS = (0, 1, -1, 2, 3, -3, 99, 100, -100, 199, 5_792, 5_793, -11_584, 11_585, 999_999)


def digits(amount: int) -> list[int]:
    """Signed, to base 100, the lowest first."""
    sign = -1 if amount < 0 else 1
    return [sign * (abs(amount) // 100**place % 100) for place in range(3)]


def vectors_with(amounts: tuple[int, ...]) -> Array:
    """Vectors whose first stack is each of the amounts, and whose second stack is 7."""
    vectors = np.zeros((len(amounts), LAYOUT.size), np.int8)
    for vector, amount in zip(vectors, amounts, strict=True):
        vector[HAND] = 1, 0, 1
        vector[TURNS] = 5, -2
        vector[TO_ACT] = 0, 1
        vector[STACKS] = digits(amount) + digits(7)
    return vectors


def written(inputs: Inputs, vectors: Array) -> Array:
    out = np.full((len(vectors), inputs.size), 77, np.int8)
    inputs.write(vectors, out)
    return out


def test_levels_are_half_octaves() -> None:
    assert (LEVELS[0], LEVELS[-1], NUM_LEVELS) == (2, 11_585, 26)
    assert LEVELS[::2].tolist() == [2**power for power in range(1, 14)]
    assert all(one < two for one, two in pairwise(LEVELS.tolist()))


def test_pieces_are_copied_and_amounts_are_read_as_levels_too() -> None:
    vectors = vectors_with(AMOUNTS)
    inputs = Inputs(LAYOUT)
    assert inputs.size == LAYOUT.size + 2 * NUM_LEVELS
    out = written(inputs, vectors)
    first = STACKS.stop
    assert np.array_equal(out[:, :first], vectors[:, :first])
    assert np.array_equal(out[:, -2:], vectors[:, TO_ACT])
    for row, amount in zip(out, AMOUNTS, strict=True):
        reached = [np.sign(amount) if abs(amount) >= level else 0 for level in LEVELS]
        assert row[first : first + NUM_LEVELS].tolist() == reached, amount
        assert row[first + NUM_LEVELS :][:NUM_LEVELS].tolist() == [level <= 7 for level in LEVELS]


def test_what_columns_are_multiplied_by() -> None:
    flags, number, digits = [1.0], [SCALES[NUMBER]], [SCALES[DIGITS]]
    expected = 3 * flags + 2 * number + 6 * digits + 2 * NUM_LEVELS * flags + 2 * flags
    scales = Inputs(LAYOUT).scales
    assert scales.dtype == np.float32
    assert scales.tolist() == expected


def test_ignored_pieces_are_not_read() -> None:
    vectors = vectors_with(AMOUNTS)
    inputs = Inputs(LAYOUT, ["stacks", "hand"])
    assert np.array_equal(
        written(inputs, vectors), np.hstack([vectors[:, TURNS], vectors[:, TO_ACT]])
    )
    assert inputs.scales.tolist() == [SCALES[NUMBER]] * 2 + [1.0] * 2
    assert Inputs(LAYOUT, list(LAYOUT.pieces)).size == 0


def test_rows_hold_what_is_hidden_what_is_seen_and_the_mask() -> None:
    rules = ToyRules()
    states = GAME.new_games(rules, range(20))
    reader = Rows(GAME, rules)
    layout = reader.layout
    assert (layout.num_hidden, layout.num_seen, layout.num_actions) == (
        MAX_SEATS * NUM_CARDS,
        GAME.layout(rules).size,
        GAME.num_actions,
    )
    seats, masks = states["turn"].copy(), GAME.masks(states)
    vectors = np.zeros((20, GAME.state_layout(rules).size), np.int8)
    GAME.observe_state(states, seats, vectors)
    rows = np.full((20, layout.width), 77, np.int8)
    reader.write_all(vectors, masks, rows)
    assert np.array_equal(rows[:, :NUM_HIDDEN], vectors[:, :NUM_HIDDEN])
    assert np.array_equal(rows[:, layout.masks], masks)
    observations = look(GAME, rules, states, seats)
    assert np.array_equal(rows[:, layout.seen], reader.read(observations, masks))
    assert np.array_equal(rows[:, layout.seen], np.hstack([observations, masks]))
    assert reader.scales.shape == (layout.width,)


def test_rows_ignore_pieces_of_the_state_and_of_the_observation() -> None:
    rules = ToyRules()
    reader = Rows(GAME, rules, ["cards", "stakes"])
    assert reader.layout.num_hidden == 0
    assert reader.layout.num_seen == GAME.layout(rules).size - MAX_SEATS
    states = GAME.new_games(rules, [1])
    observations = look(GAME, rules, states, states["turn"])
    row = reader.read(observations, GAME.masks(states))[0]
    rest = np.delete(observations[0], np.arange(STAKES, STAKES + MAX_SEATS))
    assert row[: len(rest)].tolist() == rest.tolist()
    assert row[CARD : CARD + NUM_CARDS].sum() == 1


def test_a_piece_that_does_not_exist_is_refused() -> None:
    message = "no piece of the layout 'stake'; did you mean 'stakes'"
    with pytest.raises(AgentError, match=message):
        Rows(GAME, ToyRules(), ["stake"])


def test_an_adviser_must_be_one_that_comes_along() -> None:
    with pytest.raises(AgentError, match="no agent of toy 'rule'"):
        Rows(GAME, ToyRules(), adviser="rule")
    with pytest.raises(AgentError, match=r"no agent of toy 'bot\.py:Bot'"):
        Rows(GAME, ToyRules(), adviser="bot.py:Bot")


def test_an_adviser_says_the_same_wherever_a_seat_sees_the_same() -> None:
    states = GAME.new_games(ToyRules(), [5] * 30)
    reader = Rows(GAME, ToyRules(), adviser="random")
    rows = reader.read(look(GAME, ToyRules(), states, states["turn"]), GAME.masks(states))
    assert (rows == rows[0]).all()
    assert (rows[:, -GAME.num_actions :] == ADVISED).sum(axis=1).tolist() == [1] * 30


LIMITS = {FLAGS: (0, 1), NUMBER: (-128, 127), DIGITS: (-99, 99)}


def kind_breaches(variant: Variant) -> set[str]:
    """Pieces that held something else than their kind says, in random play."""
    game, layout = variant.game, variant.game.state_layout(variant.rules)
    seeds = np.arange(4)
    lows, highs = np.zeros((2, layout.size), np.int8)
    for states, _ in walk(game, game.new_games(variant.rules, seeds), seeds):
        vectors = np.zeros((len(states), layout.size), np.int8)
        game.observe_state(states, np.maximum(states["turn"], 0), vectors)
        np.minimum(lows, vectors.min(axis=0), out=lows)
        np.maximum(highs, vectors.max(axis=0), out=highs)
    found = set()
    for name, place in layout.slices():
        low, high = LIMITS[layout.pieces[name].kind]
        if lows[place].min() < low or highs[place].max() > high:
            found.add(name)
    return found


@pytest.mark.parametrize("name", envs.GAMES)
def test_pieces_hold_what_their_kind_says(name: str) -> None:
    game = envs.load_game(name)
    for preset in list(game.presets)[:2]:
        assert kind_breaches(Variant(preset, game, preset, {})) == set()


def random_network(sizes: list[int], seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = [
        rng.standard_normal(pair, np.float32) / np.float32(pair[0] ** 0.5)
        for pair in pairwise(sizes)
    ]
    return Network(weights, [rng.standard_normal(size, np.float32) for size in sizes[1:]])


def reference(network: Network, rows: Array) -> Array:
    """The layers in float64."""
    x = rows.astype(np.float64)
    for weight, bias in zip(network.weights[:-1], network.biases[:-1], strict=True):
        x = np.maximum(x @ weight + bias, 0)
    return np.asarray(x @ network.weights[-1] + network.biases[-1])


@pytest.mark.parametrize("hidden", [[], [16], [24, 8], [5, 40, 9]], ids=str)
def test_outputs_of_the_layers(hidden: list[int]) -> None:
    network = random_network([30, *hidden, 11])
    rng = np.random.default_rng(1)
    rows = rng.integers(-3, 4, (50, 30)).astype(np.int8) * (rng.random((50, 30)) < 0.3)
    masks = (rng.random((50, 11)) < 0.5).astype(np.int8)
    outputs = network.outputs(rows.astype(np.int8), masks)
    assert outputs.dtype == np.float32
    assert np.abs(outputs - reference(network, rows))[masks == 1].max() < 1e-5
    assert not outputs[masks == 0].any()


def test_a_row_does_not_depend_on_the_others() -> None:
    network = random_network([64, 32, 32, 20])
    rng = np.random.default_rng(2)
    rows = rng.integers(-1, 2, (40, 64)).astype(np.int8)
    masks = np.ones((40, 20), np.int8)
    together = network.outputs(rows, masks)
    order = rng.permutation(40)
    assert np.array_equal(network.outputs(rows[order], masks[order]), together[order])
    for row in range(40):
        alone = network.outputs(rows[row : row + 1], masks[row : row + 1])
        assert alone.tobytes() == together[row].tobytes()
