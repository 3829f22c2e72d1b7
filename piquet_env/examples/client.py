"""Ask a bot for its opening bid: `python client.py [BOT]`. Needs nothing but `piquet`; 30 lines in any language do."""

import json
import subprocess
import sys

bot = sys.argv[1] if len(sys.argv) > 1 else "greedy"
piquet = sys.argv[2:] or ["piquet"]  # or how else it is called here
server = subprocess.Popen([*piquet, "serve", bot], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert server.stdin is not None
assert server.stdout is not None

hello = json.loads(server.stdout.readline() or sys.exit("the bot cannot be used"))

view = {  # what player_1 knows before the first bid; he is asked for it, because player_0 has dealt
    "format": hello["view"],
    "versions": hello["versions"],
    "rules": "auction",
    "player": "player_1",
    "episode": "partie",
    "completed": 2,  # this is the third deal
    "thrown_in": 0,
    "totals": {"player_0": 41, "player_1": 57},
    "dealer": "player_0",
    "hands": {"player_1": "QT.AKQ.AKJT.KJT"},  # suits S.H.D.C, high to low
    "phase": "auction",
    "auction": [],
}
print(json.dumps({"id": 1, "view": view, "seed": 0}), file=server.stdin, flush=True)
reply = json.loads(server.stdout.readline())
print(reply["action"] if reply["type"] == "action" else f"{reply['field']}: {reply['error']}")

server.stdin.close()  # that ends it
sys.exit(server.wait())
