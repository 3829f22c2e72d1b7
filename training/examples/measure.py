"""What the examples share: a policy as a bot, and how much better it plays than before it learnt."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tyro
from numpy.typing import NDArray

from piquet_env import Rules
from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import Interval, mean_with_interval, pair_values
from piquet_env.bots import Bot, load_bot
from piquet_env.cli import INTERRUPTED, REFUSED

SEED = 1
"""Of the deals to be measured on; no environment deals them, whatever its seed."""

_LEAST = {"seed": 0, "runners": 0, "deals": 2}  # an interval needs two deals


class Learnt(NamedTuple):
    """Points per deal against a bot, on the same duplicate deals before and after learning, and the difference."""

    before: Interval
    after: Interval
    gain: Interval


def points(bot: Bot, rules: str | Rules | dict[str, Any], deals: int, against: str = "random") -> NDArray[np.float64]:
    """The bot's points per deal less the other's in `deals` duplicate deals, each played twice: (deals,)."""
    return pair_values(play_match(bot, load_bot(against), rules, pairs=deals, seed=SEED))


def report(name: str, before: NDArray[np.float64], after: NDArray[np.float64], against: str = "random") -> Learnt:
    """Print in one line what two calls of `points` gave; the same as numbers."""
    learnt = Learnt(*(mean_with_interval(values) for values in (before, after, after - before)))
    said = (f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]" for mean, low, high in learnt)
    print("{}: points per deal against {}: before {}, after {}, gain {}".format(name, against, *said), flush=True)
    return learnt


def run(main: Callable[[Any], object], options: type[Any]) -> None:
    """Call an example's `main` with its options from the command line; exit status 2: they cannot be, 130: Ctrl-C."""
    chosen = tyro.cli(options, prog=f"python -m training.examples.{Path(sys.argv[0]).stem}")
    try:
        check(chosen)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(REFUSED) from None
    try:
        main(chosen)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def check(options: Any) -> None:
    """Raises ValueError: unknown rules or bots, a number that is too small, a file that could not be written."""
    Rules.make(getattr(options, "rules", "auction"))
    for bot in getattr(options, "opponents", ()):
        load_bot(bot)
    if not 0 <= (seed := getattr(options, "seed", 0)) < 2**31:
        raise ValueError(f"seed: expected 0 to 2**31 - 1, got {seed}")  # more is too much for some libraries
    for name in (field.name for field in fields(options)):
        value, least = getattr(options, name), _LEAST.get(name, 1)
        if type(value) is int and value < least:
            raise ValueError(f"{name}: expected at least {least}, got {value}")
        if type(value) is float and not 0 <= value < math.inf:
            raise ValueError(f"{name}: expected 0 or more, got {value}")
    if out := getattr(options, "out", ""):
        _check_new(Path(out))


def _check_new(out: Path) -> None:
    """What was learnt is saved at the end: it must not fail then, and nothing is written over."""
    if not out.absolute().parent.is_dir():
        raise ValueError(f"out: {out.parent}: no such folder")
    if out.exists():
        raise ValueError(f"out: {out}: exists already")
