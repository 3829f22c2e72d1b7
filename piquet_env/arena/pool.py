"""The workers of a tournament: one process to a core, started again when a bot has ended one."""

from __future__ import annotations

import contextlib
import re
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from piquet_env.arena.faults import ENDED, HUNG
from piquet_env.arena.provenance import Facts
from piquet_env.arena.schedule import Job, Plan, Played
from piquet_env.arena.task import NOBODY, Death, PoolError, Task
from piquet_env.arena.worker import ASKED, READY, REFUSED, work
from piquet_env.bots.base import BotError

_FROM_OUTSIDE = (signal.SIGTERM, signal.SIGINT, getattr(signal, "SIGKILL", 9), getattr(signal, "SIGHUP", 1))
_TO_END = 2.0  # seconds


class Pool:
    """Workers that play the blocks of a plan.

    with Pool(plan, 2) as pool:
        for job, played in pool.play(next_job): ...
    """

    def __init__(self, plan: Plan, workers: int):
        self.plan, self._number = plan, workers
        self._workers: list[_Worker] = []
        self._folder = tempfile.TemporaryDirectory(prefix="piquet-")
        self._context = get_context("spawn")  # a fork would copy threads that hold locks
        self._started = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()
        self._folder.cleanup()

    def start(self) -> Facts:
        """Start the workers and wait for them: what they say of the bots. Raises BotError."""
        self._workers = [self._new() for _ in range(self._number)]
        facts = [self._readied(worker) for worker in self._workers]
        return facts[0]

    def play(self, next_job: Callable[[], Job | None]) -> Iterator[tuple[Job, Played]]:
        """Play jobs until there is none left: (job, what was played) as each is done.

        Raises:
            BotError: a bot could be loaded before, and now cannot.
            PoolError: the workers end, and it is no bot's fault.
        """
        waiting: deque[Task] = deque()
        while self._hand_out(waiting, next_job):
            busy = {worker.connection: worker for worker in self._workers if worker.task is not None}
            for connection in wait(list(busy)):
                worker = busy[connection]  # type: ignore[index] (`wait` gives back what it is given)
                task = self._receive(worker)
                if task.is_done:
                    worker.task = None
                    yield task.job, task.result()
                elif worker.task is None:
                    waiting.append(task)

    def _hand_out(self, waiting: deque[Task], next_job: Callable[[], Job | None]) -> bool:
        """Give every idle worker something to do; False: nobody is at work."""
        for worker in self._workers:
            if worker.task is None and not waiting and (job := next_job()) is not None:
                waiting.append(Task(self.plan, job))
            if worker.task is None and waiting:
                worker.give(waiting.popleft())
        return any(worker.task is not None for worker in self._workers)

    def _receive(self, worker: _Worker) -> Task:
        """What a worker says, or how it ended: it has no task then, and another is started in its place."""
        task = worker.task
        assert task is not None
        try:
            _, played = worker.connection.recv()
            task.receive(played)
        except (EOFError, OSError):
            task.worker_ended(worker.death(self.plan))
            worker.end()
            place = self._workers.index(worker)
            self._workers[place] = self._new()
            self._readied(self._workers[place])
            worker.task = None
        return task

    def _new(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        asked = self._context.RawArray("q", [NOBODY])
        self._started += 1
        trace = Path(self._folder.name) / str(self._started)
        process = self._context.Process(target=work, args=(self.plan, theirs, asked, str(trace)), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours, asked, trace)

    def _readied(self, worker: _Worker) -> Facts:
        try:
            kind, content = worker.connection.recv()
        except (EOFError, OSError):
            death = worker.death(self.plan)
            if death.side == NOBODY:
                raise PoolError(f"a worker could not be started: {death.message}") from None
            raise BotError(f"bot {self.plan.bots[death.side]!r}: while it was loaded it {death.message}") from None
        if kind == REFUSED:
            raise BotError(content)
        assert kind == READY
        return content


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    connection: Connection
    asked: Any
    trace: Path
    task: Task | None = None

    def give(self, task: Task) -> None:
        """Let it play what is left of a task."""
        self.task = task
        with contextlib.suppress(OSError):  # it has ended: noticed when it is waited for
            self.connection.send((task.job, task.places))

    def end(self) -> None:
        """End the process, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()

    def death(self, plan: Plan) -> Death:
        """How it ended."""
        self.process.join(_TO_END)
        self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        trace = self.trace.read_text(errors="replace") if self.trace.exists() else ""
        if trace.startswith("Timeout"):
            message = f"took longer than {plan.move_limit:g} s for a move{_where(trace)}"
            return Death(self.asked[ASKED], HUNG, message, False)
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        message = f"ended the process with {how}{_where(trace)}"
        return Death(self.asked[ASKED], ENDED, message, -code in _FROM_OUTSIDE)


def _where(trace: str) -> str:
    """The innermost line of Python that was running, in the thread that asks bots: the current one or the last."""
    thread = trace.rpartition("Current thread" if "Current thread" in trace else "\nThread")[2]
    found = re.search(r'File "(.*)", line (\d+)', thread)
    return f" ({found[1]}:{found[2]})" if found else ""
