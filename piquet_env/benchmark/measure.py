"""How rates are measured: in rounds, so that what is compared was measured within the same seconds.

A machine's speed drifts. So each round measures everything once, every other round in the opposite order, and a ratio
is the median of the rounds' ratios, not the ratio of two medians.
"""

from __future__ import annotations

import contextlib
import gc
import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple

UNIT = "decisions/s"
_SHORTEST = 1e-9  # seconds; a clock may show none at all


class Sample(NamedTuple):
    """What was done in how long."""

    count: int
    """Decisions, or whatever the measure counts."""
    seconds: float


@dataclass(frozen=True)
class Measure:
    """Something whose rate is measured."""

    name: str
    what: str
    """One line for the report."""
    run: Callable[[], Sample]
    """Does the work once and says what it did; called until enough time has passed."""
    one_core: bool = True
    against: str = ""
    """Of another library: the measure of ours that it is compared with."""
    unit: str = UNIT


class Figure(NamedTuple):
    """What is reported of several repeats."""

    median: float
    low: float
    high: float


def timed(work: Callable[[], int]) -> Callable[[], Sample]:
    """A `Measure.run` that times all of `work`, which returns what it counts."""

    def run() -> Sample:
        begun = perf_counter()
        count = work()
        return Sample(count, perf_counter() - begun)

    return run


def rounds(
    measures: Sequence[Measure], repeats: int, seconds: float, progress: Callable[[str], object]
) -> dict[str, list[float]]:
    """The rate of each measure in each round, per second.

    Args:
        measures: each is run once before the first round, which compiles what it needs.
        repeats: how many rounds.
        seconds: how long a measure runs in a round, at least; it always runs once.
        progress: called with a measure's name before each of the `len(measures) * (repeats + 1)` runs.
    """
    for measure in measures:
        progress(measure.name)
        rate(measure, 0.0)
    rates: dict[str, list[float]] = {measure.name: [] for measure in measures}
    for number in range(repeats):
        for measure in measures if number % 2 == 0 else reversed(measures):
            progress(measure.name)
            rates[measure.name].append(rate(measure, seconds))
    return rates


def rate(measure: Measure, seconds: float) -> float:
    """How much is done in a second, measured for so many seconds at least."""
    gc.collect()
    count, spent = 0, 0.0
    with one_core() if measure.one_core else contextlib.nullcontext(), _no_collector():
        while True:
            sample = measure.run()
            count, spent = count + sample.count, spent + sample.seconds
            if spent >= seconds:
                return count / max(spent, _SHORTEST)


def figure(values: Sequence[float]) -> Figure:
    """Median and range."""
    return Figure(statistics.median(values), min(values), max(values))


def ratio(mine: Sequence[float], theirs: Sequence[float]) -> Figure:
    """Of two measures: median and range of the ratios within each round."""
    return figure([a / b for a, b in zip(mine, theirs, strict=True)])


def can_pin() -> bool:
    """Whether the system lets a process choose its cores."""
    return hasattr(os, "sched_setaffinity")


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread, and those that it starts meanwhile, on one core, where the system can."""
    if not can_pin():
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})  # core 0 is where most systems handle their interrupts
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def _no_collector() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def as_json(made: Figure) -> dict[str, Any]:
    """`{"median": ..., "range": [low, high]}`."""
    return {"median": made.median, "range": [made.low, made.high]}
