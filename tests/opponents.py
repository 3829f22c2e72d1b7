"""Bots that the tests of the single-agent environments play against."""

from __future__ import annotations

import numpy as np

from piquet_env import action_index
from piquet_env.engine import layout as at

PASS = action_index("pass")


class Lowest:
    """The first legal action."""

    deterministic = True

    def act(self, views, rng):
        return views.mask.argmax(axis=1)


class Highest:
    """The last legal action."""

    deterministic = True

    def act(self, views, rng):
        return 79 - views.mask[:, ::-1].argmax(axis=1)


class Passing(Highest):
    """Passes as long as it may."""

    def act(self, views, rng):
        return np.where(views.mask[:, PASS] != 0, PASS, super().act(views, rng))


class Spy(Lowest):
    """Keeps what it is given."""

    def __init__(self, sees_all=False):
        self.sees_all, self.rows = sees_all, []

    def act(self, views, rng):
        self.rows += list(views.rows.copy())
        return super().act(views, rng)


class Raising:
    """Fails after so many calls."""

    def __init__(self, calls=0):
        self.calls = calls

    def act(self, views, rng):
        self.calls -= 1
        if self.calls < 0:
            raise RuntimeError("out of ideas")
        return views.mask.argmax(axis=1)


class Cheating:
    """Takes an action that is never legal where it is asked."""

    def act(self, views, rng):
        return views.mask.argmin(axis=1)


class Floats:
    """Gives what are no actions."""

    def act(self, views, rng):
        return views.mask.argmax(axis=1) / 2


def hidden_columns(row) -> int:
    """How many of the columns that nobody may know are -1."""
    return int((row[at.TALON : at.TALON + at.TALON_WORDS] == -1).sum())
