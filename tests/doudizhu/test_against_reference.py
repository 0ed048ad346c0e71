"""The engine agrees with the slow, independent reference on random hands of every variant."""

import dataclasses
import random
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER
from envs.doudizhu import GAME
from envs.doudizhu.cards import RANK_CHARS, format_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import ID_PASS, Move, move_of_path
from envs.doudizhu.render import CALL_NAMES
from envs.doudizhu.rules import WILD_OFF
from envs.doudizhu.state import (
    BIDDING,
    DOUBLING,
    HAND_VOID,
    HAND_WON,
    NO_MOVE,
    PLAYING,
    REDEALT,
    SNATCHING,
)
from tests.cases.doudizhu import CALL_WORDS, combinations, limit_of
from tests.conformance.play import walk
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
    "four limits": {"players": 4, "farmer_bomb_limit": True, "bomb_mode": "add", "snatch": True},
    "four doubling": {"players": 4, "auction": "continuous", "doubling": "super"},
    "four kickers": {
        "players": 4, "solo_kickers": True, "kicker_adjacent_trio": False, "kicker_rocket": True,
        "kicker_pair_max_same": 1, "bomb_counts_from": 4, "hands_per_match": 2,
    },
    "wild alone": {"wild": "random", "wild_alone": "own_rank", "pure_wild_bomb": "top"},
    "wild kickers": {
        "wild": "random", "kicker_solo_max_same": 1, "kicker_pair_max_same": 1,
        "kicker_adjacent_trio": False, "wild_alone": "own_rank",
    },
    "wild match": {"wild": "random", "hands_per_match": 3, "auction": "continuous"},
}  # fmt: skip
VARIANTS = {**GAME.presets, **EXTRA}


class Twin:
    """One game in the engine and in the reference, played hand by hand with the same actions."""

    def __init__(self, options: dict[str, Any], seed: int, checked_share: float) -> None:
        self.options = reference_options(options)
        self.seats = self.options.players
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
        scores = [0] * self.seats
        while self.s.turn != OVER:
            self.play_hand(scores)
        assert self.s.scores[: self.seats].tolist() == scores

    def play_hand(self, scores: list[int]) -> None:
        auction = self.run_auction()
        if auction is None:
            return
        factors = self.choose_factors()
        hands = [format_cards(int(hand)) for hand in self.s.hands[: self.seats]]
        play = reference.Play(
            with_wild_rank(self.options, self.s), hands, auction.landlord, auction.base,
            auction.snatches, factors, auction.bomb_limits(),
        )  # fmt: skip
        while not play.over:
            assert self.s.turn == play.turn
            self.play_move(play)
        assert self.s.outcome == HAND_WON
        assert self.s.payoffs[: self.seats].tolist() == play.payoffs
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
        factors = [1] * self.seats
        while self.s.phase == DOUBLING:
            names = ["x1", "x2", "x4"] if self.options.doubling == "super" else ["x1", "x2"]
            name = self.chance.choice(names)
            factors[self.s.turn] = int(name[1])
            self.act(GAME.parse_play(self.s, name))
        assert self.s.phase == PLAYING
        return factors

    def play_move(self, play: reference.Play) -> None:
        """Compare the legal plays now and then, and play one of them."""
        if self.chance.random() < self.checked_share:
            assert GAME.masks(self.states)[0, ID_PASS] == play.may_pass
            assert engine_moves(self.s) == play.legal()
        path = self.random_path()
        move = move_of_path(path, int(rocket_of(self.s.rules)), int(self.s.wild))
        play.act(None if path == (ID_PASS,) else as_move(move))
        self.act(path)

    def random_path(self) -> tuple[int, ...]:
        path: tuple[int, ...] = ()
        states = self.states.copy()
        while not path or states[0].pending:
            action = self.chance.choice(np.flatnonzero(GAME.masks(states)[0]).tolist())
            GAME.apply(states, np.array([action]))
            path = (*path, action)
        return path


def reference_options(options: dict[str, Any]) -> reference.Options:
    """The options of the reference, which knows the wild rank instead of `wild`."""
    options = dict(options)
    with_wild = options.pop("wild", "off") != "off"
    return reference.Options.of(**options, wild_rank="3" if with_wild else None)


def with_wild_rank(options: reference.Options, s: Any) -> reference.Options:
    """The options of the hand that is on."""
    if s.rules.wild == WILD_OFF:
        return options
    return dataclasses.replace(options, wild_rank=RANK_CHARS[s.wild])


def as_move(move: Move) -> reference.Move:
    return reference.Move(move.kind, move.main, move.length, format_cards(move.cards))


def engine_moves(s: Any) -> set[reference.Move]:
    """All combinations that the engine allows, each of which has a single path."""
    moves = [as_move(move) for move in combinations(np.array([s], GAME.state))]
    assert len(set(moves)) == len(moves)
    return set(moves)


def random_positions(options: dict[str, Any], num: int) -> list[Any]:
    """One position of play, no choice begun, out of each of `num` random games."""
    chance, seeds = random.Random(num), np.arange(num)
    found, seen = [None] * num, [0] * num
    for states, _ in walk(GAME, GAME.new_games(GAME.make_rules(**options), seeds), seeds):
        for table in np.flatnonzero((states["phase"] == PLAYING) & (states["pending"] == 0)):
            seen[table] += 1
            if chance.random() * seen[table] < 1:
                found[table] = states[table].copy()
    return [s for s in found if s is not None]


def check_hands(variant: str, num: int) -> None:
    """The legal plays of a random hand in each of `num` games."""
    options = reference_options(VARIANTS[variant])
    positions = random_positions(VARIANTS[variant], num)
    assert len(positions) > 0.9 * num  # the other games had no landlord
    for s in positions:
        seat, table = int(s.turn), None
        if s.table != NO_MOVE:
            table = as_move(Move(int(s.table), int(s.table_cards), int(s.wild)))
        limit = limit_of(s, seat)
        left = None if limit is None else limit - int(s.bombs[seat])
        hand = format_cards(int(s.hands[seat]))
        assert engine_moves(s) == reference.legal_moves(
            hand, table, with_wild_rank(options, s), left
        )


def run(variant: str, hands: int, checked_share: float) -> None:
    for seed in range(hands):
        Twin(VARIANTS[variant], seed, checked_share).play_game()


@pytest.mark.parametrize("variant", VARIANTS)
def test_plays_and_payoffs_agree(variant: str) -> None:
    run(variant, 60, 0.1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_plays_of_random_hands_agree(variant: str) -> None:
    check_hands(variant, 560)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_plays_of_many_random_hands_agree(variant: str) -> None:
    check_hands(variant, 22_500)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_plays_and_payoffs_agree_on_many_hands(variant: str) -> None:
    run(variant, 1000, 0.1)
