"""Dori-jitgo-ttaeng written clause by clause from the rules: slow, obvious, engine-independent.

Clause numbers and decisions (J01 …) are those of the rules text. Cards are texts such as
"8G" (1.3), seats are 0 to N − 1. The banker's game (section 5) is in `jitgo_ttaeng_banker`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

KINDS = {1: "GR", 2: "AR", 3: "GR", 4: "AR", 5: "AR", 6: "AR", 7: "AR", 8: "GA", 9: "AR", 10: "AR"}
"""The two pictures of each month, in the order of the card ids (1.3)."""
DECKS = {
    20: tuple(f"{month}{kind}" for month in KINDS for kind in KINDS[month]),
    40: tuple(f"{m}{kind}" for m in KINDS for kind in (*KINDS[m], "J1", "J2")),
}
HAND_SIZE = 5
SEOTDA = {
    (4, 6): "seryuk",
    (4, 10): "jangsa",
    (1, 10): "jangpping",
    (1, 9): "gupping",
    (1, 4): "doksa",
    (1, 2): "alli",
}
GWANG = {("1G", "3G"): "gwang_13", ("1G", "8G"): "gwang_18", ("3G", "8G"): "gwang_38"}
PLAIN_CHUNCHU = ("chunchu_1_6", "chunchu_2_7", "chunchu_3_8", "chunchu_4_9", "chunchu_5_10")
ORDER = (
    "hwang",
    *(f"kkeut_{n}" for n in range(10)),
    *SEOTDA.values(),
    *(f"ttaeng_{month}" for month in range(1, 11)),
    *PLAIN_CHUNCHU,
    *GWANG.values(),
    *(f"top_{name}" for name in PLAIN_CHUNCHU),
    "chunchu_gwang_2",
    "chunchu_gwang_7",
)
"""The results by strength (3.2); a name with "top_" is that of `chunchu="top"`."""
SPECIALS = {
    "ttaengjabi": "kkeut_0",
    "amhaeng": "kkeut_1",
    "gusa": "kkeut_3",
    "meonggusa": "kkeut_3",
}
"""Special hands, and what they are by themselves (3.2)."""
ALLI = ORDER.index("alli")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of section 2, with the defaults of betting mode."""

    gwang: bool = True
    seotda: bool = True
    special: bool = False
    chunchu: Literal["off", "above_jang", "top"] = "off"
    ttaengjabi: Literal["3G7A", "any37"] = "3G7A"
    ttaengjabi_max: int = 9
    meonggusa_max: int = 9
    max_redeals: int = 3
    ante: int = 10
    min_bet: int = 10
    structure: Literal["free", "limit"] = "free"
    bet_cap: Literal["pot"] | int | None = "pot"
    max_raises: int | None = 3
    min_raise: Literal["last", "min_bet"] = "last"
    deal_schedule: tuple[int, ...] = (5,)
    max_hands: int = 10
    bust: Literal["sit_out", "end_match"] = "sit_out"
    min_stake: int = 10
    bank_cap: Literal["current", "stake"] = "current"
    win_multiple: float = 4
    voluntary_pass: bool = False
    max_rounds: int = 20


class Build(NamedTuple):
    """Three cards that build, the two left over, and what these are (3.1, 3.2)."""

    build: tuple[str, ...]
    rest: tuple[str, ...]
    name: str
    strength: int


class Result(NamedTuple):
    """What a hand is worth; `counting` are the builds that make it so."""

    name: str
    strength: int
    is_chunchu: bool = False
    counting: tuple[Build, ...] = ()


HWANG = Result("hwang", 0)


def month(card: str) -> int:
    """The month of a card, which is its value (1.1)."""
    return int(card[:2] if card[:2].isdigit() else card[0])


def card_order(card: str) -> int:
    """Place of a card in the order of the card ids."""
    return DECKS[40].index(card)


def name_pair(pair: Sequence[str], opt: Options) -> str:
    """The result that two cards left over give (3.2, J03, J09)."""
    first, second = sorted(pair, key=card_order)
    months, last_digit = (month(first), month(second)), (month(first) + month(second)) % 10
    if opt.gwang and (first, second) in GWANG:
        return GWANG[first, second]
    if months[0] == months[1]:
        return f"ttaeng_{months[0]}"
    if opt.special:
        if (first, second) == ("3G", "7A") or (months == (3, 7) and opt.ttaengjabi == "any37"):
            return "ttaengjabi"
        if (first, second) == ("4A", "7A"):
            return "amhaeng"
        if months == (4, 9):
            return "meonggusa" if (first, second) == ("4A", "9A") else "gusa"
    if opt.seotda and months in SEOTDA:
        return SEOTDA[months]
    return f"kkeut_{last_digit}"


def strength_of(name: str) -> int:
    """Strength of a result (3.2)."""
    return ORDER.index(SPECIALS.get(name, name))


def find_builds(cards: Sequence[str], opt: Options) -> list[Build]:
    """Every choice of three cards whose months add up to 10, 20 or 30 (3.1)."""
    found = []
    for build in combinations(sorted(cards, key=card_order), 3):
        if sum(map(month, build)) % 10 == 0:
            rest = tuple(sorted(set(cards) - set(build), key=card_order))
            name = name_pair(rest, opt)
            found.append(Build(build, rest, name, strength_of(name)))
    return found


def name_chunchu(builds: Sequence[Build]) -> str | None:
    """The chunchu that a hand is: two different ttaeng or gwang-ttaeng are left (3.5)."""
    names = {b.name for b in builds}
    ttaeng = sorted(int(name.partition("_")[2]) for name in names if name.startswith("ttaeng_"))
    if len(ttaeng) == 2:
        return f"chunchu_{ttaeng[0]}_{ttaeng[1]}"
    if ttaeng and names & {*GWANG.values()}:
        return f"chunchu_gwang_{ttaeng[0]}"
    return None


def preference(build: Build) -> tuple[int, int]:
    """The higher strength first; then meonggusa, the other special hands, the rest (3.3, J07)."""
    special = {"meonggusa": 2}.get(build.name, int(build.name in SPECIALS))
    return build.strength, special


def evaluate(cards: tuple[str, ...], opt: Options) -> Result:
    """What five cards are worth (3.3, 3.5)."""
    builds = find_builds(cards, opt)
    if not builds:
        return HWANG
    best = max(map(preference, builds))
    counting = tuple(b for b in builds if preference(b) == best)
    chunchu = name_chunchu(builds)
    name, strength = counting[0].name, counting[0].strength
    if chunchu and opt.chunchu == "above_jang" and chunchu in PLAIN_CHUNCHU:  # J08
        name, strength = chunchu, ORDER.index(chunchu)
    elif chunchu and opt.chunchu == "top":
        in_order = f"top_{chunchu}" if chunchu in PLAIN_CHUNCHU else chunchu
        name, strength = chunchu, ORDER.index(in_order)
    return Result(name, strength, chunchu is not None, counting)


def winners(hands: dict[int, Result], opt: Options) -> list[int]:
    """Who wins among the seats that compete for one pot (3.6, J13)."""
    best = max(hand.strength for hand in hands.values())
    if best > 0 and opt.special:
        caught = [
            ("ttaengjabi", ALLI < best <= ALLI + opt.ttaengjabi_max),
            ("amhaeng", best in (ORDER.index("gwang_13"), ORDER.index("gwang_18"))),
        ]
        for name, catches in caught:
            catchers = [seat for seat, hand in hands.items() if hand.name == name]
            if catches and catchers:
                return catchers
    return [seat for seat, hand in hands.items() if hand.strength == best]


def redealt_seats(hands: dict[int, Result], opt: Options) -> list[int]:
    """The seats still in that get new cards because of gusa or meonggusa; none otherwise (J11)."""
    building = {seat: hand for seat, hand in hands.items() if hand.strength > 0}
    if not opt.special or len(building) < 2:
        return []
    names = {hand.name for hand in building.values()}
    best = max(hand.strength for hand in building.values())
    meonggusa = "meonggusa" in names and best <= ALLI + opt.meonggusa_max
    return list(building) if meonggusa or ("gusa" in names and best <= ALLI) else []


class Pot(NamedTuple):
    """The main pot or a side pot (4.5)."""

    amount: int
    eligible: list[int]
    winners: list[int]


def build_pots(
    contrib: Sequence[int], live: Sequence[int], hands: dict[int, Result], opt: Options
) -> list[Pot]:
    """The main pot, then the side pots, each with its winners (4.5, J26, J27).

    `hands` may be empty where nobody competes.
    """
    pots, low = [], 0
    levels = sorted({contrib[seat] for seat in live if contrib[seat] > 0})
    for level in levels:
        amount = sum(min(chips, level) - min(chips, low) for chips in contrib)
        if level == levels[-1]:
            amount += sum(max(chips - level, 0) for chips in contrib)
        eligible = [seat for seat in live if contrib[seat] >= level]
        alone = len(eligible) == 1
        won = eligible if alone else winners({seat: hands[seat] for seat in eligible}, opt)
        pots.append(Pot(amount, eligible, won))
        low = level
    return pots


def pay_pots(pots: Iterable[Pot], num_seats: int, sun: int) -> list[int]:
    """What each seat gets; odd chips go round from the sun, pot by pot (4.5, J25)."""
    payout = [0] * num_seats
    for pot in pots:
        share, odd = divmod(pot.amount, len(pot.winners))
        for place, seat in enumerate(sorted(pot.winners, key=lambda s: (s - sun) % num_seats)):
            payout[seat] += share + (place < odd)
    return payout


class Hand:
    """The betting of one hand (4.1 to 4.4), from the stacks before the ante.

    `phase` is "betting", "showdown" or "won_by_folds"; `actor` is None when nobody is to act.
    """

    def __init__(self, opt: Options, stacks: Sequence[int], sun: int = 0) -> None:
        """Post the antes (4.1, J24)."""
        self.opt, self.sun, self.num_seats = opt, sun, len(stacks)
        self.dealt_in = [stack > 0 for stack in stacks]
        self.contrib = [min(opt.ante, stack) for stack in stacks]
        self.stacks = [stack - paid for stack, paid in zip(stacks, self.contrib, strict=True)]
        self.folded = [False] * self.num_seats
        self.round, self.phase = 0, "betting"
        self.actor: int | None = None
        self._open_round()
        self._go_on(sun)

    @property
    def live(self) -> list[int]:
        """Seats dealt in and not folded (4.2)."""
        return [i for i in range(self.num_seats) if self.dealt_in[i] and not self.folded[i]]

    @property
    def pot(self) -> int:
        """All chips of the hand (4.2)."""
        return sum(self.contrib)

    def legal(self) -> dict[str, int]:
        """The legal actions of the seat to act, with the chips each pays (4.3)."""
        if self.actor is None:
            return {}
        seat, stack = self.actor, self.stacks[self.actor]
        owed = self.current - self.round_bets[seat]
        actions = {"FOLD": 0} if owed > 0 else {}  # J16
        actions["CHECK_CALL"] = min(owed, stack)
        if self._may_raise(seat):
            for name, size in self._sizes(owed, stack - owed).items():
                if owed + size not in actions.values():
                    actions[name] = owed + size
        return actions

    def _may_raise(self, seat: int) -> bool:
        """Condition R of 4.3, but for the chips (J18, J22, J23)."""
        raises_left = self.opt.max_raises is None or self.raises < self.opt.max_raises
        answered = any(
            self.round_bets[j] + self.stacks[j] > self.current for j in self.live if j != seat
        )
        return seat not in self.acted and (self.current == 0 or raises_left) and answered

    def _least(self) -> int:
        """The smallest full bet or raise (4.3, J20)."""
        by_last = self.opt.structure == "free" and self.opt.min_raise == "last"
        return self.last if by_last else self.opt.min_bet

    def _sizes(self, owed: int, spare: int) -> dict[str, int]:
        """Sizes of the bets and raises in range, in the order of the ids (4.3, J19, J21)."""
        least, after_call, cap = self._least(), self.pot + owed, self.opt.bet_cap
        most: float = float("inf") if cap is None else 0
        if self.opt.structure == "limit":
            most = least
        elif cap is not None:
            most = max(least, after_call) if cap == "pot" else cap
        sizes: dict[str, float] = {"MIN": least}
        if self.opt.structure == "free":
            sizes |= {"QUARTER": after_call // 4, "HALF": after_call // 2, "FULL": after_call}
            sizes |= {"MAX": most} if cap is not None else {}
        in_range = {name: int(x) for name, x in sizes.items() if least <= x <= min(most, spare)}
        return in_range | ({"ALL_IN": spare} if 0 < spare <= most else {})

    def act(self, action: str) -> None:
        """Act for the seat to act; ValueError, without a change, if that is not legal (4.4)."""
        seat, legal = self.actor, self.legal()
        if seat is None or action not in legal:
            raise ValueError(f"seat {seat} may not {action}, legal is {legal}")
        owed, least = self.current - self.round_bets[seat], self._least()
        if action == "FOLD":
            self.folded[seat] = True
        else:
            self._pay(seat, legal[action])
        size = legal[action] - owed
        if action not in ("FOLD", "CHECK_CALL"):
            if size >= least:
                self.raises += self.current > 0
                self.last, self.acted = size, {seat}
            self.current = self.round_bets[seat]
        if action != "FOLD":
            self.acted.add(seat)
        self._go_on((seat + 1) % self.num_seats)

    def _pay(self, seat: int, chips: int) -> None:
        self.stacks[seat] -= chips
        self.contrib[seat] += chips
        self.round_bets[seat] += chips

    def _open_round(self) -> None:
        self.round_bets = [0] * self.num_seats
        self.current = self.raises = 0
        self.last = self.opt.min_bet
        self.acted: set[int] = set()

    def _go_on(self, first: int) -> None:
        """Find who acts next, `first` asked first, or what comes after the round (4.4)."""
        self.actor = None
        if len(self.live) == 1:
            self.phase = "won_by_folds"
            return
        self.actor = self._next_actor(first)
        while self.actor is None and self.phase == "betting":
            self.round += 1
            if self.round == len(self.opt.deal_schedule):
                self.phase = "showdown"
            else:
                self._open_round()
                self.actor = self._next_actor(self.sun)

    def _next_actor(self, first: int) -> int | None:
        can = [seat for seat in self.live if self.stacks[seat] > 0]
        for step in range(self.num_seats):
            seat = (first + step) % self.num_seats
            owes = seat in can and self.round_bets[seat] < self.current
            if owes or (seat in can and seat not in self.acted and len(can) > 1):
                return seat
        return None

    def settle(self, hands: Sequence[Result | None], redeals_left: int) -> "Settlement":
        """Pay out after the betting, unless there is a new deal (4.5, J12)."""
        shown = {} if self.phase == "won_by_folds" else {i: _seen(hands[i]) for i in self.live}
        redealt = redealt_seats(shown, self.opt) if redeals_left > 0 and shown else []
        if redealt:
            return Settlement(redealt=redealt)
        pots = build_pots(self.contrib, self.live, shown, self.opt)
        payout = pay_pots(pots, self.num_seats, self.sun)
        stacks = [stack + won for stack, won in zip(self.stacks, payout, strict=True)]
        net = [won - paid for won, paid in zip(payout, self.contrib, strict=True)]
        main_winners = pots[0].winners if pots else []  # no pot: nobody has put anything in
        sun = main_winners[0] if len(main_winners) == 1 else self.sun  # J28
        while stacks[sun] == 0:
            sun = (sun + 1) % self.num_seats
        return Settlement(pots=pots, payout=payout, stacks=stacks, net=net, next_sun=sun)


@dataclass(frozen=True, kw_only=True)
class Settlement:
    """How a hand ended: with a new deal to the seats `redealt`, or with payouts."""

    redealt: Sequence[int] = ()
    pots: Sequence[Pot] = ()
    payout: Sequence[int] = ()
    stacks: Sequence[int] = ()
    net: Sequence[int] = ()
    next_sun: int | None = None


def _seen(hand: Result | None) -> Result:
    if hand is None:
        raise ValueError("a showdown needs the hands of all who are still in")
    return hand


class Match:
    """Hands with the chips carried over (4.6, J30).

    `decks` are the shuffles in order, one for every deal and every new deal (9).
    """

    def __init__(
        self, opt: Options, stacks: Sequence[int], sun: int, decks: Iterator[Sequence[str]]
    ) -> None:
        """Deal the first hand, and all others that need no decision."""
        self.opt, self.stacks, self.sun, self.decks = opt, list(stacks), sun, decks
        self.start = list(stacks)
        self.hands_played, self.over = 0, False
        self.settlements: list[Settlement] = []
        self.redealt: Sequence[int] = ()
        self._start_hand()

    @property
    def net(self) -> list[int]:
        """Chips won so far in the hands that have ended."""
        return [now - before for now, before in zip(self.stacks, self.start, strict=True)]

    def act(self, action: str) -> None:
        """Act for the seat to act; see `Hand.act`."""
        self.hand.act(action)
        self._deal_rounds()
        if self.hand.actor is None:
            self._end_hand()
            self._start_hand()

    def _start_hand(self) -> None:
        while not self.over:
            self.hand = Hand(self.opt, self.stacks, self.sun)
            self.cards: list[tuple[str, ...]] = [()] * len(self.stacks)
            self.rounds_dealt, self.redealt = 0, ()
            self._shuffle()
            self._deal_rounds()
            if self.hand.actor is not None:
                return
            self._end_hand()

    def _deal_rounds(self) -> None:
        """The cards before the betting that is on, and before the showdown (4.1, J14)."""
        schedule = self.opt.deal_schedule
        wanted = schedule[: self.hand.round + 1] if self.hand.phase != "won_by_folds" else ()
        for num in wanted[self.rounds_dealt :]:
            self._deal(num, self.hand.live)
            self.rounds_dealt += 1

    def _shuffle(self) -> None:
        self.deck = iter(next(self.decks))

    def _deal(self, num: int, seats: Sequence[int]) -> None:
        """Cards from the top of the deck, one at a time, from the sun round (9)."""
        for _ in range(num):
            for seat in sorted(seats, key=lambda s: (s - self.sun) % len(self.stacks)):
                self.cards[seat] += (next(self.deck),)

    def _end_hand(self) -> None:
        settlement = self._show(self.opt.max_redeals)
        for left in range(self.opt.max_redeals - 1, -1, -1):
            if not settlement.redealt:
                break
            self.redealt = settlement.redealt
            self._shuffle()
            for seat in self.redealt:
                self.cards[seat] = ()
            self._deal(HAND_SIZE, self.redealt)
            settlement = self._show(left)
        assert settlement.next_sun is not None
        self.settlements.append(settlement)
        self.stacks, self.sun = list(settlement.stacks), settlement.next_sun
        self.hands_played += 1
        bust = self.stacks.count(0)
        ended = bust > 0 if self.opt.bust == "end_match" else bust == len(self.stacks) - 1
        self.over = ended or self.hands_played == self.opt.max_hands

    def _show(self, redeals_left: int) -> Settlement:
        is_whole = [len(cards) == HAND_SIZE for cards in self.cards]
        hands = [
            evaluate(c, self.opt) if w else None for c, w in zip(self.cards, is_whole, strict=True)
        ]
        return self.hand.settle(hands, redeals_left)
