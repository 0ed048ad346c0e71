"""The rule-based player of Dou Dizhu.

It reckons in turns: how many its hand still takes (`doudizhu_hands`), what the others may hold
(`doudizhu_outlook`), and what it is worth that this or that seat gets the lead. Of all plays, and
passing, it takes the one after which the own side stands best. What people say at the table
follows from that:

- keep groups together, get rid of low cards, give the lowest away as kickers;
- spend a high card or a bomb where the lead is worth it: to go out, or to stop an enemy;
- with one group left beside sure ones, play the sure ones first;
- never lead what an enemy with few cards may go out on;
- let a partner's high play stand, beat his low one before the landlord does, and lead him what he
  may go out on;
- put wild cards where they save most (`doudizhu_wild`), and count on those of the others.

All variants are played by the same rules of thumb. Constants are the ones that did best in matches
against others; where variants differ, there is one for each: three seats, four, and wild cards.
"""

from typing import Any

import numpy as np

from agents.base import ViewAgent
from agents.rule_based.doudizhu_auction import choose_call
from agents.rule_based.doudizhu_hands import (
    is_whole_group,
    pick_kickers,
    price_ranks,
    split_hand,
)
from agents.rule_based.doudizhu_outlook import LEAST_BOMB, OUTLOOK, SIZE, chance_beats, look
from agents.rule_based.doudizhu_wild import choose_filling, is_sensible, lacks_of, next_kick
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.doudizhu.moves import (
    ID_KICK,
    ID_PASS,
    ID_ROCKET,
    ID_SOFT_BOMB,
    ID_SOLO,
    KICKER_CARDS,
    NUM_KICKERS,
    body_cards,
)
from envs.doudizhu.state import NO_MOVE, PLAYING

WIN = 10.0
"""Turns that it is worth to go out."""
LEAD = 0.4
"""Turns that the lead is worth to whoever has it."""
OWN_FADE = 0.1
"""What is left of WIN with each turn that the own hand is away from going out unstoppably."""
ENEMY_NEAR = np.array([3.0, 8.0, 8.0])
"""Turns that the lead is worth to an enemy with one card, beyond LEAD; by variant."""
PARTNER_NEAR = 3.5
"""The same for the partner."""
CARD_FADE = 0.65
"""What is left of both with each card more."""
PARTNER_LEAD = 1.4
"""Turns that the partner's lead is worth: the own cards are kept meanwhile."""
SHORT_HAND, FEW_CARDS = 8, 2
"""Own cards, and cards of another seat, from which groups may be worth breaking for a lead."""


@kernel
def worth_of_lead(o: Any, seat: int, size: int) -> float:
    """What it is worth to the own side, in turns, that a seat leads with `size` cards left.

    The own hand has just been split: its dearest group, played last, costs nothing any more.
    """
    worth = WIN
    if seat == 0:
        worth = LEAD + WIN * OWN_FADE ** max(o.turns - o.dearest, 0.0)
    elif size > 0:
        near = CARD_FADE ** (size - 1)
        if o.is_enemy[seat]:
            worth = LEAD + ENEMY_NEAR[o.variant] * near
        else:
            worth = PARTNER_LEAD + PARTNER_NEAR * near
    return -worth if o.is_enemy[seat] else worth


@kernel
def worth_on_table(o: Any, declaration: int, owner: int, num_answers: int) -> float:
    """What a play of `owner` is worth to the own side while the next seats may still beat it.

    Only the other side beats it, or a partner who goes out by that. Fills `unbeaten` of `o`, and
    `beats` for those seats.
    """
    worth, unbeaten = 0.0, 1.0
    for seat in range(1, num_answers + 1):
        left, beaten = o.sizes[seat] - SIZE[o.players, declaration], 0.0
        if o.is_enemy[seat] != o.is_enemy[owner] or left == 0:
            beaten = unbeaten * chance_beats(o, seat, declaration)
            left = max(left, 1) if left != 0 else 0  # fewer cards than the play: it took a bomb
            worth += beaten * worth_of_lead(o, seat, left)
            unbeaten -= beaten
        o.beats[seat] = beaten
    o.unbeaten = unbeaten
    return worth + unbeaten * worth_of_lead(o, owner, o.sizes[owner])


@kernel
def worth_of_pass(o: Any, s: Any) -> float:
    """What passing is worth: the seats before the owner of the table may still answer."""
    owner = int(s.table_seat)
    return worth_on_table(o, int(s.table), owner, owner - 1) - float(o.turns)


@kernel
def worth_of_play(o: Any, declaration: int, rest: int) -> float:
    """What a play is worth that leaves the cards `rest`."""
    split_hand(o, rest)
    return worth_on_table(o, declaration, 0, o.players - 1) - float(o.turns)


@kernel
def rest_after(o: Any, s: Any, declaration: int, placed: int, chosen: int) -> int:
    """The own cards after a play with the kickers that are missed least beside the `chosen` ones.

    placed: the wild cards in its body, packed.
    """
    if declaration == ID_ROCKET:
        return int(o.hand - o.rocket)
    rest = int(o.hand) - body_cards(declaration, placed, o.wild) - chosen
    if NUM_KICKERS[declaration]:
        rest -= pick_kickers(o, s.rules, declaration, placed, chosen)
    return rest


@kernel
def is_critical(o: Any, s: Any) -> bool:
    """Whether somebody may soon be out."""
    for seat in range(1, o.players):
        if o.sizes[seat] <= FEW_CARDS:
            return True
    return bool(s.sizes[0] <= SHORT_HAND)


@kernel
def keeps_groups(o: Any, s: Any) -> bool:
    """Whether only whole groups of the hand are played: it leads, and there is no hurry."""
    return bool(s.table == NO_MOVE and o.bombs_left[0] > 0 and not is_critical(o, s))


@kernel
def choose_selection(o: Any, s: Any, mask: Any) -> int:
    """What comes next in the play begun: a wild card of its body, or a kicker."""
    declaration = int(s.begun)
    if s.placing:
        return choose_filling(o, s, mask)
    kickers = pick_kickers(o, s.rules, declaration, int(s.placed), int(s.chosen))
    return next_kick(kickers, KICKER_CARDS[declaration], o.wild)


@kernel
def choose_play(o: Any, s: Any, mask: Any) -> int:
    """A play, pass, or the next selection of the play begun; `o` has taken the view `s` in."""
    if s.begun != NO_MOVE:
        return choose_selection(o, s, mask)
    if s.sizes[0] == LEAST_BOMB:
        for action in range(ID_SOFT_BOMB, ID_KICK):
            if mask[action]:
                return action  # goes out, and doubles the score
    split_hand(o, o.hand)
    loose, runs, whole_groups = o.loose, o.runs, keeps_groups(o, s)
    choice, best = ID_PASS, -np.inf if s.table == NO_MOVE else worth_of_pass(o, s)
    for action in range(ID_SOLO, ID_KICK):
        if not mask[action] or (whole_groups and not is_whole_group(action, loose, runs)):
            continue
        if SIZE[o.players, action] == s.sizes[0]:
            return action
        placed = lacks_of(o, action)
        if not is_sensible(o, action, placed):
            continue
        worth = worth_of_play(o, action, rest_after(o, s, action, placed, 0))
        if worth > best:
            choice, best = action, worth
    return choice


@kernel
def choose_batch(o: Any, views: Any, masks: Any, actions: Any) -> None:
    """An action for every view. masks: [N, 482] int8; actions: [N] int64, written in place.

    o: [1], room for thoughts.
    """
    for i in range(views.shape[0]):
        s = views[i]
        look(o[0], s)
        price_ranks(o[0])
        if s.phase == PLAYING:
            actions[i] = choose_play(o[0], s, masks[i])
        else:
            actions[i] = choose_call(o[0], s, masks[i])


class RuleAgent(ViewAgent):
    """Plays by rules of thumb, without chance and without a memory."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        super().__init__(game, rules)
        self._outlook = np.zeros(1, OUTLOOK)

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by rules of thumb, see `ViewAgent.decide`."""
        choose_batch(self._outlook, views, masks, actions)
