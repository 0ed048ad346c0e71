"""Step through a recorded game: `python -m eval.replay FILE [--game N] [--seat S]`.

On a terminal keys go forward and back; elsewhere all steps are printed one after the other.
"""

import importlib.util
import itertools
import os
import re
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

import envs
from envs.core.cli import run_program
from envs.core.errors import JipaeError, RecordError, RulesError
from envs.core.game import Game
from envs.core.record import GameRecord, read_records, replay
from envs.core.rules import check_types

BROKEN = 1
"""Exit status where a game does not replay to its end."""
FORWARD, BACK, BEGIN, END, QUIT = "forward", "back", "begin", "end", "quit"
KEYS = {
    **dict.fromkeys(("\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB", " ", "f", "n", "j"), FORWARD),
    **dict.fromkeys(("\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA", "\x7f", "\x08", "b", "p", "k"), BACK),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "a"), BEGIN),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "e"), END),
    **dict.fromkeys(("q", "\x1b", "\x04", ""), QUIT),
}
"""What a key does; the arrows, Home and End as terminals send them."""
ENTER = ("\r", "\n")
SEQUENCE = re.compile(rb"\x1b(O.|\[[\d;]*[^\d;])")
"""What a key that is no character sends."""
ESCAPE_S = 0.05
"""Seconds until a lone escape is taken for the key itself."""
MANUAL = "→ or space: on   ←: back   number and Enter: go there   a, e: begin, end   q: quit"


@dataclass(frozen=True, kw_only=True)
class ReplayConfig:
    """Step through a game of a file of records: python -m eval.replay FILE. With several games in
    the file and none chosen, they are listed."""

    file: str = ""
    """File of records, one a line."""
    game: int | None = None
    """Number of the game in the file, from 1."""
    seat: int | None = None
    """Seat whose view is shown, from 0; all cards are open if left out."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type or out of range, and no file."""
        check_types(self)
        check_file(self.file)
        if self.game is not None and self.game < 1:
            raise RulesError(f"game must be at least 1, got {self.game}")


class Step(NamedTuple):
    """A moment of a game."""

    play: str
    """What has just been played, as far as it is known."""
    table: str
    """The table after it."""


def check_file(file: str) -> None:
    """Refuse a setting `file` that is empty.

    Raises:
        RulesError: it is.
    """
    if not file:
        raise RulesError("a file of records is needed")


def open_records(path: str, num: int | None = None) -> list[GameRecord]:
    """The records of a file, or its first `num`.

    Raises:
        RecordError: it cannot be read, or holds no game; names what is wrong.
    """
    try:
        records = list(itertools.islice(read_records(path), num))
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error
    if not records:
        raise RecordError(f"{path} holds no game")
    return records


def describe_record(record: GameRecord) -> str:
    """A game on one line: what was played, by whom, and how it ended."""
    options = "".join(f" {name}={value}" for name, value in record.options.items())
    players = ", ".join(record.players or ["players unknown"])
    end = "unfinished"
    if record.returns is not None:
        end = " ".join(f"{payoff:+d}" for payoff in record.returns)
    return f"{record.game}{options}: {players}; {len(record.actions)} plays; {end}"


def describe_problem(error: Exception) -> str:
    """What is wrong with a record, by the error that it raised.

    A record is somebody's file: values that nobody foresees may raise other errors than ours.
    """
    if isinstance(error, JipaeError):
        return str(error)
    return f"malformed: {type(error).__name__}: {error}"


def list_steps(game: Game, record: GameRecord, seat: int | None) -> tuple[list[Step], str | None]:
    """The steps of a game, and what stops it from being replayed to the end, or None.

    A seat does not notice what others do in secret: then there is no step.
    """
    steps: list[Step] = []
    played = "the deal"
    try:
        for number, (state, actor, path) in enumerate(replay(game, record)):
            step = Step(played, game.render(state, seat))
            own = number and seat in (None, record.actions[number - 1][0])
            if own or not steps or step.table != steps[-1].table:
                steps.append(step)
            if path:
                is_known = seat in (None, actor)
                words = game.format_play(state, path) if is_known else ""
                played = f"{_name_of(record, actor)} {words}".rstrip() if is_known else ""
    except Exception as error:
        return steps, describe_problem(error)
    return steps, None


def _name_of(record: GameRecord, seat: int) -> str:
    players = record.players or []
    return f"seat {seat} ({players[seat]}):" if seat < len(players) else f"seat {seat}:"


class Stepper:
    """A place among the steps of a game, moved by keys."""

    def __init__(self, num_steps: int) -> None:
        """Begin at the first step."""
        self.place = 0
        self.typed = ""
        """Digits of a step to go to."""
        self._last = num_steps - 1

    def press(self, key: str) -> bool:
        """Do what a key says; returns False if that is to end."""
        if key.isascii() and key.isdigit():
            self.typed += key
            return True
        typed, self.typed = self.typed, ""
        places = {FORWARD: self.place + 1, BACK: self.place - 1, BEGIN: 0, END: self._last}
        does = KEYS.get(key)
        if key in ENTER:
            self.place = int(typed) - 1 if typed else self.place + 1
        elif does in places:
            self.place = places[does]
        self.place = min(max(self.place, 0), self._last)
        return does != QUIT


def browse(title: str, steps: list[Step], read_key: Callable[[], str], console: Console) -> None:
    """Show one step at a time on a terminal, until the key to end is pressed."""
    stepper = Stepper(len(steps))
    with console.screen(hide_cursor=True) as screen:
        goes_on = True
        while goes_on:
            head = f"{title}\n\n{_format_step(steps, stepper.place)}\n\n"
            screen.update(Text(f"{head}{MANUAL}  {stepper.typed}"))
            goes_on = stepper.press(read_key())


def print_steps(title: str, steps: list[Step]) -> None:
    """Print all steps, one after the other."""
    print(title)
    for place in range(len(steps)):
        print(f"\n{_format_step(steps, place)}")


def _format_step(steps: list[Step], place: int) -> str:
    play, table = steps[place]
    return f"{place + 1} of {len(steps)}  {play}".rstrip() + f"\n{table}"


def has_keys() -> bool:
    """Whether single keys can be read: on a terminal, where the system has `termios`."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and importlib.util.find_spec("termios") is not None


@contextmanager
def keys() -> Iterator[Callable[[], str]]:
    """A function that waits for the next key, as the terminal sends it; empty at the end."""
    import termios
    import tty

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)

    def read_key() -> str:
        key = os.read(terminal, 1)
        while key[:1] == b"\x1b" and not SEQUENCE.fullmatch(key):
            if not select.select([terminal], [], [], ESCAPE_S)[0]:
                break
            key += os.read(terminal, 1)
        return key.decode("utf-8", "replace")

    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield read_key
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def show_game(config: ReplayConfig, record: GameRecord, number: int) -> int:
    """Show a game; returns the exit status.

    Raises:
        JipaeError: there is no such game or seat, or the record cannot be replayed at all.
    """
    game = envs.load_game(record.game)
    try:
        num_seats = game.num_seats(game.make_rules(**record.options))
    except Exception as error:
        raise RecordError(f"options: {describe_problem(error)}") from error
    if config.seat is not None and not 0 <= config.seat < num_seats:
        raise RulesError(f"seat must be 0 to {num_seats - 1}, got {config.seat}")
    steps, problem = list_steps(game, record, config.seat)
    if problem is not None and not steps:
        raise RecordError(problem)
    view = "" if config.seat is None else f", as seat {config.seat} sees it"
    title = f"Game {number}{view}: {describe_record(record)}"
    if has_keys():
        with keys() as read_key:
            browse(title, steps, read_key, Console(highlight=False))
    else:
        print_steps(title, steps)
    if problem is not None:
        print(f"error: {problem}", file=sys.stderr)
        return BROKEN
    return 0


def run(config: ReplayConfig) -> int:
    """Show the game that is chosen, or list those there are; returns the exit status."""
    records = open_records(config.file, config.game)
    if config.game is None and len(records) > 1:
        for number, record in enumerate(records, 1):
            print(f"{number:>4}  {describe_record(record)}")
        print(f"Choose one with --game 1 to --game {len(records)}.")
        return 0
    number = 1 if config.game is None else config.game
    if number > len(records):
        raise RulesError(f"game must be 1 to {len(records)}, got {number}")
    return show_game(config, records[number - 1], number)


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status."""
    return run_program(ReplayConfig, "python -m eval.replay", run, argv, positional="file")


if __name__ == "__main__":
    sys.exit(main())
