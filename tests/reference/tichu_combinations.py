"""Cards, combinations, comparison and the wish of Tichu, clause by clause: slow and obvious.

Clause numbers are those of the rules text. Cards are strings such as `2g`, `Ar`, `MJ` (1.2).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import NamedTuple, Self

RANK_LETTERS = "23456789TJQKA"
SUITS = "gkbr"
MAHJONG, DOG, PHOENIX, DRAGON = SPECIALS = ("MJ", "DG", "PH", "DR")
ORDINARY = tuple(rank + suit for rank in RANK_LETTERS for suit in SUITS)
PACK = (*ORDINARY, *SPECIALS)  # 1.3
INDEX = {card: index for index, card in enumerate(PACK)}
ORDINARY_RANKS = range(2, 15)
RANK = {card: 2 + RANK_LETTERS.index(card[0]) for card in ORDINARY} | {MAHJONG: 1}
POINTS = {card: {13: 10, 10: 10, 5: 5}.get(RANK.get(card, 0), 0) for card in PACK}  # 1.4
POINTS |= {DRAGON: 25, PHOENIX: -25}
BOMBS = ("quad", "sflush")
PHOENIX_LED = 1.5  # 8.3

Cards = tuple[str, ...]


def sort_cards(cards: Collection[str]) -> Cards:
    """Cards in the order of the pack."""
    return tuple(sorted(cards, key=INDEX.__getitem__))


class Reading(NamedTuple):
    """What a set of cards is played as (section 4); `rank` None is a phoenix not yet on a table."""

    kind: str
    n: int
    rank: float | None
    pair: int = 0  # of a full house

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `fullhouse/5/5/9`, `single/1/8.5` and the like."""
        kind, n, rank, *pair = text.split("/")
        return cls(kind, int(n), None if rank == PHOENIX else float(rank), *map(int, pair))

    def __str__(self) -> str:
        """The notation of the golden cases."""
        rank = PHOENIX if self.rank is None else f"{self.rank:g}"
        return f"{self.kind}/{self.n}/{rank}" + (f"/{self.pair}" if self.pair else "")


class Play(NamedTuple):
    """A reading with its cards, in the order of the pack."""

    reading: Reading
    cards: Cards

    @classmethod
    def parse(cls, text: str) -> Self:
        """From `pair/2/8=8g 8r`."""
        reading, cards = text.split("=")
        return cls(Reading.parse(reading), sort_cards(cards.split()))

    def __str__(self) -> str:
        """The notation of the golden cases."""
        return f"{self.reading}={' '.join(self.cards)}"

    @property
    def is_bomb(self) -> bool:
        """Whether it may be played out of turn (section 9)."""
        return self.reading.kind in BOMBS

    def has_rank(self, rank: int | None) -> bool:
        """Whether an ordinary card of the rank is played (T-D12)."""
        return rank is not None and any(RANK.get(card) == rank for card in self.cards)


def classify_ranks(ranks: Collection[int]) -> list[Reading]:
    """The readings of a multiset of ranks, suits left aside (the table of section 4)."""
    n, counts = len(ranks), Counter(ranks)
    rising = sorted(counts)
    in_a_row = all(high == low + 1 for low, high in pairwise(rising))
    found = []
    if n in (2, 3, 4) and len(rising) == 1 and rising[0] >= 2:
        found.append(Reading({2: "pair", 3: "triple", 4: "quad"}[n], n, rising[0]))
    if n >= 4 and set(counts.values()) == {2} and in_a_row and len(rising) > 1 and rising[0] >= 2:
        found.append(Reading("stairs", n, rising[-1]))
    if sorted(counts.values()) == [2, 3] and rising[0] >= 2:
        trio, pair = (rank for rank, _ in counts.most_common())
        found.append(Reading("fullhouse", 5, trio, pair))
    if n >= 5 and len(rising) == n and in_a_row:
        found.append(Reading("straight", n, rising[-1]))
    return found


def is_one_suit(cards: Collection[str]) -> bool:
    """Whether all are ordinary cards of one suit."""
    return not set(cards) & set(SPECIALS) and len({card[1] for card in cards}) == 1


def readings(cards: Collection[str]) -> set[Reading]:
    """All readings of exactly these cards (section 4)."""
    if not cards or len(set(cards)) < len(cards):
        return set()
    if len(cards) == 1:
        (card,) = cards
        other = {DOG: ("dog", 0), PHOENIX: ("single", None), DRAGON: ("single", 15)}
        kind, rank = other[card] if card in other else ("single", RANK[card])
        return {Reading(kind, 1, rank)}
    if DOG in cards or DRAGON in cards:  # T-D24
        return set()
    ranks = [RANK[card] for card in cards if card != PHOENIX]
    if PHOENIX not in cards:
        found = classify_ranks(ranks)
        if is_one_suit(cards):  # T-D23
            found = [r._replace(kind="sflush") if r.kind == "straight" else r for r in found]
        return set(found)
    stands_for = [reading for rank in ORDINARY_RANKS for reading in classify_ranks([*ranks, rank])]
    return {reading for reading in stands_for if reading.kind != "quad"}


def beats(new: Reading, top: Reading) -> bool:
    """Whether `new` may be played on `top` (section 5); a lone phoenix has its value already."""
    if "dog" in (new.kind, top.kind):
        return False
    if new.kind in BOMBS and top.kind in BOMBS:
        return (new.n, new.rank or 0) > (top.n, top.rank or 0)
    if new.kind in BOMBS or top.kind in BOMBS:
        return new.kind in BOMBS
    return (new.kind, new.n) == (top.kind, top.n) and (new.rank or 0) > (top.rank or 0)


def put_on(reading: Reading, top: Reading | None) -> Reading | None:
    """The reading with the value it gets on `top`, None if it may not be put there (5, 8.3)."""
    if reading.rank is not None:
        return reading if top is None or beats(reading, top) else None
    if top is None:
        return reading._replace(rank=PHOENIX_LED)
    if top.kind == "single" and top.rank is not None and top.rank <= 14:
        return reading._replace(rank=top.rank + 0.5)
    return None


def build_shapes() -> Iterator[tuple[Reading, dict[int, int]]]:
    """The readings of several cards with the cards needed of each rank (section 4, 12.1)."""
    for rank in ORDINARY_RANKS:
        for n, kind in ((2, "pair"), (3, "triple"), (4, "quad")):
            yield Reading(kind, n, rank), {rank: n}
        for pair in set(ORDINARY_RANKS) - {rank}:
            yield Reading("fullhouse", 5, rank, pair), {rank: 3, pair: 2}
        for low in range(2, rank):
            if rank - low < 7:
                needed = dict.fromkeys(range(low, rank + 1), 2)
                yield Reading("stairs", 2 * (rank - low + 1), rank), needed
        for low in range(1, rank - 3):
            needed = dict.fromkeys(range(low, rank + 1), 1)
            yield Reading("straight", rank - low + 1, rank), needed
            if low > 1:
                yield Reading("sflush", rank - low + 1, rank), needed


SHAPES = dict(build_shapes())


def with_shape(reading: Reading, by_rank: dict[int, list[str]], phoenix: bool) -> Iterator[Play]:
    """All ways to put this reading of several cards together."""
    needed = SHAPES[reading]
    missing = [rank for rank, num in needed.items() for _ in range(num - len(by_rank[rank]))]
    slots = [] if missing else [0]  # ranks that the phoenix stands for, 0 without it
    if phoenix and reading.kind not in BOMBS and len(missing) <= 1:
        slots += [rank for rank in missing or needed if rank >= 2]
    for slot in slots:
        own = [combinations(by_rank[rank], num - (rank == slot)) for rank, num in needed.items()]
        for chosen in product(*own):
            cards = [card for some in chosen for card in some] + [PHOENIX] * (slot > 0)
            flush = reading.kind == "sflush"
            if is_one_suit(cards) == flush or not (flush or reading.kind == "straight"):  # T-D23
                yield Play(reading, sort_cards(cards))


@lru_cache(maxsize=1000)
def all_plays(hand: Cards) -> tuple[Play, ...]:
    """Every combination of a hand with every reading (section 4), the dog included."""
    by_rank = defaultdict(list)
    for card in hand:
        if card in RANK:
            by_rank[RANK[card]].append(card)
    singles = [Play(reading, (card,)) for card in hand for reading in readings([card])]
    longer = [play for reading in SHAPES for play in with_shape(reading, by_rank, PHOENIX in hand)]
    return (*singles, *longer)


def plays_on(hand: Cards, top: Reading | None) -> list[Play]:
    """The plays to lead, or to put on `top`, without regard to the wish (sections 5 and 6)."""
    found = [(put_on(play.reading, top), play.cards) for play in all_plays(hand)]
    return [Play(reading, cards) for reading, cards in found if reading]


def wished_plays(plays: Collection[Play], wish: int | None) -> list[Play]:
    """The plays that the wish leaves if it binds, else none (T-D13)."""
    return [play for play in plays if play.has_rank(wish)]


def turn_plays(hand: Cards, top: Reading | None, wish: int | None) -> tuple[list[Play], bool]:
    """The legal plays of a regular turn, and whether passing is legal too (6, T-D13)."""
    plays = plays_on(hand, top)
    wished = wished_plays(plays, wish)
    return wished or plays, top is not None and not wished


def bombs_on(hand: Cards, top: Reading | None) -> list[Play]:
    """The bombs that may be thrown out of turn; there must be something on the table (9)."""
    return [play for play in plays_on(hand, top) if play.is_bomb] if top else []


def straight_flush_cards(hand: Cards) -> set[str]:
    """The cards of a hand that lie in one of its straight flushes (12.3)."""
    flushes = [play for play in all_plays(hand) if play.reading.kind == "sflush"]
    return {card for play in flushes for card in play.cards}


def class_of(play: Play, relevant: set[str]) -> tuple[object, ...]:
    """What a play has in common with those that differ from it in cards without meaning (12.3)."""
    others = Counter(RANK.get(card, card) for card in play.cards if card not in relevant)
    return play.reading, frozenset(relevant & set(play.cards)), frozenset(others.items())
