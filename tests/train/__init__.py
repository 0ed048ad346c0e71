"""What needs torch and Stable-Baselines3 is tested where they are installed."""

import pytest

pytest.importorskip("stable_baselines3")
