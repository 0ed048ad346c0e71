"""The words of `eval.play` in English and Korean, and the commands a person may type.

Names of cards and plays, and what the games themselves say, stay in the games' notation.
"""

import locale
import os
from typing import Any, Literal, NamedTuple

Language = Literal["en", "ko"]


class Text(NamedTuple):
    """The same words in both languages."""

    en: str
    ko: str


TEXTS = {
    "title": Text("{title}, game {number}{options}", "{title}, {number}번째 게임{options}"),
    "seed": Text(
        "Seed {seed}: with --seed {seed} it is dealt again.",
        "시드 {seed}: --seed {seed} 옵션으로 같은 패를 다시 돌릴 수 있습니다.",
    ),
    "seated": Text("  seat {seat}: {name}", "  자리 {seat}: {name}"),
    "you": Text("you", "나"),
    "notation": Text("Plays are written: {notation}", "표기법: {notation}"),
    "prompt": Text(
        "Number, play or command (help)> ",
        "번호, 표기 또는 명령 (도움말)> ",
    ),
    "plays": Text("You may play ({num} ways):", "낼 수 있는 수 ({num}가지):"),
    "so_far": Text(
        "Chosen so far: {words} (undo takes a choice back)",
        "지금까지 고른 것: {words} (되돌리기로 취소)",
    ),
    "page": Text("Page {page} of {pages}; more: the next", "{pages}쪽 중 {page}쪽; 더: 다음 쪽"),
    "no_more": Text("That is the whole list.", "이것이 목록의 전부입니다."),
    "one_way": Text("Your only play: {play}", "유일한 수: {play}"),
    "you_play": Text("You play {play}.", "내가 낸 수: {play}"),
    "no_number": Text("There is no number {text} here.", "{text}번은 없습니다."),
    "not_read": Text("That cannot be played: {problem}", "낼 수 없습니다: {problem}"),
    "suggest": Text("Did you mean: {plays}?", "혹시 다음 중 하나인가요: {plays}"),
    "hint": Text("{agent} would play {play}.", "{agent}의 선택: {play}"),
    "no_hint": Text("{agent} has no answer: {problem}", "{agent}의 답이 없습니다: {problem}"),
    "undone": Text("The last choice is taken back.", "마지막 선택을 취소했습니다."),
    "no_undo": Text(
        "There is no half-made choice to take back; what is played is played.",
        "취소할 선택이 없습니다. 이미 낸 수는 무를 수 없습니다.",
    ),
    "no_history": Text("Nothing has happened yet.", "아직 아무 일도 없었습니다."),
    "ask_resign": Text(
        "Resign? The payoff would be {payoff:+d}, which ends the game. [y/N] ",
        "기권할까요? 점수 {payoff:+d}(으)로 게임이 끝납니다. [y/N] ",
    ),
    "resigned": Text("You resign.", "기권했습니다."),
    "forfeited": Text(
        "Seat {seat}, {name}, gives no sound answer and forfeits the game: {problem}",
        "자리 {seat} ({name}): 올바른 답을 하지 못해 몰수패입니다: {problem}",
    ),
    "left": Text(
        "You leave; the game does not count.",
        "게임을 그만둡니다. 이 게임은 점수에 넣지 않습니다.",
    ),
    "over": Text("The game is over: {outcome}.", "게임이 끝났습니다: {outcome}."),
    "won": Text("you win {payoff:+d}", "승리, {payoff:+d}"),
    "lost": Text("you lose {payoff:+d}", "패배, {payoff:+d}"),
    "even": Text("you come out even", "무승부"),
    "standing": Text("Score, games played: {num}", "점수, 지금까지 {num}게임"),
    "score": Text(
        "  seat {seat} {name}: {payoff:+d}, in all {total:+d}",
        "  자리 {seat} {name}: {payoff:+d}, 합계 {total:+d}",
    ),
    "ask_again": Text("Another game? [Y/n] ", "한 게임 더 할까요? [Y/n] "),
    "ask_record": Text(
        "Write the record to which file? [{path}; - for none] ",
        "기록을 저장할 파일 이름은? [{path}; 저장하지 않으려면 -] ",
    ),
    "recorded": Text(
        "Record in {path}; python -m eval.replay {path} shows it.",
        "기록: {path}; python -m eval.replay {path} 명령으로 다시 볼 수 있습니다.",
    ),
    "not_recorded": Text(
        "The record could not be written: {problem}",
        "기록을 저장하지 못했습니다: {problem}",
    ),
    "yes_or_no": Text("Please answer yes or no.", "예 또는 아니요로 답해 주세요."),
    "help": Text(
        "Type the number of a play, or the play itself in notation; numbers that can be read as "
        "plays are left out of the list. Beside that:",
        "수의 번호나 표기를 입력하세요. 패로 읽히는 숫자는 번호로 쓰지 않습니다. 그 밖의 명령:",
    ),
    "help_plays": Text("list the plays again", "낼 수 있는 수를 다시 보기"),
    "help_more": Text("the next page of the list", "목록의 다음 쪽"),
    "help_undo": Text("take the last choice back", "마지막 선택 취소"),
    "help_hint": Text(
        "what an agent would play: hint, hint random, hint my_bot.py:MyBot",
        "에이전트가 낼 수: 힌트, 힌트 random, 힌트 my_bot.py:MyBot",
    ),
    "help_table": Text("the table as you see it", "내가 보는 판"),
    "help_history": Text("what has happened so far", "지금까지 있었던 일"),
    "help_resign": Text("give the game up", "기권"),
    "help_quit": Text(
        "leave; the game does not count",
        "나가기; 이 게임은 점수에 넣지 않음",
    ),
    "help_help": Text("this list", "이 도움말"),
}
"""All that the program says, by key."""

NOTATION = {
    "doudizhu": Text(
        "333444+56, 4444, BR (the jokers); pass, bid 2, snatch, x2. Here 33 is always the pair, "
        "never a number of the list",
        "333444+56, 4444, BR (조커 두 장); pass, bid 2, snatch, x2. 33은 언제나 페어이고 "
        "목록의 번호가 아닙니다",
    ),
    "tongits": Text(
        "DRAW, TAKE 7S 7H 7D, MELD 3D 4D 5D, LAYOFF 4S LOW, DISCARD KD, KNOCK, FOLD",
        "DRAW, TAKE 7S 7H 7D, MELD 3D 4D 5D, LAYOFF 4S LOW, DISCARD KD, KNOCK, FOLD",
    ),
    "jitgo_ttaeng": Text(
        "fold, check, call, half, all-in; in the banker's game pass, stake half, bet B min",
        "fold, check, call, half, all-in; 뱅커 게임에서는 pass, stake half, bet B min",
    ),
    "tichu": Text(
        "8g 8k, 5g 6k PH 8b 9r; give 2k DR 2b (to the right, the partner, the left); call, "
        "decline, pass, wish 9, gift left",
        "8g 8k, 5g 6k PH 8b 9r; give 2k DR 2b (오른쪽, 짝, 왼쪽 순서); call, decline, pass, "
        "wish 9, gift left",
    ),
}
"""How the plays of a game are written, by its name."""

COMMANDS = {
    "plays": ("plays", "목록"),
    "more": ("more", "더"),
    "undo": ("undo", "되돌리기"),
    "hint": ("hint", "힌트"),
    "table": ("table", "판"),
    "history": ("history", "내역"),
    "resign": ("resign", "기권"),
    "quit": ("quit", "끝"),
    "help": ("help", "도움말", "?"),
}
"""What may be typed instead of a play; all words are understood in both languages."""

YES = ("y", "yes", "예", "네")
NO = ("n", "no", "아니요", "아니오")


def default_language() -> Language:
    """The language of the user's locale: Korean, or else English."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    name = next(filter(None, names), None) or locale.getlocale()[0] or ""
    return "ko" if name.lower().startswith("ko") else "en"


def find_command(word: str) -> str | None:
    """The command that a word stands for, None if it is none.

    >>> find_command("HINT"), find_command("힌트"), find_command("33")
    ('hint', 'hint', None)
    """
    folded = word.casefold()
    return next((name for name, words in COMMANDS.items() if folded in words), None)


class Words:
    """Looks the texts of one language up."""

    def __init__(self, language: Language) -> None:
        """Speak `language` from now on."""
        self.language = language

    def __call__(self, key: str, **values: Any) -> str:
        """The text of that key with the values put in."""
        text: str = getattr(TEXTS[key], self.language)
        return text.format(**values)

    def notation(self, game: str) -> str | None:
        """How plays of a game are written, if there is a text for it."""
        text = NOTATION.get(game)
        return None if text is None else getattr(text, self.language)

    def command(self, name: str) -> str:
        """What is typed for a command, the word of this language first."""
        english, korean, *others = COMMANDS[name]
        first = (korean, english) if self.language == "ko" else (english, korean)
        return ", ".join((*first, *others))
