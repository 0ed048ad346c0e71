"""Dou Dizhu (斗地主): the landlord against the farmers."""

from typing import Any

from envs.core.game import Game
from envs.doudizhu.belief import resample_batch
from envs.doudizhu.deals import problems, read_deal, write_deal
from envs.doudizhu.encode import (
    decode_batch,
    layout,
    observe_batch,
    observe_state_batch,
    state_layout,
)
from envs.doudizhu.engine import (
    apply_batch,
    count_plays_batch,
    deal_batch,
    forfeit,
    legal_batch,
    sides_batch,
    step_batch,
)
from envs.doudizhu.moves import NUM_ACTIONS
from envs.doudizhu.render import format_action, format_play, last_event, parse_play, render
from envs.doudizhu.rules import DoudizhuRules, write_rules
from envs.doudizhu.state import STATE


def _num_seats(rules: Any) -> int:
    return int(rules.players)


GAME = Game(
    name="doudizhu",
    title="Dou Dizhu",
    version=0,
    rules=DoudizhuRules,
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
    format_action=format_action,
    format_play=format_play,
    parse_play=parse_play,
    last_event=last_event,
    render=render,
    read_deal=read_deal,
    write_deal=write_deal,
    problems=problems,
)
