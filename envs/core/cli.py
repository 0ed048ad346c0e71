"""Command lines made from a frozen dataclass: a flag for every field, and `--config FILE`."""

import argparse
import ast
import inspect
import itertools
import os
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar, cast

from envs.core.errors import JipaeError, RulesError
from envs.core.game import Game
from envs.core.rules import (
    holds_list,
    list_item,
    load_yaml,
    make_rules,
    option_types,
    parse_option,
    parse_value,
)

C = TypeVar("C")
UNREAD, MISTAKEN, INTERRUPTED = 1, 2, 130
"""Exit statuses: nobody reads on, an error in what a program was told or given, Ctrl-C as shells
have it."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RulesError(message)


def run_program(
    config: type[C],
    program: str,
    run: Callable[[C], int],
    argv: Sequence[str] | None = None,
    *,
    positional: str = "",
    defaults: Mapping[str, object] | None = None,
) -> int:
    """Run a program on what `parse_config` reads: its exit status, `run`'s own or MISTAKEN.

    An error in what it was told or given is one sentence on stderr.
    """
    try:
        status = run(parse_config(config, program, argv, positional=positional, defaults=defaults))
        sys.stdout.flush()
    except JipaeError as error:
        print(f"error: {error}", file=sys.stderr)
        return MISTAKEN
    except BrokenPipeError:  # as after `| head`: nothing is left to be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    return status


def parse_config(
    config: type[C],
    program: str,
    argv: Sequence[str] | None = None,
    *,
    positional: str = "",
    defaults: Mapping[str, object] | None = None,
) -> C:
    """Read a value of the dataclass `config` from the command line and the file it may name.

    A flag is the name of a field; one that holds a list takes several words and may be repeated,
    one that is true or false is true where it stands alone. The field `positional` is not a flag
    but a word of its own, and may be left out. What is given so wins over the file, the file over
    `defaults`, and those over the dataclass's own. `--help` prints the docstrings.

    Raises:
        RulesError: an unknown flag or key, a value of the wrong type, or no such file.
    """
    parser = _Parser(
        prog=program,
        description=inspect.cleandoc(config.__doc__ or ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
    )
    parser.add_argument("--config", metavar="FILE", help="YAML file of settings; flags win over it")
    docs = field_docs(config)
    for name, kind in option_types(cast(type, config)).items():
        flag = f"--{name.replace('_', '-')}"
        text = docs.get(name, "").replace("%", "%%")
        if name == positional:
            parser.add_argument(name, nargs="?", metavar=name.upper(), help=text)
        elif holds_list(kind):
            parser.add_argument(flag, dest=name, nargs="+", action="extend", help=text)
        elif kind is bool:
            parser.add_argument(flag, dest=name, nargs="?", const="true", help=text)
        else:
            parser.add_argument(flag, dest=name, help=text)
    given = vars(parser.parse_args(argv))
    settings = {**(defaults or {}), **_read_settings(given.pop("config", None))}
    types = option_types(cast(type, config))
    for name, value in given.items():
        if isinstance(value, str):
            settings[name] = parse_value(name, types[name], value)
        else:
            settings[name] = [parse_value(name, list_item(types[name]), word) for word in value]
    return make_rules(config, settings)


def read_rules(game: Game, texts: Sequence[str]) -> Any:
    """The rules that `option=value` and `preset=name` ask for.

    Raises:
        RulesError: an unknown variant or option, a wrong value, or a contradiction.
    """
    options: dict[str, Any] = {}
    try:
        for text in texts:
            if text.startswith("preset="):
                options["preset"] = text.removeprefix("preset=")
            else:
                name, value = parse_option(game.rules, text)
                options[name] = value
        return game.make_rules(**options)
    except RulesError as error:
        raise RulesError(f"{game.name}: {error}") from error


def _read_settings(path: str | None) -> dict[str, object]:
    if path is None:
        return {}
    try:
        return load_yaml(Path(path).read_text("utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise RulesError(f"--config {path} cannot be read: {error}") from error


def field_docs(config: type) -> dict[str, str]:
    """The docstring under each field of a dataclass, on one line.

    Raises:
        OSError: the source of the class is not there.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(config)))
    body = next(node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    docs = {}
    for field, text in itertools.pairwise(body):
        match field, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(words))),
            ):
                docs[name] = " ".join(words.split())
    return docs
