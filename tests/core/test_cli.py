"""Command lines made from a dataclass, and rules from words."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

from envs.core.cli import field_docs, parse_config, read_rules
from envs.core.errors import RulesError
from envs.core.rules import check_types
from tests.toy_game import GAME, ToyRules


@dataclass(frozen=True, kw_only=True)
class Config:
    """Settings of a program."""

    name: str = "none"
    """A word, 100%
    of them."""
    num_layers: int = 2
    rate: float | None = None
    """A number."""
    units: list[int] = field(default_factory=lambda: [8])
    """Whole numbers."""
    words: list[str] | None = None
    mode: Literal["fast", "slow"] = "fast"
    loud: bool = False

    def __post_init__(self) -> None:
        check_types(self)


def read(*argv: str) -> Config:
    return parse_config(Config, "program", argv)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file of settings."""
    path = tmp_path / "settings.yaml"
    path.write_text("units: [1, 2]\nrate: 3\nwords: [x]\n")
    return str(path)


def test_defaults() -> None:
    assert read() == Config()


def test_a_flag_is_read_by_the_type_of_its_field() -> None:
    found = read("--num-layers", "3", "--rate", "0.5", "--name", "7", "--mode", "slow")
    assert found == Config(num_layers=3, rate=0.5, name="7", mode="slow")
    assert read("--rate", "none").rate is None


def test_list_flags_are_read_by_the_type_of_their_items() -> None:
    assert read("--units", "16", "32").units == [16, 32]
    assert read("--words", "16", "true").words == ["16", "true"]
    assert read("--units", "1", "--units", "2", "3").units == [1, 2, 3]


def test_a_flag_of_true_or_false_may_stand_alone() -> None:
    assert read("--loud").loud is True
    assert read("--loud", "--mode", "slow") == Config(loud=True, mode="slow")
    assert read("--loud", "false").loud is False


def test_a_positional_field_is_no_flag() -> None:
    def read_word(*argv: str) -> Config:
        return parse_config(Config, "program", argv, positional="name")

    assert read_word("7", "--rate", "1") == read_word("--rate", "1", "7")
    assert read_word("7").name == "7"
    assert read_word().name == "none"
    with pytest.raises(RulesError, match="--name"):
        read_word("--name", "7")


def test_flags_win_over_the_file_and_the_file_over_the_defaults(file: str) -> None:
    assert read("--config", file) == Config(units=[1, 2], rate=3, words=["x"])
    assert read("--config", file, "--units", "5") == Config(units=[5], rate=3, words=["x"])
    defaults = {"rate": 9, "mode": "slow"}
    found = parse_config(Config, "program", ["--config", file], defaults=defaults)
    assert found == Config(units=[1, 2], rate=3, words=["x"], mode="slow")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--units", "16", "wide"], "^units must be a whole number, got 'wide'$"),
        (["--units", "1.5"], "^units must be a whole number, got '1.5'$"),
        (["--rate", "fast"], "^rate must be a number or none, got 'fast'$"),
        (["--loud", "7"], "^loud must be true or false, got '7'$"),
        (["--mode", "fas"], "^mode must be one of 'fast', 'slow', got 'fas'$"),
        (["--num", "3"], "--num"),  # no abbreviations
        (["--config", "nowhere.yaml"], "--config nowhere.yaml cannot be read: "),
    ],
)
def test_what_is_refused(argv: list[str], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        read(*argv)


def test_an_unknown_key_of_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("unit: [1]\n")
    with pytest.raises(RulesError, match="no option 'unit'; did you mean 'units'"):
        read("--config", str(path))


def test_help_prints_the_docstrings(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read("--help")
    text = " ".join(capsys.readouterr().out.split())
    assert "Settings of a program." in text
    assert "A word, 100% of them." in text
    assert "UNITS [UNITS ...] Whole numbers." in text


def test_docs_of_fields() -> None:
    docs = {"name": "A word, 100% of them.", "rate": "A number.", "units": "Whole numbers."}
    assert field_docs(Config) == docs


def test_rules_from_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(GAME), "presets", {"short": {"hands": 1, "players": 2}})
    assert read_rules(GAME, []) == ToyRules()
    assert read_rules(GAME, ["players=2", "hands=5"]) == ToyRules(players=2, hands=5)
    assert read_rules(GAME, ["hands=5", "preset=short"]) == ToyRules(players=2, hands=5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["player=2"], "^toy: no option 'player'; did you mean 'players'"),
        (["players=two"], "^toy: players must be a whole number, got 'two'$"),
        (["players=9"], "^toy: players must be 2 or 3, got 9$"),
        (["players"], "^toy: expected option=value, got 'players'$"),
        (["preset=shirt"], "^toy: no preset of toy 'shirt'; did you mean 'short'"),
    ],
)
def test_words_that_are_no_rules(
    monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.setitem(vars(GAME), "presets", {"short": {}})
    with pytest.raises(RulesError, match=message):
        read_rules(GAME, words)
