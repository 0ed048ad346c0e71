"""The examples in docstrings run as they stand."""

import doctest
import importlib
import pkgutil

import pytest

import agents
import envs
import eval as evaluation

MODULES = [
    module.name
    for package in (agents, envs, evaluation)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.startswith("agents.bridges.") and not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", ["envs", *MODULES])
def test_examples_of(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
