"""A bot that takes any legal action: `piquet evaluate "cmd:python bot.py" greedy`."""

import json
import random
import sys


def say(message):
    print(json.dumps(message), flush=True)


say(
    {
        "type": "hello",
        "protocol": "piquet-serve/1",
        "versions": {"rules": 1, "actions": 1, "observation": 1},
        "view": "piquet-view/1",
        "bot": "any legal action",
    }
)
for line in sys.stdin:
    request = json.loads(line)
    chance = random.Random(request["seed"])  # so that the same match can be played again
    say({"type": "action", "id": request["id"], "action": chance.choice(request["view"]["legal"])})
