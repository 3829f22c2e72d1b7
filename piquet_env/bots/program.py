"""Any program that speaks `piquet-serve/1` as a bot: `load_bot("cmd:./mybot --fast")`."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import io
import itertools
import json
import os
import queue
import shlex
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import IO, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import BotError, ProgramError, Views
from piquet_env.bots.protocol import PROTOCOL, LineError, cut, first_line, parse_line, read_line
from piquet_env.engine import layout as at
from piquet_env.knowledge import VERSIONS
from piquet_env.notation import action_index, rules_of
from piquet_env.records.form import shown
from piquet_env.rules import Rules, RulesError
from piquet_env.views import VIEW_FORMAT, view

PREFIX = "cmd:"
MOVE_LIMIT, LOAD_LIMIT = 60.0, 300.0
"""Seconds for a move, and until a program has said hello."""
MOST_HANGS, MOST_ENDS = 3, 10
"""So often a program may hang, or end, and it is not started again."""
_GRACE = 2.0  # seconds to end in, once its input has
_SEEDS = 2**53  # below it every language reads a number exactly
_QUOTED = 60  # letters of a line that cannot be read
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


class ProgramBot:
    """A program that is asked for one move after another. It is ended with this object, or with this process.

    Args:
        name: "cmd:PROGRAM ARGUMENTS", quoted as for a shell, which there is none.
        move_limit, load_limit: seconds for a move, and until it says hello.

    Raises:
        BotError: it cannot be started, or does not say hello as it should.
    """

    def __init__(self, name: str, move_limit: float = MOVE_LIMIT, load_limit: float = LOAD_LIMIT):
        self.name, self.words = name, _words(name)
        self._move_limit, self._load_limit = move_limit, load_limit
        self._numbers = itertools.count(1)
        self._hangs, self._ends = 0, 0
        self._program: _Program | None = None
        hello = self._started()
        self.sha256 = hello["sha256"] if isinstance(hello.get("sha256"), str) else None
        self.trained_on = _rules(hello.get("rules"))

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game (B,), asked for one after another. Raises BotError."""
        seeds = rng.integers(_SEEDS, size=len(views.rows)).tolist()
        return np.array([self._move(row, seed) for row, seed in zip(views.rows, seeds, strict=True)], np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its name: the program is started once more."""
        return ProgramBot, (self.name, self._move_limit, self._load_limit)

    def __deepcopy__(self, memo: Any) -> ProgramBot:
        return self  # one program is enough

    def _move(self, row: NDArray[np.int64], seed: int) -> int:
        seen = view(row, int(row[at.ACTOR]))
        number = next(self._numbers)
        reply = self._asked({"id": number, "view": seen, "seed": seed})
        if reply.get("id") != number or type(reply.get("id")) is not int:
            self._refuse(f"field 'id': expected {number}, got {shown(reply.get('id'))}")
        if reply.get("type") == "error":
            where = f"field {reply['field']!r}: " if isinstance(reply.get("field"), str) else ""
            raise ProgramError(self.name, first_line(f"it answered by an error: {where}{reply.get('error')}"))
        if reply.get("type") != "action":
            self._refuse(f'field \'type\': expected "action" or "error", got {shown(reply.get("type"))}')
        if reply.get("action") not in seen["legal"]:
            legal = ", ".join(seen["legal"])
            raise ProgramError(self.name, f"field 'action': expected one of {legal}, got {shown(reply.get('action'))}")
        return action_index(reply["action"], rules_of(row))

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._program is None:
            self._started()
        assert self._program is not None
        return self._answered(json.dumps(request).encode() + b"\n", self._move_limit, "for a move")

    def _answered(self, line: bytes, seconds: float, doing: str) -> dict[str, Any]:
        """What it says to a line. Raises BotError: nothing, or it is no object; then the program has been ended."""
        assert self._program is not None
        try:
            answer = self._program.ask(line, seconds)
        except queue.Empty:
            self._hangs += 1
            self._refuse(f"it took longer than {seconds:g} s {doing}")
        if answer == b"":
            self._ends += 1
            self._refuse(self._program.how_ended())
        try:
            return parse_line(answer)
        except LineError as error:
            text = (answer or b"").decode(errors="replace").strip()
            self._refuse(f"its line cannot be read: {error}" + f"; the line: {cut(repr(text), _QUOTED)}" * bool(text))

    def _refuse(self, fault: str) -> NoReturn:
        """End the program; it is started again when it is asked again. Raises BotError."""
        if self._program is not None:
            self._program.end(0)
            self._program = None
        raise ProgramError(self.name, fault)

    def _started(self) -> dict[str, Any]:
        """Start the program: its hello. Raises BotError."""
        if self._hangs >= MOST_HANGS or self._ends >= MOST_ENDS:
            fault = f"it hung {self._hangs} times and ended {self._ends} times: not started again"
            raise ProgramError(self.name, fault)
        try:
            self._program = _Program(self.words)
        except (OSError, ValueError) as error:  # ValueError: a null byte
            reason = getattr(error, "strerror", None) or str(error)
            raise BotError(f"bot {self.name!r}: {self.words[0]!r} cannot be started: {reason}") from error
        hello = self._answered(b"", self._load_limit, "to say hello")
        expected = {"type": "hello", "protocol": PROTOCOL, "versions": VERSIONS, "view": VIEW_FORMAT}
        for field, value in expected.items():
            if hello.get(field) != value:
                self._refuse(f"hello, field {field!r}: expected {json.dumps(value)}, got {shown(hello.get(field))}")
        return hello


def _words(name: str) -> list[str]:
    """The program and its arguments. Raises BotError."""
    try:
        words = shlex.split(name.removeprefix(PREFIX))
    except ValueError as error:
        raise BotError(f"bot {name!r}: expected a program and its arguments: {error}") from error
    if not words:
        raise BotError(f"bot {name!r}: expected a program and its arguments, as in 'cmd:./mybot --fast'")
    return words


def _rules(spec: Any) -> Rules | None:
    """The rules that it says it was trained on, where they are any."""
    try:
        return Rules.make(spec) if isinstance(spec, str | dict) else None
    except RulesError:
        return None


class _Program:
    """A process, and a thread that speaks with it. Raises OSError."""

    def __init__(self, words: list[str]):
        group = 0 if os.name == "posix" else None  # of its own, with all that it starts
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            words, bufsize=0, stdin=pipe, stdout=pipe, preexec_fn=_before_exec(), process_group=group
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._talk = _Talk(self._process.stdin, self._process.stdout)
        self._talk.start()
        self._ended = weakref.finalize(self, _end, self._process, self._talk, _GRACE)

    def ask(self, line: bytes, seconds: float) -> bytes | None:
        """Write a line (b"": none); the next one that comes back, as `read_line` gives it. Raises queue.Empty."""
        return self._talk.ask(line, seconds)

    def how_ended(self) -> str:
        """How it ended, which has closed its output."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return "it closed its standard output"
        return f"it was ended by {signal.Signals(-code).name}" if code < 0 else f"it ended with exit status {code}"

    def end(self, seconds: float) -> None:
        """End it, after so many seconds by force."""
        self._ended.detach()
        _end(self._process, self._talk, seconds)


class _Talk(threading.Thread):
    """Writes lines to a program and reads its own, either of which may take for ever.

    None is read before it is wanted: the program may write more than anybody asked for.
    """

    def __init__(self, source: IO[bytes], output: IO[bytes]):
        super().__init__(daemon=True)
        self._input, self._output = source, io.BufferedReader(output)  # type: ignore[type-var] (it is a raw file)
        self._asked: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def run(self) -> None:
        answer: bytes | None = None
        with self._output:
            while answer != b"" and (line := self._asked.get()) is not None:
                self._write(line)
                answer = read_line(self._output)
                self._answers.put(answer)

    def _write(self, line: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has ended: noticed when it is read from
            while line:
                line = line[self._input.write(line) :]

    def ask(self, line: bytes, seconds: float) -> bytes | None:
        """Its answer, as `read_line` gives it. Raises queue.Empty: there is none within so many seconds."""
        self._asked.put(line)
        return self._answers.get(timeout=seconds)

    def end(self) -> None:
        """No more is wanted."""
        self._asked.put(None)


def _end(process: subprocess.Popen[bytes], talk: _Talk, seconds: float) -> None:
    """Close its input, and wait for so long until it and what it has started are killed."""
    talk.end()
    with contextlib.suppress(OSError):
        process.stdin.close()  # type: ignore[union-attr] (it is a pipe)
    if seconds:
        with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt):  # a second Ctrl-C: no more patience
            process.wait(seconds)
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def end_with_parent(parent: int) -> None:
    """On Linux: have the system kill this process when the one that started it ends, whatever both are doing.

    The system means the thread that started it; one that is to live on is started by a thread that does.
    """
    if (death_signal := _death_signal()) is not None:
        death_signal(_SET_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended before
            os._exit(1)


def _before_exec() -> Callable[[], None] | None:
    """What a new process does before it becomes the program."""
    return functools.partial(end_with_parent, os.getpid()) if _death_signal() is not None else None


@functools.cache  # looked up before there is a new process, which can do little
def _death_signal() -> Callable[[int, int], int] | None:
    return ctypes.CDLL(None).prctl if sys.platform == "linux" else None
