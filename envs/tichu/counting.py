"""How many plays a combination, or a choice within one, leads to: without making them."""

from typing import Any

from envs.core.bits import lowest, popcount
from envs.core.jit import kernel
from envs.tichu.cards import LOWEST, MAHJONG_RANK, NUM_ORDINARY, ONES, RANK_CARDS, SUITS, count_of
from envs.tichu.legal import LONGEST_FLUSH, flush_lows, span
from envs.tichu.moves import (
    FLUSH,
    HIGH,
    ID_CARD,
    ID_NO,
    ID_RANK,
    KIND,
    LOW,
    NEEDS,
    NO_SLOT,
    SIZE,
    STRAIGHT,
)
from envs.tichu.selection import (
    WAYS,
    bound_rank,
    must_mix,
    needed,
    open_rank,
    own_tokens,
    slot_options,
    tokens_left,
)


@kernel
def count_suits(hand: int, own: int, begun: int, slot: int, first: int) -> int:
    """Ways to choose the cards of the ranks from `first` on of a combination."""
    ways = 1
    for rank in range(first, HIGH[begun] + 1):
        need = NEEDS[begun, rank] - (rank == slot)
        if need > 0:
            held = hand & RANK_CARDS[rank]
            ways *= WAYS[popcount(held & own), popcount(held & ~own), need]
    return ways


@kernel
def num_flushes(hand: int, begun: int) -> int:
    """In how many suits the hand holds all ranks of a run (RULES T-D23)."""
    if LOW[begun] == MAHJONG_RANK or SIZE[begun] > LONGEST_FLUSH:
        return 0
    return popcount(flush_lows(hand, SIZE[begun]) & RANK_CARDS[LOW[begun]])


@kernel
def count_slot(hand: int, own: int, begun: int, slot: int) -> int:
    """Plays of a combination with the phoenix as `slot`."""
    if KIND[begun] == FLUSH:
        return num_flushes(hand, begun)
    ways = count_suits(hand, own, begun, slot, LOW[begun])
    if KIND[begun] == STRAIGHT and slot == NO_SLOT:
        ways -= num_flushes(hand, begun)
    return ways


@kernel
def count_combination(s: Any, begun: int) -> int:
    """Plays of a combination that the seat to act may begin."""
    hand, own = int(s.hands[s.turn]), own_tokens(s)
    options = slot_options(hand, begun, bound_rank(s))
    num = 0
    while options:
        num += count_slot(hand, own, begun, lowest(options))
        options &= options - 1
    return num


@kernel
def count_token(s: Any, rank: int, card: int) -> int:
    """Plays that go on with a card, given as a set, at `rank`."""
    hand, own = int(s.hands[s.turn]), own_tokens(s)
    if KIND[s.begun] == FLUSH:
        return 1
    single, token, num = tokens_left(s, rank, own)
    more = needed(s, rank) - count_of(int(s.chosen), rank) - 1
    reach = popcount(single & -card & ~card)
    left = num - (card == token) if token >= card else 0
    ways = WAYS[reach, left, more]
    ways *= count_suits(hand, own, int(s.begun), int(s.slot), rank + 1)
    if must_mix(s) and card != token:
        suit = ONES << (lowest(card) & (SUITS - 1))
        above = hand & suit & span(rank + 1, HIGH[s.begun])
        is_run = popcount(above) == HIGH[s.begun] - rank
        ways -= is_run and (s.chosen | card) & ~suit == 0
    return ways


@kernel
def count_choices(s: Any, mask: Any, counts: Any) -> None:
    """`count_plays` while a combination is being chosen."""
    hand, own = int(s.hands[s.turn]), own_tokens(s)
    if s.slotted:
        rank = open_rank(s)
        for action in range(ID_CARD, ID_CARD + NUM_ORDINARY):
            if mask[action]:
                counts[action] = count_token(s, rank, 1 << (action - ID_CARD))
        return
    if mask[ID_NO]:
        counts[ID_NO] = count_slot(hand, own, int(s.begun), NO_SLOT)
    for action in range(ID_RANK, ID_CARD):
        if mask[action]:
            counts[action] = count_slot(hand, own, int(s.begun), action - ID_RANK + LOWEST)
