"""Tongits in PettingZoo's manner: `from envs import tongits_v0; tongits_v0.env()`."""

from envs.tongits.env import env, raw_env

__all__ = ["env", "raw_env"]
