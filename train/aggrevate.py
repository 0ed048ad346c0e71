"""Train an agent to improve on an adviser, by AggreVaTe.

From the shell: `python -m train.aggrevate --config configs/train/tichu.yaml`.
"""

import sys

from train.run import main

if __name__ == "__main__":
    sys.exit(main("aggrevate"))
