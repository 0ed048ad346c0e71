"""Options of Dori-jitgo-ttaeng (RULES section 2) and their form inside a game's record."""

import re
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args, get_origin

import numpy as np

from envs.core.errors import RulesError
from envs.core.rules import check_range, check_types, need_defaults
from envs.jitgo_ttaeng.cards import HAND_SIZE

Mode = Literal["betting", "banker"]
HandSet = Literal["classic", "modern", "full"]
ChunchuRule = Literal["off", "above_jang", "top"]
TtaengjabiRule = Literal["3G7A", "any37"]
Structure = Literal["free", "limit"]
MinRaise = Literal["last", "min_bet"]
BustRule = Literal["sit_out", "end_match"]
BankCap = Literal["current", "stake"]

MODE_BETTING, MODE_BANKER = range(2)
CHUNCHU_OFF, CHUNCHU_ABOVE_JANG, CHUNCHU_TOP = range(3)
PICTURES_37, ANY_37 = range(2)
STRUCTURE_FREE, STRUCTURE_LIMIT = range(2)
RAISE_LAST, RAISE_MIN_BET = range(2)
BUST_SIT_OUT, BUST_END_MATCH = range(2)
CAP_CURRENT, CAP_STAKE = range(2)

MAX_SEATS = 8
MOST_CHIPS = 1_000_000
"""The largest amount an option may name."""
NO_LIMIT = 99_999_999  # stands for "none" in the record: more than all chips
CAP_POT = 0  # stands for "pot" in the record's `bet_cap`
RANDOM = -1  # stands for "random" in the record's `first_sun` and `first_banker`
HUNDREDTHS = 100  # `win_multiple` in the record is in hundredths

FLAGS: dict[str, tuple[bool, bool, bool]] = {
    "classic": (False, False, False),
    "modern": (True, True, False),
    "full": (True, True, True),
}
"""`gwang`, `seotda` and `special` of each hand set (RULES J04)."""
USUAL: dict[str, dict[str, Any]] = {
    "betting": {"num_players": 4, "hand_set": "modern"},
    "banker": {"num_players": 5, "hand_set": "classic"},
}
"""What None stands for, by mode."""
BETTING_ONLY = (
    "meonggusa_max", "max_redeals", "ante", "structure", "bet_cap", "max_raises", "min_raise",
    "deal_schedule", "first_sun", "max_hands", "bust",
)  # fmt: skip
BANKER_ONLY = (
    "min_stake", "bank_cap", "win_multiple", "voluntary_pass", "max_rounds", "first_banker",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class JitgoTtaengRules:
    """A variant of Dori-jitgo-ttaeng: one value for each option of RULES section 2."""

    NOT_OFFERED: ClassVar = {
        "redeal_betting": "a new deal has no betting of its own (RULES J12)",
        "reward_unit": "rewards are chips; whoever wants another unit divides them (RULES J30)",
    }

    mode: Mode = "betting"
    """Bets between the seats (RULES 4), or a bank that the others bet against (RULES 5)."""
    deck: Literal[20, 40] = 20
    """Cards in the game (RULES 1.2)."""
    num_players: int | None = None
    """Seats at the table (RULES 1.4). None: 4, in banker mode 5."""
    hand_set: HandSet | None = None
    """Which hands count beside kkeut and ttaeng (RULES J04). None: modern, in banker mode
    classic."""
    gwang: bool | None = None
    """Gwang-ttaeng counts (RULES 3.2). None: by `hand_set`."""
    seotda: bool | None = None
    """Alli to seryuk count (RULES 3.2). None: by `hand_set`."""
    special: bool | None = None
    """Gusa, meonggusa, ttaengjabi and amhaeng count (RULES 3.2). None: by `hand_set`."""
    chunchu: ChunchuRule = "off"
    """Where a hand with two ttaeng ranks (RULES 3.5)."""
    ttaengjabi: TtaengjabiRule = "3G7A"
    """Which cards are a ttaengjabi (RULES J09)."""
    ttaengjabi_max: Literal[9, 10] = 9
    """The highest ttaeng that a ttaengjabi catches."""
    meonggusa_max: Literal[8, 9, 10] = 9
    """The highest ttaeng that leaves a meonggusa its new deal (RULES J11)."""
    max_redeals: int = 3
    """New deals of one hand at most (RULES J12)."""
    deal_schedule: str = "5"
    """Cards dealt before each betting round, as `2+2+1`; they add up to 5 (RULES J14)."""
    structure: Structure = "free"
    """Bets of several sizes, or all of `min_bet` (RULES J21)."""
    min_raise: MinRaise = "last"
    """The least raise: the last full bet or raise, or `min_bet` (RULES J20)."""
    first_sun: int | Literal["random"] = "random"
    """The seat that opens the first hand (RULES J28)."""
    bust: BustRule = "sit_out"
    """A seat without chips looks on, or ends the match (RULES J30)."""
    bank_cap: BankCap = "current"
    """All bets together are limited by the bank, or also by the first stake (RULES J32)."""
    voluntary_pass: bool = False
    """The banker may give up the bank after each round (RULES J36)."""
    first_banker: int | Literal["random"] = "random"
    """The seat that is offered the bank first (RULES J38)."""
    helper_features: bool = True
    """The observation names the result of the own five cards (RULES 6)."""
    show_last: bool = False
    """The observation holds the cards shown at the end of the hand before (RULES 6)."""
    start_stack: int = 1000
    """Chips of each seat (RULES J15)."""
    ante: int = 10
    """Chips that each seat posts (RULES 4.1)."""
    min_bet: int = 10
    """The least bet (RULES J15)."""
    bet_cap: int | Literal["pot"] | None = "pot"
    """The largest bet or raise: the pot after the call, a number of chips, or none (RULES J19)."""
    max_raises: int | None = 3
    """Raises of a betting round at most (RULES J18)."""
    max_hands: int = 10
    """Hands of a match at most (RULES J30)."""
    min_stake: int = 10
    """The least stake of a banker (RULES J37)."""
    win_multiple: float = 4
    """Winnings, in stakes, with which the bank passes on; whole hundredths (RULES J34)."""
    max_rounds: int = 20
    """Dealt rounds of a match in banker mode (RULES J42)."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, out of range, or that contradict."""
        check_types(self)
        self._check_ranges()
        self._check_seats()
        if sum(schedule_of(self)) != HAND_SIZE:
            raise RulesError(
                f"deal_schedule must be numbers that add up to 5, as '2+2+1', "
                f"got {self.deal_schedule!r}"
            )
        if self.mode == "banker":
            need_defaults(self, "the mode is 'banker'", *BETTING_ONLY)
            if self.min_stake < self.min_bet or self.start_stack < self.min_stake:
                raise RulesError(
                    f"min_stake must be min_bet to start_stack, {self.min_bet} to "
                    f"{self.start_stack}, got {self.min_stake}"
                )
        else:
            need_defaults(self, "the mode is 'betting'", *BANKER_ONLY)
            self._check_bets()
        if not resolve(self, "special"):
            need_defaults(self, "special hands are off", "ttaengjabi", "ttaengjabi_max")
            need_defaults(self, "special hands are off", "meonggusa_max", "max_redeals")

    def _check_ranges(self) -> None:
        for name in ("start_stack", "min_bet", "max_hands", "max_rounds"):
            check_range(name, getattr(self, name), 1, MOST_CHIPS)
        for name in ("ante", "min_stake"):
            check_range(name, getattr(self, name), 0, MOST_CHIPS)
        check_range("max_redeals", self.max_redeals, 0, 100)
        if self.max_raises is not None:
            check_range("max_raises", self.max_raises, 0, MOST_CHIPS)
        hundredths = round(self.win_multiple * HUNDREDTHS)
        is_whole = hundredths / HUNDREDTHS == self.win_multiple
        if not (is_whole and 0 < hundredths <= MOST_CHIPS):
            raise RulesError(
                f"win_multiple must be 0.01 to {MOST_CHIPS // HUNDREDTHS} in hundredths, "
                f"got {self.win_multiple}"
            )

    def _check_seats(self) -> None:
        players, most = resolve(self, "num_players"), MAX_SEATS
        if self.mode == "betting":
            most = min(MAX_SEATS, self.deck // HAND_SIZE)
        if not 2 <= players <= most:
            raise RulesError(
                f"num_players must be 2 to {most} with {self.deck} cards in {self.mode} mode, "
                f"got {players}"
            )
        for name in ("first_sun", "first_banker"):
            seat = getattr(self, name)
            if seat != "random" and seat not in range(players):
                raise RulesError(f"{name} must be 0 to {players - 1} or 'random', got {seat}")

    def _check_bets(self) -> None:
        if self.start_stack <= self.ante:
            raise RulesError(f"start_stack must be more than ante, {self.ante}, or nobody can bet")
        if isinstance(self.bet_cap, int):
            check_range("bet_cap", self.bet_cap, self.min_bet, MOST_CHIPS)
        if self.structure == "limit":
            need_defaults(self, "every bet is min_bet", "bet_cap", "min_raise")


def resolve(rules: JitgoTtaengRules, name: str) -> Any:
    """An option's value, with what None stands for put in its place."""
    value = getattr(rules, name)
    if value is None and name in ("gwang", "seotda", "special"):
        flags = FLAGS[resolve(rules, "hand_set")]
        return flags[("gwang", "seotda", "special").index(name)]
    return USUAL[rules.mode].get(name) if value is None else value


def schedule_of(rules: JitgoTtaengRules) -> list[int]:
    """Cards dealt before each betting round; empty where the option cannot be read."""
    text = rules.deal_schedule
    return [int(num) for num in text.split("+")] if re.fullmatch(r"[1-5](\+[1-5])*", text) else []


AMOUNTS = (
    "deal_schedule", "start_stack", "ante", "min_bet", "bet_cap", "max_raises", "max_hands",
    "min_stake", "win_multiple", "max_rounds",
)  # fmt: skip
"""Options that are large numbers in a record."""
OPTIONS = (
    *(
        field.name
        for field in fields(JitgoTtaengRules)
        if field.name not in AMOUNTS and field.name != "hand_set"
    ),
    *AMOUNTS,
)
"""The options as they stand in a record, the small ones first; `hand_set` is in its flags."""
NUM_SMALL = len(OPTIONS) - len(AMOUNTS)
RULES = np.dtype([(name, np.int64) for name in OPTIONS])
"""The options inside a record, each an integer: a word is its place among the choices.

`deal_schedule` is packed: 3 bits a round, the first round in the lowest bits.
"""


def encode_option(rules: JitgoTtaengRules, name: str) -> int:
    """An option's value as the integer of `RULES`."""
    value = resolve(rules, name)
    kind = JitgoTtaengRules.__dataclass_fields__[name].type
    if name == "deal_schedule":
        return sum(num << (3 * place) for place, num in enumerate(schedule_of(rules)))
    if name == "win_multiple":
        return round(value * HUNDREDTHS)
    if value is None:
        return NO_LIMIT
    if value == "pot":
        return CAP_POT
    if value == "random":
        return RANDOM
    if isinstance(value, str) and get_origin(kind) is Literal:
        return get_args(kind).index(value)
    return int(value)


def write_rules(rules: JitgoTtaengRules, states: Any) -> None:
    """Put the options into the `rules` of records [B]."""
    for name in OPTIONS:
        states["rules"][name] = encode_option(rules, name)


def option_record(rules: JitgoTtaengRules) -> Any:
    """The options as one record of `RULES`, for kernels that need nothing else of a game."""
    record = np.zeros(1, np.dtype((np.record, RULES)))
    for name in OPTIONS:
        record[name] = encode_option(rules, name)
    return record[0]
