"""Bots for the tests of `piquet selfplay`."""

import os

import numpy as np

from piquet_env.bots.policy import draw
from piquet_env.engine import actions as act


class Passing:
    """Knows its probabilities; passes seven times in eight, so that deals are thrown in."""

    sha256 = "passing"

    def probabilities(self, views):
        weight = views.mask * np.linspace(1, 2, act.ACTIONS)
        weight[:, act.PASS] *= 7 * views.mask.sum(axis=1)
        return weight / weight.sum(axis=1, keepdims=True)

    def act(self, views, rng):
        return draw(self.probabilities(views), rng)


class Meddling:
    """Writes into what it is given, and then takes the first action that was legal."""

    def act(self, views, rng):
        chosen = views.mask.argmax(axis=1)
        for array in views:
            array[:] = 0
        return chosen


class Leaving(Passing):
    """Ends the process when it is asked."""

    def act(self, views, rng):
        os._exit(3)

    probabilities = None


class Stopped:
    """As if somebody pressed Ctrl-C in the middle."""

    asked = 0

    def act(self, views, rng):
        self.asked += 1
        if self.asked > 20:
            raise KeyboardInterrupt
        return views.mask.argmax(axis=1)


class Failing(Stopped):
    """Raises an error then."""

    def act(self, views, rng):
        try:
            return super().act(views, rng)
        except KeyboardInterrupt:
            raise RuntimeError("enough") from None


class Wrong:
    """Gives what `made` makes of the mask as probabilities."""

    def __init__(self, made):
        self.made = made

    def probabilities(self, views):
        return self.made(views.mask)

    def act(self, views, rng):
        raise AssertionError("its probabilities were asked for")
