"""The endgame of Dou Dizhu with all hands known, solved exactly: the landlord against the farmers.

Alpha-beta over whole plays with a table of the positions met before, which the states of a call
share (Knuth, Moore, "An analysis of alpha-beta pruning", 1975; Marsland, "A review of game-tree
pruning", 1986). The farmers win and lose the same multiple of their stakes, so they are one side.
The value of a position is the landlord's, M of RULES 8.5, negative where the farmers win: bombs and
spring count, so one win may be worth more than another.

What is solved is exact. Left alone are states with more than MOST_CARDS cards in all hands, those
in the middle of a play, games with wild cards, and states where `farmer_bomb_limit` may forbid a
bomb that is left: who has played bombs is not among what a position is known by.
"""

from typing import Any

import numpy as np

from agents.rule_based.doudizhu_outlook import LEAST_BOMB, SIZE
from envs.core.bits import lowest, popcount
from envs.core.game import Array
from envs.core.jit import kernel
from envs.doudizhu.auction import next_seat
from envs.doudizhu.cards import JOKERS, NUM_RANKS, NUM_SEQUENCE, count_of, num_cards, ranks_with
from envs.doudizhu.engine import add_bomb, multiplier, pass_trick, spring
from envs.doudizhu.kickers import joker_room, kicker_room, rocket_of
from envs.doudizhu.legal import ALL_RANKS, kind_exists
from envs.doudizhu.moves import (
    BODY,
    BODY_CARDS,
    BOMB,
    ID_BOMB,
    ID_PASS,
    ID_ROCKET,
    ID_SOLO,
    KICKER_CARDS,
    KIND,
    LENGTH,
    LONGEST,
    NO_WILD,
    NUM_KICKERS,
    RANK,
)
from envs.doudizhu.state import MAX_SEATS, NO_MOVE, NONE, PLAYING, STATE

MOST_CARDS = 12
"""Cards of all hands together, at most: with more a state is left alone."""
MOST_NODES = 5_000
"""Positions looked at for one state, at most."""
MOST_DEPTH = MOST_CARDS * MAX_SEATS
"""Plays and passes to the end of the hand, at most: after each card all others may pass."""
MOST_PLAYS = 256
"""More than a hand of MOST_CARDS allows, choices of kickers begun and given up included."""
NUM_CELLS = 1 << 12
MIXER = 0x1E3779B97F4A7C15
"""Odd and irregular, so that a product with it has the bits of a position well mixed."""
NON_NEGATIVE = (1 << 63) - 1
ANY = 1 << 40
"""More than any value."""


def record(*fields: Any) -> np.dtype[Any]:
    """The type of a record that kernels read by the names of its fields."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


PLAY = record(("declaration", np.int64), ("cards", np.int64))
"""A whole play, or passing; its packed cards with the kickers."""
NODE = record(
    ("rest", np.int64),  # what a position is known by beside the hands, see `pack_rest`
    ("cell", np.int64),  # its place in the table
    ("num", np.int64),  # plays there are to try
    ("tried", np.int64),  # plays tried so far
    ("best", np.int64),  # the value by these
    ("low", np.int64),  # of values up to that it need not be known which,
    ("high", np.int64),  # and of those from that on
)
"""How far the search has got at a position."""
CELL = record(
    ("hands", np.int64, (MAX_SEATS,)),
    ("rest", np.int64),  # 0 where the cell is empty
    ("least", np.int64),  # the value is at least that
    ("most", np.int64),  # and at most that
)
"""A position met before."""
LEADS = np.array([lead for lead in range(ID_SOLO, ID_ROCKET) if RANK[lead] == 0])
"""The lowest declaration of each kind and length, in order; the higher ones follow by rank."""
EACH = np.where(KIND == BOMB, LENGTH, BODY_CARDS[KIND])
"""Cards of each rank of a body."""
RANKS = np.where(LONGEST[KIND] > 1, LENGTH, 1)
"""Ranks of a body."""


@kernel(inline=True)
def add_choices(s: Any, declaration: int, plays: Any, first: int) -> int:
    """List a declaration with every choice of its kickers from place `first` on; returns the end.

    Rank by rank more kickers go with every choice begun; those that stay incomplete are given up.
    """
    size, wanted = KICKER_CARDS[declaration], NUM_KICKERS[declaration] * KICKER_CARDS[declaration]
    room = kicker_room(s.rules, declaration, int(s.hands[s.turn]), 0, NO_WILD)
    jokers = joker_room(s.rules, declaration, 0) * size
    ranks, end = ranks_with(room, 1), first + 1
    plays[first].cards = 0
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - 1
        for place in range(first, end):
            chosen = int(plays[place].cards)
            for _ in range(count_of(room, rank)):
                chosen += size << (4 * rank)
                if num_cards(chosen) > wanted or num_cards(chosen & JOKERS) > jokers:
                    break
                plays[end].cards = chosen
                end += 1
    num = first
    for place in range(first, end):
        if num_cards(int(plays[place].cards)) == wanted:
            plays[num].declaration = declaration
            plays[num].cards = BODY[declaration] + plays[place].cards
            num += 1
    return num


@kernel(inline=True)
def add_kind(s: Any, lead: int, least: int, plays: Any, num: int) -> int:
    """List the plays of the kind and length of `lead` from rank `least` on; returns the end."""
    if not kind_exists(s.rules, KIND[lead]):
        return num
    held = ranks_with(int(s.hands[s.turn]), EACH[lead])
    starts = ALL_RANKS >> least << least
    if RANKS[lead] > 1:
        starts &= ALL_RANKS >> (NUM_RANKS - NUM_SEQUENCE + RANKS[lead] - 1)
    for i in range(RANKS[lead]):
        starts &= held >> i
    while starts:
        declaration = lead + lowest(starts)
        starts &= starts - 1
        if NUM_KICKERS[declaration]:
            num = add_choices(s, declaration, plays, num)
        else:
            plays[num].declaration, plays[num].cards = declaration, BODY[declaration]
            num += 1
    return num


@kernel(inline=True)
def list_plays(s: Any, plays: Any) -> int:
    """List what the seat to act may do, passing first, then by declaration; returns how many.

    plays: [MOST_PLAYS], written in place.
    """
    table, num, own, others = int(s.table), 0, NO_MOVE, ID_SOLO
    if table != NO_MOVE:
        plays[0].declaration, plays[0].cards, num = ID_PASS, 0, 1
        if table == ID_ROCKET:
            return num
        own = table - RANK[table]
        others = max(own + 1, ID_BOMB)  # what beats the table whatever its rank: longer bombs
    players, size = int(s.rules.players), num_cards(int(s.hands[s.turn]))
    for k in range(LEADS.shape[0]):
        lead = LEADS[k]
        if (lead == own or lead >= others) and SIZE[players, lead] <= size:
            num = add_kind(s, lead, RANK[table] + 1 if lead == own else 0, plays, num)
    rocket = rocket_of(s.rules)
    if int(s.hands[s.turn]) & JOKERS == rocket:
        plays[num].declaration, plays[num].cards = ID_ROCKET, rocket
        num += 1
    return num


@kernel(inline=True)
def take(s: Any, declaration: int, cards: int) -> None:
    """Pass or play whole, as far as the value depends on it."""
    if declaration == ID_PASS:
        pass_trick(s)
        return
    seat = int(s.turn)
    s.hands[seat] -= cards
    s.plays[seat] += 1
    add_bomb(s, seat, declaration)
    s.table, s.table_seat, s.turn = declaration, seat, next_seat(s, seat)


@kernel
def bombs_left(s: Any) -> int:
    """Bombs and rockets that can still be played, at most."""
    num, rocket = 0, rocket_of(s.rules)
    for seat in range(int(s.rules.players)):
        hand = int(s.hands[seat])
        num += popcount(ranks_with(hand, LEAST_BOMB)) + int(hand & JOKERS == rocket)
        num += popcount(ranks_with(hand, 2 * LEAST_BOMB))
    return num


@kernel(inline=True)
def pack_rest(s: Any) -> int:
    """What the value depends on beside the hands, packed; never 0."""
    rest = (int(s.table) + 1) << 3 | int(s.table_seat) + 1
    rest = rest << 2 | int(s.turn)
    rest = rest << 3 | min(int(s.plays[s.landlord]), 2) << 1 | int(spring(s, int(s.landlord)))
    return rest << 8 | int(s.counted_bombs) + 1


@kernel(inline=True)
def find_cell(s: Any, rest: int) -> int:
    """The place of a position in the table."""
    mixed = rest
    for seat in range(MAX_SEATS):
        mixed = ((mixed ^ int(s.hands[seat])) * MIXER) & NON_NEGATIVE
        mixed ^= mixed >> 31
    return mixed & (NUM_CELLS - 1)


@kernel(inline=True)
def is_in(s: Any, rest: int, cell: Any) -> bool:
    """Whether a position is the one of a cell."""
    same = cell.rest == rest
    for seat in range(MAX_SEATS):
        same = same and cell.hands[seat] == s.hands[seat]
    return bool(same)


@kernel(inline=True)
def enter(s: Any, rest: int, cell: Any) -> None:
    """Let a cell stand for a position, with what either side wins at most."""
    for seat in range(MAX_SEATS):
        cell.hands[seat] = s.hands[seat]
    cell.rest = rest
    counted, landlord = int(s.counted_bombs), int(s.landlord)
    s.counted_bombs += bombs_left(s)
    cell.least = -multiplier(s, s.plays[landlord] <= 1)
    cell.most = multiplier(s, spring(s, landlord))
    s.counted_bombs = counted


@kernel(inline=True)
def begin(s: Any, node: Any, plays: Any, cells: Any, low: int, high: int) -> None:
    """Begin with a position: list its plays, or none where enough is known of its value.

    That is if it is at most `low` or at least `high`, if it is known for sure, or at the end.
    """
    node.num, node.tried, last = 0, 0, int(s.table_seat)
    if last != NONE and s.hands[last] == 0:
        value = multiplier(s, spring(s, last))
        node.best = value if last == s.landlord else -value
        return
    rest = pack_rest(s)
    node.rest, node.cell = rest, find_cell(s, rest)
    cell = cells[node.cell]
    if not is_in(s, rest, cell):
        enter(s, rest, cell)
    node.low, node.high = max(low, int(cell.least)), min(high, int(cell.most))
    if node.low < node.high:
        node.best = -ANY if s.turn == s.landlord else ANY
        node.num = list_plays(s, plays)
    else:
        node.best = cell.least if cell.least >= high else cell.most


@kernel(inline=True)
def window(s: Any, node: Any) -> tuple[int, int]:
    """Between what values a position's next play matters; it does not if that is nothing."""
    if s.turn == s.landlord:
        return max(int(node.low), int(node.best)), int(node.high)
    return int(node.low), min(int(node.high), int(node.best))


@kernel(inline=True)
def end(s: Any, node: Any, cells: Any) -> None:
    """Keep what was found out about a position."""
    cell = cells[node.cell]
    if node.num == 0 or not is_in(s, node.rest, cell):
        return
    if node.best > node.low:
        cell.least = max(node.best, cell.least)
    if node.best < node.high:
        cell.most = min(node.best, cell.most)


@kernel(inline=True)
def go_back(line: Any, nodes: Any, cells: Any, depth: int) -> int:
    """From `depth` back to the last position with a play to try; returns its depth, -1 for none."""
    while True:
        s, node = line[depth], nodes[depth]
        low, high = window(s, node)
        if node.tried < node.num and low < high:
            return depth
        end(s, node, cells)
        depth -= 1
        if depth < 0:
            return depth
        before, value = nodes[depth], node.best
        if line[depth].turn == line[depth].landlord:
            before.best = max(before.best, value)
        else:
            before.best = min(before.best, value)


@kernel(inline=True)
def next_play(s: Any, node: Any) -> int:
    """The place of the next play to try, the likeliest first to be good.

    At a lead long ones come before short ones, on an enemy's play low ones come first and passing
    comes last, on the partner's passing comes first.
    """
    node.tried += 1
    if s.table == NO_MOVE:
        return int(node.num - node.tried)
    if s.turn == s.landlord or s.table_seat == s.landlord:
        return int(node.tried) if node.tried < node.num else 0
    return int(node.tried - 1)


@kernel(inline=True)
def solve(line: Any, nodes: Any, plays: Any, cells: Any, most_nodes: int) -> bool:
    """Find the value of `line[0]`, which is then `nodes[0].best`; False if that takes too long.

    line, nodes: [MOST_DEPTH + 1], the positions from there to the one looked at; plays:
    [MOST_DEPTH + 1, MOST_PLAYS], what may be done in each.
    """
    depth, low, high = 0, -ANY, ANY
    for _ in range(most_nodes):
        begin(line[depth], nodes[depth], plays[depth], cells, low, high)
        depth = go_back(line, nodes, cells, depth)
        if depth < 0:
            return True
        low, high = window(line[depth], nodes[depth])
        play = plays[depth, next_play(line[depth], nodes[depth])]
        line[depth + 1] = line[depth]
        depth += 1
        take(line[depth], int(play.declaration), int(play.cards))
    return False


@kernel(inline=True)
def can_solve(s: Any) -> bool:
    """Whether the state is none of those that are left alone."""
    if s.turn < 0 or s.phase != PLAYING or s.pending > 0 or s.wild != NONE:
        return False
    num = 0
    for seat in range(MAX_SEATS):
        num += s.sizes[seat]
    return num <= MOST_CARDS and (s.rules.farmer_bomb_limit == 0 or bombs_left(s) == 0)


@kernel(inline=True)
def pay(s: Any, value: int, payoffs: Any) -> None:
    """What each seat wins by a value (RULES 8.5)."""
    landlord = int(s.landlord)
    amount = float(value * s.base_score * max(int(s.factors[landlord]), 1))
    payoffs[landlord] = 0.0
    for seat in range(int(s.rules.players)):
        if seat != landlord:
            payoffs[seat] = -amount * max(int(s.factors[seat]), 1)
            payoffs[landlord] -= payoffs[seat]


@kernel
def solve_each(
    line: Any,
    nodes: Any,
    plays: Any,
    cells: Any,
    states: Any,
    payoffs: Any,
    solved: Any,
    most_nodes: int,
) -> None:
    """`solve_batch` with room for the search, see `solve`."""
    for i in range(states.shape[0]):
        solved[i] = can_solve(states[i])
        if solved[i]:
            line[0] = states[i]
            solved[i] = solve(line, nodes, plays, cells, most_nodes)
        if solved[i]:
            pay(states[i], nodes[0].best, payoffs[i])


def solve_batch(states: Array, payoffs: Array, solved: Array, most_nodes: int = MOST_NODES) -> None:
    """What best play of both sides brings, all hands known, in states of one deal.

    Left alone are those that it is not for, see the module, and those that take more than
    `most_nodes` positions. states: [N], unchanged. payoffs: [N, seats] float64, written in place
    where solved: what each seat wins from here on. solved: [N] bool, written in place.
    """
    line, nodes = np.zeros(MOST_DEPTH + 1, STATE), np.zeros(MOST_DEPTH + 1, NODE)
    plays, cells = np.zeros((MOST_DEPTH + 1, MOST_PLAYS), PLAY), np.zeros(NUM_CELLS, CELL)
    solve_each(line, nodes, plays, cells, states, payoffs, solved, most_nodes)
