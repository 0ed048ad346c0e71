"""Tongits written clause by clause from the rules: slow, obvious, independent of the engine.

Section and decision numbers are those of the rules text. Cards are strings like "TD"; lists of
them are sorted by suit, then rank, except the stock (top first) and the pile (oldest first).
"""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

Cards = frozenset[str]
SEATS = (0, 1, 2)
RANKS = "A23456789TJQK"
SUITS = "SHDC"
PACK = [rank + suit for suit in SUITS for rank in RANKS]  # the card index of section 1
PLACE = {card: i for i, card in enumerate(PACK)}
VALUE = {card: min(RANKS.index(card[0]) + 1, 10) for card in PACK}
LEAST = {"num_hands": 1, "jackpot_streak": 2}  # other numbers may be 0


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of section 2, of both tiers."""

    dealer_cards: Literal[12, 13] = 12
    first_dealer: Literal["random", 0, 1, 2] = "random"
    next_dealer: Literal["winner", "rotate"] = "winner"
    num_hands: int = 1
    tongits_hidden_melds: bool = True
    knock_tie: Literal["challenger", "knocker"] = "challenger"
    knock_block: Literal["none", "opponent", "any"] = "none"
    challenge_requires_meld: bool = False
    stockout_requires_meld: bool = False
    failed_knock_pays_all: bool = True
    score_base: int = 1
    score_bonus: int = 1
    score_burn: int = 1
    score_quad: int = 3
    score_tongits: int = 3
    score_challenge: int = 3
    take_for_layoff: bool = False
    failed_challenge_penalty: int = 0
    bonus_ranks: Cards = frozenset("AK")
    bonus_scope: Literal["hand", "hand_and_melds"] = "hand"
    jackpot_ante: int = 0
    jackpot_streak: int = 2

    def __post_init__(self) -> None:
        """Refuse values that section 2 does not list."""
        for name, hint in get_type_hints(Options).items():
            value = getattr(self, name)
            if get_origin(hint) is Literal and value not in get_args(hint):
                raise ValueError(f"{name} must be one of {get_args(hint)}, got {value!r}")
            if hint is bool and type(value) is not bool:
                raise ValueError(f"{name} must be true or false, got {value!r}")
            least = LEAST.get(name, 0)
            if hint is int and (type(value) is not int or value < least):
                raise ValueError(f"{name} must be at least {least}, got {value!r}")
        if not self.bonus_ranks <= {"A", "K"}:
            raise ValueError(f"bonus_ranks must be among A and K, got {sorted(self.bonus_ranks)}")

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Options from plain data: `bonus_ranks` is any collection of ranks."""
        if "bonus_ranks" in given:
            given["bonus_ranks"] = frozenset(given["bonus_ranks"])
        return cls(**given)


def sort_cards(cards: Iterable[str]) -> list[str]:
    """Cards in index order (section 1)."""
    return sorted(cards, key=PLACE.__getitem__)


def is_set(cards: Collection[str]) -> bool:
    """Three or four different cards of one rank (section 5)."""
    same_rank = len({card[0] for card in cards}) == 1
    return len(set(cards)) == len(cards) in (3, 4) and same_rank


def is_run(cards: Collection[str]) -> bool:
    """Three or more cards of one suit, of ranks next to each other, the ace low (section 5)."""
    ranks = "".join(card[0] for card in sort_cards(cards))
    return len(ranks) >= 3 and len({card[1] for card in cards}) == 1 and ranks in RANKS


def is_meld(cards: Collection[str]) -> bool:
    """A set or a run (section 5)."""
    return is_set(cards) or is_run(cards)


def list_melds() -> Iterator[Cards]:
    """All melds in the order of their index (section 5)."""
    for rank in RANKS:
        four = frozenset(rank + suit for suit in SUITS)
        for suit in SUITS:
            yield four - {rank + suit}
        yield four
    for suit in SUITS:
        for length in range(3, 14):
            for low in range(13 - length + 1):
                yield frozenset(rank + suit for rank in RANKS[low : low + length])


MELDS = list(list_melds())
MELDS_WITH = {card: [meld for meld in MELDS if card in meld] for card in PACK}
ACTIONS = [  # section 12
    *("DRAW", "KNOCK", "CHALLENGE", "FOLD"),
    *(" ".join(["MELD", *sort_cards(meld)]) for meld in MELDS),
    *(f"LAYOFF {card} {where}" for where in ("SET", "HIGH", "LOW") for card in PACK),
    *(f"DISCARD {card}" for card in PACK),
]
ACTION_IDS = {text: i for i, text in enumerate(ACTIONS)}


def action_id(text: str) -> int:
    """The id of an action (section 12); TAKE and MELD share theirs."""
    return ACTION_IDS[text.replace("TAKE", "MELD")]


def melds_in(hand: Iterable[str]) -> list[Cards]:
    """Every meld inside a hand, in index order (section 5)."""
    cards = frozenset(hand)
    return [meld for meld in MELDS if meld <= cards]


@lru_cache(maxsize=200_000)
def least_value(hand: Cards) -> int:
    """The recursion of section 8."""
    if not hand:
        return 0
    first = min(hand, key=PLACE.__getitem__)
    loose = VALUE[first] + least_value(hand - {first})
    melded = [least_value(hand - meld) for meld in MELDS_WITH[first] if meld <= hand]
    return min([loose, *melded])


def hand_value(hand: Iterable[str]) -> int:
    """Value of the cards left over by the best arrangement (section 8)."""
    return least_value(frozenset(hand))


@dataclass
class Meld:
    """An exposed meld and the seat that owns it."""

    owner: int
    cards: Cards


def joins(card: str, where: str, meld: Cards) -> bool:
    """Whether a card may be laid off on a meld, as SET, HIGH or LOW (section 5)."""
    if card in meld or not is_meld(meld | {card}):
        return False
    if is_set(meld):
        return where == "SET"
    above = PLACE[card] > max(PLACE[other] for other in meld)
    return where == ("HIGH" if above else "LOW")


def layoffs(hand: Iterable[str], melds: Sequence[Meld]) -> list[tuple[str, str, int]]:
    """Every lay-off `(card, where, which meld)`, by action id (section 5)."""
    return [
        (card, where, i)
        for where in ("SET", "HIGH", "LOW")
        for card in sort_cards(hand)
        for i, meld in enumerate(melds)
        if joins(card, where, meld.cards)
    ]


def lowest_seat(totals: Sequence[int], seats: Sequence[int]) -> int:
    """The seat with the lowest total; the first named wins a tie."""
    return min(seats, key=lambda seat: totals[seat])


def knock_winner(
    opt: Options, totals: Sequence[int], knocker: int, challengers: Collection[int]
) -> int:
    """Winner of a knock (section 6, D11, D12)."""
    right, left = (knocker + 1) % 3, (knocker + 2) % 3
    order = [right, left, knocker] if opt.knock_tie == "challenger" else [knocker, right, left]
    return lowest_seat(totals, [seat for seat in order if seat in {knocker, *challengers}])


def stockout_winner(
    opt: Options, totals: Sequence[int], last: int, registered: Sequence[bool]
) -> int:
    """Winner when `last` has drawn the last card and discarded (section 7, D16, D17)."""
    order = [last, (last + 1) % 3, (last + 2) % 3]
    compared = [seat for seat in order if registered[seat] or not opt.stockout_requires_meld]
    return lowest_seat(totals, compared or order)


@dataclass(frozen=True, kw_only=True)
class End:
    """How a hand ended: what the score depends on (section 9)."""

    kind: str
    """tongits, stockout or knock."""
    winner: int
    winner_hand: Collection[str]
    registered: Sequence[bool]
    winner_melds: Collection[Collection[str]] = ()
    knocker: int | None = None
    challengers: Collection[int] = ()


def settle(opt: Options, end: End) -> list[int]:
    """Payoffs of the three seats (section 9)."""
    counted = set(end.winner_hand)
    if opt.bonus_scope == "hand_and_melds":
        counted |= {card for meld in end.winner_melds for card in meld}
    ranks = [card[0] for card in counted]
    lost_knock = end.kind == "knock" and end.knocker != end.winner
    all_owe = opt.score_base
    all_owe += opt.score_bonus * sum(rank in opt.bonus_ranks for rank in ranks)
    all_owe += opt.score_quad * sum(ranks.count(rank) == 4 for rank in RANKS)
    all_owe += opt.score_tongits if end.kind == "tongits" else 0
    all_owe += opt.score_challenge if lost_knock else 0
    payoffs = [0, 0, 0]
    for loser in SEATS:
        if loser == end.winner:
            continue
        due = all_owe + (0 if end.registered[loser] else opt.score_burn)
        if end.knocker == end.winner and loser in end.challengers:  # D19
            due += opt.failed_challenge_penalty
        payer = loser
        if lost_knock and opt.failed_knock_pays_all:
            assert end.knocker is not None
            payer = end.knocker
        payoffs[payer] -= due
        payoffs[end.winner] += due
    return payoffs


@dataclass
class Hand:
    """One hand (sections 3 to 9): act with texts of section 12.

    `end`, `winner`, `totals` and `payoffs` are set when the phase is OVER.
    """

    opt: Options
    dealer: int
    hands: list[Cards]
    stock: list[str]
    phase: str = "DRAW"
    player: int = 0
    pile: list[str] = field(default_factory=list)
    melds: list[Meld] = field(default_factory=list)
    sapawed: list[bool] = field(default_factory=lambda: [False] * 3)
    knocker: int | None = None
    answers: dict[int, str] = field(default_factory=dict)
    drawn: str | None = None
    log: list[tuple[int, str]] = field(default_factory=list)
    turns: int = 0
    """Turns begun, the dealer's first one with 13 cards included."""
    end: str | None = None
    winner: int | None = None
    totals: list[int] = field(default_factory=list)
    payoffs: list[int] = field(default_factory=list)

    @classmethod
    def of_deal(
        cls, opt: Options, dealer: int, hands: Sequence[Iterable[str]], stock: Sequence[str]
    ) -> Self:
        """Begin with the dealer's turn (section 3)."""
        begun = opt.dealer_cards == 13  # the 13th card stands for the draw
        dealt = [frozenset(cards) for cards in hands]
        phase = "PLAY" if begun else "DRAW"
        return cls(opt, dealer, dealt, list(stock), phase, dealer, turns=int(begun))

    @classmethod
    def of_pack(cls, opt: Options, dealer: int, cards: Sequence[str]) -> Self:
        """Deal a shuffled pack (section 3)."""
        sizes = [opt.dealer_cards if seat == dealer else 12 for seat in SEATS]
        left = list(cards)
        hands = [[left.pop() for _ in range(size)] for size in sizes]
        return cls.of_deal(opt, dealer, hands, left)

    @classmethod
    def of_state(cls, opt: Options, state: Mapping[str, Any]) -> Self:
        """The `state` of a golden case."""
        hands = [frozenset(cards) for cards in state["hands"]]
        hand = cls(opt, state["dealer"], hands, list(state["stock"]))
        hand.phase, hand.player = state["phase"], state["player"]
        hand.pile = list(state["discard"])
        hand.melds = [Meld(meld["owner"], frozenset(meld["cards"])) for meld in state["melds"]]
        hand.sapawed, hand.knocker = list(state["sapawed"]), state["knocker"]
        hand.answers = {int(seat): answer for seat, answer in state["responses"].items()}
        return hand

    @property
    def registered(self) -> list[bool]:
        """Which seats own an exposed meld (section 5)."""
        return [any(meld.owner == seat for meld in self.melds) for seat in SEATS]

    def legal(self) -> list[str]:
        """Actions of the seat to move, by id (section 4)."""
        if self.phase == "DRAW":
            return self._starts()
        if self.phase == "PLAY":
            return self._continuations()
        return ["CHALLENGE", "FOLD"] if self.phase == "RESPOND" else []

    def _starts(self) -> list[str]:
        hand = self.hands[self.player]
        actions = ["DRAW"]
        blocked = self.opt.knock_block != "none" and self.sapawed[self.player]
        if self.registered[self.player] and not blocked:  # section 6
            actions.append("KNOCK")
        if self.pile:
            top = self.pile[-1]
            takes = [meld for meld in melds_in(hand | {top}) if top in meld]
            actions += [" ".join(["TAKE", *sort_cards(meld)]) for meld in takes]
            if self.opt.take_for_layoff:  # D4
                actions += [f"LAYOFF {top} {where}" for _, where, _ in layoffs([top], self.melds)]
        return actions

    def _continuations(self) -> list[str]:
        hand = sort_cards(self.hands[self.player])
        return [
            *(" ".join(["MELD", *sort_cards(meld)]) for meld in melds_in(hand)),
            *(f"LAYOFF {card} {where}" for card, where, _ in layoffs(hand, self.melds)),
            *(f"DISCARD {card}" for card in hand),
        ]

    def act(self, action: str) -> None:
        """Act for the seat to move; ValueError, without a change, if that is not legal."""
        if action not in self.legal():
            raise ValueError(f"seat {self.player} may not {action} in {self.phase}")
        seat = self.player
        self.log.append((seat, action))
        name, *cards = action.split()
        if self.phase == "RESPOND":
            self.answers[seat] = name
            self._ask_next()
        elif name == "KNOCK":
            self.turns += 1
            self.knocker, self.phase = seat, "RESPOND"
            self._ask_next()
        else:
            if self.phase == "DRAW":
                self._begin_turn(name)
            if name in ("TAKE", "MELD"):
                self.hands[seat] -= set(cards)
                self.melds.append(Meld(seat, frozenset(cards)))
            elif name == "LAYOFF":
                self._lay_off(*cards)
            elif name == "DISCARD":
                self.hands[seat] -= set(cards)
                self.pile += cards
            self._test_ends(name)

    def _begin_turn(self, name: str) -> None:
        """Take a card into the hand, from the pile unless it is drawn (section 4)."""
        self.turns += 1
        self.sapawed[self.player] = False  # D9
        card = self.stock.pop(0) if name == "DRAW" else self.pile.pop()
        self.drawn = card if name == "DRAW" else None
        self.hands[self.player] |= {card}
        self.phase = "PLAY"

    def _lay_off(self, card: str, where: str) -> None:
        (meld,) = [meld for meld in self.melds if joins(card, where, meld.cards)]
        meld.cards |= {card}
        self.hands[self.player] -= {card}
        on_other = meld.owner != self.player
        if self.opt.knock_block == "any" or (self.opt.knock_block == "opponent" and on_other):
            self.sapawed[meld.owner] = True

    def _test_ends(self, name: str) -> None:
        """The tongits test, then the stock test (section 7, D14, D15)."""
        hand = self.hands[self.player]
        if not hand or (self.opt.tongits_hidden_melds and hand_value(hand) == 0):
            self._finish("tongits", self.player)
        elif name == "DISCARD" and not self.stock:
            totals = [hand_value(cards) for cards in self.hands]
            winner = stockout_winner(self.opt, totals, self.player, self.registered)
            self._finish("stockout", winner)
        elif name == "DISCARD":
            self.player, self.phase, self.drawn = (self.player + 1) % 3, "DRAW", None

    def _ask_next(self) -> None:
        """Ask the next seat that may answer, or end the knock (section 6, D10)."""
        assert self.knocker is not None
        for seat in ((self.knocker + 1) % 3, (self.knocker + 2) % 3):
            asked = self.registered[seat] or not self.opt.challenge_requires_meld
            if asked and seat not in self.answers:
                self.player = seat
                return
        totals = [hand_value(cards) for cards in self.hands]
        winner = knock_winner(self.opt, totals, self.knocker, self.challengers)
        self._finish("knock", winner)

    @property
    def challengers(self) -> list[int]:
        """Seats that have challenged."""
        return [seat for seat, answer in self.answers.items() if answer == "CHALLENGE"]

    def _finish(self, kind: str, winner: int) -> None:
        self.phase, self.end, self.winner = "OVER", kind, winner
        self.totals = [hand_value(cards) for cards in self.hands]
        end = End(
            kind=kind,
            winner=winner,
            winner_hand=self.hands[winner],
            registered=self.registered,
            winner_melds=[meld.cards for meld in self.melds if meld.owner == winner],
            knocker=self.knocker,
            challengers=self.challengers,
        )
        self.payoffs = settle(self.opt, end)

    def view(self, observer: int) -> dict[str, Any]:
        """Everything that a seat may know (section 11)."""
        to_move = self.phase != "OVER" and self.player == observer
        return {
            "hand": self.hands[observer],
            "drawn": self.drawn if to_move else None,
            "melds": [(meld.owner, meld.cards) for meld in self.melds],
            "pile": list(self.pile),
            "sizes": [len(hand) for hand in self.hands],
            "stock": len(self.stock),
            "turn": (self.phase, self.player, self.dealer),
            "sapawed": list(self.sapawed),
            "knock": (self.knocker, dict(self.answers)),
            "log": list(self.log),
            "legal": self.legal() if to_move else [],
        }


class Match:
    """Several hands in a row (section 10)."""

    def __init__(self, opt: Options, first_dealer: int) -> None:
        """Begin before the first hand."""
        self.opt, self.dealer = opt, first_dealer
        self.scores = [0, 0, 0]
        self.hands_played = self.pot = self.streak = 0
        self.last_winner: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether all hands have been played."""
        return self.hands_played == self.opt.num_hands

    def finish_hand(self, winner: int, payoffs: Sequence[int]) -> list[int]:
        """Take in a hand; its rewards, ante and pot included (D22, D23)."""
        ante = self.opt.jackpot_ante
        rewards = [payoff - ante for payoff in payoffs]
        self.pot += 3 * ante
        self.streak = self.streak + 1 if winner == self.last_winner else 1
        self.last_winner = winner
        if self.streak == self.opt.jackpot_streak:
            rewards[winner] += self.pot
            self.pot, self.streak, self.last_winner = 0, 0, None
        self.hands_played += 1
        if self.is_over:
            rewards = [reward + self.pot // 3 for reward in rewards]
            self.pot = 0
        self.scores = [score + reward for score, reward in zip(self.scores, rewards, strict=True)]
        self.dealer = winner if self.opt.next_dealer == "winner" else (self.dealer + 1) % 3
        return rewards


def choose_random(legal: Sequence[str], rng: random.Random) -> str:
    """An action of a player at random who knocks now and then, and often lays melds."""
    weights = {"KNOCK": 0.15, "TAKE": 2.0, "MELD": 2.0, "LAYOFF": 2.0}
    return rng.choices(legal, [weights.get(action.split()[0], 1.0) for action in legal])[0]
