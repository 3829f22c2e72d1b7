"""The measures of this project: what is done over and over, and how it is counted."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from time import perf_counter
from typing import NamedTuple

import numpy as np

from piquet_env import auction_piquet_v0
from piquet_env.benchmark import kernels
from piquet_env.benchmark.agents import NothingEnv, episodes
from piquet_env.benchmark.bidding import bidding_measures
from piquet_env.benchmark.measure import Measure, Sample, timed
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.engine.intrinsics import can_stream
from piquet_env.envs.loops import rollout_buffer
from piquet_env.envs.single_agent_vector import SingleAgentVectorEnv
from piquet_env.envs.vector import SelfPlayVectorEnv
from piquet_env.rules import Rules

CALIBRATION = "calibration"
_SEED = 0
_MIXES = 1_000_000


class Setting(NamedTuple):
    """What is played, and how much of it at once."""

    rules: Rules
    games: int
    steps: int
    """Of the rollout buffer; every decision of every game is one place of it."""
    threads: int
    """Of the measures on several cores; 1: there are none."""


class Buffer:
    """A rollout buffer. Its pages exist from the start, so that nobody is charged for them."""

    def __init__(self, steps: int, games: int):
        self.observation, self.mask = rollout_buffer(steps, games)
        self.observation.fill(1)
        self.mask.fill(1)


class Slices:
    """Games in as many slices as there are threads, and a thread for each."""

    def __init__(self, games: int, threads: int):
        edges = np.linspace(0, games, threads + 1).astype(int).tolist()
        self.parts = [slice(first, stop) for first, stop in pairwise(edges)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def each(self, work: Callable[[int, slice], object]) -> None:
        """Call `work(number, part)` for each slice, at the same time."""
        if self._pool is None:
            work(0, self.parts[0])
            return
        for future in [self._pool.submit(work, number, part) for number, part in enumerate(self.parts)]:
            future.result()


class Fill:
    """Writes a constant wherever `Batch` writes an observation or a mask, step by step as it does: numpy's fill."""

    def __init__(self, buffer: Buffer, threads: int = 1):
        self.buffer = buffer
        self._slices = Slices(buffer.mask.shape[1], threads)

    def __call__(self) -> int:
        self._slices.each(self._fill)
        steps, games = self.buffer.mask.shape[:2]
        return steps * games

    def _fill(self, _: int, part: slice) -> None:
        for t in range(len(self.buffer.mask)):
            self.buffer.observation[t, part].fill(1)
            self.buffer.mask[t, part].fill(1)


class FillWhole:
    """Fills the same in two calls of numpy's fill, which then write past the cache: as fast as the memory takes it."""

    def __init__(self, buffer: Buffer):
        self.buffer = buffer

    def __call__(self) -> int:
        self.buffer.observation.fill(1)
        self.buffer.mask.fill(1)
        return self.buffer.mask[..., 0].size


class Batch:
    """The compiled loop: random legal actions, the observation and mask of each decision written to the buffer."""

    def __init__(self, rules: Rules, buffer: Buffer, threads: int = 1):
        self.buffer = buffer
        self.rows = new_rows(rules, buffer.mask.shape[1])
        self._slices = Slices(len(self.rows), threads)
        self._chances = [kernels.new_chance(number) for number in range(threads)]

    def __call__(self) -> int:
        self._slices.each(self._play)
        return len(self.buffer.mask) * len(self.rows)

    def _play(self, number: int, part: slice) -> None:
        buffer = self.buffer
        streams, chance = can_stream(buffer.observation), self._chances[number]
        kernels.play_into(self.rows[part], part.start, buffer.observation, buffer.mask, streams, chance)


class Bare:
    """The compiled loop without observation and mask."""

    def __init__(self, rules: Rules, games: int, steps: int):
        self.rows, self.steps = new_rows(rules, games), steps
        self._chance = kernels.new_chance(0)

    def __call__(self) -> int:
        kernels.play_bare(self.rows, self.steps, self._chance)
        return self.steps * len(self.rows)


class Vector:
    """`SelfPlayVectorEnv.step`, into its own arrays or into a rollout buffer; choosing the actions is not timed."""

    def __init__(self, rules: Rules, games: int, steps: int, buffer: Buffer | None = None):
        self.env = SelfPlayVectorEnv(games, rules, seed=_SEED)
        self.steps = steps
        self.env.reset()
        self._into = [None] * steps if buffer is None else [*zip(buffer.observation, buffer.mask, strict=True)]
        self._actions = np.zeros(games, np.int64)
        self._chance = kernels.new_chance(0)

    def __call__(self) -> Sample:
        spent = 0.0
        for into in self._into:
            kernels.choose(self.env.rows, self._actions, self._chance)
            begun = perf_counter()
            self.env.step(self._actions, into=into)
            spent += perf_counter() - begun
        return Sample(self.steps * self.env.num_envs, spent)


class GymVector:
    """`SingleAgentVectorEnv.step` against `random`; the learners' decisions count, choosing them is not timed."""

    def __init__(self, rules: Rules, games: int, steps: int):
        self.env = SingleAgentVectorEnv(games, "random", rules)
        self.env.reset(seed=_SEED)
        self.steps = steps
        self._actions = np.zeros(games, np.int64)
        self._chance = kernels.new_chance(0)

    def __call__(self) -> Sample:
        spent = 0.0
        for _ in range(self.steps):
            kernels.choose(self.env.rows, self._actions, self._chance)
            begun = perf_counter()
            self.env.step(self._actions)
            spent += perf_counter() - begun
        return Sample(self.steps * self.env.num_envs, spent)


def new_rows(rules: Rules, games: int) -> np.ndarray:
    """Games of one deal at their start: int64 (games, columns)."""
    rows = np.zeros((games, at.COLUMNS), np.int64)
    batch.new_games(rows, rules.columns(), 0, _SEED, 0)
    return rows


class Calibrate:
    """Chains of integer operations that no compiler or core can shorten, one for each thread.

    On one thread it is how fast the core is at this moment, on several how many cores are really free.
    """

    def __init__(self, threads: int = 1):
        self._slices = Slices(threads, threads)
        self._threads = threads

    def __call__(self) -> int:
        self._slices.each(lambda *_: kernels.mix(_MIXES, 0))
        return 2 * _MIXES * self._threads


def own_measures(setting: Setting) -> list[Measure]:
    """All measures of this project, in an order in which what is compared stands close together."""
    rules, games, steps, threads = setting
    buffer = Buffer(steps, games)
    several = []
    if threads > 1:
        works = {"batch": Batch(rules, buffer, threads), "fill": Fill(buffer, threads), CALIBRATION: Calibrate(threads)}
        several = [
            Measure(f"{name}-{threads}", f"{name} on {threads} threads", timed(work), one_core=False)
            for name, work in works.items()
        ]
    return [
        Measure(CALIBRATION, "serial chains of splitmix64", timed(Calibrate())),
        Measure("vector", "SelfPlayVectorEnv.step", Vector(rules, games, steps)),
        Measure("vector-into", "its step, into a buffer", Vector(rules, games, steps, buffer)),
        Measure("fill-whole", "the buffer filled at once", timed(FillWhole(buffer))),
        Measure("fill", "the buffer filled by steps", timed(Fill(buffer))),
        Measure("batch", "compiled loop, into a buffer", timed(Batch(rules, buffer))),
        *several,
        Measure("batch-bare", "compiled loop, no arrays", timed(Bare(rules, games, steps))),
        Measure("gym-vector", "a learner against random", GymVector(rules, games, steps)),
        *bidding_measures(rules, games, steps, threads),
        Measure("aec", "last() and step()", timed(episodes(auction_piquet_v0.env(rules)))),
        Measure("aec-nothing", "the same, doing nothing", timed(episodes(NothingEnv()))),
    ]
