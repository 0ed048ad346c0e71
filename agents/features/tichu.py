"""Features of single actions of Tichu: mostly what the rule-based player thinks of each.

The features of an action are what it is worth by the rule-based player, in its own measure in each
phase, and the thoughts behind that; those of the position are what all its actions share. Both are
made from a view: from what the seat to act knows.
"""

from typing import Any

import numpy as np

from agents.rule_based.tichu import (
    TURN,
    choose_taker,
    choose_wish,
    price_of_turns,
    rank_to_beat,
    worth_of_pass,
    worth_of_play,
)
from agents.rule_based.tichu_calls import (
    GRAND_INDEX,
    KING,
    RANK_OF,
    SMALL_INDEX,
    SPECIALS_COUNTED,
    call_index,
    call_odds,
    gift_worth,
    hand_index,
    not_given,
    num_bombs,
    worth_of_gift,
)
from agents.rule_based.tichu_hands import cards_for, find_runs, price_ranks, split_hand
from agents.rule_based.tichu_outlook import MOST_EQUAL, OUTLOOK, look
from envs.core.game import Array
from envs.core.jit import kernel
from envs.tichu.cards import ACE, LOWEST, NO_WISH, count_of, points_of
from envs.tichu.moves import (
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_GIFT,
    ID_NO,
    KIND,
    NO_MOVE,
    NO_SLOT,
    RANK,
    SIZE,
)
from envs.tichu.state import (
    ENDED,
    EXCHANGE,
    GIFT,
    GRAND_CALL,
    NO_CALL,
    NUM_GIVEN,
    NUM_SEATS,
    SMALL,
    WISH,
)

VERSION = 1
"""Number of this set of features: weights learnt with another are refused."""
KINDS = KIND
"""The kind of each action: [442] int64."""
NUM_KINDS = int(KINDS.max()) + 1

POINTS, STAKES, TRICK = 50.0, 100.0, 25.0
"""What points are divided by: worths and captured ones, stakes, those of a trick."""
TURNS, SIZES = 3.0, 5.0
"""What turns and numbers of cards are divided by."""
BESIDE_PARTNER = 3.0
"""Taken from the worth of a call beside one of the partner, which the player never makes."""
LOW_RANKS = 7
"""Ranks up to this one count as low."""
NUM_SPECIALS = len(SPECIALS_COUNTED)

ACTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # by the rule-based player. Plays, passes: points; gifts, what the phoenix stands
                # for: turns, in points; the choice of suits: -1 for a card of a straight flush;
                # wishes, who gets the dragon: 1 for what it chooses. Other ways to say no: 0.
                # Calls: that of the best other action, and how far the hand index is above what is
                # asked for
                ("worth", np.float32),
                ("turns", np.float32),  # that the hand still takes after it
                ("dearest", np.float32),  # turns of the dearest group then
                ("unbeaten", np.float32),  # chance that the play, or the one passed, keeps the lead
                ("rank", np.float32),  # of the play, the card, the wish: the ace is 1
                ("cards", np.float32),  # number: of the play, or of who gets the dragon
                ("points", np.float32),  # of the trick with it, or captured by who gets the dragon
                ("goes_out", np.float32),  # 1 for the last cards of the hand
                # what it takes out of the hand, or begins to: dragon, phoenix, mahjong, dog; aces
                ("specials", np.float32, (NUM_SPECIALS,)),
                ("aces", np.float32),
                ("index", np.float32),  # calls: logarithm of the odds to be out first
                ("gift", np.float32),  # gifts: turns that it is worth that the other seat gets it
                ("held", np.float32),  # gifts, wishes: own share of the four cards of the rank
                # wishes: chance that the seat to the right, across, left holds a card of the rank
                ("holds", np.float32, (NUM_GIVEN,)),
            ],
            align=True,
        ),
    )
)
"""Features of an action; 0 where one has no meaning."""

CONTEXT = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("turns", np.float32),  # of the hand
                ("dearest", np.float32),  # turns of its dearest group
                ("small_index", np.float32),  # logarithm of the odds to be out first with 14 cards
                ("grand_index", np.float32),  # with 8 cards
                ("pass_worth", np.float32),  # points that it is worth to pass, 0 at a lead
                # by seat, the own one first
                ("sizes", np.float32, (NUM_SEATS,)),  # number of cards
                ("stakes", np.float32, (NUM_SEATS,)),  # worth of the seat being out next
                ("points", np.float32, (NUM_SEATS,)),  # captured
                ("small", np.float32, (NUM_SEATS,)),  # 1 if it called small tichu
                ("grand", np.float32, (NUM_SEATS,)),  # 1 if it called grand tichu
                ("owner", np.float32, (NUM_SEATS,)),  # 1 if the trick is its
                ("phase", np.float32, (ENDED,)),  # 1 for what is asked
                ("gift_to", np.float32, (NUM_GIVEN,)),  # 1 for who gets the next gift
                ("num_out", np.float32),  # seats that are out
                ("pile", np.float32),  # points of the trick
                ("table_rank", np.float32),  # of the combination to beat; the ace is 1
                ("table_size", np.float32),  # its number of cards
                ("passes", np.float32),  # in a row
                ("next_seat", np.float32),  # seats on to who acts next in the open
                ("wish", np.float32),  # 1 if a wish is open
                ("begun", np.float32),  # 1 inside a play
                # the hand
                ("aces", np.float32),
                ("kings", np.float32),
                ("pictures", np.float32),  # queens and jacks
                ("low", np.float32),  # cards of low ranks
                ("bombs", np.float32),
                ("specials", np.float32, (NUM_SPECIALS,)),  # dragon, phoenix, mahjong, dog
                # cards that the others hold
                ("unseen_aces", np.float32),
                ("unseen_specials", np.float32, (NUM_SPECIALS,)),
            ],
            align=True,
        ),
    )
)
"""Features of a position."""


@kernel
def fill_turns(o: Any, f: Any) -> None:
    """What the cards cost that have just been split."""
    f.turns, f.dearest = o.turns / TURNS, o.dearest


@kernel
def fill_cards(f: Any, cards: int) -> None:
    """What leaves the hand."""
    for k, card in enumerate(SPECIALS_COUNTED):
        f.specials[k] = int((cards & card) != 0)
    f.aces = count_of(cards, ACE)


@kernel
def fill_call(o: Any, s: Any, f: Any) -> None:
    """A call, small or grand."""
    split_hand(o, int(o.hand))
    fill_turns(o, f)
    f.index = call_index(o, s)
    f.worth = f.index - call_odds(s)  # `fill_all` adds what it is added to
    if s.calls[2] != NO_CALL:
        f.worth -= BESIDE_PARTNER


@kernel
def fill_taker(s: Any, action: int, f: Any) -> None:
    """An enemy gets the dragon."""
    taker = 1 if action == ID_GIFT else 3
    f.worth = int(action == choose_taker(s))
    f.cards, f.points = s.sizes[taker] / SIZES, s.points[taker] / POINTS


@kernel
def fill_wish(o: Any, s: Any, action: int, f: Any) -> None:
    """A rank is wished."""
    rank = RANK[action]
    f.worth = int(action == choose_wish(s))
    f.rank = rank / ACE
    f.held = count_of(int(o.hand), rank) / MOST_EQUAL
    for k in range(NUM_GIVEN):
        f.holds[k] = o.holds[k + 1, 1, rank]


@kernel
def fill_gift(o: Any, s: Any, card: int, f: Any) -> None:
    """A card is given in the exchange."""
    rank = RANK_OF[card]
    f.worth = worth_of_gift(o, s, card) * TURN / POINTS
    fill_turns(o, f)
    fill_cards(f, 1 << card)
    f.rank, f.gift = rank / ACE, gift_worth(s, card, int(s.pending))
    f.held = count_of(not_given(o, s), rank) / MOST_EQUAL


@kernel
def fill_slot(o: Any, s: Any, action: int, f: Any) -> None:
    """The phoenix stands for a rank in the play begun, or is not in it."""
    slot = NO_SLOT if action == ID_NO else RANK[action]
    cards = cards_for(o, int(s.begun), slot)
    split_hand(o, int(o.hand) & ~cards)
    f.worth, f.rank = -price_of_turns(o) / POINTS, slot / ACE
    fill_turns(o, f)
    fill_cards(f, cards)


@kernel
def fill_card(o: Any, card: int, f: Any) -> None:
    """A card of the play begun is chosen."""
    f.worth = -int(o.flush >> card & 1)
    f.rank = RANK_OF[card] / ACE


@kernel
def fill_pass(o: Any, s: Any, f: Any) -> None:
    """No play on the table's one."""
    f.worth = worth_of_pass(o, s) / POINTS
    f.unbeaten = o.unbeaten
    fill_turns(o, f)


@kernel
def fill_play(o: Any, s: Any, action: int, f: Any) -> None:
    """A combination."""
    cards = cards_for(o, action, NO_SLOT)
    f.worth = worth_of_play(o, s, action) / POINTS
    f.rank, f.cards = rank_to_beat(s, action) / ACE, SIZE[action] / SIZES
    f.points = points_of(int(s.pile) | cards) / TRICK
    fill_cards(f, cards)
    if cards == o.hand:
        f.goes_out = 1.0
        return
    fill_turns(o, f)
    if action != ID_DOG:
        f.unbeaten = o.unbeaten


@kernel
def fill_action(o: Any, s: Any, action: int, f: Any) -> None:
    """Fill in the features `f`, all 0, of an action; `o` has taken the view `s` in."""
    if action == ID_CALL:
        fill_call(o, s, f)
    elif s.phase == GIFT:
        fill_taker(s, action, f)
    elif s.phase == WISH:
        if action != ID_NO:
            fill_wish(o, s, action, f)
    elif s.phase == EXCHANGE:
        fill_gift(o, s, action - ID_CARD, f)
    elif s.begun != NO_MOVE:
        if s.slotted:
            fill_card(o, action - ID_CARD, f)
        else:
            fill_slot(o, s, action, f)
    elif action != ID_NO:
        fill_play(o, s, action, f)
    elif s.table != NO_MOVE:
        fill_pass(o, s, f)


@kernel
def fill_seats(o: Any, s: Any, g: Any) -> None:
    """What is known of each seat."""
    for seat in range(NUM_SEATS):
        g.sizes[seat] = o.sizes[seat] / SIZES
        g.stakes[seat] = o.stakes[seat] / STAKES
        g.points[seat] = s.points[seat] / POINTS
        g.small[seat] = int(s.calls[seat] == SMALL)
        g.grand[seat] = int(s.calls[seat] == GRAND_CALL)


@kernel
def fill_asked(s: Any, g: Any) -> None:
    """What is asked, and what lies on the table."""
    g.phase[s.phase] = 1.0
    if s.phase == EXCHANGE:
        g.gift_to[s.pending] = 1.0
    g.num_out, g.passes, g.next_seat = s.num_out, s.passes, s.next_seat / NUM_GIVEN
    g.wish, g.begun = int(s.wish != NO_WISH), int(s.begun != NO_MOVE)
    if s.table != NO_MOVE:
        g.owner[s.owner] = 1.0
        g.pile = points_of(int(s.pile)) / TRICK
        g.table_rank, g.table_size = s.value / (2.0 * ACE), SIZE[s.table] / SIZES


@kernel
def fill_hand(o: Any, g: Any) -> None:
    """The own cards, and those that beat much among the others."""
    hand, unseen = int(o.hand), int(o.unseen)
    g.aces, g.kings = count_of(hand, ACE), count_of(hand, KING)
    g.pictures = count_of(hand, KING - 1) + count_of(hand, KING - 2)
    low = 0
    for rank in range(LOWEST, LOW_RANKS + 1):
        low += count_of(hand, rank)
    g.low, g.bombs, g.unseen_aces = low / SIZES, num_bombs(o), count_of(unseen, ACE)
    for k, card in enumerate(SPECIALS_COUNTED):
        g.specials[k] = int((hand & card) != 0)
        g.unseen_specials[k] = int((unseen & card) != 0)


@kernel
def fill_context(o: Any, s: Any, g: Any) -> None:
    """Take in the view `s`, and fill in the features `g`, all 0, of the position."""
    look(o, s)
    price_ranks(o)
    find_runs(o)
    split_hand(o, int(o.hand))
    fill_turns(o, g)
    g.small_index, g.grand_index = hand_index(o, s, SMALL_INDEX), hand_index(o, s, GRAND_INDEX)
    fill_seats(o, s, g)
    fill_asked(s, g)
    fill_hand(o, g)
    if s.table != NO_MOVE:
        g.pass_worth = worth_of_pass(o, s) / POINTS


@kernel
def fill_all(o: Any, views: Any, rows: Any, actions: Any, features: Any, contexts: Any) -> None:
    """`fill_batch` into zeros. o: [1], room for thoughts."""
    j = 0
    for i in range(views.shape[0]):
        fill_context(o[0], views[i], contexts[i])
        call, best = -1, -np.inf
        while j < rows.shape[0] and rows[j] == i:
            fill_action(o[0], views[i], actions[j], features[j])
            if actions[j] == ID_CALL:
                call = j
            else:
                best = max(best, features[j].worth)
            j += 1
        if call >= 0 and best > -np.inf:
            features[call].worth += best


def fill_batch(views: Array, rows: Array, actions: Array, features: Array, contexts: Array) -> None:
    """Fill in what a network reads of some actions, and of their positions.

    views: [N] records of seats that are to act. rows: [M] int64, rising, the view that each action
    belongs to; actions: [M] int64, legal there. features: [M] of dtype ACTION; contexts: [N] of
    dtype CONTEXT; both are contiguous, and written in place.
    """
    features.view(np.float32).fill(0.0)
    contexts.view(np.float32).fill(0.0)
    fill_all(np.zeros(1, OUTLOOK), views, rows, actions, features, contexts)
