"""What it costs to play one thing instead of another, as far as the player could know.

Worlds that he cannot tell from the true one are drawn (`bots.expert.worlds`): all that fit what he knows, weighed, as
the expert does, by how well they explain what the other called and discarded; to his declarations and cards only those
are fitted that make them possible. In each of the same worlds both choices are taken, and the bot plays the deal to
its end in both seats.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.analyse.decisions import Choice, take_choice
from piquet_env.arena.match import Side, play_on
from piquet_env.bots.expert.worlds import SEEDS, likely_worlds
from piquet_env.engine import layout as at
from piquet_env.engine.game import difference

Z_95 = 1.96


class Estimate(NamedTuple):
    """A mean, in points."""

    mean: float
    error: float | None
    """Its standard error; None: it rests on one world."""
    worlds: int
    """Different ones that it rests on; 0: there was nothing to estimate."""


NOTHING = Estimate(0.0, 0.0, 0)


def seed_of(row: NDArray[np.int64], player: int, seed: int) -> int:
    """A seed below SEEDS that follows from what the player knows in a game and from `seed`, and from nothing hidden."""
    known = row.copy()
    knowledge.hide(known, player)
    digest = hashlib.sha256(known.tobytes() + seed.to_bytes(8, "little")).digest()
    return int.from_bytes(digest[:8], "little") % SEEDS


def cost_of(
    side: Side,
    row: NDArray[np.int64],
    choices: tuple[Choice, Choice],
    samples: int,
    seed: int,
    progress: Callable[[float], object],
) -> Estimate:
    """By how much the second choice brings the player to act more than the first: his score less the other's.

    Args:
        side: the bot.
        row: the true game, int64 (columns,); nothing hidden is read.
        samples: how many worlds are looked at, the likely ones several times.
        seed: below SEEDS.
        progress: called with the share of the games that have ended since the last call; they add up to 1.

    Raises:
        BotError: the bot does what no bot may do.
    """
    player = int(row[at.ACTOR])
    known = row.copy()
    knowledge.hide(known, player)
    possible, picked = likely_worlds(known, player, samples, seed, np.empty((1, at.COLUMNS), np.int64))
    places, counts = np.unique(picked, return_counts=True)
    rows = np.concatenate([possible[places]] * len(choices))
    for place, world in enumerate(rows):
        take_choice(world, choices[place // len(places)])
    play_to_the_end(side, rows, np.random.default_rng(seed), progress)
    first, second = points(rows, player).reshape(2, -1)
    return weighted_mean(second - first, counts)


def play_to_the_end(
    side: Side, rows: NDArray[np.int64], rng: np.random.Generator, progress: Callable[[float], object]
) -> None:
    """The bot plays both seats of all these games, side by side, to the end of their deals; changes the rows."""
    going = np.flatnonzero(rows[:, at.PHASE] < at.DEAL_OVER)
    progress(1 - len(going) / len(rows))
    while len(going):
        asked = rows[going]
        play_on(asked, side.choose(asked, rng))
        rows[going] = asked
        is_over = asked[:, at.PHASE] >= at.DEAL_OVER
        progress(int(is_over.sum()) / len(rows))
        going = going[~is_over]


def points(rows: NDArray[np.int64], player: int) -> NDArray[np.int64]:
    """The player's score of the deal less the other's: int64 (N,)."""
    return (1 - 2 * player) * np.array([difference(row) for row in rows], np.int64)


def weighted_mean(values: NDArray[np.int64], counts: NDArray[np.int64]) -> Estimate:
    """Of independent draws, each of which counts so many times.

    The draws are the units of the standard error: one that counts many times is no more than one.
    """
    total, units = int(counts.sum()), len(values)
    mean = int(counts @ values) / total
    if units < 2:
        return Estimate(mean, None, units)
    spread = float(np.square(counts * (values - mean)).sum())
    return Estimate(mean, math.sqrt(spread * units / (units - 1)) / total, units)
