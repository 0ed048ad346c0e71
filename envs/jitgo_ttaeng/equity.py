"""How good a hand is against unknown hands: exact, or by Monte Carlo; for writers of agents.

    hands = [hand_of(parse_cards("8G 8A 2A 3R 5A"))]
    equity(hands, 3, JitgoTtaengRules())              # about 1,000 random deals
    equity(hands, 1, JitgoTtaengRules(), exact=True)  # every hand there is

The other hands are uniform over the unseen cards. New deals are not played: a gusa is 3 kkeut.
"""

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.bits import popcount
from envs.core.errors import RulesError
from envs.core.jit import kernel
from envs.jitgo_ttaeng.cards import DECKS, HAND_SIZE, NUM_CARDS, format_hand, hand_of
from envs.jitgo_ttaeng.dealing import draw_cards, unseen_cards
from envs.jitgo_ttaeng.hands import evaluate, evaluate_batch, winners
from envs.jitgo_ttaeng.rules import MAX_SEATS, JitgoTtaengRules, option_record
from envs.jitgo_ttaeng.state import CHANCE


def equity(
    hands: npt.ArrayLike,
    num_opponents: int,
    rules: JitgoTtaengRules,
    *,
    num_samples: int = 1000,
    exact: bool = False,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """The share of a pot that each of some hands wins at a showdown; ties share.

    hands: [B] sets of cards. With less than five the rest is drawn too.
    num_opponents: unknown hands that compete, 1 to 7.
    num_samples: random deals for each hand; the standard error is at most 0.5 / √num_samples.
    exact: go through all deals instead; for whole hands against one other, with 20 cards against
        up to three.
    Returns [B] from 0 to 1.

    Raises:
        RulesError: the deck has not enough cards, or an exact answer would take too long.
    """
    sets = np.asarray(hands, np.int64)
    most = min(MAX_SEATS, rules.deck // HAND_SIZE) - 1
    if not 1 <= num_opponents <= most:
        raise RulesError(
            f"num_opponents must be 1 to {most} with {rules.deck} cards, got {num_opponents}"
        )
    deck = hand_of(DECKS[rules.deck].tolist())
    for hand in sets.tolist():
        size = hand.bit_count()
        if size > HAND_SIZE or hand & ~deck or (exact and size < HAND_SIZE):
            what = "five" if exact else "up to five"
            raise RulesError(f"expected {what} cards of the deck, got {format_hand(hand)!r}")
    if exact:
        return _exact(sets, num_opponents, rules)
    shares, chance = np.zeros(len(sets)), np.zeros(1, np.dtype((np.record, CHANCE)))
    chance["seed"] = seed
    sample_shares(option_record(rules), sets, num_opponents, num_samples, chance, shares)
    return shares


def _exact(
    hands: npt.NDArray[np.int64], num_opponents: int, rules: JitgoTtaengRules
) -> npt.NDArray[np.float64]:
    if num_opponents > 1 and rules.deck == NUM_CARDS:
        raise RulesError(f"exact equity needs 20 cards against {num_opponents} hands, got 40")
    options, shares = option_record(rules), np.empty(len(hands))
    deck = DECKS[rules.deck]
    for i, hand in enumerate(hands):
        unseen = deck[hand >> deck & 1 == 0]
        others = (np.int64(1) << np.array(list(combinations(unseen, HAND_SIZE)))).sum(1)
        results = np.empty(len(others), np.int64)
        evaluate_batch(options, others, results)
        own = evaluate(options, hand)
        shares[i] = count_share(options, own, others, results, num_opponents)
    return shares


@kernel
def share_of(rules: Any, results: Any, num_players: int) -> float:
    """The share of the first of `num_players` hands in a pot that all compete for."""
    takers = winners(rules, results, (1 << num_players) - 1)
    return 1.0 / popcount(takers) if takers & 1 else 0.0


@kernel
def sample_shares(
    rules: Any, hands: Any, num_opponents: int, num_samples: int, chance: Any, shares: Any
) -> None:
    """Mean share of each hand over random deals.

    hands: [B] int64; chance: [1] records of `CHANCE`; shares: [B] float64, written in place.
    """
    cards, results = np.empty(NUM_CARDS, np.int64), np.zeros(MAX_SEATS, np.int64)
    for i in range(hands.shape[0]):
        num = unseen_cards(rules.deck, hands[i], cards)
        to_come = HAND_SIZE - popcount(hands[i])
        total = 0.0
        for _ in range(num_samples):
            draw_cards(chance[0], cards[:num], to_come + HAND_SIZE * num_opponents)
            place = 0
            for player in range(num_opponents + 1):
                hand = int(hands[i]) if player == 0 else 0
                while popcount(hand) < HAND_SIZE:
                    hand |= 1 << cards[place]
                    place += 1
                results[player] = evaluate(rules, hand)
            total += share_of(rules, results, num_opponents + 1)
        shares[i] = total / num_samples


@kernel
def count_share(rules: Any, own: int, others: Any, results: Any, num_opponents: int) -> float:
    """Mean share of a hand with the result `own` over all sets of disjoint hands of others.

    others: [M] sets of cards; results: [M] what they are.
    """
    players = np.zeros(MAX_SEATS, np.int64)
    chosen, used = np.zeros(MAX_SEATS, np.int64), np.zeros(MAX_SEATS, np.int64)
    players[0], chosen[0] = own, -1
    total, num, depth = 0.0, 0, 0
    while depth >= 0:  # depth: opponents that have a hand
        chosen[depth] += 1
        k = chosen[depth]
        if k == others.shape[0]:
            depth -= 1
        elif others[k] & used[depth] == 0:
            players[depth + 1] = results[k]
            if depth + 1 == num_opponents:
                total += share_of(rules, players, num_opponents + 1)
                num += 1
            else:
                used[depth + 1] = used[depth] | others[k]
                depth += 1
                chosen[depth] = k
    return total / num
