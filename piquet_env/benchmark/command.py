"""The command `piquet benchmark`."""

from __future__ import annotations

import contextlib
import json as json_module
import os
import sys
import time
from collections.abc import Iterator
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from piquet_env.benchmark.loops import Setting, own_measures
from piquet_env.benchmark.machine import origin
from piquet_env.benchmark.measure import Measure, rounds
from piquet_env.benchmark.options import Asked, BenchmarkError, chosen, command_of, setting_of
from piquet_env.benchmark.peers import PEERS, find_peers
from piquet_env.benchmark.report import report
from piquet_env.benchmark.screen import print_report, print_soak
from piquet_env.benchmark.soak import play_soak
from piquet_env.benchmark.solving import PIECES, measure_solver
from piquet_env.benchmark.startup import RUNS, measure_startup
from piquet_env.benchmark.training import training_measures
from piquet_env.options import announce_compiling

OK, GREW, REFUSED = 0, 1, 2
_PAUSE = 0.2  # seconds, at least, between two states of the bar during a soak


def benchmark(
    rules: str = "auction",
    repeats: int = 7,
    seconds: float = 0.3,
    games: int | None = None,
    steps: int = 64,
    threads: int = 2,
    only: tuple[str, ...] = (),
    peers: bool = False,
    startup: bool = False,
    solver: bool = False,
    training: bool = False,
    soak: float | None = None,
    json: bool = False,
) -> int:
    """Measure decisions per second, beside what the machine can do and beside other libraries.

    Everything is measured once in each repeat, and ratios are taken within a repeat: a machine's speed drifts.
    Exit status 1: memory grew (--soak). 2: an option cannot be used.

    Args:
        rules: a ruleset's name, or a JSON object of changed fields as in '{"base": "rubicon", "sinking": false}'.
        repeats: how often everything is measured.
        seconds: how long each is measured in each repeat, at least.
        games: how many are played at once; where it is not given 4,096, with --soak 100,000.
        steps: of the rollout buffer that is filled.
        threads: of the measures on several cores, and of --soak; no more than there are cores.
        only: measure only these, such as: batch fill.
        peers: measure other libraries too, those of them that are installed: pettingzoo, open_spiel, colver, pgx.
        startup: measure compiling and importing too, in new processes; half a minute.
        solver: measure the exact solver too, on whole deals; some seconds.
        training: measure the trainer too, beside its networks alone, and two processes of it; some minutes, and torch.
        soak: instead, play many games for so many minutes and see whether memory grows.
        json: print one JSON object instead of tables.
    """
    asked = Asked(rules, repeats, seconds, games, steps, threads, only, peers, startup, solver, training, soak)
    try:
        setting = setting_of(asked)
        with _silent_output():
            announce_compiling()
            made = _measured(asked, setting) if soak is None else _soaked(soak, setting, asked)
    except (ValueError, BenchmarkError) as error:
        print(f"piquet benchmark: {error}", file=sys.stderr)
        return REFUSED
    if json:
        print(json_module.dumps(made))
    else:
        (print_report if soak is None else print_soak)(made, Console())
    return GREW if made.get("grew") else OK


@contextlib.contextmanager
def _silent_output() -> Iterator[None]:
    """What others print to standard output, from Python or from within a library, goes to standard error."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _measured(asked: Asked, setting: Setting) -> dict[str, Any]:
    """Everything that was asked for. Raises ValueError for an unknown measure, BenchmarkError."""
    came_from = origin(command_of(asked))
    with _Bar() as bar, contextlib.ExitStack() as stack:
        bar.expect(_other_pieces(asked))
        measures = {measure.name: measure for measure in _own(asked, setting, bar, stack)}
        own = [measures[name] for name in chosen(list(measures), asked.only)]
        found = find_peers(PEERS, setting.games, bar.next) if asked.peers else None
        every = [*own, *(measure for each in (found.measures.values() if found else ()) for measure in each)]
        bar.expect(len(every) * (asked.repeats + 1))
        rates = rounds(every, asked.repeats, asked.seconds, bar.next)
        extra = {"startup": measure_startup(bar.next)} if asked.startup else {}
        extra |= {"solver": measure_solver(bar.next)} if asked.solver else {}
    return report(setting, own, found, rates, extra, came_from)


def _own(asked: Asked, setting: Setting, bar: _Bar, stack: contextlib.ExitStack) -> list[Measure]:
    """This project's measures. Raises BenchmarkError."""
    if asked.training:
        bar.next("training")
        return [*own_measures(setting), *training_measures(setting.threads, stack)]
    return own_measures(setting)


def _other_pieces(asked: Asked) -> int:
    """Of the bar, but for the rounds."""
    counts = {"peers": len(PEERS), "startup": RUNS, "solver": PIECES, "training": 1}
    return sum(count for option, count in counts.items() if getattr(asked, option))


def _soaked(minutes: float, setting: Setting, asked: Asked) -> dict[str, Any]:
    """What a soak gave. Raises BenchmarkError."""
    came_from = origin(command_of(asked))
    with _Bar() as bar:
        bar.expect(1 + round(60 * minutes))
        made = play_soak(setting.rules, setting.games, minutes, setting.threads, bar.at_second)
    return made | {"rules": setting.rules.spec(), **came_from}


class _Bar:
    """A bar on the terminal, on standard error. It is drawn only when it is told of something, between measurements."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self._bar = Progress(
            *columns, console=console, transient=True, auto_refresh=False, disable=not console.is_terminal
        )
        self._task = self._bar.add_task("", total=0)
        self._total = 0
        self._begun = -1
        self._drawn = time.monotonic()

    def expect(self, pieces: int) -> None:
        """So many more are to come."""
        self._total += pieces
        self._bar.update(self._task, total=self._total)

    def next(self, what: str) -> None:
        """The next piece begins, and the one before is done."""
        self._begun += 1
        self._bar.update(self._task, completed=self._begun, description=what, refresh=True)

    def at_second(self, second: float) -> None:
        """So far is a soak; below 0: it is in its first round."""
        if time.monotonic() - self._drawn > _PAUSE:
            self._drawn = time.monotonic()
            what = "first round" if second < 0 else "soak"
            self._bar.update(self._task, completed=max(0.0, second), description=what, refresh=True)

    def __enter__(self) -> _Bar:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
