"""What a search thinks of the plays in a position: `python -m eval.advise --record FILE --move 12`.

The position comes from a record, or is typed: a deal as records have it, and what was played since.

    python -m eval.advise --game doudizhu --set auction=off --position \\
        '{deal: {hands: ["3345…", "…", "…"], bottom: "…", landlord: 0}, plays: ["33", "pass"]}'

The search is told what the seat to act sees, and nothing else.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import envs
from agents.base import decisions_in
from agents.roster import SEARCHES, make_agent
from agents.search.pimc import Judgement, SearchAgent
from envs.core.cli import read_rules, run_program
from envs.core.errors import AgentError, RecordError, RulesError
from envs.core.game import OVER, Array, Game
from envs.core.record import GameRecord, read_play, replay
from envs.core.rules import check_types, load_yaml
from envs.core.seeding import check_seed
from eval.replay import open_records

REACH = 1.96
"""Standard errors that a 95 % interval reaches."""
KEYS = ("deal", "plays")


@dataclass(frozen=True, kw_only=True)
class AdviseConfig:
    """Show the best plays of a position with what they are worth to the seat to act: its mean
    payoff to the end of the deal, over worlds that it has to reckon with."""

    record: str | None = None
    """File of records to take the position from."""
    number: int = 1
    """Number of the game in that file, from 1."""
    move: int | None = None
    """Number of the play to judge, from 1; the last if left out, or the next of a game that was not
    finished."""
    game: str | None = None
    """Name of the game, for a position that is typed."""
    set: list[str] = field(default_factory=list)
    """Its options as option=value, or preset=name."""
    position: str | None = None
    """The position as a mapping: `deal`, and `plays` made since in the game's notation."""
    agent: str = "pimc:time=2"
    """The search: pimc or ismcts, with settings."""
    seed: int = 0
    """Number from which the worlds follow."""
    most: int = 10
    """Plays that are shown, at most."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range."""
        check_types(self)
        check_seed(self.seed)
        if (self.record is None) == (self.position is None):
            raise RulesError("either record or position is needed")
        if self.position is not None and self.game is None:
            raise RulesError("position needs game: the name of the game")
        for name in ("number", "move", "most"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise RulesError(f"{name} must be at least 1, got {value}")


class Position(NamedTuple):
    """Where somebody has to play."""

    game: Game
    rules: Any
    states: Array
    """[1]: the game."""
    played: str | None
    """What was played there, if that is known."""


def read_position(config: AdviseConfig) -> Position:
    """The position that the settings name.

    Raises:
        JipaeError: no such record, game, play or deal, or a play that is not legal.
    """
    if config.record is None:
        return _type_position(config)
    records = open_records(config.record, config.number)
    if len(records) < config.number:
        raise RecordError(f"{config.record} holds {len(records)} games, not {config.number}")
    return find_move(records[config.number - 1], config.move)


def find_move(record: GameRecord, move: int | None) -> Position:
    """The position before a play of a record, counted from 1.

    Raises:
        RecordError: there is no such play, or it cannot be replayed.
    """
    game = envs.load_game(record.game)
    rules = game.make_rules(**record.options)
    last: Position | None = None
    for number, (state, seat, path) in enumerate(replay(game, record), 1):
        if seat != OVER:
            words = game.format_play(state, path) if path else None
            last = Position(game, rules, np.array([state], game.state), words)
        if number == move:
            break
    else:
        if move is not None:
            raise RecordError(f"the game has {len(record.actions)} plays, not {move}")
    if last is None or (move is not None and number > len(record.actions) and seat == OVER):
        raise RecordError("nobody has to play there: the game is over")
    return last


def _type_position(config: AdviseConfig) -> Position:
    game = envs.load_game(str(config.game))
    rules = read_rules(game, config.set)
    data = load_yaml(str(config.position), "position")
    if unknown := sorted(set(data) - set(KEYS)):
        raise RulesError(f"position: there is no {', '.join(unknown)}, only {', '.join(KEYS)}")
    states = game.new_games(rules, [config.seed])
    if "deal" in data:
        game.write_deal(states[0], data["deal"])
    if problems := game.problems(states[0]):
        raise RulesError(f"position: {'; '.join(problems)}")
    plays = data.get("plays") or []
    if not isinstance(plays, list):
        raise RulesError(f"position: plays must be a list, got {plays!r}")
    for number, text in enumerate(plays, 1):
        path = read_play(game, states, int(states[0].turn), str(text), f"position: play {number}")
        for action in path:
            game.apply(states, np.array([action]))
    if states[0].turn == OVER:
        raise RulesError("position: nobody has to play there, the game is over")
    return Position(game, rules, states, None)


def make_search(name: str, game: Game, rules: Any) -> SearchAgent:
    """The search of that name.

    Raises:
        AgentError: there is none, or the agent does not search.
    """
    agent = make_agent(name, game, rules)
    if not isinstance(agent, SearchAgent):
        raise AgentError(f"agent {name!r} does not search; there is {', '.join(SEARCHES)}")
    return agent


def judge(position: Position, agent: SearchAgent, seed: int) -> list[Judgement]:
    """What the search thinks of the plays, the one it would take first."""
    [decision] = decisions_in(position.game, position.rules, position.states, [seed])
    return agent.judge(decision)


def tabulate(position: Position, judged: Sequence[Judgement], most: int) -> Table:
    """The plays with their values, leads if there are any, intervals and numbers of worlds."""
    leads = any(len(one.leads) for one in judged)
    about = ", and lead over the play of `rule`" if leads else ""
    table = Table(
        title=f"Seat {position.states[0].turn}: payoff to the end of the deal{about}",
        caption="± reaches to the ends of 95 % intervals",
    )
    table.add_column("")
    table.add_column("play")
    for name in ("value", "±", *(("lead", "±") if leads else ()), "worlds"):
        table.add_column(name, justify="right")
    texts = [position.game.format_play(position.states[0], one.path) for one in judged]
    for place, (one, text) in enumerate(zip(judged, texts, strict=True), 1):
        if place <= most or text == position.played:
            mark = " (played)" if text == position.played else ""
            figures = words(one.mean, one.error)
            figures += words(one.lead, one.lead_error) if leads else ()
            table.add_row(str(place), text + mark, *figures, f"{one.worlds:,}")
    return table


def words(mean: float, error: float) -> tuple[str, ...]:
    """A mean and the reach of its interval; dashes where there is none."""
    return (f"{mean:+.2f}", f"{REACH * error:.2f}") if error < math.inf else ("-", "-")


def run(config: AdviseConfig) -> int:
    """Show the position and what the search thinks of it; returns the exit status."""
    position = read_position(config)
    agent = make_search(config.agent, position.game, position.rules)
    console = Console()
    state = position.states[0]
    console.print(position.game.render(state, int(state.turn)), markup=False, highlight=False)
    console.print(tabulate(position, judge(position, agent, config.seed), config.most))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status, 2 after an error in what it was told."""
    return run_program(AdviseConfig, "python -m eval.advise", run, argv)


if __name__ == "__main__":
    sys.exit(main())
