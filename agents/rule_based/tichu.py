"""The rule-based player of Tichu.

It reckons in turns and in points: how many turns its hand still takes (`tichu_hands`), what the
others may hold and what is at stake (`tichu_outlook`), and what it is worth to its side, in points,
that this or that seat leads. Of all plays, and passing, it takes the one after which its side
stands best. What people say at the table follows from that:

- keep groups together, get rid of low cards while it is cheap;
- spend a high card or a bomb where the lead is worth it: to go out, or to stop an enemy;
- leave a trick to the partner, and lead him the dog, rather than beat him;
- with a call of the partner let him go out first, against one of the enemies bar its way;
- with one group left beside sure ones, play the sure ones first.

Calls and the exchange are in `tichu_calls`. The constants of all four modules did best in matches
of variants against each other, each deal played both ways round.
"""

from typing import Any

import numpy as np

from agents.base import ViewAgent
from agents.rule_based.tichu_calls import choose_gift, wants_call
from agents.rule_based.tichu_hands import cards_for, find_runs, price_ranks, split_hand
from agents.rule_based.tichu_outlook import OUTLOOK, chance_beats, look
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.tichu.cards import ACE, LOWEST, MAHJONG_RANK, RANK_CARDS, points_of
from envs.tichu.moves import (
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_DRAGON,
    ID_GIFT,
    ID_NO,
    ID_PHOENIX,
    ID_RANK,
    NO_MOVE,
    NO_SLOT,
    RANK,
    SIZE,
)
from envs.tichu.state import COLLECT, EXCHANGE, GIFT, NUM_SEATS, RIGHT, WISH

TURN = 29.0
"""Points that a turn is worth which the own hand needs less."""
FEWEST_TURNS = 0.8
"""Turns below which the hand gets no better: it is all but out."""
OWN_LEAD, PARTNER_LEAD, ENEMY_LEAD = 6.0, 24.0, 6.0
"""Points that the lead is worth to a seat's side. The own hand's turns reckon with leads already;
while the partner leads, the own cards are kept."""
OWN_FADE = 0.2
"""What is left of the own stakes with each turn that the hand is away from going out."""
PARTNER_FADE, ENEMY_FADE = 0.85, 0.75
"""What is left of another seat's stakes with each card that it holds."""
PILE = 0.3
"""How much the points of a trick count that is not taken yet."""


@kernel
def worth_of_lead(o: Any, seat: int, size: int, pile: float) -> float:
    """Points to the own side if a seat takes the trick and leads with `size` cards left.

    The own hand has just been split: its dearest group, played last, costs nothing any more.
    pile: points of the trick.
    """
    worth, stakes = float(PILE * pile), float(o.stakes[seat])
    if seat % 2 == 1:
        worth = -worth
    if size <= 0:
        return worth + stakes
    if seat == 0:
        return worth + OWN_LEAD + stakes * float(OWN_FADE ** max(o.turns - o.dearest, 0.0))
    if seat == 2:
        return worth + PARTNER_LEAD + stakes * float(PARTNER_FADE ** (size - 1))
    return worth - ENEMY_LEAD + stakes * float(ENEMY_FADE ** (size - 1))


@kernel
def worth_on_table(
    o: Any, declaration: int, rank: int, owner: int, first: int, pile: float
) -> float:
    """Points that a play of `owner` is worth while the seats from `first` on may still beat it.

    Only the other side beats it, or a partner who goes out by that.
    """
    worth, unbeaten, seat = 0.0, 1.0, first
    while seat != owner:
        left = o.sizes[seat] - SIZE[declaration]
        if seat != 0 and o.sizes[seat] > 0 and (seat % 2 != owner % 2 or left == 0):
            beaten = unbeaten * chance_beats(o, seat, declaration, rank)
            left = max(left, 1) if left != 0 else 0  # fewer cards than the play: it took a bomb
            worth += beaten * worth_of_lead(o, seat, left, pile)
            unbeaten -= beaten
        seat = (seat + 1) % NUM_SEATS
    taken = -pile if declaration == ID_DRAGON else pile  # the dragon gives it to the other side
    worth += unbeaten * worth_of_lead(o, owner, o.sizes[owner], taken)
    o.unbeaten = unbeaten
    return float(worth)


@kernel
def price_of_turns(o: Any) -> float:
    """Points that the turns cost which the hand, just split, still takes."""
    return float(TURN * max(o.turns, FEWEST_TURNS))


@kernel
def worth_of_pass(o: Any, s: Any) -> float:
    """Points that it is worth to pass, or to let the trick be taken."""
    split_hand(o, int(o.hand))
    owner, pile = int(s.owner), float(points_of(int(s.pile)))
    first = owner if s.phase == COLLECT else int(s.next_seat)
    worth = worth_on_table(o, int(s.table), s.value // 2, owner, first, pile)
    return worth - price_of_turns(o)


@kernel
def rank_to_beat(s: Any, declaration: int) -> int:
    """The rank of a play; a phoenix alone has that of the card below it."""
    if declaration == ID_PHOENIX:
        return MAHJONG_RANK if s.table == NO_MOVE else int(s.value // 2)
    return int(RANK[declaration])


@kernel
def worth_of_play(o: Any, s: Any, declaration: int) -> float:
    """Points that a play is worth."""
    cards = cards_for(o, declaration, NO_SLOT)
    pile = float(points_of(int(s.pile) | cards))
    if cards == o.hand:
        return PILE * pile + float(o.stakes[0])
    split_hand(o, int(o.hand) & ~cards)
    if declaration == ID_DOG:
        leader = 2 if o.sizes[2] > 0 else 3 if o.sizes[3] > 0 else 0
        return worth_of_lead(o, leader, int(o.sizes[leader]), 0.0) - price_of_turns(o)
    rank = rank_to_beat(s, declaration)
    return worth_on_table(o, declaration, rank, 0, 1, pile) - price_of_turns(o)


@kernel
def choose_play(o: Any, s: Any, mask: Any) -> int:
    """A combination, or not to play."""
    choice, best = ID_NO, -np.inf
    if mask[ID_NO]:
        best = worth_of_pass(o, s)
    for action in range(ID_DOG, ID_RANK):
        if mask[action]:
            worth = worth_of_play(o, s, action)
            if worth > best:
                choice, best = action, worth
    return choice


@kernel
def choose_slot(o: Any, s: Any, mask: Any) -> int:
    """What the phoenix stands for in the play begun, so that the rest of the hand is best."""
    choice, best = ID_NO, np.inf
    if mask[ID_NO]:
        split_hand(o, int(o.hand) & ~cards_for(o, int(s.begun), NO_SLOT))
        best = o.turns
    for rank in range(LOWEST, ACE + 1):
        action = ID_RANK + rank - LOWEST
        if mask[action]:
            split_hand(o, int(o.hand) & ~cards_for(o, int(s.begun), rank))
            if o.turns < best:
                choice, best = action, o.turns
    return choice


@kernel
def choose_card(o: Any, mask: Any) -> int:
    """The next card of the play begun, out of no straight flush if possible."""
    choice = ID_CARD
    while not mask[choice]:
        choice += 1
    for action in range(choice, ID_GIFT):
        if mask[action] and not o.flush >> (action - ID_CARD) & 1:
            return action
    return choice


@kernel
def choose_wish(s: Any) -> int:
    """The rank given to the enemy who is next, so that he has to break a group; or the ace."""
    for rank in range(LOWEST, ACE + 1):
        if s.given[0, RIGHT] & RANK_CARDS[rank]:
            return ID_RANK + rank - LOWEST
    return ID_RANK + ACE - LOWEST


@kernel
def choose_taker(s: Any) -> int:
    """To whom the dragon goes: the enemy with more cards, whose tricks may yet be lost."""
    return ID_GIFT if s.sizes[1] >= s.sizes[3] else ID_GIFT + 1


@kernel
def choose(o: Any, s: Any, mask: Any) -> int:
    """An action for one view `s`."""
    if not mask[ID_NO + 1 :].any():
        return ID_NO
    if s.phase == GIFT:
        return choose_taker(s)
    if s.phase == WISH:
        return choose_wish(s)
    look(o, s)
    price_ranks(o)
    find_runs(o)
    if mask[ID_CALL] and wants_call(o, s):
        return ID_CALL
    if s.phase == EXCHANGE:
        return choose_gift(o, s, mask)
    if s.begun != NO_MOVE:
        return choose_card(o, mask) if s.slotted else choose_slot(o, s, mask)
    if mask[ID_NO] and s.table == NO_MOVE:
        return ID_NO
    return choose_play(o, s, mask)


@kernel
def choose_batch(o: Any, views: Any, masks: Any, actions: Any) -> None:
    """An action for every view. masks: [N, 442] int8; actions: [N] int64, written in place.

    o: [1], room for thoughts.
    """
    for i in range(views.shape[0]):
        actions[i] = choose(o[0], views[i], masks[i])


class RuleAgent(ViewAgent):
    """Plays by rules of thumb, without chance and without a memory."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        super().__init__(game, rules)
        self._outlook = np.zeros(1, OUTLOOK)

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by rules of thumb, see `ViewAgent.decide`."""
        choose_batch(self._outlook, views, masks, actions)
