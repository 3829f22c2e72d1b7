"""The folder of a tournament: its settings, and every block that has been played, each in a file of its own.

    settings.json              what is played, and with which version of this package
    blocks/A-B/FIRST-STOP.npz  pairs FIRST to STOP - 1 of the bots number A and B: `deals`, `games` (arena/tables.py)
    deals.csv, report.json, report.html

A file is written whole or not at all, so a run may be killed at any moment.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from piquet_env.arena.faults import Fault
from piquet_env.arena.provenance import about_playout
from piquet_env.arena.schedule import Job, Plan, Played
from piquet_env.arena.tables import DEAL, GAME
from piquet_env.files import LockedError, locked, whole_file
from piquet_env.knowledge import VERSIONS

FORMAT = 1
SETTINGS, BLOCKS = "settings.json", "blocks"
_NAME = re.compile(r"(\d+)-(\d+)/(\d+)-(\d+)\.npz")
_BROKEN = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error, AssertionError)


class RunError(ValueError):
    """A folder that cannot be used, or holds another tournament."""


def settings_of(plan: Plan, weights: Mapping[str, str]) -> dict[str, Any]:
    """All that must be the same when a run goes on, as a JSON object."""
    return {
        "format": FORMAT,
        "bots": list(plan.bots),
        "weights": dict(weights),
        "rules": plan.rules.spec(),
        "episode": plan.episode,
        "seed": plan.seed,
        "block": plan.block,
        "forfeit": plan.forfeit,
        "luck_orders": plan.orders,
        "move_limit": plan.move_limit,
        "versions": dict(VERSIONS),
        **about_playout(plan.episode, plan.stored),
    }


def check_can_be_made(path: Path) -> None:
    """Before anything is loaded or played. Raises RunError: no folder can be there, or it is no tournament's."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        entries = {entry.name for entry in path.iterdir()}
        probe = path / f".probe.{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise RunError(f"out: no tournament can be kept in {path}: {error.strerror}") from error
    if SETTINGS not in entries and not all(entry.startswith(".") for entry in entries):
        raise RunError(f"out: {path} is not empty, and has no {SETTINGS} of a tournament: give another folder")


class RunFolder:
    """A folder that is this process's own while it is open: `with open_run(path, settings, commit) as run`."""

    def __init__(self, path: Path, settings: Mapping[str, Any]):
        self.path = path
        self._digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()

    def file(self, job: Job) -> Path:
        """Where a block is."""
        return self.path / BLOCKS / f"{job.a}-{job.b}" / f"{job.first:08}-{job.stop:08}.npz"

    def write(self, job: Job, played: Played) -> None:
        """Keep a block. Raises OSError."""
        file = self.file(job)
        file.parent.mkdir(parents=True, exist_ok=True)
        facts = {"settings": self._digest, "job": list(job), "faults": [list(fault) for fault in played.faults]}
        facts |= {"seconds": list(played.seconds), "moves": list(played.moves)}
        with whole_file(file) as partial, partial.open("xb") as stream:
            np.savez_compressed(stream, deals=played.deals, games=played.games, facts=np.array(json.dumps(facts)))

    def read(self, job: Job) -> Played:
        """A block that was kept. Raises RunError: it is damaged, or of another run."""
        try:
            with np.load(self.file(job), allow_pickle=False) as content:
                deals, games, facts = content["deals"], content["games"], json.loads(str(content["facts"]))
            faults = tuple(Fault(*fault) for fault in facts["faults"])
            seconds, moves = facts["seconds"], facts["moves"]
            played = Played(deals, games, (seconds[0], seconds[1]), (moves[0], moves[1]), faults)
        except _BROKEN as error:
            raise RunError(f"{self.file(job)} is damaged ({error})") from error
        if (facts.get("settings"), facts.get("job")) != (self._digest, list(job)):
            raise RunError(f"{self.file(job)} is no block of this run")
        if not _has_all(job, played):
            raise RunError(f"{self.file(job)} is damaged (it has not the games it should have)")
        return played

    def set_aside(self, job: Job) -> None:
        """Rename the file of a damaged block, so that it is played again."""
        file = self.file(job)
        file.replace(file.with_name(f"{file.name}.damaged"))

    def jobs(self) -> list[Job]:
        """The blocks that there are files of, in order."""
        blocks = self.path / BLOCKS
        names = [_NAME.fullmatch(file.relative_to(blocks).as_posix()) for file in blocks.glob("*/*.npz")]
        return sorted(Job(int(n[3]), int(n[4]), int(n[1]), int(n[2])) for n in names if n)


def _has_all(job: Job, played: Played) -> bool:
    """Whether these are the tables of all games of the block."""
    if (played.deals.dtype, played.games.dtype) != (DEAL, GAME):
        return False
    pairs = np.repeat(np.arange(job.first, job.stop), 2)
    return np.array_equal(played.games["pair"], pairs) and bool(np.isin(played.deals["pair"], pairs).all())


@contextmanager
def open_run(path: Path, settings: dict[str, Any], code: dict[str, Any]) -> Iterator[tuple[RunFolder, list[Any]]]:
    """The folder of a run, begun or gone on with: (the folder, every `code` that it was played with).

    Args:
        path: of the folder, which is there (`check_can_be_made`).
        settings: `settings_of` the plan.
        code: the version of this package, as far as it is known.

    Raises:
        RunError: another process is at it, or it holds another tournament.
        OSError: the settings cannot be written.
    """
    with _locked(path):
        codes = _known_codes(path, settings)
        if code not in codes:
            codes.append(code)
            with whole_file(path / SETTINGS) as partial:
                partial.write_text(json.dumps({"settings": settings, "code": codes}, indent=1))
        for left in (path / BLOCKS).glob("*/.*.tmp"):  # by a process that was killed while it wrote
            left.unlink(missing_ok=True)
        yield RunFolder(path, settings), codes


def _known_codes(path: Path, settings: dict[str, Any]) -> list[Any]:
    file = path / SETTINGS
    if not file.exists():
        return []
    try:
        kept = json.loads(file.read_bytes())
        before, codes = dict(kept["settings"]), list(kept["code"])
    except _BROKEN as error:
        raise RunError(f"out: {file} is damaged ({error}): give another folder, or the file as it was") from error
    for name, value in settings.items():
        if before.get(name) != value:
            said = "is of" if name != "weights" else "was played with other weights:"
            was, now = json.dumps(before.get(name)), json.dumps(value)
            raise RunError(f"out: the tournament in {path} {said} {name} {was}, not {now}: give another folder")
    return codes


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        with locked(path):
            yield
    except LockedError as error:
        raise RunError(f"out: another process is playing the tournament in {path}") from error
