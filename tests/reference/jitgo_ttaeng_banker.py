"""The banker's game of Dori-jitgo-ttaeng (section 5), as slow and obvious as the betting game."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .jitgo_ttaeng import HAND_SIZE, Options, evaluate, winners

PILES = ("A", "B", "C")
ORDER = ("banker", *PILES)
"""The four hands in the order of the deal (J39)."""
Deal = Mapping[str, Sequence[str]]


@dataclass(kw_only=True)
class Round:
    """What came of one round; `piles` and `payments` are empty where nobody bet (J40)."""

    bets: dict[int, tuple[str, int]]
    piles: dict[str, str]
    payments: dict[int, int]
    bank: int
    passed: str | None = None


def deal_hands(deck: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Banker, A, B, C, one card at a time, five times (9, J39)."""
    return {name: tuple(deck[k :: len(ORDER)][:HAND_SIZE]) for k, name in enumerate(ORDER)}


def pile_wins(banker: Sequence[str], pile: Sequence[str], opt: Options) -> bool:
    """Whether a pile builds and beats the banker alone (5.2, J41)."""
    hands = {0: evaluate(tuple(banker), opt), 1: evaluate(tuple(pile), opt)}
    return hands[1].strength > 0 and winners(hands, opt) == [1]


class Bank:
    """The state machine of 5.2.

    `deals` are the four hands of each round, taken when the cards are needed. `phase` is "stake",
    "bet", "continue" or "over"; `banker` is None while the bank is offered and when all is over.
    """

    def __init__(
        self, opt: Options, stacks: Sequence[int], first: int, deals: Iterator[Deal]
    ) -> None:
        """Offer the bank to the seat `first` (J38)."""
        self.opt, self.stacks, self.deals = opt, list(stacks), deals
        self.num_seats = len(stacks)
        self.bank = self.stake = self.num_rounds = 0
        self.banker: int | None = None
        self.actor: int | None = None
        self.deal: Deal = {}
        self.bets: dict[int, tuple[str, int]] = {}
        self.rounds: list[Round] = []
        self._offer(first, self.num_seats)

    def legal(self) -> dict[str, int]:
        """The legal actions of the seat to act, with the chips each pays (5.3)."""
        if self.actor is None:
            return {}
        stack = self.stacks[self.actor]
        if self.phase == "continue":
            return {"PASS": 0, "CONTINUE": 0}
        if self.phase == "stake":
            return {"PASS": 0} | self._sizes("STAKE", self.opt.min_stake, stack)
        actions = {"PASS": 0}
        for pile in PILES:
            actions |= self._sizes(f"BET_{pile}", self.opt.min_bet, min(stack, self.room))
        return actions

    @staticmethod
    def _sizes(prefix: str, least: int, most: int) -> dict[str, int]:
        """The sizes in range, each under its lowest id (5.3)."""
        found: dict[str, int] = {}
        sizes = {"MIN": least, "QUARTER": most // 4, "HALF": most // 2, "ALL": most}
        for name, size in sizes.items():
            if least <= size <= most and size not in found.values():
                found[f"{prefix}_{name}"] = size
        return found

    @property
    def room(self) -> int:
        """Chips that may still be bet in this round (5.2, J32)."""
        cap = self.bank if self.opt.bank_cap == "current" else min(self.bank, self.stake)
        return cap - sum(amount for _, amount in self.bets.values())

    @property
    def net(self) -> list[int]:
        """Chips that each seat has, its own bank included (J42)."""
        return [stack + self.bank * (i == self.banker) for i, stack in enumerate(self.stacks)]

    def act(self, action: str) -> None:
        """Act for the seat to act; ValueError, without a change, if that is not legal."""
        legal, seat = self.legal(), self.actor
        if seat is None or action not in legal:
            raise ValueError(f"seat {seat} may not {action}, legal is {legal}")
        self.stacks[seat] -= legal[action]
        if self.phase == "continue":
            if action == "CONTINUE":
                self._open_round()
            else:
                self.rounds[-1].passed = "voluntary"
                self._pass_bank()
        elif self.phase == "bet":
            if action != "PASS":
                self.bets[seat] = (action.split("_")[1], legal[action])
            self._ask_punter(seat)
        elif action == "PASS":
            self._offer((seat + 1) % self.num_seats, self.offers_left)
        else:
            self.banker, self.bank, self.stake = seat, legal[action], legal[action]
            self._open_round()

    def _offer(self, first: int, offers: int) -> None:
        """Offer the bank to the first seat with the minimum stake (J37), at most `offers` seats."""
        self.phase = "stake"
        for step in range(offers):
            seat = (first + step) % self.num_seats
            if self.stacks[seat] >= self.opt.min_stake:
                self.actor, self.offers_left = seat, offers - step - 1
                return
        self._end()

    def _end(self) -> None:
        self.phase, self.actor, self.banker = "over", None, None

    def _open_round(self) -> None:
        assert self.banker is not None
        self.phase, self.bets, self.deal = "bet", {}, next(self.deals)
        self._ask_punter(self.banker)

    def _ask_punter(self, after: int) -> None:
        """The next punter after a seat who can bet; after the last one the piles are paid."""
        seat = (after + 1) % self.num_seats
        while seat != self.banker:
            if min(self.stacks[seat], self.room) >= self.opt.min_bet:
                self.actor = seat
                return
            seat = (seat + 1) % self.num_seats
        self._pay()

    def _pay(self) -> None:
        """Pay the piles (5.2), then the checks after a round."""
        piles: dict[str, str] = {}
        payments: dict[int, int] = {}
        if self.bets:
            for pile in PILES:
                won = pile_wins(self.deal["banker"], self.deal[pile], self.opt)
                piles[pile] = "pile" if won else "banker"
        for seat, (pile, amount) in self.bets.items():
            payments[seat] = amount if piles[pile] == "pile" else -amount
            self.stacks[seat] += amount + payments[seat] if payments[seat] > 0 else 0
            self.bank -= payments[seat]
        self.num_rounds += 1
        self.rounds.append(Round(bets=self.bets, piles=piles, payments=payments, bank=self.bank))
        self.bets = {}
        self._check_end_of_round()

    def _check_end_of_round(self) -> None:
        """The five checks of 5.2, in their order (J34, J35)."""
        opt, done = self.opt, self.rounds[-1]
        others = [stack for seat, stack in enumerate(self.stacks) if seat != self.banker]
        if self.num_rounds == opt.max_rounds:
            self._return_bank()
            self._end()
        elif self.bank < opt.min_bet:
            done.passed = "broke"
            self._pass_bank()
        elif self.bank - self.stake >= opt.win_multiple * self.stake:
            done.passed = "won"
            self._pass_bank()
        elif max(others) < opt.min_bet:
            self._return_bank()
            self._end()
        elif opt.voluntary_pass:
            self.phase, self.actor = "continue", self.banker
        else:
            self._open_round()

    def _return_bank(self) -> None:
        assert self.banker is not None
        self.stacks[self.banker] += self.bank
        self.bank = self.stake = 0

    def _pass_bank(self) -> None:
        """The bank goes home and on to the next seat, if two can still play (5.2)."""
        assert self.banker is not None
        self._return_bank()
        following = (self.banker + 1) % self.num_seats
        self.banker = None
        if sum(stack >= self.opt.min_bet for stack in self.stacks) < 2:
            self._end()
        else:
            self._offer(following, self.num_seats)
