"""A person at the terminal: what is said, asked and answered in one turn."""

from collections.abc import Callable, Iterable
from typing import Any

from rich.columns import Columns
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from envs.core.errors import JipaeError
from envs.core.game import Record
from eval.choices import MOST_WHOLE, Choice, Option, Play
from eval.texts import COMMANDS, NO, YES, Words, find_command

PER_PAGE = 60
"""Options on a page of a long list."""
TITLE, QUIET, WARNING = "bold", "dim", "yellow"
"""Styles of what is said."""

Read = Callable[[str], str]
"""Asks for a line, like `input`."""


class Left(Exception):
    """The person has left the game: by command, or since there is no more input."""


class Resigned(Exception):
    """The person has given the game up."""


class Person:
    """Speaks with a person, line by line."""

    def __init__(self, words: Words, read: Read = input, console: Console | None = None) -> None:
        """Say `words`, ask with `read`, and print to `console`."""
        self.words = words
        self._read = read
        self._console = console or Console(highlight=False)

    def say(self, key: str, style: str = "", **values: Any) -> None:
        """Say one of the texts."""
        self.show(self.words(key, **values), style)

    def show(self, text: str, style: str = "") -> None:
        """Print what a game says, as it is."""
        self._console.print(Text(text, style), soft_wrap=True)

    def show_rows(self, rows: Iterable[tuple[str | list[str], ...]]) -> None:
        """Print rows of cells: a text, or a list of texts side by side, none of them broken."""
        grid = Grid.grid(padding=(0, 2))
        for row in rows:
            grid.add_row(*(_cell(value) for value in row))
        self._console.print(grid)

    def ask(self, key: str, **values: Any) -> str:
        """Ask for a line; spaces are put right.

        Raises:
            Left: there is no more input.
        """
        try:
            return " ".join(self._read(self.words(key, **values)).split())
        except EOFError as error:
            self.show("")
            raise Left from error

    def confirm(self, key: str, default: bool, **values: Any) -> bool:
        """Ask yes or no, until it is answered; an empty line is the default."""
        while answer := self.ask(key, **values).casefold():
            if answer in (*YES, *NO):
                return answer in YES
            self.say("yes_or_no", WARNING)
        return default


class Turn:
    """One turn of a person: shows the table and the plays, and answers until a play is chosen."""

    def __init__(
        self,
        person: Person,
        choice: Choice,
        *,
        render: Callable[[Record], str],
        hint: Callable[[str, Play], str],
        history: list[str],
        payoff_if_resigned: int,
    ) -> None:
        """Get ready.

        render: the table of a state, as the person sees it.
        hint: what the agent of a name, or of none, would play after some actions, as a sentence.
        history: what has happened so far, a line each.
        """
        self._person = person
        self._choice = choice
        self._render = render
        self._hint = hint
        self._history = history
        self._payoff_if_resigned = payoff_if_resigned
        self._page = 0

    def choose(self) -> Play:
        """The path of the play that the person chooses.

        Raises:
            Left, Resigned: instead of a play.
        """
        self._show_table()
        self._show_plays()
        while True:
            text = self._person.ask("prompt")
            name, _, rest = text.partition(" ")
            command = find_command(name)
            if not text:
                self._show_plays()
            elif command == "hint" or (command and not rest):
                self._obey(command, rest)
            elif (path := self._read(text)) is not None:
                return path

    def _obey(self, command: str, argument: str) -> None:
        match command:
            case "plays":
                self._show_plays()
            case "more":
                self._show_more()
            case "undo":
                self._undo()
            case "hint":
                self._person.show(self._hint(argument, self._choice.path))
            case "table":
                self._show_table()
            case "history":
                self._person.show("\n".join(self._history) or self._person.words("no_history"))
            case "resign":
                if self._person.confirm("ask_resign", False, payoff=self._payoff_if_resigned):
                    raise Resigned
            case "quit":
                raise Left
            case _:
                self._person.say("help")
                words = self._person.words
                rows = [(f"  {words.command(name)}", words(f"help_{name}")) for name in COMMANDS]
                self._person.show_rows(rows)

    def _read(self, text: str) -> Play | None:
        """The play that was typed; None if it is only begun, or none, which is said."""
        if text in self._choice.numbers:
            path = self._choice.choose(text)
            if path is None:
                self._begin_list()
            return path
        try:
            return self._choice.read(text)
        except JipaeError as error:
            if text.isdecimal() and not self._choice.is_readable(text):
                self._person.say("no_number", WARNING, text=text)
            else:
                self._person.say("not_read", WARNING, problem=error)
                if near := self._choice.suggest(text):
                    self._person.say("suggest", plays="  |  ".join(near))
        return None

    def _undo(self) -> None:
        if self._choice.undo():
            self._person.say("undone")
            self._begin_list()
        else:
            self._person.say("no_undo", WARNING)

    def _begin_list(self) -> None:
        self._page = 0
        self._show_plays()

    def _show_table(self) -> None:
        self._person.show("")
        self._person.show(self._render(self._choice.position))

    def _show_more(self) -> None:
        if len(self._choice.numbers) <= PER_PAGE:
            self._person.say("no_more")
        else:
            self._page = (self._page + 1) % self._num_pages
            self._show_plays()

    @property
    def _num_pages(self) -> int:
        return -(-len(self._choice.numbers) // PER_PAGE)

    def _show_plays(self) -> None:
        """The options: a line each if they are few and whole, else a row for each kind of them."""
        if self._choice.path:
            self._person.say("so_far", words=", ".join(self._choice.words))
        numbers = self._choice.numbers
        self._person.say("plays", num=sum(option.num_plays for option in numbers.values()))
        first = self._page * PER_PAGE
        shown = dict(list(numbers.items())[first : first + PER_PAGE])
        if len(numbers) <= MOST_WHOLE and all(o.num_plays == 1 for o in numbers.values()):
            self._person.show_rows(map(_line_of, shown, shown.values()))
        else:
            self._person.show_rows(_rows_by_kind(shown))
        if self._num_pages > 1:
            self._person.say("page", page=self._page + 1, pages=self._num_pages)


def _line_of(number: str, option: Option) -> tuple[str, str, str]:
    """Number, notation, and words where they say more."""
    words = "" if option.words in option.text else option.words
    return f"  {number}", option.text, words


def _rows_by_kind(numbers: dict[str, Option]) -> list[tuple[str, list[str]]]:
    """The first words of the options, and after each the options that begin with it."""
    rows: dict[str, list[str]] = {}
    for number, option in numbers.items():
        kind, _, rest = option.words.partition(" ")
        text = option.text if option.num_plays == 1 else f"{rest or kind} ×{option.num_plays}"
        rows.setdefault(kind if rest else "", []).append(f"[{number}] {text}")
    return [(f"  {kind}", cells) for kind, cells in rows.items()]


def _cell(value: str | list[str]) -> Text | Columns:
    if isinstance(value, str):
        return Text(value)
    return Columns([Text(text, no_wrap=True) for text in value], padding=(0, 2))
