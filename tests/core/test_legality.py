"""Which actions a mask allows."""

import numpy as np
import pytest

from envs.core.legality import only_action


@pytest.mark.parametrize(
    ("mask", "expected"), [([0, 0, 0], -1), ([0, 0, 1], 2), ([1, 0, 0], 0), ([1, 0, 1], -1)]
)
def test_the_only_action(mask: list[int], expected: int) -> None:
    assert only_action(np.array(mask, np.int8)) == expected
