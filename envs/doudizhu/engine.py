"""The state machine of Dou Dizhu: play, settlement, and the kernels a `Game` is made of.

Kernels over one record, and beside each its loop over a batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.legality import only_action
from envs.doudizhu.auction import (
    ask_next_snatcher,
    call,
    deal,
    double,
    end_hand,
    next_seat,
    num_snatches,
)
from envs.doudizhu.cards import num_cards
from envs.doudizhu.kickers import NUM_KEYS, count_kickers, mark_kickers, num_missing, rocket_of
from envs.doudizhu.legal import count_moves, mark_plays
from envs.doudizhu.moves import (
    BOMB,
    ID_BID,
    ID_DECLINE,
    ID_DONE,
    ID_DOUBLE,
    ID_KICK,
    ID_KICKW,
    ID_PASS,
    ID_SNATCH,
    ID_SOLO,
    ID_SUB,
    KICKER_CARDS,
    KIND,
    LENGTH,
    NUM_ACTIONS,
    RANK,
    ROCKET,
    SOFT_BOMB,
    body_cards,
)
from envs.doudizhu.rules import BOMBS_ADD, DOUBLING_SUPER, NO_LIMIT
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    HAND_WON,
    MAX_SEATS,
    NO_CALL,
    NO_MOVE,
    NONE,
    NOTHING,
    PLAYING,
    SNATCHING,
    clear_selection,
)
from envs.doudizhu.wild import NUM_FILLINGS, asks_wild, count_body, kicker_hand, mark_body


@kernel
def deal_batch(states: Any) -> None:
    """`deal` for every record."""
    for i in range(states.shape[0]):
        deal(states[i])


@kernel(inline=True)
def pass_trick(s: Any) -> None:
    """Pass; after everybody else passed, the player of the table leads (RULES 7.5)."""
    s.passed[s.turn] = 1
    s.passes += 1
    s.turn = next_seat(s, s.turn)
    if s.turn == s.table_seat:
        s.table, s.table_cards, s.table_seat, s.passes = NO_MOVE, 0, NONE, 0
        for seat in range(MAX_SEATS):
            s.passed[seat] = 0


@kernel
def add_bomb(s: Any, seat: int, declaration: int) -> None:
    """Count a bomb or rocket, if it is one (RULES 8.1, 10.8)."""
    kind = KIND[declaration]
    if kind == BOMB or kind == SOFT_BOMB or kind == ROCKET:
        s.bombs[seat] += 1
        s.counted_bombs += kind == ROCKET or LENGTH[declaration] >= s.rules.bomb_counts_from


@kernel(inline=True)
def put_on_table(s: Any, declaration: int, cards: int) -> None:
    """Play a complete combination; the hand ends when it was the last card (RULES 7.6)."""
    seat = int(s.turn)
    s.hands[seat] -= cards
    s.sizes[seat] -= num_cards(cards)
    s.played[seat] += cards
    s.last_cards[seat] = cards
    s.plays[seat] += 1
    s.passed[seat], s.passes = 0, 0
    s.table, s.table_cards, s.table_seat = declaration, cards, seat
    clear_selection(s)
    s.actor, s.action, s.outcome = seat, declaration, NOTHING
    s.last_played, s.last_wild = cards, s.wild
    add_bomb(s, seat, declaration)
    if s.hands[seat]:
        s.turn = next_seat(s, seat)
    else:
        s.outcome = HAND_WON
        settle(s, seat)
        end_hand(s, seat)


@kernel(inline=True)
def play(s: Any, action: int) -> None:
    """A declaration, or one selection of the declaration begun (RULES 14.2, 14.3)."""
    if s.begun == NO_MOVE:
        s.begun = action
        s.placing = asks_wild(int(s.hands[s.turn]), int(s.wild), action)
    else:
        select(s, action)
    declaration = int(s.begun)
    s.pending += 1
    if s.placing or num_missing(declaration, int(s.chosen)) > 0:
        return
    body = rocket_of(s.rules)
    if KIND[declaration] != ROCKET:
        body = body_cards(declaration, int(s.placed), int(s.wild))
    put_on_table(s, declaration, body + int(s.chosen))


@kernel(inline=True)
def select(s: Any, action: int) -> None:
    """A wild card of the body, the end of these, or a kicker of the declaration begun."""
    card = 1 << (4 * RANK[action])
    if action == ID_DONE:
        s.placing = 0
    elif action >= ID_SUB:
        s.placed += card
    elif action >= ID_KICKW:
        s.chosen += card + (1 << (4 * s.wild))
    else:
        s.chosen += card * KICKER_CARDS[s.begun]


@kernel
def spring(s: Any, winner: int) -> bool:
    """Whether the losing side hardly played (RULES 8.3)."""
    if winner != s.landlord:
        return s.plays[s.landlord] == 1
    farmers = 0
    for seat in range(MAX_SEATS):
        if seat != s.landlord:
            farmers += s.plays[seat]
    return farmers == 0


@kernel
def multiplier(s: Any, is_spring: bool) -> int:
    """M of RULES 8.5: bombs, spring and snatches."""
    bombs = int(s.counted_bombs)
    factor = 1 + bombs if s.rules.bomb_mode == BOMBS_ADD else 1 << bombs
    if is_spring:
        factor *= 2
    for _ in range(num_snatches(s)):
        factor *= int(s.rules.snatch_factor)
    return factor


@kernel
def settle(s: Any, winner: int) -> None:
    """Payoffs of the hand, pair by pair (RULES 8.5, 10.7)."""
    landlord = int(s.landlord)
    amount = int(s.base_score) * multiplier(s, spring(s, winner)) * max(int(s.factors[landlord]), 1)
    if winner != landlord:
        amount = -amount
    for seat in range(MAX_SEATS):
        s.payoffs[seat] = 0
    for seat in range(int(s.rules.players)):
        if seat != landlord:
            stake = amount * max(int(s.factors[seat]), 1)
            s.payoffs[seat] = -stake
            s.payoffs[landlord] += stake


@kernel
def apply(s: Any, action: int) -> None:
    """Take a legal action; a negative one takes none. Changes `s` in place."""
    if action < 0 or s.turn == OVER:
        return
    if s.phase != PLAYING or action == ID_PASS:  # a play is public when it is complete
        s.actor, s.action, s.last_played, s.outcome = s.turn, action, 0, NOTHING
    if s.phase == BIDDING:
        call(s, action - ID_BID + 1 if action >= ID_BID else 0)
    elif s.phase == SNATCHING:
        s.snatched[s.turn] = action == ID_SNATCH
        ask_next_snatcher(s, int(s.bidder))
    elif s.phase == DOUBLING:
        double(s, RANK[action])
    elif action == ID_PASS:
        pass_trick(s)
    else:
        play(s, action)


@kernel
def apply_batch(states: Any, actions: Any) -> None:
    """`apply` for every record; actions: [B]."""
    for i in range(states.shape[0]):
        apply(states[i], int(actions[i]))


@kernel
def bomb_limit(s: Any, seat: int) -> int:
    """Bombs that a seat may play in the hand, NO_LIMIT if any number (RULES 10.10)."""
    if not s.rules.farmer_bomb_limit or seat == s.landlord or s.bids[seat] == 3:
        return NO_LIMIT
    if s.calls[seat] == NO_CALL:
        return NO_LIMIT
    return 2 if s.bids[seat] == 2 else 1


@kernel(inline=True)
def may_bomb(s: Any, seat: int) -> bool:
    """Whether the seat's bomb limit leaves it a bomb."""
    return s.bombs[seat] < bomb_limit(s, seat)


@kernel
def hand_for_kickers(s: Any) -> int:
    """The acting hand as far as the kickers of the declaration begun go."""
    hand, placed = int(s.hands[s.turn]), num_cards(s.placed)
    return kicker_hand(s.rules, int(s.begun), hand, placed, int(s.wild))


@kernel
def legal(s: Any, mask: Any) -> None:
    """Fill the mask of the seat to act; all 0 when the game is over.

    mask: [482] int8, written in place.
    """
    mask[:] = 0
    seat = int(s.turn)
    if s.phase == PLAYING:
        hand, wild, begun = int(s.hands[seat]), int(s.wild), int(s.begun)
        if begun == NO_MOVE:
            mark_plays(s.rules, hand, wild, int(s.table), may_bomb(s, seat), mask)
        elif s.placing:
            mark_body(s.rules, begun, hand, int(s.placed), wild, mask)
        else:
            mark_kickers(s.rules, begun, hand_for_kickers(s), int(s.chosen), wild, mask)
    elif s.phase == BIDDING:
        mask[ID_PASS] = 1
        highest = s.bids[s.bidder] if s.bidder != NONE else 0
        for bid in range(highest + 1, 4):
            mask[ID_BID + bid - 1] = 1
    elif s.phase == SNATCHING:
        mask[ID_DECLINE], mask[ID_SNATCH] = 1, 1
    elif s.phase == DOUBLING:
        mask[ID_DOUBLE], mask[ID_DOUBLE + 1] = 1, 1
        mask[ID_DOUBLE + 2] = s.rules.doubling == DOUBLING_SUPER


@kernel
def legal_batch(states: Any, masks: Any) -> None:
    """`legal` for every record; masks: [B, 482] int8."""
    for i in range(states.shape[0]):
        legal(states[i], masks[i])


@kernel
def step_batch(states: Any, actions: Any, masks: Any, skip_forced: bool) -> None:
    """`apply` and `legal` for every record, and on while there is one action only, if wanted.

    actions: [B]; masks: [B, 482] int8, written in place.
    """
    for i in range(states.shape[0]):
        action = int(actions[i])
        apply(states[i], action)
        legal(states[i], masks[i])
        while skip_forced:
            action = only_action(masks[i])
            if action < 0:
                break
            apply(states[i], action)
            legal(states[i], masks[i])


@kernel(inline=True)
def count_plays(s: Any, mask: Any, counts: Any) -> None:
    """The number of plays that begin with each allowed action.

    mask: [482] int8; counts: [482] int64, written in place.
    """
    for action in range(NUM_ACTIONS):
        counts[action] = mask[action]
    if s.phase != PLAYING:
        return
    hand, wild, begun = int(s.hands[s.turn]), int(s.wild), int(s.begun)
    if begun == NO_MOVE:
        for action in range(ID_SOLO, ID_KICK):
            if mask[action]:
                counts[action] = count_moves(s.rules, action, hand, wild)
    elif s.placing:
        ways = counts[ID_SUB : ID_SUB + NUM_FILLINGS]
        count_body(s.rules, begun, hand, int(s.placed), wild, ways)
    else:
        ways = counts[ID_KICK : ID_KICK + NUM_KEYS]
        count_kickers(s.rules, begun, hand_for_kickers(s), int(s.chosen), wild, ways)


@kernel
def count_plays_batch(states: Any, masks: Any, counts: Any) -> None:
    """`count_plays` for every record; counts: [B, 482] int64."""
    for i in range(states.shape[0]):
        count_plays(states[i], masks[i], counts[i])


@kernel
def sides_batch(states: Any, sides: Any) -> None:
    """0 for the landlord, 1 for farmers, where one hand is played and has its landlord; else -1."""
    for i in range(states.shape[0]):
        s = states[i]
        fixed = s.rules.hands_per_match == 1 and s.landlord != NONE
        for seat in range(sides.shape[1]):
            sides[i, seat] = int(seat != s.landlord) if fixed else -1


def forfeit(s: Any, seat: int) -> npt.NDArray[np.int64]:
    """Payoffs [seats] if `seat` loses the hand by foul play: it alone pays.

    In play: to the landlord for both farmers if it is a farmer, to each farmer if it is the
    landlord, at the score reached so far. Before: at base 3, as a landlord would.
    """
    seats = int(s.rules.players)
    payoffs = np.zeros(seats, np.int64)
    stake = max(int(s.base_score), 1 if s.landlord != NONE else 3) * int(multiplier(s, False))
    if s.landlord in (NONE, seat):
        payoffs[:] = stake
        payoffs[seat] = -stake * (seats - 1)
    else:
        payoffs[s.landlord] = stake * (seats - 1)
        payoffs[seat] = -stake * (seats - 1)
    return payoffs
