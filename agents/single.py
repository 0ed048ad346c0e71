"""The registered Gymnasium environments: one seat against agents named as in a tournament."""

from collections.abc import Sequence
from typing import Any

from agents.base import Agent
from agents.roster import make_agent
from envs import load_game
from envs.core.single import SeatEnv

SEAT_OPTIONS = ("seat", "illegal", "skip_forced", "render_mode")


def make_single(
    game: str,
    opponents: str | Agent | Sequence[str | Agent] = "rule",
    preset: str | None = None,
    **options: Any,
) -> SeatEnv:
    """A `SeatEnv`, as `gymnasium.make("jipae/DouDizhu-v0", opponents="rule", auction="off")` does.

    opponents: one agent for all other seats, or one for each, beginning with the next seat; by
        name (see `agents.roster.make_agent`) or as an object.
    options: `seat`, `illegal`, `skip_forced` and `render_mode` go to `SeatEnv`, all others to
        `game.make_rules`.
    """
    seat_options = {name: options.pop(name) for name in SEAT_OPTIONS if name in options}
    loaded = load_game(game)
    rules = loaded.make_rules(preset, **options)

    def resolve(agent: str | Agent) -> Agent:
        return make_agent(agent, loaded, rules) if isinstance(agent, str) else agent

    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        players: Agent | list[Agent] = resolve(opponents)
    else:
        players = [resolve(agent) for agent in opponents]
    return SeatEnv(loaded, rules, players, **seat_options)
