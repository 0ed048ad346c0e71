"""Programs in any language as agents: one line of JSON in, one out, described in protocol.md.

python -m eval.tournament --game doudizhu --agents rule "process:python3 my_bot.py"
"""

import dataclasses
import json
from typing import Any

import numpy as np

from agents.base import Decision, Plans
from agents.process import ForeignAgent, Process, ProcessFault
from envs.core.errors import JipaeError
from envs.core.game import Array, Game

VERSION = 1
MAX_PLAYS = 1000  # legal plays that are written out; where there are more, actions have to do
MAX_ACTION = 2**31
KEY = MAX_ACTION - 1  # a mask: numbers that every language can hold
EXPECTED = 'expected {"action": id} or {"play": "text"}'
TELL_S = 1.0  # a program that does not even read for so long has crashed or hangs


def describe(decision: Decision) -> dict[str, Any]:
    """A decision as the program is told of it, but for the clock: the fields of protocol.md."""
    game, rules = decision.game, decision.rules
    pieces = game.layout(rules).split(decision.observation)
    seats = game.num_seats(rules)
    return {
        "type": "decide",
        "protocol": VERSION,
        "game": game.name,
        "game_version": game.version,
        "options": dataclasses.asdict(rules),
        "seats": seats,
        "seat": decision.table % seats,
        "table": decision.table,
        "key": decision.key & KEY,
        "legal": [{"id": action, "text": decision.words(action)} for action in decision.legal],
        "plays": list_plays(decision),
        "shows": show(decision),
        "observation": {name: piece.tolist() for name, piece in pieces.items()},
    }


def list_plays(decision: Decision) -> list[str] | None:
    """All legal plays in notation; None in the middle of a play, or if they are too many."""
    view, counts = decision.view, np.zeros((1, decision.game.num_actions), np.int64)
    if view.pending:
        return None
    decision.game.count_plays(np.array([view]), decision.mask[None], counts)
    if counts.sum() > MAX_PLAYS:
        return None
    return [decision.game.format_play(view, path) for path in decision.plays()]


def show(decision: Decision) -> str:
    """The table in words; the seat that decides is seat 0."""
    game, view = decision.game, decision.view
    # A view does not know what happened last.
    return game.render(view, None).removesuffix(game.last_event(view)).rstrip()


def read_answer(decision: Decision, line: str) -> tuple[int, ...]:
    """What a program answered, as the path of a play or one action; not yet whether it is legal.

    Raises:
        ProcessFault: it is neither.
    """
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    match answer:
        case {"action": int(action)} if type(action) is int and abs(action) < MAX_ACTION:
            return (action,)
        case {"play": str(play)} if not decision.view.pending:
            try:
                return decision.game.parse_play(decision.view, play)
            except JipaeError as error:
                raise ProcessFault("nonsense", str(error)) from error
    raise ProcessFault("nonsense", f"{EXPECTED}, got {line.strip()!r:.80}")


class ProcessAgent(ForeignAgent):
    """Asks one process for all its decisions, whatever table they are at."""

    def __init__(self, game: Game, rules: Any, text: str) -> None:
        """Get ready; `text` is a command, with settings before it.

        Raises:
            AgentError: see `parse_command`.
        """
        super().__init__(game, rules, text)
        self._process: Process | None = None
        self._plans = Plans()

    def choose(self, decision: Decision) -> int:
        """The next action of the play that the program wants."""
        return self._plans.follow(decision, lambda: read_answer(decision, self._exchange(decision)))

    def end_games(self, tables: Array, scores: Array) -> None:
        """Tell the program of the end of games."""
        super().end_games(tables, scores)
        for table, score in zip(tables.tolist(), scores.tolist(), strict=True):
            self._plans.forget(table)
            self._tell({"type": "end", "protocol": VERSION, "table": table, "score": score})

    def close(self) -> None:
        """Stop the program."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _exchange(self, decision: Decision) -> str:
        """The line that the program answers; a process that fails at it is stopped."""
        clock = self.program.settings.move_s, self.bank_left(decision.table)
        question = describe(decision) | {"move_s": clock[0], "bank_s": round(clock[1], 3)}
        text = json.dumps(question, separators=(",", ":")) + "\n"
        try:
            if self._process is None:
                self._process = self.program.start()
            answer = self.ask(self._process, decision.table, text, _has_line)
            if "\n" not in answer:
                raise ProcessFault("crashed", self._process.obituary())
        except ProcessFault as fault:
            self._stop(fault)
            raise
        line, _, more = answer.partition("\n")
        self._process.put_back(more)
        return line

    def _tell(self, message: dict[str, Any]) -> None:
        if self._process is not None:
            try:
                self._process.tell(json.dumps(message, separators=(",", ":")) + "\n", TELL_S)
            except ProcessFault as fault:
                self._stop(fault)

    def _stop(self, fault: ProcessFault) -> None:
        if self._process is not None:
            self.program.failed(fault)
            self._process.kill()
            self._process = None


def _has_line(output: bytes) -> bool:
    return b"\n" in output
