"""Features of single actions of Dou Dizhu: mostly what the rule-based player thinks of each.

Plays and passes are judged in turns, as that player does; a selection inside a play by the whole
play that it leads to; bids, snatches and doubling by the chance to win. All are made from a view:
from what the seat to act knows.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.doudizhu import (
    LEAD,
    WIN,
    keeps_groups,
    rest_after,
    worth_of_lead,
    worth_of_pass,
    worth_of_play,
    worth_on_table,
)
from agents.rule_based.doudizhu_auction import (
    BID_CHANCES,
    DOUBLE_CHANCES,
    SNATCH_CHANCE,
    highest_bid,
    own_chance,
)
from agents.rule_based.doudizhu_hands import (
    NO_RUN,
    RUN_BITS,
    is_whole_group,
    price_ranks,
    split_hand,
)
from agents.rule_based.doudizhu_outlook import (
    LEAST_BOMB,
    OUTLOOK,
    THICKEST,
    TWO,
    WILD,
    lacks_bombs,
    look,
)
from agents.rule_based.doudizhu_wild import is_sensible, lacks_of
from envs.core.bits import popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    BLACK_JOKER,
    JOKERS,
    RANK_CHARS,
    RED_JOKER,
    count_of,
    missing,
    num_cards,
    ranks_with,
)
from envs.doudizhu.engine import multiplier, select
from envs.doudizhu.moves import (
    BODY_CARDS,
    BOMB,
    ID_DOUBLE,
    ID_PASS,
    ID_SOLO,
    KIND,
    LONGEST,
    RANK,
    ROCKET,
)
from envs.doudizhu.moves import NUM_KINDS as NUM_KINDS
from envs.doudizhu.state import BIDDING, ENDED, MAX_SEATS, NO_MOVE, PLAYING, SNATCHING
from envs.doudizhu.wild import num_wild

VERSION = 1
"""Number of this set of features: weights learnt with another are refused."""
KINDS = KIND
"""The kind of each action, from 0: [482] int64."""

TURNS = 3.0
"""What turns are divided by, worths among them."""
MANY, FEW = 8.0, 3.0
"""Divisors of numbers of cards: those that may be large, and those that are not."""
MOST_BID, MOST_FACTOR = 3.0, 2.0
"""What bids are divided by, and logarithms of factors, to base 2."""
HIGHEST = float(RED_JOKER)
"""What ranks are divided by."""
LOW_CARDS = (1 << (4 * RANK_CHARS.index("8"))) - 1
"""The bits of packed counts of low ranks: three to seven."""
ACE = TWO - 1
NUM_OTHERS = MAX_SEATS - 1

ACTION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # by the rule-based player, in turns: a play, the play that a selection leads to,
                # a pass; no more than the best for a play that it does not think of. Calls: by how
                # much the chance to win is above what is asked for, step by step, times what a win
                # is worth; other ways to say no: 0
                ("worth", np.float32),
                ("turns", np.float32),  # that the hand still takes after it
                ("dearest", np.float32),  # turns of the dearest group then
                ("groups", np.float32),  # of the split then, kickers by themselves
                # chance that the play, or the one passed, keeps the lead; by seat on from the own
                # one: that this one takes it
                ("unbeaten", np.float32),
                ("beats", np.float32, (NUM_OTHERS,)),
                ("rank", np.float32),  # of the play, or of the card selected; the bid or factor
                ("cards", np.float32),  # number of cards of the play
                ("left", np.float32),  # cards left then
                ("goes_out", np.float32),  # 1 if none is
                # what the play takes: jokers, twos, wild cards, cards of low ranks
                ("jokers", np.float32),
                ("twos", np.float32),
                ("wild", np.float32),
                ("low", np.float32),
                # bombs, and the rocket, that the hand then has; that the play tears apart
                ("bombs", np.float32),
                ("torn", np.float32),
                ("on_partner", np.float32),  # 1 if the table to beat or pass on is a partner's
                ("skipped", np.float32),  # 1 for a play that the player does not think of
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
                ("groups", np.float32),  # of its split, kickers by themselves
                ("pass_worth", np.float32),  # turns that it is worth to pass, 0 at a lead
                ("chance", np.float32),  # to win, by the own hand, before the play
                # by seat, the own one first; 0 for one that is not at the table
                ("sizes", np.float32, (MAX_SEATS,)),  # number of cards
                ("landlord", np.float32, (MAX_SEATS,)),  # 1 for the landlord
                ("owner", np.float32, (MAX_SEATS,)),  # 1 if the table is its
                ("leads", np.float32, (MAX_SEATS,)),  # turns that it is worth that it leads
                ("plays", np.float32, (MAX_SEATS,)),  # that it has made
                ("bids", np.float32, (MAX_SEATS,)),  # its highest bid
                ("declined", np.float32, (MAX_SEATS,)),  # 1 if it passed last in the auction
                ("snatched", np.float32, (MAX_SEATS,)),  # 1 if it snatched
                ("factors", np.float32, (MAX_SEATS,)),  # logarithm of its doubling choice
                ("has_bomb", np.float32, (NUM_OTHERS,)),  # chance of a bomb, without the own seat
                ("phase", np.float32, (ENDED,)),  # 1 for what is asked
                ("variant", np.float32, (WILD + 1,)),  # 1 for three seats, four, wild cards
                # the play to beat: rank, number of cards, of cards of each rank (0 for a bomb), 1
                # for a sequence, 1 for a bomb that is not soft, or the rocket
                ("table_rank", np.float32),
                ("table_size", np.float32),
                ("table_each", np.float32),
                ("table_run", np.float32),
                ("table_bomb", np.float32),
                ("score", np.float32),  # base score
                ("multiplier", np.float32),  # logarithm of what bombs and snatches make of it
                ("may_bomb", np.float32),  # 1 if the own seat may still play a bomb
                # the hand
                ("red_jokers", np.float32),
                ("black_jokers", np.float32),
                ("twos", np.float32),
                ("aces", np.float32),
                ("low", np.float32),  # cards of low ranks
                ("bombs", np.float32),  # and the rocket
                ("wild", np.float32),
                # cards that the others hold, or that lie face down
                ("unseen_red_jokers", np.float32),
                ("unseen_black_jokers", np.float32),
                ("unseen_twos", np.float32),
                ("unseen_aces", np.float32),
                ("unseen_bombs", np.float32),  # possible ones
                ("unseen_wild", np.float32),
            ],
            align=True,
        ),
    )
)
"""Features of a position."""


@kernel
def num_groups(o: Any) -> int:
    """Groups of the split, kickers counted by themselves."""
    num, runs = popcount(ranks_with(o.loose, 1)), int(o.runs)
    while runs != NO_RUN:
        num += 1
        runs >>= RUN_BITS
    return int(num)


@kernel
def num_bombs(o: Any, cards: int) -> int:
    """Bombs among the cards as they are, and the rocket."""
    return int(popcount(ranks_with(cards, LEAST_BOMB)) + ((cards & JOKERS) == o.rocket))


@kernel
def fill_turns(o: Any, f: Any) -> None:
    """What the cards cost that have just been split."""
    f.turns, f.dearest, f.groups = o.turns / TURNS, o.dearest, num_groups(o) / FEW


@kernel
def fill_call(o: Any, s: Any, action: int, chance: float, f: Any) -> None:
    """A bid, a snatch or a doubling choice, or none: step by step, as long as they are worth it."""
    rank, above = RANK[action], 0.0
    if s.phase == BIDDING:
        for bid in range(highest_bid(s) + 1, rank + 1):
            above += chance - BID_CHANCES[o.variant, bid - 1]
    elif s.phase == SNATCHING:
        above = rank * (chance - SNATCH_CHANCE)
    else:
        for step in range(1, action - ID_DOUBLE + 1):
            above += chance - DOUBLE_CHANCES[step]
    f.worth, f.rank = WIN * above / TURNS, rank / MOST_BID


@kernel
def fill_answers(o: Any, num_answers: int, f: Any) -> None:
    """What becomes of the play that has just been judged."""
    f.unbeaten = o.unbeaten
    for seat in range(1, num_answers + 1):
        f.beats[seat - 1] = o.beats[seat]


@kernel
def fill_pass(o: Any, s: Any, g: Any, f: Any) -> None:
    """No play on the table's one."""
    owner = int(s.table_seat)
    worth_on_table(o, int(s.table), owner, owner - 1)
    fill_answers(o, owner - 1, f)
    f.worth, f.turns, f.dearest, f.groups = g.pass_worth, g.turns, g.dearest, g.groups
    f.left, f.bombs = s.sizes[0] / MANY, g.bombs


@kernel
def fill_cards(o: Any, declaration: int, rest: int, f: Any) -> None:
    """What a play takes out of the hand, and what it leaves."""
    used, kind = int(o.hand) - rest, KIND[declaration]
    f.cards, f.left = num_cards(used) / MANY, num_cards(rest) / MANY
    f.jokers, f.twos = num_cards(used & JOKERS), count_of(used, TWO) / FEW
    f.wild, f.low = num_wild(used, o.wild) / FEW, num_cards(used & LOW_CARDS) / MANY
    bombs, played = num_bombs(o, rest), int(kind == BOMB or kind == ROCKET)
    f.bombs = bombs
    f.torn = max(num_bombs(o, int(o.hand)) - played - bombs, 0)


@kernel
def fill_play(o: Any, declaration: int, rest: int, f: Any) -> None:
    """A play that leaves the cards `rest`."""
    fill_cards(o, declaration, rest, f)
    if rest == 0:
        f.goes_out, f.unbeaten, f.worth = 1.0, 1.0, (LEAD + WIN) / TURNS
        return
    f.worth = worth_of_play(o, declaration, rest) / TURNS
    fill_turns(o, f)
    fill_answers(o, o.players - 1, f)


@kernel
def fill_selection(o: Any, s: Any, action: int, f: Any) -> None:
    """A wild card of the body begun, the end of these, or a kicker; as the player goes on then."""
    declaration = int(s.begun)
    placing, placed, chosen = s.placing, s.placed, s.chosen
    select(s, action)
    body = int(s.placed)
    if s.placing:
        body += missing(lacks_of(o, declaration), body)
    rest = rest_after(o, s, declaration, body, int(s.chosen))
    s.placing, s.placed, s.chosen = placing, placed, chosen
    fill_play(o, declaration, rest, f)
    f.rank = RANK[action] / HIGHEST


@kernel
def fill_declaration(
    o: Any, s: Any, action: int, only_groups: bool, loose: int, runs: int, f: Any
) -> None:
    """A combination. only_groups: the player thinks of no others than those of the split.

    loose, runs: the split of the hand.
    """
    placed = lacks_of(o, action)
    fill_play(o, action, rest_after(o, s, action, placed, 0), f)
    f.rank = RANK[action] / HIGHEST
    whole = not only_groups or is_whole_group(action, loose, runs)
    f.skipped = int(not (whole and is_sensible(o, action, placed)))


@kernel
def fill_seats(o: Any, s: Any, g: Any) -> None:
    """What is known of each seat; the hand has just been split."""
    for seat in range(o.players):
        g.sizes[seat] = s.sizes[seat] / MANY
        g.landlord[seat] = int(s.landlord == seat)
        g.owner[seat] = int(s.table_seat == seat)
        g.leads[seat] = worth_of_lead(o, seat, int(s.sizes[seat])) / TURNS
        g.plays[seat] = s.plays[seat] / FEW
        g.bids[seat] = s.bids[seat] / MOST_BID
        g.declined[seat] = int(s.calls[seat] == 0)
        g.snatched[seat] = s.snatched[seat]
        g.factors[seat] = math.log2(max(s.factors[seat], 1)) / MOST_FACTOR
        if seat > 0:
            g.has_bomb[seat - 1] = 1 - lacks_bombs(o, seat, ID_SOLO)


@kernel
def fill_asked(o: Any, s: Any, g: Any) -> None:
    """What is asked, for how much, and what lies on the table."""
    g.phase[s.phase], g.variant[o.variant] = 1.0, 1.0
    g.score, g.may_bomb = s.base_score / MOST_BID, int(o.bombs_left[0] > 0)
    g.multiplier = math.log2(multiplier(s, False)) / MOST_FACTOR
    if s.table != NO_MOVE:
        kind = KIND[s.table]
        g.table_rank, g.table_size = RANK[s.table] / HIGHEST, num_cards(s.table_cards) / MANY
        g.table_each, g.table_run = BODY_CARDS[kind] / THICKEST, int(LONGEST[kind] > 1)
        g.table_bomb = int(kind == BOMB or kind == ROCKET)


@kernel
def fill_hand(o: Any, g: Any) -> None:
    """The own cards, and those that beat much among the others."""
    hand, unseen = int(o.hand), int(o.unseen)
    g.red_jokers, g.black_jokers = count_of(hand, RED_JOKER), count_of(hand, BLACK_JOKER)
    g.twos, g.aces = count_of(hand, TWO) / FEW, count_of(hand, ACE) / FEW
    g.low, g.bombs = num_cards(hand & LOW_CARDS) / MANY, num_bombs(o, hand)
    g.wild = num_wild(hand, o.wild) / FEW
    g.unseen_red_jokers = count_of(unseen, RED_JOKER)
    g.unseen_black_jokers = count_of(unseen, BLACK_JOKER)
    g.unseen_twos, g.unseen_aces = count_of(unseen, TWO) / FEW, count_of(unseen, ACE) / FEW
    g.unseen_bombs = num_bombs(o, unseen) / MANY
    g.unseen_wild = num_wild(unseen, o.wild) / FEW


@kernel
def fill_context(o: Any, s: Any, g: Any) -> None:
    """Take in the view `s`, and fill in the features `g`, all 0, of the position.

    It leaves the split of the hand in `o`.
    """
    look(o, s)
    price_ranks(o)
    if s.phase == PLAYING:
        split_hand(o, int(o.hand))
    else:
        g.chance = own_chance(o, s)
    fill_turns(o, g)
    fill_seats(o, s, g)
    fill_asked(o, s, g)
    fill_hand(o, g)
    if s.table != NO_MOVE:
        g.pass_worth = worth_of_pass(o, s) / TURNS


@kernel
def cap_skipped(features: Any, first: int, end: int) -> None:
    """Let plays that the player does not think of be worth no more than the best of the others.

    features: of all actions; first, end: where those of the position are.
    """
    best = -np.inf
    for j in range(first, end):
        if features[j].skipped == 0:
            best = max(best, features[j].worth)
    for j in range(first, end):
        if best > -np.inf:
            features[j].worth = min(features[j].worth, best)


@kernel
def fill_all(o: Any, views: Any, rows: Any, actions: Any, features: Any, contexts: Any) -> None:
    """`fill_batch` into zeros. o: [1], room for thoughts."""
    j = 0
    for i in range(views.shape[0]):
        s, g, first = views[i], contexts[i], j
        fill_context(o[0], s, g)
        loose, runs, only_groups = int(o[0].loose), int(o[0].runs), keeps_groups(o[0], s)
        on_partner = int(s.table != NO_MOVE and not o[0].is_enemy[s.table_seat])
        while j < rows.shape[0] and rows[j] == i:
            action, f = int(actions[j]), features[j]
            j += 1
            if s.phase != PLAYING:
                fill_call(o[0], s, action, g.chance, f)
                continue
            f.on_partner = on_partner
            if s.begun != NO_MOVE:
                fill_selection(o[0], s, action, f)
            elif action == ID_PASS:
                fill_pass(o[0], s, g, f)
            else:
                fill_declaration(o[0], s, action, only_groups, loose, runs, f)
        cap_skipped(features, first, j)


def fill_batch(views: Array, rows: Array, actions: Array, features: Array, contexts: Array) -> None:
    """Fill in what a network reads of some actions, and of their positions.

    views: [N] records of seats that are to act. rows: [M] int64, rising, the view that each action
    belongs to; actions: [M] int64, legal there. features: [M] of dtype ACTION; contexts: [N] of
    dtype CONTEXT; both are contiguous, and written in place.
    """
    features.view(np.float32).fill(0.0)
    contexts.view(np.float32).fill(0.0)
    fill_all(np.zeros(1, OUTLOOK), views, rows, actions, features, contexts)
