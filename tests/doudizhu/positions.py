"""Positions of Dou Dizhu in words: set up, played on, read back.

Plays are in the game's notation, several in one text; in the auction a bid is its bare number:
`auction().act("1 pass 3 34567 pass pass")`. Among the options of a game in play, `wild_rank` names
the wild rank: `leads("35678", wild_rank="3")`.
"""

import re
from typing import Any

import numpy as np

from envs.core.game import Array
from envs.core.layout import Layout, empty_vectors
from envs.doudizhu import GAME
from envs.doudizhu.cards import RANK_CHARS, deck_counts, format_cards, num_cards, parse_cards
from envs.doudizhu.moves import BODY, ID_PASS, KICKER_CARDS, NUM_KICKERS, Move
from envs.doudizhu.state import BIDDING
from tests.cases.doudizhu import CALL_WORDS, MOST_CARDS, combinations, table_of

Pieces = dict[str, Array]


def layout_of(seats: int) -> Layout:
    """The pieces of an observation."""
    return GAME.layout(GAME.make_rules(players=seats))


class Table:
    """One game that goes on in words: `states` is a batch of one."""

    def __init__(self, states: Array) -> None:
        self.states = states

    @property
    def s(self) -> Any:
        """The record."""
        return self.states[0]

    @property
    def seats(self) -> int:
        """Seats at the table."""
        return int(self.s.rules.players)

    @property
    def mask(self) -> Array:
        """The action mask [482]."""
        mask: Array = GAME.masks(self.states)[0]
        return mask

    def act(self, words: str) -> "Table":
        """Play for the seats in turn; an illegal play fails the test."""
        for word in words.split():
            text = CALL_WORDS.get(word, word) if self.s.phase == BIDDING else word
            for action in GAME.parse_play(self.s, text):
                assert self.mask[action], f"{word} in {words!r} is not legal for seat {self.s.turn}"
                GAME.apply(self.states, np.array([action]))
        return self

    def legal(self) -> set[str]:
        """All legal plays in notation."""
        return {GAME.format_play(self.s, path) for path in GAME.plays(self.s)}

    def hold(self, hands: str) -> "Table":
        """Exchange the cards of the seats for these hands, which may be small."""
        for seat, hand in enumerate(hands.split()):
            self.s.hands[seat], self.s.sizes[seat] = parse_cards(hand), len(hand)
        return self

    def copy(self) -> "Table":
        """The same game, to be played on differently."""
        return Table(self.states.copy())

    @property
    def hands(self) -> list[str]:
        """The cards of each seat."""
        return [format_cards(int(hand)) for hand in self.s.hands[: self.seats]]

    @property
    def payoffs(self) -> list[int]:
        """Payoffs of the last hand that ended."""
        return [int(payoff) for payoff in self.s.payoffs[: self.seats]]

    @property
    def scores(self) -> list[int]:
        """Payoffs of the match so far."""
        return [int(score) for score in self.s.scores[: self.seats]]

    def observe(self, seat: int) -> Array:
        """What a seat sees: [L] int8."""
        observations = empty_vectors(1, layout_of(self.seats))
        GAME.observe(self.states, np.array([seat]), observations)
        observation: Array = observations[0]
        return observation

    def pieces(self, seat: int) -> Pieces:
        """What a seat sees, piece by piece."""
        return layout_of(self.seats).split(self.observe(seat))

    def view(self, seat: int) -> Any:
        """The record as a seat knows it, turned so that it is seat 0."""
        views = GAME.new_records(GAME.make_rules(players=self.seats))
        GAME.decode(self.observe(seat)[None], views)
        return views[0]


def auction(first: int = 0, seed: int = 1, **options: Any) -> Table:
    """A dealt game in which `first` bids first; no card is face up."""
    table = Table(GAME.new_games(GAME.make_rules(**options), [seed]))
    GAME.write_deal(table.s, {**GAME.read_deal(table.s), "first": first, "face_up": None})
    return table


def game_of(hands: str, landlord: int = 0, base: int = 1, **options: Any) -> Table:
    """A game in play with these hands, which may be small; the landlord leads."""
    table = Table(table_of({"opt": options}, hands.split(), landlord))
    table.s.base_score = base
    return table


def cards_of(play: str, wild_rank: str = "3") -> str:
    """The cards of a play in notation."""
    placed = re.sub(r"\[(\w+)\]", lambda found: wild_rank * len(found[1]), play)
    return placed.replace("+", "")


def leads(hand: str, **options: Any) -> set[str]:
    """What a hand may lead."""
    return game_of(f"{hand} 3 3", **options).legal()


def answers(hand: str, to: str, **options: Any) -> set[str]:
    """What the next seat, with this hand, may do when the landlord has led `to`."""
    seats = options.get("players", 3)
    wild = options.get("wild_rank", "3")
    led = cards_of(to, wild)
    kept = min(set(RANK_CHARS) - {*led, wild})
    hands = [hand, *["3"] * (seats - 2), led + kept]
    return game_of(" ".join(hands), landlord=seats - 1, **options).act(to).legal()


def beats(new: str, old: str, **options: Any) -> bool:
    """Whether `new` may be played on `old`."""
    hand = cards_of(new, options.get("wild_rank", "3"))
    return new in answers(hand, old, **options)


def readings(cards: str, **options: Any) -> list[tuple[str, str, int]]:
    """How exactly these cards may be led: `(kind, main, n)`, sorted."""
    moves = combinations(game_of(f"{cards} 3 3", **options).states)
    return sorted((m.kind, m.main, m.length) for m in moves if m.cards == parse_cards(cards))


def whole_pack(num: int = 1, **options: Any) -> Array:
    """Games in play whose seat to act holds the whole pack: [num] records."""
    states = np.repeat(game_of("3 3 3", **options).states, num)
    deck = deck_counts(int(states[0].rules.players))
    states["hands"][:, 0] = deck
    states["sizes"][:, 0] = num_cards(deck)
    return states


def all_moves(**options: Any) -> list[Move]:
    """Every play that a hand of up to 20 cards, or 33, can hold (RULES 13), found by the engine."""
    states = whole_pack(**options)
    return combinations(states, MOST_CARDS[int(states[0].rules.players)])


def masks_up_to(most_cards: int, states: Array) -> Array:
    """What the seats to act may play, at most so many cards: masks [B, 482]."""
    masks = GAME.masks(states)
    sizes = [num_cards(int(body)) for body in BODY] + NUM_KICKERS * KICKER_CARDS
    masks[:, sizes > most_cards] = 0
    masks[:, ID_PASS] = 0
    return masks


def num_plays(states: Array, most_cards: int = 108) -> Array:
    """How many plays of at most so many cards the seats to act have, as the engine counts: [B]."""
    masks = masks_up_to(most_cards, states)
    counts = np.empty(masks.shape, np.int64)
    GAME.count_plays(states, masks, counts)
    plays: Array = counts.sum(1)
    return plays
