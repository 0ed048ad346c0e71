"""Programs written for "FightTheLandlord2" on Botzone (botzone.org.cn) play Dou Dizhu here.

    python -m eval.tournament --game doudizhu --agents rule botzone:./bot --set preset=botzone

The program is told what that platform would tell it: cards are numbers from 0 to 53, player 0 bids
first, and a process gets one line of JSON, {"requests": […], "responses": […]}, answers
{"response": …} and ends. One that adds the line `>>>BOTZONE_REQUEST_KEEP_RUNNING<<<` stays for the
rest of the hand and gets the bare requests from then on. `data` is kept for the hand; `globaldata`
is not, for games are played in any order here.

The preset has the rules of the platform. It also has space shuttles (two fours in sequence,
with or without kickers), for which there is no action here, and it plays on for a program that made
a mistake, where here the game is forfeited. Every hand of a match is one of its games.

Sources: the page FightTheLandlord2 of the platform's wiki; its judge program, as published in
ailab-pku/botzone-local.
"""

import json
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar

from agents.base import Decision, Plans
from agents.bridges.botzone_hand import Hand
from agents.process import ForeignAgent, Process, ProcessFault
from envs.core.errors import AgentError
from envs.core.game import Array, Game, Record
from envs.doudizhu.moves import ID_BID, ID_PASS
from envs.doudizhu.rules import ALL_PASS_FORCE_FIRST
from envs.doudizhu.state import BIDDING

KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
MAX_RUNNING = 64  # processes of an agent that stay; the one unused for longest makes room
NEEDED: dict[str, tuple[Any, ...]] = {
    "players": (3,),
    "auction": ("once", "off"),
    "snatch": (False,),
    "doubling": ("off",),
    "reveal_bottom": (True,),
    "kicker_rocket": (True,),
    "kicker_solo_max_same": (1,),
    "kicker_pair_max_same": (1,),
    "solo_kickers": (None, True),
    "four_two_pair": (None, True),
    "farmer_bomb_limit": (False,),
    "wild": ("off",),
}
"""Options that change what a program is asked or may play, and their values on the platform."""


class BotzoneAgent(ForeignAgent):
    """Asks a program that was written for Botzone."""

    # By this the platform's own examples know that they are not at home with their author.
    environment: ClassVar[Mapping[str, str]] = {"USER": "root"}

    def __init__(self, game: Game, rules: Any, text: str) -> None:
        """Get ready; `text` is a command, with settings before it.

        Raises:
            AgentError: another game or other rules, or see `parse_command`.
        """
        _check_rules(game, rules)
        super().__init__(game, rules, text)
        self._hands: dict[int, tuple[tuple[int, int], Hand]] = {}
        self._running: OrderedDict[int, Process] = OrderedDict()
        self._plans = Plans()

    def choose(self, decision: Decision) -> int:
        """The next action of the play that the program wants."""
        return self._plans.follow(decision, lambda: self._plan(decision))

    def end_games(self, tables: Array, scores: Array) -> None:
        """Stop what still runs for these games."""
        super().end_games(tables, scores)
        for table in tables.tolist():
            self._plans.forget(table)
            self._hands.pop(table, None)
            self._stop(table)

    def close(self) -> None:
        """Stop all processes."""
        for table in list(self._running):
            self._stop(table)

    def _plan(self, decision: Decision) -> tuple[int, ...]:
        view, hand = decision.view, self._hand(decision)
        if view.phase != BIDDING:
            hand.ask_play(view)
            return hand.play(self._exchange(decision.table, hand), decision.mask)
        hand.ask_bid(view)
        response = self._exchange(decision.table, hand)
        hand.responses.append(response)
        return (_read_bid(response),)

    def _hand(self, decision: Decision) -> Hand:
        """The hand that a table is at."""
        deal = _deal_number(decision.view)
        known, hand = self._hands.get(decision.table, (None, None))
        if hand is None or known != deal:
            self._stop(decision.table)
            hand = Hand(self.game, decision.view)
            self._hands[decision.table] = deal, hand
        return hand

    def _exchange(self, table: int, hand: Hand) -> Any:
        """The program's response to the last request of a hand."""
        process = self._running.pop(table, None)
        try:
            if process is not None and not self._catch_up(process, table, hand):
                process.close()
                process = None
            told = hand.requests[-1]
            if process is None:
                process = self.program.start()
                told = {"requests": hand.requests, "responses": hand.responses}
                told |= {} if hand.data is None else {"data": hand.data}
            text, stays, _ = self.ask(process, table, _dump(told), _is_whole).partition(
                KEEP_RUNNING
            )
            if not text.strip():
                raise ProcessFault("crashed", process.obituary())
        except ProcessFault as fault:
            self.program.failed(fault)
            if process is not None:
                process.kill()
            raise
        hand.sent = len(hand.requests)
        self._keep(table, process) if stays else process.close()
        return _read_response(text, hand)

    def _catch_up(self, process: Process, table: int, hand: Hand) -> bool:
        """Tell a process of turns in which the player could only pass; whether it passed.

        One that did not was told a story that was not quite true, and is no longer up to date.
        """
        for request in hand.requests[hand.sent : -1]:
            output = self.ask(process, table, _dump(request), _is_whole)
            text, stays, _ = output.partition(KEEP_RUNNING)
            if not stays or _read_response(text, hand) != []:
                return False
        return True

    def _keep(self, table: int, process: Process) -> None:
        self._running[table] = process
        if len(self._running) > MAX_RUNNING:
            _, oldest = self._running.popitem(last=False)
            oldest.close()

    def _stop(self, table: int) -> None:
        if process := self._running.pop(table, None):
            process.close()


def _check_rules(game: Game, rules: Any) -> None:
    if game.name != "doudizhu":
        raise AgentError(f"plays doudizhu only, not {game.name}")
    wrong = [name for name, values in NEEDED.items() if getattr(rules, name) not in values]
    if wrong:
        wanted = " ".join(f"{name}={str(NEEDED[name][0]).lower()}" for name in wrong)
        raise AgentError(f"plays by the rules of Botzone only: set {wanted}")


def _deal_number(view: Record) -> tuple[int, int]:
    """What tells the deals of a game apart: the hand, and how often it was dealt again."""
    redeals = int(view.all_passes)
    if view.rules.all_pass == ALL_PASS_FORCE_FIRST:  # the last all-pass brings no new deal
        redeals = min(redeals, int(view.rules.all_pass_limit) - 1)
    return int(view.hand_number), redeals


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def _is_whole(output: bytes) -> bool:
    """Whether a process has answered and stays; another one ends instead."""
    return output.partition(KEEP_RUNNING.encode())[2].endswith(b"\n")


def _read_response(text: str, hand: Hand) -> Any:
    """What a program responds; its `data` is kept for the next time."""
    try:
        answer = json.loads(text)
    except ValueError:
        raise ProcessFault(
            "nonsense", f'expected {{"response": …}}, got {text.strip()!r:.80}'
        ) from None
    if not isinstance(answer, dict) or "response" not in answer:
        return answer
    hand.data = answer.get("data")
    return answer["response"]


def _read_bid(response: Any) -> int:
    """The action of a bid: a number from 0 to 3, or its digit."""
    bids = [0, 1, 2, 3]
    if type(response) in (int, str) and str(response) in map(str, bids):
        bid = int(response)
        return ID_BID + bid - 1 if bid else ID_PASS
    raise ProcessFault("nonsense", f"expected a bid from 0 to 3, got {response!r:.80}")
