"""The words of the program: complete in both languages."""

import re
from pathlib import Path
from string import Formatter

import pytest

import envs
from eval.play import main
from eval.texts import COMMANDS, NOTATION, TEXTS, Text, default_language, find_command
from tests.eval.test_play import Script

ROOT = Path(__file__).parents[2]


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", TEXTS)
def test_every_text_is_there_in_both_languages(key: str) -> None:
    text = TEXTS[key]
    assert text.en.isascii()
    assert re.search("[가-힣]", text.ko)
    assert not re.search("[가-힣]", text.en.replace("힌트", ""))
    assert fields(text.en) == fields(text.ko)


def test_no_text_is_missing_and_none_is_left_over() -> None:
    source = "".join((ROOT / "eval" / name).read_text("utf-8") for name in ("play.py", "person.py"))
    used = {key for key in TEXTS if f'"{key}"' in source}
    used |= {f"help_{name}" for name in COMMANDS}
    assert used == TEXTS.keys()
    asked = re.findall(r'(?:say|ask|confirm|words)\(\s*"(\w+)"', source)
    assert asked
    assert set(asked) <= TEXTS.keys()


def test_every_game_says_how_plays_are_written() -> None:
    assert NOTATION.keys() == envs.GAMES.keys()
    assert all(isinstance(text, Text) and all(text) for text in NOTATION.values())


def test_every_command_has_a_word_of_its_own_in_both_languages() -> None:
    words = [word for names in COMMANDS.values() for word in names]
    assert len(words) == len(set(words))
    for name, (english, korean, *_) in COMMANDS.items():
        assert find_command(english.upper()) == find_command(korean) == name
        assert english.isascii()
        assert re.fullmatch("[가-힣]+", korean)


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "LC_ALL": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_MESSAGES": "C"}, "en"),
    ],
)
def test_the_locale_decides_the_language(
    variables: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_language() == language


def test_a_game_in_korean(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["도움말", "힌트", "목록", "판", "내역", "되돌리기", "기권", "네", "아니요", "-"]
    script = Script(lines)
    assert main(["--language", "ko", "--seed", "1", "--set", "auction=off"], script) == 0
    out = capsys.readouterr().out
    for words in ("낼 수 있는 수", "rule의 선택", "기권했습니다", "패배", "취소할 선택이 없습니다"):
        assert words in out
    assert all(re.search("[가-힣]", prompt) for prompt in script.prompts)
    own_words = [text.en for text in TEXTS.values() if not fields(text.en)]
    assert not any(words in out for words in own_words if " " in words)
