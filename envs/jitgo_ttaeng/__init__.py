"""Dori-jitgo-ttaeng (도리짓고땡, 짓고땡): three cards build, the two left over are compared."""

from typing import Any

from envs.core.game import Game
from envs.core.legality import count_single_actions
from envs.jitgo_ttaeng.belief import resample_batch
from envs.jitgo_ttaeng.deals import problems, read_deal, write_deal
from envs.jitgo_ttaeng.encode import (
    decode_batch,
    layout,
    observe_batch,
    observe_state_batch,
    state_layout,
)
from envs.jitgo_ttaeng.engine import (
    apply_batch,
    deal_batch,
    forfeit,
    legal_batch,
    sides_batch,
    step_batch,
)
from envs.jitgo_ttaeng.moves import NUM_ACTIONS
from envs.jitgo_ttaeng.render import format_action, format_play, last_event, parse_play, render
from envs.jitgo_ttaeng.rules import JitgoTtaengRules, resolve, write_rules
from envs.jitgo_ttaeng.state import STATE


def _num_seats(rules: Any) -> int:
    return int(resolve(rules, "num_players"))


GAME = Game(
    name="jitgo_ttaeng",
    title="Dori-jitgo-ttaeng",
    version=0,
    rules=JitgoTtaengRules,
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
