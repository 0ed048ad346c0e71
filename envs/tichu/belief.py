"""What may be hidden: worlds drawn uniformly from all deals a player has to reckon with.

Uniform means: every distribution of the unseen cards over the places they may be in has the same
probability, given what is certain (RULES 11):

* own cards, every card played, and the number of cards in each hand;
* a card given in the exchange stays with its receiver until he plays it, and the mahjong with the
  seat that led first;
* a seat that did not serve a wish on its turn, where a single card would have been legal, holds no
  card of the wished rank: `lacks`, and never will in this round.

What else may be guessed of a hand (that a pair of the wished rank was not played, that a bomb was
not thrown, how the others play) is left to the agents. Hidden facts that nobody's cards depend on
are completed simply: an exchange between others by any card the receiver may have got so, the
question out of turn that somebody else is being asked as one to the first seat that may be asked.
"""

from typing import Any

import numpy as np

from envs.core.bits import popcount
from envs.core.game import HIDDEN
from envs.core.jit import kernel
from envs.core.rng import randint
from envs.tichu.cards import MAHJONG, NO_WISH, RANK_CARDS
from envs.tichu.moves import ID_DRAGON
from envs.tichu.rounds import FIRST_SIZE, HAND_SIZE, seat_after
from envs.tichu.state import (
    COLLECT,
    EXCHANGE,
    GIFT,
    GRAND,
    INTERRUPT,
    NUM_GIVEN,
    NUM_SEATS,
)

OBSERVER = 0
DRAWN = NUM_SEATS
"""Places of unseen cards: the hands, then what each seat is still to draw."""
NUM_PLACES = 2 * NUM_SEATS


@kernel
def resample(s: Any, seed: int) -> None:
    """Complete a view of seat 0 to a world. Changes `s` in place."""
    s.seed, s.draws = seed, 0
    coming = np.zeros(NUM_SEATS, np.int64)
    deal_unseen(s, coming)
    complete_turn(s)
    complete_exchange(s)
    for seat in range(NUM_SEATS):
        s.dealt[seat] = dealt_cards(s, seat) | coming[seat]
        s.first[seat] = lowest_cards(s.hands[seat] if s.phase == GRAND else s.dealt[seat])
    s.unseen, s.asked = 0, 0
    for seat in range(NUM_SEATS):
        s.may_call[seat] = 0


@kernel
def resample_batch(views: Any, seeds: Any) -> None:
    """`resample` for every view; seeds: [B] int64."""
    for i in range(views.shape[0]):
        resample(views[i], int(seeds[i]))


@kernel
def known_cards(s: Any, seat: int) -> int:
    """Cards that another seat is known to hold, as a set."""
    if s.stage <= EXCHANGE:
        return 0
    known = s.given[OBSERVER, seat - 1]
    if seat == s.mahjong:
        known |= MAHJONG
    return known & s.unseen


@kernel
def deal_unseen(s: Any, coming: Any) -> None:
    """Deal the unseen cards to hands and undrawn cards, uniformly over what is possible.

    coming: [4] int64, the cards each seat is still to draw, written in place. Cards of the rank
    that some seats lack go first, each to any place left that may hold it; then the rest, which may
    lie anywhere.
    """
    room = np.zeros(NUM_PLACES, np.int64)
    pool = int(s.unseen)
    for seat in range(NUM_SEATS):
        if seat != OBSERVER:
            s.hands[seat] = known_cards(s, seat)
            pool &= ~s.hands[seat]
            room[seat] = s.sizes[seat] - popcount(s.hands[seat])
        if s.stage == GRAND:
            room[DRAWN + seat] = HAND_SIZE - FIRST_SIZE
    barred = RANK_CARDS[s.wished] if s.wished > NO_WISH else 0
    kept = np.zeros(NUM_PLACES, np.int64)
    for place in range(NUM_PLACES):
        if s.lacks[place & (NUM_SEATS - 1)]:
            kept[place], room[place] = room[place], 0
    place_cards(s, pool & barred, room, coming)
    room += kept
    place_cards(s, pool & ~barred, room, coming)


@kernel
def place_cards(s: Any, cards: int, room: Any, coming: Any) -> None:
    """Put each card of a set into any of the places left; room: [8] int64, how many there are."""
    while cards:
        card = cards & -cards
        cards ^= card
        place, skip = 0, randint(s, int(room.sum()))
        while skip >= room[place]:
            skip -= room[place]
            place += 1
        room[place] -= 1
        if place < DRAWN:
            s.hands[place] |= card
        else:
            coming[place - DRAWN] |= card


@kernel
def complete_turn(s: Any) -> None:
    """Say who is asked what, where the observer does not know it."""
    if s.turn == OBSERVER:
        s.window = ((OBSERVER - s.owner - 1) & (NUM_SEATS - 1)) + 1
        return
    if s.turn != HIDDEN:
        return
    s.window = NUM_SEATS
    if s.stage == EXCHANGE:
        # After the observer's own picks the next seat is on, before them the dealer.
        s.turn = seat_after(OBSERVER, 1) if s.given[OBSERVER, 0] else s.dealer
    elif s.next_seat != OBSERVER and (s.stage != COLLECT or s.sizes[s.next_seat]):
        s.turn = s.next_seat
    elif s.next_seat != OBSERVER and s.table == ID_DRAGON:
        s.phase, s.turn = GIFT, s.next_seat
    else:
        interrupt(s)


@kernel
def interrupt(s: Any) -> None:
    """Let the first seat that may be asked out of turn be asked."""
    s.phase = INTERRUPT
    for k in range(1, NUM_SEATS + 1):
        seat = seat_after(s.owner, k)
        if seat != OBSERVER and seat != s.passer and s.sizes[seat] and seat != s.next_seat:
            s.window, s.turn = k, seat
            return


@kernel
def pick_cards(s: Any, cards: int, out: Any) -> None:
    """Draw one card for each place of `out` [3] that is 0, all different, from a set."""
    for k in range(NUM_GIVEN):
        cards &= ~out[k]
    for k in range(NUM_GIVEN):
        if out[k] == 0:
            rest = cards
            for _ in range(randint(s, popcount(cards))):
                rest &= rest - 1
            out[k] = rest & -rest
            cards &= ~out[k]


@kernel
def complete_exchange(s: Any) -> None:
    """Fill in what others gave: all of it after the exchange, during it what is already picked."""
    if s.stage == EXCHANGE:
        turn = (s.turn - s.dealer) & (NUM_SEATS - 1)
        for k in range(turn):
            seat = seat_after(s.dealer, k)
            if seat != OBSERVER:
                pick_cards(s, int(s.hands[seat]), s.given[seat])
    if s.stage <= EXCHANGE:
        return
    for k in range(NUM_GIVEN):
        giver, taker = seat_after(OBSERVER, k + 1), seat_after(OBSERVER, k + 1)
        s.given[giver, NUM_GIVEN - 1 - k] = s.received[OBSERVER, k]
        s.received[taker, NUM_GIVEN - 1 - k] = s.given[OBSERVER, k]
    for seat in range(1, NUM_SEATS):
        pick_cards(s, int(s.hands[seat] | s.played[seat]), s.received[seat])
        for k in range(NUM_GIVEN):
            s.given[seat_after(seat, k + 1), NUM_GIVEN - 1 - k] = s.received[seat, k]


@kernel
def dealt_cards(s: Any, seat: int) -> int:
    """The cards that a seat was dealt, as far as it has drawn them."""
    cards = s.hands[seat] | s.played[seat]
    if s.stage <= EXCHANGE:
        return cards
    for k in range(NUM_GIVEN):
        cards &= ~s.received[seat, k]
    for k in range(NUM_GIVEN):
        cards |= s.given[seat, k]
    return cards


@kernel
def lowest_cards(cards: int) -> int:
    """Eight cards of a set, as the ones drawn first: nobody remembers which they were."""
    first = 0
    for _ in range(FIRST_SIZE):
        first |= cards & -cards
        cards &= cards - 1
    return first
