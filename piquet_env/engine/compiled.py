"""The decorators of all compiled functions; with `intrinsics`, the only module that imports numba.

`cache=True` alone would not notice a change in *another* file, so the cache folder is named by a hash
of every source that holds compiled code; and several processes may fill it at once, or be killed while
they do. With `NUMBA_DISABLE_JIT=1` everything is plain Python.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core.caching import FunctionCache
from numba.core.serialize import dumps

from piquet_env.files import whole_file

Function = TypeVar("Function", bound=Callable[..., Any])

# numba makes the attributes of its `config` when it is imported, and has no type hints: hence the "type: ignore" below.
PACKAGE = Path(__file__).resolve().parent.parent


def _sources_hash() -> str:
    """Of every file of the package that this decorator is used in."""
    checks = numba.config.BOUNDSCHECK  # type: ignore[attr-defined]
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version} {checks}".encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if (
            b"engine.compiled import" in source
            or path.parent.name in ("engine", "knowledge")
            or path.name == "rules.py"
        ):
            digest.update(path.relative_to(PACKAGE).as_posix().encode() + source)
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _cache_folder() -> Path:
    """In the user's cache directory; where that cannot be written, in a temporary folder of the user's own."""
    name = _sources_hash()
    with contextlib.suppress(OSError, RuntimeError):  # no home, or one that is read-only
        folder = _user_cache() / "piquet-env" / name
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "")
    own = Path(tempfile.gettempdir()) / f"piquet-env-{user}"
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    if hasattr(os, "getuid") and own.stat().st_uid != os.getuid():  # numba runs what it finds in its cache
        own = Path(tempfile.mkdtemp(prefix="piquet-env-"))
    (own / name).mkdir(exist_ok=True)
    return own / name


JIT = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
CACHE = _cache_folder() if JIT else None


@contextlib.contextmanager
def _our_cache() -> Iterator[None]:
    """numba reads its cache folder from a global: ours while we decorate, then the old one again."""
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    numba.config.CACHE_DIR = str(CACHE)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


class _Files:
    """The compiled code of one function: a file for each signature, named by it, that begins with its checksum.

    numba's own are numbered in an index. Two processes that compile a function for two signatures at the same time
    both take the same number, and whoever comes later runs the code for the one with what is meant for the other;
    and a file that is damaged is an error at every start.
    """

    def __init__(self, folder: str, name: str, source: bytes):
        self._folder = Path(folder)
        self._name = name
        self._source = source

    def load(self, key: tuple[Any, ...]) -> Any:
        """What was saved; None where there is nothing, or nothing that is whole: then it is compiled (again)."""
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        checksum, data = content[:_CHECKSUM], content[_CHECKSUM:]
        return pickle.loads(data) if hashlib.sha256(data).digest() == checksum else None

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        content = dumps(data)
        with whole_file(self._path(key)) as temporary:
            temporary.write_bytes(hashlib.sha256(content).digest() + content)

    def flush(self) -> None:
        for path in self._folder.glob(f"{self._name}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: tuple[Any, ...]) -> Path:
        digest = hashlib.sha256(repr((self._source, key)).encode()).hexdigest()
        return self._folder / f"{self._name}.{digest[:16]}.nbc"


_CHECKSUM = hashlib.sha256().digest_size


class _Cache(FunctionCache):
    """numba's, with other files. Where they cannot be written, a full disk say, we go on without."""

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function)
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


def _compiled(function: Function, **options: Any) -> Function:
    if not JIT:
        return function
    with _our_cache():
        dispatcher = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
        dispatcher._cache = _Cache(function)  # type: ignore[attr-defined]
    return dispatcher  # type: ignore[return-value]


def compiled(function: Function) -> Function:
    """Compile at first use, keep on disk, release the GIL."""
    return _compiled(function)


def inlined(function: Function) -> Function:
    """`compiled`, and its machine code copied into every caller: for what is done at every decision.

    This is LLVM's doing, not the inlining of numba's own `inline="always"`, which is slow to compile.
    """
    return _compiled(function, forceinline=True)


def compiled_wrapping(function: Function) -> Function:
    """`compiled` for uint64 arithmetic that is meant to wrap around (the random generator)."""
    return compiled(function) if JIT else np.errstate(over="ignore")(function)  # type: ignore[return-value]


def needs_compiling() -> bool:
    """Whether nothing is on disk yet, so that the first game takes some seconds."""
    return CACHE is not None and not any(CACHE.rglob("*.nbc"))
