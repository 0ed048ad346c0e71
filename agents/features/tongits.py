"""Features of the actions of Tongits: what the rule-based player thinks of each, and of the table.

They are made of a view, so of nothing but what the seat knows. Hands are judged between turns: as
they are after the draw, or after the discard that ends the turn. A meld or a lay-off is judged with
the best discard after it.
"""

from typing import Any

import numpy as np

from agents.rule_based.tongits import lay
from agents.rule_based.tongits_hands import DEAREST, completing, fitting, loose_cards, points_of
from agents.rule_based.tongits_outlook import OUTLOOK, chance_taken, look
from agents.rule_based.tongits_worth import (
    CAUTION,
    KEPT,
    TAKEN,
    UNREGISTERED,
    best_discard,
    bonus_of,
    chance_higher,
    chance_of_challenge,
    chance_of_knock,
    price_of_challenge,
    price_of_tongits,
    price_of_win,
    prospects,
    worth_of_challenge,
    worth_of_knock,
    worth_of_prospects,
)
from envs.core.bits import popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.tongits.cards import ACES, NUM_RANKS, RANK_VALUES
from envs.tongits.engine import is_tongits, take_top
from envs.tongits.moves import CARDS, ID_CHALLENGE, ID_DISCARD, ID_DRAW, ID_KNOCK, KIND
from envs.tongits.moves import NUM_KINDS as NUM_KINDS
from envs.tongits.state import CHALLENGED, DRAWING, ENDED, NUM_SEATS, RESPONDING
from envs.tongits.values import hand_value

VERSION = 1
"""Number of this set of features: weights learnt with another are refused."""
KINDS = KIND
"""The kind of each action, from 0: [541] int64."""

POINTS = 5.0
"""Divisor of what is paid at the end."""
VALUE = 20.0
"""Divisor of points of sets of cards."""
MANY, FEW = 8.0, 3.0
"""Divisors of numbers of cards and turns: those that may be large, and those that are not."""
GOES_OUT = 2.0
"""In place of the share of futures that leave nothing loose, where the hand already does."""

ACTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("worth", np.float32),  # what the rule-based player compares
                ("win", np.float32),  # chance to win
                ("price", np.float32),  # of the win
                # hope of the hand as it is, after one draw, after all draws
                ("now", np.float32),
                ("drawn", np.float32),
                ("later", np.float32),
                ("out", np.float32),  # share of futures that leave nothing loose, or GOES_OUT
                ("loose", np.float32),  # points left loose
                ("num_loose", np.float32),  # cards left loose
                # unseen cards that complete a meld with two loose cards, with any two
                ("useful", np.float32),
                ("completing", np.float32),
                ("open", np.float32),  # unseen cards that can be laid off
                # of a meld or lay-off: its cards, points left loose before the discard
                ("cards", np.float32),
                ("before", np.float32),
                # of the discard: chance that the next seat takes it, points, unseen cards of its
                # rank, 1 if it could be laid off
                ("taken", np.float32),
                ("points", np.float32),
                ("same", np.float32),
                ("fits", np.float32),
            ],
            align=True,
        ),
    )
)
"""Features of one action; those that mean nothing for it are 0."""

CONTEXT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("phase", np.float32, (ENDED,)),  # 1 for the phase
                ("strict", np.float32),  # 1 where a seat without a meld may not challenge
                ("stock", np.float32),  # its cards
                ("pile", np.float32),  # its cards
                ("turns", np.float32),  # completed in this hand
                # by seat, the own one first
                ("sizes", np.float32, (NUM_SEATS,)),  # number of cards
                ("has_meld", np.float32, (NUM_SEATS,)),  # 1 for a meld of its own on the table
                ("blocked", np.float32, (NUM_SEATS,)),  # 1 where the next knock is barred
                ("last", np.float32, (NUM_SEATS,)),  # points of the last discard in the pile
                ("discards", np.float32, (NUM_SEATS,)),  # number of its cards in the pile
                ("dealer", np.float32, (NUM_SEATS,)),  # 1 for the dealer
                ("knocker", np.float32, (NUM_SEATS,)),  # 1 for who knocked
                ("challenged", np.float32, (NUM_SEATS,)),  # 1 for who challenged the knock
                ("higher", np.float32, (NUM_SEATS,)),  # chance to leave more loose than the own one
                # the own hand: points and number of loose cards, unseen cards that complete a meld
                # with two of them, price of winning now, bonus from each loser
                ("loose", np.float32),
                ("num_loose", np.float32),
                ("useful", np.float32),
                ("price", np.float32),
                ("bonus", np.float32),
                # unseen cards: mean points, number of those that can be laid off
                ("mean", np.float32),
                ("open", np.float32),
            ],
            align=True,
        ),
    )
)
"""Features of a position, the same for all of its actions."""


@kernel
def describe_seats(o: Any, s: Any, points: int, c: Any) -> None:
    """Features of a position by seat; the own hand leaves so many points loose."""
    for seat in range(NUM_SEATS):
        c.sizes[seat] = s.sizes[seat] / MANY
        c.has_meld[seat] = int(s.melds[seat] != 0)
        c.blocked[seat] = s.blocked[seat]
        c.last[seat] = o.last[seat] / DEAREST
        c.discards[seat] = popcount(s.discards[seat]) / MANY
        c.dealer[seat] = int(s.dealer == seat)
        c.knocker[seat] = int(s.knocker == seat)
        c.challenged[seat] = int(s.answers[seat] == CHALLENGED)
        c.higher[seat] = chance_higher(o, s, seat, points) if seat > 0 else 0.0


@kernel
def describe(o: Any, s: Any, c: Any) -> None:
    """Features of a position, all of them."""
    hand = int(s.hands[0])
    loose = loose_cards(hand)
    describe_seats(o, s, points_of(loose), c)
    for phase in range(ENDED):
        c.phase[phase] = int(s.phase == phase)
    c.strict = s.rules.challenge_requires_meld
    c.stock, c.pile, c.turns = s.stock_size / MANY, s.pile_size / MANY, s.turns / MANY
    c.loose, c.num_loose = points_of(loose) / VALUE, popcount(loose) / FEW
    c.useful = popcount(completing(loose) & o.unseen) / MANY
    c.price, c.bonus = price_of_win(s, hand, 1.0, 1.0) / POINTS, bonus_of(s, hand) / POINTS
    c.mean = points_of(o.unseen) / max(popcount(o.unseen), 1) / DEAREST
    c.open = popcount(fitting(s) & o.unseen) / MANY


@kernel
def judge_hand(o: Any, s: Any, hand: int, f: Any) -> float:
    """Features of a hand between turns, with the melds of `s` on the table; what it is worth."""
    fits, loose = fitting(s), loose_cards(hand)
    num_open = popcount(fits & o.unseen)
    win, now, drawn, later, out = prospects(o, s, hand, fits)
    f.win, f.price = win, price_of_win(s, hand, KEPT, UNREGISTERED) / POINTS
    f.now, f.drawn, f.later, f.out = now, drawn, later, out
    f.loose, f.num_loose = points_of(loose) / VALUE, popcount(loose) / FEW
    f.useful = popcount(completing(loose) & o.unseen) / MANY
    f.completing = popcount(completing(hand) & o.unseen) / MANY
    f.open = num_open / MANY
    return worth_of_prospects(s, hand, win, out, num_open)


@kernel
def judge_tongits(s: Any, hand: int, f: Any) -> None:
    """Features of getting rid of all cards, but for those melded in the hand."""
    price = price_of_tongits(s, hand) / POINTS
    f.worth, f.win, f.price, f.out = price, 1.0, price, GOES_OUT


@kernel
def judge_discard(o: Any, s: Any, card: int, f: Any) -> None:
    """Features of a discard."""
    hand, bit, rank = int(s.hands[0]), 1 << card, card % NUM_RANKS
    s.hands[0] = rest = hand & ~bit
    f.taken = taken = chance_taken(o, s, card)
    f.points = RANK_VALUES[rank] / DEAREST
    f.same = popcount((ACES << rank) & o.unseen) / FEW
    f.fits = int(fitting(s) & bit != 0)
    if is_tongits(s, 0):
        judge_tongits(s, rest, f)
    else:
        f.worth = (judge_hand(o, s, rest, f) - TAKEN * taken) / POINTS
    s.hands[0] = hand


@kernel
def judge_meld(o: Any, s: Any, action: int, f: Any) -> None:
    """Features of a meld or lay-off, and of the best discard after it; spoils `s`."""
    lay(s, action)
    hand = int(s.hands[0])
    f.cards, f.before = popcount(CARDS[action]) / FEW, hand_value(hand) / VALUE
    if is_tongits(s, 0):
        judge_tongits(s, hand, f)
    else:
        judge_discard(o, s, best_discard(o, s)[0], f)


@kernel
def judge_start(o: Any, s: Any, action: int, f: Any) -> None:
    """Features of drawing, knocking, or taking the top discard; spoils `s`."""
    hand = int(s.hands[0])
    s.blocked[0] = 0  # drawing or taking clears it
    if action == ID_DRAW:
        f.worth = judge_hand(o, s, hand, f) / POINTS
    elif action == ID_KNOCK:
        f.worth = (worth_of_knock(o, s) - CAUTION[s.rules.challenge_requires_meld]) / POINTS
        f.win, f.price = chance_of_knock(o, s), price_of_win(s, hand, 1.0, 1.0) / POINTS
        f.loose = hand_value(hand) / VALUE
    else:
        take_top(s, 0)
        judge_meld(o, s, action, f)


@kernel
def judge(o: Any, s: Any, action: int, f: Any) -> None:
    """Features of an action, where all are 0 yet; spoils `s`."""
    if s.phase == DRAWING:
        judge_start(o, s, action, f)
    elif s.phase != RESPONDING:
        if action >= ID_DISCARD:
            judge_discard(o, s, action - ID_DISCARD, f)
        else:
            judge_meld(o, s, action, f)
    elif action == ID_CHALLENGE:  # folding is worth 0
        f.worth, f.win = worth_of_challenge(o, s) / POINTS, chance_of_challenge(o, s)
        f.price = price_of_challenge(s, int(s.hands[0])) / POINTS


@kernel
def fill(
    o: Any, after: Any, views: Any, rows: Any, actions: Any, features: Any, contexts: Any
) -> None:
    """See `fill_batch`; the features of actions are 0 yet.

    o, after: [1], room for thoughts and for the view after an action.
    """
    k = 0
    for i in range(views.shape[0]):
        look(o[0], views[i])
        describe(o[0], views[i], contexts[i])
        while k < rows.shape[0] and rows[k] == i:
            after[0] = views[i]
            judge(o[0], after[0], actions[k], features[k])
            k += 1


def fill_batch(views: Array, rows: Array, actions: Array, features: Array, contexts: Array) -> None:
    """What there is to tell of actions and of the positions that they are possible in.

    views: [N] records, each as the seat to act knows it.
    rows: [M] int64, ascending: the view that an action belongs to.
    actions: [M] int64, legal ones.
    features: [M] ACTION records, written in place.
    contexts: [N] CONTEXT records, written in place.
    """
    features.view(np.float32).fill(0.0)
    room, after = np.zeros(1, OUTLOOK), np.empty(1, views.dtype)
    fill(room, after, views, rows, actions, features, contexts)
