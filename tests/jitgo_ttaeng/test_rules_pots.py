"""Section 4.5 of the rules: side pots, ties, odd chips."""

import numpy as np
import pytest

from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.showdown import pay_pots, split_pots
from envs.jitgo_ttaeng.state import NONE
from tests.cases.jitgo_ttaeng import seats_of

NUM_ALL_IN = 10_000


def hand(contrib, results, sun=0):
    """A hand at its showdown; None is a seat that folded."""
    states = GAME.new_games(GAME.make_rules(num_players=len(contrib), deck=40), [1])
    s = states[0]
    s.sun = sun
    for seat, (chips, result) in enumerate(zip(contrib, results, strict=True)):
        s.contrib[seat], s.folded[seat] = chips, result is None
        s.results[seat] = NONE if result is None else result
    return s


def pots(s):
    amounts, eligible = np.zeros(8, np.int64), np.zeros(8, np.int64)
    num = split_pots(s, amounts, eligible)
    return [(int(amounts[k]), seats_of(eligible[k])) for k in range(num)]


def payout(s):
    payouts = np.zeros(8, np.int64)
    pay_pots(s, payouts)
    return payouts[: s.rules.num_players].tolist()


@pytest.mark.parametrize(
    ("contrib", "results", "split", "paid"),
    [
        ([40, 100, 100], [9, 7, 5], [(120, [0, 1, 2]), (120, [1, 2])], [120, 120, 0]),
        ([30, 60, 60, 45], [9, 7, 5, None], [(120, [0, 1, 2]), (75, [1, 2])], [120, 75, 0, 0]),
        ([40, 100, 100], [8, 0, 0], [(120, [0, 1, 2]), (120, [1, 2])], [120, 60, 60]),
        ([30, 80, 80], [7, 7, 4], [(90, [0, 1, 2]), (100, [1, 2])], [45, 145, 0]),
        ([40, 100], [9, 7], [(80, [0, 1]), (60, [1])], [80, 60]),
    ],
)
def test_4_5_worked_examples(contrib, results, split, paid) -> None:
    s = hand(contrib, results)
    assert (pots(s), payout(s)) == (split, paid)


def test_4_5_chips_of_folded_seats_above_the_last_stake_are_in_the_last_pot() -> None:
    s = hand([50, 20, 20], [None, 7, 5])
    assert (pots(s), payout(s)) == ([(90, [1, 2])], [0, 90, 0])


def test_j25_odd_chips_go_round_from_the_sun() -> None:
    assert payout(hand([35, 35, 35], [7, 3, 7], sun=0)) == [53, 0, 52]
    assert payout(hand([35, 35, 35], [7, 3, 7], sun=1)) == [52, 0, 53]


def test_j26_all_hwang_get_back_what_they_put_in() -> None:
    assert payout(hand([30, 60, 60, 45], [0, 0, 0, 0])) == [30, 60, 60, 45]


def test_j27_pots_do_not_depend_on_the_cards() -> None:
    assert pots(hand([30, 60, 60], [9, 0, 3])) == pots(hand([30, 60, 60], [1, 1, 1]))


def test_10_1_10_4_side_pots_of_random_all_in_hands() -> None:
    """Chips are conserved, and nobody wins more from another than he put in."""
    random = np.random.default_rng(1)
    states = {num: hand([1] * num, [1] * num) for num in range(2, 9)}
    for _ in range(NUM_ALL_IN):
        num = int(random.integers(2, 9))
        s = states[num]
        contrib = random.integers(1, 60, num)
        folded = random.random(num) < 0.3
        folded[random.integers(num)] = False
        s.sun = random.integers(num)
        s.contrib[:num], s.folded[:num] = contrib, folded
        s.results[:num] = random.integers(0, 35, num)
        paid = np.array(payout(s))
        assert paid.sum() == contrib.sum()
        assert (paid >= 0).all() and not paid[folded].any()
        excess = np.maximum(contrib - contrib[~folded].max(), 0).sum()
        for seat in range(num):
            assert paid[seat] <= np.minimum(contrib, contrib[seat]).sum() + excess
