"""The default policy of Dou Dizhu: the rule-based player in small, for playouts.

Of the groups of its hand, the plays that beat the table, and passing, it takes the one after which
the own side stands best, as `agents.rule_based.doudizhu` does, from where the worths come. It is
quick because a play that is a group of the split needs no second look at the cards that are left,
and because only plays are thought of that the hand allows: no mask is needed.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.doudizhu import (
    CARD_FADE,
    ENEMY_NEAR,
    LEAD,
    OWN_FADE,
    PARTNER_LEAD,
    PARTNER_NEAR,
    WIN,
)
from agents.rule_based.doudizhu_hands import LAST_RUN, NO_RUN, ROCKET_COST, RUN_BITS
from agents.rule_based.doudizhu_outlook import LEAST_BOMB, SIZE, WILL, usable_ranks
from agents.rule_based.doudizhu_wild import lacks_of, next_kick
from agents.search.doudizhu_auction import choose_call, fits_call, recall_auction, wanted_bid
from agents.search.doudizhu_belief import recall_table
from agents.search.doudizhu_endgame import solve_batch as solve_batch
from agents.search.doudizhu_hands import (
    BOMB_ANSWER,
    LACKS,
    NOTES,
    RUN_ANSWER,
    bomb_cost,
    look,
    num_higher,
    num_higher_runs,
    pick_kickers,
    run_cost,
    split_own,
)
from envs.core.bits import lowest
from envs.core.game import NO_ACTION, OVER
from envs.core.jit import kernel
from envs.doudizhu.cards import (
    JOKERS,
    NUM_SUITED,
    count_of,
    missing,
    num_cards,
    ranks_with,
    without,
)
from envs.doudizhu.engine import apply, put_on_table
from envs.doudizhu.kickers import has_kickers
from envs.doudizhu.legal import ALL_RANKS, kind_exists
from envs.doudizhu.moves import (
    BODY_CARDS,
    BOMB,
    FIRST,
    FOUR_TWO_PAIR,
    FOUR_TWO_SOLO,
    ID_DONE,
    ID_PASS,
    ID_ROCKET,
    ID_SOFT_BOMB,
    ID_SUB,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    NUM_KICKERS,
    PAIR,
    PLANE,
    PLANE_PAIR,
    PLANE_SOLO,
    RANK,
    ROCKET,
    RUN_START,
    SOFT_BOMB,
    SOLO,
    TRIO,
    TRIO_PAIR,
    body_cards,
)
from envs.doudizhu.state import NO_CALL, NO_MOVE, PLAYING, STATE
from envs.doudizhu.wild import SEQUENCE_RANKS, SUITED_RANKS, kicker_hand, num_wild

MOST_CARDS = 33
NEAR = np.array([0.0, *(CARD_FADE ** (size - 1) for size in range(1, MOST_CARDS + 1))])
"""How near to going out a seat is, by its number of cards."""
GOES_OUT = 2 * WIN
"""More than any other play is worth."""
SURPRISE = 0.1
"""Chance, in proportion, of a pass or bid that is not the default policy's."""
NO_ANSWER = 0
"""The rocket has none."""


@kernel
def worth_of_lead(o: Any, step: int, size: int) -> float:
    """What it is worth to the own side, in turns, that another seat leads with `size` cards."""
    if size == 0:
        return -WIN if o.is_enemy[step] else WIN
    if o.is_enemy[step]:
        return float(-LEAD - ENEMY_NEAR[o.variant] * NEAR[size])
    return float(PARTNER_LEAD + PARTNER_NEAR * NEAR[size])


@kernel
def answers_to(o: Any, declaration: int) -> tuple[int, int]:
    """What kind of cards beat a play, and how many such are unseen; bombs beat it besides."""
    kind, rank = KIND[declaration], RANK[declaration]
    if kind == ROCKET:
        return NO_ANSWER, 0
    if kind == BOMB or kind == SOFT_BOMB:
        return BOMB_ANSWER, num_higher(o, BOMB_ANSWER, rank)
    if LONGEST[kind] > 1:
        return RUN_ANSWER + BODY_CARDS[kind], num_higher_runs(o, declaration)
    return BODY_CARDS[kind], num_higher(o, BODY_CARDS[kind], rank)


@kernel
def chance_beats(o: Any, step: int, declaration: int, answer: int, num: int) -> float:
    """Chance that a seat can and will beat a play; it surely will if that empties its hand."""
    if answer == NO_ANSWER:
        return 0.0
    size, least = o.sizes[step], SIZE[o.players, declaration]
    lacks = o.no_rocket[step] if answer == BOMB_ANSWER else o.no_bomb[step]
    if size >= least:
        lacks *= LACKS[o.players - 3, answer, o.shares[step], num]
    return float(1 - lacks if size == least else WILL[o.variant] * (1 - lacks))


@kernel
def worth_on_table(o: Any, declaration: int, owner: int, num_answers: int, lead: float) -> float:
    """What a play of `owner` is worth to the own side while the next seats may still beat it.

    Only the other side beats it, or a partner who goes out by that. lead: what it is worth that
    the owner gets the lead.
    """
    answer, num = answers_to(o, declaration)
    worth, unbeaten = 0.0, 1.0
    for step in range(1, num_answers + 1):
        left = o.sizes[step] - SIZE[o.players, declaration]
        if o.is_enemy[step] != o.is_enemy[owner] or left == 0:
            beaten = unbeaten * chance_beats(o, step, declaration, answer, num)
            left = max(left, 1) if left != 0 else 0  # fewer cards than the play: it took a bomb
            worth += beaten * worth_of_lead(o, step, left)
            unbeaten -= beaten
    return worth + unbeaten * lead


@kernel
def consider(o: Any, declaration: int, turns: float, dearest: float) -> None:
    """Choose a play if it is the best so far. turns, dearest: of the cards that are left."""
    worth = GOES_OUT
    if o.sizes[0] != SIZE[o.players, declaration]:
        lead = LEAD + WIN * math.exp(math.log(OWN_FADE) * max(turns - dearest, 0.0))
        worth = worth_on_table(o, declaration, 0, o.players - 1, lead) - turns
    if worth > o.worth:
        o.choice, o.worth = declaration, worth


@kernel
def consider_group(o: Any, declaration: int, cost: float) -> None:
    """Consider to play a whole group of the split in `o`, but no trio or plane."""
    if cost == 0.0:  # another group will go along with the trio in its place
        cost = o.next_kicker
    consider(o, declaration, o.turns - cost, o.second if cost == o.dearest else o.dearest)


@kernel
def consider_equals(o: Any, kind: int, ranks: int) -> int:
    """Consider the solos or pairs of the split on the given ranks; returns on which there are."""
    each = BODY_CARDS[kind]
    whole = ranks & ranks_with(o.loose, each) & ~ranks_with(o.loose, each + 1)
    left = whole
    while left:
        rank = lowest(left)
        left &= left - 1
        consider_group(o, FIRST[kind] + rank, o.charged[rank])
    return whole


@kernel
def consider_runs(o: Any) -> None:
    """Consider the straights and trains of the split."""
    left = o.runs
    while left != NO_RUN:
        run = left & LAST_RUN
        left >>= RUN_BITS
        if KIND[run] != PLANE:
            consider_group(o, run, run_cost(o, run))


@kernel
def bomb_of(o: Any, rank: int) -> int:
    """The declaration of the bomb of a rank, soft if there is a wild card in it."""
    size = count_of(o.cards, rank)
    if count_of(o.hand, rank) < size:
        return ID_SOFT_BOMB + rank
    return int(FIRST[BOMB] + NUM_SUITED * (size - LEAST_BOMB) + rank)


@kernel
def beats_bomb(bomb: int, table: int) -> bool:
    """Whether a bomb beats what is on the table (RULES 6.3, 10.5, 11.6)."""
    if table == NO_MOVE or (KIND[table] != BOMB and KIND[table] != SOFT_BOMB):
        return True
    if KIND[table] != KIND[bomb]:
        return bool(KIND[bomb] == BOMB)
    if LENGTH[table] != LENGTH[bomb]:
        return bool(LENGTH[bomb] > LENGTH[table])
    return bool(RANK[bomb] > RANK[table])


@kernel
def consider_bombs(o: Any, table: int) -> None:
    """Consider the bombs and the rocket of the split."""
    left = o.bombs
    while left:
        rank = lowest(left)
        left &= left - 1
        if beats_bomb(bomb_of(o, rank), table):
            consider_group(o, bomb_of(o, rank), bomb_cost(o, rank))
    if o.has_rocket:
        consider_group(o, ID_ROCKET, ROCKET_COST)


@kernel
def can_complete(o: Any, s: Any, declaration: int) -> bool:
    """Whether the hand has the kickers for a play whose body it holds."""
    if NUM_KICKERS[declaration] == 0:
        return True
    placed = num_cards(lacks_of(o, declaration))
    hand = kicker_hand(s.rules, declaration, o.hand, placed, o.wild)
    return has_kickers(s.rules, declaration, hand, o.wild)


@kernel
def try_play(o: Any, s: Any, declaration: int) -> None:
    """Consider a play that breaks groups or takes kickers along, if it can be completed.

    The split in `o` is that of the cards left then.
    """
    if not can_complete(o, s, declaration):
        return
    placed = lacks_of(o, declaration)
    rest = o.hand - body_cards(declaration, placed, o.wild)
    if NUM_KICKERS[declaration]:
        rest -= pick_kickers(o, s.rules, declaration, placed, 0)
    split_own(o, rest)
    consider(o, declaration, o.turns, o.dearest)


@kernel
def try_ranks(o: Any, s: Any, first: int, ranks: int) -> None:
    """Try the plays `first + rank`."""
    while ranks:
        try_play(o, s, first + lowest(ranks))
        ranks &= ranks - 1


@kernel
def find_whole(o: Any, s: Any) -> int:
    """A plane or a four with kickers that takes the whole hand at once, or NO_MOVE."""
    fours = ranks_with(o.cards, BODY_CARDS[FOUR_TWO_SOLO])
    trios = ranks_with(o.cards, BODY_CARDS[PLANE]) & SEQUENCE_RANKS
    for kind in range(PLANE_SOLO, FOUR_TWO_PAIR + 1):
        length, first, starts = 1, FIRST[kind], fours
        if LONGEST[kind] > 1:
            length = o.sizes[0] // (BODY_CARDS[kind] + KICKER_CARDS[first])
            first, starts = RUN_START[kind, length], trios
            for i in range(1, length):
                starts &= trios >> i
        if first < 0 or not starts or not kind_exists(s.rules, kind):
            continue
        declaration = first + lowest(starts)
        if SIZE[o.players, declaration] == o.sizes[0] and can_complete(o, s, declaration):
            return int(declaration)
    return NO_MOVE


@kernel
def choose_lead(o: Any, s: Any) -> int:
    """What to lead."""
    o.cards = split_own(o, o.hand)
    whole = find_whole(o, s)
    if whole != NO_MOVE:
        return whole
    o.choice, o.worth = NO_MOVE, -np.inf
    trios, runs = ranks_with(o.loose, BODY_CARDS[TRIO]), o.runs
    consider_equals(o, SOLO, ALL_RANKS)
    consider_equals(o, PAIR, ALL_RANKS)
    consider_runs(o)
    consider_bombs(o, NO_MOVE)
    for kind in range(TRIO, TRIO_PAIR + 1):
        if kind_exists(s.rules, kind):
            try_ranks(o, s, FIRST[kind], trios)
    while runs != NO_RUN:
        run = runs & LAST_RUN
        runs >>= RUN_BITS
        for kind in range(PLANE, PLANE_PAIR + 1):
            first = RUN_START[kind, LENGTH[run]]
            if KIND[run] == PLANE and first >= 0 and kind_exists(s.rules, kind):
                try_play(o, s, first + RANK[run])
    return int(o.choice)


@kernel
def beating_ranks(o: Any, table: int) -> int:
    """Ranks of plays of the table's kind and length that beat it and whose body the hand holds.

    In a sequence a wild card at most is reckoned with.
    """
    kind, cards, spare = KIND[table], without(o.hand, o.wild), num_wild(o.hand, o.wild)
    if kind > FOUR_TWO_PAIR:
        return 0
    each = BODY_CARDS[kind]
    if LONGEST[kind] > 1:
        full, usable = usable_ranks(cards, each, spare)
        complete, ranks = full, usable
        for i in range(1, LENGTH[table]):
            ranks = ranks & (full >> i) | complete & (usable >> i)
            complete &= full >> i
    else:
        ranks = ranks_with(cards, each)
        if spare > 0:
            ranks |= ranks_with(cards, max(each - spare, 1)) & SUITED_RANKS
            ranks |= 1 << o.alone if spare >= each else 0
    return int(ranks >> (RANK[table] + 1) << (RANK[table] + 1))


@kernel
def soft_bombs(o: Any, table: int) -> int:
    """Ranks of the soft bombs for the table, but where the hand has a natural one."""
    spare, cards, ranks = num_wild(o.hand, o.wild), without(o.hand, o.wild), 0
    if spare == 0 or o.bombs_left <= 0:
        return 0
    left = ranks_with(cards, max(LEAST_BOMB - spare, 1)) & SUITED_RANKS
    left &= ~ranks_with(cards, LEAST_BOMB)
    while left:
        if beats_bomb(ID_SOFT_BOMB + lowest(left), table):
            ranks |= left & -left
        left &= left - 1
    return ranks


@kernel
def choose_follow(o: Any, s: Any) -> int:
    """What to play on the table, or pass."""
    table, players = int(s.table), int(o.players)
    kind, ranks, softs = KIND[table], beating_ranks(o, table), soft_bombs(o, table)
    bombs = ranks_with(o.hand, LEAST_BOMB) != 0 or (o.hand & JOKERS) == o.rocket
    if kind == ROCKET or not (ranks or softs or (bombs and o.bombs_left > 0)):
        return ID_PASS
    o.cards = split_own(o, o.hand)
    owner = (int(s.table_seat) - int(s.turn)) % players
    lead = worth_of_lead(o, owner, o.sizes[owner])
    o.choice, o.worth = ID_PASS, worth_on_table(o, table, owner, owner - 1, lead) - o.turns
    consider_bombs(o, table)
    ranks &= ~o.bombs
    softs &= ~o.bombs
    if kind <= PAIR:
        ranks &= ~consider_equals(o, kind, ranks)
    try_ranks(o, s, table - RANK[table], ranks)
    try_ranks(o, s, ID_SOFT_BOMB, softs)
    return int(o.choice)


@kernel
def fill_body(o: Any, declaration: int, placed: int) -> int:
    """All wild cards of a body, packed: those `placed` already, and for what the hand lacks."""
    if placed == 0 and KIND[declaration] == SOFT_BOMB and lacks_of(o, declaration) == 0:
        return int(1 << (4 * RANK[declaration]))  # nothing lacks, but one has to be wild
    return placed + missing(lacks_of(o, declaration), placed)


@kernel
def choose_selection(o: Any, s: Any) -> int:
    """What comes next in the play begun: a wild card of its body, or a kicker."""
    declaration, placed = int(s.begun), int(s.placed)
    if s.placing:
        left = fill_body(o, declaration, placed) - placed
        return ID_SUB + lowest(ranks_with(left, 1)) if left else ID_DONE
    kickers = pick_kickers(o, s.rules, declaration, placed, int(s.chosen))
    return next_kick(kickers, KICKER_CARDS[declaration], o.wild)


@kernel
def choose_play(o: Any, s: Any) -> int:
    """A declaration, or pass."""
    return choose_lead(o, s) if s.table == NO_MOVE else choose_follow(o, s)


@kernel
def decide(o: Any, s: Any) -> int:
    """The action of the seat to act; `o` is room for thoughts."""
    look(o, s)
    if s.phase != PLAYING:
        return choose_call(o, s)
    return choose_play(o, s) if s.begun == NO_MOVE else choose_selection(o, s)


@kernel
def choose_batch(states: Any, masks: Any, actions: Any) -> None:
    """An allowed action for the seat to act in each state or view, by what that seat knows.

    masks: [N, 482] int8; actions: [N] int64, written in place, NO_ACTION where nobody is to act.
    """
    notes = np.zeros(1, NOTES)
    for i in range(states.shape[0]):
        actions[i] = decide(notes[0], states[i]) if states[i].turn >= 0 else NO_ACTION


@kernel
def advance(o: Any, s: Any) -> None:
    """Take the next action, or the next whole play."""
    look(o, s)
    if s.phase != PLAYING:
        apply(s, choose_call(o, s))
        return
    action = choose_play(o, s) if s.begun == NO_MOVE else int(s.begun)
    if action == ID_PASS:
        apply(s, action)
        return
    placed, chosen = fill_body(o, action, int(s.placed)), int(s.chosen)
    cards = o.rocket if action == ID_ROCKET else body_cards(action, placed, o.wild)
    if NUM_KICKERS[action]:
        cards += chosen + pick_kickers(o, s.rules, action, placed, chosen)
    put_on_table(s, action, cards)


@kernel
def play_out_batch(states: Any, payoffs: Any) -> None:
    """Play every state on to the end of its hand, or until it is dealt again.

    payoffs: [N, seats] float64, written in place: what each seat wins from here on.
    """
    notes = np.zeros(1, NOTES)
    for i in range(states.shape[0]):
        s = states[i]
        deals = s.deals
        for seat in range(payoffs.shape[1]):
            payoffs[i, seat] = -s.scores[seat]
        while s.turn != OVER and s.deals == deals:
            advance(notes[0], s)
        for seat in range(payoffs.shape[1]):
            payoffs[i, seat] += s.scores[seat]


@kernel
def weigh(o: Any, s: Any) -> float:
    """How likely others pass and bid as they did, given their cards in a world. Changes `s`."""
    weight, players = 1.0, int(s.rules.players)
    for step in range(1, recall_table(s) + 1):
        s.turn = (s.table_seat + step) % players
        look(o, s)
        if choose_follow(o, s) != ID_PASS:
            weight *= SURPRISE
    recall_auction(s)
    for seat in range(1, players):
        s.turn = seat
        if s.calls[seat] != NO_CALL:
            look(o, s)
            if not fits_call(s, seat, wanted_bid(o)):
                weight *= SURPRISE
    return weight


@kernel
def weigh_batch(worlds: Any, weights: Any) -> None:
    """How likely what the record keeps of passes and bids is in each world of a view.

    Seats are taken to follow the default policy, but for a SURPRISE now and then. weights: [N]
    float64, written in place, above 0, up to a common factor.
    """
    notes, room = np.zeros(1, NOTES), np.zeros(1, STATE)
    for i in range(worlds.shape[0]):
        room[0] = worlds[i]
        weights[i] = weigh(notes[0], room[0])
