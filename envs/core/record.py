"""Game records: one game a line of JSON, to write, read, replay and verify.

A record holds the cards of every deal and whole plays in the game's notation, so that it can be
replayed whatever becomes of the generator and the action ids:

    {"format": "jipae-record", "version": 1, "game": "doudizhu", "game_version": 0,
     "options": {"auction": "off"}, "seed": 7, "players": ["rule", "random", "rule"],
     "deals": [{…}], "actions": [[0, "333444+56"], [1, "pass"], …], "returns": [2, -1, -1]}

`options` are those that differ from the defaults, `seed` is null where unknown, `players` is null
or names the seats, `deals` are laid out one after the other, and `returns` is null for a game that
was not finished.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from envs.core.errors import JipaeError, RecordError
from envs.core.game import OVER, Array, Game, Record
from envs.core.rules import changed_options

FORMAT = "jipae-record"
VERSION = 1


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One game: what was dealt and what was played."""

    game: str
    game_version: int
    options: dict[str, Any]
    seed: int | None
    players: list[str] | None
    deals: list[dict[str, Any]]
    actions: list[tuple[int, str]]
    returns: list[int] | None

    def to_json(self) -> str:
        """The record as a line of JSON, without the line's end."""
        fields = {"format": FORMAT, "version": VERSION} | asdict(self)
        return json.dumps(fields, ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "GameRecord":
        """Read a line of JSON.

        Raises:
            RecordError: names the field that is missing, unknown or malformed.
        """
        try:
            data = json.loads(line)
        except json.JSONDecodeError as error:
            raise RecordError(f"no JSON: {error}") from error
        if not isinstance(data, dict):
            raise RecordError(f"a record must be a mapping, got {data!r:.80}")
        _check_names(data)
        for name, (is_sound, expected) in _FIELDS.items():
            if not is_sound(data[name]):
                raise RecordError(f"{name} must be {expected}, got {data[name]!r:.80}")
        fields = {name: data[name] for name in cls.__dataclass_fields__}
        return cls(**fields | {"actions": [(seat, text) for seat, text in data["actions"]]})


def _check_names(data: dict[str, Any]) -> None:
    if missing := [name for name in _FIELDS if name not in data]:
        raise RecordError(f"{', '.join(missing)} is missing")
    if unknown := [name for name in data if name not in _FIELDS]:
        raise RecordError(f"unknown field {', '.join(unknown)}")


def _is_int(value: Any) -> bool:
    return type(value) is int  # True is no int here


def _is_list(value: Any, is_item: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(is_item, value))


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _is_action(value: Any) -> bool:
    return isinstance(value, list) and [type(part) for part in value] == [int, str]


_FIELDS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "format": (lambda v: v == FORMAT, repr(FORMAT)),
    "version": (lambda v: _is_int(v) and v == VERSION, str(VERSION)),
    "game": (_is_word, "a name"),
    "game_version": (_is_int, "a whole number"),
    "options": (_is_mapping, "a mapping"),
    "seed": (
        lambda v: v is None or (_is_int(v) and 0 <= v < 2**63),
        "a whole number from 0 to 2**63 - 1, or null",
    ),
    "players": (lambda v: v is None or _is_list(v, _is_word), "a list of names, or null"),
    "deals": (lambda v: _is_list(v, _is_mapping) and v, "a list of at least one mapping"),
    "actions": (lambda v: _is_list(v, _is_action), 'a list of [seat, "play"]'),
    "returns": (lambda v: v is None or _is_list(v, _is_int), "a list of whole numbers, or null"),
}
"""What every field of a line must be: a test, and the words for it."""


def write_records(path: str | Path, records: Iterable[GameRecord], *, append: bool = False) -> None:
    """Write records to a file, one a line; `append` keeps what it holds."""
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        for record in records:
            file.write(record.to_json() + "\n")


def read_records(path: str | Path) -> Iterator[GameRecord]:
    """Read the records of a file, one after the other; empty lines are passed over.

    Raises:
        RecordError: names the file, the line and what is wrong in it.
    """
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield GameRecord.from_json(line)
                except RecordError as error:
                    raise RecordError(f"{path} line {number}: {error}") from error


def make_record(
    game: Game,
    rules: Any,
    seed: int,
    actions: Iterable[int],
    *,
    deal: Mapping[str, Any] | None = None,
    skip_forced: bool = False,
) -> GameRecord:
    """The record of the game that `actions` make of the deal of `seed`.

    deal: laid out over the first deal of the seed, as `reset(options={"deal": deal})` does.
    skip_forced: decisions with one legal action are not among the actions.

    An unfinished selection at the end is left out.
    """
    states = game.new_games(rules, [seed])
    if deal is not None:
        game.write_deal(states[0], deal)
    deals = [game.read_deal(states[0])]
    plays: list[tuple[int, str]] = []
    path: tuple[int, ...] = ()
    before = states.copy()
    for action in _with_forced(game, states, iter(actions)) if skip_forced else actions:
        path = (*path, int(action))
        game.apply(states, np.array([action]))
        state = states[0]
        if state.pending:
            continue
        plays.append((int(before[0].turn), game.format_play(before[0], path)))
        if state.deals > len(deals):
            deals.append(game.read_deal(state))
        path, before = (), states.copy()
    return GameRecord(
        game=game.name,
        game_version=game.version,
        options=changed_options(rules),
        seed=seed,
        players=None,
        deals=deals,
        actions=plays,
        returns=_returns(game, rules, states[0]),
    )


def _with_forced(game: Game, states: Array, actions: Iterator[int]) -> Iterator[int]:
    """The actions, with the only legal action of each forced decision put in between."""
    while legal := np.flatnonzero(game.masks(states)[0]).tolist():
        action = legal[0] if len(legal) == 1 else next(actions, None)
        if action is None:
            return
        yield action


def _returns(game: Game, rules: Any, state: Record) -> list[int] | None:
    if state.turn != OVER:
        return None
    return state.scores[: game.num_seats(rules)].tolist()  # type: ignore[no-any-return]


def replay(game: Game, record: GameRecord) -> Iterator[tuple[Record, int, tuple[int, ...]]]:
    """Play a record again: yields `(state, seat, path)` for each play, before it is taken.

    After the last play comes `(state, OVER, ())`, or the seat to act with an empty path. The state
    is always the same record, changed in place.

    Raises:
        RecordError: the record is of another game or version, or names the deal or the play that
            the rules do not allow.
    """
    if (record.game, record.game_version) != (game.name, game.version):
        raise RecordError(
            f"a record of {record.game} version {record.game_version} cannot be replayed as "
            f"{game.name} version {game.version}"
        )
    try:
        rules = game.make_rules(**record.options)
    except JipaeError as error:
        raise RecordError(f"options: {error}") from error
    states = game.new_games(rules, [record.seed or 0])
    num_deals = 0
    for number, (seat, text) in enumerate(record.actions, 1):
        num_deals = _lay_out(game, states[0], record.deals, num_deals)
        path = read_play(game, states, seat, text, f"play {number}")
        yield states[0], seat, path
        for action in path:
            game.apply(states, np.array([action]))
    num_deals = _lay_out(game, states[0], record.deals, num_deals)
    if num_deals < len(record.deals):
        raise RecordError(f"deals: there are {len(record.deals)}, only {num_deals} were played")
    yield states[0], int(states[0].turn), ()


def _lay_out(game: Game, state: Record, deals: Sequence[Mapping[str, Any]], done: int) -> int:
    """Lay out the next of `deals` if the state has just been dealt; returns how many were."""
    if state.deals == done:
        return done
    if done == len(deals):
        raise RecordError(f"deals: deal {done + 1} is missing")
    try:
        game.write_deal(state, deals[done])
    except JipaeError as error:
        raise RecordError(f"deal {done + 1}: {error}") from error
    if problems := game.problems(state):
        raise RecordError(f"deal {done + 1}: {'; '.join(problems)}")
    return done + 1


def read_play(game: Game, states: Array, seat: int, text: str, where: str) -> tuple[int, ...]:
    """The path of a play in the game `states` [1].

    Raises:
        RecordError: it is not that seat's turn, or the play is not legal; begins with `where`.
    """
    turn = int(states[0].turn)
    if seat != turn:
        on_turn = "the game is over" if turn == OVER else f"seat {turn} is on turn"
        raise RecordError(f"{where}: seat {seat} plays {text!r}, but {on_turn}")
    try:
        path = game.parse_play(states[0], text)
    except JipaeError as error:
        raise RecordError(f"{where}: {error}") from error
    after = states.copy()
    for action in path:
        if not game.masks(after)[0, action]:
            raise RecordError(f"{where}: seat {seat} may not play {text!r}")
        game.apply(after, np.array([action]))
    if after[0].pending:
        raise RecordError(f"{where}: {text!r} is not a whole play")
    return path


def verify(game: Game, record: GameRecord) -> None:
    """Replay a record and compare it with what it says.

    Raises:
        RecordError: names the field, deal or play that differs.
    """
    for number, (state, _, path) in enumerate(replay(game, record)):
        if path and (words := game.format_play(state, path)) != record.actions[number][1]:
            text = record.actions[number][1]
            raise RecordError(f"play {number + 1}: {text!r} is written {words!r}")
    rules = game.make_rules(**record.options)
    returns = _returns(game, rules, state)
    if returns != record.returns:
        raise RecordError(f"returns: the game gives {returns}, the record says {record.returns}")
    if record.players is not None and len(record.players) != game.num_seats(rules):
        raise RecordError(f"players: {game.num_seats(rules)} seats, got {record.players}")
