"""One block on its way through the workers, some of which may not come back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from piquet_env.arena.faults import PATIENCE, Fault, merged
from piquet_env.arena.match import Block
from piquet_env.arena.schedule import Job, Plan, Played

NOBODY = -1
AGAIN = 3
"""So often a block is played again when its worker has ended through no fault that is known."""


class PoolError(Exception):
    """The workers end, and it is no bot's fault."""


@dataclass(frozen=True)
class Death:
    """How a worker has ended."""

    side: int
    """Who was being asked: 0 A, 1 B, `NOBODY`."""
    kind: str
    """`HUNG` or `ENDED`."""
    message: str
    is_outside: bool
    """Whether somebody else may have killed it, who is short of memory."""


class Task:
    """A block. It is played whole; if a bot ends the process or hangs, then game by game, to see in which."""

    def __init__(self, plan: Plan, job: Job):
        self.plan, self.job = plan, job
        self.places: list[int] | None = None
        """Games that are still to be played one by one; None: the block is played whole."""
        self._parts: dict[int, Played] = {}
        self._first: Death | None = None
        self._ended = 0
        self._counts: Counter[tuple[int, str]] = Counter()

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be played."""
        return self.places == [] or (self.places is None and bool(self._parts))

    def receive(self, played: Played) -> None:
        """A worker has played the block, or the first of the games that are played one by one."""
        self._parts[self.places.pop(0) if self.places else 0] = played

    def worker_ended(self, death: Death) -> None:
        """The worker has ended while it played. Raises PoolError: again and again, and no bot was being asked."""
        if death.side == NOBODY or death.is_outside:
            self._ended += 1
            if self._ended <= AGAIN:
                return
            if death.side == NOBODY:
                raise PoolError(f"a worker ended {self._ended} times while no bot was asked: {death.message}")
        if self.places is None:
            self.places, self._first = list(range(self.job.games)), death
            return
        self._lose(self.places.pop(0), death)
        self._counts[death.side, death.kind] += 1
        if self._counts[death.side, death.kind] >= PATIENCE[death.kind]:
            while self.places:
                place = self.places.pop(0)
                self._parts[place] = lost_games(self.plan, self.job, {death.side}, [place])

    def _lose(self, place: int, death: Death) -> None:
        part = lost_games(self.plan, self.job, {death.side}, [place])
        fault = Fault(death.side, death.kind, 1, death.message)
        self._parts[place] = Played(part.deals, part.games, part.seconds, part.moves, (fault,))

    def result(self) -> Played:
        """All of it."""
        if self._first is not None and not self._counts:  # as with other faults, somebody must pay
            message = f"{self._first.message} (with {self.job.games} games at once, and with none of them alone)"
            self._lose(0, Death(self._first.side, self._first.kind, message, False))
        return joined([self._parts[place] for place in sorted(self._parts)])


def joined(parts: Sequence[Played]) -> Played:
    """Several parts of a block, in order, as one."""
    return Played(
        np.concatenate([part.deals for part in parts]),
        np.concatenate([part.games for part in parts]),
        (sum(part.seconds[0] for part in parts), sum(part.seconds[1] for part in parts)),
        (sum(part.moves[0] for part in parts), sum(part.moves[1] for part in parts)),
        tuple(merged([fault for part in parts for fault in part.faults])),
    )


def lost_games(plan: Plan, job: Job, sides: Collection[int], places: Sequence[int] = ()) -> Played:
    """Games of a block that nobody plays, lost by one side or, without points, by both; places: all if empty."""
    pairs = range(job.first, job.stop)
    block = Block(plan.rules, plan.episode, plan.seed, pairs, (), forfeit=plan.forfeit, stored=plan.stored)
    deals, games = block.keep_only(places or range(job.games)).lose(sides)
    return Played(deals, games, (0.0, 0.0), (0, 0), ())
