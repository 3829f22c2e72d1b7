"""Processes that tests of training may kill: forked from one that has imported everything, so they begin at once."""

from __future__ import annotations

import functools
import multiprocessing
import os
import pkgutil
import signal
import sys
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from typing import Any
from unittest import mock


@functools.cache
def context() -> Any:
    """For processes that are forked from one that has imported `warm`.

    Python 3.11 does not hand our path on to that one, and passes over what it then cannot import; and if a test has had
    one started before, it goes on without our preload. So an old one is stopped, and the new one told where `warm` is.
    """
    made = multiprocessing.get_context("forkserver")
    forkserver._forkserver._stop()
    made.set_forkserver_preload(["warm"])
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths))):
        forkserver.ensure_running()
    return made


class Run:
    """A process of `piquet ARGUMENTS`, at once started; `prepare(*given)` is called in it first."""

    def __init__(self, arguments: list[object], prepare: Callable[..., None] | None = None, *given: Any):
        self.output, theirs = context().Pipe(duplex=False)
        self.process = context().Process(target=_run, args=(list(map(str, arguments)), theirs, prepare, *given))
        self.process.start()
        theirs.close()

    def wait(self, seconds: float) -> bool:
        """Whether it is over after so many seconds."""
        self.process.join(seconds)
        return self.process.exitcode is not None

    def kill(self) -> None:
        """By SIGKILL."""
        self.process.kill()
        self.process.join()

    def end(self) -> tuple[int, str]:
        """Its exit status, negative after a signal, and all that it printed."""
        assert self.wait(300), "it hangs"
        said = b""
        while part := os.read(self.output.fileno(), 2**16):
            said += part
        return self.process.exitcode or 0, said.decode()


def piquet(arguments: list[object], prepare: Callable[..., None] | None = None, *given: Any) -> tuple[int, str]:
    """`Run` to its end."""
    return Run(arguments, prepare, *given).end()


def _run(arguments: list[str], output: Any, prepare: Callable[..., None] | None, *given: Any) -> None:
    from piquet_env import cli

    assert "warm" in sys.modules, "or every run would import and load all anew, ten times slower"
    for stream in (1, 2):  # a pipe, which goes on working when no file can be written
        os.dup2(output.fileno(), stream)
    sys.stdout, sys.stderr = (open(stream, "w", buffering=1, closefd=False) for stream in (1, 2))  # noqa: SIM115 (for the life of the process)
    if prepare is not None:
        prepare(*given)
    status = cli.main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def die_at(place: str, number: int) -> None:
    """End this process by SIGKILL at the call with this number of a function, named as in "os.replace"."""
    _before_call(place, number, lambda: os.kill(os.getpid(), signal.SIGKILL))


def full_disk_at(place: str, number: int) -> None:
    """From the call with this number of a function, no file can be written to."""
    import resource

    _before_call(place, number, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))


def _before_call(place: str, number: int, happens: Callable[[], None]) -> None:
    owner_name, _, name = place.rpartition(".")
    owner = pkgutil.resolve_name(owner_name)
    calls, call = iter(range(1, 10**9)), getattr(owner, name)

    def counted(*arguments: Any, **options: Any) -> Any:
        if next(calls) == number:
            happens()
        return call(*arguments, **options)

    setattr(owner, name, counted)
