"""`piquet serve` as a process of its own, and what its bots should answer."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import helpers
import numpy as np

from piquet_env import notation
from piquet_env.bots import load_bot
from piquet_env.bots.base import Bot, views_of
from piquet_env.engine import layout as at
from piquet_env.rules import RULESETS, Rules
from piquet_env.views import view

ROOT, TESTS = Path(__file__).resolve().parent.parent, Path(__file__).resolve().parent
PIQUET = [sys.executable, "-m", "piquet_env.cli"]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])}


class Server:
    """`piquet serve ARGUMENTS`, which has said hello."""

    def __init__(self, *arguments: str):
        pipe = subprocess.PIPE
        command = [*PIQUET, "serve", *arguments]
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=ENVIRONMENT)
        self.hello = self.read()

    def read(self) -> dict[str, Any]:
        """Its next line."""
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read().decode()
        return json.loads(line)

    def send(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def ask(self, request: Any) -> dict[str, Any]:
        """Its answer to a line, or to what is made into one."""
        self.send(request if isinstance(request, bytes) else json.dumps(request).encode())
        return self.read()

    def end(self) -> tuple[int, str]:
        """End its input: (exit status, all else that it wrote to its standard error); nothing is left to be read."""
        out, err = self.process.communicate(timeout=60)
        assert out == b""
        return self.process.returncode, err.decode()

    def children(self) -> list[int]:
        """The processes that it has started."""
        return children_of(self.process.pid)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


# ------------------------------------------------------------------ processes, on Linux


def children_of(pid: int) -> list[int]:
    """The processes that this one has started and that are alive."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return [child for child in found if is_alive(child)]


def is_alive(pid: int) -> bool:
    """Whether there is such a process, other than one that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_end(pids: Iterable[int], seconds: float = 30) -> bool:
    """Whether all of them have ended before so many seconds."""
    until = time.monotonic() + seconds
    while any(map(is_alive, pids)):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ------------------------------------------------------------------ games and answers


def positions(seed: int, deals: int = 2, odd: int = 0) -> list[np.ndarray]:
    """True rows with a decision, from random deals of every ruleset and of so many odd rules."""
    rng, found = random.Random(f"positions {seed}"), []
    for rules in [*RULESETS.values(), *map(helpers.odd_rules, range(odd))]:
        row = helpers.set_up(rules, rng.randrange(2), helpers.lumpy_pack(rules, rng), partie=rng.random() < 0.5)
        found += [row.copy() for actions, _ in helpers.walk(row, rng, deals=deals) if actions]
    return found


def opening(total: int = 0) -> np.ndarray:
    """The start of a second deal of Auction Piquet in which player_0 has so many points; player_1 is to bid."""
    row = helpers.set_up(Rules(), 0, list(range(32)), partie=True)
    row[at.COMPLETED], row[at.TOTALS] = 1, total
    return row


def view_to_act(row: np.ndarray) -> dict[str, Any]:
    """What who is to act knows."""
    return view(row, int(row[at.ACTOR]))


def expected(bot: str | Bot, row: np.ndarray, given: Any, *seeds: int) -> dict[str, Any]:
    """What a bot answers in a true row, asked in this process."""
    player = load_bot(bot) if isinstance(bot, str) else bot
    action = int(player.act(views_of(row), np.random.default_rng(seeds))[0])
    indices = notation.legal_indices(row)
    policy = None
    if hasattr(player, "probabilities"):
        said = player.probabilities(views_of(row))[0].astype(np.float64)
        policy = said / said.sum()
    elif getattr(player, "deterministic", False):
        policy = np.eye(80)[action]
    texts = dict(zip(indices, notation.legal_texts(row), strict=True))
    return {
        "type": "action",
        "id": given,
        "action": texts[action],
        "index": action,
        "probabilities": None if policy is None else {texts[i]: float(f"{policy[i]:.6g}") for i in indices},
        "value": float(f"{player.value(views_of(row))[0]:.6g}") if hasattr(player, "value") else None,
    }
