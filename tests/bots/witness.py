"""Writes down what it finds and is told, in the file of its first argument; plays the last play."""

import json
import os
import sys

with open(sys.argv[1], "a") as file:
    found = {"environment": dict(os.environ), "files": sorted(os.listdir("/proc/self/fd"))}
    print(json.dumps(found), file=file, flush=True)
    for line in sys.stdin:
        file.write(line)
        file.flush()
        message = json.loads(line)
        if message["type"] == "decide":
            plays = message["plays"]
            action = {"action": message["legal"][-1]["id"]}
            print(json.dumps({"play": plays[-1]} if plays else action), flush=True)
