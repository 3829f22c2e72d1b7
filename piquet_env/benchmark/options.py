"""What was asked of `piquet benchmark`, and whether it can be done."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from piquet_env.arena.worker import cores
from piquet_env.benchmark.loops import CALIBRATION, Setting
from piquet_env.notation import read_rules

GAMES, SOAKED_GAMES = 4096, 100_000
MOST_PLACES = 4_000_000  # of the rollout buffer, which has about 1,500 bytes for each
MOST_GAMES = 1_000_000  # of a soak; about 10 kB each
LIMITS = {"repeats": (1, 1000), "seconds": (0, 60), "games": (1, MOST_GAMES), "steps": (1, 4096), "threads": (1, 256)}
MOST_MINUTES = 10_000


class BenchmarkError(Exception):
    """Something that is to be measured cannot be, on this system."""


class Asked(NamedTuple):
    """The options, as they were given."""

    rules: str
    repeats: int
    seconds: float
    games: int | None
    steps: int
    threads: int
    only: tuple[str, ...]
    peers: bool
    startup: bool
    solver: bool
    training: bool
    soak: float | None


def setting_of(asked: Asked) -> Setting:
    """What is to be played. Raises ValueError for options that cannot be used."""
    games = asked.games if asked.games is not None else GAMES if asked.soak is None else SOAKED_GAMES
    for name, (least, most) in LIMITS.items():
        value = games if name == "games" else getattr(asked, name)
        if not least <= value <= most:
            raise ValueError(f"{name}: expected {least:,} to {most:,}, got {value}")
    rules = read_rules(asked.rules)
    if asked.soak is None:
        _check_places(games, asked.steps)
    else:
        _check_soak(asked)
    return Setting(rules, games, asked.steps, min(asked.threads, cores()))


def _check_places(games: int, steps: int) -> None:
    if games * steps > MOST_PLACES:
        raise ValueError(f"games and steps: expected a product of at most {MOST_PLACES:,}, got {games * steps:,}")


def _check_soak(asked: Asked) -> None:
    if asked.soak is None or not 0 < asked.soak <= MOST_MINUTES:
        raise ValueError(f"soak: expected more than 0 and at most {MOST_MINUTES:,} minutes, got {asked.soak}")
    if asked.only or asked.peers or asked.startup or asked.solver or asked.training:
        options = "--only, --peers, --startup, --solver and --training"
        raise ValueError(f"soak: nothing is measured beside it; leave out {options}")


def chosen(names: list[str], only: tuple[str, ...]) -> list[str]:
    """The measures that are wanted; the calibrations always are. Raises ValueError for an unknown name."""
    for name in only:
        if name not in names:
            raise ValueError(f"only: expected names among {', '.join(names)}, got {name!r}")
    return [name for name in names if not only or name in only or name.startswith(CALIBRATION)]


def command_of(asked: Asked) -> str:
    """A command line that asks for the same."""
    words = ["piquet", "benchmark"]
    for name, value in asked._asdict().items():
        if value is True:
            words.append(f"--{name}")
        elif value not in (None, False, ()):
            words += [f"--{name}", *map(str, value if isinstance(value, tuple) else [value])]
    return shlex.join(words)
