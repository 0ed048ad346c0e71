"""A hand of Dou Dizhu as Botzone tells of it: numbered cards, and every turn since the deal.

Here a seat knows ranks, what each seat has played in all and last, and is not asked where it has no
choice. So cards of a rank are numbered as they come, and turns that the seat was not asked for are
filled in with plays that lead to what it sees: of several such stories, which it cannot tell apart,
the first one found. Where that takes too long, single ranks stand for what was played; the cards
and what is on the table are right in any case.
"""

from typing import Any, NamedTuple

import numpy as np

from agents.process import ProcessFault
from envs.core.game import Array, Game, Record
from envs.doudizhu.cards import NUM_RANKS, count_of, missing, num_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import (
    BODY,
    ID_PASS,
    ID_ROCKET,
    ID_SOLO,
    KICKER_CARDS,
    NUM_KICKERS,
    Move,
    move_of_path,
)
from envs.doudizhu.state import NO_MOVE, NONE

NUM_PLAYERS = 3
NUM_CARDS = 54
OWN = 0  # seats are relative to the player
PASSED = 0  # the cards of a pass
MAX_STEPS = 2000  # of the search for turns that fit in every respect

Card = int
"""0 to 51: four of each rank, from the threes on; 52 and 53: the black and the red joker."""


def rank_of(card: Card) -> int:
    """The rank of a card, as `envs.doudizhu.cards` counts them."""
    return card // 4 + (card == NUM_CARDS - 1)


def pack_cards(cards: list[Card]) -> int:
    """Cards as packed counts."""
    return sum(1 << (4 * rank_of(card)) for card in cards)


def take_cards(cards: int, *piles: list[Card]) -> list[Card]:
    """Take packed cards out of the piles, from the first pile that has one of the rank."""
    taken = []
    for rank in range(NUM_RANKS):
        for _ in range(count_of(cards, rank)):
            pile, card = next((p, c) for p in piles for c in p if rank_of(c) == rank)
            pile.remove(card)
            taken.append(card)
    return taken


class Trick(NamedTuple):
    """What is on the table, as the fields of a record say it."""

    table: int = NO_MOVE
    table_cards: int = 0
    table_seat: int = NONE
    passes: int = 0

    def after(self, deed: "Deed") -> "Trick":
        """The same after a play or a pass."""
        if deed.declaration != ID_PASS:
            return Trick(deed.declaration, deed.cards, deed.seat)
        if self.passes + 1 < NUM_PLAYERS - 1:
            return self._replace(passes=self.passes + 1)
        return Trick()


def read_trick(view: Record) -> Trick:
    """What is on the table in a view."""
    return Trick(*(int(view[name]) for name in Trick._fields))


class Deed(NamedTuple):
    """A play or a pass."""

    seat: int
    declaration: int
    cards: int


class Unseen(NamedTuple):
    """What the others have played in turns that are to be filled in, by seat; [0] is 0."""

    cards: tuple[int, ...]
    plays: tuple[int, ...]

    def after(self, deed: Deed) -> "Unseen":
        """The rest after a play or a pass."""
        if deed.declaration == ID_PASS:
            return self
        cards, plays = list(self.cards), list(self.plays)
        cards[deed.seat] -= deed.cards
        plays[deed.seat] -= 1
        return Unseen(tuple(cards), tuple(plays))


class Story:
    """Looks for turns that lead to what a seat sees."""

    def __init__(self, game: Game, view: Record) -> None:
        """`view` is what it sees at its next decision."""
        self.game = game
        self.view = view
        self.end = read_trick(view)
        self._steps = MAX_STEPS
        self._blind: set[tuple[int, Trick, Unseen]] = set()
        self._known: dict[tuple[int, Trick, int], list[Deed]] = {}

    def find(self, seat: int, trick: Trick, unseen: Unseen) -> list[Deed] | None:
        """The turns from the one of `seat` until the decision; None where it finds none."""
        if seat == OWN and not any(unseen.plays) and trick == self.end:
            return []
        if self._steps <= 0 or (seat, trick, unseen) in self._blind:
            return None
        self._steps -= 1
        for deed in self._options(seat, trick, unseen):
            rest, after = unseen.after(deed), trick.after(deed)
            if (deeds := self.find((seat + 1) % NUM_PLAYERS, after, rest)) is not None:
                return [deed, *deeds]
        self._blind.add((seat, trick, unseen))
        return None

    def _options(self, seat: int, trick: Trick, unseen: Unseen) -> list[Deed]:
        """What the seat may have done, the likeliest first."""
        may_pass = [Deed(seat, ID_PASS, PASSED)] if trick.table != NO_MOVE else []
        if seat == OWN:
            is_forced = len(self._plays(seat, trick, int(self.view.hands[OWN]))) == 1
            return may_pass if is_forced else []
        left, plays = unseen.cards[seat], unseen.plays[seat]
        if plays == 0:
            return may_pass
        last = int(self.view.last_cards[seat])
        options = []
        for deed in self._plays(seat, trick, left):
            rest = left - deed.cards
            fits = rest == 0 if plays == 1 else rest != 0 and missing(last, rest) == 0
            if deed.declaration != ID_PASS and fits:
                options.append(deed)
        usual = num_cards(left) / plays
        return sorted(options, key=lambda deed: abs(num_cards(deed.cards) - usual)) + may_pass

    def _plays(self, seat: int, trick: Trick, cards: int) -> list[Deed]:
        """The legal plays of a seat that holds `cards`."""
        key = (seat, trick, cards)
        if key not in self._known:
            states = np.array([self.view], self.game.state)
            state = states.view(np.recarray)[0]
            state.turn, state.hands[seat] = seat, cards
            for name, value in zip(Trick._fields, trick, strict=True):
                state[name] = value
            rocket = int(rocket_of(self.view.rules))
            self._known[key] = [
                Deed(
                    seat,
                    path[0],
                    PASSED if path[0] == ID_PASS else move_of_path(path, rocket).cards,
                )
                for path in self.game.plays(states[0])
            ]
        return self._known[key]


def fill_in(view: Record, seat: int, unseen: Unseen) -> list[Deed]:
    """Turns with the right cards and the right end, rank by rank, that need not beat anything."""
    turns: list[tuple[list[int], list[int]]] = [([], [])]
    for other in range(1, NUM_PLAYERS):
        last = int(view.last_cards[other]) if unseen.plays[other] else PASSED
        rest = unseen.cards[other] - last
        ranks = [rest & (15 << (4 * rank)) for rank in range(NUM_RANKS) if count_of(rest, rank)]
        turns.append((ranks, [last] if view.table_seat == other else [last, PASSED]))
    more = [0, 0, int(seat == 2)]  # turns of a seat before the first whole round
    rounds = max(
        len(early) + len(late) - num for (early, late), num in zip(turns, more, strict=True)
    )
    lists = [
        [*early, *[PASSED] * (rounds + num - len(early) - len(late)), *late]
        for (early, late), num in zip(turns, more, strict=True)
    ]
    deeds = []
    while seat != OWN or any(lists[1:]):
        cards = lists[seat].pop(0)
        deeds.append(Deed(seat, ID_PASS if cards == PASSED else NO_MOVE, cards))
        seat = (seat + 1) % NUM_PLAYERS
    return deeds


class Hand:
    """One hand, from the first decision of its player on."""

    def __init__(self, game: Game, view: Record) -> None:
        """Number the player's cards."""
        self.game = game
        self.requests: list[dict[str, Any]] = []
        self.responses: list[Any] = []
        self.data: Any = None
        """What the program wants to be told again."""
        self.sent = 0
        """Requests that a process that stays has had."""
        cards = int(view.hands[OWN] + view.played[OWN])
        if view.landlord == OWN:
            cards -= int(view.bottom)
        self._free = list(range(NUM_CARDS))
        self._own = take_cards(cards, self._free)
        self._hand = list(self._own)
        self._bottom: list[Card] = []  # those of them that another player still has
        self._turns: list[list[Card]] = []  # what was played, turn by turn
        self._trick = Trick()
        self._seen = Unseen((0,) * NUM_PLAYERS, (0,) * NUM_PLAYERS)

    def ask_bid(self, view: Record) -> None:
        """Write the request for a bid."""
        first = int(view.first)
        bids = [int(view.calls[(first + i) % NUM_PLAYERS]) for i in range(int(view.num_calls))]
        self.requests.append({"own": self._own, "bid": bids})

    def ask_play(self, view: Record) -> None:
        """Write the request for a play, and those for turns that the player was not asked for."""
        told: dict[str, Any] = {}
        seat = 1
        if not self._turns:
            told, seat = self._start_play(view), int(view.landlord)
        for deed in self._missed(view, seat):
            if deed.seat == OWN:
                self._request(told)
                told = {}
                self.responses.append([])
            piles = [self._bottom, self._free] if deed.seat == view.landlord else [self._free]
            self._turns.append(take_cards(deed.cards, *piles))
        self._request(told)

    def _start_play(self, view: Record) -> dict[str, Any]:
        """Number the bottom cards; what the player is told once."""
        bottom = take_cards(int(view.bottom), self._free)
        if view.landlord == OWN:
            self._hand += bottom
        else:
            self._bottom = list(bottom)
        first, landlord = int(view.first), int(view.landlord)
        return {
            "own": self._own,
            "publiccard": bottom,
            "landlord": (landlord - first) % NUM_PLAYERS,
            "pos": -first % NUM_PLAYERS,
            "finalbid": int(view.base_score),
        }

    def _missed(self, view: Record, seat: int) -> list[Deed]:
        """The turns since the player's last one; `seat` was the next."""
        others = range(1, NUM_PLAYERS)
        seen = Unseen(
            (0, *(int(view.played[i]) for i in others)), (0, *(int(view.plays[i]) for i in others))
        )
        new = Unseen(
            tuple(a - b for a, b in zip(seen.cards, self._seen.cards, strict=True)),
            tuple(a - b for a, b in zip(seen.plays, self._seen.plays, strict=True)),
        )
        deeds = Story(self.game, view).find(seat, self._trick, new)
        self._seen, self._trick = seen, read_trick(view)
        return fill_in(view, seat, new) if deeds is None else deeds

    def _request(self, told: dict[str, Any]) -> None:
        history = [[], [], *self._turns][-2:]
        self.requests.append({"history": history, **told})

    def play(self, response: Any, mask: Array) -> tuple[int, ...]:
        """Take the player's answer to the last request: the path of the play.

        Raises:
            ProcessFault: it is no combination of cards that the player has.
        """
        if not isinstance(response, list) or any(type(card) is not int for card in response):
            raise ProcessFault("nonsense", f"expected a list of cards, got {response!r:.80}")
        strange = [card for card in response if card not in self._hand]
        if strange or len(set(response)) < len(response):
            raise ProcessFault("nonsense", f"{response} are not cards of its hand {self._hand}")
        path = read_path(response, mask)
        self.responses.append(response)
        self._turns.append(response)
        self._hand = [card for card in self._hand if card not in response]
        self._trick = self._trick.after(Deed(OWN, path[0], pack_cards(response)))
        return path


def read_path(cards: list[Card], mask: Array) -> tuple[int, ...]:
    """The play that cards make: a legal reading of them if there is one.

    mask: [num_actions] int8.

    Raises:
        ProcessFault: they are no combination.
    """
    if not cards:
        return (ID_PASS,)
    if set(cards) == {NUM_CARDS - 2, NUM_CARDS - 1}:
        return (ID_ROCKET,)
    packed = pack_cards(cards)
    readings = [action for action in range(ID_SOLO, ID_ROCKET) if _reads(action, packed)]
    if not readings:
        raise ProcessFault("nonsense", f"{cards} are no combination")
    return Move(max(readings, key=lambda action: int(mask[action])), packed).path()


def _reads(declaration: int, cards: int) -> bool:
    """Whether a declaration may be made of exactly these cards, whoever has them."""
    body, size = int(BODY[declaration]), int(KICKER_CARDS[declaration])
    kickers = cards - body
    if missing(body, cards) or num_cards(kickers) != NUM_KICKERS[declaration] * size:
        return False
    counts = [(count_of(kickers, rank), count_of(body, rank)) for rank in range(NUM_RANKS)]
    return all(not (k and b) and (size < 2 or k % 2 == 0) for k, b in counts)
