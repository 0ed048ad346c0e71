"""A bot in Python that needs nothing but Python: bids 1 at most, plays the first play it may.

python -m eval.tournament --game doudizhu --agents random "process:python3 lowest.py"
"""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "decide":
        continue  # "end": a game is over, and nobody waits for an answer
    plays = message["plays"]
    if plays is None:  # in the middle of a play
        answer = {"action": message["legal"][0]["id"]}
    else:
        wanted = [play for play in plays if play not in ("pass", "bid 2", "bid 3")]
        answer = {"play": (wanted or plays)[0]}
    print(json.dumps(answer), flush=True)
