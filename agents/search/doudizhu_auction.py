"""How the default policy of Dou Dizhu bids, snatches and doubles, and what a call says of a hand.

The worths are those of `agents.rule_based.doudizhu_auction`.
"""

import math
from typing import Any

from agents.rule_based.doudizhu_auction import (
    BID_CHANCES,
    BIDDER,
    BLIND_BIDDER,
    DOUBLE_CHANCES,
    FARMER,
    LANDLORD,
    LOG_ODDS,
    SNATCH_CHANCE,
    highest_step,
)
from agents.rule_based.doudizhu_outlook import TWO, WILD
from agents.search.doudizhu_hands import split_own
from envs.core.jit import kernel
from envs.doudizhu.cards import RED_JOKER, count_of, num_cards
from envs.doudizhu.moves import ID_BID, ID_DECLINE, ID_DOUBLE, ID_PASS, ID_SNATCH
from envs.doudizhu.rules import AUCTION_CONTINUOUS, DOUBLING_SUPER
from envs.doudizhu.state import BIDDING, NONE, SNATCHING
from envs.doudizhu.wild import num_wild


@kernel
def win_chance(o: Any, who: int) -> float:
    """Chance that the own side wins, as a BIDDER, LANDLORD or FARMER sees it."""
    o.cards = split_own(o, o.hand)
    blind = o.variant == WILD and o.wild < 0
    weights = LOG_ODDS[BLIND_BIDDER if blind else 3 * o.variant + who]
    log_odds = weights[0] + weights[1] * o.turns + weights[5] * num_wild(o.hand, o.wild)
    for rank in range(TWO, RED_JOKER + 1):
        if rank != o.wild:
            log_odds += weights[2 + rank - TWO] * count_of(o.hand, rank)
    return 1 / (1 + math.exp(-log_odds))


@kernel
def wanted_bid(o: Any) -> int:
    """What the hand is worth at most, 0 for a pass."""
    return highest_step(BID_CHANCES[o.variant], win_chance(o, BIDDER))


@kernel
def choose_call(o: Any, s: Any) -> int:
    """A bid, snatch or doubling choice."""
    if s.phase == SNATCHING:
        return ID_SNATCH if win_chance(o, BIDDER) >= SNATCH_CHANCE else ID_DECLINE
    if s.phase == BIDDING:
        bid = wanted_bid(o)
        return ID_BID + bid - 1 if s.bidder == NONE or bid > s.bids[s.bidder] else ID_PASS
    who = LANDLORD if s.landlord == s.turn else FARMER
    step = highest_step(DOUBLE_CHANCES, win_chance(o, who))
    return ID_DOUBLE + min(step, 3 if s.rules.doubling == DOUBLING_SUPER else 2) - 1


@kernel
def recall_auction(s: Any) -> None:
    """Give every seat the hand that it was dealt, and no one the bottom."""
    for seat in range(int(s.rules.players)):
        s.hands[seat] += s.played[seat]
        s.sizes[seat] += num_cards(s.played[seat])
        s.played[seat] = 0
        if seat == s.landlord:
            s.hands[seat] -= s.bottom
            s.sizes[seat] -= num_cards(s.bottom)
    s.phase, s.landlord = BIDDING, NONE
    s.rules.farmer_bomb_limit = 0  # it comes with the calls that the seats were yet to make


@kernel
def fits_call(s: Any, seat: int, bid: int) -> bool:
    """Whether a seat that has called would have done so if its hand was worth `bid`."""
    if s.bids[seat] > 0:
        return bool(s.bids[seat] == bid)
    highest, players = 0, int(s.rules.players)
    order = (seat - int(s.first)) % players
    for step in range(players if s.rules.auction == AUCTION_CONTINUOUS else order):
        highest = max(highest, s.bids[(int(s.first) + step) % players])
    return bool(bid <= highest)
