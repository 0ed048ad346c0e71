"""Dou Dizhu written clause by clause from the rules: slow, obvious, independent of the engine.

Clause numbers are those of the rules text. Cards are strings of `RANKS`, or counts of them (1.6).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import Any, Literal, NamedTuple, Self, get_args, get_origin, get_type_hints

Cards = Counter[str]
RANKS = "3456789TJQKA2BR"
ORDINARY = "3456789TJQKA2"
SEQUENCE = "3456789TJQKA"  # 1.4
BOMBS = ("bomb", "soft_bomb", "rocket")
DOUBLES = {"off": (1,), "double": (1, 2), "super": (1, 2, 4)}  # 4.8
FOUR_PLAYERS = {"solo_kickers": False, "four_two_pair": False, "bomb_counts_from": 5}
NEEDS = {
    "snatch": ("snatch_cap", "snatch_factor", "snatch_by_passers"),
    "wild_rank": ("wild_alone", "pure_wild_bomb"),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of section 2, with `wild_rank`, the rank in force (11.1), in place of `wild`.

    The defaults below are those of three players: build with `Options.of`. An addition is
    `auction="off"`: the first bidder is landlord with base 1. `wild_big_bombs` is refused.
    """

    players: Literal[3, 4] = 3
    hands_per_match: int = 1
    first_bidder_next: Literal["winner", "landlord", "rotate", "face_up"] = "winner"
    auction: Literal["once", "continuous", "off"] = "once"
    all_pass: Literal["redeal", "force_first", "void"] = "redeal"
    all_pass_limit: int = 3
    max_redeals: int = 10
    snatch: bool = False
    snatch_cap: int = 3
    snatch_factor: Literal[1, 2] = 2
    snatch_by_passers: bool = False
    doubling: Literal["off", "double", "super"] = "off"
    reveal_bottom: bool = True
    kicker_rocket: bool = False
    kicker_solo_max_same: int | None = None
    kicker_pair_max_same: int | None = None
    kicker_adjacent_trio: bool = True
    solo_kickers: bool = True
    four_two_pair: bool = True
    bomb_counts_from: Literal[4, 5, 6] = 4
    bomb_mode: Literal["multiply", "add"] = "multiply"
    farmer_bomb_limit: bool = False
    wild_rank: Literal[None, "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A", "2"] = None
    wild_alone: Literal["any", "own_rank"] = "any"
    pure_wild_bomb: Literal["natural", "top"] = "natural"
    wild_big_bombs: Literal[False] = False

    def __post_init__(self) -> None:
        """Refuse unknown values and contradictions (section 2, 11.1)."""
        for name, hint in get_type_hints(Options).items():
            value, least = getattr(self, name), 0 if name == "max_redeals" else 1
            if get_origin(hint) is Literal and value not in get_args(hint):
                raise ValueError(f"{name} must be one of {get_args(hint)}, got {value!r}")
            if hint in (int, int | None) and value is not None and value < least:
                raise ValueError(f"{name} must be at least {least}, got {value!r}")
        for switch, names in NEEDS.items():
            changed = [name for name in names if getattr(self, name) != getattr(Options, name)]
            if changed and not getattr(self, switch):
                raise ValueError(f"{changed} must keep their defaults without {switch}")
        if self.wild_rank is not None and self.players == 4:
            raise ValueError(f"wild_rank must be None with four players, got {self.wild_rank!r}")

    @classmethod
    def of(cls, **given: Any) -> Self:
        """Options with the defaults of the number of players; None stands for the default."""
        defaults = FOUR_PLAYERS if given.get("players") == 4 else {}
        return cls(**defaults | {name: v for name, v in given.items() if v is not None})

    @cached_property
    def pack(self) -> Cards:
        """All cards of the game (1.2, 10.1)."""
        return Counter((ORDINARY * 4 + "BR") * (2 if self.players == 4 else 1))


class Move(NamedTuple):
    """A declared move (section 5), its cards in rank order."""

    kind: str
    main: str
    n: int
    cards: str


def format_cards(cards: Cards) -> str:
    """Cards in rank order."""
    return "".join(sorted(cards.elements(), key=RANKS.find))


ROWS = (  # kind, cards of a body rank, lengths of the body, its ranks, kicker size, kickers a rank
    ("solo", 1, (1,), RANKS, 0, 0),
    ("pair", 2, (1,), RANKS, 0, 0),  # of jokers only with two packs (10.3)
    ("trio", 3, (1,), ORDINARY, 0, 0),
    ("trio_solo", 3, (1,), ORDINARY, 1, 1),
    ("trio_pair", 3, (1,), ORDINARY, 2, 1),
    ("straight", 1, range(5, 13), SEQUENCE, 0, 0),
    ("train", 2, range(3, 13), SEQUENCE, 0, 0),
    ("plane", 3, range(2, 13), SEQUENCE, 0, 0),
    ("plane_solo", 3, range(2, 13), SEQUENCE, 1, 1),
    ("plane_pair", 3, range(2, 13), SEQUENCE, 2, 1),
    ("four_two_solo", 4, (1,), ORDINARY, 1, 2),
    ("four_two_pair", 4, (1,), ORDINARY, 2, 2),
    *(("bomb", size, (1,), ORDINARY, 0, 0) for size in range(4, 9)),  # above 4: two packs (10.5)
)


class Shape(NamedTuple):
    """What a declaration asks for: `same` cards of each body rank, `kickers` of `unit` cards."""

    kind: str
    main: str
    n: int
    same: int
    body: str
    unit: int
    kickers: int
    size: int


@cache
def shapes(opt: Options) -> tuple[Shape, ...]:
    """All declarations that some hand can hold (section 5, 10.2 to 10.6); soft bombs as bombs."""
    jokers = opt.pack["R"]
    found = [Shape("rocket", "R", 1, jokers, "BR", 0, 0, 2 * jokers)]  # 10.4
    for kind, same, lengths, ranks, unit, per_rank in ROWS:
        if not (opt.four_two_pair if kind == "four_two_pair" else opt.solo_kickers or unit != 1):
            continue
        for length in lengths:
            n = same if kind == "bomb" else length
            size = (same + unit * per_rank) * length
            for low in range(len(ranks) - length + 1):
                body = ranks[low : low + length]
                found.append(Shape(kind, body[0], n, same, body, unit, per_rank * length, size))
    largest = 33 if opt.players == 4 else 20
    return tuple(s for s in found if s.size <= largest and Counter(s.body * s.same) <= opt.pack)


def kickers_allowed(kickers: Cards, shape: Shape, opt: Options) -> bool:
    """Whether no rank supplies too many kickers (5.2, 5.7), and no rocket (5.4, 10.4)."""
    limit = opt.kicker_solo_max_same if shape.unit == 1 else opt.kicker_pair_max_same
    below, _, above = SEQUENCE.partition(shape.body)
    beside = below[-1:] + above[:1]
    for rank, num in kickers.items():
        adjacent_trio = shape.unit == 1 and num >= 3 and rank in beside
        too_many = limit is not None and num > limit * shape.unit
        if too_many or (adjacent_trio and not opt.kicker_adjacent_trio):
            return False
    return opt.kicker_rocket or min(kickers["B"], kickers["R"]) < opt.pack["R"]


def fits_shape(shape: Shape, cards: Cards, opt: Options) -> bool:
    """Whether cards without wild ones satisfy the declaration exactly (section 5, 5.1 to 5.5)."""
    if cards.total() != shape.size or any(cards[rank] != shape.same for rank in shape.body):
        return False
    kickers = cards - Counter(shape.body * shape.same)
    whole = all(num % shape.unit == 0 for num in kickers.values())
    return whole and kickers_allowed(kickers, shape, opt)


def namings(cards: Cards, opt: Options) -> Iterator[tuple[int, Cards]]:
    """Every number of renamed wild cards with the cards that result (11.2, 11.3, 11.5)."""
    wild = opt.wild_rank or ""
    as_itself = opt.wild_alone == "own_rank" and set(cards) == {wild}
    for renamed in range(1 if as_itself else cards[wild] + 1):
        kept = cards - Counter(wild * renamed)
        for names in combinations_with_replacement(ORDINARY.replace(wild, ""), renamed):
            named = kept + Counter(names)
            if named <= opt.pack:
                yield renamed, named


def readings(cards: str, opt: Options) -> set[tuple[str, str, int]]:
    """All readings `(kind, main, n)` of exactly these cards (section 5, 5.7, 11.3, 11.6)."""
    if not Counter(cards) <= opt.pack:
        return set()
    candidates = [shape for shape in shapes(opt) if shape.size == len(cards)]
    return {
        ("soft_bomb" if renamed and shape.kind == "bomb" else shape.kind, shape.main, shape.n)
        for renamed, named in namings(Counter(cards), opt)
        for shape in candidates
        if fits_shape(shape, named, opt)
    }


def bomb_strength(bomb: Move, opt: Options) -> tuple[int, bool, bool, int]:
    """More cards first (10.5); then natural over soft, then rank (11.6)."""
    natural = bomb.kind == "bomb"
    top = natural and bomb.main == opt.wild_rank and opt.pure_wild_bomb == "top"
    return bomb.n, top, natural, RANKS.index(bomb.main)


def beats(new: Move, old: Move, opt: Options) -> bool:
    """Whether `new` may be played on `old`, both valid (6.1 to 6.5, 10.5, 11.6)."""
    if "rocket" in (old.kind, new.kind):
        return old.kind != "rocket"
    if new.kind in BOMBS:
        return old.kind not in BOMBS or bomb_strength(new, opt) > bomb_strength(old, opt)
    higher = RANKS.index(new.main) > RANKS.index(old.main)
    return higher and (new.kind, new.n) == (old.kind, old.n)


def build_bodies(shape: Shape, have: Cards, opt: Options) -> Iterator[Cards]:
    """Every choice of actual cards for the body; wild cards stand for what is missing (11.3)."""
    wild = opt.wild_rank or ""
    choices = []
    for rank in shape.body:
        # Wild cards are no jokers (11.2), and on their own rank they are ordinary cards (11.8).
        spare = have[wild] if rank in ORDINARY and rank != wild else 0
        fewest = max(0, shape.same - spare)
        choices.append([rank * n for n in range(fewest, min(shape.same, have[rank]) + 1)])
    for chosen in product(*choices):
        naturals = "".join(chosen)
        missing = shape.same * len(shape.body) - len(naturals)
        body = Counter(naturals + wild * missing)
        if body <= have:
            yield body


def build_kickers(shape: Shape, left: Cards, opt: Options) -> set[str]:
    """Every choice of actual cards for the kickers (5.1 to 5.5, 11.3).

    Wild cards go with any body and have no limit: there is always another rank to name (11.9).
    """
    if not shape.kickers:
        return {""}
    wild = opt.wild_rank or ""
    units = [rank * shape.unit for rank in RANKS]
    units += [rank + wild for rank in ORDINARY if shape.unit == 2 and wild not in ("", rank)]
    units = [u for u in units if Counter(u) <= left and u[0] not in shape.body.replace(wild, "")]
    found = set()
    for chosen in combinations_with_replacement(units, shape.kickers):
        kickers = Counter("".join(chosen))
        naturals = kickers - Counter(wild * kickers[wild])
        if kickers <= left and kickers_allowed(naturals, shape, opt):
            found.add(format_cards(kickers))
    return found


def build_moves(shape: Shape, have: Cards, opt: Options) -> Iterator[Move]:
    """Every move of this declaration that the hand holds, each once."""
    for body in build_bodies(shape, have, opt):
        soft = shape.kind == "bomb" and body[shape.main] < shape.same
        kind = "soft_bomb" if soft else shape.kind
        for kickers in build_kickers(shape, have - body, opt):
            cards = format_cards(body + Counter(kickers))
            renamed = shape.main != opt.wild_rank or shape.kickers > 0
            only_wild = set(cards) == {opt.wild_rank}
            if not (only_wild and renamed and opt.wild_alone == "own_rank"):  # 11.5
                yield Move(kind, shape.main, shape.n, cards)


def legal_moves(
    hand: str, prev: Move | None, opt: Options, bombs_left: int | None = None
) -> set[Move]:
    """All moves, not pass, to lead or play on `prev` (7.1, 7.2) with `bombs_left` bombs (10.10)."""
    moves, have = set[Move](), Counter(hand)
    for shape in shapes(opt):
        if prev is None or shape.kind in BOMBS or (shape.kind, shape.n) == (prev.kind, prev.n):
            moves.update(build_moves(shape, have, opt))
    barred = BOMBS if bombs_left is not None and bombs_left <= 0 else ()
    return {m for m in moves if m.kind not in barred and (prev is None or beats(m, prev, opt))}


def all_moves(opt: Options, hand_size: int | None = None) -> Iterator[Move]:
    """Every move of section 13, each once: of hands of 20 cards (33), or up to `hand_size`."""
    for shape in shapes(opt):
        if hand_size is None or shape.size <= hand_size:
            yield from build_moves(shape, opt.pack, opt)


class Auction:
    """One auction with its snatch phase (section 4).

    `earlier_all_pass` counts the all-pass deals of the same hand before this one (4.2, 4.3).
    `status` is "open", "landlord", "forced", "redeal" or "void"; `said` are each seat's bids, 0 =
    pass; `holder` is the highest bidder or latest snatcher; `to_ask` is for the snatch phase.
    """

    def __init__(self, opt: Options, first: int, earlier_all_pass: int = 0) -> None:
        """Begin with the first bidder."""
        self.opt, self.first, self.earlier_all_pass = opt, first, earlier_all_pass
        self.status = "open"
        self.turn: int | None = first
        self.landlord: int | None = None
        self.base: int | None = None
        self.holder: int | None = None
        self.highest = self.silent = self.snatches = 0
        self.said: list[list[int]] = [[] for _ in range(opt.players)]
        self.to_ask: list[int] | None = None
        if opt.auction == "off":
            self._end("landlord", first, 1)

    def legal(self) -> set[str]:
        """Actions of the seat to act (section 4, 4.5)."""
        bids = {"pass"} | {str(bid) for bid in (1, 2, 3) if bid > self.highest}
        actions = bids if self.to_ask is None else {"snatch", "decline"}
        return actions if self.status == "open" else set()

    def act(self, action: str) -> None:
        """Act for the seat to act; ValueError, without a change, if that is not legal."""
        seat = self.turn
        if seat is None or action not in self.legal():
            raise ValueError(f"seat {seat} may not {action}, legal is {sorted(self.legal())}")
        if self.to_ask is None:
            self._bid(seat, 0 if action == "pass" else int(action))
        elif action == "snatch":
            self.snatches, self.holder = self.snatches + 1, seat
        if self.to_ask is None:
            return
        # The caller is the last one in `to_ask`, and still the holder if nobody has snatched.
        if self.snatches < self.opt.snatch_cap and self.to_ask[:1] not in ([], [self.holder]):
            self.turn = self.to_ask.pop(0)
        else:
            self._end("landlord", self.holder, 3)

    def _bid(self, seat: int, bid: int) -> None:
        """Bid, or pass with 0; a bid of 3 ends the bidding (4.1, 4.4) or opens snatching (4.5)."""
        opt = self.opt
        self.said[seat].append(bid)
        self.silent += 1
        if bid:
            self.highest, self.holder, self.silent = bid, seat, 0
        to_pass = opt.players - (self.holder is not None)
        done = all(self.said) if opt.auction == "once" else self.silent == to_pass
        others = [(seat + step) % opt.players for step in range(1, opt.players)]
        self.turn = others[0]
        if bid == 3:
            may = [s for s in others if opt.snatch_by_passers or self.said[s][-1:] != [0]]
            self.to_ask = [*may, seat] if opt.snatch else []
        elif done and self.holder is not None:
            self._end("landlord", self.holder, self.highest)
        elif done:
            self._all_passed(self.earlier_all_pass + 1)

    def _all_passed(self, times: int) -> None:
        """Redeal, forced landlord or void hand (4.2, 4.3)."""
        opt = self.opt
        most = {"void": 1, "redeal": opt.max_redeals + 1, "force_first": opt.all_pass_limit}
        if times < most[opt.all_pass]:
            self._end("redeal", None, None)
        elif opt.all_pass == "force_first":
            self._end("forced", self.first, 1)
        else:
            self._end("void", None, None)

    def _end(self, status: str, landlord: int | None, base: int | None) -> None:
        self.status, self.landlord, self.base, self.turn = status, landlord, base, None

    def bomb_limits(self) -> list[int | None]:
        """Bombs that each seat may play in the hand, None without a limit (10.10)."""
        limits: list[int | None] = [None] * self.opt.players
        for seat, said in enumerate(self.said):
            if self.opt.farmer_bomb_limit and seat != self.landlord and said and max(said) < 3:
                limits[seat] = max(1, *said)
        return limits


class Result(NamedTuple):
    """The score of a hand (section 8); `multiplier` is M of 8.5, `payoffs` one for each seat."""

    spring: str
    counted_bombs: int
    multiplier: int
    payoffs: list[int]


def settle(
    opt: Options,
    landlord: int,
    base: int,
    snatches: int,
    doubles: Sequence[int] | None,
    winner: int,
    bombs: Sequence[tuple[str, int]],
    plays: Sequence[int],
) -> Result:
    """Score a hand (8.1 to 8.5, 10.7 to 10.9).

    `doubles` and `plays` are for each seat (4.8, 8.3), `bombs` are all played, as `(kind, n)`.
    """
    doubles = doubles or [1] * opt.players
    if not set(doubles) <= set(DOUBLES[opt.doubling]):
        raise ValueError(f"doubles must be of {DOUBLES[opt.doubling]}, got {doubles}")
    spring = "none"
    if winner == landlord and sum(plays) == plays[landlord]:
        spring = "landlord"
    elif winner != landlord and plays[landlord] == 1:
        spring = "farmers"
    counted = sum(kind == "rocket" or n >= opt.bomb_counts_from for kind, n in bombs)
    multiplier = 2**counted if opt.bomb_mode == "multiply" else 1 + counted
    multiplier *= (1 if spring == "none" else 2) * opt.snatch_factor**snatches
    amount = base * multiplier * doubles[landlord] * (-1 if winner == landlord else 1)
    payoffs = [amount * choice for choice in doubles]
    payoffs[landlord] -= sum(payoffs)  # what is left is minus the sum of the farmers
    return Result(spring, counted, multiplier, payoffs)


class Play:
    """The play of one hand (section 7); the landlord's hand includes the bottom cards.

    `prev` is the move to beat, None at a lead; `winner` is the seat that went out; `spring`,
    `counted_bombs`, `multiplier` and `payoffs` are right when the hand is over.
    """

    def __init__(
        self,
        opt: Options,
        hands: Sequence[str],
        landlord: int,
        base: int,
        snatches: int = 0,
        doubles: Sequence[int] | None = None,
        bomb_limits: Sequence[int | None] | None = None,
    ) -> None:
        """Begin with the landlord's lead (7.1)."""
        self.opt, self.terms = opt, (landlord, base, snatches, doubles)
        self.hands = [format_cards(Counter(hand)) for hand in hands]
        self.bombs_left = list(bomb_limits or [None] * opt.players)
        self.turn: int | None = landlord
        self.prev: Move | None = None
        self.winner: int | None = None
        self.passes, self.plays = 0, [0] * opt.players
        self.bombs: list[tuple[str, int]] = []
        self._score(Result("none", 0, 1, [0] * opt.players))

    @property
    def may_pass(self) -> bool:
        """Everybody but the leader of a trick may pass (7.2, 7.3)."""
        return self.winner is None and self.prev is not None

    def legal(self) -> set[Move]:
        """Moves of the seat to act, without pass (7.1, 7.2)."""
        if self.turn is None:
            return set()
        return legal_moves(self.hands[self.turn], self.prev, self.opt, self.bombs_left[self.turn])

    def act(self, move: Move | None) -> None:
        """Play for the seat to act, None = pass; ValueError, without a change, if not legal."""
        seat = self.turn
        if seat is None or not (self.may_pass if move is None else self._may_play(seat, move)):
            raise ValueError(f"seat {seat} may not play {move} (None = pass) on {self.prev}")
        self.turn = (seat + 1) % self.opt.players
        self.passes = self.passes + 1 if move is None else 0
        if move is not None:
            self._play(seat, move._replace(cards=format_cards(Counter(move.cards))))
        elif self.passes == self.opt.players - 1:  # 7.5
            self.prev = None

    def _may_play(self, seat: int, move: Move) -> bool:
        """Whether a move is legal by the definitions of sections 5 and 6 and of 10.10."""
        held = Counter(move.cards) <= Counter(self.hands[seat])
        higher = self.prev is None or beats(move, self.prev, self.opt)
        barred = move.kind in BOMBS and self.bombs_left[seat] == 0
        return held and move[:3] in readings(move.cards, self.opt) and higher and not barred

    def _play(self, seat: int, move: Move) -> None:
        """Put the move on the table (7.2), and end the hand when the cards are out (7.6)."""
        self.hands[seat] = format_cards(Counter(self.hands[seat]) - Counter(move.cards))
        self.prev = move
        self.plays[seat] += 1
        left = self.bombs_left[seat]
        if move.kind in BOMBS:
            self.bombs.append((move.kind, move.n))
            self.bombs_left[seat] = None if left is None else left - 1
        if not self.hands[seat]:
            self.turn, self.winner = None, seat
            self._score(settle(self.opt, *self.terms, seat, self.bombs, self.plays))

    def _score(self, result: Result) -> None:
        self.over = self.winner is not None
        self.spring, self.counted_bombs, self.multiplier, self.payoffs = result


def next_first_bidder(
    opt: Options, first: int, landlord: int | None, winner: int | None, num_seats: int
) -> int | None:
    """First bidder of the next hand, None = a face-up card (3.5, 9.2); no winner = a void hand."""
    if opt.first_bidder_next == "rotate":
        return (first + 1) % num_seats
    if opt.first_bidder_next == "face_up":
        return None
    if winner is None:
        return first
    return {"winner": winner, "landlord": landlord}[opt.first_bidder_next]


def match_winners(totals: Sequence[int]) -> list[int]:
    """Seats with the highest total; ties share the win (9.1)."""
    return [seat for seat, total in enumerate(totals) if total == max(totals)]
