"""The project's own rules: style, types, and that imports only point back."""

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
