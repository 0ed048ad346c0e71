"""The default policy of Dori-jitgo-ttaeng: the rule-based player, without keys to decide by.

What that player leaves to the key of a decision, bluffs and the cards to come, follows from the own
hand here, and the standings are those of some random hands, for all variants at once. What others
bet before all their cards are dealt is not held for strength. Against a bank it never bets: next to
no open card makes a pile a favourite.

It folds less than that player does, so that a search does not learn to bluff, against who may never
fold: most hands just call the first bet they meet, and later on bets are believed less.

`weigh_batch` looks at the bets the other way round: who bet or raised last is held to have a good
hand, a better one after every raise, and who checked a middling one.
"""

from itertools import combinations, product
from typing import Any

import numpy as np

from agents.rule_based.jitgo_ttaeng import (
    KEPT,
    POOR,
    STRONG,
    choose_bet,
    choose_in_bank,
    floor_of,
    is_bluffing,
)
from agents.rule_based.jitgo_ttaeng_odds import standing_of
from envs.core.bits import popcount
from envs.core.game import NO_ACTION, OVER, Array
from envs.core.jit import kernel
from envs.core.rng import philox
from envs.jitgo_ttaeng.betting import owed
from envs.jitgo_ttaeng.cards import DECK_20, DECK_40, HAND_SIZE, MONTH, NUM_CARDS
from envs.jitgo_ttaeng.engine import apply, legal
from envs.jitgo_ttaeng.hands import HWANG, NO_RESULT, NUM_RESULTS, PAIRS, STRENGTH, evaluate
from envs.jitgo_ttaeng.moves import CHECK_CALL, FOLD, MIN, NUM_ACTIONS
from envs.jitgo_ttaeng.rules import MAX_SEATS
from envs.jitgo_ttaeng.state import BETTING, NONE, STATE, live_seats, next_seat

NUM_HANDS = 20_000
"""Random hands that the standings are counted in."""
NO_FAVOURITE = np.zeros(NUM_CARDS)
"""In place of the chance of a pile by its face-up card."""
CURIOUS = 0.85
"""Share of the hands, but for strong ones, that just call the first bet they meet."""
TRUST, TRUST_AFTER_CHECK = 0.92, 0.2
"""Share of the `floor_of` others that is believed before a fold, by a seat that has acted before:
again for every raise; and by a seat that has just checked."""
GOOD_ENOUGH, MOST_TIMES = 0.35, 3
"""Share of all hands, the best, that surely bet; again for every raise before, so many in all."""
SHARPNESS = 4
"""How fast the chance to bet falls below these: the power of their share among hands as good."""
CHECKING, SLOW = 0.65, 0.3
"""Standing up to which hands check for sure, and the chance of better ones to do so."""


def build_standings() -> Array:
    """Share of all hands that a hand with each result beats, ties counting half: [2, 2, 2, 46].

    By whether there are 40 cards, whether gwang-ttaeng count, and whether seotda hands do. Chunchu
    and special hands are few, or count as what they are by themselves.
    """
    chance, pairs = np.random.default_rng(0), list(combinations(range(HAND_SIZE), 2))
    standings = np.empty((2, 2, 2, NUM_RESULTS))
    for place, deck in enumerate((DECK_20, DECK_40)):
        decks = np.tile(deck, (NUM_HANDS, 1))
        hands = chance.permuted(decks, axis=1)[:, :HAND_SIZE]
        first, second = hands[:, pairs].transpose(2, 0, 1)
        months = MONTH[hands].sum(1, keepdims=True) - MONTH[first] - MONTH[second]
        for gwang, seotda in product(range(2), repeat=2):
            strengths = STRENGTH[PAIRS[gwang + 2 * seotda, first, second]]
            best = np.where(months % 10 == 0, strengths, HWANG).max(1)
            shares = np.bincount(best, minlength=NUM_RESULTS) / NUM_HANDS
            standings[place, gwang, seotda] = (np.cumsum(shares) - shares / 2)[STRENGTH]
    return standings


STANDINGS = build_standings()


@kernel
def turn_round(v: Any, s: Any) -> None:
    """Make `v` of a state what the seat to act knows of it, turned so that it is seat 0."""
    v[0] = s
    view, seat = v[0], int(s.turn)
    has_all = popcount(s.hands[seat]) == HAND_SIZE
    view.turn = 0
    for k in range(s.rules.num_players):
        view.stacks[k], view.contrib[k] = s.stacks[seat], s.contrib[seat]
        view.playing[k], view.folded[k] = s.playing[seat], s.folded[seat]
        view.acted[k], view.round_bets[k] = s.acted[seat], s.round_bets[seat]
        view.last_actions[k] = s.last_actions[seat] if has_all else NONE
        view.hands[k], view.results[k] = s.hands[seat] if k == 0 else 0, NO_RESULT
        seat = next_seat(s, seat)
    if has_all:
        view.results[0] = evaluate(s.rules, int(view.hands[0]))


@kernel
def pays_to_call(s: Any, standing: float, trust: float) -> bool:
    """Whether a call is worth its price; `trust`: share of each floor that is believed."""
    pays = min(owed(s, 0), int(s.stacks[0]))
    total = s.contrib[0] + pays
    at_stake, wins = float(total), 1.0
    for seat in range(1, MAX_SEATS):
        at_stake += min(s.contrib[seat], total)
        if s.playing[seat] and not s.folded[seat]:
            floor = trust * floor_of(s, seat)
            wins *= max(standing - floor, 0.0) / (1 - floor)
    return bool(wins * at_stake > pays)


@kernel
def is_curious(s: Any, standing: float, key: int) -> bool:
    """Whether a hand calls the first bet it meets, whatever it is worth."""
    is_first = s.current > 0 and s.last_actions[0] == NONE and popcount(s.hands[0]) == HAND_SIZE
    draw = (popcount(live_seats(s)) - 1) * (philox(2, key >> 32, key) & 0xFFFF) / 0x10000
    return bool(is_first and standing < STRONG and draw < CURIOUS)


@kernel
def choose_by_standing(s: Any, mask: Any) -> int:
    """The action of the betting mode for a view `s`; spoils its chance."""
    key = int(s.hands[0]) | int(s.hand_number) << NUM_CARDS
    standings = STANDINGS[int(s.rules.deck == NUM_CARDS), s.rules.gwang, s.rules.seotda]
    standing = standing_of(standings, s, key)
    if standing < POOR and is_bluffing(s, key):
        standing = 1 - standing
    if is_curious(s, standing, key):
        return CHECK_CALL
    action = choose_bet(s, standing, mask)
    if action == FOLD and s.last_actions[0] != NONE:
        trust = TRUST_AFTER_CHECK if s.last_actions[0] == CHECK_CALL else TRUST**s.raises
        if pays_to_call(s, standing, trust):
            return CHECK_CALL
    return int(action)


@kernel
def decide(v: Any, s: Any, mask: Any) -> int:
    """One allowed action for the seat to act; NO_ACTION when the game is over.

    v: [1], room for the view of the seat.
    """
    if s.turn < 0:
        return NO_ACTION
    if s.phase != BETTING:
        return choose_in_bank(s, NO_FAVOURITE, mask)
    turn_round(v, s)
    return choose_by_standing(v[0], mask)


@kernel
def choose_batch(states: Any, masks: Any, actions: Any) -> None:
    """An allowed action for the seat to act in each state or view, by what that seat knows.

    masks: [N, 26] int8; actions: [N] int64, written in place, NO_ACTION where nobody is to act.
    """
    v = np.empty(1, STATE)
    for i in range(states.shape[0]):
        actions[i] = decide(v, states[i], masks[i])


@kernel
def play_out_batch(states: Any, payoffs: Any) -> None:
    """Play every state on by the policy to the end of its hand, or round against a bank, in place.

    payoffs: [N, seats] float64, what each seat wins from the given state on; written in place.
    """
    v, mask = np.empty(1, STATE), np.empty(NUM_ACTIONS, np.int8)
    for i in range(states.shape[0]):
        s = states[i]
        deals = s.deals
        for seat in range(payoffs.shape[1]):
            payoffs[i, seat] = -s.scores[seat]
        while s.turn != OVER and s.deals == deals:
            legal(s, mask)
            apply(s, decide(v, s, mask))
        for seat in range(payoffs.shape[1]):
            payoffs[i, seat] += s.scores[seat]


@kernel
def weigh_seat(s: Any, standing: float, action: int) -> float:
    """How likely a hand of that standing has done `action` last, up to a factor."""
    if action < CHECK_CALL:
        return 1.0
    if action == CHECK_CALL and s.current == 0:
        return 1.0 if standing <= CHECKING else SLOW
    once = GOOD_ENOUGH if action >= MIN else float(KEPT[action])
    share = once ** min(1 + s.raises, MOST_TIMES)
    if 1 - standing <= share:
        return 1.0
    return float((share / (1 - standing)) ** SHARPNESS)


@kernel
def weigh_batch(worlds: Any, weights: Any) -> None:
    """How likely what the others did last in this round is with their hands, up to a factor.

    Before all cards are dealt it says nothing, nor does anything against a bank.
    worlds: [N], completed views of seat 0; weights: [N] float64, > 0, written in place.
    """
    for i in range(worlds.shape[0]):
        s = worlds[i]
        weights[i] = 1.0
        if s.phase != BETTING or popcount(s.hands[0]) < HAND_SIZE:
            continue
        standings = STANDINGS[int(s.rules.deck == NUM_CARDS), s.rules.gwang, s.rules.seotda]
        for seat in range(1, s.rules.num_players):
            if s.playing[seat] and not s.folded[seat]:
                standing = standings[s.results[seat]]
                weights[i] *= weigh_seat(s, standing, int(s.last_actions[seat]))
