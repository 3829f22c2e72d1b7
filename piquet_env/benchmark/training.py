"""The trainer's measures, which its own package has: nothing here imports torch."""

from __future__ import annotations

from contextlib import ExitStack
from importlib.metadata import entry_points

from piquet_env.benchmark.measure import Measure
from piquet_env.benchmark.options import BenchmarkError

GROUP, NAME = "piquet.benchmarks", "training"


def training_measures(threads: int, stack: ExitStack) -> list[Measure]:
    """The measures; processes that some of them need end with the stack. Raises BenchmarkError: it is not installed."""
    for point in entry_points(group=GROUP, name=NAME):
        try:
            return stack.enter_context(point.load()(threads))
        except ModuleNotFoundError as error:
            raise BenchmarkError(f"training: {error.name} is not installed: pip install 'piquet-env[train]'") from error
    raise BenchmarkError(f"training: no installed package has the entry point {NAME!r} of {GROUP!r}")
