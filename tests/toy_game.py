"""A tiny complete `Game`: what the generic code is tested with, apart from every real game.

Each seat gets one of eight cards. In turn a seat folds, or raises and then chooses how much it
stakes (a play of two actions). When all have acted, the highest card among those that stake takes
the other stakes. A match is a fixed number of hands; the scores add up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from envs.core.errors import CardError, RulesError
from envs.core.game import OVER, Array, Game, Record, state_dtype
from envs.core.jit import kernel
from envs.core.layout import Layout, Piece
from envs.core.rng import shuffle
from envs.core.rules import check_types

MAX_SEATS = 3
NUM_CARDS = 8
NO_CARD = -1
FOLD, RAISE, STAKE = range(3)
"""Actions; STAKE, STAKE + 1, … stake 1, 2, …."""
MAX_STAKE = 3
NUM_ACTIONS = STAKE + MAX_STAKE
NOT_YET = -1
"""`stakes` of a seat that has not acted; 0 is a fold."""


@dataclass(frozen=True, kw_only=True)
class ToyRules:
    """Options."""

    players: int = 3
    """2 or 3."""
    max_stake: int = 3
    """1 to 3; with 1 the choice of the stake is forced."""
    hands: int = 2
    """Hands in a match."""

    def __post_init__(self) -> None:
        check_types(self)
        if not 2 <= self.players <= MAX_SEATS:
            raise RulesError(f"players must be 2 or 3, got {self.players}")


STATE = state_dtype(
    MAX_SEATS,
    [
        ("players", np.int64),
        ("max_stake", np.int64),
        ("hands", np.int64),
        ("cards", np.int64, (MAX_SEATS,)),  # card of each seat, NO_CARD where unknown
        ("stakes", np.int64, (MAX_SEATS,)),
        ("opener", np.int64),  # seat that acts first in this hand
    ],
)


@kernel
def deal_hand(s: Any) -> None:
    """Deal the next hand; seat 0 opens the first, then the next seat each time."""
    deck = np.arange(NUM_CARDS)
    shuffle(s, deck)
    for seat in range(int(s.players)):
        s.cards[seat] = deck[seat]
        s.stakes[seat] = NOT_YET
    if s.deals:
        s.opener = (int(s.opener) + 1) % int(s.players)
    s.turn = s.opener
    s.deals += 1


@kernel
def settle(s: Any) -> None:
    """Pay out the hand, and deal the next one or end the match."""
    best = -1
    for seat in range(int(s.players)):
        if s.stakes[seat] > 0 and (best < 0 or s.cards[seat] > s.cards[best]):
            best = seat
    for seat in range(int(s.players)):
        if best >= 0 and s.stakes[seat] > 0:
            s.scores[seat] -= s.stakes[seat]
            s.scores[best] += s.stakes[seat]
    if s.deals < s.hands:
        deal_hand(s)
    else:
        s.turn = OVER


@kernel
def act(s: Any, action: int) -> None:
    """Take one action."""
    if action == RAISE:
        s.pending = 1
        return
    s.pending = 0
    s.stakes[s.turn] = 0 if action == FOLD else action - STAKE + 1
    s.turn = (int(s.turn) + 1) % int(s.players)
    if s.stakes[s.turn] != NOT_YET:
        settle(s)


@kernel
def mark(s: Any, mask: Any) -> int:
    """Fill the mask; returns how many actions are legal."""
    mask[:] = 0
    if s.turn == OVER:
        return 0
    if s.pending:
        mask[STAKE : STAKE + int(s.max_stake)] = 1
        return int(s.max_stake)
    mask[FOLD], mask[RAISE] = 1, 1
    return 2


@kernel
def deal(states: Any) -> None:
    """`Game.deal`."""
    for i in range(states.shape[0]):
        deal_hand(states[i])


@kernel
def legal(states: Any, masks: Any) -> None:
    """`Game.legal`."""
    for i in range(states.shape[0]):
        mark(states[i], masks[i])


@kernel
def apply(states: Any, actions: Any) -> None:
    """`Game.apply`."""
    for i in range(states.shape[0]):
        if actions[i] >= 0:
            act(states[i], int(actions[i]))


@kernel
def step(states: Any, actions: Any, masks: Any, skip_forced: bool) -> None:
    """`Game.step`."""
    for i in range(states.shape[0]):
        if actions[i] >= 0:
            act(states[i], int(actions[i]))
        mark(states[i], masks[i])
        while skip_forced and masks[i].sum() == 1:
            act(states[i], int(np.argmax(masks[i])))
            mark(states[i], masks[i])


LAYOUT = Layout.of(
    card=Piece((NUM_CARDS,), "own card"),
    stakes=Piece((MAX_SEATS,), "stakes from the own seat on, -1 before acting"),
    pending=Piece((1,), "1 while choosing the own stake"),
    to_act=Piece((MAX_SEATS,), "who acts, from the own seat on; nobody when it is over"),
    opener=Piece((MAX_SEATS,), "who acts first in this hand, from the own seat on"),
    deals=Piece((1,), "deals so far"),
    scores=Piece((MAX_SEATS,), "scores from the own seat on"),
)
CARD, STAKES, PENDING, TO_ACT, OPENER, DEALS, SCORES = (
    LAYOUT[name].start for name in LAYOUT.pieces
)
STATE_LAYOUT = Layout.of(
    cards=Piece((MAX_SEATS, NUM_CARDS), "card of each seat, from the own one on"), **LAYOUT.pieces
)
NUM_HIDDEN = MAX_SEATS * NUM_CARDS


@kernel
def observe(states: Any, seats: Any, observations: Any) -> None:
    """`Game.observe`."""
    for i in range(states.shape[0]):
        s, own, x = states[i], int(seats[i]), observations[i]
        x[:] = 0
        x[CARD + s.cards[own]] = 1
        x[DEALS] = s.deals
        players = int(s.players)
        for k in range(players):
            seat = (own + k) % players
            x[STAKES + k] = s.stakes[seat]
            x[SCORES + k] = s.scores[seat]
            if s.opener == seat:
                x[OPENER + k] = 1
            if s.turn == seat:
                x[TO_ACT + k] = 1
                x[PENDING] = s.pending if k == 0 else 0


@kernel
def decode(observations: Any, views: Any) -> None:
    """`Game.decode`."""
    for i in range(views.shape[0]):
        s, x = views[i], observations[i]
        s.cards[:] = NO_CARD
        s.cards[0] = np.argmax(x[CARD : CARD + NUM_CARDS])
        s.pending, s.deals, s.turn = x[PENDING], x[DEALS], OVER
        for seat in range(int(s.players)):
            s.stakes[seat], s.scores[seat] = x[STAKES + seat], x[SCORES + seat]
            if x[OPENER + seat]:
                s.opener = seat
            if x[TO_ACT + seat]:
                s.turn = seat


@kernel
def observe_state(states: Any, seats: Any, vectors: Any) -> None:
    """`Game.observe_state`."""
    observe(states, seats, vectors[:, NUM_HIDDEN:])
    for i in range(states.shape[0]):
        s, players = states[i], int(states[i].players)
        vectors[i, :NUM_HIDDEN] = 0
        for k in range(players):
            vectors[i, k * NUM_CARDS + s.cards[(int(seats[i]) + k) % players]] = 1


@kernel
def resample(views: Any, seeds: Any) -> None:
    """`Game.resample`."""
    for i in range(views.shape[0]):
        s = views[i]
        s.seed, s.draws = seeds[i], 0
        deck = np.arange(NUM_CARDS)
        shuffle(s, deck)
        top = 0
        for seat in range(1, int(s.players)):
            if deck[top] == s.cards[0]:
                top += 1
            s.cards[seat] = deck[top]
            top += 1


@kernel
def count_plays(states: Any, masks: Any, counts: Any) -> None:
    """`Game.count_plays`."""
    for i in range(states.shape[0]):
        counts[i] = masks[i]
        counts[i, RAISE] *= int(states[i].max_stake)


@kernel
def sides(states: Any, sides: Any) -> None:
    """`Game.sides`: everybody for himself."""
    sides[:] = -1


def write_rules(rules: ToyRules, states: Array) -> None:
    """`Game.write_rules`."""
    for option in ("players", "max_stake", "hands"):
        states[option] = getattr(rules, option)


def num_seats(rules: ToyRules) -> int:
    """`Game.num_seats`."""
    return rules.players


def layout(rules: ToyRules) -> Layout:
    """`Game.layout`."""
    return LAYOUT


def state_layout(rules: ToyRules) -> Layout:
    """`Game.state_layout`."""
    return STATE_LAYOUT


def forfeit(state: Record, seat: int) -> Array:
    """`Game.forfeit`: the highest stake to each of the others."""
    payoffs = np.full(state.players, MAX_STAKE)
    payoffs[seat] = -MAX_STAKE * (state.players - 1)
    return payoffs


def format_action(state: Record, action: int) -> str:
    """`Game.format_action`."""
    return ("fold", "raise")[action] if action < STAKE else f"stake {action - STAKE + 1}"


def format_play(state: Record, path: tuple[int, ...]) -> str:
    """`Game.format_play`."""
    return "fold" if path == (FOLD,) else f"raise {path[1] - STAKE + 1}"


def parse_play(state: Record, text: str) -> tuple[int, ...]:
    """`Game.parse_play`."""
    plays = {"fold": (FOLD,)} | {f"raise {k + 1}": (RAISE, STAKE + k) for k in range(MAX_STAKE)}
    if text not in plays:
        raise CardError(f"no play {text!r}; there is {', '.join(plays)}")
    return plays[text]


def last_event(state: Record) -> str:
    """`Game.last_event`."""
    if state.turn == OVER:
        return "the match is over"
    before = (state.turn - 1) % state.players
    stake = state.stakes[before]
    if stake == NOT_YET:
        return f"hand {state.deals} is dealt"
    return f"player_{before} " + (f"stakes {stake}" if stake else "folds")


def render(state: Record, seat: int | None) -> str:
    """`Game.render`."""
    rows = []
    for i in range(state.players):
        card = state.cards[i] if seat in (i, None) else "?"
        rows.append(f"player_{i}: card {card}, stake {state.stakes[i]}")
    return "\n".join(rows)


def read_deal(state: Record) -> dict[str, Any]:
    """`Game.read_deal`."""
    return {"cards": state.cards[: state.players].tolist()}


def write_deal(state: Record, deal: Mapping[str, Any]) -> None:
    """`Game.write_deal`."""
    cards = deal.get("cards")
    if not isinstance(cards, list) or len(cards) != state.players:
        raise CardError(f"cards must be a list of {state.players} cards, got {cards!r}")
    state.cards[: state.players] = cards


def problems(state: Record) -> list[str]:
    """`Game.problems`."""
    cards = state.cards[: state.players].tolist()
    found = []
    if len(set(cards)) != len(cards) or not all(0 <= card < NUM_CARDS for card in cards):
        found.append(f"cards {cards} are no deal")
    if state.scores.sum() != 0:
        found.append(f"scores {state.scores.tolist()} do not add up to 0")
    return found


GAME = Game(
    name="toy",
    title="Toy",
    version=1,
    rules=ToyRules,
    state=STATE,
    num_actions=NUM_ACTIONS,
    num_seats=num_seats,
    layout=layout,
    state_layout=state_layout,
    write_rules=write_rules,
    deal=deal,
    legal=legal,
    apply=apply,
    step=step,
    observe=observe,
    decode=decode,
    observe_state=observe_state,
    resample=resample,
    count_plays=count_plays,
    sides=sides,
    forfeit=forfeit,
    format_action=format_action,
    format_play=format_play,
    parse_play=parse_play,
    last_event=last_event,
    render=render,
    read_deal=read_deal,
    write_deal=write_deal,
    problems=problems,
)
