"""Clause 13.1: the plays of preset "rlcard" are RLCard's published list, string by string."""

import pytest

from envs.doudizhu import GAME
from envs.doudizhu.cards import format_cards
from tests.doudizhu.positions import all_moves

utils = pytest.importorskip("rlcard.games.doudizhu.utils", reason="rlcard is not installed")

CHAINS = {
    "straight": "solo_chain",
    "train": "pair_chain",
    "plane": "trio_chain",
    "plane_solo": "trio_solo_chain",
    "plane_pair": "trio_pair_chain",
}
"""Our sequences in RLCard's words."""


def test_13_1_card_sets_equal_rlcards_action_list() -> None:
    ours = [format_cards(move.cards) for move in all_moves(**GAME.presets["rlcard"])]
    assert sorted([*ours, "pass"]) == sorted(utils.ID_2_ACTION)


def test_13_1_rlcard_calls_every_play_the_same() -> None:
    theirs = utils.CARD_TYPE[0]  # cards: pairs of a kind and a weight
    for move in all_moves(**GAME.presets["rlcard"]):
        chain = CHAINS.get(move.kind)
        kind = f"{chain}_{move.length}" if chain else move.kind
        assert kind in [name for name, _ in theirs[format_cards(move.cards)]]
