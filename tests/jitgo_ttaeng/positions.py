"""Positions of Dori-jitgo-ttaeng in words: set up, played on, read back.

Actions are in the game's notation, separated by commas: `table().act("half, call, fold")`. Hands
are separated by slashes, cards by spaces: `hold("8G 8A 2A 3R 5A / 1R 2R 3R 4A 8A")`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.layout import empty_vectors
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.betting import begin_hand, find_actor
from envs.jitgo_ttaeng.cards import hand_of, parse_cards
from envs.jitgo_ttaeng.encode import LAYOUT
from envs.jitgo_ttaeng.hands import RESULTS, evaluate, redealt, winners
from envs.jitgo_ttaeng.render import cost
from envs.jitgo_ttaeng.rules import option_record

GABO = "1R 4A 5A 2A 7R"
"""1-4-5 builds, 9 kkeut."""
PAIR_8 = "2R 3G 5R 8G 8A"
PAIR_9 = "1G 3R 6A 9A 9R"
NOTHING = "1R 2R 3R 4A 8A"


class Table:
    """One game that goes on in words: `states` is a batch of one."""

    def __init__(self, **options: Any) -> None:
        self.rules = GAME.make_rules(**options)
        self.states = GAME.new_games(self.rules, [1])

    @property
    def s(self) -> Any:
        """The record."""
        return self.states[0]

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return GAME.num_seats(self.rules)

    def act(self, words: str) -> "Table":
        """Act for the seats in turn; an illegal action fails the test."""
        for word in words.split(","):
            [action] = GAME.parse_play(self.s, word)
            mask = GAME.masks(self.states)[0]
            assert mask[action], f"{word} in {words!r} is not legal for seat {self.s.turn}"
            GAME.apply(self.states, np.array([action]))
        return self

    def legal(self) -> dict[str, int]:
        """What the seat to act may do, and what each action costs."""
        actions = np.flatnonzero(GAME.masks(self.states)[0])
        return {GAME.format_play(self.s, (action,)): cost(self.s, action) for action in actions}

    def hold(self, hands: str) -> "Table":
        """Lay out these hands; in banker mode the banker's hand and the piles."""
        GAME.write_deal(self.s, {**GAME.read_deal(self.s), "hands": split_hands(hands)})
        return self

    def deal(self, **changes: Any) -> "Table":
        """Lay out the deal with some of it changed."""
        GAME.write_deal(self.s, GAME.read_deal(self.s) | changes)
        return self

    def amounts(self, name: str) -> list[int]:
        """A field of the record, by seat."""
        values: list[int] = getattr(self.s, name)[: self.seats].tolist()
        return values

    def observe(self, seat: int) -> Array:
        """What a seat sees: [L] int8."""
        observations = empty_vectors(1, LAYOUT)
        GAME.observe(self.states, np.array([seat]), observations)
        observation: Array = observations[0]
        return observation

    def pieces(self, seat: int) -> dict[str, Array]:
        """What a seat sees, piece by piece."""
        return LAYOUT.split(self.observe(seat))

    def view(self, seat: int) -> Any:
        """The record as a seat knows it, turned so that it is seat 0."""
        views = GAME.new_records(self.rules)
        GAME.decode(self.observe(seat)[None], views)
        return views[0]


def betting(stacks: Sequence[int], sun: int = 0, **options: Any) -> Table:
    """The first hand of a betting match with these stacks, the antes posted."""
    table = Table(num_players=len(stacks), first_sun=sun, **options)
    table.s.stacks[: len(stacks)] = stacks
    begin_hand(table.s)
    table.s.turn = find_actor(table.s, sun)
    return table


def banking(stacks: Sequence[int], first: int = 0, **options: Any) -> Table:
    """A match in banker mode with these stacks, the bank offered to `first`."""
    table = Table(mode="banker", num_players=len(stacks), first_banker=first, **options)
    table.s.stacks[: len(stacks)] = stacks
    return table.deal(sun=first)


def split_hands(hands: str) -> list[str]:
    """The hands of a text, by slashes."""
    return [" ".join(hand.split()) for hand in hands.split("/")]


def set_of(cards: str) -> int:
    """A set of cards from a text."""
    return hand_of(parse_cards(cards))


def result(cards: str, **options: Any) -> str:
    """The name of what five cards are."""
    return RESULTS[evaluate(option_record(GAME.make_rules(**options)), set_of(cards))]


def results_of(hands: str, rules: Any) -> Array:
    """What each of several hands is."""
    return np.array([evaluate(rules, set_of(hand)) for hand in hands.split("/")])


def showdown(hands: str, **options: Any) -> list[int]:
    """The places of the hands that win."""
    rules = option_record(GAME.make_rules(**options))
    results = results_of(hands, rules)
    takers = winners(rules, results, (1 << len(results)) - 1)
    return [place for place in range(len(results)) if takers >> place & 1]


def dealt_again(hands: str, **options: Any) -> list[int]:
    """The places of the hands that get new cards."""
    rules = option_record(GAME.make_rules(**options))
    results = results_of(hands, rules)
    players = redealt(rules, results, (1 << len(results)) - 1)
    return [place for place in range(len(results)) if players >> place & 1]
