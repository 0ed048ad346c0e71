"""Action masks."""

import numpy as np
import pytest

from envs.core.masks import only_action


@pytest.mark.parametrize(
    ("mask", "action"), [([0, 0, 0], -1), ([0, 1, 0], 1), ([1, 0, 1], -1), ([0, 0, 1], 2)]
)
def test_the_only_action(mask: list[int], action: int) -> None:
    assert only_action(np.array(mask, np.int8)) == action
