"""The engine agrees with the slow, independent reference on random hands of every variant."""

import random
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.tongits import GAME
from envs.tongits.cards import format_card, format_cards
from envs.tongits.moves import parse_move
from envs.tongits.state import (
    DRAWING,
    KNOCK_OVER,
    PLAYING,
    RESPONDING,
    STOCK_OUT,
    TONGITS,
    exposed,
)
from tests.reference import tongits as reference

PHASES = {"DRAW": DRAWING, "PLAY": PLAYING, "RESPOND": RESPONDING}
ENDS = {"tongits": TONGITS, "stockout": STOCK_OUT, "knock": KNOCK_OVER}
EXTRA = {
    "literal tongits": {"tongits_hidden_melds": False, "knock_tie": "knocker"},
    "literal tongits, 13 cards": {"tongits_hidden_melds": False, "dealer_cards": 13},
    "blocks": {"knock_block": "opponent", "stockout_requires_meld": True, "first_dealer": 1},
    "own blocks": {"knock_block": "any", "take_for_layoff": True, "bonus_ranks": "K"},
    "registered only": {"challenge_requires_meld": True, "knock_tie": "knocker"},
    "each pays": {"failed_knock_pays_all": False, "failed_challenge_penalty": 3},
    "penalty": {"failed_challenge_penalty": 1, "challenge_requires_meld": True},
    "taking": {"take_for_layoff": True, "tongits_hidden_melds": False, "dealer_cards": 13},
    "melds count": {"bonus_scope": "hand_and_melds", "bonus_ranks": "A"},
    "scores": {
        "score_base": 2, "score_bonus": 3, "score_burn": 5, "score_quad": 7, "score_tongits": 11,
        "score_challenge": 13,
    },
    "free": {"score_base": 0, "score_bonus": 0, "score_burn": 0, "bonus_ranks": "none"},
    "rotating": {"num_hands": 4, "next_dealer": "rotate", "dealer_cards": 13, "first_dealer": 2},
    "pot": {"num_hands": 6, "jackpot_ante": 3},
    "long pot": {"num_hands": 7, "jackpot_ante": 1, "jackpot_streak": 3, "next_dealer": "rotate"},
}  # fmt: skip
VARIANTS = {**GAME.presets, **EXTRA}


def reference_options(options: dict[str, Any]) -> reference.Options:
    """The options as the reference takes them: it knows ranks, not names of sets of ranks."""
    if "bonus_ranks" in options:
        options = {**options, "bonus_ranks": options["bonus_ranks"].replace("none", "")}
    return reference.Options.of(**options)


class Twin:
    """One game in the engine and in the reference, played hand by hand with the same actions."""

    def __init__(self, options: dict[str, Any], seed: int, checked_share: float) -> None:
        self.options = reference_options(options)
        self.states = GAME.new_games(GAME.make_rules(**options), [seed])
        self.match = reference.Match(self.options, int(self.s.dealer))
        self.chance = random.Random(seed)
        self.checked_share = checked_share

    @property
    def s(self) -> Any:
        return self.states[0]

    def play_game(self) -> None:
        assert self.options.first_dealer in ("random", self.s.dealer)
        while not self.match.is_over:
            assert self.s.turn != OVER
            assert self.s.dealer == self.match.dealer
            assert self.s.hand_number == self.match.hands_played
            self.play_hand()
            assert self.s.scores.tolist() == self.match.scores
            assert self.s.pot == self.match.pot
        assert self.s.turn == OVER

    def play_hand(self) -> None:
        hands = [format_cards(int(cards)).split() for cards in self.s.hands]
        stock = [format_card(card) for card in self.s.stock[: self.s.stock_size][::-1]]
        hand = reference.Hand.of_deal(self.options, self.match.dealer, hands, stock)
        while hand.phase != "OVER":
            if self.chance.random() < self.checked_share:
                self.check_position(hand)
            action = reference.choose_random(hand.legal(), self.chance)
            move = parse_move(action, taken=hand.phase == "DRAW")
            assert GAME.masks(self.states)[0, move]
            hand.act(action)
            GAME.apply(self.states, np.array([move]))
        assert hand.winner is not None
        assert (self.s.outcome, self.s.winner) == (ENDS[str(hand.end)], hand.winner)
        assert self.s.payoffs.tolist() == hand.payoffs
        self.match.finish_hand(hand.winner, hand.payoffs)

    def check_position(self, hand: reference.Hand) -> None:
        """Compare the legal actions and all that lies on the table."""
        s = self.s
        assert (s.phase, s.turn) == (PHASES[hand.phase], hand.player)
        legal = np.flatnonzero(GAME.masks(self.states)[0])
        assert [GAME.format_action(s, action) for action in legal] == hand.legal()
        assert legal.tolist() == list(map(reference.action_id, hand.legal()))
        assert [format_card(card) for card in s.pile[: s.pile_size]] == hand.pile
        assert [set(format_cards(int(cards)).split()) for cards in s.hands] == hand.hands
        assert s.blocked.tolist() == hand.sapawed
        owned: list[set[str]] = [set(), set(), set()]
        for meld in hand.melds:
            owned[meld.owner] |= meld.cards
        assert [set(format_cards(int(cards)).split()) for cards in s.melds] == owned
        assert len(set().union(*owned)) == int(exposed(s)).bit_count()


def run(variant: str, games: int, checked_share: float) -> None:
    for seed in range(games):
        Twin(VARIANTS[variant], seed, checked_share).play_game()


@pytest.mark.parametrize("variant", VARIANTS)
def test_actions_and_payoffs_agree(variant: str) -> None:
    run(variant, 24 // VARIANTS[variant].get("num_hands", 1) + 1, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_actions_and_payoffs_agree_on_many_hands(variant: str) -> None:
    run(variant, 1000 // VARIANTS[variant].get("num_hands", 1), 1.0)
