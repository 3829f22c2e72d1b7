"""What the examples share: a policy as a bot, and how much better it plays than before it learnt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env import Rules
from piquet_env.arena.match import play_match
from piquet_env.arena.statistics import Interval, mean_with_interval, pair_values
from piquet_env.bots import Bot, Views, load_bot
from piquet_env.bots.policy import draw

SEED = 1
"""Of the deals to be measured on; no environment deals them, whatever its seed."""

Policy = Callable[[NDArray[np.int8], NDArray[np.int8]], NDArray[np.floating]]
"""Observations int8 (B, D) and masks int8 (B, 80) to probabilities (B, 80), 0 for illegal actions."""


class PolicyBot:
    """A policy as a bot, for matches, tournaments and all else that takes one."""

    def __init__(self, policy: Policy):
        self.policy = policy

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80)."""
        return np.asarray(self.policy(views.observation, views.mask), np.float32)

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view."""
        return draw(self.probabilities(views), rng)


class Learnt(NamedTuple):
    """Points per deal against a bot, on the same duplicate deals before and after learning, and the difference."""

    before: Interval
    after: Interval
    gain: Interval


def points(bot: Bot, rules: str | Rules | dict[str, Any], deals: int, against: str = "random") -> NDArray[np.float64]:
    """The bot's points per deal less the other's in `deals` duplicate deals, each played twice: (deals,)."""
    return pair_values(play_match(bot, load_bot(against), rules, pairs=deals, seed=SEED))


def report(name: str, before: NDArray[np.float64], after: NDArray[np.float64], against: str = "random") -> Learnt:
    """Print in one line what two calls of `points` gave; the same as numbers."""
    learnt = Learnt(*(mean_with_interval(values) for values in (before, after, after - before)))
    said = (f"{mean:+.1f} [{low:+.1f}, {high:+.1f}]" for mean, low, high in learnt)
    print("{}: points per deal against {}: before {}, after {}, gain {}".format(name, against, *said), flush=True)
    return learnt
