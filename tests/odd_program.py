"""A program that is a bot, and sometimes does something else: `odd_program.py HOW [EVERY]`.

HOW is what it does where player_0 has 1001 points in the partie, and in one of EVERY hands (0: in none).
"""

import json
import os
import sys
import time
import zlib

HELLO = {
    "type": "hello",
    "protocol": "piquet-serve/1",
    "versions": {"rules": 1, "actions": 1, "observation": 1},
    "view": "piquet-view/1",
    "sha256": "5" * 64,
    "rules": "micro",
}
HELLOS = {
    "hello-none": "",
    "hello-late": None,
    "hello-text": "hello",
    "hello-type": json.dumps(HELLO | {"type": "hallo"}),
    "hello-protocol": json.dumps(HELLO | {"protocol": "piquet-serve/2"}),
    "hello-versions": json.dumps(HELLO | {"versions": {"rules": 2, "actions": 1, "observation": 1}}),
    "hello-view": json.dumps(HELLO | {"view": "piquet-view/2"}),
    "hello-long": "x" * 10**6,
}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(request):
    return {"type": "action", "id": request["id"], "action": request["view"]["legal"][0]}


def do(how, request):
    """What is wrong."""
    if how == "hangs":
        time.sleep(1000)
    elif how == "stays":  # also when its input has ended
        sys.stdin.close()
        time.sleep(1000)
    elif how == "exits":
        sys.exit(3)
    elif how == "killed":
        os.kill(os.getpid(), 9)
    elif how == "closes":
        os.close(1)
        time.sleep(1000)
    elif how == "flood":
        say("\n".join([json.dumps(answer(request))] * 10_000))
    elif how == "deaf":  # and what it says is right
        for number in range(request["id"], 10_000):
            say(json.dumps(answer(request) | {"id": number}))
        time.sleep(1000)
    elif how == "child":
        time.sleep(1000) if os.fork() == 0 else os._exit(0)
    else:
        right = answer(request)
        say(
            {
                "garbage": "{",
                "long": "y" * 10**6,
                "nan": '{"id": NaN}',
                "list": "[]",
                "id": json.dumps(right | {"id": 0}),
                "id-true": json.dumps(right | {"id": True}),
                "type": json.dumps(right | {"type": "hello"}),
                "no-action": json.dumps({"type": "action", "id": request["id"]}),
                "illegal": json.dumps(right | {"action": "redouble"}),
                "number": json.dumps(right | {"action": 34}),
                "odd-action": json.dumps(right | {"action": [{}]}),
                "error": json.dumps({"type": "error", "id": request["id"], "field": "view.x", "error": "oh\nno"}),
                "bare-error": json.dumps({"type": "error", "id": request["id"]}),
            }[how]
        )


def is_chosen(view, every):
    own = view["hands"][view["player"]]
    return view["totals"]["player_0"] == 1001 or (every and zlib.crc32(own.encode()) % every == 0)


def main():
    how, every = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if how in HELLOS:
        if HELLOS[how] is None:
            time.sleep(1000)
        say(HELLOS[how])
        return
    say(json.dumps(HELLO))
    print("says this to standard error", file=sys.stderr)
    for line in sys.stdin:
        request = json.loads(line)
        if is_chosen(request["view"], every):
            do(how, request)
        else:
            say(json.dumps(answer(request)))
    if how == "lingers":
        time.sleep(1000)


main()
