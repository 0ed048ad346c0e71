"""The rule-based player of Tongits.

It weighs what it may do by what the position is worth afterwards (`tongits_worth`): that comes from
the points that the own hand will probably leave loose, and from what the others probably hold
(`tongits_outlook`). What people say at the table follows from that:

- keep cards that unseen ones complete, discard dear ones that the next seat can hardly use;
- hold melds back: they count for nothing in the hand as well, nobody can lay off on them, and
  aces, kings and fours are paid for; but lay one where only that allows to challenge;
- lay off what fits on the table, also to bar a knock;
- knock if both others probably hold more, and challenge every knock that it costs nothing to.

Where the constants come from is said in `tongits_worth`.
"""

from typing import Any

import numpy as np

from agents.base import ViewAgent
from agents.rule_based.tongits_hands import loose_cards, points_without
from agents.rule_based.tongits_outlook import OUTLOOK, look
from agents.rule_based.tongits_worth import (
    CAUTION,
    best_discard,
    price_of_tongits,
    worth_between_turns,
    worth_of_challenge,
    worth_of_knock,
)
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.tongits.engine import expose, is_tongits, lay_off, take_top
from envs.tongits.moves import (
    CARDS,
    ID_CHALLENGE,
    ID_DISCARD,
    ID_DRAW,
    ID_FOLD,
    ID_KNOCK,
    ID_LAYOFF_SET,
    ID_SET,
)
from envs.tongits.state import DRAWING, RESPONDING
from envs.tongits.values import hand_value


@kernel
def lay(s: Any, action: int) -> None:
    """Lay a meld, or lay off."""
    if action < ID_LAYOFF_SET:
        expose(s, 0, action)
    else:
        lay_off(s, 0, action)


@kernel
def worth_after(o: Any, s: Any, action: int) -> float:
    """What the position is worth after a meld or lay-off and the best discard; spoils `s`."""
    lay(s, action)
    if is_tongits(s, 0):
        return float(price_of_tongits(s, int(s.hands[0])))
    return float(best_discard(o, s)[1])


@kernel
def choose_start(o: Any, s: Any, after: Any, mask: Any) -> int:
    """Draw, knock, or take the top discard."""
    s.blocked[0] = 0  # drawing or taking clears it
    choice, best = ID_DRAW, worth_between_turns(o, s, int(s.hands[0]))
    if mask[ID_KNOCK]:
        worth = worth_of_knock(o, s) - CAUTION[s.rules.challenge_requires_meld]
        if worth > best:
            choice, best = ID_KNOCK, worth
    for action in range(ID_SET, ID_DISCARD):
        if mask[action]:
            after[0] = s
            take_top(after[0], 0)
            worth = worth_after(o, after[0], action)
            if worth > best:
                choice, best = action, worth
    return choice


@kernel
def choose_play(o: Any, s: Any, after: Any, mask: Any) -> int:
    """Lay a meld, lay off a card, or discard.

    Where only an empty hand wins, melds are laid once nothing else is left but the discard.
    """
    hand = int(s.hands[0])
    value = hand_value(hand)
    goes_out = points_without(loose_cards(hand), 1) == 0
    lays_all = goes_out and not s.rules.tongits_hidden_melds
    card, best = best_discard(o, s)
    choice = ID_DISCARD + card
    for action in range(ID_SET, ID_DISCARD):
        if mask[action] and hand_value(hand & ~CARDS[action]) <= value:
            if lays_all:
                return action
            after[0] = s
            worth = worth_after(o, after[0], action)
            if worth > best:
                choice, best = action, worth
    return choice


@kernel
def choose_batch(o: Any, after: Any, views: Any, masks: Any, actions: Any) -> None:
    """An action for every view. masks: [N, 541] int8; actions: [N] int64, written in place.

    o, after: [1], room for thoughts and for the view after an action.
    """
    for i in range(views.shape[0]):
        s = views[i]
        look(o[0], s)
        if s.phase == RESPONDING:
            actions[i] = ID_CHALLENGE if worth_of_challenge(o[0], s) >= 0 else ID_FOLD
        elif s.phase == DRAWING:
            actions[i] = choose_start(o[0], s, after, masks[i])
        else:
            actions[i] = choose_play(o[0], s, after, masks[i])


class RuleAgent(ViewAgent):
    """Plays by rules of thumb, without chance and without a memory."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        super().__init__(game, rules)
        self._outlook = np.zeros(1, OUTLOOK)
        self._after = game.new_records(rules)

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by rules of thumb, see `ViewAgent.decide`."""
        choose_batch(self._outlook, self._after, views, masks, actions)
