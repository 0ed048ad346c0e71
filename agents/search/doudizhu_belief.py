"""Which play others are known to have passed over, for the weights of worlds in Dou Dizhu.

The record keeps who passed over the play on the table, and of the trick before, that all others
passed over the own play that won it.
"""

from typing import Any

from envs.core.jit import kernel
from envs.doudizhu.cards import missing, num_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import (
    BODY,
    ID_ROCKET,
    ID_SOLO,
    KICKER_CARDS,
    NUM_KICKERS,
)
from envs.doudizhu.state import NO_MOVE, PLAYING
from envs.doudizhu.wild import num_wild


@kernel
def declaration_of(s: Any, cards: int) -> int:
    """The declaration of cards that were played, NO_MOVE if wild cards leave that open.

    Of several readings it is the first, those without kickers before the others.
    """
    if num_wild(cards, int(s.wild)) > 0:
        return NO_MOVE
    if cards == rocket_of(s.rules):
        return ID_ROCKET
    found = NO_MOVE
    for action in range(ID_SOLO, ID_ROCKET):
        if BODY[action] == cards and NUM_KICKERS[action] == 0:
            return action
        lacks = num_cards(cards) - num_cards(BODY[action])
        lacks -= NUM_KICKERS[action] * KICKER_CARDS[action]
        if found == NO_MOVE and lacks == 0 and missing(int(BODY[action]), cards) == 0:
            found = action
    return found


@kernel
def recall_table(s: Any) -> int:
    """Put the play on the table that was passed over last; returns by how many seats.

    s: a world in which seat 0 is to act. Those who passed are the next seats after the owner.
    """
    if s.phase != PLAYING:
        return 0
    if s.table != NO_MOVE:
        return int(s.passes)
    if s.plays[0] == 0:
        return 0
    s.table = declaration_of(s, int(s.last_cards[0]))
    s.table_seat = 0
    return int(s.rules.players) - 1 if s.table != NO_MOVE else 0
