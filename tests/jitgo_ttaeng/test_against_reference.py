"""The engine agrees with the slow, independent reference on random hands of every variant."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from envs.core.game import OVER, Array
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.betting import begin_hand, go_on
from envs.jitgo_ttaeng.cards import CARD_NAMES, list_packed
from envs.jitgo_ttaeng.dealing import deal_again, deal_hands
from envs.jitgo_ttaeng.rules import resolve, schedule_of
from envs.jitgo_ttaeng.state import BETTING, CONTINUING, ENDED, PUNTING, STAKING
from tests.reference.jitgo_ttaeng import Match, Options
from tests.reference.jitgo_ttaeng_banker import ORDER, PILES, Bank, Deal

SIZES = ("MIN", "QUARTER", "HALF", "ALL")
NAMES = (
    *("FOLD", "CHECK_CALL", "MIN", "QUARTER", "HALF", "FULL", "MAX", "ALL_IN"),
    *("PASS", "CONTINUE"),
    *(f"STAKE_{size}" for size in SIZES),
    *(f"BET_{pile}_{size}" for pile in PILES for size in SIZES),
)
"""The actions of RULES 4.3 and 5.3 by the engine's ids."""
PHASES = {STAKING: "stake", PUNTING: "bet", CONTINUING: "continue", ENDED: "over"}
FULL = {"hand_set": "full", "max_redeals": 2}
EXTRA: dict[str, dict[str, Any]] = {
    "classic": {"hand_set": "classic", "chunchu": "above_jang", "num_players": 3},
    "full with 20 cards": {**FULL, "chunchu": "top", "max_hands": 20},
    "full with 40 cards": {
        **FULL, "deck": 40, "num_players": 8, "ttaengjabi": "any37", "ttaengjabi_max": 10,
        "meonggusa_max": 10, "max_hands": 20,
    },
    "one new deal": {**FULL, "deck": 40, "num_players": 5, "max_redeals": 1, "meonggusa_max": 8},
    "no new deal": {**FULL, "deck": 40, "num_players": 6, "max_redeals": 0},
    "mixed flags": {"gwang": False, "special": True, "seotda": False, "num_players": 3},
    "no cap": {"bet_cap": None, "max_raises": None, "start_stack": 137, "ante": 7},
    "high cap": {"bet_cap": 350, "min_raise": "min_bet", "min_bet": 25, "max_hands": 20},
    "limit, seven seats": {"structure": "limit", "max_raises": 5, "deck": 40, "num_players": 7},
    "no ante": {"ante": 0, "max_raises": 0, "start_stack": 60, "max_hands": 30},
    "two rounds": {"deal_schedule": "4+1", "bust": "end_match", "start_stack": 200},
    "three rounds": {**FULL, "deal_schedule": "2+2+1", "deck": 40, "num_players": 6},
    "short stacks": {"start_stack": 33, "ante": 20, "num_players": 4, "max_hands": 40},
    "banker, two seats": {"mode": "banker", "num_players": 2, "voluntary_pass": True},
    "banker, eight seats": {"mode": "banker", "num_players": 8, "deck": 40, "bank_cap": "stake"},
    "banker, full": {"mode": "banker", "hand_set": "full", "win_multiple": 1, "max_rounds": 40},
    "banker, any37": {
        "mode": "banker", "hand_set": "full", "ttaengjabi": "any37", "ttaengjabi_max": 10,
        "chunchu": "top", "deck": 40, "win_multiple": 0.5, "voluntary_pass": True,
    },
    "banker, poor": {
        "mode": "banker", "start_stack": 50, "min_bet": 12, "min_stake": 17, "num_players": 4,
    },
}  # fmt: skip
VARIANTS = {**GAME.presets, **EXTRA}


def reference_options(rules: Any) -> Options:
    """The options of the reference that a value of the engine's rules asks for."""
    named = {field.name: getattr(rules, field.name) for field in fields(Options)}
    flags = {name: resolve(rules, name) for name in ("gwang", "seotda", "special")}
    return Options(**named | flags | {"deal_schedule": tuple(schedule_of(rules))})


def names_of(packed: int) -> tuple[str, ...]:
    return tuple(CARD_NAMES[card] for card in list_packed(int(packed)))


class DealtMatch(Match):
    """A match of the reference with the cards that the engine deals.

    The engine's chance is followed in a record of its own, by its dealing kernels alone: who gets
    new cards, and when, is for the reference to say.
    """

    def __init__(self, opt: Options, s: Any, num_seats: int) -> None:
        self.shadow = np.array([s], GAME.state)[0]
        self.is_dealt = True
        stacks = [int(s.stacks[i] + s.contrib[i]) for i in range(num_seats)]
        super().__init__(opt, stacks, int(s.sun), iter(()))

    def _shuffle(self) -> None:
        s = self.shadow
        if self.redealt:
            deal_again(s, sum(1 << seat for seat in self.redealt))
        elif not self.is_dealt:
            s.sun, s.folded = self.sun, 0
            s.playing[: len(self.stacks)] = [stack > 0 for stack in self.stacks]
            deal_hands(s)
        self.is_dealt = False
        self.dealt = [names_of(packed) for packed in s.dealt]

    def _deal(self, num: int, seats: Sequence[int]) -> None:
        for seat in seats:
            held = len(self.cards[seat])
            self.cards[seat] += self.dealt[seat][held : held + num]


class BettingTwin:
    """One match in the engine and in the reference, with the same cards and actions."""

    def __init__(self, states: Array, opt: Options) -> None:
        self.states = states
        self.seats = slice(int(self.s.rules.num_players))
        self.match = DealtMatch(opt, self.s, self.seats.stop)

    @property
    def s(self) -> Any:
        return self.states[0]

    def compare(self) -> None:
        s, match, hand = self.s, self.match, self.match.hand
        assert (s.hand_number, s.turn == OVER) == (match.hands_played, match.over)
        assert s.scores[self.seats].tolist() == match.net
        assert s.sun == match.sun
        if match.settlements:
            assert s.payoffs[self.seats].tolist() == match.settlements[-1].net
        if match.over:
            return
        assert (s.phase, s.turn) == (BETTING, hand.actor)
        assert (s.current, s.raises, s.street) == (hand.current, hand.raises, hand.round)
        for name in ("stacks", "contrib", "round_bets", "folded"):
            assert getattr(s, name)[self.seats].tolist() == getattr(hand, name)

    def act(self, name: str) -> None:
        chips = self.match.hand.legal()[name]
        GAME.apply(self.states, np.array([NAMES.index(name)]))
        self.match.act(name)
        assert self.s.paid == chips
        self.compare()

    def play(self, chance: random.Random, eager: bool = False) -> None:
        """Play to the end of the match; `eager` players go all-in as soon as they can."""
        self.compare()
        while not self.match.over:
            legal = self.match.hand.legal()
            mask = GAME.masks(self.states)[0]
            assert {NAMES[action] for action in np.flatnonzero(mask)} == set(legal)
            wanted = "ALL_IN" if "ALL_IN" in legal and eager else chance.choice(list(legal))
            if wanted == "FOLD" and chance.random() < 0.5:
                wanted = "CHECK_CALL"
            self.act(wanted)


class BankerTwin:
    """One match of the banker's game in the engine and in the reference."""

    def __init__(self, states: Array, opt: Options) -> None:
        self.states = states
        self.seats = slice(int(self.s.rules.num_players))
        self.bank = Bank(opt, self.s.stacks[self.seats].tolist(), int(self.s.sun), self.deals())

    @property
    def s(self) -> Any:
        return self.states[0]

    def deals(self) -> Iterator[Deal]:
        """The cards of the engine's round that is on."""
        while True:
            hands = map(names_of, self.s.piles)
            yield dict(zip(ORDER, hands, strict=True))

    def compare(self) -> None:
        s, bank = self.s, self.bank
        assert PHASES[int(s.phase)] == bank.phase
        assert s.turn == (OVER if bank.actor is None else bank.actor)
        assert (s.bank, s.stake, s.hand_number) == (bank.bank, bank.stake, bank.num_rounds)
        assert s.banker == (-1 if bank.banker is None else bank.banker)
        assert s.stacks[self.seats].tolist() == bank.stacks
        start = int(s.rules.start_stack)
        bets = [bank.bets.get(seat, ("", 0))[1] for seat in range(self.seats.stop)]
        own = [chips + bet - start for chips, bet in zip(bank.net, bets, strict=True)]
        assert s.scores[self.seats].tolist() == own
        if bank.phase == "bet":
            face_up = {CARD_NAMES[int(card).bit_length() - 1] for card in s.face_up}
            assert face_up == {bank.deal[pile][0] for pile in PILES}

    def play(self, chance: random.Random) -> None:
        """Play to the end of the match."""
        self.compare()
        while self.bank.actor is not None:
            legal = self.bank.legal()
            mask = GAME.masks(self.states)[0]
            assert {NAMES[action] for action in np.flatnonzero(mask)} == set(legal)
            name = chance.choice(list(legal))
            if name == "PASS" and chance.random() < 0.7:
                name = chance.choice(list(legal))
            GAME.apply(self.states, np.array([NAMES.index(name)]))
            self.bank.act(name)
            self.compare()


def new_twin(options: dict[str, Any], seed: int) -> BettingTwin | BankerTwin:
    rules = GAME.make_rules(**options)
    states, opt = GAME.new_games(rules, [seed]), reference_options(rules)
    return BettingTwin(states, opt) if rules.mode == "betting" else BankerTwin(states, opt)


def play_matches(variant: str, num: int) -> None:
    for seed in range(num):
        new_twin(VARIANTS[variant], seed).play(random.Random(seed))


@pytest.mark.parametrize("variant", VARIANTS)
def test_matches_agree(variant: str) -> None:
    play_matches(variant, 12)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_many_matches_agree(variant: str) -> None:
    play_matches(variant, 300)


ALL_IN = {"deck": 40, "num_players": 8, "hand_set": "full", "bet_cap": None, "max_hands": 1}


def play_all_in_hands(seeds: range) -> None:
    """Hands of eight seats with unequal stacks, most of them all-in (RULES 4.5).

    Chips are conserved, payouts equal the reference, and nobody wins more from another than he has
    put in, but for chips of folded seats above the last stake (RULES 10, property 4).
    """
    side_pots = 0
    for seed in seeds:
        chance = random.Random(seed)
        twin = twin_with_stacks(
            [chance.choice((0, 5, chance.randint(11, 500))) for _ in range(6)]
            + [chance.randint(11, 500) for _ in range(2)],
            seed,
        )
        total = int(sum(twin.s.stacks) + sum(twin.s.contrib))
        hand = twin.match.hand
        twin.play(chance, eager=chance.random() < 0.7)
        end = twin.match.settlements[0]
        assert twin.s.stacks.sum() == total
        assert sum(end.payout) == sum(hand.contrib)
        top = max(hand.contrib[seat] for seat in hand.live)
        excess = sum(max(chips - top, 0) for chips in hand.contrib)
        for seat, won in enumerate(end.payout):
            own = hand.contrib[seat]
            assert won <= sum(min(chips, own) for chips in hand.contrib) + excess
            assert won == 0 or seat in hand.live
        side_pots += len(end.pots) > 1
    assert side_pots > len(seeds) / 2


def twin_with_stacks(stacks: list[int], seed: int) -> BettingTwin:
    """A match of one hand that begins with these stacks."""
    rules = GAME.make_rules(**ALL_IN)
    states = GAME.new_games(rules, [seed])
    s = states[0]
    s.stacks[:] = stacks
    s.sun = next(seat for seat in range(seed % 8, seed % 8 + 8) if stacks[seat % 8]) % 8
    begin_hand(s)
    go_on(s, int(s.sun))
    return BettingTwin(states, reference_options(rules))


def test_4_5_all_in_hands_agree() -> None:
    play_all_in_hands(range(400))


@pytest.mark.slow
def test_4_5_many_all_in_hands_agree() -> None:
    play_all_in_hands(range(400, 10_400))
