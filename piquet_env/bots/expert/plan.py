"""Which cards the expert discards: all choices are looked at, the better they seem the more closely.

Discards are chosen one at a time, but they are one decision. The plan follows from what the player knows before the
first of them, its random numbers too, so that it can be made again before each: what is kept of it saves only time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.expert.discards import (
    CANNOT,
    DRAWN,
    add_discard_priors,
    estimate_discards,
    exchange_all,
    solve_discards,
)
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.intrinsics import lowest_bit
from piquet_env.notation import cards_of
from piquet_env.solver.api import Workspace

MOST_PLANS = 10_000  # that are kept


class Round(NamedTuple):
    """The best so many sets of discards are solved in so many more worlds."""

    sets: int
    worlds: int


class DiscardEffort(NamedTuple):
    """How closely the choices are looked at."""

    estimates: int
    """Worlds in which all sets of discards are estimated, without search."""
    rounds: tuple[Round, ...]


class Plans:
    """The discards of each exchange, by what was known before it."""

    def __init__(self, effort: DiscardEffort, prior: int, sample: Callable[..., NDArray[np.int64]], space: Workspace):
        """`sample(row, number, seed)` gives so many worlds; greedy's opinion counts for `prior` more."""
        self._estimates, self._rounds = effort
        self._prior, self._sample, self._space = prior, sample, space
        self._made: dict[bytes, int] = {}

    def next_action(self, row: NDArray[np.int64]) -> int:
        """The next card to discard, or stand; what has been discarded already may be none of the plan's.

        row: as it is known to the player to act (knowledge.hide), how he came to it left out.
        """
        player = int(row[at.ACTOR])
        gone = int(row[at.DISCARDS + player])
        start = row.copy()
        start[at.HANDS + player] |= gone
        start[at.DISCARDS + player] = 0
        planned = self._planned(start, 0)
        if gone & ~planned:
            planned = self._planned(start, gone)
        left = planned & ~gone
        return int(lowest_bit(left)) if left else act.STAND

    def _planned(self, start: NDArray[np.int64], gone: int) -> int:
        """The best set of discards of which all of `gone` are."""
        digest = hashlib.sha256(start.tobytes() + gone.to_bytes(4, "little")).digest()
        if digest not in self._made:
            if len(self._made) >= MOST_PLANS:
                self._made.pop(next(iter(self._made)))
            self._made[digest] = self._make(start, gone, int.from_bytes(digest[:7], "little"))
        return self._made[digest]

    def _make(self, start: NDArray[np.int64], gone: int, seed: int) -> int:
        worlds = self._sample(start, self._estimates + sum(r.worlds for r in self._rounds), seed)
        outcomes = np.empty((len(worlds), at.MOST_TRICKS + 1, 2), np.int64)
        exchange_all(worlds, outcomes, self._space.rows)
        sets = choices(int(start[at.HANDS + start[at.ACTOR]]), gone, outcomes[0])
        priors = np.zeros(len(sets))
        add_discard_priors(start, sets, self._prior, priors)
        values, solved, first = priors.copy(), priors.copy(), self._estimates
        estimate_discards(worlds[:first], outcomes[:first], sets, values, self._space.rows)
        for kept, more in self._rounds:
            best = np.argsort(-values, kind="stable")[:kept]
            sets, solved, part = sets[best], solved[best], slice(first, first + more)
            solve_discards(worlds[part], outcomes[part], sets, solved, *self._space)
            values, first = solved, first + more
        return int(sets[values.argmax()])


def choices(hand: int, gone: int, outcomes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Every set of discards that has the cards `gone`, of each number that may be exchanged: int64 (M,)."""
    cards = cards_of(hand)
    numbers = [k for k in range(len(cards) + 1) if outcomes[k, DRAWN] != CANNOT]
    sets = [sum(1 << card for card in chosen) for k in numbers for chosen in combinations(cards, k)]
    return np.array([chosen for chosen in sets if chosen & gone == gone], np.int64)
