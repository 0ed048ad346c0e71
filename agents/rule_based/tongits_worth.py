"""What a position of Tongits is worth to a seat, in the points of the score.

Between turns a hand has a chance to win, and a win and a loss have their prices. Those in pairs are
for tables where a seat without a meld may challenge, and for tables where it may not.

The constants were chosen in matches of variants against each other, some thousand deals each, in
the presets `seed` and `filipino`. Around them payoffs change little, but for REGISTERED and TAKEN.
FADE, NOW_PER_MELD and CAUTION of the first kind were set, within what the matches could not
tell apart, to win more often against random play; UNREGISTERED, BLOCKED and CAUGHT are guesses.
"""

import math
from typing import Any

import numpy as np

from agents.rule_based.tongits_hands import fitting, loose_cards, points_of
from agents.rule_based.tongits_outlook import chance_taken, hope_of_draw, hope_of_futures
from envs.core.bits import popcount
from envs.core.jit import kernel
from envs.tongits.cards import NUM_CARDS, ranks_with_four
from envs.tongits.engine import is_tongits
from envs.tongits.rules import SCOPE_HAND_AND_MELDS, TIE_KNOCKER
from envs.tongits.scoring import BONUS_CARDS
from envs.tongits.state import NUM_SEATS
from envs.tongits.values import hand_value

WIN = np.array([0.85, 0.7])
"""Chance to win with a hand that leaves nothing loose."""
NOW, NEXT = 0.1, 0.25
NOW_PER_MELD = np.array([0.3, 0.15])
"""Weights of the hand as it is and after one draw, and more of the former for each other seat that
has a meld and so may knock; the rest is for the hand after all draws."""
OUT = 0.3
"""Part of the price of tongits that a future counts which leaves nothing loose."""
WINNERS_BONUS = 1.0
"""Points that another seat wins with for its aces, kings and fours, on average."""
KEPT = 0.4
"""Part of its bonus that a hand still has at the end, in effect."""
UNREGISTERED = 0.5
"""Chance that a seat without a meld still has none at the end."""
REGISTERED = np.array([-0.5, 0.8])
"""What it is worth to have a meld on the table, beyond the price of having none at the end."""
OPEN = 0.02
"""What each unseen card costs that can be laid off on the table."""
BLOCKED = 0.1
"""What it costs not to be allowed to knock, and is worth that another seat may not."""
TAKEN = 0.3
"""What it costs that the next seat takes a discard."""
SLACK = 6
"""Points that a discard may leave loose above the least: others are not looked at."""
CAUTION = np.array([0.8, 0.5])
"""What a knock must be worth above going on."""
CAUGHT = 0.6
"""Part that is left of the chance that a seat leaves more points loose once it has knocked."""
HIGHER = np.array(
    [
        [-3.669, -0.242, 0.218, 1.153, 1.319, 0.128, 0.188, 0.215, 0.138, 0.194],
        [-1.659, -0.24, 0.298, 0.16, -1.924, 0.138, 0.58, 0.241, 0.15, 0.153],
    ]
)
"""Logarithm of the odds that a seat leaves more points loose, see `chance_higher`: [2, 10]."""


@kernel
def bonus_of(s: Any, hand: int) -> int:
    """What each loser owes for the aces, kings and fours of the own hand (RULES 9)."""
    cards = hand | s.melds[0] if s.rules.bonus_scope == SCOPE_HAND_AND_MELDS else hand
    bonus = s.rules.score_bonus * popcount(cards & BONUS_CARDS[s.rules.bonus_ranks])
    return int(bonus + s.rules.score_quad * popcount(ranks_with_four(cards)))


@kernel
def price_of_win(s: Any, hand: int, kept: float, burned: float) -> float:
    """What the others pay for a win.

    Of the hand's bonus the part `kept` counts; a seat without a meld is `burned` with that chance.
    """
    price = 2.0 * (s.rules.score_base + kept * bonus_of(s, hand))
    for seat in range(1, NUM_SEATS):
        if s.melds[seat] == 0:
            price += burned * s.rules.score_burn
    return float(price)


@kernel
def price_of_tongits(s: Any, hand: int) -> float:
    """What the others pay for getting rid of all cards."""
    return float(price_of_win(s, hand, 1.0, 1.0) + 2.0 * s.rules.score_tongits)


@kernel
def prospects(o: Any, s: Any, hand: int, fits: int) -> tuple[float, float, float, float, float]:
    """Chance to win with these cards, and what it comes from.

    fits: set of the cards that can be laid off.

    Returns: the chance; the hope of the hand as it is, after the next draw, and after all draws;
    the share of futures that leave nothing loose.
    """
    strict = s.rules.challenge_requires_meld
    weight = NOW + NOW_PER_MELD[strict] * (int(s.melds[1] != 0) + int(s.melds[2] != 0))
    later, out = hope_of_futures(o, hand, fits)
    now, drawn = o.hope[points_of(loose_cards(hand))], hope_of_draw(o, hand, fits)
    hope = weight * now + NEXT * drawn + (1 - weight - NEXT) * later
    return float(WIN[strict] * hope), float(now), float(drawn), float(later), float(out)


@kernel
def worth_of_prospects(s: Any, hand: int, win: float, out: float, num_open: int) -> float:
    """What a chance to win is worth, and a share `out` of futures that leave nothing loose.

    num_open: unseen cards that can be laid off.
    """
    loss = s.rules.score_base + WINNERS_BONUS
    worth = OUT * out * 2.0 * s.rules.score_tongits
    if s.melds[0]:
        worth += REGISTERED[s.rules.challenge_requires_meld]
    else:
        loss += UNREGISTERED * s.rules.score_burn
    worth += win * price_of_win(s, hand, KEPT, UNREGISTERED) - (1 - win) * loss
    worth -= OPEN * num_open
    worth += BLOCKED * (s.blocked[1] + s.blocked[2] - s.blocked[0])
    return float(worth)


@kernel
def worth_between_turns(o: Any, s: Any, hand: int) -> float:
    """What it is worth to hold these cards, with the melds of the view `s` on the table."""
    fits = fitting(s)
    win, _, _, _, out = prospects(o, s, hand, fits)
    return worth_of_prospects(s, hand, win, out, popcount(fits & o.unseen))


@kernel
def best_discard(o: Any, s: Any) -> tuple[int, float]:
    """The discard after which the own hand is worth most, and that worth."""
    hand = int(s.hands[0])
    values = np.empty(NUM_CARDS, np.int64)
    least = np.int64(1000)
    choice, best = -1, -np.inf
    for card in range(NUM_CARDS):
        if hand >> card & 1:
            values[card] = hand_value(hand & ~(1 << card))
            least = min(least, values[card])
    for card in range(NUM_CARDS):
        if hand >> card & 1 and values[card] <= least + SLACK:
            s.hands[0] = rest = hand & ~(1 << card)
            if is_tongits(s, 0):
                worth = price_of_tongits(s, rest)
            else:
                worth = worth_between_turns(o, s, rest) - TAKEN * chance_taken(o, s, card)
            if worth > best:
                choice, best = card, worth
    s.hands[0] = hand
    return choice, best


@kernel
def chance_higher(o: Any, s: Any, seat: int, points: int) -> float:
    """Chance that a seat leaves more than these points loose.

    A regression on 20,000 hands of either kind that the player played against itself.
    """
    size, stock = s.sizes[seat], s.stock_size / 10
    w, unseen = (
        HIGHER[s.rules.challenge_requires_meld],
        points_of(o.unseen) / max(popcount(o.unseen), 1),
    )
    log_odds = w[0] + w[1] * points + w[2] * size + w[3] * stock
    log_odds += w[4] * (s.melds[seat] != 0) + w[5] * points * size / 10 + w[6] * unseen
    log_odds += w[7] * points * stock / 10 + w[8] * (seat == 1) + w[9] * o.last[seat]
    return 1 / (1 + math.exp(-log_odds))


@kernel
def chance_of_knock(o: Any, s: Any) -> float:
    """Chance to win by a knock if everybody challenges who may."""
    points = hand_value(int(s.hands[0]))
    if s.rules.knock_tie == TIE_KNOCKER:
        points -= 1
    win = 1.0
    for seat in range(1, NUM_SEATS):
        if s.melds[seat] or not s.rules.challenge_requires_meld:
            win *= chance_higher(o, s, seat, points)
    return win


@kernel
def worth_of_knock(o: Any, s: Any) -> float:
    """What a knock is worth if everybody challenges who may."""
    win = chance_of_knock(o, s)
    loss = s.rules.score_base + s.rules.score_challenge + WINNERS_BONUS
    if s.rules.failed_knock_pays_all:
        loss *= 2
    return float(win * price_of_win(s, int(s.hands[0]), 1.0, 1.0) - (1 - win) * loss)


@kernel
def chance_of_challenge(o: Any, s: Any) -> float:
    """Chance to leave less loose than the knocker.

    It expects to be low, so of the chance that it leaves more loose only a part is left.
    """
    points = hand_value(int(s.hands[0]))
    if s.rules.knock_tie != TIE_KNOCKER:
        points -= 1
    return CAUGHT * chance_higher(o, s, int(s.knocker), points)


@kernel
def price_of_challenge(s: Any, hand: int) -> float:
    """What the others pay for a won challenge."""
    return float(price_of_win(s, hand, 1.0, 1.0) + 2.0 * s.rules.score_challenge)


@kernel
def worth_of_challenge(o: Any, s: Any) -> float:
    """What a challenge is worth above folding, at least: it can only win, but for the penalty."""
    penalty = s.rules.failed_challenge_penalty
    if penalty == 0:
        return 0.0
    win = chance_of_challenge(o, s)
    return float(win * price_of_challenge(s, int(s.hands[0])) - (1 - win) * penalty)
