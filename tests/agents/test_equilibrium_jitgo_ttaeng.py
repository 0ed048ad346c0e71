"""The near-equilibrium player of Dori-jitgo-ttaeng: its table, its chances, its play."""

from math import comb
from typing import Any

import numpy as np
import pytest

from agents.equilibrium.jitgo_ttaeng import (
    ALIKE,
    CLASSES,
    RULES,
    EquilibriumAgent,
    Table,
    all_hands,
    class_of,
    find_situation,
    load_table,
    nearest_allowed,
    situation_of,
)
from agents.equilibrium.jitgo_ttaeng_solver import (
    DEPTHS,
    FIRST_POT,
    Hands,
    Solver,
    Tree,
    action_values,
    best_responses,
    main,
    strategy_at,
)
from agents.roster import make_agent
from envs.core.errors import AgentError
from envs.core.game import OVER
from envs.core.layout import empty_vectors
from envs.core.rng import spawn_seeds
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import hand_of, parse_cards
from envs.jitgo_ttaeng.moves import ALL_IN, CHECK_CALL, FOLD, FULL, HALF, MIN, NUM_ACTIONS
from eval.match import play_deals

ONE_HAND = GAME.make_rules(**RULES, max_hands=1)
MATCH = GAME.make_rules(**RULES)


@pytest.fixture(scope="module")
def hands() -> Hands:
    return Hands()


@pytest.fixture(scope="module")
def table() -> Table:
    return load_table()


def test_classes_hold_hands_that_no_result_tells_apart() -> None:
    """Seven months have two cards alike; in the three with a gwang each card is its own."""
    assert ALIKE.bit_count() == 7
    assert len(CLASSES) == sum(
        comb(3, gwang) * comb(3, junk) * comb(7, pairs) * comb(7 - pairs, ones)
        for gwang in range(4)
        for junk in range(4)
        for pairs in range(3)
        for ones in [5 - gwang - junk - 2 * pairs]
        if 0 <= ones <= 7 - pairs
    )
    first, second, third = (
        class_of(np.array([hand_of(parse_cards(text))]))
        for text in ("1G 2A 4A 5A 6A", "1G 2R 4A 5R 6A", "1R 2A 4A 5A 6A")
    )
    assert first == second != third


def test_chances_count_what_the_own_cards_leave(hands: Hands) -> None:
    """Two players share 15,504 · 3,003 pairs of hands, and the game is fair before the bets."""
    assert hands.shares.sum() == pytest.approx(1)
    assert np.abs(hands.chances.sum(1) - 1).max() < 1e-5
    pairs = hands.shares[:, None] * hands.chances
    assert np.abs(pairs - pairs.T).max() < 1e-9
    assert (hands.shares @ hands.wins).sum() == pytest.approx(0, abs=1e-6)
    hand = CLASSES[1234]
    left = class_of(all_hands()[all_hands() & hand == 0])
    assert hands.chances[1234, left[0]] == pytest.approx(np.mean(left == left[0]))


def test_tree_is_the_engines() -> None:
    """Every line of the betting ends; the payoffs are those of RULES 4.5."""
    tree = Tree(1000)
    assert len(tree.ends) == 1 + sum(len(node.children) - 1 for node in tree.nodes)
    assert (tree.stakes[tree.is_showdown] >= 10).all()
    assert tree.stakes.max() == 810  # three raises of the whole pot
    assert Tree(100).stakes.max() == 100
    assert {node.actions[0] for node in tree.nodes} == {FOLD, CHECK_CALL}


def test_cfr_finds_the_equilibrium_of_a_short_stack(hands: Hands) -> None:
    """What the strategies win against each other lies between what best responses concede."""
    tree = Tree(15)
    solver = Solver(tree, hands)
    gains = []
    for _ in range(3):
        for _ in range(8):
            solver.iterate()
        average = [weights / 15 for weights in solver.rounded_average()]
        gains.append(sum(best_responses(tree, hands, average)))
    assert gains[-1] < 0.2
    assert gains[-1] < gains[0] / 2
    strategy = solver.strategy
    first, second = (
        hands.shares @ action_values(tree, hands, strategy, seat)[0] for seat in (0, 1)
    )
    assert first == pytest.approx(-second, abs=1e-4)


def test_uniform_play_is_far_from_it(hands: Hands) -> None:
    tree = Tree(30)
    assert sum(best_responses(tree, hands, Solver(tree, hands).strategy)) / 2 > FIRST_POT / 10


@pytest.mark.parametrize("depth", DEPTHS)
def test_stored_exploitability(depth: int, table: Table, hands: Hands) -> None:
    """Below 1 % of the starting pot a hand, by exact best responses to the table as it is."""
    gains = best_responses(Tree(depth), hands, strategy_at(table, depth))
    assert sum(gains) / 2 < FIRST_POT / 100


def test_table_covers_every_situation_at_the_solved_stacks(table: Table) -> None:
    """There, the situation found is the one at the table, with the very actions it allows."""
    for depth in (20, 110, 1000):
        rules = GAME.make_rules(**RULES, start_stack=depth, max_hands=1)
        states = GAME.new_games(rules, spawn_seeds(3, 40))
        chance = np.random.default_rng(depth)
        while len(states := states[states["turn"] != OVER]):
            masks = GAME.masks(states)
            for s, mask in zip(states, masks, strict=True):
                view = view_of(s)
                row = table.situations[find_situation(table.situations, view)]
                assert row["depth"] == depth
                situation = situation_of(s, int(s.turn))
                assert all(row[name] == value for name, value in situation._asdict().items())
                first = row["first_row"]
                actions = table.actions[first : first + row["num_rows"]]
                assert actions.tolist() == np.flatnonzero(mask).tolist()
            GAME.apply(states, (masks * chance.random(masks.shape)).argmax(1))


def view_of(s: Any) -> Any:
    """The view of the seat to act."""
    observations = empty_vectors(1, GAME.layout(ONE_HAND))
    GAME.observe(np.array([s], GAME.state), np.array([s.turn]), observations)
    views = GAME.new_records(ONE_HAND)
    GAME.decode(observations, views)
    return views[0]


@pytest.mark.parametrize(
    ("allowed", "action", "taken"),
    [
        ((FOLD, CHECK_CALL, MIN, HALF), HALF, HALF),
        ((FOLD, CHECK_CALL, MIN), FULL, MIN),
        ((FOLD, CHECK_CALL, MIN, ALL_IN), FULL, ALL_IN),
        ((CHECK_CALL, MIN, FULL, ALL_IN), HALF, MIN),
        ((CHECK_CALL, MIN, FULL), ALL_IN, FULL),
        ((FOLD, CHECK_CALL), ALL_IN, CHECK_CALL),
        ((CHECK_CALL, MIN), FOLD, CHECK_CALL),
    ],
)
def test_forbidden_actions_become_near_ones(
    allowed: tuple[int, ...], action: int, taken: int
) -> None:
    mask = np.zeros(NUM_ACTIONS, np.int8)
    mask[list(allowed)] = 1
    assert nearest_allowed(mask, action) == taken


@pytest.mark.parametrize("other", ["random", "call", "tight", "rule"])
def test_loses_to_nobody(other: str) -> None:
    agents = [make_agent(name, GAME, ONE_HAND) for name in ("equilibrium", other)]
    outcome = play_deals(GAME, ONE_HAND, agents, spawn_seeds(8, 3000))
    assert not outcome.fouls
    differences = outcome.differences()
    assert differences.mean() > -differences.std() / len(differences) ** 0.5


def test_plays_whole_matches_with_stacks_of_every_size() -> None:
    agents = [make_agent(name, GAME, MATCH) for name in ("equilibrium", "random")]
    outcome = play_deals(GAME, MATCH, agents, spawn_seeds(8, 200))
    assert not outcome.fouls
    assert outcome.differences().mean() > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 3}, "num_players=2, not for 3"),
        ({"deck": 40, "num_players": 2}, "deck=20, not for 40"),
        ({"hand_set": "classic", "num_players": 2}, "gwang=True, not for False"),
        ({"structure": "limit", "num_players": 2}, "structure='free', not for 'limit'"),
    ],
    ids=str,
)
def test_other_bets_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AgentError, match=message):
        make_agent("equilibrium", GAME, GAME.make_rules(**options))


def test_options_that_change_no_bet_are_welcome() -> None:
    for options in ({"max_hands": 3, "start_stack": 60}, {"bust": "end_match", "first_sun": 1}):
        EquilibriumAgent(GAME, GAME.make_rules(**RULES, **options))


def test_script_writes_a_table(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("agents.equilibrium.jitgo_ttaeng_solver.DEPTHS", (15, 20))
    main(["--most-iterations", "2", "--out", str(tmp_path / "table.npz")])
    table = load_table(tmp_path / "table.npz")
    assert table.situations["depth"].tolist() == [15] * 4 + [20] * 4
    assert table.situations["first_row"].tolist() == list(range(0, 16, 2))
    assert table.weights.shape == (16, len(CLASSES))
    assert "exploitability" in capsys.readouterr().out
