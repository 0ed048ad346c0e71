"""Tichu (티츄): two against two, with bombs and wishes."""

from typing import Any

from envs.core.game import Game
from envs.tichu.belief import resample_batch
from envs.tichu.deals import problems, read_deal, write_deal
from envs.tichu.encode import (
    decode_batch,
    layout,
    observe_batch,
    observe_state_batch,
    state_layout,
)
from envs.tichu.engine import (
    apply_batch,
    count_plays_batch,
    deal_batch,
    forfeit,
    is_private,
    legal_batch,
    sides_batch,
    step_batch,
)
from envs.tichu.moves import NUM_ACTIONS
from envs.tichu.render import format_action, format_play, last_event, parse_play, render
from envs.tichu.rules import TichuRules, write_rules
from envs.tichu.state import NUM_SEATS, STATE


def _num_seats(rules: Any) -> int:
    return NUM_SEATS


GAME = Game(
    name="tichu",
    title="Tichu",
    version=0,
    rules=TichuRules,
    state=STATE,
    num_actions=NUM_ACTIONS,
    num_seats=_num_seats,
    layout=layout,
    state_layout=state_layout,
    write_rules=write_rules,
    deal=deal_batch,
    legal=legal_batch,
    apply=apply_batch,
    step=step_batch,
    observe=observe_batch,
    decode=decode_batch,
    observe_state=observe_state_batch,
    resample=resample_batch,
    count_plays=count_plays_batch,
    sides=sides_batch,
    forfeit=forfeit,
    is_private=is_private,
    format_action=format_action,
    format_play=format_play,
    parse_play=parse_play,
    last_event=last_event,
    render=render,
    read_deal=read_deal,
    write_deal=write_deal,
    problems=problems,
)
