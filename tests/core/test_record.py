"""Game records, over a toy game."""

import json
import re

import pytest

from envs.core.errors import RecordError
from envs.core.game import OVER
from envs.core.record import GameRecord, make_record, read_records, replay, verify, write_records
from tests.toy_game import FOLD, GAME, RAISE, STAKE, ToyRules

RULES = ToyRules(players=2)
ACTIONS = [RAISE, STAKE, FOLD, RAISE, STAKE + 2, RAISE, STAKE]


def new_record(actions=ACTIONS, **options):
    return make_record(GAME, RULES, 5, actions, **options)


def test_a_record_holds_deals_and_whole_plays():
    record = new_record()
    assert record.actions == [(0, "raise 1"), (1, "fold"), (1, "raise 3"), (0, "raise 1")]
    assert record.options == {"players": 2}
    assert len(record.deals) == 2
    assert sorted(record.returns) in ([-1, 1], [-3, 3])
    verify(GAME, record)


def test_an_unfinished_game_has_no_returns_and_drops_a_begun_play():
    record = new_record(ACTIONS[:4])
    assert record.actions == [(0, "raise 1"), (1, "fold")]
    assert len(record.deals) == 2
    assert record.returns is None
    verify(GAME, record)


def test_forced_decisions_can_be_filled_in():
    rules = ToyRules(players=2, max_stake=1, hands=1)
    record = make_record(GAME, rules, 5, [RAISE, RAISE], skip_forced=True)
    assert record == make_record(GAME, rules, 5, [RAISE, STAKE, RAISE, STAKE])


def test_records_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "games.jsonl"
    write_records(path, [new_record()])
    write_records(path, [new_record([])], append=True)
    assert list(read_records(path)) == [new_record(), new_record([])]


def test_replay_lays_out_the_deals_and_needs_no_seed():
    record = make_record(GAME, RULES, 5, ACTIONS, deal={"cards": [1, 2]})
    unseeded = GameRecord(**vars(record) | {"seed": None})
    plays = [(state.cards[:2].tolist(), seat, path) for state, seat, path in replay(GAME, unseeded)]
    second = record.deals[1]["cards"]
    assert plays == [
        ([1, 2], 0, (RAISE, STAKE)),
        ([1, 2], 1, (FOLD,)),
        (second, 1, (RAISE, STAKE + 2)),
        (second, 0, (RAISE, STAKE)),
        (second, OVER, ()),
    ]


MALFORMED = {
    "{": "no JSON",
    "[]": "a record must be a mapping, got []",
    '{"format": "jipae-record"}': "version, game, game_version, options, seed",
}
FIELDS = {
    "format": "other",
    "version": 2,
    "game": 1,
    "game_version": "1",
    "options": [],
    "seed": -1,
    "players": "ab",
    "deals": [],
    "actions": [["0", "fold"]],
    "returns": [0.5, -0.5],
}


@pytest.mark.parametrize("line", MALFORMED)
def test_a_malformed_line_is_refused(line):
    with pytest.raises(RecordError, match=re.escape(MALFORMED[line])):
        GameRecord.from_json(line)


@pytest.mark.parametrize("name", FIELDS)
def test_a_malformed_field_is_named(name):
    data = json.loads(new_record().to_json()) | {name: FIELDS[name]}
    with pytest.raises(RecordError, match=f"^{name} must be .*, got "):
        GameRecord.from_json(json.dumps(data))


def test_an_unknown_field_and_the_line_are_named(tmp_path):
    path = tmp_path / "games.jsonl"
    data = json.loads(new_record().to_json()) | {"winner": 0}
    path.write_text(f"{new_record().to_json()}\n\n{json.dumps(data)}\n")
    with pytest.raises(RecordError, match=r"games\.jsonl line 3: unknown field winner"):
        list(read_records(path))


TAMPERED = {
    "another game": ({"game": "chess"}, "a record of chess version 1 cannot be replayed as toy"),
    "another version": ({"game_version": 9}, "toy version 9"),
    "unknown option": ({"options": {"player": 2}}, "options: no option 'player'"),
    "option by a name of Python's": ({"options": {"self": 5}}, "options: no option 'self'"),
    "more seats": ({"options": {"players": 3}}, "deal 1: cards must be a list of 3"),
    "card twice": ({"deals": [{"cards": [1, 1]}] * 2}, r"deal 1: cards \[1, 1\] are no deal"),
    "deal missing": ({"deals": [{"cards": [1, 2]}]}, "deal 2 is missing"),
    "deal too many": ({"deals": [{"cards": [1, 2]}] * 3}, "there are 3, only 2 were played"),
    "other cards": ({"deals": [{"cards": [6, 7]}, {"cards": [7, 6]}]}, "the record says"),
    "wrong seat": ({"actions": [(1, "fold")]}, "play 1: seat 1 plays 'fold', but seat 0 is on"),
    "no play": ({"actions": [(0, "dance")]}, "play 1: no play 'dance'"),
    "play too many": ({"actions": [(int(i in (1, 2)), "fold") for i in range(5)]}, "game is over"),
    "other returns": ({"returns": [5, -5]}, r"the record says \[5, -5\]"),
    "unfinished": ({"returns": None}, "the record says None"),
    "players": ({"players": ["a"]}, r"players: 2 seats, got \['a'\]"),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_changed_record_is_refused(change):
    fields, message = TAMPERED[change]
    cards = {"deals": [{"cards": [7, 6]}, {"cards": [6, 7]}], "returns": [-1, 1]}
    sound = GameRecord(**vars(new_record()) | cards)
    verify(GAME, sound)
    with pytest.raises(RecordError, match=message):
        verify(GAME, GameRecord(**vars(sound) | fields))


def test_an_illegal_play_is_refused():
    record = make_record(GAME, ToyRules(max_stake=1), 5, [])
    with pytest.raises(RecordError, match="play 1: seat 0 may not play 'raise 3'"):
        verify(GAME, GameRecord(**vars(record) | {"actions": [(0, "raise 3")]}))


@pytest.mark.parametrize("preset", [5, ["short"], {}, True])
def test_a_preset_that_is_no_word_is_refused(preset, monkeypatch):
    monkeypatch.setitem(vars(GAME), "presets", {"short": {"hands": 1}})
    record = GameRecord(**vars(new_record()) | {"options": {"preset": preset}})
    with pytest.raises(RecordError, match="options: no preset of toy"):
        verify(GAME, record)
