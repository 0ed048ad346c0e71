"""RLCard's rule-based Dou Dizhu agent, `doudizhu-rule-v1`.

    python -m eval.tournament --set preset=rlcard auction=off \\
        --agents rule agents.bridges.rlcard_doudizhu:RLCardRuleAgent

It is asked with what RLCard itself would tell it: the same cards, the same list of playable cards
in the same order, and a trace as far back as it looks.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.base import Bot, Decision, Plans
from envs.core.errors import AgentError
from envs.core.game import Array, Game, Record
from envs.doudizhu.cards import format_cards, parse_cards
from envs.doudizhu.kickers import rocket_of
from envs.doudizhu.moves import move_of_path
from envs.doudizhu.state import NO_MOVE

LANDLORD = 0  # RLCard's landlord is always player 0
NUM_PLAYERS = 3
FREE_OPTIONS = frozenset(
    {"hands_per_match", "first_bidder_next", "bomb_counts_from", "bomb_mode", "reveal_bottom"}
)
"""Options that change neither which plays there are nor who is asked for anything but a play."""


class RLCardRuleAgent(Bot):
    """Asks RLCard's rule model for a play, then makes it action by action."""

    def __init__(self, game: Game, rules: Any) -> None:
        """Get ready; needs the preset "rlcard" and auction="off".

        Raises:
            AgentError: other rules, or RLCard is not installed.
        """
        super().__init__(game, rules)
        _check_rules(game, rules)
        try:
            from rlcard.games.doudizhu.utils import get_gt_cards
            from rlcard.models.doudizhu_rule_models import DouDizhuRuleAgentV1
        except ImportError as error:
            raise AgentError(f"needs RLCard (pip install rlcard): {error}") from error
        self._model = DouDizhuRuleAgentV1()
        self._list_greater = get_gt_cards
        self._plans = Plans()

    def choose(self, decision: Decision) -> int:
        """The next action of the play that the model wants."""
        return self._plans.follow(decision, lambda: self._plan(decision))

    def end_games(self, tables: Array, scores: Array) -> None:
        """Forget the plays of games that are over."""
        for table in tables.tolist():
            self._plans.forget(table)

    def _plan(self, decision: Decision) -> tuple[int, ...]:
        """The path of the model's play; RLCard's rules name a play by its cards alone."""
        with _global_chance(decision.key):
            answer = self._model.step({"raw_obs": self.raw_state(decision.view)})
        rocket = rocket_of(decision.view.rules)
        paths = {move_of_path(path, rocket).cards: path for path in decision.plays()}
        return paths[0 if answer == "pass" else parse_cards(answer)]

    def raw_state(self, view: Record) -> dict[str, Any]:
        """RLCard's raw state of a position in play, the observer to act: what the model reads."""
        hand = format_cards(view.hands[0])
        trace: list[tuple[int, str]] = []
        actions: list[str] = []  # the model never looks at them when it leads
        if view.table != NO_MOVE:
            leader = _player(view, int(view.table_seat))
            target = format_cards(view.table_cards)
            passers = [(leader + 1 + i) % NUM_PLAYERS for i in range(view.passes)]
            trace = [(leader, target), *((player, "pass") for player in passers)]
            holder = SimpleNamespace(current_hand=[SimpleNamespace(rank=card) for card in hand])
            actions = self._list_greater(holder, SimpleNamespace(played_cards=target))
        return {
            "current_hand": hand,
            "trace": trace,
            "actions": actions,
            "landlord": LANDLORD,
            "self": _player(view, 0),
        }


def _player(view: Record, seat: int) -> int:
    """RLCard's number of a seat."""
    return int(seat - view.landlord) % NUM_PLAYERS


def _check_rules(game: Game, rules: Any) -> None:
    needed = game.make_rules("rlcard", auction="off")
    for option in dataclasses.fields(needed):
        value = getattr(needed, option.name)
        if option.name not in FREE_OPTIONS and getattr(rules, option.name) != value:
            raise AgentError(
                f"plays by RLCard's rules only, which need {option.name}={value}: "
                "set preset=rlcard and auction=off"
            )


@contextmanager
def _global_chance(key: int) -> Iterator[None]:
    """Let numpy's global generator, from which the model draws, follow from a decision's key."""
    before = np.random.get_state()  # noqa: NPY002 - RLCard uses it
    np.random.seed(key % 2**32)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
