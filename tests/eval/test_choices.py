"""Choosing a play: by number, step by step, or typed."""

import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import envs
from envs.core.errors import CardError, IllegalActionError, JipaeError
from envs.core.game import OVER, Game
from eval.choices import Choice
from eval.texts import COMMANDS
from tests.conformance.play import random_actions


def positions(name: str, num: int, seat: int | None = None) -> Iterable[tuple[Game, Any, Any]]:
    """Some states of random games in which a seat begins a play and has a choice."""
    game = envs.load_game(name)
    rules = game.make_rules()
    states, step = game.new_games(rules, [num]), 0
    rng = random.Random(num)
    while num and states[0].turn != OVER:
        masks = game.masks(states)
        on_turn = seat in (None, int(states[0].turn)) and not states[0].pending
        if on_turn and masks.sum() > 1 and rng.random() < 0.3:
            num -= 1
            yield game, rules, states.copy()[0]
        game.apply(states, random_actions(masks, np.array([5]), step))
        step += 1


def expand(choice: Choice) -> list[tuple[int, ...]]:
    """All plays that can be chosen by numbers."""
    found = []
    for number in list(choice.numbers):
        path = choice.choose(number)
        if path is None:
            found += expand(choice)
            assert choice.undo()
        else:
            found.append(path)
    return found


@pytest.mark.parametrize("name", ["doudizhu", "tongits", "jitgo_ttaeng", "tichu"])
def test_numbers_reach_every_play_once(name: str) -> None:
    for game, _, state in positions(name, 12):
        plays = game.plays(state)
        if len(plays) < 500:
            assert sorted(expand(Choice(game, state))) == sorted(plays)


@pytest.mark.parametrize("name", envs.GAMES)
def test_numbers_and_commands_are_no_plays(name: str) -> None:
    commands = [word for words in COMMANDS.values() for word in words]
    for game, _, state in positions(name, 12):
        choice = Choice(game, state)
        for text in (*choice.numbers, *commands, *(word.upper() for word in commands)):
            with pytest.raises(JipaeError):
                game.parse_play(state, text)
        assert len(choice.numbers) == len(set(choice.numbers))


def test_cards_are_never_numbers() -> None:
    for game, _, state in positions("doudizhu", 30):
        choice = Choice(game, state)
        assert not {*map(str, range(2, 10)), "22", "33", "444", "5555"} & choice.numbers.keys()


def lead(**options: Any) -> tuple[Game, Any]:
    """A landlord's first lead at Dou Dizhu."""
    game = envs.load_game("doudizhu")
    return game, game.new_games(game.make_rules(auction="off", **options), [6])[0]


def test_undo_takes_back_one_choice_after_the_other() -> None:
    game = envs.load_game("tichu")
    [state] = [s for _, _, s in positions("tichu", 12) if s.phase == 2][:1]
    before = state.tobytes()
    choice = Choice(game, state)
    seen = []
    while (path := choice.choose("2")) is None:
        seen.append(choice.path)
    assert len(path) == 3
    assert [len(path) for path in seen] == [1, 2]
    assert choice.words == [game.format_action(choice.position, action) for action in seen[1]]
    assert choice.undo()
    assert choice.path == seen[0]
    assert choice.undo()
    assert choice.path == ()
    assert list(choice.numbers) == [str(number) for number in range(1, 15)]
    assert not choice.undo()
    assert state.tobytes() == before


def test_typed_plays_are_read_kindly() -> None:
    game, state = lead()
    choice = Choice(game, state)
    typed = {game.format_play(state, path): path for path in game.plays(state)}
    for notation, path in typed.items():
        assert choice.read(notation) == path
        assert choice.read(notation.lower()) == path
    for game, _, state in positions("tichu", 40):
        choice = Choice(game, state)
        for path in game.plays(state)[:50]:
            words = game.format_play(state, path).split()
            if words[0] not in ("give", "wish", "gift") and "PH" not in words:
                assert choice.read(" ".join(words[::-1])) == path


def test_what_is_written_wrongly_finds_the_nearest() -> None:
    game, state = lead()
    choice = Choice(game, state)
    with pytest.raises(CardError, match="is no combination"):
        choice.read("34568")
    near = choice.suggest("34568")
    assert near
    assert all(game.parse_play(state, text) in game.plays(state) for text in near)
    held = game.render(state, int(state.turn))
    absent = next(rank for rank in "3456789TJQKA2" if rank * 4 not in held)
    with pytest.raises(IllegalActionError, match=f"{absent * 4} is not legal now"):
        choice.read(absent * 4)
