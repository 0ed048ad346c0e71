"""The rule-based player of Tichu."""

from typing import Any

import numpy as np

from agents.rule_based.tichu_calls import choose_gift, wants_call
from agents.rule_based.tichu_hands import (
    cards_for,
    find_runs,
    price_ranks,
    split_hand,
)
from agents.rule_based.tichu_outlook import OUTLOOK, chance_beats, look
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.tichu.cards import ACE, LOWEST, RANK_CARDS, points_of
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
from envs.tichu.state import ACROSS, COLLECT, EXCHANGE, GIFT, NUM_SEATS, RIGHT, WISH

TURN = 12.0
"""Points that a turn is worth which the own hand needs less."""
LEAD = 6.0
"""Points that the lead is worth to whoever has it."""
OWN_FADE = 0.35
"""What is left of the stakes with each turn that the own hand is away from going out."""
CARD_FADE = 0.75
"""What is left of another seat's stakes with each card that it holds."""
PILE = 0.8
"""How much the points of a trick count before it is taken."""


@kernel
def worth_of_lead(o: Any, seat: int, size: int, pile: float) -> float:
    """Points to the own side if a seat takes the trick and leads with `size` cards left.

    The own hand has just been split: its dearest group, played last, costs nothing any more.
    """
    sign = 1.0 if seat % 2 == 0 else -1.0
    worth = sign * PILE * pile
    if seat == 0:
        return worth + LEAD + o.stakes[0] * OWN_FADE ** max(o.turns - o.dearest, 0.0)
    if size <= 0:
        return worth + o.stakes[seat]
    return worth + sign * LEAD + o.stakes[seat] * CARD_FADE ** (size - 1)


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
            worth += beaten * worth_of_lead(o, seat, max(left, 1) if left != 0 else 0, pile)
            unbeaten -= beaten
        seat = (seat + 1) % NUM_SEATS
    if declaration == ID_DRAGON:
        pile = -pile
    return worth + unbeaten * worth_of_lead(o, owner, o.sizes[owner], pile)


@kernel
def worth_of_pass(o: Any, s: Any) -> float:
    """What it is worth to pass, or to let a trick be taken; the own hand has been split."""
    owner, pile = int(s.owner), float(points_of(s.pile))
    first = owner if s.phase == COLLECT else int(s.next_seat)
    return worth_on_table(o, int(s.table), int(s.value) >> 1, owner, first, pile) - TURN * o.turns


@kernel
def worth_of_play(o: Any, s: Any, declaration: int) -> float:
    """What a play is worth."""
    cards = cards_for(o, declaration, NO_SLOT)
    pile = float(points_of(s.pile | cards))
    split_hand(o, int(o.hand) & ~cards)
    if declaration == ID_DOG:
        return worth_of_lead(o, 2, o.sizes[2], 0.0) - TURN * o.turns
    rank = RANK[declaration]
    if declaration == ID_PHOENIX:
        rank = 1 if s.table == NO_MOVE else int(s.value) >> 1
    if cards == o.hand:
        return o.stakes[0] + PILE * pile
    return worth_on_table(o, declaration, rank, 0, 1, pile) - TURN * o.turns


@kernel
def choose_play(o: Any, s: Any, mask: Any) -> int:
    """A combination, or NO."""
    choice, best = ID_NO, -np.inf
    if mask[ID_NO]:
        split_hand(o, int(o.hand))
        best = worth_of_pass(o, s)
    for action in range(ID_DOG, ID_RANK):
        if mask[action]:
            worth = worth_of_play(o, s, action)
            if worth > best:
                choice, best = action, worth
    return choice


@kernel
def choose_detail(o: Any, s: Any, mask: Any) -> int:
    """What the phoenix stands for in the play begun, or its next card."""
    choice, best = lowest_allowed(mask), np.inf
    for rank in range(LOWEST, ACE + 1):
        action = ID_RANK + rank - LOWEST
        if mask[action]:
            split_hand(o, int(o.hand) & ~cards_for(o, int(s.begun), rank))
            if o.turns < best:
                choice, best = action, o.turns
    if best < np.inf:
        if mask[ID_NO]:
            split_hand(o, int(o.hand) & ~cards_for(o, int(s.begun), NO_SLOT))
            if o.turns <= best:
                choice = ID_NO
        return choice
    for action in range(ID_CARD, ID_GIFT):
        if mask[action] and not o.flush >> (action - ID_CARD) & 1:
            return action
    return choice


@kernel
def lowest_allowed(mask: Any) -> int:
    """The first allowed action."""
    action = 0
    while not mask[action]:
        action += 1
    return action


@kernel
def choose_wish(o: Any, s: Any, mask: Any) -> int:
    """The rank to wish for."""
    given = int(s.given[0, RIGHT])
    for rank in range(LOWEST, ACE + 1):
        if given & RANK_CARDS[rank]:
            return ID_RANK + rank - LOWEST
    return ID_RANK + ACE - LOWEST


@kernel
def choose_taker(o: Any, s: Any) -> int:
    """To whom to give the dragon: who has more cards, and will rather be last."""
    return ID_GIFT if s.sizes[1] >= s.sizes[3] else ID_GIFT + 1


@kernel
def count_allowed(mask: Any) -> int:
    """Number of allowed actions, two for more."""
    num = 0
    for action in range(mask.shape[0]):
        num += mask[action]
    return num


@kernel
def choose(o: Any, s: Any, mask: Any) -> int:
    """An action for one view."""
    if count_allowed(mask) == 1:
        return lowest_allowed(mask)
    if s.phase == GIFT:
        return choose_taker(o, s)
    if s.phase == WISH:
        return choose_wish(o, s, mask)
    look(o, s)
    price_ranks(o)
    find_runs(o)
    if mask[ID_CALL] and wants_call(o, s):
        return ID_CALL
    if s.phase == EXCHANGE:
        o.hand &= ~(s.given[0, RIGHT] | s.given[0, ACROSS])
        return choose_gift(o, s, mask, int(s.pending))
    if mask[ID_NO] and s.table == NO_MOVE:
        return ID_NO
    if s.begun != NO_MOVE:
        return choose_detail(o, s, mask)
    return choose_play(o, s, mask)


@kernel
def choose_batch(o: Any, views: Any, masks: Any, actions: Any) -> None:
    """An action for every view. masks: [N, 442] int8; actions: [N] int64, written in place.

    o: [1], room for thoughts.
    """
    for i in range(views.shape[0]):
        actions[i] = choose(o[0], views[i], masks[i])


class RuleAgent:
    """Plays by rules of thumb, without chance and without a memory."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        self.game = game
        self.rules = rules
        self._outlook = np.zeros(1, OUTLOOK)

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose one allowed action a row, see `Agent.act`."""
        views = self.game.new_records(self.rules, len(observations))
        self.game.decode(observations, views)
        actions = np.empty(len(masks), np.int64)
        choose_batch(self._outlook, views, masks, actions)
        return actions
