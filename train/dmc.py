"""Train an agent by Deep Monte-Carlo in self-play.

From the shell: `python -m train.dmc --config configs/train/doudizhu_dmc.yaml`.
"""

import sys

from train.run import main

if __name__ == "__main__":
    sys.exit(main("dmc"))
