"""The libraries of an example, which not every installation has."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from piquet_env.cli import REFUSED


@contextlib.contextmanager
def needed(extra: str) -> Iterator[None]:
    """Imports of libraries that `pip install 'piquet-env[extra]'` brings; without one the program ends and says so."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing in ("", "piquet_env", "training"):
            raise  # a fault of our own
        print(
            f"error: this example needs {missing}, which is not installed: pip install 'piquet-env[{extra}]'",
            file=sys.stderr,
        )
        raise SystemExit(REFUSED) from None
