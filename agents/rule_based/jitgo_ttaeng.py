"""The rule-based player of Dori-jitgo-ttaeng, `RuleAgent`, and the foils it is measured against.

All of them see a hand as its *standing*: the share of all hands that it beats, ties counting half.
`RuleAgent` reckons what each action is worth in chips. The others are taken to hold any hand above
a *floor*, which what they bet has raised; a bet makes each of them fold its worst hands, more of
them the more it costs, and so raises the floor of those who call. What is left is equity against
pot odds. Now and then, most often in the last position, it plays a poor hand as if it were as good
as it is bad.

In the banker's game the bank has the edge: `RuleAgent` takes and keeps it, and bets against it only
on a pile whose open card makes it the favourite.

The constants are the best of those that were tried in matches against the foils.
"""

from typing import Any

import numpy as np

from agents.base import ViewAgent
from agents.rule_based.jitgo_ttaeng_odds import (
    deck_of,
    reckon_piles,
    reckon_standings,
    standing_of,
)
from envs.core.bits import lowest, popcount
from envs.core.game import Array, Game
from envs.core.jit import kernel
from envs.core.rng import philox
from envs.jitgo_ttaeng.betting import price, write_sizes
from envs.jitgo_ttaeng.cards import HAND_SIZE
from envs.jitgo_ttaeng.moves import (
    ALL_IN,
    BET,
    CHECK_CALL,
    CONTINUE,
    FOLD,
    HALF,
    MIN,
    NUM_BETTING,
    NUM_PILES,
    NUM_SIZES,
    PASS,
    STAKE,
)
from envs.jitgo_ttaeng.rules import MAX_SEATS, MODE_BETTING
from envs.jitgo_ttaeng.state import BETTING, CONTINUING, PUNTING

KEPT = np.array([1.0, 0.8, 0.7, 0.65, 0.6, 0.5, 0.5, 0.5])
"""Share of its hands that a seat still holds after each action; again for every raise before.

That of CHECK_CALL is for a call.
"""
BLUFF = 0.15
"""Chance to play a poor hand as the good one that mirrors it, where nobody has bet and nobody is
still to act; half of it with one seat behind, a third with two, and so on."""
POOR = 0.35
"""Standing below which a hand is poor."""
FAVOURITE = 0.5
"""Chance of a pile from which betting on it pays."""
GOOD, STRONG = 0.6, 0.85
"""Standings from which `TightAgent` calls, and bets."""


@kernel(inline=True)
def floor_of(s: Any, seat: int) -> float:
    """Standing that another seat's hand has at least, to judge by its last action.

    Before all cards are dealt a bet says next to nothing of what the hand will be.
    """
    if popcount(s.hands[0]) < HAND_SIZE:
        return 0.0
    action = s.last_actions[seat]
    if action < CHECK_CALL or (action == CHECK_CALL and s.current == 0):
        return 0.0
    return 1 - float(KEPT[action] ** (1 + s.raises))


@kernel
def worth_of(s: Any, standing: float, pays: int) -> float:
    """Chips that the own hand brings if the seat now pays so many, those already paid not counted.

    Each other seat in the hand folds a share of what it may hold where it has to pay more.
    """
    total = s.contrib[0] + pays
    at_stake, wins = float(total), 1.0
    for seat in range(1, MAX_SEATS):
        at_stake += min(s.contrib[seat], total)
    for seat in range(1, MAX_SEATS):
        if not s.playing[seat] or s.folded[seat]:
            continue
        floor = floor_of(s, seat)
        more = min(max(s.round_bets[0] + pays - s.round_bets[seat], 0), s.stacks[seat])
        bets = s.round_bets[0] + pays > s.current
        folds = more / (at_stake + more) if bets else 0.0  # it breaks even
        floor += (1 - floor) * folds
        beaten = (1 - folds) * max(standing - floor, 0.0) / (1 - floor)
        if beaten + folds <= 0:
            return -float(pays)
        wins *= beaten + folds
        if bets:
            at_stake += more * beaten / (beaten + folds)
    return wins * at_stake - pays


@kernel
def is_bluffing(s: Any, key: int) -> bool:
    """Whether the key of the decision says that a poor hand is to be played as a good one."""
    behind = 0
    for seat in range(1, MAX_SEATS):
        if s.playing[seat] and not s.folded[seat] and not s.acted[seat] and s.stacks[seat] > 0:
            behind += 1
    draw = (philox(1, key >> 32, key) & 0xFFFF) / 0x10000
    return bool(s.current == 0 and draw * (1 + behind) < BLUFF)


@kernel
def choose_bet(s: Any, standing: float, mask: Any) -> int:
    """The action of the betting mode that is worth most."""
    sizes = np.empty(ALL_IN + 1, np.int64)
    write_sizes(s, sizes)
    choice, best = FOLD, 0.0
    if not mask[FOLD]:
        choice, best = CHECK_CALL, -1.0
    for action in range(CHECK_CALL, NUM_BETTING):
        if mask[action]:
            worth = worth_of(s, standing, price(s, action, sizes))
            if worth > best:
                choice, best = action, worth
    return choice


@kernel
def choose_in_bank(s: Any, piles: Any, mask: Any) -> int:
    """The action of the banker mode: all into the own bank, and against another's on a favourite.

    piles: [40] chance of a pile by its face-up card.
    """
    if s.phase == CONTINUING:
        return CONTINUE
    first = STAKE
    if s.phase == PUNTING:
        favourite, chance = 0, 0.0
        for pile in range(NUM_PILES):
            if piles[lowest(s.face_up[pile])] > chance:
                favourite, chance = pile, piles[lowest(s.face_up[pile])]
        if chance <= FAVOURITE:
            return PASS
        first = BET + NUM_SIZES * favourite
    for action in range(first + NUM_SIZES - 1, first - 1, -1):
        if mask[action]:
            return action
    return PASS


@kernel
def choose_batch(
    standings: Any, piles: Any, views: Any, masks: Any, keys: Any, actions: Any
) -> None:
    """The action of `RuleAgent` for every view; actions: [N] int64, written in place."""
    for i in range(views.shape[0]):
        s, key = views[i], int(keys[i])
        if s.phase == BETTING:
            standing = standing_of(standings, s, key)
            if standing < POOR and is_bluffing(s, key):
                standing = 1 - standing
            actions[i] = choose_bet(s, standing, masks[i])
        else:
            actions[i] = choose_in_bank(s, piles, masks[i])


class RuleAgent(ViewAgent):
    """Plays by what each action is worth; the keys of the decisions are its only chance."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        super().__init__(game, rules)
        options = game.new_records(rules)[0].rules
        self._standings = reckon_standings(options, deck_of(options))
        is_betting = options.mode == MODE_BETTING
        self._piles = np.zeros(40) if is_betting else reckon_piles(options, deck_of(options))

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by rules of thumb, see `ViewAgent.decide`."""
        choose_batch(self._standings, self._piles, views, masks, keys, actions)


class CallAgent:
    """Always checks or calls; in the banker's game it stakes and bets the least."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        self._least = np.array([CHECK_CALL, CONTINUE, STAKE, BET, PASS])

    def act(self, observations: Array, masks: Array, *, keys: Array, tables: Array) -> Array:
        """Choose one allowed action a row, see `Agent.act`."""
        first: Array = self._least[masks[:, self._least].argmax(1)]
        return first


@kernel
def choose_tight(standings: Any, views: Any, masks: Any, keys: Any, actions: Any) -> None:
    """The action of `TightAgent` for every view; actions: [N] int64, written in place."""
    for i in range(views.shape[0]):
        s, mask = views[i], masks[i]
        actions[i] = PASS
        if s.phase == BETTING:
            standing = standing_of(standings, s, int(keys[i]))
            actions[i] = FOLD if mask[FOLD] and standing < GOOD else CHECK_CALL
            if standing >= STRONG:
                for action in range(MIN, HALF + 1):
                    if mask[action]:
                        actions[i] = action


class TightAgent(ViewAgent):
    """Folds what is not good, bets half the pot on what is strong; never against a bank."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready to play `game` by `rules`."""
        super().__init__(game, rules)
        options = game.new_records(rules)[0].rules
        self._standings = reckon_standings(options, deck_of(options))

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        """Choose by rules of thumb, see `ViewAgent.decide`."""
        choose_tight(self._standings, views, masks, keys, actions)
