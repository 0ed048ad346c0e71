"""Shuffling and dealing (RULES 9). Kernels over one record."""

from typing import Any

import numpy as np

from envs.core.bits import popcount
from envs.core.jit import kernel
from envs.core.rng import next_word, randint
from envs.jitgo_ttaeng.cards import (
    CARD_BITS,
    DECK_20,
    DECK_40,
    HAND_SIZE,
    NUM_CARDS,
    unpack_cards,
)
from envs.jitgo_ttaeng.hands import NO_RESULT, evaluate
from envs.jitgo_ttaeng.moves import NUM_PILES
from envs.jitgo_ttaeng.rules import RANDOM
from envs.jitgo_ttaeng.state import NUM_HANDS, live_seats, num_dealt


@kernel(inline=True)
def draw_cards(chance: Any, cards: Any, num: int) -> None:
    """Bring `num` cards drawn at random to the front of the array `cards`, in place."""
    for i in range(num):
        j = i + randint(chance, cards.shape[0] - i)
        drawn = cards[j]
        cards[j] = cards[i]
        cards[i] = drawn


@kernel
def shuffled_deck(s: Any, num: int) -> Any:
    """A full deck of the game of which the first `num` cards are in random order: [20 or 40]."""
    cards = np.empty(int(s.rules.deck), np.int64)
    unseen_cards(cards.shape[0], 0, cards)
    draw_cards(s.chance, cards, num)
    return cards


@kernel(inline=True)
def deal_round(cards: Any, hands: Any, first: int, players: int) -> None:
    """Deal five cards to each of `players`, one at a time from `first` on.

    players: a set of places in `hands`, which get their packed cards.
    """
    place, size = 0, hands.shape[0]
    for k in range(HAND_SIZE):
        for step in range(size):
            player = first + step if first + step < size else first + step - size
            if players >> player & 1:
                packed = (cards[place] + 1) << (CARD_BITS * k)
                hands[player] = packed if k == 0 else hands[player] | packed
                place += 1


@kernel
def unseen_cards(deck: int, known: int, cards: Any) -> int:
    """Write the cards of a deck of that size that are not in the set `known`; returns how many.

    cards: [40] int64 or longer, written in place.
    """
    num = 0
    for i in range(deck):
        card = DECK_40[i] if deck == NUM_CARDS else DECK_20[i]
        if not known >> card & 1:
            cards[num] = card
            num += 1
    return num


@kernel
def deal_seats(s: Any, players: int) -> None:
    """Shuffle a full deck, and fix five cards for each of `players`, a set of seats (RULES 9)."""
    deal_round(shuffled_deck(s, HAND_SIZE * popcount(players)), s.dealt, int(s.sun), players)


@kernel
def deal_hands(s: Any) -> None:
    """Fix the cards of all seats that have a part in the hand."""
    deal_seats(s, live_seats(s))
    renew_chance(s)


@kernel
def deal_again(s: Any, players: int) -> None:
    """New cards for `players`, a set of seats (RULES J12)."""
    deal_seats(s, players)
    hand_out(s)


@kernel
def hand_out(s: Any) -> None:
    """Give the seats still in the cards they hold in this betting round (RULES 4.1)."""
    live, num = live_seats(s), num_dealt(s, int(s.street))
    for seat in range(s.rules.num_players):
        if live >> seat & 1:
            s.hands[seat] = unpack_cards(s.dealt[seat], 0, num)
            s.results[seat] = NO_RESULT
            if num == HAND_SIZE:
                s.results[seat] = evaluate(s.rules, s.hands[seat])


@kernel
def deal_piles(s: Any) -> None:
    """Shuffle, and fix the banker's hand and the piles (RULES 5.2, J39)."""
    deal_round(shuffled_deck(s, HAND_SIZE * NUM_HANDS), s.piles, 0, (1 << NUM_HANDS) - 1)
    turn_up(s)
    renew_chance(s)


@kernel
def turn_up(s: Any) -> None:
    """Read the face-up card of each pile from its cards."""
    for pile in range(NUM_PILES):
        s.face_up[pile] = unpack_cards(s.piles[pile + 1], 0, 1)


@kernel
def renew_chance(s: Any) -> None:
    """Let all chance that follows depend on one number drawn now."""
    s.chance.seed = next_word(s.chance)
    s.chance.draws = 0


@kernel
def draw_seat(s: Any, seat: int) -> int:
    """The seat that an option names, drawn where it is "random"."""
    return randint(s.chance, int(s.rules.num_players)) if seat == RANDOM else seat
