"""The command `piquet table`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from piquet_env.cli import INTERRUPTED, OK, REFUSED
from piquet_env.files import write_text
from piquet_env.options import announce_compiling
from training.table.data import JSON, collected, read_table, written
from training.table.page import write_page
from training.table.pieces import KINDS, PIECE, Folder, Piece
from training.table.plan import PlanError
from training.table.reading import load_plan
from training.table.work import FAULTS, chosen, estimate, left, plain_console, work, work_in_processes

OUT = Path("runs/table")


def table(
    plan: tyro.conf.Positional[Path | None] = None,
    out: Annotated[Path | None, tyro.conf.arg(aliases=["-o"])] = None,
    only: tuple[str, ...] = (),
    jobs: int = 1,
    show: Annotated[bool, tyro.conf.arg(name="list")] = False,
    report: Annotated[Path | None, tyro.conf.arg(metavar="JSON")] = None,
) -> int:
    """Train every algorithm of a plan on every game, measure them all alike, and write a page with the table.

    Ctrl-C saves and ends; the same command goes on. Several processes and shells can share the work.

    Args:
        plan: a YAML file, as `configs/benchmark/table.yaml`, whose beginning says what can be in it.
        out: the folder of runs, results and page (default: runs/table; with --report: where the JSON file is).
        only: make only the pieces whose names match, as in 'runs/micro/*' 'matches/*/ppo-*', and what they need.
        jobs: processes; give the runs as many `threads` as there are cores for each.
        show: list the pieces, which of them are finished, and about how long the rest will take; make nothing.
        report: write the page and its plots anew from a table.json, and nothing else.
    """
    try:
        if jobs < 1:
            raise PlanError(f"jobs: expected at least 1, got {jobs}")
        if report is not None:
            return _report(report, out)
        if plan is None:
            raise PlanError("expected a plan, or --report table.json")
        return _make(plan, out or OUT, only, jobs, show)
    except FAULTS as error:
        print(f"piquet table: {error or 'not enough memory'}", file=sys.stderr)
        return REFUSED


def _report(file: Path, out: Path | None) -> int:
    made = read_table(file)
    folder = out or file.parent
    folder.mkdir(parents=True, exist_ok=True)
    try:
        page = write_page(made, folder)
    except PlanError as error:
        raise PlanError(f"report: {file} is damaged: {error}") from error
    if (folder / JSON).resolve() != file.resolve():
        write_text(folder / JSON, written(made))
    _say_written(page)
    return OK


def _make(path: Path, out: Path, only: tuple[str, ...], jobs: int, show: bool) -> int:
    folder = Folder(out, load_plan(path))
    pieces = chosen(folder.pieces, only)
    console = Console(markup=False, soft_wrap=True) if sys.stdout.isatty() else plain_console(sys.stdout)
    if show:
        if out.exists():
            folder.check()
        _list(folder, pieces, jobs, console)
        return OK
    folder.begin()
    announce_compiling()
    console.print(f"{path} -> {out}: {left(folder, pieces, jobs)}", highlight=False)
    if jobs == 1:
        status = work(folder, pieces, console)
    else:
        status = work_in_processes(folder, [piece.name for piece in pieces], jobs)
    made = collected(folder, shlex.join(["piquet", "table", str(path), "--out", str(out)]))
    if made["pieces"]:
        try:
            page = write_page(made, out)
        except PlanError as error:
            raise PlanError(f"out: a {PIECE} in {out} is damaged: {error}") from error
        write_text(out / JSON, written(made))
        _say_written(page)
    if status == INTERRUPTED:
        console.print("Stopped, and saved; the same command goes on.")
    console.print(left(folder, folder.pieces, jobs), highlight=False)
    return status


def _say_written(page: Path) -> None:
    print(f"the page: {page}, from {page.with_name(JSON)}")


def _list(folder: Folder, pieces: list[Piece], jobs: int, console: Console) -> None:
    """What is finished, and how long the rest will take, by kind and game; then every name."""
    for piece in pieces:
        console.print(f"{'finished' if folder.finished(piece) else 'to make':<9} {piece.name}", highlight=False)
    table = Table("", "finished", "hours left")
    groups = dict.fromkeys((piece.kind, piece.game) for kind in KINDS for piece in pieces if piece.kind == kind)
    for kind, game in groups:
        here = [piece for piece in pieces if (piece.kind, piece.game) == (kind, game)]
        todo = [piece for piece in here if not folder.finished(piece)]
        cells = (f"{len(here) - len(todo)} of {len(here)}", f"{estimate(folder, todo) / jobs / 3600:.2f}")
        table.add_row(f"{kind}/{game}", *cells)
    console.print(table)
    console.print(left(folder, pieces, jobs), highlight=False)
