"""Options of Tichu (RULES section 2) and their form inside a game's record."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from envs.core.rules import check_range, check_types, need_defaults

EpisodeRule = Literal["match", "round"]
DealerRule = Literal["random", 0, 1, 2, 3]
NextDealerRule = Literal["winner", "rotate"]
TichuWindowRule = Literal["every_action", "before_partner", "own_turn"]
BombWindowRule = Literal["every_action", "every_play", "own_turn_only"]
BombAskRule = Literal["holders", "public"]
DogReturnRule = Literal["next_active", "skip_self"]
SuitChoiceRule = Literal["relevant", "always"]
SuitPickRule = Literal["random", "lowest"]

EPISODE_MATCH, EPISODE_ROUND = range(2)
FIRST_DEALER_RANDOM, FIRST_DEALER_0 = range(2)
NEXT_DEALER_WINNER, NEXT_DEALER_ROTATE = range(2)
CALLS_EVERY_ACTION, CALLS_BEFORE_PARTNER, CALLS_OWN_TURN = range(3)
BOMBS_EVERY_ACTION, BOMBS_EVERY_PLAY, BOMBS_OWN_TURN = range(3)
ASK_HOLDERS, ASK_PUBLIC = range(2)
DOG_NEXT_ACTIVE, DOG_SKIP_SELF = range(2)
SUITS_RELEVANT, SUITS_ALWAYS = range(2)
PICK_RANDOM, PICK_LOWEST = range(2)
NO_LIMIT = 0
"""In the record: matches of any number of rounds."""
LARGEST_SCORE = 100_000
MOST_ROUNDS = 10_000


@dataclass(frozen=True, kw_only=True)
class TichuRules:
    """A variant of Tichu: one value for each option of RULES section 2."""

    episode: EpisodeRule = "match"
    """What is played: rounds up to `target_score`, or one round (RULES 10.7)."""
    target_score: int = 1000
    """The score that ends a match (RULES 10.5)."""
    start_scores: tuple[int, int] = (0, 0)
    """Scores of the two teams before the first round."""
    max_rounds: int | None = 50
    """Rounds after which a match without a winner ends (RULES 10.6). None: no limit."""
    first_dealer: DealerRule = "random"
    """Who deals the first round (RULES 3.1)."""
    next_dealer: NextDealerRule = "winner"
    """Who deals the next round: who went out first, or the next seat (RULES 3.1)."""
    grand_tichu: bool = True
    """Seats are asked for grand tichu after eight cards (RULES 3.3)."""
    tichu_window: TichuWindowRule = "every_action"
    """When seats are asked out of turn for small tichu (RULES 3.9)."""
    bomb_window: BombWindowRule = "every_action"
    """When seats are asked out of turn for a bomb (RULES 9.1)."""
    bomb_ask: BombAskRule = "holders"
    """Who is asked: who holds such a bomb, or who might as everybody knows (RULES 9.5)."""
    wish_binds_collect: bool = True
    """A wish binds the owner of a trick before he takes it (RULES 7, T-D15)."""
    dog_return: DogReturnRule = "next_active"
    """Who leads if the dog would come back to who played it (RULES 8.1)."""
    suit_choice: SuitChoiceRule = "relevant"
    """Suits are asked where they matter to the hand, or wherever there is a choice (RULES 12.3)."""
    suit_pick: SuitPickRule = "random"
    """Which of several equivalent cards is played (RULES 12.3)."""
    skip_forced: bool = False
    """Decisions with one choice are taken by the engine (RULES T-D36)."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, out of range, or that contradict."""
        check_types(self)
        check_range("target_score", self.target_score, 1, LARGEST_SCORE)
        for score in self.start_scores:
            check_range("start_scores", score, -LARGEST_SCORE, LARGEST_SCORE)
        if self.max_rounds is not None:
            check_range("max_rounds", self.max_rounds, 1, MOST_ROUNDS)
        if self.episode == "round":
            need_defaults(self, "one round is played", "target_score", "max_rounds", "next_dealer")
        if self.bomb_window == "own_turn_only":
            need_defaults(
                self, "nobody is asked for a bomb out of turn", "bomb_ask", "wish_binds_collect"
            )
        if self.suit_choice == "always":
            need_defaults(self, "all suits are chosen", "suit_pick")


OPTIONS = tuple(field.name for field in fields(TichuRules))
RULES = np.dtype(
    [(name, np.int64, (2,)) if name == "start_scores" else (name, np.int64) for name in OPTIONS]
)
"""The options inside a record, as integers: a word is its place among the choices."""


def encode_option(rules: TichuRules, name: str) -> int | tuple[int, int]:
    """An option's value as `RULES` holds it."""
    value = getattr(rules, name)
    choices = get_args(TichuRules.__dataclass_fields__[name].type)
    if value is None:
        return NO_LIMIT
    if name == "start_scores":
        return rules.start_scores
    return choices.index(value) if "random" in choices or isinstance(value, str) else int(value)


def write_rules(rules: TichuRules, states: Any) -> None:
    """Put the options into the `rules` of records [B]."""
    for name in OPTIONS:
        states["rules"][name] = encode_option(rules, name)
