"""Train an agent by proximal policy optimisation in self-play.

From the shell: `python -m train.ppo --config configs/train/doudizhu.yaml`.
"""

import sys

from train.run import main

if __name__ == "__main__":
    sys.exit(main("ppo"))
