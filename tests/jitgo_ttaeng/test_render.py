"""Words: hands, actions, events and the table, in English and Korean."""

import pytest

from envs.core.errors import CardError
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.cards import (
    CARD_NAMES,
    DECKS,
    describe_card,
    format_cards,
    list_packed,
    pack_cards,
    parse_cards,
)
from envs.jitgo_ttaeng.hands import RESULTS
from envs.jitgo_ttaeng.moves import NUM_ACTIONS, WORDS, parse_action
from envs.jitgo_ttaeng.rules import option_record
from envs.jitgo_ttaeng.words import NAMES, describe_hand, describe_hand_korean
from tests.jitgo_ttaeng.positions import GABO, PAIR_9, banking, betting, set_of


def test_1_3_cards() -> None:
    assert len(set(CARD_NAMES)) == 40
    assert [CARD_NAMES[card] for card in (0, 1, 2, 28, 29, 36)] == [
        "1G", "1R", "1J1", "8G", "8A", "10A",
    ]  # fmt: skip
    kinds = [CARD_NAMES[card][-1] for card in DECKS[20]]
    assert (kinds.count("G"), kinds.count("A"), kinds.count("R")) == (3, 8, 9)
    assert len({describe_card(card) for card in DECKS[20]}) == 20


def test_cards_are_read_and_written() -> None:
    assert format_cards(parse_cards("10j2 1g, 8A")) == "10J2 1G 8A"
    assert list_packed(pack_cards([39, 0, 7])) == [39, 0, 7]
    for text in ("11G", "1A", "8R", "1G 1G", "x"):
        with pytest.raises(CardError):
            parse_cards(text)


def test_every_result_has_a_name() -> None:
    assert set(NAMES) == set(RESULTS)


@pytest.mark.parametrize(
    ("cards", "english", "korean"),
    [
        ("1R 3R 6A 7A 7R", "1-3-6 builds, pair of 7", "136 짓고 7땡"),
        ("1R 2R 3R 4A 8A", "nothing builds", "황"),
        ("3R 7A 10R 4A 5R", "3-7-10 builds, 9 kkeut (gabo)", "3-7-10 짓고 갑오"),
        ("3G 8G 2A 2R 6A", "2-2-6 builds, brights 3 and 8", "226 짓고 38광땡"),
    ],
)
def test_hands_in_words(cards: str, english: str, korean: str) -> None:
    rules = option_record(GAME.make_rules())
    assert describe_hand(rules, set_of(cards)) == english
    assert describe_hand_korean(rules, set_of(cards)) == korean


def test_a_chunchu_in_words() -> None:
    rules = option_record(GAME.make_rules(chunchu="top"))
    assert describe_hand(rules, set_of("2A 2R 6A 7A 7R")) == "2-2-6 builds, pairs of 2 and 7"


def test_7_actions_are_read_and_written() -> None:
    assert [parse_action(word) for word in WORDS] == list(range(NUM_ACTIONS))
    assert parse_action(" BET b  Half ") == 20
    with pytest.raises(CardError, match="'raise' is no action"):
        parse_action("raise")


def test_7_check_and_call_are_one_action() -> None:
    table = betting([300] * 2)
    assert GAME.format_play(table.s, (1,)) == "check"
    assert GAME.format_play(table.act("min").s, (1,)) == "call"


def test_actions_in_words() -> None:
    table = betting([300] * 2)
    words = [GAME.format_action(table.s, action) for action in (1, 2, 5, 7)]
    assert words == ["check (체크)", "min (삥), 10 chips", "full (풀), 20 chips", "all-in (올인)"]
    bank = banking([100] * 2)
    assert GAME.format_action(bank.s, 12) == "stake half, 50 chips"
    assert GAME.format_action(bank.act("stake half").s, 17) == "bet A all, 50 chips"


def test_events() -> None:
    table = betting([300] * 2).hold(f"{PAIR_9} / {GABO}")
    assert GAME.last_event(table.s) == "the cards are dealt"
    assert GAME.last_event(table.act("min").s) == "seat 0 bets 10"
    event = GAME.last_event(table.act("call").s)
    assert event.startswith("seat 1 calls 10; showdown; seat 0 1G 3R 6A 9A 9R 1-3-6 builds, pair")
    assert event.endswith(": +20, -20")
    assert GAME.last_event(table.act("min, fold").s).endswith("takes the pot: +10, -10")


def test_events_of_the_bank() -> None:
    table = banking([100] * 2, voluntary_pass=True)
    assert GAME.last_event(table.act("stake half").s) == "seat 0 takes the bank with 50"
    assert GAME.last_event(table.act("pass").s) == "seat 1 passes; nobody has bet: +0, +0"
    assert GAME.last_event(table.act("continue").s) == "seat 0 keeps the bank"
    assert "bets 10 on pile B; banker" in GAME.last_event(table.act("bet B min").s)


def test_the_table_shows_a_seat_its_own_cards_in_both_languages() -> None:
    table = betting([300] * 2).hold("1G 3R 6A 9A 9R / 8G 4A 5A 2A 7R")
    own = GAME.render(table.s, 0)
    assert "1-3-6 builds, pair of 9 (136 짓고 9땡)" in own
    assert "crane (1월 송학 광)" in own
    assert "full moon" not in own
    assert "full moon (8월 공산 광)" in GAME.render(table.s, None)


def test_the_table_of_the_bank() -> None:
    table = banking([100] * 2).act("stake half")
    text = GAME.render(table.s, 1)
    assert "bank 50 of seat 0, stake 50, room for 50" in text
    assert all(f"pile {pile}:" in text for pile in "ABC")


def test_deals_are_refused() -> None:
    table = betting([300] * 2)
    for change, words in (
        ({"hands": ["1G 1R 2A 2R 3G"]}, "2 hands"),
        ({"hands": ["1G 1R 2A 2R 3G", "1G 4R 5A 5R 6A"]}, "dealt twice"),
        ({"hands": ["1G 1R 2A 2R 3G", "1J1 4R 5A 5R 6A"]}, "not in the deck"),
        ({"hands": ["1G 1R 2A 2R", "4A 4R 5A 5R 6A"]}, "must have"),
        ({"sun": 5}, "cannot be sun"),
        ({"chance": -1}, "chance must be"),
        ({"sun": None}, "a deal needs 'sun'"),
    ):
        with pytest.raises(CardError, match=words):
            table.deal(**change)
    with pytest.raises(CardError, match="cannot be offered"):
        banking([100] * 2).deal(sun=2)
