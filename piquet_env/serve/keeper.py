"""Who keeps the bot's process: waits for its answers as long as is allowed, and starts another when one has ended."""

from __future__ import annotations

import contextlib
import signal
from multiprocessing import get_context
from typing import Any

from piquet_env.bots.base import BotError, Views
from piquet_env.serve.child import ANSWER, READY, Answer, work

_TO_END = 1.0  # seconds


class Keeper:
    """A bot in a process of its own.

    Args:
        name: as `load_bot` takes it.
        is_best: it takes its likeliest action.
        move_limit, load_limit: seconds for an answer, and for loading the bot.
    """

    def __init__(self, name: str, is_best: bool, move_limit: float, load_limit: float):
        self.name, self.is_best = name, is_best
        self._move_limit, self._load_limit = move_limit, load_limit
        self._context = get_context("spawn")  # a fork would copy threads that hold locks
        self._process: Any = None
        self._is_ready = False

    def __enter__(self) -> Keeper:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def facts(self) -> dict[str, Any]:
        """What the bot says of itself, once it is loaded and can answer. Raises BotError."""
        facts = self._loaded()
        self._loaded()  # it has answered in every phase
        self._is_ready = True
        return facts

    def ask(self, views: Views, seeds: tuple[int, ...]) -> Answer:
        """Its answer in one game; all chance comes from the seeds. Raises BotError: what it did wrong."""
        if self._process is None:
            self._begin()
        if not self._is_ready:
            self.facts()
        with contextlib.suppress(OSError):  # it has ended: noticed when it is waited for
            self._connection.send((views, seeds))
        kind, content = self._received(self._move_limit, "for a move")
        if kind != ANSWER:
            raise BotError(content)
        return content

    def _loaded(self) -> Any:
        kind, content = self._received(self._load_limit, "to be loaded")
        if kind != READY:
            self._end()
            raise BotError(content)
        return content

    def _received(self, seconds: float, doing: str) -> tuple[str, Any]:
        """What the process says. If it says nothing it is ended, and another begins."""
        try:
            if self._connection.poll(seconds):
                return self._connection.recv()
            fault = f"it took longer than {seconds:g} s {doing}"
        except (EOFError, OSError):
            fault = f"its process {self._how_ended()}"
        was_ready = self._is_ready
        self._end()
        if was_ready:
            self._begin()
        raise BotError(f"bot {self.name!r}: {fault}" + (", and is started again" if was_ready else ""))

    def _how_ended(self) -> str:
        self._process.join(_TO_END)
        code = self._process.exitcode or 0
        return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"

    def _begin(self) -> None:
        self._connection, theirs = self._context.Pipe()
        process = self._context.Process(target=work, args=(self.name, self.is_best, theirs), daemon=True)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the process, from its first moment
        try:
            process.start()
        finally:
            signal.signal(signal.SIGINT, before)
        theirs.close()
        self._process, self._is_ready = process, False

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._connection.close()
            self._process = None
