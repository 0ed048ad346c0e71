"""Tongits (통깃): three-handed rummy with knocking and exact hand values."""

from typing import Any

from envs.core.game import Game
from envs.core.legality import count_single_actions
from envs.tongits.belief import resample_batch
from envs.tongits.deals import problems, read_deal, write_deal
from envs.tongits.encode import (
    decode_batch,
    layout,
    observe_batch,
    observe_state_batch,
    state_layout,
)
from envs.tongits.engine import (
    apply_batch,
    deal_batch,
    forfeit,
    legal_batch,
    sides_batch,
    step_batch,
)
from envs.tongits.moves import NUM_ACTIONS
from envs.tongits.render import format_action, format_play, last_event, parse_play, render
from envs.tongits.rules import TongitsRules, write_rules
from envs.tongits.state import NUM_SEATS, STATE


def _num_seats(rules: Any) -> int:
    return NUM_SEATS


GAME = Game(
    name="tongits",
    title="Tongits",
    version=0,
    rules=TongitsRules,
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
    count_plays=count_single_actions,
    sides=sides_batch,
    forfeit=forfeit,
    format_action=format_action,
    format_play=format_play,
    parse_play=parse_play,
    last_event=last_event,
    render=render,
    read_deal=read_deal,
    write_deal=write_deal,
    problems=problems,
)
