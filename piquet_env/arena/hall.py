"""Where a tournament is played: from a folder and a pool of workers to the report."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from piquet_env.arena.command import GameProgress
from piquet_env.arena.faults import Fault
from piquet_env.arena.match import Match
from piquet_env.arena.pool import Pool
from piquet_env.arena.provenance import code_version, origin
from piquet_env.arena.run_folder import RunError, RunFolder, open_run, settings_of
from piquet_env.arena.schedule import Job, Plan, Played, given_up, jobs_left
from piquet_env.arena.standings import gathered, tournament_report
from piquet_env.options import announce_compiling


def hold(plan: Plan, pairs: int, folder: Path, workers: int, command: str) -> tuple[list[Match], dict[str, Any]]:
    """Play what is still to be played: the matches, and `tournament_report`.

    Raises:
        BotError, RunError: (ValueErrors) a bot cannot be loaded; the folder is another tournament's.
        PoolError: the processes end, and it is no bot's fault.
        OSError: a block cannot be written; all others are kept.
    """
    announce_compiling()
    code = code_version()
    blocks = len(plan.matches) * math.ceil(pairs / plan.block)
    with Pool(plan, min(workers, blocks)) as pool:
        facts = pool.start()
        with open_run(folder, settings_of(plan, facts.weights), code) as (run, codes):
            if len(codes) > 1:
                _note(f"{folder} was begun with another version of this package; the report names all")
            played = _Hall(plan, pairs, run).play(pool)
    jobs = sorted({*played, *jobs_left(plan, pairs, played)})
    made = gathered(plan, pairs, played, jobs)
    return made.matches, tournament_report(made, origin(command, facts) | {"code": codes})


def _note(message: str) -> None:
    print(f"piquet tournament: {message}", file=sys.stderr, flush=True)


class _Hall:
    """Where it is played: the blocks that have been, and those that are still to be."""

    def __init__(self, plan: Plan, pairs: int, run: RunFolder):
        self._plan, self._pairs, self._run = plan, pairs, run
        self._played = self._kept(pairs)
        self._left: deque[Job] = deque()
        self._faults = {job: played.faults for job, played in self._played.items() if played.faults}
        self._told: set[tuple[str, str]] = set()

    def _kept(self, pairs: int) -> dict[Job, Played]:
        """The blocks in the folder, of the first `pairs` pairs; damaged ones are set aside."""
        kept: dict[Job, Played] = {}
        stops: dict[tuple[int, int], int] = {}
        for job in self._run.jobs():
            if (job.a, job.b) in self._plan.matches and stops.get((job.a, job.b), 0) <= job.first < pairs:
                try:
                    kept[job] = self._run.read(job)
                    stops[job.a, job.b] = job.stop
                except RunError as error:
                    _note(f"{error}; its pairs are played again")
                    self._run.set_aside(job)
        return kept

    def play(self, pool: Pool) -> dict[Job, Played]:
        """Play what is left; every block is kept as soon as it has been played."""
        done = sum(job.games for job in self._played)
        left = sum(job.games for job in jobs_left(self._plan, self._pairs, self._played))
        with GameProgress(done + left, done) as self._progress:
            # Again, because a block may be passed over for faults that turn out to count for nobody.
            while self._find_left():
                for job, played in pool.play(self._next):
                    self._keep(job, played)
                    self._progress.advance(job.games)
        return self._played

    def _find_left(self) -> bool:
        """Look for what is still to be played: whether there is any."""
        left = jobs_left(self._plan, self._pairs, self._played)
        lost = given_up(self._plan, self._faults, left)
        self._left = deque(job for job in left if job not in lost)
        return bool(self._left)

    def _keep(self, job: Job, played: Played) -> None:
        self._run.write(job, played)
        self._played[job] = played
        if played.faults:
            self._faults[job] = played.faults
            self._tell(job, played.faults)

    def _next(self) -> Job | None:
        """The next block that nobody has lost already."""
        while self._left:
            job = self._left.popleft()
            if not given_up(self._plan, self._faults, [job]):
                return job
        return None

    def _tell(self, job: Job, faults: Iterable[Fault]) -> None:
        """Name a bot the first time that it does something wrong."""
        for fault in faults:
            bot = self._plan.bots[(job.a, job.b)[fault.side]]
            if (bot, fault.kind) not in self._told:
                self._told.add((bot, fault.kind))
                _note(f"bot {bot!r} loses a deal: {fault.message}")
