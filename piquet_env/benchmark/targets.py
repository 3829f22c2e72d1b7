"""What this project asks of itself, and whether a run of the benchmark shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from piquet_env.benchmark.solving import KINDS

COLVER = "colver rollout"
LEDUC = "leduc_holdem_v4.env"
RAW_LEDUC = "leduc_holdem_v4.raw_env"
THREADS = 2


class Target(NamedTuple):
    """A figure and its limit."""

    name: str
    limit: float
    unit: str = ""
    is_most: bool = False
    option: str = ""
    """With which option of the command it is measured."""


TARGETS = (
    Target("batch/fill", 0.5),
    Target(f"batch-{THREADS}/batch", 1.8, option=f"--threads {THREADS}"),
    Target("batch-bare", 10e6, "decisions/s"),
    Target(f"batch-bare/{COLVER}", 1.0, option="--peers"),
    Target("vector/fill", 0.4),
    Target(f"bidding-{THREADS}", 1e6, "auctions/s", option=f"--threads {THREADS}"),
    Target(f"aec/{LEDUC}", 15.0, option="--peers"),
    Target(f"aec/{RAW_LEDUC}", 4.0, option="--peers"),
    Target("aec/aec-nothing", 1 / 3),
    Target("training/training-network", 0.7, option="--training"),
    Target("training-processes-2/training-processes-1", 1.7, option="--training"),  # 0.85 of linear
    Target("state row", 1536, "bytes", is_most=True),
    Target("observation", 1400, "features", is_most=True),
    Target("cold compile", 20.0, "s", is_most=True, option="--startup"),
    Target("warm import", 1.5, "s", is_most=True, option="--startup"),
    *(
        Target(f"solver {kind} tricks {which}", limit, "ms", is_most=True, option="--solver")
        for kind in KINDS
        for which, limit in (("mean", 1.0), ("p99", 10.0))
    ),
)


SETTINGS = {"rules": "auction", "games": 4096, "steps": 64}
"""What they are set for."""


def judge(figures: Mapping[str, float]) -> list[dict[str, Any]]:
    """Every target with what was measured: `value` and `reached` are None where it was not."""
    return [_judged(target, figures.get(target.name)) for target in TARGETS]


def _judged(target: Target, value: float | None) -> dict[str, Any]:
    reached = None
    if value is not None:
        reached = value <= target.limit if target.is_most else value >= target.limit
    limit = {"at_most" if target.is_most else "at_least": target.limit}
    said = {"name": target.name, **limit, "unit": target.unit, "value": value, "reached": reached}
    return said if value is not None or not target.option else {**said, "option": target.option}
