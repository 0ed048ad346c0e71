"""The golden cases that come with the rules."""

from tests.cases import FOLDER, run_file


def test_all_golden_cases_pass() -> None:
    outcome = run_file(FOLDER / "tichu.jsonl")
    assert not outcome.failed
    assert not outcome.unsupported
    assert len(outcome.passed) == 231
