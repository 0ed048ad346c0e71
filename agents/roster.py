"""Agents by name: those that come along, and anybody's own class in a file or module."""

import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from agents.base import Agent, describe_error
from agents.builtin import find_builtin
from agents.partners import Partners
from agents.policy import load_agent
from envs.core.errors import AgentError
from envs.core.game import Game

PREFIXES = {
    "process": ("agents.protocol", "ProcessAgent"),
    "botzone": ("agents.bridges.botzone", "BotzoneAgent"),
    "sb3": ("agents.sb3", "SB3Agent"),
}
"""Module and class of the agents that are made of what follows a word, as `process:COMMAND`."""
SEARCHES = {
    "pimc": ("agents.search.pimc", "PimcAgent"),
    "ismcts": ("agents.search.ismcts", "IsmctsAgent"),
}
"""The same of those that search; what follows are settings, or nothing: `pimc:time=0.2`."""
PARTNERS = "+"
"""Joins the names of partners."""


def make_agent(name: str, game: Game, rules: Any) -> Agent:
    """Build the agent of that name for a game and its options.

    `name` is one of those in `agents.builtin` that the game has; or a class of one's own as
    `path/to/file.py:Class` or `package.module:Class`, which is called with `(game, rules)` or with
    nothing; or a search, `pimc` or `ismcts`, with settings as in `pimc:time=0.2`, see
    `agents.search.settings`; or trained weights as `path/to/file.npz`; or, for whoever trusts the
    file, a model that Stable-Baselines3 has saved as `sb3:path/to/file.zip`. `process:COMMAND` is a
    program in any language, see `agents/protocol.md`, and `botzone:COMMAND` one that was written
    for Botzone, see `agents.bridges.botzone`. Names joined by `+` are partners: `rule+random`, see
    `agents.partners`.

    Raises:
        AgentError: there is no such agent, it cannot be imported or built, or it cannot act.
    """
    parts = _split_partners(name)
    if len(parts) > 1:
        members = [make_agent(part, game, rules) for part in parts]
        return Partners(members, game.num_seats(rules))
    try:
        agent = _build(name, game, rules)
    except AgentError as error:
        raise AgentError(f"agent {name!r}: {error}") from error
    except (Exception, SystemExit) as error:
        raise AgentError(f"agent {name!r} cannot be built: {describe_error(error)}") from error
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {name!r} is no agent: it has no method `act`")
    return agent


def _split_partners(name: str) -> list[str]:
    """The names of partners; paths may hold a `+`, and commands, unless a prefix follows."""
    head, *commands = re.split(rf"(?:^|\{PARTNERS})(?=(?:{'|'.join(PREFIXES)}):)", name)
    if not head and commands:
        return commands
    is_file = Path(head.rpartition(":")[0]).is_file() or Path(head).is_file()
    return ([head] if is_file else head.split(PARTNERS)) + commands


def _build(name: str, game: Game, rules: Any) -> Any:
    """What the name of a single agent stands for."""
    prefix, _, rest = name.partition(":")
    if prefix in PREFIXES | SEARCHES:
        module, class_name = (PREFIXES | SEARCHES)[prefix]
        return getattr(importlib.import_module(module), class_name)(game, rules, rest)
    if name.endswith(".npz"):
        return load_agent(Path(name), game, rules)
    found = _find_class(name, game)
    return found(game, rules) if _takes_game(found) else found()


def _find_class(name: str, game: Game) -> type[Any]:
    where, colon, class_name = name.rpartition(":")
    if not colon:
        return find_builtin(name, game)
    module = _load_file(Path(where)) if where.endswith(".py") else _import(where)
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        names = [key for key, value in vars(module).items() if _is_agent_class(value, module)]
        raise AgentError(
            f"{where} has no class {class_name!r}; its agents: {', '.join(names) or 'none'}"
        )
    return found


def _load_file(path: Path) -> ModuleType:
    """Import a file as a module; what lies beside it can be imported too."""
    path = path.resolve()
    if not path.is_file():
        raise AgentError(f"there is no file {path}")
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # noqa: S101 - the name ends in .py
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickling and dataclasses look a class's module up there
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise AgentError(f"{path} cannot be imported: {describe_error(error)}") from error
    return module


def _import(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise AgentError(f"{name} cannot be imported: {describe_error(error)}") from error


def _is_agent_class(value: Any, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__ and hasattr(value, "act")


def _takes_game(cls: type[Any]) -> bool:
    """Whether the class is built as `cls(game, rules)` rather than as `cls()`."""
    signature = inspect.signature(cls)
    for arguments in ((None, None), ()):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return bool(arguments)
    raise AgentError(f"{cls.__name__}{signature} must take (game, rules) or nothing")
