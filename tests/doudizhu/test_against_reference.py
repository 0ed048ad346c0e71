"""The engine agrees with the slow, independent reference on random hands of every variant."""

import random
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.doudizhu import GAME
from envs.doudizhu.cards import format_cards
from envs.doudizhu.moves import move_of_path
from envs.doudizhu.render import CALL_NAMES
from envs.doudizhu.state import BIDDING, DOUBLING, HAND_VOID, HAND_WON, PLAYING, REDEALT, SNATCHING
from tests.cases.doudizhu import CALL_WORDS, ROCKET_CARDS
from tests.reference import doudizhu as reference

WORDS = {call: word for word, call in CALL_WORDS.items()}
EXTRA = {
    "limits": {"farmer_bomb_limit": True, "auction": "continuous", "bomb_mode": "add"},
    "few kinds": {"solo_kickers": False, "four_two_pair": False, "bomb_counts_from": 5},
    "snatching": {"snatch": True, "snatch_by_passers": True, "snatch_cap": 2, "doubling": "double"},
    "forced": {"all_pass": "force_first", "all_pass_limit": 2, "snatch": True, "snatch_factor": 1},
    "void": {"all_pass": "void", "kicker_solo_max_same": 2, "kicker_rocket": True},
    "no auction": {"auction": "off", "doubling": "super", "kicker_pair_max_same": 1},
    "match": {"hands_per_match": 3, "first_bidder_next": "rotate", "max_redeals": 1},
}
VARIANTS = {**GAME.presets, **EXTRA}


class Twin:
    """One game in the engine and in the reference, played hand by hand with the same actions."""

    def __init__(self, options: dict[str, Any], seed: int, checked_share: float) -> None:
        self.options = reference.Options.of(**options)
        self.states = GAME.new_games(GAME.make_rules(**options), [seed])
        self.chance = random.Random(seed)
        self.checked_share = checked_share

    @property
    def s(self) -> Any:
        return self.states[0]

    def act(self, path: tuple[int, ...]) -> None:
        for action in path:
            mask = GAME.masks(self.states)[0]
            assert mask[action]
            GAME.apply(self.states, np.array([action]))

    def play_game(self) -> None:
        scores = [0, 0, 0]
        while self.s.turn != OVER:
            self.play_hand(scores)
        assert self.s.scores[:3].tolist() == scores

    def play_hand(self, scores: list[int]) -> None:
        auction = self.run_auction()
        if auction is None:
            return
        factors = self.choose_factors()
        hands = [format_cards(int(hand)) for hand in self.s.hands[:3]]
        play = reference.Play(
            self.options, hands, auction.landlord, auction.base, auction.snatches, factors,
            auction.bomb_limits(),
        )  # fmt: skip
        while not play.over:
            assert self.s.turn == play.turn
            self.play_move(play)
        assert self.s.outcome == HAND_WON
        assert self.s.payoffs[:3].tolist() == play.payoffs
        for seat, payoff in enumerate(play.payoffs):
            scores[seat] += payoff

    def run_auction(self) -> reference.Auction | None:
        """The finished auction, or None after a void hand."""
        all_passes = 0
        while True:
            auction = reference.Auction(self.options, int(self.s.first), all_passes)
            while auction.status == "open":
                assert self.s.phase in (BIDDING, SNATCHING)
                assert self.s.turn == auction.turn
                mask = GAME.masks(self.states)[0]
                names = [CALL_NAMES[action] for action in np.flatnonzero(mask)]
                assert {WORDS.get(name, name) for name in names} == auction.legal()
                name = self.chance.choice(names)
                self.act(GAME.parse_play(self.s, name))
                auction.act(WORDS.get(name, name))
            if auction.status not in ("redeal", "void"):
                assert (self.s.landlord, self.s.base_score) == (auction.landlord, auction.base)
                return auction
            assert self.s.outcome == (REDEALT if auction.status == "redeal" else HAND_VOID)
            if auction.status == "void":
                return None
            all_passes += 1

    def choose_factors(self) -> list[int]:
        factors = [1, 1, 1]
        while self.s.phase == DOUBLING:
            names = ["x1", "x2", "x4"] if self.options.doubling == "super" else ["x1", "x2"]
            name = self.chance.choice(names)
            factors[self.s.turn] = int(name[1])
            self.act(GAME.parse_play(self.s, name))
        assert self.s.phase == PLAYING
        return factors

    def play_move(self, play: reference.Play) -> None:
        """Compare the legal plays now and then, and play one of them."""
        paths = GAME.plays(self.s)
        if self.chance.random() < self.checked_share:
            assert ((0,) in paths) == play.may_pass
            moves = [as_move(path) for path in paths if path != (0,)]
            assert len(set(moves)) == len(moves)
            assert set(moves) == play.legal()
        path = self.chance.choice(paths)
        play.act(None if path == (0,) else as_move(path))
        self.act(path)


def as_move(path: tuple[int, ...]) -> reference.Move:
    move = move_of_path(path, ROCKET_CARDS)
    return reference.Move(move.kind, move.main, move.length, format_cards(move.cards))


def run(variant: str, hands: int, checked_share: float) -> None:
    for seed in range(hands):
        Twin(VARIANTS[variant], seed, checked_share).play_game()


@pytest.mark.parametrize("variant", VARIANTS)
def test_plays_and_payoffs_agree(variant: str) -> None:
    run(variant, 100, 0.3)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_plays_and_payoffs_agree_on_many_hands(variant: str) -> None:
    run(variant, 2000, 1.0)
