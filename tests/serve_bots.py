"""Bots for tests of `piquet serve`: what they do depends on the points that player_0 has in the partie."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path

import numpy as np

from piquet_env.bots.random import RandomBot
from piquet_env.engine import layout as at

HANG, EXIT, RAISE, ILLEGAL, PRINT, INTERRUPT, HOLD = range(1001, 1008)


class Odd(RandomBot):
    """Takes any legal action, and says what it expects, but for some totals."""

    def act(self, views, rng):
        total = int(views.rows[0, at.TOTALS])
        if total == HANG:
            time.sleep(1000)
        elif total == HOLD:
            ctypes.PyDLL(None).sleep(1000)  # holds the interpreter's lock
        elif total == EXIT:
            os._exit(3)
        elif total == RAISE:
            raise ZeroDivisionError("oh\nno")
        elif total == ILLEGAL:
            return np.array([79])
        elif total == PRINT:
            print("to standard output")
            os.write(1, b"to the file of standard output\n")
            print("to standard error", file=sys.stderr)
        elif total == INTERRUPT:
            raise KeyboardInterrupt
        return super().act(views, rng)

    def value(self, views):
        return views.rows[:, at.TOTALS] / 7.0


def never_loaded():
    time.sleep(1000)


def ends_while_loaded():
    os._exit(4)


def loaded_once():
    """Cannot be loaded again: there is the file that the environment names."""
    mark = Path(os.environ["LOADED_ONCE"])
    if mark.exists():
        raise ValueError("once is enough")
    mark.touch()
    return Odd()


class Writes(RandomBot):
    """Writes into what it is given."""

    def act(self, views, rng):
        actions = super().act(views, rng)
        for array in views:
            array[:] = 0
        return actions
