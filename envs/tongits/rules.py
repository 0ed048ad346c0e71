"""Options of Tongits (RULES section 2) and their form inside a game's record."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from envs.core.rules import check_range, check_types, need_defaults

FirstDealer = Literal["random", 0, 1, 2]
NextDealer = Literal["winner", "rotate"]
TieRule = Literal["challenger", "knocker"]
BlockRule = Literal["none", "opponent", "any"]
BonusRanks = Literal["AK", "A", "K", "none"]
BonusScope = Literal["hand", "hand_and_melds"]

DEALER_RANDOM = 0  # else 1 + seat
NEXT_WINNER, NEXT_ROTATE = range(2)
TIE_CHALLENGER, TIE_KNOCKER = range(2)
BLOCK_NONE, BLOCK_OPPONENT, BLOCK_ANY = range(3)
SCOPE_HAND, SCOPE_HAND_AND_MELDS = range(2)
MOST = 100
"""No number of an option is larger: the options stand in the int8 observation."""


@dataclass(frozen=True, kw_only=True)
class TongitsRules:
    """A variant of Tongits: one value for each option of RULES section 2."""

    dealer_cards: Literal[12, 13] = 12
    """Cards dealt to the dealer; with 13 the first turn has no draw (RULES 3.4)."""
    first_dealer: FirstDealer = "random"
    """Who deals the first hand and takes its first turn (RULES 3.1)."""
    next_dealer: NextDealer = "winner"
    """Who deals the next hand: the winner, or the right-hand neighbour (RULES 10.2)."""
    num_hands: int = 1
    """Hands of a game; scores add up (RULES 10.1)."""
    tongits_hidden_melds: bool = True
    """Melds lying complete in the hand count as got rid of (RULES 7.2)."""
    knock_tie: TieRule = "challenger"
    """Who wins a tie with the knocker (RULES 6.7)."""
    knock_block: BlockRule = "none"
    """Whose laying off on a seat's melds bars its next knock (RULES 6.3)."""
    challenge_requires_meld: bool = False
    """Only seats with a meld of their own may challenge (RULES 6.5)."""
    stockout_requires_meld: bool = False
    """Only seats with a meld of their own are compared when the stock is used up (RULES 7.5)."""
    failed_knock_pays_all: bool = True
    """The loser of a knock pays for both losers (RULES 9.2)."""
    score_base: int = 1
    """What every loser owes (RULES 9.1)."""
    score_bonus: int = 1
    """For each ace and king in the winner's hand."""
    score_burn: int = 1
    """From a loser without a meld of its own."""
    score_quad: int = 3
    """For each four of a rank in the winner's hand."""
    score_tongits: int = 3
    """For a win by tongits."""
    score_challenge: int = 3
    """For a won challenge."""
    take_for_layoff: bool = False
    """The top discard may be taken to lay it off (RULES 4.6)."""
    failed_challenge_penalty: int = 0
    """From every challenger whom the knocker beats (RULES 9.5)."""
    bonus_ranks: BonusRanks = "AK"
    """The ranks that `score_bonus` is paid for (RULES 9.3)."""
    bonus_scope: BonusScope = "hand"
    """Whether the winner's exposed melds count for aces, kings and fours too (RULES 9.3)."""
    jackpot_ante: int = 0
    """What every seat puts into the pot for each hand (RULES 10.3)."""
    jackpot_streak: int = 2
    """Hands in a row that win the pot."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, out of range, or that contradict."""
        check_types(self)
        least = {"num_hands": 1, "jackpot_streak": 2}
        for name in OPTIONS:
            value = getattr(self, name)
            if type(value) is int:
                check_range(name, value, least.get(name, 0), MOST)
        if not self.jackpot_ante:
            need_defaults(self, "jackpot_ante is 0", "jackpot_streak")


OPTIONS = tuple(TongitsRules.__dataclass_fields__)
CHOICES = {
    name: get_args(field.type)
    for name, field in TongitsRules.__dataclass_fields__.items()
    if any(isinstance(choice, str) for choice in get_args(field.type))
}
"""The values of every option that may be a word."""
RULES = np.dtype([(name, np.int64) for name in OPTIONS])
"""The options inside a record, each a small integer: a word is its place among the choices."""


def encode_option(name: str, value: Any) -> int:
    """An option's value as the small integer of `RULES`."""
    return CHOICES[name].index(value) if name in CHOICES else int(value)


def write_rules(rules: TongitsRules, states: Any) -> None:
    """Put the options into the `rules` of records [B]."""
    for name in OPTIONS:
        states["rules"][name] = encode_option(name, getattr(rules, name))
