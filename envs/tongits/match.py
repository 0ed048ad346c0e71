"""How a hand begins and ends: deal, dealer, jackpot (RULES 3, 10). Kernels over one record."""

from typing import Any

import numpy as np

from envs.core.game import OVER
from envs.core.jit import kernel
from envs.core.rng import randint, shuffle
from envs.tongits.cards import NUM_CARDS
from envs.tongits.rules import DEALER_RANDOM, NEXT_ROTATE
from envs.tongits.scoring import settle
from envs.tongits.state import (
    DRAWING,
    ENDED,
    HAND_SIZE,
    NO_ANSWER,
    NONE,
    NOTHING,
    NUM_SEATS,
    PLAYING,
    STOCK_SIZE,
    next_seat,
)


@kernel
def clear_hand(s: Any) -> None:
    """Clear the table of the hand before."""
    for seat in range(NUM_SEATS):
        s.hands[seat], s.sizes[seat] = 0, 0
        s.discards[seat], s.melds[seat], s.laid_off[seat] = 0, 0, 0
        s.blocked[seat], s.answers[seat] = 0, NO_ANSWER
    for place in range(STOCK_SIZE):
        s.stock[place], s.pile[place] = NONE, NONE
    s.turns, s.stock_size, s.pile_size, s.drawn, s.taken, s.sets = 0, 0, 0, 0, 0, 0
    s.top, s.knocker = NONE, NONE


@kernel
def take_from_stock(s: Any, seat: int) -> int:
    """Give the top card of the stock to a seat; returns it as a set."""
    s.stock_size -= 1
    card = 1 << int(s.stock[s.stock_size])
    s.stock[s.stock_size] = NONE
    s.hands[seat] |= card
    s.sizes[seat] += 1
    return card


@kernel
def open_hand(s: Any) -> None:
    """Let the dealer take the first turn; with a 13th card it needs no draw (RULES 3.3, 3.4)."""
    s.turn = s.dealer
    s.phase = PLAYING if s.sizes[s.dealer] > HAND_SIZE else DRAWING


@kernel
def deal_hand(s: Any) -> None:
    """Shuffle, deal and open a hand (RULES 3.2); the dealer is known."""
    clear_hand(s)
    deck = np.arange(NUM_CARDS)
    shuffle(s, deck)
    for seat in range(NUM_SEATS):
        hand = 0
        for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
            hand |= 1 << deck[place]
        s.hands[seat], s.sizes[seat] = hand, HAND_SIZE
    for place in range(STOCK_SIZE):
        s.stock[place] = deck[NUM_SEATS * HAND_SIZE + place]
    s.stock_size = STOCK_SIZE
    if s.rules.dealer_cards > HAND_SIZE:
        take_from_stock(s, int(s.dealer))
    s.deals += 1
    open_hand(s)


@kernel(inline=True)
def deal(s: Any) -> None:
    """Start a game: options and seed are set, everything else is 0."""
    s.actor, s.action, s.winner, s.streak_seat = NONE, NONE, NONE, NONE
    s.outcome = NOTHING
    first = int(s.rules.first_dealer)
    s.dealer = randint(s, NUM_SEATS) if first == DEALER_RANDOM else first - 1
    deal_hand(s)


@kernel(inline=True)
def play_for_pot(s: Any, winner: int) -> None:
    """Everybody's ante for the hand, and the pot to who has won often enough (RULES 10.3)."""
    for seat in range(NUM_SEATS):
        s.scores[seat] -= s.rules.jackpot_ante
    s.pot += NUM_SEATS * s.rules.jackpot_ante
    s.streak = s.streak + 1 if winner == s.streak_seat else 1
    s.streak_seat = winner
    if s.streak >= s.rules.jackpot_streak:
        s.scores[winner] += s.pot
        s.pot, s.streak = 0, 0


@kernel(inline=True)
def end_match(s: Any) -> None:
    """Pay back what is left in the pot, a third to each, and end the game (RULES 10.3)."""
    for seat in range(NUM_SEATS):
        s.scores[seat] += s.pot // NUM_SEATS
    s.pot = 0
    s.turn, s.phase = OVER, ENDED


@kernel
def end_hand(s: Any, winner: int) -> None:
    """Add the payoffs to the scores; deal the next hand, or end the match (RULES 10.1, 10.2)."""
    for seat in range(NUM_SEATS):
        s.scores[seat] += s.payoffs[seat]
    if s.rules.jackpot_ante:
        play_for_pot(s, winner)
    if s.hand_number + 1 >= s.rules.num_hands:
        end_match(s)
        return
    s.hand_number += 1
    s.dealer = next_seat(int(s.dealer)) if s.rules.next_dealer == NEXT_ROTATE else winner
    deal_hand(s)


@kernel
def finish(s: Any, winner: int, outcome: int) -> None:
    """End the hand that `winner` has won."""
    s.winner, s.outcome = winner, outcome
    settle(s, winner, outcome)
    end_hand(s, winner)
