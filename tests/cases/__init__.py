"""Golden cases: what the rules say about a position, run through the real engines.

A file `<game>.jsonl` holds one case a line; `tests/cases/<game>.py` knows the game's kinds of cases
and answers one with `answer(case)`: None where the expectation is met, else what came instead.
"""

import importlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


class NotSupported(Exception):
    """A case needs a variant that the engine does not have yet."""


@dataclass
class Outcome:
    """Ids of the cases of one file."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # id: what came instead
    unsupported: dict[str, str] = field(default_factory=dict)  # id: which variant is missing


def load_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def run_case(game: str, case: dict[str, Any]) -> str | None:
    """None if the case passes, else what came instead; `NotSupported` passes through."""
    answer = importlib.import_module(f"tests.cases.{game}").answer
    try:
        difference: str | None = answer(case)
    except NotSupported:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return difference


def run_file(path: Path) -> Outcome:
    """Run every case of a file."""
    outcome = Outcome()
    for case in load_cases(path):
        try:
            difference = run_case(path.stem, case)
        except NotSupported as reason:
            outcome.unsupported[case["id"]] = str(reason)
            continue
        if difference is None:
            outcome.passed.append(case["id"])
        else:
            outcome.failed[case["id"]] = difference
    return outcome


def main(arguments: list[str]) -> int:
    """Run the files named, all there are by default; 1 if a case failed, 2 for a bad file."""
    any_failed = False
    for path in map(Path, arguments or sorted(map(str, FOLDER.glob("*.jsonl")))):
        try:
            outcome = run_file(path)
        except (OSError, ValueError, ModuleNotFoundError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        print(f"{path.name}: {len(outcome.passed)} passed, {len(outcome.failed)} failed")
        for case_id, difference in outcome.failed.items():
            print(f"  failed {case_id}: {difference}")
        if outcome.unsupported:
            print(f"  {len(outcome.unsupported)} not yet supported:")
            for case_id, reason in outcome.unsupported.items():
                print(f"    {case_id}: {reason}")
        any_failed = any_failed or bool(outcome.failed)
    return int(any_failed)
