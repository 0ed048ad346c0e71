"""The play of Tichu: leads, tricks, the wish, bombs and calls out of turn (RULES 6 to 9)."""

from typing import Any

from envs.core.bits import popcount
from envs.core.game import OVER
from envs.core.jit import kernel
from envs.tichu.cards import LOWEST, MAHJONG, NO_WISH, RANK_CARDS, points_of
from envs.tichu.legal import has_bomb_beating, is_bomb_forbidden, smallest_bomb
from envs.tichu.moves import (
    ID_DOG,
    ID_DRAGON,
    ID_PHOENIX,
    KIND,
    NO_MOVE,
    RANK,
    SINGLE,
    VALUE,
)
from envs.tichu.rounds import is_double_win, seat_after
from envs.tichu.rules import (
    ASK_PUBLIC,
    BOMBS_EVERY_ACTION,
    BOMBS_OWN_TURN,
    CALLS_BEFORE_PARTNER,
    CALLS_EVERY_ACTION,
    DOG_SKIP_SELF,
)
from envs.tichu.selection import draw_cards
from envs.tichu.state import (
    COLLECT,
    ENDED,
    FOLLOW,
    GIFT,
    INTERRUPT,
    LEAD,
    NO_RESULT,
    NONE,
    NUM_SEATS,
    PASSED,
    PLAYED,
    TAKEN,
    TRICK_END,
    WAITING,
    WISH,
    WISHED,
    clear_selection,
    may_call,
)

PHOENIX_LED = 2 * 1 + 1
"""Value of a phoenix that is led: 1.5 (RULES 8.3)."""


@kernel
def next_active(s: Any, seat: int) -> int:
    """The first seat after `seat` that has cards; in the end `seat` itself."""
    for k in range(1, NUM_SEATS):
        if s.sizes[seat_after(seat, k)]:
            return seat_after(seat, k)
    return seat


@kernel
def open_lead(s: Any, leader: int) -> None:
    """The table is empty and `leader` on turn."""
    s.table, s.value, s.table_cards, s.pile = NO_MOVE, 0, 0, 0
    s.passes, s.passer = 0, NONE
    s.phase, s.stage = LEAD, LEAD
    s.turn, s.next_seat = leader, leader


@kernel
def are_bombs_asked(s: Any) -> bool:
    """Whether bombs may be thrown out of turn now (RULES 9.1)."""
    if s.table == NO_MOVE or s.rules.bomb_window == BOMBS_OWN_TURN:
        return False
    return s.rules.bomb_window == BOMBS_EVERY_ACTION or s.passer == NONE or s.stage == COLLECT


@kernel
def is_asked_for_call(s: Any, seat: int) -> bool:
    """Whether a seat other than the next regular actor is asked for small tichu (RULES 3.9)."""
    if seat == s.next_seat or not may_call(s, seat):
        return False
    if s.rules.tichu_window == CALLS_EVERY_ACTION or is_before_first_lead(s):
        return True
    return s.rules.tichu_window == CALLS_BEFORE_PARTNER and seat_after(seat, 2) == s.next_seat


@kernel
def is_before_first_lead(s: Any) -> bool:
    """Whether nobody has played a card yet."""
    played = 0
    for seat in range(NUM_SEATS):
        played |= s.played[seat]
    return played == 0


@kernel
def is_asked_for_bomb(s: Any, seat: int) -> bool:
    """Whether a seat is asked for a bomb out of turn (RULES 9.1, 9.5)."""
    if not are_bombs_asked(s):
        return False
    hand, table = int(s.hands[seat]), int(s.table)
    is_next = s.stage == FOLLOW and seat == s.next_seat
    if s.rules.bomb_ask == ASK_PUBLIC:
        return s.sizes[seat] >= smallest_bomb(table) and (not is_next or s.wish != NO_WISH)
    if is_next:
        return is_bomb_forbidden(hand, table, int(s.value), int(s.wish))
    return has_bomb_beating(hand, table)


@kernel
def open_window(s: Any, stage: int, next_seat: int) -> None:
    """Let others be asked out of turn before `next_seat` acts or takes the trick (RULES 9.1)."""
    s.stage, s.next_seat, s.window, s.turn = stage, next_seat, 0, WAITING


@kernel
def go_on(s: Any) -> None:
    """Ask the next seat of the window; after the last one the regular actor acts, or the owner
    takes the trick, or has to give it away (RULES 6, 8.2, 9.1).
    """
    while s.window < NUM_SEATS:
        s.window += 1
        seat = seat_after(s.owner, s.window)
        if s.sizes[seat] == 0 or seat == s.passer:
            continue
        if is_asked_for_call(s, seat) or is_asked_for_bomb(s, seat):
            takes = s.stage == COLLECT and seat == s.owner
            s.phase, s.turn = (COLLECT if takes else INTERRUPT), seat
            return
    if s.stage != COLLECT:
        s.phase, s.turn = s.stage, s.next_seat
    elif s.table == ID_DRAGON:
        s.phase, s.turn = GIFT, s.owner
    else:
        take_trick(s, s.owner)


@kernel
def take_trick(s: Any, taker: int) -> None:
    """The pile goes to a seat, and the owner leads, or who follows him (RULES 6, 10.1)."""
    s.points[taker] += points_of(int(s.pile))
    s.pile = 0
    s.taker, s.outcome = taker, TRICK_END
    if s.num_out == NUM_SEATS - 1:
        s.stage, s.turn = ENDED, OVER
    else:
        open_lead(s, s.owner if s.sizes[s.owner] else next_active(s, s.owner))


@kernel
def give_trick(s: Any, action: int) -> None:
    """The dragon's trick goes to an opponent (RULES 8.2)."""
    s.actor, s.event, s.action = s.owner, TAKEN, action
    take_trick(s, seat_after(s.owner, RANK[action]))


@kernel
def pass_turn(s: Any) -> None:
    """Pass; the trick ends when everybody but its owner has passed (RULES 6, T-D17)."""
    seat = int(s.turn)
    note_wish(s, seat, 0)
    s.actor, s.event, s.outcome = seat, PASSED, NO_RESULT
    s.passer = seat
    s.passes += 1
    others = 0
    for other in range(NUM_SEATS):
        others += s.sizes[other] > 0 and other != s.owner
    if s.passes == others:
        open_window(s, COLLECT, s.owner)
    else:
        open_window(s, FOLLOW, next_active(s, seat))


@kernel
def note_wish(s: Any, seat: int, cards: int) -> None:
    """Note what all see of a seat that does not serve the wish on its turn with these cards.

    Where a single card of the wished rank would have been legal, it has none (RULES 7, T-D13).
    """
    wish = int(s.wish)
    if wish == NO_WISH or (s.phase != LEAD and s.phase != FOLLOW) or cards & RANK_CARDS[wish]:
        return
    if s.table == NO_MOVE or (KIND[s.table] == SINGLE and 2 * wish > s.value):
        s.lacks[seat] = 1


@kernel
def value_of(s: Any, combination: int) -> int:
    """The rank of a play in half ranks; a phoenix alone is half above the table (RULES 8.3)."""
    if combination == ID_PHOENIX:
        return PHOENIX_LED if s.table == NO_MOVE else s.value + 1
    return VALUE[combination]


@kernel
def play(s: Any) -> None:
    """Play the combination that is chosen, in turn or not (RULES 6)."""
    seat, combination, cards = int(s.turn), int(s.begun), draw_cards(s)
    note_wish(s, seat, cards)
    s.actor, s.event, s.action, s.outcome = seat, PLAYED, combination, NO_RESULT
    s.last_cards, s.last_slot = cards, s.slot
    clear_selection(s)
    s.hands[seat] &= ~cards
    s.played[seat] |= cards
    s.sizes[seat] = popcount(s.hands[seat])
    if s.sizes[seat] == 0:
        s.num_out += 1
        s.place[seat] = s.num_out
    if s.wish != NO_WISH and cards & RANK_CARDS[s.wish]:
        s.wish = NO_WISH
    if combination != ID_DOG:
        s.value = value_of(s, combination)
        s.table, s.table_cards = combination, cards
        s.pile |= cards
    s.owner, s.passes, s.passer = seat, 0, NONE
    follow_up(s, seat, cards)


@kernel
def follow_up(s: Any, seat: int, cards: int) -> None:
    """What comes after a play: the end of the round, a wish, or the window (RULES 6)."""
    is_last = s.num_out == NUM_SEATS - 1
    if (s.num_out == 2 and is_double_win(s)) or (is_last and s.action == ID_DOG):
        s.stage, s.turn = ENDED, OVER
    elif is_last:  # nobody is asked any more (RULES T-D28)
        open_window(s, COLLECT, seat)
        s.window = NUM_SEATS
    elif s.action == ID_DOG:
        open_window(s, LEAD, leader_after_dog(s, seat))
    elif cards & MAHJONG:
        s.phase, s.stage = WISH, WISH
        s.turn, s.next_seat = seat, seat
    else:
        open_window(s, FOLLOW, next_active(s, seat))


@kernel
def leader_after_dog(s: Any, seat: int) -> int:
    """Who leads after the dog (RULES 8.1)."""
    leader = next_active(s, seat_after(seat, 1))
    if leader == seat and s.rules.dog_return == DOG_SKIP_SELF:
        return next_active(s, seat)
    return leader


@kernel
def make_wish(s: Any, action: int) -> None:
    """Name a rank, or none (RULES 7)."""
    wish = RANK[action] if RANK[action] >= LOWEST else NO_WISH
    s.wish, s.wished = wish, wish
    s.actor, s.event, s.action, s.outcome = s.turn, WISHED, action, NO_RESULT
    open_window(s, FOLLOW, next_active(s, s.turn))
