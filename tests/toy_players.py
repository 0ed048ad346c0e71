"""Players of the toy game, for what searches and learns: a policy, a base, features of actions."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from agents.base import ViewAgent
from envs.core.game import NO_ACTION, OVER, Array
from tests.toy_game import FOLD, GAME, MAX_STAKE, NUM_ACTIONS, NUM_CARDS, RAISE, STAKE


class ToyPolicy:
    """Raises with the upper half of the cards, and stakes 2."""

    def choose_batch(self, states: Array, masks: Array, actions: Array) -> None:
        for row, state in enumerate(states):
            if state.turn == OVER:
                actions[row] = NO_ACTION
            elif state.pending:
                actions[row] = STAKE + 1
            else:
                actions[row] = RAISE if state.cards[state.turn] >= 4 else FOLD

    def play_out_batch(self, states: Array, payoffs: Array) -> None:
        deals, before = states["deals"].copy(), states["scores"].copy()
        actions = np.empty(len(states), np.int64)
        while True:
            self.choose_batch(states, GAME.masks(states), actions)
            actions[states["deals"] != deals] = NO_ACTION
            if (actions == NO_ACTION).all():
                break
            GAME.apply(states, actions)
        payoffs[:] = (states["scores"] - before)[:, : payoffs.shape[1]]


class ToyBase(ViewAgent):
    """In place of the rule-based agent: raises with the lower half of the cards, and stakes 3."""

    def decide(self, views: Array, masks: Array, keys: Array, actions: Array) -> None:
        for row, view in enumerate(views):
            actions[row] = RAISE if view.cards[0] < 4 else FOLD
            if view.pending:
                actions[row] = STAKE + 2


class ToyFeatures:
    """Features of actions, as `agents.features` has them."""

    VERSION = 3
    ACTION = np.dtype((np.record, [("worth", np.float32), ("stake", np.float32)]))
    """`worth` is 1 for what `ToyBase` does, 1/2 for the others but these: 1/4 to fold a 3, -1 for
    the lowest stake."""
    CONTEXT = np.dtype((np.record, [("card", np.float32), ("players", np.float32)]))
    KINDS = np.array([0, 1] + [2] * MAX_STAKE)
    NUM_KINDS = 3

    @staticmethod
    def fill_batch(
        views: Array, rows: Array, actions: Array, features: Array, contexts: Array
    ) -> None:
        for n, (row, action) in enumerate(zip(rows.tolist(), actions.tolist(), strict=True)):
            features["worth"][n] = worth_of(int(views["cards"][row, 0]), action)
            features["stake"][n] = max(action - STAKE + 1, 0)
        contexts["card"] = views["cards"][:, 0] / NUM_CARDS
        contexts["players"] = views["players"]


def worth_of(card: int, action: int) -> float:
    """What an action is worth to `ToyBase`, with a card."""
    if action >= STAKE:
        return (-1, 0.5, 1)[action - STAKE]
    if (action == RAISE) == (card < 4):
        return 1
    return 0.25 if card == 3 else 0.5


assert len(ToyFeatures.KINDS) == NUM_ACTIONS


def seat_toy_players(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let these be found like the players of real games: the rule-based agent is `ToyBase`."""
    players: dict[str, dict[str, Any]] = {
        "agents.rule_based.toy": {"RuleAgent": ToyBase},
        "agents.search.toy": _public(ToyPolicy()),
        "agents.features.toy": _public(ToyFeatures()),
    }
    for name, contents in players.items():
        module = ModuleType(name)
        vars(module).update(contents, __spec__=ModuleSpec(name, None))
        monkeypatch.setitem(sys.modules, name, module)


def _public(player: object) -> dict[str, Any]:
    return {name: getattr(player, name) for name in dir(player) if not name.startswith("_")}
