"""The golden cases of Tongits."""

import pytest

from tests.cases import FOLDER, load_cases, run_case

CASES = {case["id"]: case for case in load_cases(FOLDER / "tongits.jsonl")}


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    assert run_case("tongits", CASES[name]) is None
