"""A text that is made when it is read behaves like any other text."""

import copy
import pickle

import pytest

from envs.core.info import EventText
from tests.toy_game import GAME, ToyRules

TEXT = "hand 1 is dealt"
USES = {
    "str": str,
    "formatted": lambda text: f"{text}",
    "joined": lambda text: "" + text,
    "sliced": lambda text: str(text[:]),
    "printed": lambda text: eval(repr(text)),
    "copied": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda text: pickle.loads(pickle.dumps(text)),
}


def new_text():
    return EventText.of(GAME, GAME.new_games(ToyRules(), [1]).tobytes())


@pytest.mark.parametrize("use", USES)
def test_every_use_finds_the_words(use):
    assert USES[use](new_text()) == TEXT


def test_it_compares_and_hashes_like_the_words():
    assert new_text() == TEXT
    assert TEXT in {new_text()}
    assert "dealt" in new_text()


def test_the_words_are_made_once_and_only_on_demand():
    calls = []

    class Spy:
        state = GAME.state

        @staticmethod
        def last_event(state):
            calls.append(state)
            return "text"

    text = EventText.of(Spy, GAME.new_games(ToyRules(), [1]).tobytes())
    assert calls == []
    assert [str(text), str(text)] == ["text", "text"]
    assert len(calls) == 1
