"""A program that answers the first legal action, and does something wrong as its argument says.

It needs nothing but Python.
"""

import json
import os
import signal
import sys
import time


def sleep() -> None:
    time.sleep(600)


def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sleep()


def garbage() -> None:
    print("I think I shall fold", flush=True)


def number() -> None:
    print('{"action": "0"}', flush=True)


def impossible() -> None:
    print('{"action": 99}', flush=True)


def illegal() -> None:
    print('{"action": 3}', flush=True)  # a stake, before it is asked for


def no_play() -> None:
    print('{"play": "sing"}', flush=True)


def flood() -> None:
    while True:
        sys.stdout.write("x" * 10_000)


def flood_lines() -> None:
    while True:
        print("{}", flush=True)


def flood_stderr() -> None:
    while True:
        sys.stderr.write("no idea\n" * 1000)


def chatter() -> None:
    print('{"action": 0}\n{"action": 0}', flush=True)


def leave() -> None:
    sys.exit(3)


def fail() -> None:
    raise RuntimeError("lost my cards")


def allocate() -> None:
    cards = bytearray(10 << 30)
    for page in range(0, len(cards), 4096):
        cards[page] = 1


def fork_and_leave() -> None:
    if os.fork():
        os._exit(0)
    sleep()


def fork_many() -> None:
    for _ in range(20):
        if not os.fork():
            sleep()
    sleep()


def daemonize() -> None:
    if not os.fork():
        os.setsid()
        if not os.fork():
            sleep()
        os._exit(0)
    sys.exit(0)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "decide":
            if message["key"] % 2 == 0 and len(message["legal"]) == 2:
                globals()[sys.argv[1]]()
            else:
                print(json.dumps({"action": message["legal"][0]["id"]}), flush=True)


if __name__ == "__main__":
    main()
