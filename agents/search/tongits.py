"""The default policy of Tongits: the rule-based player, made simpler for the sake of speed.

What a position is worth comes from the same constants, but from a look at fewer futures, and not of
everything that may be done is the worth worked out:

- what fits on the table and is of no use in the hand is laid off at once;
- a meld is laid where that registers the seat and is worth it, or where it helps to go out;
- only loose cards are discarded, and a take is looked at with its dearest discard alone;
- a start of a turn that leaves nothing but to draw costs no thought.
"""

from typing import Any

import numpy as np

from agents.rule_based.tongits_hands import fitting, loose_cards, points_of, points_without
from agents.rule_based.tongits_outlook import (
    FADE,
    FADE_PER_CARD,
    MANY,
    MOST_POINTS,
    OUTLOOK,
    chance_taken,
    draws_to_come,
)
from agents.rule_based.tongits_worth import (
    CAUTION,
    KEPT,
    NOW,
    NOW_PER_MELD,
    OPEN,
    OUT,
    REGISTERED,
    TAKEN,
    UNREGISTERED,
    WIN,
    WINNERS_BONUS,
    price_of_tongits,
    price_of_win,
    worth_of_challenge,
    worth_of_knock,
)
from agents.search.tongits_belief import settle_batch as settle_batch
from envs.core.bits import load_word, lowest, popcount
from envs.core.game import NO_ACTION, OVER, Array
from envs.core.jit import kernel
from envs.core.rng import WORD, philox
from envs.tongits.cards import DECK, NUM_CARDS, NUM_RANKS, RANK_VALUES, list_cards
from envs.tongits.engine import apply, is_tongits
from envs.tongits.legal import legal
from envs.tongits.moves import (
    CARDS,
    ID_CHALLENGE,
    ID_DISCARD,
    ID_DRAW,
    ID_FOLD,
    ID_KNOCK,
    ID_LAYOFF_SET,
    ID_SET,
    KIND,
    NUM_ACTIONS,
    SET,
)
from envs.tongits.state import (
    DRAWING,
    HAND_SIZE,
    NUM_SEATS,
    RESPONDING,
    STATE,
    exposed,
    in_pile,
)
from envs.tongits.values import hand_value

FUTURES = 8
"""Futures looked at, of the room that an outlook has for them."""
MOST_DRAWS = 4
"""Cards looked ahead to at most."""
CARDS_A_WORD = 5
"""Cards drawn from one random number of 32 bits."""


def build_hope() -> Array:
    """What a hand is good for: [2, 26, 141].

    By whether a seat without a meld may challenge, by the cards that both others hold, and by the
    points left loose.
    """
    cards, points = np.ogrid[: 2 * HAND_SIZE + 2, : MOST_POINTS + 1]
    return np.exp(-points / (FADE[:, None, None] + FADE_PER_CARD * (cards - MANY)))


HOPE = build_hope()


@kernel
def turn_round(v: Any, s: Any) -> None:
    """Make `v` of a state what the seat to act knows of it, turned so that it is seat 0."""
    v[0] = s
    view, seat = v[0], int(s.turn)
    for k in range(NUM_SEATS):
        other = seat + k if seat + k < NUM_SEATS else seat + k - NUM_SEATS
        view.hands[k] = s.hands[other] if k == 0 else 0
        view.sizes[k], view.blocked[k] = s.sizes[other], s.blocked[other]
        view.discards[k], view.melds[k] = s.discards[other], s.melds[other]
        if s.knocker == other:
            view.knocker = k


@kernel
def fill_futures(o: Any, hand: int) -> None:
    """Deal unseen cards to the futures, by random numbers made of the position.

    The cards of a future differ, those of two may be the same once all are dealt.
    """
    cards = np.empty(NUM_CARDS, np.int64)
    num = list_cards(o.unseen, cards)
    left, word, drawn = num, 0, 0
    for i in range(FUTURES):
        if left < o.draws:
            left = num
        future = 0
        for _ in range(o.draws):
            if drawn % CARDS_A_WORD == 0:
                word = philox(drawn, hand ^ (hand >> 32), o.unseen ^ (o.unseen >> 32)) & WORD
            place, word = (word * left) >> 32, (word * left) & WORD
            left, drawn = left - 1, drawn + 1
            future |= 1 << cards[place]
            cards[place], cards[left] = cards[left], cards[place]
        o.futures[i] = future


@kernel
def look(o: Any, s: Any) -> None:
    """Take in the view `s`: the unseen cards and some futures; in the last own turn, none."""
    hand = int(s.hands[0])
    o.unseen = DECK & ~(hand | exposed(s) | in_pile(s))
    o.draws = draws_to_come(s, MOST_DRAWS)
    if o.draws > 0:
        fill_futures(o, hand)


@kernel
def look_back(o: Any, s: Any) -> None:
    """Take in the last discard of each seat."""
    for seat in range(NUM_SEATS):
        o.last[seat] = RANK_VALUES[NUM_RANKS - 1]
        for place in range(s.pile_size - 1, -1, -1):
            if s.discards[seat] >> s.pile[place] & 1:
                o.last[seat] = RANK_VALUES[s.pile[place] % NUM_RANKS]
                break


@kernel
def chance_to_win(o: Any, s: Any, hand: int, fits: int) -> tuple[float, float]:
    """Chance to win with a hand, and share of the futures that bring tongits."""
    strict = s.rules.challenge_requires_meld
    hope = HOPE[strict, s.sizes[1] + s.sizes[2]]
    now = hope[points_of(loose_cards(hand))]
    if o.draws == 0:
        return WIN[strict] * now, 0.0
    later, num_out = 0.0, 0
    for i in range(FUTURES):
        points = points_without(loose_cards(hand | o.futures[i]) & ~fits, o.draws)
        later += hope[points]
        num_out += points == 0
    num_melded = int(s.melds[1] != 0) + int(s.melds[2] != 0)  # int(): NumPy adds bools to a bool
    share = NOW + NOW_PER_MELD[strict] * num_melded
    win = share * now + (1 - share) * later / FUTURES
    return WIN[strict] * win, num_out / FUTURES


@kernel
def worth(o: Any, s: Any, hand: int) -> float:
    """What it is worth to hold these cards, with the melds of the view `s` on the table.

    After the last own turn what the hand has is kept, and who has no meld has none at the end.
    """
    fits = fitting(s)
    win, out = chance_to_win(o, s, hand, fits)
    is_last = o.draws == 0
    kept, burned = (1.0, 1.0) if is_last else (KEPT, UNREGISTERED)
    loss = s.rules.score_base + WINNERS_BONUS
    value = OUT * out * 2.0 * s.rules.score_tongits
    if s.melds[0] == 0:
        loss += burned * s.rules.score_burn
    elif not is_last:
        value += REGISTERED[s.rules.challenge_requires_meld]
    value += win * price_of_win(s, hand, kept, burned) - (1 - win) * loss
    return float(value - OPEN * popcount(fits & o.unseen))


@kernel
def worth_after(o: Any, s: Any, action: int, hand: int) -> float:
    """What it is worth to lay a meld or lay off a card, and then to hold these cards."""
    own, melds, sets = s.hands[0], s.melds[0], s.sets
    s.hands[0] = hand
    if action < ID_LAYOFF_SET:
        s.melds[0] |= CARDS[action]
        if KIND[action] == SET:
            s.sets |= CARDS[action]
    value = price_of_tongits(s, hand) if is_tongits(s, 0) else worth(o, s, hand)
    s.hands[0], s.melds[0], s.sets = own, melds, sets
    return value


@kernel
def next_allowed(mask: Any, action: int, end: int) -> int:
    """The first allowed action from `action` on, or `end`; goes by eight over what is 0."""
    while action < end:
        if action + 8 <= end and load_word(mask, action) == 0:
            action += 8
        elif mask[action]:
            break
        else:
            action += 1
    return action


@kernel
def dearest(cards: int) -> int:
    """The dearest card of a set, as a set; of nothing, nothing."""
    found = 0
    while cards:
        card = cards & -cards
        cards ^= card
        if points_of(card) > points_of(found):
            found = card
    return found


@kernel
def choose_start(o: Any, s: Any, mask: Any) -> int:
    """Draw, knock, or take the top discard."""
    look(o, s)
    s.blocked[0] = 0  # drawing or taking clears it
    hand = int(s.hands[0])
    choice, best = ID_DRAW, worth(o, s, hand)
    if mask[ID_KNOCK]:
        look_back(o, s)
        value = worth_of_knock(o, s) - CAUTION[s.rules.challenge_requires_meld]
        if value > best:
            choice, best = ID_KNOCK, value
    action = next_allowed(mask, ID_SET, ID_DISCARD)
    while action < ID_DISCARD:
        rest = (hand | 1 << int(s.top)) & ~CARDS[action]
        value = worth_after(o, s, action, rest & ~dearest(loose_cards(rest)))
        if value > best:
            choice, best = action, value
        action = next_allowed(mask, action + 1, ID_DISCARD)
    return choice


@kernel
def choose_layoff(mask: Any, cards: int) -> int:
    """How to lay off one of these cards, or NO_ACTION."""
    action = next_allowed(mask, ID_LAYOFF_SET, ID_DISCARD)
    while action < ID_DISCARD:
        if CARDS[action] & cards:
            return action
        action = next_allowed(mask, action + 1, ID_DISCARD)
    return NO_ACTION


@kernel
def choose_meld(o: Any, s: Any, mask: Any, lays_all: bool) -> int:
    """A meld that costs the hand nothing and is worth to be laid, or NO_ACTION.

    lays_all: any meld is.
    """
    hand = int(s.hands[0])
    points = hand_value(hand)
    choice, best = NO_ACTION, -np.inf if lays_all else worth(o, s, hand)
    action = next_allowed(mask, ID_SET, ID_LAYOFF_SET)
    while action < ID_LAYOFF_SET:
        rest = hand & ~CARDS[action]
        if hand_value(rest) <= points:
            value = worth_after(o, s, action, rest)
            if value > best:
                choice, best = action, value
        action = next_allowed(mask, action + 1, ID_LAYOFF_SET)
    return choice


@kernel
def choose_discard(o: Any, s: Any, cards: int) -> int:
    """The discard among these cards after which the own hand is worth most."""
    choice, best = lowest(cards), -np.inf
    if cards & (cards - 1):
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            value = worth(o, s, s.hands[0] & ~(1 << card)) - TAKEN * chance_taken(o, s, card)
            if value > best:
                choice, best = card, value
    return ID_DISCARD + choice


@kernel
def choose_play(o: Any, s: Any, mask: Any) -> int:
    """Lay off a card, lay a meld, or discard.

    Where only an empty hand wins, melds are laid once nothing else is left but the discard.
    """
    hand = int(s.hands[0])
    loose = loose_cards(hand)
    action = choose_layoff(mask, loose)
    if action != NO_ACTION:
        return action
    look(o, s)
    goes_out = loose & (loose - 1) == 0
    lays_all = goes_out and not s.rules.tongits_hidden_melds
    if lays_all or (s.melds[0] == 0 and not goes_out):
        action = choose_meld(o, s, mask, lays_all)
        if action != NO_ACTION:
            return action
    return choose_discard(o, s, loose if loose else hand)


@kernel
def choose_answer(o: Any, s: Any) -> int:
    """Challenge a knock, or fold."""
    if s.rules.failed_challenge_penalty:
        look(o, s)
        look_back(o, s)
    return ID_CHALLENGE if worth_of_challenge(o, s) >= 0 else ID_FOLD


@kernel
def decide(o: Any, v: Any, s: Any, mask: Any) -> int:
    """One allowed action for the seat to act; NO_ACTION when the game is over.

    o, v: [1], room for thoughts and for the view of the seat.
    """
    if s.turn < 0:
        return NO_ACTION
    is_start = s.phase == DRAWING
    if is_start and not mask[ID_KNOCK] and next_allowed(mask, ID_SET, ID_DISCARD) == ID_DISCARD:
        return ID_DRAW
    turn_round(v, s)
    if s.phase == RESPONDING:
        return choose_answer(o[0], v[0])
    return choose_start(o[0], v[0], mask) if is_start else choose_play(o[0], v[0], mask)


@kernel
def choose_batch(states: Any, masks: Any, actions: Any) -> None:
    """An allowed action for the seat to act in each state or view, by what that seat knows.

    masks: [N, 541] int8; actions: [N] int64, written in place, NO_ACTION where nobody is to act.
    """
    o, v = np.empty(1, OUTLOOK), np.empty(1, STATE)
    for i in range(states.shape[0]):
        actions[i] = decide(o, v, states[i], masks[i])


@kernel
def play_out_batch(states: Any, payoffs: Any) -> None:
    """Play every state on by the policy to the end of its present hand, in place.

    payoffs: [N, 3] float64, what each seat wins from the given state on; written in place.
    """
    o, v, mask = np.empty(1, OUTLOOK), np.empty(1, STATE), np.empty(NUM_ACTIONS, np.int8)
    for i in range(states.shape[0]):
        s = states[i]
        deals = s.deals
        for seat in range(NUM_SEATS):
            payoffs[i, seat] = -s.scores[seat]
        while s.turn != OVER and s.deals == deals:
            legal(s, mask)
            apply(s, decide(o, v, s, mask))
        for seat in range(NUM_SEATS):
            payoffs[i, seat] += s.scores[seat]
