"""Information-set Monte Carlo tree search: one tree over what can be seen, in ever new worlds.

A node stands for the seat to act and for the plays since the root as that seat saw them, whatever
the hidden cards are; in each world only the plays that are legal there can be chosen. Leaves are
played out by the default policy, which also says what is tried first.

Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search" (2012), the variant
with several observers.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from agents.base import Decision
from agents.search.pimc import Judgement, SearchAgent
from agents.search.settings import Budget
from agents.search.worlds import Play, Playouts
from envs.core.game import NO_ACTION, OVER, Array

WORLDS = 64
"""Worlds that go down the tree together."""
UNSEEN = -1
"""Stands in a history for a play that the seat did not see."""

History = tuple[int, ...]


@dataclass
class Arm:
    """A play at a node, named by its first action."""

    visits: int = 0
    total: float = 0.0
    payoffs: list[float] = field(default_factory=list)
    """What it brought the seat, one a visit."""


@dataclass
class Node:
    """What is known of the plays of a seat that sees a history."""

    arms: dict[int, Arm] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0

    def choose(self, legal: list[int], bonus: float) -> int:
        """The legal play with the highest upper bound; of equals the first.

        A play that was never tried counts as the mean of the node, tried once.
        """
        mean = self.total / self.visits if self.visits else 0.0
        reach = bonus * math.sqrt(math.log(self.visits + 1))
        best, best_bound = legal[0], -math.inf
        for action in legal:
            arm = self.arms.get(action)
            bound = mean + reach
            if arm is not None and arm.visits:
                bound = arm.total / arm.visits + reach / math.sqrt(arm.visits)
            if bound > best_bound:
                best, best_bound = action, bound
        return best


class Descent:
    """Worlds on their way down the tree."""

    def __init__(self, tree: "Tree", worlds: Array) -> None:
        """Start at the root, in place."""
        self.tree, self.states = tree, worlds
        num_seats = tree.playouts.game.num_seats(tree.playouts.rules)
        self.deals = worlds["deals"].copy()
        self.scores = worlds["scores"][:, :num_seats].copy()
        self.histories: list[list[History]] = [[()] * num_seats for _ in worlds]
        """Of each world: what each seat has seen."""
        self.choices: list[list[tuple[Node, Arm, int]]] = [[] for _ in worlds]
        """Of each world: the plays that were chosen, and by which seat."""

    def run(self) -> Array:
        """Go down to the leaves and play out from there: payoffs [N, seats] float64."""
        inside = np.ones(len(self.states), bool)
        while inside.any():
            inside &= (self.states["turn"] != OVER) & (self.states["deals"] == self.deals)
            masks = self.tree.playouts.game.masks(self.states)
            first = np.full(len(self.states), NO_ACTION)
            for row in np.flatnonzero(inside).tolist():
                action, inside[row] = self._choose(row, masks[row])
                first[row] = action
            self.tree.playouts.game.apply(self.states, first)
            self.tree.playouts.complete(self.states)
        return self.tree.playouts.play_out(self.states, self.deals, self.scores)

    def _choose(self, row: int, mask: Array) -> tuple[int, bool]:
        """The play in a world, and whether its node was in the tree before."""
        tree, state = self.tree, self.states[row]
        seat, legal = int(state.turn), np.flatnonzero(mask).tolist()
        known = True
        action = legal[0]
        if len(legal) > 1:
            key = seat, self.histories[row][seat]
            known = key in tree.nodes
            node = tree.nodes.setdefault(key, Node())
            action = node.choose(legal, tree.bonus)
            arm = node.arms.setdefault(action, Arm())
            arm.visits += 1  # at once: the next world of the batch tries something else
            node.visits += 1
            self.choices[row].append((node, arm, seat))
        private = tree.playouts.game.is_private(state, action)
        for other, history in enumerate(self.histories[row]):
            seen = UNSEEN if private and other != seat else action
            self.histories[row][other] = (*history, seen)
        return action, known


class Tree:
    """The tree of one decision."""

    def __init__(self, playouts: Playouts, exploration: float) -> None:
        """Begin with a root that has not been visited."""
        self.playouts, self.exploration = playouts, exploration
        self.nodes: dict[tuple[int, History], Node] = {(0, ()): Node()}
        self._num, self._total, self._squares = 0, 0.0, 0.0

    @property
    def bonus(self) -> float:
        """Bonus of a play that was tried once: exploration times the spread of seat 0's payoffs."""
        if self._num < 2:
            return self.exploration
        mean = self._total / self._num
        spread = math.sqrt(max(self._squares / self._num - mean**2, 0.0))
        return self.exploration * (spread or 1.0)

    def grow(self, worlds: Array) -> None:
        """Send worlds down, in place, and learn from how they end."""
        descent = Descent(self, worlds)
        payoffs = descent.run()
        for choices, payoff in zip(descent.choices, payoffs.tolist(), strict=True):
            for node, arm, seat in choices:
                node.total += payoff[seat]
                arm.total += payoff[seat]
                arm.payoffs.append(payoff[seat])
        self._num += len(payoffs)
        self._total += float(payoffs[:, 0].sum())
        self._squares += float((payoffs[:, 0] ** 2).sum())

    def judge(self, paths: list[Play]) -> list[Judgement]:
        """What is known of the plays at the root, the one tried most first."""
        arms = self.nodes[0, ()].arms
        judged = []
        for path in paths:
            arm = arms.get(path[0], Arm())
            judged.append(Judgement(path, np.array(arm.payoffs)))
        return sorted(judged, key=lambda one: (-one.worlds, -one.mean))


class IsmctsAgent(SearchAgent):
    """Plays what a tree over information sets tries most."""

    def search(self, decision: Decision, budget: Budget) -> list[Judgement]:
        """Grow a tree until the budget is used up."""
        tree = Tree(self.playouts, self.settings.exploration)
        paths = self.playouts.candidates(decision)
        if len(paths) == 1:
            return [Judgement(paths[0])]
        while budget.used < 1:
            num = budget.left(WORLDS)
            tree.grow(self.playouts.sample(decision, num, budget.playouts))
            budget.playouts += num
        return tree.judge(paths)
