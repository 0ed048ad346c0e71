"""Print what a game offers, as Markdown: `python -m envs doudizhu`.

Options, named variants and the pieces of an observation, all read from the code.
"""

import dataclasses
import sys
from typing import Any

import envs
from envs.core.cli import field_docs
from envs.core.errors import JipaeError
from envs.core.game import Game
from envs.core.rules import describe_type, option_types


def options_table(rules: type[Any]) -> str:
    """The options of a rules dataclass as a Markdown table."""
    types, docs = option_types(rules), field_docs(rules)
    rows = ["| option | values | default | meaning |", "| --- | --- | --- | --- |"]
    for field in dataclasses.fields(rules):
        values = describe_type(types[field.name])
        rows.append(f"| `{field.name}` | {values} | {field.default!r} | {docs[field.name]} |")
    return "\n".join(rows)


def presets_list(game: Game) -> str:
    """The named variants as a Markdown list."""
    lines = []
    for name, options in game.presets.items():
        changes = ", ".join(f"{option}={value!r}" for option, value in options.items())
        lines.append(f"- `{name}`: {changes or 'the defaults'}")
    return "\n".join(lines)


def other_layouts(game: Game) -> str:
    """The named variants whose observation has another size, in words; empty if none has."""
    usual = game.layout(game.make_rules())
    others: dict[tuple[int, str], list[str]] = {}
    for name in game.presets:
        layout = game.layout(game.make_rules(name))
        if layout.digest != usual.digest:
            others.setdefault((layout.size, layout.digest), []).append(f"`{name}`")
    return "".join(
        f"\nIn {', '.join(names)} the same pieces take {size} numbers. Layout {digest}.\n"
        for (size, digest), names in others.items()
    )


def describe(game: Game) -> str:
    """Everything about a game that is read from the code."""
    layout = game.layout(game.make_rules())
    return f"""# {game.title}: options, variants, observation

Printed by `python -m envs {game.name}`; the rules are in `RULES.md`.

## Options

{options_table(game.rules)}

## Named variants

{presets_list(game)}

## Actions

`Discrete({game.num_actions})` in all variants; `game.format_action(state, action)` names one.

## Observation

{layout.size} numbers, int8, with the default number of seats. Layout {layout.digest}.

{layout.table()}
{other_layouts(game)}"""


def main(names: list[str]) -> int:
    """Describe the games named, all by default; 2 for a name that does not exist."""
    try:
        for name in names or envs.GAMES:
            print(describe(envs.load_game(name)))
    except JipaeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
