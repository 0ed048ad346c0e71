"""Section 8 of the rules: the value of a hand, against exhaustive recursion."""

import functools
import hashlib

import numpy as np
import pytest

from envs.tongits.cards import DECK, RANK_VALUES, cards_in, num_cards, parse_cards
from envs.tongits.moves import CARDS, ID_LAYOFF_SET, ID_SET
from envs.tongits.values import LOOSE, cards_in_runs, hand_value

MELDS = [int(cards) for cards in CARDS[ID_SET:ID_LAYOFF_SET]]
MELDS_OF = [[meld for meld in MELDS if meld >> card & 1] for card in range(52)]
EXAMPLES = {
    "7S 7H 7D 8D 9D": 14,
    "3S 4S 5S 6S 7S 7H 7D": 0,
    "3C 4C 5C 6C 7C 8C 5S 5H": 7,
    "6S 6H 6D 6C 7C 8C": 0,
    "2S 3S 4S 5S 2H 3H 4H 5H 2D 3D": 3,
    "QS QH QD QC JS JH JD JC 8C 9C TC 3S": 3,
    "QS KS AS": 21,
    "AS AH AD AC KS KH KD KC JS JH JD JC QS": 0,
}
MAX_CARDS = 13


@functools.lru_cache(maxsize=100_000)
def exhaustive(hand: int) -> int:
    """The recursion of clause 8.2: the lowest card is loose, or part of one of its melds."""
    if not hand:
        return 0
    lowest = hand & -hand
    card = lowest.bit_length() - 1
    values = [int(RANK_VALUES[card % 13]) + exhaustive(hand & ~lowest)]
    values += [exhaustive(hand & ~meld) for meld in MELDS_OF[card] if not meld & ~hand]
    return min(values)


def random_hand(rng: np.random.Generator) -> int:
    """A hand of up to 13 cards; half of them from few ranks or suits, to be rich in melds."""
    pool = np.arange(52)
    if rng.random() < 0.5:
        ranks = rng.choice(13, 5, replace=False) if rng.random() < 0.5 else np.arange(7)
        pool = pool[np.isin(pool % 13, ranks)]
    size = rng.integers(1, min(MAX_CARDS, len(pool)) + 1)
    return sum(1 << int(card) for card in rng.choice(pool, size, replace=False))


def compare(num: int) -> None:
    rng = np.random.default_rng(num)
    for _ in range(num):
        hand = random_hand(rng)
        assert hand_value(hand) == exhaustive(hand), cards_in(hand)


@pytest.mark.parametrize("hand", EXAMPLES)
def test_8_examples(hand: str) -> None:
    assert hand_value(parse_cards(hand)) == exhaustive(parse_cards(hand)) == EXAMPLES[hand]


def test_8_1_the_value_is_the_true_minimum() -> None:
    compare(2000)


@pytest.mark.slow
def test_8_1_the_value_is_the_true_minimum_of_many_hands() -> None:
    compare(100_000)


def test_8_1_hands_that_are_rich_in_sets_and_runs() -> None:
    """All cards of four neighbouring ranks but three."""
    block = [13 * suit + rank for suit in range(4) for rank in range(4, 8)]
    for left_out in np.random.default_rng(1).choice(block, (300, 3)):
        hand = sum(1 << card for card in block) & ~sum(1 << int(c) for c in set(left_out))
        assert hand_value(hand) == exhaustive(hand)


def test_13_4_what_removing_and_adding_does_to_the_value() -> None:
    rng = np.random.default_rng(3)
    for _ in range(300):
        hand = random_hand(rng)
        value = hand_value(hand)
        for meld in MELDS:
            if not meld & ~hand:
                assert value <= hand_value(hand & ~meld)
        for card in cards_in(DECK & ~hand):
            assert hand_value(hand | 1 << card) <= value + RANK_VALUES[card % 13]


def test_no_hand_of_a_game_is_worth_more_than_fits_into_the_observation() -> None:
    """At most two cards of a rank stay loose; the dearest 13 of those."""
    dearest = sorted([int(value) for value in RANK_VALUES] * 2)[-MAX_CARDS:]
    assert sum(dearest) < 127


def test_cards_in_runs() -> None:
    cards = parse_cards("AS 2S 3S 4S 6S 7S JS QS KS KH AD 2D 4D QC KC AC")
    assert cards_in_runs(cards) == parse_cards("AS 2S 3S 4S JS QS KS")
    assert cards_in_runs(DECK) == DECK
    assert num_cards(cards_in_runs(parse_cards("QS KS AH 2H"))) == 0


def test_the_table_of_loose_points_is_what_it_was() -> None:
    assert LOOSE.shape == (8192,)
    assert LOOSE[0b1_0000_0000_0111] == 10  # A 2 3 and K
    digest = hashlib.sha256(LOOSE.tobytes()).hexdigest()
    assert digest.startswith("8c91198dcd33aa56")
