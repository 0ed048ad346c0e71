"""Equity: Monte Carlo against enumeration, enumeration against a count of one's own."""

from itertools import combinations

import numpy as np
import pytest

from envs.core.errors import RulesError
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import DECKS, hand_of
from envs.jitgo_ttaeng.equity import equity
from envs.jitgo_ttaeng.hands import evaluate, winners
from envs.jitgo_ttaeng.rules import option_record
from tests.jitgo_ttaeng.positions import GABO, NOTHING, PAIR_9, set_of

HANDS = [set_of(text) for text in (GABO, NOTHING, PAIR_9)]
RULES = GAME.make_rules()


def counted(hand: int, rules) -> float:
    """Share of one hand against another, by going through all of them."""
    options = option_record(rules)
    unseen = [card for card in DECKS[20].tolist() if not hand >> card & 1]
    shares = []
    for other in combinations(unseen, 5):
        results = np.array([evaluate(options, hand), evaluate(options, hand_of(list(other)))])
        takers = int(winners(options, results, 3))
        shares.append((takers & 1) / takers.bit_count())
    return float(np.mean(shares))


@pytest.mark.parametrize("options", [{}, {"hand_set": "full"}])
def test_exact_equity_counts_every_hand(options) -> None:
    rules = GAME.make_rules(**options)
    assert equity(HANDS, 1, rules, exact=True) == pytest.approx(
        [counted(hand, rules) for hand in HANDS]
    )


def test_sampled_equity_comes_near() -> None:
    for num_opponents in (1, 2):
        exact = equity(HANDS, num_opponents, RULES, exact=True)
        sampled = equity(HANDS, num_opponents, RULES, num_samples=20_000)
        assert np.abs(sampled - exact).max() < 4 * 0.5 / np.sqrt(20_000)


def test_all_shares_add_up() -> None:
    """The mean over all own hands is the fair share."""
    random = np.random.default_rng(1)
    hands = [hand_of(random.choice(DECKS[40], 5, replace=False).tolist()) for _ in range(3_000)]
    mean = equity(hands, 3, GAME.make_rules(deck=40), num_samples=20).mean()
    assert mean == pytest.approx(0.25, abs=0.03)


def test_hwang_wins_nothing_but_draws() -> None:
    assert 0 < equity([set_of(NOTHING)], 1, RULES, exact=True)[0] < 0.25


def test_incomplete_hands_are_completed() -> None:
    four = set_of("1R 4A 5A 2A")
    seven = equity([four | set_of("7R")], 1, RULES, exact=True)[0]
    some = equity([four], 1, RULES, num_samples=5_000)[0]
    assert 0 < some < seven
    assert equity([0], 1, RULES, num_samples=5_000)[0] == pytest.approx(0.5, abs=0.03)


def test_the_seed_decides() -> None:
    one, same, other = (equity(HANDS, 3, RULES, num_samples=50, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, same) and not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("hands", "num_opponents", "options", "words"),
    [
        (HANDS, 4, {}, "num_opponents must be 1 to 3 with 20 cards"),
        (HANDS, 0, {}, "num_opponents must be 1 to 3"),
        ([set_of("1J1")], 1, {}, "cards of the deck"),
        ([set_of("1G 1R")], 1, {"exact": True}, "expected five cards"),
        ([(1 << 20) - 1], 1, {}, "up to five cards"),
    ],
)
def test_what_is_refused(hands, num_opponents, options, words) -> None:
    with pytest.raises(RulesError, match=words):
        equity(hands, num_opponents, RULES, **options)


def test_exact_equity_against_several_needs_the_small_deck() -> None:
    with pytest.raises(RulesError, match="exact equity needs 20 cards"):
        equity(HANDS, 2, GAME.make_rules(deck=40), exact=True)
