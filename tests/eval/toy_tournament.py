"""The tournament program with the toy as its only game, for tests that need a process of its own.

`python -m tests.eval.toy_tournament --agents …`
"""

import sys

import envs
from eval.tournament import main

if __name__ == "__main__":
    envs.GAMES = {"toy": "tests.toy_game"}
    sys.exit(main())
