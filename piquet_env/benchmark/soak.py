"""Many games stepped for a long time: does anything grow?"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from time import monotonic
from typing import Any

import numpy as np

from piquet_env.benchmark import kernels
from piquet_env.benchmark.options import BenchmarkError
from piquet_env.engine import layout as at
from piquet_env.envs.vector import SelfPlayVectorEnv
from piquet_env.rules import Rules

ROUND = 400  # steps: by then every game has ended several times, and every page of every array has been written
ALLOWED = 5 * 2**20  # bytes of growth
_LOOK = 10  # steps between two calls of `progress`


class Soak:
    """Games of a `SelfPlayVectorEnv`, played on at random, and what became of them."""

    def __init__(self, rules: Rules, games: int, threads: int):
        self.env = SelfPlayVectorEnv(games, rules, seed=0, threads=threads)
        self.decisions = self.terminated = self.truncated = self.deals = self.thrown_in = 0
        self._actions = np.zeros(games, np.int64)
        self._chance = kernels.new_chance(0)
        self.env.reset()

    def play(self, steps: int) -> None:
        """So many random legal actions in every game."""
        for _ in range(steps):
            kernels.choose(self.env.rows, self._actions, self._chance)
            _, _, terminated, truncated, info = self.env.step(self._actions)
            self.decisions += self.env.num_envs
            self.terminated += int(np.count_nonzero(terminated))
            self.truncated += int(np.count_nonzero(truncated))
            thrown_in = info["finished"][info["deal_over"], at.IS_THROWN_IN]
            self.deals += len(thrown_in)
            self.thrown_in += int(thrown_in.sum())


def play_soak(
    rules: Rules, games: int, minutes: float, threads: int, progress: Callable[[float], object]
) -> dict[str, Any]:
    """Play a first round, look at the memory, play on for so many minutes (at least one more round), look again.

    Args:
        rules, games, threads: of the environment.
        minutes: after the first round.
        progress: called now and then with the seconds since the first round ended; negative during it.

    Returns:
        A JSON object; `grew` says whether the resident memory grew by more than `ALLOWED` bytes.

    Raises:
        BenchmarkError: this system does not say how much memory a process has.
    """
    resident_memory()
    played = Soak(rules, games, threads)
    _play(played, ROUND, lambda: progress(-1.0))
    first = resident_memory()
    begun = monotonic()
    while True:
        _play(played, ROUND, lambda: progress(monotonic() - begun))
        if monotonic() - begun >= 60 * minutes:
            break
    seconds, last = monotonic() - begun, resident_memory()
    played.env.close()
    counts = {name: getattr(played, name) for name in ("decisions", "deals", "thrown_in", "terminated", "truncated")}
    memory = {"after_first_round": first, "at_the_end": last, "growth": last - first, "allowed": ALLOWED}
    return {**counts, "games": games, "seconds": seconds, "memory": memory, "grew": last - first > ALLOWED}


def _play(played: Soak, steps: int, look: Callable[[], object]) -> None:
    for _ in range(0, steps, _LOOK):
        look()
        played.play(_LOOK)


def resident_memory() -> int:
    """Bytes of this process in memory; where the system tells no more, the most that there ever were.

    Raises:
        BenchmarkError: the system tells nothing.
    """
    gc.collect()
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        return _most_memory()


def _most_memory() -> int:
    try:
        import resource
    except ModuleNotFoundError as error:
        raise BenchmarkError("this system does not say how much memory a process has") from error
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
