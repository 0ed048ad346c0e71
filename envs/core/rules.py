"""Options of a game: strict conversion between frozen dataclasses, YAML files and `name=value`."""

import dataclasses
import difflib
import re
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml

import envs
from envs.core.errors import RulesError

R = TypeVar("R")


class _Loader(yaml.SafeLoader):
    """YAML with the booleans of YAML 1.2: only `true` and `false`, so `off` stays a word."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag != "tag:yaml.org,2002:bool"]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def load_yaml(text: str, source: str = "text") -> dict[str, Any]:
    """Read a mapping from YAML; nothing in it is ever executed.

    Raises:
        RulesError: not YAML, or not a mapping; names `source`.
    """
    try:
        data = yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise RulesError(f"{source} is no valid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
        raise RulesError(f"{source} must hold a mapping of names to values, got {data!r:.80}")
    return data


def configs_dir() -> Path:
    """The folder of configuration files: beside the packages, or inside `envs` when installed."""
    package = Path(envs.__file__).parent
    beside = package.parent / "configs"
    return beside if beside.is_dir() else package / "configs"


def unknown_name(what: str, name: str, known: typing.Iterable[str]) -> str:
    """The sentence for a name that does not exist, with the nearest one that does."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else "there is " + ", ".join(names)
    return f"no {what} {name!r}; {hint}"


def check_option_name(rules: type[Any], name: str) -> None:
    """Refuse a name that is no option of a rules dataclass.

    An option that a game knows but does not offer is in the dataclass's NOT_OFFERED, with the
    reason.

    Raises:
        RulesError: says why it is not offered, or names the nearest option.
    """
    known = option_types(rules)
    if name not in known:
        reason = getattr(rules, "NOT_OFFERED", {}).get(name)
        unknown = unknown_name("option", name, known)
        raise RulesError(f"{name} is not offered: {reason}" if reason else unknown)


def option_types(rules: type[Any]) -> dict[str, Any]:
    """The options of a rules dataclass and their types."""
    hints = typing.get_type_hints(rules)
    return {field.name: hints[field.name] for field in dataclasses.fields(rules)}


def make_rules(rules: type[R], options: Mapping[str, Any]) -> R:
    """Build a rules value from option values.

    Raises:
        RulesError: an unknown option, or what the dataclass refuses.
    """
    for name in options:
        check_option_name(rules, name)
    types = option_types(rules)
    return rules(
        **{
            name: tuple(value) if type(value) is list and holds_tuple(types[name]) else value
            for name, value in options.items()
        }
    )


def check_types(rules: Any) -> None:
    """Refuse an option of the wrong type; for the `__post_init__` of a dataclass of options.

    Raises:
        RulesError: names the option, its value and what it may be.
    """
    for name, kind in option_types(type(rules)).items():
        value = getattr(rules, name)
        if not _fits(value, kind):
            raise RulesError(f"{name} must be {describe_type(kind)}, got {value!r}")


def check_range(name: str, value: float, least: int, most: int) -> None:
    """Refuse a number out of its range, both ends included; for a `__post_init__`, too.

    Raises:
        RulesError: names the option, its value and the range.
    """
    if not least <= value <= most:
        raise RulesError(f"{name} must be {least} to {most}, got {value}")


def check_above_zero(name: str, value: float) -> None:
    """Refuse a number that is 0 or less; for a `__post_init__`, too.

    Raises:
        RulesError: names the option and its value.
    """
    if not value > 0:
        raise RulesError(f"{name} must be above 0, got {value}")


def need_defaults(rules: Any, reason: str, *names: str) -> None:
    """Refuse options that are set although they have no meaning; for a `__post_init__`, too.

    Raises:
        RulesError: names the first such option, its value and the reason.
    """
    for name in names:
        value, known = getattr(rules, name), type(rules).__dataclass_fields__[name]
        factory = known.default_factory
        if value != (known.default if factory is dataclasses.MISSING else factory()):
            raise RulesError(f"{name}={value!r} has no meaning: {reason}")


def parse_option(rules: type, text: str) -> tuple[str, Any]:
    """Read `name=value` as an option of `rules`; the value is read by the option's type.

    Raises:
        RulesError: no `=`, an unknown option, or a value that its type cannot take.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise RulesError(f"expected option=value, got {text!r}")
    check_option_name(rules, name)
    return name, parse_value(name, option_types(rules)[name], value)


def parse_value(name: str, kind: Any, text: str) -> Any:
    """Read the value of an option of type `kind`.

    Raises:
        RulesError: names the option, the text and what was expected.
    """
    for candidate in (text, *_scalars(text)):
        if _fits(candidate, kind):
            return candidate
    raise RulesError(f"{name} must be {describe_type(kind)}, got {text!r}")


def list_item(kind: Any) -> Any:
    """The type of the items of an option that takes a list."""
    lists = [kind, *typing.get_args(kind)]
    return next(typing.get_args(one)[0] for one in lists if typing.get_origin(one) is list)


def holds_tuple(kind: Any) -> bool:
    """Whether an option of this type takes a fixed number of values; files hold them as a list."""
    return typing.get_origin(kind) is tuple


def holds_list(kind: Any) -> bool:
    """Whether an option of this type takes a list."""
    return typing.get_origin(kind) is list or any(map(holds_list, typing.get_args(kind)))


def changed_options(rules: Any) -> dict[str, Any]:
    """The options of a rules value that differ from its defaults, as plain data."""
    return {
        field.name: _plain(getattr(rules, field.name))
        for field in dataclasses.fields(rules)
        if getattr(rules, field.name) != field.default
    }


def _plain(value: Any) -> Any:
    """An option's value as JSON and YAML hold it."""
    return list(value) if isinstance(value, tuple) else value


def _scalars(text: str) -> tuple[Any, ...]:
    """What a word may mean beside itself: a number, a truth value, nothing."""
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return (words[text.lower()],)
    if re.fullmatch(r"-?\d+", text):
        return (int(text),)
    if re.fullmatch(r"-?\d+(,-?\d+)+", text):
        return (tuple(map(int, text.split(","))),)
    return (float(text),) if re.fullmatch(r"-?\d+\.\d+", text) else ()


def _is_union(kind: Any) -> bool:
    """Whether a type is made with `|`: of classes alone, or with a Literal among them."""
    return typing.get_origin(kind) in (types.UnionType, typing.Union)


def _fits(value: Any, kind: Any) -> bool:
    if typing.get_origin(kind) is Literal:
        return any(value == choice and type(value) is type(choice) for choice in kind.__args__)
    if _is_union(kind):
        return any(_fits(value, part) for part in kind.__args__)
    if typing.get_origin(kind) is list:
        return type(value) is list and all(_fits(item, kind.__args__[0]) for item in value)
    if holds_tuple(kind):
        if type(value) is not tuple or len(value) != len(kind.__args__):
            return False
        return all(_fits(item, part) for item, part in zip(value, kind.__args__, strict=True))
    if typing.get_origin(kind) is dict:
        item = kind.__args__[1]
        return type(value) is dict and all(_fits(one, item) for one in value.values())
    if kind is float:
        return type(value) in (int, float)
    return kind is Any or type(value) is kind  # `is`: True is no int here


def describe_type(kind: Any) -> str:
    """The values of a type, in words."""
    if typing.get_origin(kind) is Literal:
        choices = ", ".join(repr(choice) for choice in kind.__args__)
        return f"one of {choices}" if len(kind.__args__) > 1 else choices
    if _is_union(kind):
        return " or ".join(describe_type(part) for part in kind.__args__)
    if typing.get_origin(kind) is list:
        return f"a list, each {describe_type(kind.__args__[0])}"
    if typing.get_origin(kind) is dict:
        return f"names, each with {describe_type(kind.__args__[1])}"
    if holds_tuple(kind):
        return " and ".join(describe_type(part) for part in kind.__args__)
    names = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        Any: "anything",
        types.NoneType: "none",
        str: "a word",
    }
    return names.get(kind, getattr(kind, "__name__", str(kind)))
