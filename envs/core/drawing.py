"""Render modes: the table as text, returned or printed."""

from gymnasium import logger

from envs.core.errors import RulesError
from envs.core.game import Game, Record
from envs.core.rules import unknown_name

RENDER_MODES = ("ansi", "human")


def check_render_mode(mode: str | None) -> str | None:
    """`mode`, if it is None or one of `RENDER_MODES`.

    Raises:
        RulesError: it is neither.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise RulesError(unknown_name("render_mode", mode, RENDER_MODES))
    return mode


def draw(game: Game, state: Record, seat: int | None, mode: str | None) -> str | None:
    """The table as `seat` sees it, or open (None): returned in mode "ansi", printed in "human"."""
    if mode is None:
        logger.warn('render() draws nothing without render_mode="ansi" or "human"')
        return None
    text = game.render(state, seat)
    if mode == "ansi":
        return text
    print(text)
    return None
