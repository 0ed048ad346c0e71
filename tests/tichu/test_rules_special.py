"""Section 8 of the rules: dog, dragon, mahjong; the phoenix is with the combinations."""

import pytest

from tests.tichu.positions import position


def test_8_1_the_dog_hands_the_lead_to_the_partner_and_cannot_be_bombed() -> None:
    table = position("DG 3g", "2g 2k 2b 2r", "5b 6b", "8k 9k").act("DG")
    assert table.asked == "2 lead"
    assert table.s.points.sum() == 0
    assert table.s.pile == 0


def test_8_1_the_dog_is_only_led() -> None:
    table = position("3g 4g", "DG 2k", "5b 6b", "8k 9k").act("3g")
    assert table.legal() == {"pass"}


def test_8_1_if_the_partner_is_out_his_right_neighbour_leads() -> None:
    table = position("DG 3g", "4g 5g", "", "8k 9k", finish=(2,)).act("DG")
    assert table.asked == "3 lead"


@pytest.mark.parametrize(("option", "leader"), [("next_active", 0), ("skip_self", 1)])
def test_t_d19_the_dog_may_come_back(option: str, leader: int) -> None:
    table = position("DG 3g", "4g 5g", "", "", finish=(3, 2), dog_return=option).act("DG")
    assert table.asked == f"{leader} lead"


def test_8_1_the_dog_is_not_legal_while_the_wish_binds() -> None:
    assert position("DG 3g", "4g", "5b", "8k", wish=3).legal() == {"3g"}
    assert position("DG 3g", "4g", "5b", "8k", wish=7).legal() == {"3g", "DG"}


def test_8_2_the_dragon_beats_every_single() -> None:
    for top in ("Ag", "3g"):
        table = position(f"{top} 2g", "DR 2k", "5b", "8k").act(top)
        assert "DR" in table.legal()
    table = position("3g 3k 2g", "DR 2k", "5b", "8k").act("3g 3k")
    assert table.legal() == {"pass"}


def test_t_d29_the_dragons_trick_is_given_to_either_opponent() -> None:
    for side, taker in (("right", 1), ("left", 3)):
        table = position("DR 3g", "4g 5g", "Tb 7b", "8k 9k").act("DR; pass; pass; pass")
        assert table.asked == "0 gift"
        assert table.legal() == {"gift right", "gift left"}
        table.act(f"gift {side}")
        assert table.s.points[taker] == 25
        assert table.asked == "0 lead"


def test_t_d29_also_to_one_who_is_out() -> None:
    table = position("DR 3g", "", "Tb 7b", "8k 9k", finish=(1,)).act("DR; pass; pass; gift right")
    assert table.s.points.tolist() == [0, 25, 0, 0]


def test_13_a_player_who_is_out_gives_and_his_right_neighbour_leads() -> None:
    table = position("DR", "4g 5g", "Tb 7b", "8k 9k").act("DR; pass; pass; pass")
    assert table.asked == "0 gift"
    assert table.act("gift left").asked == "1 lead"


def test_8_2_a_bombed_dragon_is_not_given_away() -> None:
    table = position("DR 3g", "4g 5g", "6g 6k 6b 6r 7b", "8k 9k")
    table.act("DR; 6g 6k 6b 6r; pass; pass; pass")
    assert table.asked == "2 lead"
    assert table.s.points.tolist() == [0, 0, 25, 0]


def test_13_the_own_dragon_bombed_by_its_owner_is_kept() -> None:
    table = position("DR 2g 2k 2b 2r 3g", "4g 5g", "6g 7b", "8k 9k")
    table.act("DR; 2g 2k 2b 2r; pass; pass; pass")
    assert table.asked == "0 lead"
    assert table.s.points.tolist() == [25, 0, 0, 0]


def test_8_3_the_phoenix_leads_as_one_and_a_half_and_its_value_stays() -> None:
    table = position("8g 3g", "PH 4g", "9b 8b", "8k Tk").act("8g; PH")
    assert table.s.value == 17
    assert table.legal() == {"pass", "9b"}


def test_8_4_the_mahjong_beats_nothing() -> None:
    table = position("PH 3g", "MJ 2k", "9b 8b", "8k Tk").act("PH")
    assert table.legal() == {"pass", "2k"}
