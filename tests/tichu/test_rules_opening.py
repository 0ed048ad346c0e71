"""Sections 1 and 3 of the rules: cards, dealer, calls before the play, exchange, first lead."""

import numpy as np
import pytest

from envs.core.errors import CardError
from envs.tichu import GAME
from envs.tichu.cards import INDEX, PACK, members, points_of
from envs.tichu.state import EXCHANGE, GRAND, LEAD, NUM_SEATS, TICHU
from tests.tichu.positions import Table, dealt, exchanged

SEEDS = range(200)


def test_1_2_the_pack_has_56_cards_in_the_order_of_1_3() -> None:
    assert PACK.bit_count() == 56
    assert [INDEX[name] for name in ("2g", "2k", "2b", "2r", "3g", "Ar")] == [0, 1, 2, 3, 4, 51]
    assert [INDEX[name] for name in ("MJ", "DG", "PH", "DR")] == [52, 53, 54, 55]


def test_1_4_points() -> None:
    worth = {name: points_of(1 << card) for name, card in INDEX.items()}
    assert worth["5g"] == 5 and worth["Tk"] == worth["Kr"] == 10
    assert worth["DR"] == 25 and worth["PH"] == -25
    assert worth["DG"] == worth["MJ"] == worth["Ag"] == worth["4b"] == 0
    assert points_of(PACK) == 100


def test_3_1_the_first_dealer_is_drawn_or_fixed() -> None:
    dealers = [int(dealt(seed).s.dealer) for seed in SEEDS]
    assert set(np.bincount(dealers, minlength=4) > 30) == {True}
    for seat in range(NUM_SEATS):
        assert dealt(5, first_dealer=seat).s.dealer == seat


def play_rounds(table: Table, num: int) -> list[tuple[int, int]]:
    """Dealer of each round, and who went out first in it, in random play."""
    found, rng = [], np.random.default_rng(0)
    while len(found) < num:
        before, first = table.s.copy(), np.flatnonzero(table.s.place == 1)
        table_mask = np.flatnonzero(table.mask)
        GAME.apply(table.states, np.array([rng.choice(table_mask)]))
        if table.s.rounds > before.rounds:
            found.append((int(before.dealer), int(first[0])))
    return found


def test_3_1_the_winner_of_the_round_deals_the_next() -> None:
    rounds = play_rounds(dealt(max_rounds=9), 8)
    winners = [first for _, first in rounds]
    assert [dealer for dealer, _ in rounds[1:]] == winners[:-1]


def test_3_1_the_deal_moves_on_with_rotate() -> None:
    rounds = play_rounds(dealt(max_rounds=9, next_dealer="rotate", first_dealer=2), 6)
    assert [dealer for dealer, _ in rounds] == [2, 3, 0, 1, 2, 3]


def test_3_2_cards_are_drawn_one_by_one_from_the_dealer_on() -> None:
    table = dealt(3, first_dealer=1)
    assert table.s.sizes.tolist() == [8] * 4
    cards = [set(members(int(table.s.first[seat]))) for seat in range(NUM_SEATS)]
    assert len(set().union(*cards)) == 32
    rest = [int(table.s.dealt[seat] & ~table.s.first[seat]).bit_count() for seat in range(4)]
    assert rest == [6] * 4


def test_3_2_every_card_is_equally_likely_in_every_hand() -> None:
    states = GAME.new_games(GAME.make_rules(), np.arange(2000))
    counts = np.zeros((4, 56))
    for seat in range(4):
        for card in range(56):
            counts[seat, card] = (states["dealt"][:, seat] >> card & 1).sum()
    assert abs(counts / 2000 - 0.25).max() < 0.045


def test_3_3_each_seat_is_asked_for_grand_tichu_with_eight_cards() -> None:
    table = dealt(first_dealer=2)
    asked = []
    for word in ("decline", "call", "decline", "decline"):
        assert table.s.phase == GRAND and table.s.sizes.sum() == 32
        assert table.legal() == {"call", "decline"}
        asked.append(int(table.s.turn))
        table.act(word)
    assert asked == [2, 3, 0, 1]
    assert table.s.calls.tolist() == [0, 0, 0, 2]


def test_3_3_grand_tichu_can_be_left_out() -> None:
    table = dealt(first_dealer=2, grand_tichu=False)
    assert (table.s.phase, table.s.turn) == (TICHU, 2)


def test_3_4_then_everybody_has_fourteen_cards() -> None:
    table = dealt().act("decline; decline; decline; decline")
    assert table.s.phase == TICHU
    assert table.s.sizes.tolist() == [14] * 4
    assert (table.s.hands == table.s.dealt).all()


def test_3_5_small_tichu_is_asked_of_those_without_a_call() -> None:
    table = dealt(first_dealer=0).act("call; decline; call; decline")
    assert table.asked == "1 tichu"
    assert table.act("call").asked == "3 tichu"
    assert table.act("decline").asked == "0 exchange"
    assert table.s.calls.tolist() == [2, 1, 2, 0]


def test_3_5_nobody_is_asked_if_all_have_called_grand() -> None:
    assert dealt(first_dealer=0).act("call; call; call; call").asked == "0 exchange"


def test_3_6_three_cards_are_given_to_right_partner_left() -> None:
    table = dealt(4, first_dealer=1).act("decline;" * 8)
    assert table.s.phase == EXCHANGE
    before = [set(table.hand(seat).split()) for seat in range(4)]
    gave = {}
    for _ in range(4):
        seat = int(table.s.turn)
        gave[seat] = table.hand(seat).split()[:3]
        table.act("give " + " ".join(gave[seat]))
    assert list(gave) == [1, 2, 3, 0]
    for seat in range(4):
        got = {gave[(seat - k - 1) % 4][k] for k in range(3)}
        assert set(table.hand(seat).split()) == before[seat] - set(gave[seat]) | got
    assert table.s.sizes.tolist() == [14] * 4


def test_3_6_a_card_can_be_given_once_and_nothing_moves_before_the_twelfth() -> None:
    table = dealt(4).act("decline;" * 8)
    hands, seat = table.s.hands.copy(), int(table.s.turn)
    for _ in range(3):
        allowed = table.mask.nonzero()[0]
        GAME.apply(table.states, allowed[:1])
        if table.s.turn == seat:
            assert table.mask[allowed[0]] == 0
        assert (table.s.hands == hands).all()
    assert table.mask.sum() == 14


@pytest.mark.parametrize("seed", range(5))
def test_3_7_the_holder_of_the_mahjong_after_the_exchange_leads(seed: int) -> None:
    table = exchanged(seed, tichu_window="own_turn")
    leader = next(seat for seat in range(4) if "MJ" in table.hand(seat).split())
    assert table.s.next_seat == table.s.mahjong == leader
    table.act("decline; decline; decline")
    assert table.asked == f"{leader} lead"
    assert table.mask[2:].sum() > 1  # anything may be led


def test_3_8_who_may_call_is_asked_before_the_first_lead() -> None:
    table = exchanged(2, tichu_window="own_turn")
    leader = int(table.s.next_seat)
    for k in range(1, 4):
        assert table.asked == f"{(leader + k) % 4} interrupt"
        assert table.legal() == {"call", "decline"}
        table.act("decline")
    assert table.s.phase == LEAD
    assert "call" in table.legal()


def test_3_2_a_deal_can_be_read_and_laid_out() -> None:
    table, other = dealt(3), dealt(4)
    deal = GAME.read_deal(table.s)
    GAME.write_deal(other.s, deal)
    assert GAME.read_deal(other.s) == deal
    assert (other.s.hands == table.s.hands).all()
    assert other.asked == table.asked


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dealer": None}, "a deal needs 'dealer', got None"),
        ({"dealer": 4}, "the dealer is a seat from 0 to 3, got 4"),
        ({"first": ["2g"]}, "expected the cards of 4 seats"),
        ({"first": ["2g"] * 4}, "'2g' are not 8 cards"),
        ({"rest": ["2g 2k 2b 2r 3g 3k"] * 4}, "4 hands of 14 cards must be the whole pack"),
    ],
)
def test_3_2_what_is_no_deal_is_refused(changes: dict[str, object], message: str) -> None:
    table = dealt()
    with pytest.raises(CardError, match=message):
        GAME.write_deal(table.s, GAME.read_deal(table.s) | changes)
