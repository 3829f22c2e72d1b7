"""Send `piquet serve` random and malformed lines, valid requests in between, and check every reply.

    PYTHONPATH=.:tests python tests/soak_serve.py --lines 1000000

Prints what came back, and how much memory the two processes took. Exit status 1: a reply was wrong or missing.
"""

from __future__ import annotations

import argparse
import copy
import io
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.progress import Progress
from serving import Server, expected, positions, resident, view_to_act
from told import told

from piquet_env.bots.base import Views
from piquet_env.bots.protocol import LineError, read_line
from piquet_env.bots.random import RandomBot
from piquet_env.knowledge import action_mask, observation
from piquet_env.records import PLAYERS
from piquet_env.serve.request import read_request
from piquet_env.views import row_from_view

BOT = "random"
ODD_VALUES = (None, "?", "", -1, 0, 3, True, 1.5, [], {}, "none", "...", "SA", "player_0", "exchange", 2**60, "é\ud800")
ODD_LINES = (
    b"",
    b" ",
    b"null",
    b"{",
    b'{"id": NaN}',
    b'{"id": 1e400}',
    b'{"id": 1, "id": 1}',
    b"\x00" * 100,
    b"\xef\xbb\xbf{}",
    b"[" * 20_000,
    b'{"view":' * 3_000,
    b'{"id": ' + b"7" * 6_000 + b"}",
    b"x" * 200_000,
    b'{"type": "quit", "view": {}}',
    b'{"id": [], "view": {}}',
)
MOST_WRONG = 10
WARM_LINES = 2_000
"""Lines after which memory is looked at first."""


class Valid(NamedTuple):
    """A request that is right, and what it is answered."""

    request: dict[str, Any]
    reply: dict[str, Any]


def valid_requests(seed: int) -> list[Valid]:
    """Whole views and such as say only what they must, of all rulesets and some odd ones."""
    made, bot = [], RandomBot()
    for number, row in enumerate(positions(seed, odd=20)):
        seen = view_to_act(row)
        request = {"id": number, "view": told(seen) if number % 2 else seen, "seed": number + seed}
        made.append(Valid(request, expected(bot, row, number, number + seed)))
    return made


# ------------------------------------------------------------------ lines


def flipped(request: dict[str, Any], rng: random.Random) -> bytes:
    """Some bytes changed."""
    line = bytearray(json.dumps(request).encode())
    for _ in range(rng.randint(1, 4)):
        line[rng.randrange(len(line))] = rng.randrange(256)
    return bytes(line)


def cut_off(request: dict[str, Any], rng: random.Random) -> bytes:
    """The begin, or the end, of a line."""
    line = json.dumps(request).encode()
    place = rng.randrange(len(line))
    return line[:place] if rng.random() < 0.7 else line[place:]


def changed(request: dict[str, Any], rng: random.Random) -> bytes:
    """A value somewhere in it changed, or left out, or changed with another's."""
    request = copy.deepcopy(request)
    (part, key), (other, other_key) = (_place(request, rng) for _ in range(2))
    kind = rng.randrange(3)
    if kind == 0:
        part[key] = rng.choice(ODD_VALUES)
    elif kind == 1:
        del part[key]
    else:
        part[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(part[key])
    return json.dumps(request).encode()


def _place(whole: Any, rng: random.Random) -> tuple[Any, Any]:
    """(object or list, key) of some value."""
    found = [(whole, key) for key in whole]
    for part, key in found:  # it grows
        if isinstance(part[key], dict):
            found += [(part[key], inner) for inner in part[key]]
        elif isinstance(part[key], list):
            found += [(part[key], place) for place in range(len(part[key]))]
    return rng.choice(found)


def other_json(request: dict[str, Any], rng: random.Random) -> bytes:
    """Some JSON, with keys that are known."""
    return json.dumps(_any_json(rng, 4)).encode()


def _any_json(rng: random.Random, depth: int) -> Any:
    kind = rng.random() * (1 if depth else 0.4)
    if kind < 0.4:
        return rng.choice((*ODD_VALUES, rng.randrange(10**6), "piquet-view/1", "auction"))
    if kind < 0.6:
        return [_any_json(rng, depth - 1) for _ in range(rng.randrange(4))]
    keys = ("id", "view", "seed", "format", "rules", "player", "tricks", "cards", "x")
    return {rng.choice(keys): _any_json(rng, depth - 1) for _ in range(rng.randrange(5))}


def any_bytes(request: dict[str, Any], rng: random.Random) -> bytes:
    """Bytes of all kinds."""
    return rng.randbytes(rng.randrange(200))


def odd_line(request: dict[str, Any], rng: random.Random) -> bytes:
    """One that is odd in its own way."""
    return rng.choice(ODD_LINES)


KINDS: dict[str, tuple[Callable[[dict[str, Any], random.Random], bytes] | None, float]] = {
    "valid": (None, 0.3),
    "bytes changed": (flipped, 0.2),
    "cut off": (cut_off, 0.12),
    "values changed": (changed, 0.25),
    "other JSON": (other_json, 0.08),
    "any bytes": (any_bytes, 0.04),
    "odd": (odd_line, 0.01),
}


class Line(NamedTuple):
    """What is sent."""

    kind: str
    text: bytes
    reply: dict[str, Any] | None
    """What is answered, where that is known."""


def lines(number: int, seed: int) -> Iterator[Line]:
    """So many lines, none of which ends another."""
    requests, rng = valid_requests(seed), random.Random(f"soak {seed}")
    kinds, weights = list(KINDS), [weight for _, weight in KINDS.values()]
    for kind in rng.choices(kinds, weights, k=number):
        valid, change = rng.choice(requests), KINDS[kind][0]
        if change is None:
            yield Line(kind, json.dumps(valid.request).encode(), valid.reply)
        else:
            yield Line(kind, change(valid.request, rng).replace(b"\n", b" "), None)


# ------------------------------------------------------------------ replies


class Checker:
    """Checks replies in the order of the lines."""

    def __init__(self) -> None:
        self.bot, self.answered = RandomBot(), 0

    def fault(self, line: Line, reply: dict[str, Any]) -> str:
        """What is wrong with a reply; "": nothing."""
        self.answered += reply["type"] == "action"
        if line.reply is not None:
            return "" if reply == line.reply else f"expected {line.reply}"
        if reply["type"] == "action":
            return "" if reply == self._answer(line) else f"expected {self._answer(line)}"
        given, error = read_request(read_line(io.BytesIO(line.text + b"\n")))
        if not isinstance(error, LineError):
            return "expected no error"
        refused = {"type": "error", "id": given, "field": error.field or None, "error": error.reason}
        return "" if reply == refused and 0 < len(error.reason) < 350 else f"expected {refused}"

    def _answer(self, line: Line) -> dict[str, Any]:
        """Of a line that is understood although it was changed."""
        request = json.loads(line.text)
        row = row_from_view(request["view"])
        player = PLAYERS.index(request["view"]["player"])
        seeds = (0, self.answered) if request.get("seed") is None else (request["seed"],)
        views = Views(observation(row, player)[None], action_mask(row, player)[None], row[None])
        action = int(self.bot.act(views, np.random.default_rng(seeds))[0])
        return expected(_Fixed(action), row, request.get("id"))


class _Fixed(RandomBot):
    """`random` that has drawn its action."""

    def __init__(self, action: int):
        self.action = action

    def act(self, views: Views, rng: Any) -> Any:
        return np.array([self.action])


def soak(number: int, seed: int, progress: Callable[[int], object] = lambda done: None) -> dict[str, Any]:
    """Send so many lines: what was seen, and all that was wrong."""
    seen: dict[str, Any] = {"lines": number, "replies": 0, "wrong": [], "by kind": Counter()}
    kinds: Counter[str] = Counter()
    checker, begun = Checker(), time.monotonic()
    with Server(BOT) as server:
        pids = [server.process.pid, *server.children()]
        early: list[int] = []
        sender = threading.Thread(target=_send, args=(server, number, seed), daemon=True)
        sender.start()
        for line in lines(number, seed):
            reply = server.read()
            fault = checker.fault(line, reply)
            if fault and len(seen["wrong"]) < MOST_WRONG:
                seen["wrong"].append(f"{line.text[:2000]!r}: {fault}, got {reply}")
            kinds[line.kind] += 1
            seen["by kind"][reply["type"]] += 1
            seen["by kind"][f"{line.kind}: {reply['type']}"] += 1
            seen["replies"] += 1
            if seen["replies"] == min(WARM_LINES, number):
                early = [resident(pid) for pid in pids]
            progress(1)
        sender.join()
        late = [resident(pid) for pid in pids]
        assert server.end() == (0, "")
    names = ["server", "its resource tracker", "bot"]
    seen["memory"] = {name: (before, after) for name, before, after in zip(names, early, late, strict=False)}
    seen["grown"] = {name: after - before for name, (before, after) in seen["memory"].items()}
    return seen | {"kinds": dict(kinds), "seconds": round(time.monotonic() - begun, 1)}


def _send(server: Server, number: int, seed: int) -> None:
    for line in lines(number, seed):
        server.process.stdin.write(line.text + b"\n")
    server.process.stdin.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with Progress() as progress:
        task = progress.add_task("lines", total=given.lines)
        seen = soak(given.lines, given.seed, lambda done: progress.advance(task, done))
    print(json.dumps(seen, indent=1))
    return int(bool(seen["wrong"]))


if __name__ == "__main__":
    sys.exit(main())
