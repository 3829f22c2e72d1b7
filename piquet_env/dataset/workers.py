"""The blocks of a plan, played one after another or by several processes; they come in the same order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple

import pyarrow as pa

from piquet_env.arena.worker import begin_as_worker
from piquet_env.bots.base import Bot, BotError
from piquet_env.bots.registry import load_bot
from piquet_env.dataset.form import record_batch
from piquet_env.dataset.games import Block, Plan
from piquet_env.dataset.players import Player

_TO_END = 2.0  # seconds


def play_here(plan: Plan, bots: tuple[Bot, Bot], progress: Callable[[int], object]) -> Iterator[pa.RecordBatch]:
    """The decisions of each block, played in this process. Raises BotError."""
    players = (Player(plan.bots[0], bots[0]), Player(plan.bots[1], bots[1]))
    for number in range(plan.blocks):
        yield record_batch(Block(plan, number).play(players, progress))


def play_in_processes(plan: Plan, workers: int, progress: Callable[[int], object]) -> Iterator[pa.RecordBatch]:
    """The same by so many processes, of which each plays every so-many-th block, and waits until it is its turn.

    Raises:
        BotError: a bot does what no bot may do, or a process has ended.
    """
    crew = [_Worker.start(plan, first, workers) for first in range(workers)]
    try:
        for number in range(plan.blocks):
            yield crew[number % workers].receive()
            progress(min(plan.block, plan.games - number * plan.block))
    finally:
        for worker in crew:
            worker.process.kill()
            worker.process.join()
            worker.connection.close()


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection

    @classmethod
    def start(cls, plan: Plan, first: int, workers: int) -> _Worker:
        """A process that plays the blocks `first`, `first + workers`, ..."""
        context = get_context("spawn")  # a fork would copy threads that hold locks
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(plan, theirs, first, workers), daemon=True)
        process.start()
        theirs.close()
        return cls(process, ours)

    def receive(self) -> pa.RecordBatch:
        """Its next block. Raises BotError."""
        try:
            received = self.connection.recv()
        except (EOFError, OSError):
            raise BotError(f"a process that played the bots {self._end()}") from None
        if isinstance(received, str):
            raise BotError(received)
        return received

    def _end(self) -> str:
        self.process.join(_TO_END)
        code = self.process.exitcode or 0
        return f"was ended by signal {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"


def _work(plan: Plan, connection: Connection, first: int, workers: int) -> None:
    """The process."""
    begin_as_worker()
    try:
        players = (Player(plan.bots[0], load_bot(plan.bots[0])), Player(plan.bots[1], load_bot(plan.bots[1])))
        for number in range(first, plan.blocks, workers):
            connection.send(record_batch(Block(plan, number).play(players, _ignore)))
    except BotError as error:
        connection.send(str(error))
    except KeyboardInterrupt:  # a bot's own, for nobody else interrupts a worker
        connection.send("a bot raised KeyboardInterrupt")


def _ignore(games: int) -> None:
    pass
