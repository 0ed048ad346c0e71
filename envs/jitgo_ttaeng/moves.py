"""Actions of Dori-jitgo-ttaeng: one table for both modes (RULES 4.3, 5.3, 7).

The betting mode uses ids 0 to 7, the banker mode 8 to 25. Every play is one action.
"""

from envs.core.errors import CardError

SIZES = ("min", "quarter", "half", "all")
"""Sizes of a stake and of a bet on a pile, from their first id on."""
PILES = "ABC"
NUM_SIZES, NUM_PILES = len(SIZES), len(PILES)

BETTING_WORDS = ("fold", "call", "min", "quarter", "half", "full", "max", "all-in")
BANKER_WORDS = (
    "pass",
    "continue",
    *(f"stake {size}" for size in SIZES),
    *(f"bet {pile} {size}" for pile in PILES for size in SIZES),
)
WORDS = (*BETTING_WORDS, *BANKER_WORDS)
"""Every action in notation, by id; `call` is written `check` where nothing is owed."""
NUM_BETTING, NUM_ACTIONS = len(BETTING_WORDS), len(WORDS)

FOLD, CHECK_CALL, MIN, QUARTER, HALF, FULL, MAX, ALL_IN = range(NUM_BETTING)
PASS, CONTINUE, STAKE = range(NUM_BETTING, NUM_BETTING + 3)
BET = STAKE + NUM_SIZES
"""First ids of the stakes and of the bets: BET + 4 · pile + size."""
CHECK_WORD = "check"
IDS = {word: action for action, word in enumerate(WORDS)} | {CHECK_WORD: CHECK_CALL}

KOREAN = (
    "다이", "콜", "삥", "쿼터", "하프", "풀", "맥스", "올인",
    "패스", "계속",
)  # fmt: skip
"""What the actions without a pile are called at Korean tables, by id."""


def parse_action(text: str) -> int:
    """Read an action in notation, upper or lower case.

    >>> parse_action("bet B half"), parse_action("check") == parse_action("call")
    (20, True)

    Raises:
        CardError: it is none.
    """
    words = " ".join(text.split()).lower()
    for word in IDS:
        if word.lower() == words:
            return IDS[word]
    raise CardError(f"{text!r} is no action; actions are {', '.join(IDS)}")
