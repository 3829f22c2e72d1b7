"""Making the pieces, in one process or several: a piece that another process is at is left to it."""

from __future__ import annotations

import fnmatch
import io
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from piquet_env.arena.worker import cores
from piquet_env.bots import BotError
from piquet_env.cli import INTERRUPTED, OK, REFUSED
from piquet_env.options import announce_compiling
from training.checkpoint import CheckpointError
from training.config import ConfigError
from training.table.make import make
from training.table.pieces import CROSS, MATCHES, RESPONSES, RUNS, Folder, Piece
from training.table.plan import Plan, PlanError
from training.train import stop_on_signal
from training.trainer import TrainingError

FAULTS = (PlanError, ConfigError, CheckpointError, BotError, TrainingError, OSError, MemoryError)
"""What ends the work with one line."""
_USUAL = {RUNS: 5e-5, RESPONSES: 2e-4, MATCHES: 2e-3, CROSS: 2e-3}
"""Seconds for a decision or for a duplicate deal, as long as nothing of the kind was made."""
_EXPERT = 0.1  # seconds for a duplicate deal against one
_EXACT = 10.0  # seconds
_POLL = 1.0  # seconds


def chosen(pieces: Sequence[Piece], patterns: Sequence[str]) -> list[Piece]:
    """The pieces whose names match one of the patterns, and what they need; without patterns, all.

    Raises PlanError: a pattern matches none.
    """
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(piece.name, pattern) for piece in pieces):
            raise PlanError(f"only: no piece is called {pattern!r}; --list shows all")
    found = [p for p in pieces if not patterns or any(fnmatch.fnmatchcase(p.name, pattern) for pattern in patterns)]
    needed = {need for piece in found for need in piece.needs}
    return [piece for piece in pieces if piece in needed or piece in found]


def work(folder: Folder, pieces: Sequence[Piece], console: Console, jobs: int = 1) -> int:
    """Make what is not finished of these pieces: an exit status. Raises FAULTS, KeyboardInterrupt."""
    is_told = False
    while True:
        has_made, busy = False, []
        for piece in pieces:
            if folder.finished(piece) or not all(folder.finished(need) for need in piece.needs):
                continue
            with folder.claimed(piece) as is_mine:
                if not is_mine:
                    busy.append(piece)
                elif not folder.finished(piece):  # by another process, just now
                    has_made = True
                    if not _made(folder, piece, pieces, console, jobs):
                        return INTERRUPTED
        if has_made:
            continue
        if not busy:
            return OK
        if not is_told:
            is_told = True
            console.print(f"waiting for what another process is making: {', '.join(p.name for p in busy)}")
        time.sleep(_POLL)


def _made(folder: Folder, piece: Piece, pieces: Sequence[Piece], console: Console, jobs: int) -> bool:
    console.print(f"{piece.name} …", highlight=False)
    torch.set_num_threads(max(1, cores() // jobs))  # a trainer sets its own
    # Without a bar, several processes may write to the same screen or file.
    kept = make(folder, piece, console if console.is_terminal else plain_console(_Named(piece.name)))
    if kept is None:
        return False
    console.print(f"{piece.name}: {_said(kept['result'])}; {left(folder, pieces, jobs)}", highlight=False)
    return True


def plain_console(file: Any) -> Console:
    """One that writes lines, as long as they are."""
    return Console(file=file, force_terminal=False, markup=False, soft_wrap=True, width=120)


class _Named(io.TextIOBase):
    """Standard output, on which every line begins with the name of a piece."""

    def __init__(self, name: str):
        self._name, self._begun = name, ""

    def write(self, text: str) -> int:
        """Write the lines that are whole, and keep what has begun."""
        *lines, self._begun = (self._begun + text).split("\n")
        print("".join(f"{self._name}: {line}\n" for line in lines if line.strip()), end="", flush=True)
        return len(text)


def _said(result: dict[str, Any]) -> str:
    """What came of a piece, in a few words."""
    if "interval" in result:
        return f"{result['mean']:+.1f} [{result['interval'][0]:+.1f}, {result['interval'][1]:+.1f}] points per deal"
    if "mean" in result:
        return f"exploitability {result['mean']:.2f}"
    return f"{result['decisions']:,} decisions"


def left(folder: Folder, pieces: Sequence[Piece], jobs: int) -> str:
    """How many of these pieces are finished, and about how long the rest will take."""
    finished = [piece for piece in pieces if folder.finished(piece)]
    told = f"{len(finished)} of {len(pieces)} pieces are finished"
    if len(finished) == len(pieces):
        return told
    seconds = estimate(folder, [piece for piece in pieces if piece not in finished]) / jobs
    return f"{told}, about {timedelta(seconds=round(seconds))} left"


def estimate(folder: Folder, pieces: Sequence[Piece]) -> float:
    """Seconds that one process will take for these pieces, by what those of the same kind took."""
    rates: dict[tuple[str, ...], list[float]] = {}
    for piece in folder.pieces:
        if kept := folder.finished(piece):
            for key in _keys(piece):
                rates.setdefault(key, []).append(kept["seconds"] / _size(folder.plan, piece))
    total = 0.0
    for piece in pieces:
        known = next((rates[key] for key in _keys(piece) if key in rates), None)
        rate = sum(known) / len(known) if known else _usual(folder.plan, piece)
        total += rate * _size(folder.plan, piece)
    return total


def _keys(piece: Piece) -> list[tuple[str, ...]]:
    """What a piece is like, the closest first."""
    closest = (piece.kind, piece.game, piece.against, *(run.algorithm for run in piece.runs))
    return [closest, closest[:3], (piece.kind, piece.against)]


def _size(plan: Plan, piece: Piece) -> int:
    """Decisions, or duplicate deals."""
    game = plan.games[piece.game]
    if piece.kind == RUNS:
        return plan.config_of(piece.game, *piece.runs[0]).decisions
    if piece.kind == RESPONSES and game.response:
        return game.response.decisions
    return game.opponents[piece.against] if piece.kind == MATCHES else game.cross if piece.kind == CROSS else 1


def _usual(plan: Plan, piece: Piece) -> float:
    if piece.against.startswith("expert"):
        return _EXPERT
    # That is with two cores; a run of one thread has one of them.
    slower = 2 if piece.kind == RUNS and plan.config_of(piece.game, *piece.runs[0]).threads == 1 else 1
    return slower * _USUAL.get(piece.kind, _EXACT)


def work_in_processes(folder: Folder, names: Sequence[str], jobs: int) -> int:
    """`work` in several processes, which share the pieces called so: an exit status."""
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_worker, args=(folder.plan, folder.path, list(names), jobs)) for _ in range(jobs)]
    with stop_on_signal() as stopped:
        for worker in workers:
            worker.start()
        is_told = False
        while any(worker.is_alive() for worker in workers):
            time.sleep(_POLL / 4)
            if stopped() and not is_told:
                is_told = True
                for worker in workers:
                    worker.terminate()  # SIGTERM: it saves, and ends
    codes = {worker.exitcode for worker in workers}
    if is_told or INTERRUPTED in codes:
        return INTERRUPTED
    if codes - {OK, REFUSED}:
        raise PlanError("a process was ended from outside; the same command goes on with what is finished")
    return REFUSED if REFUSED in codes else OK


def _worker(plan: Plan, path: Path, names: Sequence[str], jobs: int) -> None:
    """The whole of one process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    announce_compiling()
    folder = Folder(path, plan)
    pieces = [piece for piece in folder.pieces if piece.name in names]
    try:
        sys.exit(work(folder, pieces, plain_console(sys.stdout), jobs))
    except FAULTS as error:
        print(f"piquet table: {error or 'not enough memory'}", file=sys.stderr)
        sys.exit(REFUSED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
