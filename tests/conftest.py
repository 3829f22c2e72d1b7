"""Settings that all tests share."""

import contextlib
import signal

from hypothesis import settings

# The same examples every time, and no limit for one of them: the first one compiles the engine.
settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")


def pytest_configure():
    """A shell has what it runs in the background ignore Ctrl-C, and so would all processes that tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        with contextlib.suppress(ValueError):  # not in the main thread
            signal.signal(signal.SIGINT, signal.default_int_handler)
