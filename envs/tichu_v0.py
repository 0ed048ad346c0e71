"""Tichu in PettingZoo's manner: `from envs import tichu_v0; tichu_v0.env()`."""

from envs.tichu.env import env, raw_env

__all__ = ["env", "raw_env"]
