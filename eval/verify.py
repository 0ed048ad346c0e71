"""Replay and check every game of a file of records: `python -m eval.verify FILE`."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import envs
from envs.core.cli import run_program
from envs.core.errors import RecordError
from envs.core.record import GameRecord, verify
from envs.core.rules import check_types
from eval.replay import BROKEN, check_file, describe_problem


@dataclass(frozen=True, kw_only=True)
class VerifyConfig:
    """Replay every game of a file of records and check what it says: python -m eval.verify FILE.
    The exit status is 0 if all games are sound, 1 if one is not, 2 if there is none to check."""

    file: str = ""
    """File of records, one a line."""

    def __post_init__(self) -> None:
        """Refuse values of the wrong type, and no file."""
        check_types(self)
        check_file(self.file)


class Verdict(NamedTuple):
    """What became of one game."""

    game: int
    """Its number in the file, from 1."""
    line: int
    """Its line in the file, from 1."""
    is_finished: bool
    problem: str | None
    """What is wrong with it, or None."""


def check_games(path: str) -> Iterator[Verdict]:
    """Check the games of a file one after the other; empty lines are passed over.

    Raises:
        RecordError: the file cannot be read.
    """
    number = 0
    try:
        with open(path, encoding="utf-8") as file:
            for line, text in enumerate(file, 1):
                if text.strip():
                    number += 1
                    yield _check_game(number, line, text)
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from error


def _check_game(number: int, line: int, text: str) -> Verdict:
    is_finished = False
    try:
        record = GameRecord.from_json(text)
        is_finished = record.returns is not None
        verify(envs.load_game(record.game), record)
    except Exception as error:
        return Verdict(number, line, is_finished, describe_problem(error))
    return Verdict(number, line, is_finished, None)


def run(config: VerifyConfig) -> int:
    """Check the file and print what was found; returns the exit status.

    Raises:
        RecordError: there is no game to check.
    """
    num_games = num_broken = num_unfinished = 0
    for verdict in check_games(config.file):
        num_games += 1
        if verdict.problem is not None:
            num_broken += 1
            print(f"game {verdict.game}, line {verdict.line}: {verdict.problem}")
        elif not verdict.is_finished:
            num_unfinished += 1
    if not num_games:
        raise RecordError(f"{config.file} holds no game")
    unfinished = f" ({num_unfinished:,} of them unfinished)" if num_unfinished else ""
    num_sound = num_games - num_broken
    print(f"{num_games:,} games: {num_sound:,} sound{unfinished}, {num_broken:,} broken")
    return BROKEN if num_broken else 0


def main(argv: Sequence[str] | None = None) -> int:
    """The program: returns its exit status."""
    return run_program(VerifyConfig, "python -m eval.verify", run, argv, positional="file")


if __name__ == "__main__":
    sys.exit(main())
