"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import secrets
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

PARTIAL = ".tmp"
LOCK = ".lock"
# RuntimeError: zipfile finds an entry encrypted, or compressed in a way that it does not know.
_UNREADABLE = (OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, MemoryError)


class LockedError(Exception):
    """A folder that another process has for itself."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file beside `path` to write to; it takes the place of `path` when the block ends without an error.

    Links are followed. Raises OSError, which names `path`: what is there is no regular file, or it cannot be written.
    """
    meant, path = os.fspath(path), Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        raise FileExistsError(errno.EEXIST, "not a regular file", str(path))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        yield temporary
        _sync(temporary)
        os.replace(temporary, path)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(temporary)):
            raise
        raise OSError(error.errno, error.strerror, meant) from error  # a full disk names no file
    finally:
        temporary.unlink(missing_ok=True)


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write files, all or none: each of them is on the disk before the first is in its place, which is the last named.

    Raises OSError.
    """
    with ExitStack() as stack:
        for path, content in files.items():
            temporary = stack.enter_context(whole_file(path))
            temporary.write_bytes(content)
            _sync(temporary)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


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


# ------------------------------------------------------------------ arrays below a header in JSON


def write_arrays(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write an .npz file, whole or not at all. Raises OSError."""
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(file, **{"header": np.array(json.dumps(header)), **arrays})  # type: ignore[arg-type]


def read_arrays(
    path: str | os.PathLike[str], names: Iterable[str], check: Callable[[Any], object]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header of a file that `write_arrays` wrote, and these of its arrays. Nothing in it is run.

    check: is given the header before the arrays are read, and raises ValueError for one that will not do.

    Raises:
        ValueError: the file cannot be read, is damaged, or has no such arrays: why, in one line, without the path.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
        if not isinstance(loaded, np.lib.npyio.NpzFile):
            raise ValueError("it is one array, as in a .npy file")
        with loaded as file:
            header = json.loads(str(file["header"][()]))
            check(header)
            return header, {name: file[name] for name in names}
    except (*_UNREADABLE, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(_why_unreadable(error)) from error


def _why_unreadable(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"it has no {error}" if isinstance(error, KeyError) else " ".join(str(error).split()) or "it is cut short"
