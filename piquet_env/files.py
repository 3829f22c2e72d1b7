"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PARTIAL = ".tmp"
LOCK = ".lock"


class LockedError(Exception):
    """A folder that another process has for itself."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it takes the place of `path` when the block ends without an error.

    Links are followed. Raises OSError: what is there is no regular file, or the file cannot be written.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "not a regular file", str(path))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_partial_files(folder: Path) -> None:
    """What processes that were killed had begun to write; no other may be writing there. Raises OSError."""
    for partial in folder.glob(f".*{PARTIAL}"):
        partial.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder for this process alone, where the system can do that; a kill ends it.

    Raises LockedError: another process has it. OSError: no file can be written there.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with open(folder / LOCK, "wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LockedError(f"{folder}: another process has it") from error
        except OSError:
            pass  # a file system without locks
        yield


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a `whole_file` of UTF-8 text, what has no letter there as a backslash sequence. Raises OSError."""
    with whole_file(path) as partial:
        partial.write_text(text, encoding="utf-8", errors="backslashreplace")


def file_to_write(option: str, path: str | os.PathLike[str]) -> Path:
    """The file that an option of a command means, links followed. Raises ValueError where none can be written.

    Better refused now than after hours of play.
    """
    file = Path(os.path.realpath(path))
    if os.path.lexists(file) and not os.path.isfile(file):
        raise ValueError(f"{option}: no file can be written at {path}: what is there is no regular file")
    try:
        # With a name as long as that of the file that `whole_file` writes first.
        tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", suffix=PARTIAL).close()
    except OSError as error:
        raise ValueError(f"{option}: no file can be written at {path}: {error.strerror}") from error
    return file
