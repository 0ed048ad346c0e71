"""Dou Dizhu in PettingZoo's manner: `from envs import doudizhu_v0; doudizhu_v0.env()`."""

from envs.doudizhu.env import env, raw_env

__all__ = ["env", "raw_env"]
