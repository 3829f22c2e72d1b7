"""A process that plays blocks of a tournament. A bot may end it; the pool then starts another.

Messages to it are (job, places or None); None ends it. From it come (`READY`, facts about the bots) or (`REFUSED`,
why) once, and then (`PLAYED`, what was played): once for a block, or once for each of the places.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import MutableSequence
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import IO

from piquet_env.arena.faults import ForgivingSide, merged
from piquet_env.arena.luck import DrawLuck
from piquet_env.arena.match import Block
from piquet_env.arena.provenance import facts_of
from piquet_env.arena.schedule import Job, Plan, Played
from piquet_env.arena.task import NOBODY
from piquet_env.bots.base import Bot, BotError
from piquet_env.bots.registry import load_bot

READY, REFUSED, PLAYED = "ready", "refused", "played"
ASKED = 0
"""Place of the shared numbers with the side that is being asked, or `NOBODY`; while loading the bot's number."""
LOAD_LIMIT = 600.0
"""Seconds for loading all bots."""
_SLACK = 1.0  # seconds for which the alarm is not set anew


def cores() -> int:
    """Cores that this process may use, for a worker on each."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Alarm:
    """Says which side is being asked, and ends the process when it takes too long.

    A thread of the interpreter itself does it, which needs nothing of what a hanging bot may hold, and writes down
    where it hung.
    """

    def __init__(self, plan: Plan, asked: MutableSequence[int], trace: IO[bytes]):
        self._plan, self._asked, self._trace = plan, asked, trace
        self._until, self._set_at = 0.0, 0.0

    def begin(self, side: int, games: int) -> None:
        """This side is asked for its moves in so many games."""
        self._asked[ASKED] = side
        now = time.monotonic()
        until = now + self._plan.allowed(games)
        if until > self._until or now > self._set_at + _SLACK:
            self.set(until - now + _SLACK)
            self._until, self._set_at = until + _SLACK, now

    def set(self, seconds: float) -> None:
        """End the process then."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._trace.fileno())

    def end(self) -> None:
        """The side has answered."""
        self._asked[ASKED] = NOBODY

    def rest(self) -> None:
        """Nobody will be asked for a while."""
        faulthandler.cancel_dump_traceback_later()
        self._until = 0.0


def work(plan: Plan, connection: Connection, asked: MutableSequence[int], trace_path: str) -> None:
    """The process: loads all bots, then plays what it is told to."""
    begin_as_worker()
    with open(trace_path, "wb", buffering=0) as trace:
        faulthandler.enable(trace.fileno())
        alarm = Alarm(plan, asked, trace)
        try:
            bots = _load(plan, asked, alarm)
            connection.send((READY, facts_of(dict(zip(plan.bots, bots, strict=True)))))
        except BotError as error:
            connection.send((REFUSED, str(error)))
            return
        _Worker(plan, bots, connection, alarm).serve()


def begin_as_worker() -> None:
    """Make this process one that others rely on: it ends with its parent and nothing else, on one core."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's to answer
    threading.Thread(target=_end_with_parent, daemon=True).start()
    os.dup2(sys.stderr.fileno(), 1)  # a bot may print what it likes
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # there is a worker for each core


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _load(plan: Plan, asked: MutableSequence[int], alarm: Alarm) -> list[Bot]:
    alarm.set(LOAD_LIMIT)
    bots = []
    for number, name in enumerate(plan.bots):
        asked[ASKED] = number
        bots.append(load_bot(name))
    asked[ASKED] = NOBODY
    alarm.rest()
    return bots


@dataclass
class _Worker:
    plan: Plan
    bots: list[Bot]
    connection: Connection
    alarm: Alarm

    def serve(self) -> None:
        """Play until told to end, or until nobody is there to tell."""
        try:
            while (told := self.connection.recv()) is not None:
                job, places = told
                for alone in [()] if places is None else [(place,) for place in places]:
                    self.connection.send((PLAYED, self._play(job, *alone)))
        except (EOFError, OSError):
            return

    def _play(self, job: Job, *alone: int) -> Played:
        plan = self.plan
        names = (plan.bots[job.a], plan.bots[job.b])
        sides = (
            ForgivingSide(0, names[0], self.bots[job.a], self.alarm),
            ForgivingSide(1, names[1], self.bots[job.b], self.alarm),
        )
        luck = DrawLuck(plan.seed, plan.orders) if plan.orders else None
        pairs = range(job.first, job.stop)
        block = Block(
            plan.rules, plan.episode, plan.seed, pairs, job.rngs(plan, *alone), plan.forfeit, luck, stored=plan.stored
        )
        if alone:
            block.keep_only(alone)
        deals, games = block.play(sides, lambda ended: None)
        self.alarm.rest()
        a, b = sides
        faults = tuple(merged([*a.faults, *b.faults]))
        return Played(deals, games, (a.seconds, b.seconds), (a.moves, b.moves), faults)
