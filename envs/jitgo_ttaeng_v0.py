"""Dori-jitgo-ttaeng in PettingZoo's manner: `from envs import jitgo_ttaeng_v0`."""

from envs.jitgo_ttaeng.env import env, raw_env

__all__ = ["env", "raw_env"]
