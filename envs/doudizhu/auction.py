"""How a hand begins and ends: deal, auction, snatching, doubling, the next hand (RULES 3, 4, 9).

Kernels over one record.
"""

from typing import Any

import numpy as np

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.rng import randint, shuffle
from envs.doudizhu.cards import DECK_RANKS, NUM_SUITED, hand_size, num_cards
from envs.doudizhu.rules import (
    ALL_PASS_FORCE_FIRST,
    ALL_PASS_VOID,
    AUCTION_OFF,
    AUCTION_ONCE,
    BIDDER_FACE_UP,
    BIDDER_LANDLORD,
    BIDDER_ROTATE,
    DOUBLING_OFF,
    WILD_RANDOM,
    WILD_THREE,
)
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    ENDED,
    HAND_VOID,
    LANDLORD_FOUND,
    MAX_SEATS,
    NO_CALL,
    NO_MOVE,
    NONE,
    NOTHING,
    PLAYING,
    REDEALT,
    SNATCHING,
    clear_selection,
)


@kernel
def next_seat(s: Any, seat: int) -> int:
    """The next seat in cyclic order (RULES 1.1)."""
    return (seat + 1) % int(s.rules.players)


@kernel(inline=True)
def deal_cards(s: Any) -> None:
    """Shuffle and deal a hand, and draw its wild rank (RULES 3.1-3.4, 11.1)."""
    players = int(s.rules.players)
    packs = 2 if players == 4 else 1
    cards = np.empty(54 * packs, np.int64)
    for i in range(54 * packs):
        cards[i] = DECK_RANKS[i % 54]
    shuffle(s, cards)
    size = hand_size(players)
    for seat in range(players):
        hand = 0
        for i in range(seat * size, (seat + 1) * size):
            hand += 1 << (4 * cards[i])
        s.hands[seat], s.sizes[seat] = hand, size
    s.bottom = 0
    for i in range(players * size, 54 * packs):
        s.bottom += 1 << (4 * cards[i])
    s.face_up, s.face_up_seat = NONE, NONE
    if s.hand_number == 0 or s.rules.first_bidder_next == BIDDER_FACE_UP:
        shown = randint(s, players * size)
        s.face_up, s.face_up_seat = cards[shown], shown // size
        s.first = s.face_up_seat
    s.wild = NONE
    if s.rules.wild == WILD_THREE:
        s.wild = 0
    elif s.rules.wild == WILD_RANDOM:
        s.wild = randint(s, NUM_SUITED)
    s.deals += 1


@kernel
def clear_hand(s: Any) -> None:
    """Forget the auction and the play of the hand before."""
    for seat in range(MAX_SEATS):
        s.calls[seat], s.bids[seat], s.snatched[seat], s.factors[seat] = NO_CALL, 0, 0, 0
        s.played[seat], s.last_cards[seat], s.passed[seat] = 0, 0, 0
        s.plays[seat], s.bombs[seat] = 0, 0
    s.num_calls, s.passes, s.asked, s.base_score, s.counted_bombs = 0, 0, 0, 0, 0
    s.bidder, s.landlord = NONE, NONE
    s.table, s.table_cards, s.table_seat = NO_MOVE, 0, NONE
    clear_selection(s)


@kernel
def begin_auction(s: Any) -> None:
    """Deal a hand and open its auction."""
    clear_hand(s)
    deal_cards(s)
    open_auction(s)


@kernel
def open_auction(s: Any) -> None:
    """Let the first bidder speak, or make it landlord where there is no auction."""
    s.turn = s.first
    s.phase = BIDDING
    if s.rules.auction == AUCTION_OFF:
        s.base_score = 1
        begin_landlord(s, s.first)


@kernel
def begin_landlord(s: Any, landlord: int) -> None:
    """Give the bottom to the landlord and go on to doubling or play (RULES 4.7)."""
    s.landlord = landlord
    s.hands[landlord] += s.bottom
    s.sizes[landlord] += num_cards(s.bottom)
    s.turn = landlord
    s.passes = 0
    s.phase = PLAYING if s.rules.doubling == DOUBLING_OFF else DOUBLING
    s.outcome = LANDLORD_FOUND


@kernel(inline=True)
def deal(s: Any) -> None:
    """Start a game: options and seed are set, everything else is 0."""
    s.actor, s.action = NONE, NONE
    begin_auction(s)
    s.outcome = NOTHING


@kernel
def end_hand(s: Any, winner: int) -> None:
    """Add the payoffs to the scores; deal the next hand, or end the match (RULES 9)."""
    for seat in range(MAX_SEATS):
        s.scores[seat] += s.payoffs[seat]
    rule = s.rules.first_bidder_next
    if s.hand_number + 1 >= s.rules.hands_per_match:
        s.turn, s.phase = OVER, ENDED
        return
    if rule == BIDDER_ROTATE:
        s.first = next_seat(s, s.first)
    elif winner != NONE:
        s.first = s.landlord if rule == BIDDER_LANDLORD else winner
    s.hand_number += 1
    s.all_passes = 0
    outcome = s.outcome
    begin_auction(s)
    s.outcome = outcome


@kernel(inline=True)
def end_auction_unsold(s: Any) -> None:
    """All passed: new deal, forced landlord, or void hand (RULES 4.2, 4.3)."""
    s.all_passes += 1
    rule = s.rules.all_pass
    if rule == ALL_PASS_FORCE_FIRST and s.all_passes >= s.rules.all_pass_limit:
        s.base_score = 1
        begin_landlord(s, s.first)
    elif rule == ALL_PASS_VOID or (
        rule != ALL_PASS_FORCE_FIRST and s.all_passes > s.rules.max_redeals
    ):
        for seat in range(MAX_SEATS):
            s.payoffs[seat] = 0
        s.outcome = HAND_VOID
        end_hand(s, NONE)
    else:
        begin_auction(s)
        s.outcome = REDEALT


@kernel(inline=True)
def call(s: Any, bid: int) -> None:
    """A bid of 1 to 3, or a pass: 0 (RULES 4.1, 4.4)."""
    seat, players = int(s.turn), int(s.rules.players)
    s.calls[seat] = bid
    s.num_calls += 1
    s.passes = 0 if bid else s.passes + 1
    if bid:
        s.bids[seat], s.bidder = bid, seat
    s.turn = next_seat(s, seat)
    sold = bid == 3
    if s.rules.auction == AUCTION_ONCE:
        last = s.num_calls == players
        sold = sold or (last and s.bidder != NONE)
    else:
        last = s.bidder == NONE and s.num_calls == players
        sold = sold or (s.bidder != NONE and s.passes == players - 1)
    if sold:
        s.base_score = s.bids[s.bidder]
        if bid == 3 and s.rules.snatch:
            s.phase = SNATCHING
            ask_next_snatcher(s, s.bidder)
        else:
            begin_landlord(s, s.bidder)
    elif last:
        end_auction_unsold(s)


@kernel(inline=True)
def holder(s: Any) -> int:
    """Who would be landlord if the snatch phase ended now: the last snatcher, or the caller."""
    caller, players = int(s.bidder), int(s.rules.players)
    if s.snatched[caller]:
        return caller
    for step in range(players - 1, 0, -1):
        seat = (caller + step) % players
        if s.snatched[seat]:
            return seat
    return caller


@kernel
def num_snatches(s: Any) -> int:
    """Snatches of this hand."""
    num = 0
    for seat in range(MAX_SEATS):
        num += s.snatched[seat]
    return num


@kernel
def ask_next_snatcher(s: Any, caller: int) -> None:
    """Turn to the next seat that may snatch, or name the landlord (RULES 4.5)."""
    players, snatches = int(s.rules.players), num_snatches(s)
    while snatches < s.rules.snatch_cap and s.asked < players:
        s.asked += 1
        seat = (caller + s.asked) % players
        if s.asked == players:
            if snatches > 0:
                s.turn = seat
                return
        elif s.calls[seat] != 0 or s.rules.snatch_by_passers:
            s.turn = seat
            return
    begin_landlord(s, holder(s))


@kernel(inline=True)
def double(s: Any, factor: int) -> None:
    """A seat's doubling choice; the landlord chooses first and leads afterwards (RULES 4.8)."""
    s.factors[s.turn] = factor
    s.turn = next_seat(s, s.turn)
    if s.turn == s.landlord:
        s.phase = PLAYING
