"""What hands and piles of Dori-jitgo-ttaeng are worth, reckoned once for a set of options."""

from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import DECKS, HAND_SIZE, NUM_CARDS
from envs.jitgo_ttaeng.dealing import draw_cards
from envs.jitgo_ttaeng.hands import HWANG, NUM_RESULTS, STRENGTH, evaluate, winners
from envs.jitgo_ttaeng.state import CHANCE, NUM_HANDS

NUM_DEALS = 50_000
"""Deals of four hands that the odds of the piles are counted in."""
NUM_COMPLETIONS = 32
"""Ways to complete a hand that its standing is the mean of."""


@kernel
def count_results(rules: Any, deck: Any, counts: Any) -> None:
    """How many hands of the deck give each result; counts: [46] int64, written in place."""
    counts[:] = 0
    num = deck.shape[0]
    for a in range(num):
        for b in range(a):
            for c in range(b):
                three = 1 << deck[a] | 1 << deck[b] | 1 << deck[c]
                for d in range(c):
                    for e in range(d):
                        counts[evaluate(rules, three | 1 << deck[d] | 1 << deck[e])] += 1


def reckon_standings(rules: Any, deck: Array) -> Array:
    """Share of all hands that a hand with each result beats, ties counting half: [46] float64.

    rules: the options in a record. Special hands count as what they are by themselves.
    """
    counts = np.empty(NUM_RESULTS, np.int64)
    count_results(rules, deck, counts)
    by_strength = np.bincount(STRENGTH, counts, NUM_RESULTS) / counts.sum()
    standings: Array = (np.cumsum(by_strength) - by_strength / 2)[STRENGTH]
    return standings


@kernel
def standing_of(standings: Any, s: Any, key: int) -> float:
    """Standing of the own hand in the view `s`; of one with cards to come, the expected one."""
    if s.results[0] >= 0:
        return float(standings[s.results[0]])
    cards, num, held = np.empty(NUM_CARDS, np.int64), 0, 0
    for card in range(NUM_CARDS):
        if s.hands[0] >> card & 1:
            held += 1
        elif s.rules.deck == NUM_CARDS or card % 4 < 2:
            cards[num] = card
            num += 1
    s.chance.seed, s.chance.draws = key, 0
    total = 0.0
    for _ in range(NUM_COMPLETIONS):
        draw_cards(s.chance, cards[:num], HAND_SIZE - held)
        hand = int(s.hands[0])
        for k in range(HAND_SIZE - held):
            hand |= 1 << cards[k]
        total += standings[evaluate(s.rules, hand)]
    return total / NUM_COMPLETIONS


@kernel
def count_pile_wins(rules: Any, chance: Any, deck: Any, wins: Any, deals: Any) -> None:
    """Deal four hands many times: how often the pile with each first card beats the banker.

    chance: a record with a seed; wins, deals: [40] int64, all 0, written in place.
    """
    results = np.empty(NUM_HANDS, np.int64)
    for _ in range(NUM_DEALS):
        draw_cards(chance, deck, HAND_SIZE * NUM_HANDS)
        for k in range(NUM_HANDS):
            hand = 0
            for place in range(HAND_SIZE * k, HAND_SIZE * (k + 1)):
                hand |= 1 << deck[place]
            results[k] = evaluate(rules, hand)
        for k in range(1, NUM_HANDS):
            card = deck[HAND_SIZE * k]
            deals[card] += 1
            wins[card] += results[k] != HWANG and winners(rules, results, 1 | 1 << k) == 1 << k


def reckon_piles(rules: Any, deck: Array) -> Array:
    """Chance that a pile beats the banker, by its face-up card: [40] float64."""
    wins, deals = np.zeros(NUM_CARDS, np.int64), np.zeros(NUM_CARDS, np.int64)
    chance = np.zeros(1, (np.record, CHANCE))
    count_pile_wins(rules, chance[0], deck.copy(), wins, deals)
    return wins / np.maximum(deals, 1)


def deck_of(rules: Any) -> Array:
    """The cards of the game whose options stand in the record `rules`."""
    return DECKS[int(rules.deck)]
