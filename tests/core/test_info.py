"""A dictionary whose text is made when it is read behaves like any other dictionary."""

import copy
import json
import pickle

import pytest

from envs.core.info import EventInfo
from tests.toy_game import GAME, ToyRules

TEXT = {"event": "hand 1 is dealt"}
USES = {
    "item": lambda info: {"event": info["event"]},
    "get": lambda info: {"event": info.get("event")},
    "equal": lambda info: TEXT if info == TEXT and info == new_info() else None,
    "equal from the other side": lambda info: TEXT if dict(TEXT) == info else None,
    "not equal": lambda info: None if info != TEXT else TEXT,
    "keyword arguments": lambda info: dict(**info),
    "dict": dict,
    "unpacked": lambda info: {**info},
    "merged": lambda info: {} | info,
    "updated": lambda info: dict.update(found := {}, info) or found,
    "values": lambda info: dict(zip(info.keys(), info.values(), strict=True)),
    "items": lambda info: dict(info.items()),
    "popped": lambda info: {"event": info.pop("event")},
    "copy": lambda info: info.copy(),
    "shallow copy": copy.copy,
    "deep copy": copy.deepcopy,
    "pickle": lambda info: pickle.loads(pickle.dumps(info)),
    "json": lambda info: json.loads(json.dumps(info)),
    "printed": lambda info: eval(str(info)),
}


def new_info():
    return EventInfo({"event": (GAME, GAME.new_games(ToyRules(), [1]).tobytes())})


@pytest.mark.parametrize("use", USES)
def test_every_use_finds_the_text(use):
    found = USES[use](new_info())
    assert dict(found) == TEXT
    assert repr(found) == repr(TEXT)


def test_it_can_be_changed_before_it_is_read():
    info = new_info()
    info["more"] = 1
    assert len(info) == 2 and "event" in info
    info["event"] = "mine"
    assert info == {"event": "mine", "more": 1}


def test_the_text_is_made_once_and_only_on_demand():
    calls = []

    class Spy:
        state = GAME.state

        @staticmethod
        def last_event(state):
            calls.append(state)
            return "text"

    info = EventInfo({"event": (Spy, GAME.new_games(ToyRules(), [1]).tobytes())})
    assert calls == []
    assert [info["event"], info["event"]] == ["text", "text"]
    assert len(calls) == 1
