"""Other public suites under the same random play, where they are installed.

Each function plays its game for ever and yields once a decision, legal actions and observation
asked for, as a learner would.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

from envs.core.rng import pick_allowed

Player = Callable[[], Iterator[None]]


HOLDEM = {
    "numPlayers": 2,
    "betting": "nolimit",
    "numRounds": 4,
    "numBoardCards": "0 3 1 1",
    "numHoleCards": 2,
    "numSuits": 4,
    "numRanks": 13,
    "blind": "100 100",
    "firstPlayer": "1 1 1 1",
    "stack": "20000 20000",
    "bettingAbstraction": "fchpa",
}
"""Heads-up no-limit Texas hold'em with fold, call, half pot, pot and all-in.

Both post the same: after a small blind OpenSpiel offers a half pot that it then refuses.
"""


def name_with(game: str, parameters: dict[str, Any]) -> str:
    """An OpenSpiel game with its parameters, as one text."""
    return f"{game}({','.join(f'{name}={value}' for name, value in parameters.items())})"


def play_openspiel(name: str) -> Iterator[None]:
    """An OpenSpiel game through Python: legal actions and observation tensor."""
    import pyspiel

    game = pyspiel.load_game(name)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(actions, odds)[0])  # noqa: S311 - a game
                continue
            actions = state.legal_actions()
            state.observation_tensor(state.current_player())
            state.apply_action(random.choice(actions))  # noqa: S311 - a game
            yield


def play_rlcard(name: str) -> Iterator[None]:
    """An RLCard game: its state holds legal actions and observation."""
    import rlcard

    env = rlcard.make(name)
    while True:
        state, _ = env.reset()
        while not env.is_over():
            action = random.choice(list(state["legal_actions"]))  # noqa: S311 - a game
            state, _ = env.step(action)
            yield


def play_pettingzoo(module: Any) -> Iterator[None]:
    """A PettingZoo environment as its documentation plays it."""
    return play_aec(module.env())


def play_aec(env: Any) -> Iterator[None]:
    """The usual loop: `last`, an allowed action, `step`."""
    for key in itertools.count():
        env.reset(seed=key)
        for number, _ in enumerate(env.agent_iter()):
            observation, _, terminated, truncated, _ = env.last()
            action = None
            if not (terminated or truncated):
                action = pick_allowed(observation["action_mask"], 1000 * key + number)
            env.step(action)
            yield


def texas_holdem() -> Iterator[None]:
    """PettingZoo's no-limit Texas hold'em."""
    from pettingzoo.classic import texas_holdem_no_limit_v6

    return play_pettingzoo(texas_holdem_no_limit_v6)


def peers_of(game: str) -> dict[str, Player]:
    """The suites to compare a game with, by the name to print.

    No other suite has Tichu: it is compared with the nearest climbing game, as Dou Dizhu is.
    """
    pettingzoo = {"PettingZoo texas_holdem_no_limit": texas_holdem}
    climbing = {
        "OpenSpiel dou_dizhu": lambda: play_openspiel("dou_dizhu"),
        "RLCard doudizhu": lambda: play_rlcard("doudizhu"),
        **pettingzoo,
    }
    return {
        "doudizhu": climbing,
        "tichu": climbing,
        "tongits": {
            "OpenSpiel gin_rummy": lambda: play_openspiel("gin_rummy"),
            "RLCard gin-rummy": lambda: play_rlcard("gin-rummy"),
            **pettingzoo,
        },
        "jitgo_ttaeng": {
            "OpenSpiel universal_poker": lambda: play_openspiel(
                name_with("universal_poker", HOLDEM)
            ),
            "RLCard no-limit-holdem": lambda: play_rlcard("no-limit-holdem"),
            **pettingzoo,
        },
    }[game]
