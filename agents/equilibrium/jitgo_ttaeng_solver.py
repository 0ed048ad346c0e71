"""Computes the near-equilibrium of Dori-jitgo-ttaeng between two players, and how far off it is.

`python -m agents.equilibrium.jitgo_ttaeng_solver` writes `jitgo_ttaeng.npz` beside this file.

The game is one hand with the 20-card deck and the usual bets, for each stack of `DEPTHS`. Its tree
is unfolded with the engine itself. The hands of a player fall into 3,058 classes: cards of one
month that no result tells apart stand for each other. Between classes the chances are exact: what
the own five cards leave for the other player is counted hand by hand, so nothing is lost but that
a player forgets how the bets before the last two came about (see `Situation`).

The strategy is the average of CFR+ (alternating, iteration t weighted by t²). The exploitability
that is printed is that of the stored table, rounded as it is: what a player who knows it, and who
forgets nothing, wins against it on the average of both seats.

Source: Tammelin, "Solving large imperfect information games using CFR+" (2014).
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from agents.equilibrium.jitgo_ttaeng import (
    CLASSES,
    FILE,
    RULES,
    SITUATION,
    STEPS,
    Situation,
    Table,
    all_hands,
    class_of,
    save_table,
    situation_of,
)
from envs.core.cli import parse_config
from envs.core.game import OVER, Array
from envs.jitgo_ttaeng import GAME
from envs.jitgo_ttaeng.hands import HWANG, STRENGTH, TTAENG_10, evaluate_batch
from envs.jitgo_ttaeng.rules import JitgoTtaengRules
from envs.jitgo_ttaeng.state import SHOWN_DOWN

FIRST_POT = 2 * JitgoTtaengRules.ante
DEPTHS = (15, 20, 30, 45, 70, 110, 170, 260, 400, 1000)
"""Stacks solved, ante included. With 810 chips or more no bet of a hand is all-in."""


@dataclass(frozen=True, kw_only=True)
class SolverConfig:
    """Compute the equilibrium table."""

    target: int = 5
    """Exploitability a hand, in thousandths of the pot before the first bet, that will do."""
    most_iterations: int = 1000
    """Iterations of a depth at most."""
    check_every: int = 25
    """Iterations between two looks at the exploitability."""
    out: str = str(FILE)
    """The file to write."""


class Node(NamedTuple):
    """A point of the tree where a seat decides."""

    seat: int
    situation: int
    """Index in `Tree.situations`: what the seat knows of it beside its cards."""
    actions: list[int]
    children: list[int]
    """By action: a node, or ~t for the end t."""


class Tree:
    """All ways that the betting of one hand can go; seat 0 is the sun."""

    def __init__(self, depth: int) -> None:
        """Unfold the hand with stacks of `depth` chips."""
        self.nodes: list[Node] = []
        self.situations: dict[Situation, int] = {}
        self.ends: list[tuple[bool, float]] = []
        states = GAME.new_games(
            GAME.make_rules(**RULES, max_hands=1, first_sun=0, start_stack=depth), [0]
        )
        states["results"][:, :2] = TTAENG_10, HWANG  # seat 0 wins, so its payoff is the stake
        self._unfold(states)
        self.is_showdown = np.array([shown for shown, _ in self.ends])
        self.stakes = np.array([stake for _, stake in self.ends], np.float32)
        """Chips that seat 0 wins where seat 1 folds (negative if seat 0 folds), or that the better
        hand wins at a showdown: [T]."""

    def _unfold(self, states: Array) -> int:
        s = states[0]
        if s.turn == OVER:
            self.ends.append((bool(s.outcome == SHOWN_DOWN), float(s.payoffs[0])))
            return ~(len(self.ends) - 1)
        number, situation = len(self.nodes), situation_of(s, int(s.turn))
        index = self.situations.setdefault(situation, len(self.situations))
        actions = np.flatnonzero(GAME.masks(states)[0]).tolist()
        node = Node(int(s.turn), index, actions, [])
        self.nodes.append(node)
        for action in actions:
            after = states.copy()
            GAME.apply(after, np.array([action]))
            node.children.append(self._unfold(after))
        return number


class Hands:
    """The chances and results of the hand classes."""

    def __init__(self) -> None:
        """Count, for each class, the hands of every class that it leaves to the other player."""
        hands = all_hands()
        kinds, num = class_of(hands), len(CLASSES)
        self.shares = np.bincount(kinds, minlength=num) / len(hands)
        """Chance of every class: [K]."""
        results = np.empty(num, np.int64)
        evaluate_batch(GAME.new_records(GAME.make_rules(**RULES))[0].rules, CLASSES, results)
        strengths = STRENGTH[results]
        self.chances = np.empty((num, num), np.float32)
        """[own, other]: chance of the other's class, given the own one."""
        for kind, hand in enumerate(CLASSES):
            left = kinds[hands & hand == 0]
            self.chances[kind] = np.bincount(left, minlength=num) / len(left)
        order = np.sign(strengths[:, None] - strengths[None, :]).astype(np.float32)
        self.wins = self.chances * order
        """[own, other]: the same, negative where the other hand wins and 0 where they tie."""


Strategy = list[Array]
"""For each situation the chances of its actions: [A, K] float32."""


def normalize(weights: Array) -> Array:
    """Weights [A, K], the positive ones as chances; uniform where there is none."""
    positive = np.maximum(weights, 0, dtype=np.float32)
    total = positive.sum(0)
    with np.errstate(invalid="ignore"):
        chances: Array = np.where(total > 0, positive / total, np.float32(1 / len(weights)))
    return chances


def reach_ends(tree: Tree, strategy: Strategy, seat: int) -> Array:
    """Chance that the other seat's choices lead to each end, by its class: [T, K]."""
    num = strategy[0].shape[1]
    reach = np.empty((len(tree.nodes), num), np.float32)
    ends = np.empty((len(tree.ends), num), np.float32)
    reach[0] = 1.0
    for number, node in enumerate(tree.nodes):
        for k, child in enumerate(node.children):
            part = reach[number]
            if node.seat != seat:
                part = part * strategy[node.situation][k]
            if child < 0:
                ends[~child] = part
            else:
                reach[child] = part
    return ends


def action_values(
    tree: Tree, hands: Hands, strategy: Strategy, seat: int, best: bool = False
) -> tuple[Array, list[Array]]:
    """What `seat` wins: in all, by its class [K], and with each action of its nodes [A, K].

    Both are weighted with the chance that the other seat's choices lead there. best: after its
    action, the seat plays the best response instead of `strategy`.
    """
    reach = reach_ends(tree, strategy, seat)
    ends = np.empty_like(reach)
    shown, stakes = tree.is_showdown, tree.stakes[:, None]
    ends[shown] = reach[shown] @ hands.wins.T * stakes[shown]
    ends[~shown] = reach[~shown] @ hands.chances.T * stakes[~shown] * (1 if seat == 0 else -1)
    values = np.empty((len(tree.nodes), reach.shape[1]), np.float32)
    by_action: list[Array] = []
    for number in range(len(tree.nodes) - 1, -1, -1):
        node = tree.nodes[number]
        options = np.stack([ends[~c] if c < 0 else values[c] for c in node.children])
        by_action.append(options)
        if node.seat != seat:
            values[number] = options.sum(0)
        elif best:
            values[number] = options.max(0)
        else:
            values[number] = (options * strategy[node.situation]).sum(0)
    return values[0], by_action[::-1]


def best_responses(tree: Tree, hands: Hands, strategy: Strategy) -> tuple[float, float]:
    """What the best response of either seat wins a hand against the strategy, in chips."""
    first, second = (
        float(hands.shares @ action_values(tree, hands, strategy, seat, best=True)[0])
        for seat in (0, 1)
    )
    return first, second


class Solver:
    """CFR+ on one tree."""

    def __init__(self, tree: Tree, hands: Hands) -> None:
        """Begin with the uniform strategy."""
        self.tree, self.hands, self.iteration = tree, hands, 0
        num_actions = {node.situation: len(node.actions) for node in tree.nodes}
        shapes = [(num_actions[i], len(CLASSES)) for i in range(len(tree.situations))]
        self.regrets = [np.zeros(shape, np.float32) for shape in shapes]
        self.sums = [np.zeros(shape, np.float32) for shape in shapes]
        self.strategy: Strategy = [normalize(regret) for regret in self.regrets]

    def iterate(self) -> None:
        """Update one seat after the other."""
        self.iteration += 1
        for seat in (0, 1):
            self._update(seat)
            self._add_to_average(seat)

    def _update(self, seat: int) -> None:
        _, by_action = action_values(self.tree, self.hands, self.strategy, seat)
        touched = set()
        for node, options in zip(self.tree.nodes, by_action, strict=True):
            if node.seat == seat:
                mean = (options * self.strategy[node.situation]).sum(0)
                self.regrets[node.situation] += options - mean
                touched.add(node.situation)
        for situation in touched:
            np.maximum(self.regrets[situation], 0, out=self.regrets[situation])
            self.strategy[situation] = normalize(self.regrets[situation])

    def _add_to_average(self, seat: int) -> None:
        """Add the strategy, weighted with the iteration and with how likely the seat gets there."""
        reach = {0: np.full(len(CLASSES), float(self.iteration) ** 2, np.float32)}
        for number, node in enumerate(self.tree.nodes):
            own = node.seat == seat
            if own:
                self.sums[node.situation] += reach[number] * self.strategy[node.situation]
            for k, child in enumerate(node.children):
                if child >= 0:
                    factor = self.strategy[node.situation][k] if own else np.float32(1)
                    reach[child] = reach[number] * factor

    def rounded_average(self) -> list[Array]:
        """The average strategy as it is stored, in whole steps: [A, K] uint8 by situation."""
        rounded = [np.rint(normalize(total) * STEPS).astype(np.uint8) for total in self.sums]
        purify_unreached(self.tree, rounded)
        return rounded


def purify_unreached(tree: Tree, rounded: list[Array]) -> None:
    """Leave the likeliest action alone where a hand never gets by the player's own choices.

    In place. It changes nothing in how strong the strategy is, and makes the file half as large.
    """
    reached = np.zeros((len(rounded), len(CLASSES)), bool)
    ways = {0: np.ones((2, len(CLASSES)), bool)}  # by node: the seats' hands that get there
    for number, node in enumerate(tree.nodes):
        reached[node.situation] |= ways[number][node.seat]
        for k, child in enumerate(node.children):
            if child >= 0:
                ways[child] = ways[number].copy()
                ways[child][node.seat] &= rounded[node.situation][k] > 0
    for weights, is_reached in zip(rounded, reached, strict=True):
        likeliest = np.arange(len(weights))[:, None] == weights.argmax(0)
        weights[:] = np.where(is_reached, weights, STEPS * likeliest)


def tabulate(depth: int, tree: Tree, rounded: list[Array]) -> Table:
    """The part of the table for one depth."""
    situations = np.zeros(len(rounded), SITUATION)
    situations["depth"] = depth
    for situation, number in tree.situations.items():
        for name, value in situation._asdict().items():
            situations[name][number] = value
    num_rows = np.array([len(weights) for weights in rounded])
    situations["num_rows"], situations["first_row"] = num_rows, np.cumsum(num_rows) - num_rows
    by_situation = {node.situation: node.actions for node in tree.nodes}
    actions = np.concatenate([by_situation[number] for number in range(len(rounded))])
    return Table(situations, actions.astype(np.int8), np.concatenate(rounded))


def join(parts: Sequence[Table]) -> Table:
    """Tables of several depths as one."""
    situations = np.concatenate([part.situations for part in parts])
    situations["first_row"] = np.cumsum(situations["num_rows"]) - situations["num_rows"]
    return Table(
        situations, *(np.concatenate(arrays) for arrays in list(zip(*parts, strict=True))[1:])
    )


def strategy_at(table: Table, depth: int) -> Strategy:
    """The stored strategy of a depth, in the order of its tree's situations."""
    rows = table.situations[table.situations["depth"] == depth]
    return [
        normalize(table.weights[row["first_row"] : row["first_row"] + row["num_rows"]])
        for row in rows
    ]


def solve(depth: int, hands: Hands, config: SolverConfig) -> Table:
    """The strategy of a depth; prints how far from an equilibrium it is."""
    tree, started = Tree(depth), time.monotonic()
    solver = Solver(tree, hands)
    while True:
        solver.iterate()
        if solver.iteration % config.check_every and solver.iteration < config.most_iterations:
            continue
        table = tabulate(depth, tree, solver.rounded_average())
        gains = best_responses(tree, hands, strategy_at(table, depth))
        exploitability = sum(gains) / 2
        enough = exploitability <= config.target / 1000 * FIRST_POT
        if enough or solver.iteration >= config.most_iterations:
            break
    print(
        f"depth {depth}: {len(tree.nodes)} nodes, {solver.iteration} iterations, "
        f"{time.monotonic() - started:.0f} s; best responses win {gains[0]:.3f} and "
        f"{gains[1]:.3f}, exploitability {exploitability:.4f} chips a hand",
        flush=True,
    )
    return table


def main(argv: Sequence[str] | None = None) -> None:
    """Solve every depth and write the table."""
    config = parse_config(SolverConfig, "python -m agents.equilibrium.jitgo_ttaeng_solver", argv)
    hands = Hands()
    save_table(join([solve(depth, hands, config) for depth in DEPTHS]), config.out)


if __name__ == "__main__":
    main()
