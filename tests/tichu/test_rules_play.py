"""Section 6 of the rules: plays, passes, the end of a trick, who leads."""

from tests.tichu.positions import position


def test_6_a_leader_may_not_pass() -> None:
    assert position("3g 4g", "5k", "6b", "7r").legal() == {"3g", "4g"}


def test_6_who_follows_beats_or_passes() -> None:
    table = position("5g 3g", "4k 6k 7k", "8b", "9r").act("5g")
    assert table.legal() == {"pass", "6k", "7k"}


def test_6_1_who_has_no_card_left_is_out() -> None:
    table = position("5g", "4k 6k", "8b 9b", "9r Tr").act("5g")
    assert table.s.place.tolist() == [1, 0, 0, 0]
    assert table.s.sizes.tolist() == [0, 2, 2, 2]


def test_6_3_a_play_sets_the_table_and_clears_the_passes() -> None:
    table = position("5g 3g", "4k 6k", "8b 9b", "9r Tr").act("5g; pass")
    assert table.s.passes == 1
    table.act("8b")
    assert (table.s.passes, table.s.owner) == (0, 2)
    assert table.s.pile == table.s.played[0] & table.s.pile | table.s.table_cards


def test_6_a_seat_that_passed_may_come_back() -> None:
    table = position("5g Kg", "4k Ak", "8b 9b", "9r Tr").act("5g; pass; 8b; 9r; Kg")
    assert table.legal() == {"pass", "Ak"}


def test_t_d17_a_trick_ends_when_all_other_active_seats_have_passed() -> None:
    table = position("5g 3g", "4k 6k", "8b 9b", "9r Tr").act("5g; pass; pass")
    assert table.asked == "3 follow"
    assert table.act("pass").asked == "0 lead"


def test_t_d17_fewer_passes_end_it_when_seats_are_out() -> None:
    table = position("5g 3g", "", "8b 9b", "9r Tr", finish=(1,)).act("5g; pass; pass")
    assert table.asked == "0 lead"


def test_t_d17_all_active_seats_pass_on_the_card_of_a_seat_that_is_out() -> None:
    table = position("5g", "4k 6k", "8b 9b", "9r Tr").act("5g; pass; pass")
    assert table.asked == "3 follow"
    assert table.act("pass").asked == "1 lead"


def test_6_the_owner_takes_the_trick_and_leads() -> None:
    table = position("5g 3g", "4k Tk", "8b 9b", "2r 3r").act("5g; Tk; pass; pass; pass")
    assert table.s.points.tolist() == [0, 15, 0, 0]
    assert table.asked == "1 lead"
    assert table.s.pile == 0


def test_t_d18_after_a_seat_that_is_out_the_next_active_one_leads() -> None:
    table = position("Kg", "", "8b 9b", "2r 3r", finish=(1,)).act("Kg; pass; pass")
    assert table.asked == "2 lead"
    assert table.s.points.tolist() == [10, 0, 0, 0]


def test_t_d18_the_owner_may_not_go_on_on_his_own_trick() -> None:
    table = position("5g 6g", "4k", "3b 2b", "2r 3r").act("5g; pass; pass; pass")
    assert table.asked == "0 lead"
    assert table.legal() == {"6g"}


def test_t_d27_after_a_bomb_out_of_turn_the_bombers_right_neighbour_is_next() -> None:
    table = position("5g 6g", "4k 9k", "3b 2b", "2g 2k 8b 8k 8g 8r")
    table.act("5g; 8g 8k 8b 8r")
    assert table.asked == "0 follow"
    assert table.s.passes == 0


def test_13_dog_as_the_last_card() -> None:
    table = position("DG", "4g 5g", "6b 7b", "8k").act("DG")
    assert table.s.place.tolist() == [1, 0, 0, 0]
    assert table.asked == "2 lead"


def test_13_a_bomb_may_be_led() -> None:
    table = position("7g 7k 7b 7r 3g", "8g 8k 8b 8r 3k", "Ab 2b", "6r").act("7g 7k 7b 7r")
    assert table.legal() == {"pass", "8g 8k 8b 8r"}
