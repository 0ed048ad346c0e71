"""The project's own rules: style, types, and that imports only point back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "lint-imports": ["lint-imports"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes(name: str) -> None:
    program, *arguments = CHECKS[name]
    command = [str(Path(sys.executable).parent / program), *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("switch", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_the_rules_hold_uncompiled_and_with_bounds_checked(switch: str) -> None:
    rules = sorted(ROOT.glob("tests/*/test_rules_*.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, rules)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {switch: "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
