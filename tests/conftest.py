"""What holds for all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BY_TOOLS = {"runs", "build"}
"""What may appear in the checkout beside hidden files: git ignores it."""

# Where a shell runs the tests in the background, interrupts are ignored, and the programs that
# tests start and interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _visible() -> set[str]:
    return {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - BY_TOOLS


@pytest.fixture(autouse=True, scope="session")
def nothing_is_left_in_the_checkout() -> Iterator[None]:
    """Tests write to their temporary folders."""
    before = _visible()
    yield
    left = {name for name in _visible() - before if not name.endswith(".egg-info")}
    assert not left, f"tests left {left} in the checkout"
