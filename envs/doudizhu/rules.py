"""Options of Dou Dizhu (RULES section 2) and their form inside a game's record."""

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from envs.core.rules import check_range, check_types, need_defaults

BidderRule = Literal["winner", "landlord", "rotate", "face_up"]
AuctionRule = Literal["once", "continuous", "off"]
AllPassRule = Literal["redeal", "force_first", "void"]
DoublingRule = Literal["off", "double", "super"]
BombRule = Literal["multiply", "add"]
WildRule = Literal["off", "three", "random"]
WildAloneRule = Literal["any", "own_rank"]
PureWildBombRule = Literal["natural", "top"]

BIDDER_WINNER, BIDDER_LANDLORD, BIDDER_ROTATE, BIDDER_FACE_UP = range(4)
AUCTION_ONCE, AUCTION_CONTINUOUS, AUCTION_OFF = range(3)
ALL_PASS_REDEAL, ALL_PASS_FORCE_FIRST, ALL_PASS_VOID = range(3)
DOUBLING_OFF, DOUBLING_DOUBLE, DOUBLING_SUPER = range(3)
BOMBS_MULTIPLY, BOMBS_ADD = range(2)
WILD_OFF, WILD_THREE, WILD_RANDOM = range(3)
ALONE_ANY, ALONE_OWN_RANK = range(2)
PURE_NATURAL, PURE_TOP = range(2)
NO_LIMIT = 15  # stands for "none" in the record: more than any hand holds of a rank
MOST = 100  # of an option that is a whole number: the options stand in the int8 observation
USUAL: dict[int, dict[str, bool | int]] = {
    3: {"solo_kickers": True, "four_two_pair": True, "bomb_counts_from": 4},
    4: {"solo_kickers": False, "four_two_pair": False, "bomb_counts_from": 5},
}
"""What None stands for, by number of seats (RULES 2, 10.2, 10.8)."""


@dataclass(frozen=True, kw_only=True)
class DoudizhuRules:
    """A variant of Dou Dizhu: one value for each option of RULES section 2."""

    NOT_OFFERED: ClassVar = {
        "wild_big_bombs": "no action stands for a soft bomb of more than four cards (RULES 14.7)"
    }

    players: Literal[3, 4] = 3
    """Seats at the table; three play with one pack, four with two (RULES 1.1, 10.1)."""
    hands_per_match: int = 1
    """Hands of a game; scores add up (RULES 9.1)."""
    first_bidder_next: BidderRule = "winner"
    """Who bids first in the next hand (RULES 3.5)."""
    auction: AuctionRule = "once"
    """Each seat bids once (RULES 4.1), until passes end it (4.4), or no auction: the first bidder
    is landlord with base 1."""
    all_pass: AllPassRule = "redeal"
    """What happens when nobody bids (RULES 4.2, 4.3)."""
    all_pass_limit: int = 3
    """The all-pass in a row that makes the first bidder landlord, with "force_first"."""
    max_redeals: int = 10
    """Redeals of a hand, with "redeal"; one more all-pass makes the hand void."""
    snatch: bool = False
    """A bid of 3 opens a snatch phase (RULES 4.5)."""
    snatch_cap: int = 3
    """Snatches of a hand at most."""
    snatch_factor: Literal[1, 2] = 2
    """What each snatch multiplies the score by (RULES 4.6)."""
    snatch_by_passers: bool = False
    """Seats that passed last may snatch too."""
    doubling: DoublingRule = "off"
    """Each seat may multiply its stake by 2, with "super" by 4 (RULES 4.8)."""
    reveal_bottom: bool = True
    """Everybody sees the bottom cards (RULES 4.7)."""
    kicker_rocket: bool = False
    """Kickers may contain the complete rocket (RULES 5.4)."""
    kicker_solo_max_same: int | None = None
    """Single kickers of one rank at most (RULES 5.2)."""
    kicker_pair_max_same: int | None = None
    """Pair kickers of one rank at most (RULES 5.2)."""
    kicker_adjacent_trio: bool = True
    """A rank next to the chain may supply three single kickers (RULES 5.7)."""
    solo_kickers: bool | None = None
    """`trio_solo`, `plane_solo` and `four_two_solo` exist (RULES 10.2). None: with three seats."""
    four_two_pair: bool | None = None
    """`four_two_pair` exists (RULES 10.2). None: with three seats."""
    bomb_counts_from: Literal[4, 5, 6, None] = None
    """Size from which a bomb counts in the score (RULES 10.8). None: 4, with four seats 5."""
    bomb_mode: BombRule = "multiply"
    """Counted bombs double the score, or each add one base (RULES 10.9)."""
    farmer_bomb_limit: bool = False
    """Farmers may play few bombs if they bid low (RULES 10.10)."""
    wild: WildRule = "off"
    """Whether a rank is wild: none, the threes, or one drawn for each hand (RULES 11.1)."""
    wild_alone: WildAloneRule = "any"
    """What a play of wild cards only may be: anything, or cards of their own rank (RULES 11.5)."""
    pure_wild_bomb: PureWildBombRule = "natural"
    """Four wild cards as themselves are a bomb like others, or beat them all (RULES 11.6)."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, out of range, or that contradict."""
        check_types(self)
        for name in ("hands_per_match", "all_pass_limit", "snatch_cap"):
            check_range(name, getattr(self, name), 1, MOST)
        check_range("max_redeals", self.max_redeals, 0, MOST)
        for name in ("kicker_solo_max_same", "kicker_pair_max_same"):
            if getattr(self, name) is not None:
                check_range(name, getattr(self, name), 1, MOST)
        if not self.snatch:
            need_defaults(self, "snatch is off", "snatch_cap", "snatch_factor", "snatch_by_passers")
        if self.auction == "off":
            need_defaults(
                self, "there is no auction", "all_pass", "all_pass_limit", "max_redeals", "snatch"
            )
        if self.wild == "off":
            need_defaults(self, "there are no wild cards", "wild_alone", "pure_wild_bomb")
        if self.players == 4:
            need_defaults(self, "wild cards are for three players", "wild")
        if self.all_pass != "force_first":
            need_defaults(self, "all_pass is not 'force_first'", "all_pass_limit")
        if self.all_pass != "redeal":
            need_defaults(self, "all_pass is not 'redeal'", "max_redeals")


OPTIONS = tuple(field.name for field in fields(DoudizhuRules))
RULES = np.dtype([(name, np.int64) for name in OPTIONS])
"""The options inside a record, each a small integer: a word is its place among the choices."""


def encode_option(rules: DoudizhuRules, name: str) -> int:
    """An option's value as the small integer of `RULES`."""
    value = getattr(rules, name)
    if value is None:
        return int(USUAL[rules.players].get(name, NO_LIMIT))
    if isinstance(value, str):
        kind = DoudizhuRules.__dataclass_fields__[name].type
        return get_args(kind).index(value)
    return int(value)


def write_rules(rules: DoudizhuRules, states: Any) -> None:
    """Put the options into the `rules` of records [B]."""
    for name in OPTIONS:
        states["rules"][name] = encode_option(rules, name)
