"""What is played in a tournament, in which order, and when a bot has lost the rest."""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.faults import PATIENCE, Fault
from piquet_env.bidding import BiddingDeals
from piquet_env.rules import Rules

BLOCK = 8
"""Pairs of games that are played at once, with random numbers of their own, and written down together.

Fixed and small, so that the moves are the same wherever and in whatever order blocks are played. A bot that thinks for
0.7 s a deal needs 22 s for a block, which is what a kill may lose; a bot that plays thousands of games at once loses
little, since what is slow then is the solver that measures the luck.
"""


@dataclass(frozen=True)
class Plan:
    """What a tournament is, but for its length: all that a block's result depends on."""

    bots: tuple[str, ...]
    rules: Rules
    episode: str
    seed: int
    block: int
    forfeit: int
    """Points that a fault costs."""
    orders: int
    """Other orders of the talon by which luck is measured; 0: it is not."""
    move_limit: float
    """Seconds for the move of one game; see `allowed`."""
    stored: BiddingDeals | None = field(default=None, compare=False)
    """Of auctions: the deals that are played; None: they are dealt by the seed."""

    @property
    def matches(self) -> list[tuple[int, int]]:
        """Every two of the bots, by their numbers."""
        return list(itertools.combinations(range(len(self.bots)), 2))

    def allowed(self, games: int) -> float:
        """Seconds within which a bot must give its moves in so many games: each after the first adds a tenth."""
        return self.move_limit * (1 + (games - 1) / 10)


class Job(NamedTuple):
    """One block: pairs `first` to `stop` - 1 of the bots number a and b."""

    first: int
    stop: int
    a: int
    b: int

    @property
    def games(self) -> int:
        """Two for each pair."""
        return 2 * (self.stop - self.first)

    def rngs(self, plan: Plan, *alone: int) -> list[np.random.Generator]:
        """The random numbers of A and of B: fixed by the seed, the names of the two and the block.

        alone: the place of a game that is played by itself, with random numbers of its own.
        """
        names = f"{plan.bots[self.a]}\0{plan.bots[self.b]}".encode("utf-8", "surrogatepass")
        pair = int.from_bytes(hashlib.sha256(names).digest()[:8], "big")
        numbers = [place + 1 for place in alone]
        return [np.random.default_rng([plan.seed, pair, self.first, side, *numbers]) for side in range(2)]


@dataclass(frozen=True)
class Played:
    """What came of a block, or of some of its games."""

    deals: NDArray[np.void]
    games: NDArray[np.void]
    seconds: tuple[float, float]
    """Time that A and B took for their moves."""
    moves: tuple[int, int]
    faults: tuple[Fault, ...]


def jobs_left(plan: Plan, pairs: int, played: Iterable[Job]) -> list[Job]:
    """The blocks that are still to be played, in order: all matches go forward together.

    A block ends at a multiple of `plan.block`, or where the match does.
    """
    done: dict[tuple[int, int], list[Job]] = {match: [] for match in plan.matches}
    for job in played:
        done[job.a, job.b].append(job)
    left = [job for match in plan.matches for job in _gaps(match, plan.block, pairs, sorted(done[match]))]
    return sorted(left)


def _gaps(match: tuple[int, int], block: int, pairs: int, done: Sequence[Job]) -> Iterable[Job]:
    first = 0
    for begin, stop in [*((job.first, job.stop) for job in done), (pairs, pairs)]:
        while first < min(begin, pairs):
            end = min(first - first % block + block, begin, pairs)
            yield Job(first, end, *match)
            first = end
        first = max(first, stop)


def given_up(plan: Plan, faults: Mapping[Job, Sequence[Fault]], jobs: Iterable[Job]) -> dict[Job, set[int]]:
    """Which sides (0: A, 1: B) of which of the jobs have lost them all, for what their bots did in earlier blocks.

    Earlier in the order of the blocks, not of the clock: so the result depends on no number of workers.

    Args:
        faults: those of the blocks played so far; those of a block that is lost count for nobody.
        jobs: in order.
    """
    events = sorted([*((job, 0) for job in jobs), *((job, 1) for job in faults)])
    counts: Counter[tuple[str, str]] = Counter()
    found: dict[Job, set[int]] = {}
    for job, is_count in events:
        lost = {side for side, bot in enumerate((job.a, job.b)) if _is_out(counts, plan.bots[bot])}
        if not is_count:
            if lost:
                found[job] = lost
        elif not lost:
            for fault in faults[job]:
                counts[plan.bots[(job.a, job.b)[fault.side]], fault.kind] += fault.count
    return found


def _is_out(counts: Mapping[tuple[str, str], int], bot: str) -> bool:
    return any(counts.get((bot, kind), 0) >= most for kind, most in PATIENCE.items())
