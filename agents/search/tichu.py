"""The default policy of Tichu: the rule-based player in small, for playouts.

Of the groups of its hand at a lead, else of the plays that are allowed, and passing, it takes the
one after which its side stands best, as `agents.rule_based.tichu` does, from where the worths come.
It is quick because a play that is a group of the split needs no second look at the cards that are
left, and because a mask is made only where a look at the hand does not say what is allowed.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.tichu import (
    ENEMY_FADE,
    ENEMY_LEAD,
    FEWEST_TURNS,
    OWN_FADE,
    OWN_LEAD,
    PARTNER_FADE,
    PARTNER_LEAD,
    PILE,
    TURN,
    choose_card,
    choose_taker,
    choose_wish,
)
from agents.rule_based.tichu_calls import (
    EARLY_ODDS,
    GRAND_INDEX,
    GRAND_ODDS,
    SMALL_INDEX,
    SMALL_ODDS,
    gift_worth,
)
from agents.rule_based.tichu_hands import (
    DOG_COST,
    FULL_HOUSE_COST,
    LAYER,
    LAYER_RANKS,
    cards_for,
    layers_of,
)
from agents.rule_based.tichu_outlook import BOMB_WILL, MOST_EQUAL, THICKNESS, WILL, WITH_PAIR
from agents.search.tichu_hands import (
    LACKS,
    LAST_RUN,
    NO_RUN,
    NOTES,
    QUAD_ANSWER,
    RUN_BITS,
    hand_index,
    look,
    num_higher,
    num_higher_runs,
    run_cost,
    split,
)
from envs.core.bits import lowest
from envs.core.game import NO_ACTION, OVER
from envs.core.jit import kernel
from envs.tichu.cards import (
    DOG,
    DRAGON,
    MAHJONG_RANK,
    NO_WISH,
    PHOENIX,
    RANK_CARDS,
    count_of,
    flush_starts,
    points_of,
)
from envs.tichu.engine import legal, take
from envs.tichu.legal import has_bomb
from envs.tichu.moves import (
    FLUSH,
    FULL_HOUSE,
    FULL_HOUSES,
    ID_CALL,
    ID_CARD,
    ID_DOG,
    ID_DRAGON,
    ID_MAHJONG,
    ID_NO,
    ID_PHOENIX,
    ID_QUAD,
    ID_RANK,
    KIND,
    NEEDS,
    NO_MOVE,
    NO_SLOT,
    NUM_ACTIONS,
    PAIR,
    QUAD,
    RANK,
    RANKED,
    SINGLE,
    SIZE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
)
from envs.tichu.rounds import HAND_SIZE
from envs.tichu.state import (
    COLLECT,
    EXCHANGE,
    FOLLOW,
    GIFT,
    GRAND,
    INTERRUPT,
    LEAD,
    NO_CALL,
    NUM_SEATS,
    TICHU,
    WISH,
    may_call,
)


def build_fade() -> np.ndarray:
    """What is left of a seat's stakes, [4, 15] by seats on and number of cards."""
    rates = np.array([0.0, ENEMY_FADE, PARTNER_FADE, ENEMY_FADE])[:, None]
    return rates ** np.maximum(np.arange(HAND_SIZE + 1) - 1, 0)


def build_answers() -> tuple[np.ndarray, np.ndarray]:
    """Ids from which and up to before which a combination's answers lie, bombs aside: [371] each.

    They have its kind and number of cards. Single cards are not in order: a phoenix may be higher
    or lower than others.
    """
    same = [(KIND[action], SIZE[action]) for action in range(ID_RANK)]
    ends = np.array([len(same) - same[::-1].index(one) for one in same])
    starts = np.arange(ID_RANK) + 1
    starts[ID_MAHJONG : ID_DRAGON + 1] = ID_MAHJONG
    starts[ID_QUAD:] = ends[ID_QUAD:] = ID_QUAD
    return starts, ends


def build_points() -> np.ndarray:
    """Points of each combination without the phoenix in it, [371]."""
    points = NEEDS[:, [5, 10, 13]] @ [5, 10, 10]
    points[ID_DRAGON], points[ID_PHOENIX] = points_of(DRAGON), points_of(PHOENIX)
    return points


FADE, POINTS = build_fade(), build_points()
FIRST_ANSWER, END_ANSWER = build_answers()
NO_ANSWER = 0


@kernel
def worth_of_lead(o: Any, step: int, size: int, pile: float) -> float:
    """Points to the own side if another seat takes the trick and leads with `size` cards left."""
    worth = o.stakes[step] * FADE[step, size]
    if step == 2:
        return float(worth + PILE * pile + (PARTNER_LEAD if size > 0 else 0.0))
    return float(worth - PILE * pile - (ENEMY_LEAD if size > 0 else 0.0))


@kernel
def worth_of_own_lead(o: Any, turns: float, dearest: float, pile: float) -> float:
    """The same for the own seat with cards that cost `turns`, the dearest group `dearest`."""
    fade = math.exp(math.log(OWN_FADE) * max(turns - dearest, 0.0))
    return float(PILE * pile + OWN_LEAD + o.stakes[0] * fade)


@kernel
def answers_to(o: Any, declaration: int, rank: int) -> tuple[int, int]:
    """What beats a play, bombs aside, and how many of these are unseen."""
    kind = KIND[declaration]
    if kind == STAIRS or kind == STRAIGHT:
        return MOST_EQUAL + THICKNESS[declaration], num_higher_runs(o, declaration)
    if kind > STRAIGHT:
        return NO_ANSWER, 0
    k = 3 if kind == FULL_HOUSE else SIZE[declaration]
    return k, num_higher(o, k, rank)


@kernel
def chance_beats(o: Any, step: int, declaration: int, answer: int, num: int) -> float:
    """Chance that a seat can and will beat a play; it surely will if that empties its hand."""
    kind, size = KIND[declaration], o.sizes[step]
    beats = 0.0
    if size >= SIZE[declaration]:
        beats = 1 - LACKS[answer, o.shares[step], num]
        if kind == FULL_HOUSE:
            beats *= WITH_PAIR
        if size > SIZE[declaration]:
            beats *= WILL[kind]
    if size >= MOST_EQUAL and kind != FLUSH:
        bombs = num_higher(o, QUAD_ANSWER, RANK[declaration] if kind == QUAD else 0)
        beats += (1 - beats) * BOMB_WILL * (1 - LACKS[QUAD_ANSWER, o.shares[step], bombs])
    return float(beats)


@kernel
def worth_on_table(
    o: Any, declaration: int, rank: int, owner: int, first: int, pile: float, lead: float
) -> float:
    """Points that a play of `owner` is worth while the seats from `first` on may still beat it.

    Only the other side beats it, or a partner who goes out by that. lead: what it is worth that
    the owner takes the trick.
    """
    answer, num = answers_to(o, declaration, rank)
    worth, unbeaten, step = 0.0, 1.0, first
    while step != owner:
        left = o.sizes[step] - SIZE[declaration]
        if step != 0 and o.sizes[step] > 0 and ((step ^ owner) & 1 or left == 0):
            beaten = unbeaten * chance_beats(o, step, declaration, answer, num)
            left = max(left, 1) if left != 0 else 0  # fewer cards than the play: it took a bomb
            worth += beaten * worth_of_lead(o, step, left, pile)
            unbeaten -= beaten
        step = (step + 1) & (NUM_SEATS - 1)
    return float(worth + unbeaten * lead)


@kernel
def consider(
    o: Any, declaration: int, rank: int, points: float, turns: float, dearest: float
) -> None:
    """Choose a play if it is the best so far. turns, dearest: of the cards that are left."""
    pile = float(o.pile + points)
    if o.sizes[0] == SIZE[declaration]:
        worth = PILE * pile + o.stakes[0]
    else:
        lead = worth_of_own_lead(o, turns, dearest, -pile if declaration == ID_DRAGON else pile)
        worth = worth_on_table(o, declaration, rank, 0, 1, pile, lead)
        worth -= TURN * max(turns, FEWEST_TURNS)
    if worth > o.worth:
        o.choice, o.worth = declaration, worth


@kernel
def consider_group(o: Any, declaration: int, cost: float) -> None:
    """Consider to play a whole group of the split in `o`, but no triple."""
    if cost == FULL_HOUSE_COST and o.next_pair > 0:
        cost = o.next_pair
    dearest = o.second if cost == o.dearest else o.dearest
    consider(o, declaration, RANK[declaration], POINTS[declaration], o.turns - cost, dearest)


@kernel
def consider_dog(o: Any, turns: float, dearest: float) -> None:
    """Consider to lead the dog. turns, dearest: of the cards that are left."""
    if o.sizes[2] > 0 or o.sizes[3] > 0:
        leader = 2 if o.sizes[2] > 0 else 3
        worth = worth_of_lead(o, leader, o.sizes[leader], 0.0)
    else:
        worth = worth_of_own_lead(o, turns, dearest, 0.0)
    worth -= TURN * max(turns, FEWEST_TURNS)
    if worth > o.worth:
        o.choice, o.worth = ID_DOG, worth


@kernel
def try_play(o: Any, s: Any, declaration: int) -> None:
    """Consider any play. The split in `o` is that of the cards left then."""
    cards = cards_for(o, declaration, NO_SLOT)
    split(o, int(o.hand) & ~cards)
    rank = RANK[declaration]
    if declaration == ID_PHOENIX:
        rank = MAHJONG_RANK if s.table == NO_MOVE else s.value >> 1
    if declaration == ID_DOG:
        consider_dog(o, o.turns, o.dearest)
    else:
        consider(o, declaration, rank, points_of(cards), o.turns, o.dearest)


@kernel
def try_marked(o: Any, s: Any, mask: Any, first: int, end: int, whole: int) -> None:
    """Try the marked combinations from `first` to before `end`, but those of the ranks `whole`."""
    for action in range(first, end):
        if mask[action] and not whole >> RANK[action] & 1:
            try_play(o, s, action)


@kernel
def exactly(layers: int, count: int) -> int:
    """The ranks with one card or two, but no more."""
    return layers >> (LAYER * (count - 1)) & ~(layers >> (LAYER * count)) & LAYER_RANKS


@kernel
def consider_equals(o: Any, count: int, ranks: int) -> int:
    """Consider the singles or pairs of the split on the given ranks; returns on which there are.

    There may be a single that is the phoenix: it is none of its rank.
    """
    whole = ranks & exactly(o.loose, count) & layers_of(o.hand)
    left = whole
    while left:
        rank = lowest(left)
        left &= left - 1
        consider_group(o, RANKED[SINGLE + count - 1] + rank, o.charged[rank])
    return whole


@kernel
def choose_lead(o: Any, s: Any) -> int:
    """What to lead, where no wish binds and there is no straight flush."""
    split(o, o.hand)
    o.choice, o.worth = NO_MOVE, -np.inf
    pairs, triples, runs = exactly(o.loose, 2), o.loose >> 2 * LAYER & LAYER_RANKS, o.runs
    consider_equals(o, 1, LAYER_RANKS)
    consider_equals(o, 2, LAYER_RANKS)
    while runs != NO_RUN:
        consider_group(o, runs & LAST_RUN, run_cost(o, runs & LAST_RUN))
        runs >>= RUN_BITS
    if o.hand & DOG:
        consider_dog(o, o.turns - DOG_COST, o.second if o.dearest == DOG_COST else o.dearest)
    for card in range(ID_PHOENIX, ID_DRAGON + 1):
        if o.hand & RANK_CARDS[RANK[card]]:
            try_play(o, s, card)
    while triples:
        rank = lowest(triples)
        triples &= triples - 1
        if count_of(o.hand, rank) == MOST_EQUAL:
            try_play(o, s, RANKED[QUAD] + rank)
        try_play(o, s, RANKED[TRIPLE] + rank)
        if pairs:
            try_play(o, s, FULL_HOUSES[rank, lowest(pairs)])
    return int(o.choice)


@kernel
def choose_marked(o: Any, s: Any, mask: Any) -> int:
    """What to lead, whatever binds."""
    o.choice, o.worth = NO_MOVE, -np.inf
    try_marked(o, s, mask, ID_DOG, ID_RANK, 0)
    return int(o.choice)


@kernel
def worth_of_pass(o: Any, s: Any) -> float:
    """Points that it is worth to pass, or to let the trick be taken; the hand has been split."""
    owner, first = (s.owner - s.turn) & 3, (s.next_seat - s.turn) & 3
    pile = float(o.pile)
    taken = -pile if s.table == ID_DRAGON else pile
    if owner == 0:
        lead = worth_of_own_lead(o, o.turns, o.dearest, taken)
    else:
        lead = worth_of_lead(o, owner, o.sizes[owner], taken)
    if s.phase == COLLECT:
        first = owner
    worth = worth_on_table(o, int(s.table), s.value >> 1, owner, first, pile, lead)
    return float(worth - TURN * max(o.turns, FEWEST_TURNS))


@kernel
def choose_answer(o: Any, s: Any, mask: Any) -> int:
    """What to put on the table in or out of turn, or not to play."""
    table = int(s.table)
    first, end = FIRST_ANSWER[table], END_ANSWER[table]
    found = has_bomb(int(o.hand))
    for action in range(first, end):
        found = found or mask[action] != 0
    if not found:
        return ID_NO
    split(o, o.hand)
    o.choice, o.worth = ID_NO, worth_of_pass(o, s) if mask[ID_NO] else -np.inf
    whole = 0
    if KIND[table] <= PAIR:
        for action in range(first, end):
            whole |= mask[action] << RANK[action]
        whole = consider_equals(o, SIZE[table], whole)
    try_marked(o, s, mask, first, end, whole)
    try_marked(o, s, mask, ID_QUAD, ID_RANK, 0)
    return int(o.choice)


@kernel
def choose_slot(o: Any, s: Any, mask: Any) -> int:
    """What the phoenix stands for in the play begun, so that the rest of the hand is best."""
    choice, best = ID_NO, np.inf
    for action in range(ID_NO, ID_CARD):
        if mask[action]:
            slot = NO_SLOT if action == ID_NO else RANK[action]
            split(o, int(o.hand) & ~cards_for(o, int(s.begun), slot))
            if o.turns < best:
                choice, best = action, o.turns
    return choice


@kernel
def wants_call(o: Any, phase: int) -> bool:
    """Whether to call; never beside a call of the partner."""
    if o.calls[2] != NO_CALL:
        return False
    if phase == GRAND:
        return hand_index(o, GRAND_INDEX) > GRAND_ODDS
    return hand_index(o, SMALL_INDEX) > (EARLY_ODDS if phase == TICHU else SMALL_ODDS)


@kernel
def choose_gift(o: Any, to: int) -> int:
    """The next card to give: its worth to the taker against the cost of what is left."""
    hand, choice, best = int(o.hand), ID_CARD, -np.inf
    for k in range(to):
        hand &= ~o.given[0, k]
    left = hand
    while left:
        card = lowest(left)
        left &= left - 1
        split(o, hand & ~(1 << card))
        worth = gift_worth(o, card, to) - o.turns
        if worth > best:
            choice, best = ID_CARD + card, worth
    return choice


@kernel
def is_bound(s: Any) -> bool:
    """Whether a lead has to be found in the mask: the wish may bind, or suits matter."""
    hand = int(s.hands[s.turn])
    return (s.wish != NO_WISH and hand & RANK_CARDS[s.wish] != 0) or flush_starts(hand) != 0


@kernel
def needs_mask(s: Any) -> bool:
    """Whether `decide` reads the mask."""
    if s.begun != NO_MOVE or s.phase == FOLLOW or s.phase == COLLECT:
        return True
    if s.phase == LEAD:
        return is_bound(s)
    return s.phase == INTERRUPT and s.table != NO_MOVE and has_bomb(int(s.hands[s.turn]))


@kernel
def decide(o: Any, s: Any, mask: Any) -> int:
    """The action of the seat to act; `o` is room for thoughts."""
    look(o, s)
    phase = s.phase
    if s.begun != NO_MOVE:
        return choose_card(o, mask) if s.slotted else choose_slot(o, s, mask)
    if phase == EXCHANGE:
        return choose_gift(o, int(s.pending))
    if phase == WISH:
        return choose_wish(o)
    if phase == GIFT:
        return choose_taker(o)
    if (phase <= TICHU or (phase != COLLECT and may_call(s, int(s.turn)))) and wants_call(o, phase):
        return ID_CALL
    if phase == LEAD:
        return choose_marked(o, s, mask) if is_bound(s) else choose_lead(o, s)
    return choose_answer(o, s, mask) if needs_mask(s) else ID_NO


@kernel
def choose_batch(states: Any, masks: Any, actions: Any) -> None:
    """An allowed action for the seat to act in each state or view, by what that seat knows.

    masks: [N, 442] int8; actions: [N] int64, written in place, NO_ACTION where nobody is to act.
    """
    notes = np.zeros(1, NOTES)
    for i in range(states.shape[0]):
        s = states[i]
        actions[i] = decide(notes[0], s, masks[i]) if s.turn >= 0 else NO_ACTION


@kernel
def play_out_batch(states: Any, payoffs: Any) -> None:
    """Play every state on to the end of its round.

    payoffs: [N, 4] float64, written in place: what each seat wins from here on.
    """
    notes, mask = np.zeros(1, NOTES), np.zeros(NUM_ACTIONS, np.int8)
    for i in range(states.shape[0]):
        s = states[i]
        deals = s.deals
        for seat in range(NUM_SEATS):
            payoffs[i, seat] = -s.scores[seat]
        while s.turn != OVER and s.deals == deals:
            if needs_mask(s):
                legal(s, mask)
            take(s, decide(notes[0], s, mask))
        for seat in range(NUM_SEATS):
            payoffs[i, seat] += s.scores[seat]
