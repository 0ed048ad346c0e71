"""Cards of Dori-jitgo-ttaeng: months, pictures, and sets of cards as bits of one integer.

A card is a number from 0 to 39: 4 · (month − 1) + slot (RULES 1.3). A hand is a set of cards, one
bit a card. Where the order of dealing matters, cards are packed: 6 bits a card, the first in the
lowest bits, card + 1, so that 0 is no card.
"""

import numpy as np

from envs.core.errors import CardError
from envs.core.jit import kernel

NUM_MONTHS = 10
NUM_SLOTS = 4
NUM_CARDS = NUM_MONTHS * NUM_SLOTS
HAND_SIZE = 5
CARD_BITS = 6  # of a card in packed cards

PICTURES = (
    ("pine", "송학", {"G": "crane", "R": "red ribbon"}),
    ("plum", "매조", {"A": "bush warbler", "R": "red ribbon"}),
    ("cherry", "벚꽃", {"G": "curtain", "R": "red ribbon"}),
    ("wisteria", "흑싸리", {"A": "cuckoo", "R": "plain ribbon"}),
    ("iris", "난초", {"A": "bridge", "R": "plain ribbon"}),
    ("peony", "모란", {"A": "butterflies", "R": "blue ribbon"}),
    ("bush clover", "홍싸리", {"A": "boar", "R": "plain ribbon"}),
    ("susuki grass", "공산", {"G": "full moon", "A": "geese"}),
    ("chrysanthemum", "국진", {"A": "sake cup", "R": "blue ribbon"}),
    ("maple", "단풍", {"A": "deer", "R": "blue ribbon"}),
)
"""Of each month its plant, the plant in Korean, and the two cards that are no junk, slots 0, 1."""
KINDS = {"G": "광", "A": "열끗", "R": "띠", "J": "피"}
"""Bright, animal, ribbon and junk, in Korean."""


def build_names() -> tuple[str, ...]:
    """The text of every card, as `8G`, `10A`, `1J2`: [40]."""
    return tuple(
        f"{month}{kind}"
        for month, (_, _, pictures) in enumerate(PICTURES, 1)
        for kind in (*pictures, "J1", "J2")
    )


CARD_NAMES = build_names()
CARD_IDS = {name: card for card, name in enumerate(CARD_NAMES)}
MONTH = np.arange(NUM_CARDS) // NUM_SLOTS + 1
"""The month of every card, [40]."""
DECKS = {
    40: np.arange(NUM_CARDS),
    20: np.flatnonzero(np.arange(NUM_CARDS) % NUM_SLOTS < 2),  # without the junk (RULES 1.2)
}
"""The cards of each deck, by its size."""
DECK_20, DECK_40 = DECKS[20], DECKS[40]


@kernel
def unpack_cards(packed: int, first: int, num: int) -> int:
    """The set of `num` packed cards from place `first` on."""
    cards = 0
    for place in range(first, first + num):
        card = (packed >> (CARD_BITS * place)) & 63
        if card:
            cards |= 1 << (card - 1)
    return cards


def pack_cards(cards: list[int]) -> int:
    """Pack cards in their order; the inverse of `list_packed`."""
    return sum((card + 1) << (CARD_BITS * place) for place, card in enumerate(cards))


def list_packed(packed: int) -> list[int]:
    """Packed cards in their order."""
    cards = []
    while packed:
        cards.append((packed & 63) - 1)
        packed >>= CARD_BITS
    return cards


def list_cards(hand: int) -> list[int]:
    """The cards of a set, in order of their numbers."""
    return [card for card in range(NUM_CARDS) if hand >> card & 1]


def hand_of(cards: list[int]) -> int:
    """The set of these cards."""
    return sum(1 << card for card in cards)


def parse_cards(text: str) -> list[int]:
    """Read cards, separated by spaces or commas, in their order.

    >>> format_cards(parse_cards("8G 10A, 1J2"))
    '8G 10A 1J2'

    Raises:
        CardError: a word that is no card, or a card that comes twice.
    """
    cards = []
    for word in text.replace(",", " ").split():
        card = CARD_IDS.get(word.upper())
        if card is None:
            raise CardError(
                f"{word!r} in {text!r} is no card; a card is a month from 1 to 10 and G, A, R, J1 "
                "or J2"
            )
        cards.append(card)
    if len(set(cards)) < len(cards):
        raise CardError(f"{text!r} holds a card twice")
    return cards


def format_cards(cards: list[int]) -> str:
    """Write cards in the order given; the inverse of `parse_cards`."""
    return " ".join(CARD_NAMES[card] for card in cards)


def format_hand(hand: int) -> str:
    """Write a set of cards in order of their numbers.

    >>> format_hand(hand_of(parse_cards("8A 2R 8G")))
    '2R 8G 8A'
    """
    return format_cards(list_cards(hand))


def describe_card(card: int) -> str:
    """A card in English and Korean.

    >>> describe_card(CARD_IDS["8G"]), describe_card(CARD_IDS["2J1"])
    ('full moon (8월 공산 광)', 'plum junk (2월 매조 피)')
    """
    plant, korean, pictures = PICTURES[MONTH[card] - 1]
    kind = CARD_NAMES[card].lstrip("0123456789")
    picture = pictures.get(kind, f"{plant} junk")
    if picture.endswith("ribbon"):
        picture = f"{plant} {picture}"
    return f"{picture} ({MONTH[card]}월 {korean} {KINDS[kind[0]]})"
