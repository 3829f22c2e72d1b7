"""The decorators of all compiled functions; with `intrinsics`, the only module that imports numba.

`cache=True` alone would not notice a change in *another* file, so the cache folder is named by a hash
of every source that holds compiled code. With `NUMBA_DISABLE_JIT=1` everything is plain Python.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

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


def compiled(function: Function) -> Function:
    """Compile at first use, keep on disk, release the GIL."""
    if not JIT:
        return function
    with _our_cache():
        return numba.njit(cache=True, nogil=True, error_model="numpy")(function)  # type: ignore[return-value]


def inlined(function: Function) -> Function:
    """`compiled`, and its machine code copied into every caller: for what is done at every decision.

    This is LLVM's doing, not the inlining of numba's own `inline="always"`, which is slow to compile.
    """
    if not JIT:
        return function
    with _our_cache():
        options = {"cache": True, "nogil": True, "error_model": "numpy", "forceinline": True}
        return numba.njit(**options)(function)  # type: ignore[return-value]


def compiled_wrapping(function: Function) -> Function:
    """`compiled` for uint64 arithmetic that is meant to wrap around (the random generator)."""
    return compiled(function) if JIT else np.errstate(over="ignore")(function)  # type: ignore[return-value]


def needs_compiling() -> bool:
    """Whether nothing is on disk yet, so that the first game takes some seconds."""
    return CACHE is not None and not any(CACHE.rglob("*.nbi"))
