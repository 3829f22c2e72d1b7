"""The expert and the omniscient bot: which worlds they look at, and which part decides what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.bots.base import BotError, Views
from piquet_env.bots.expert.calls import add_call_priors, call_values
from piquet_env.bots.expert.cards import card_values
from piquet_env.bots.expert.plan import DiscardEffort, Plans, Round
from piquet_env.bots.expert.worlds import SEEDS, likely_worlds
from piquet_env.bots.greedy import choose
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.solver.api import workspace


class Effort(NamedTuple):
    """How many worlds the expert looks at, for each kind of decision."""

    calls: int
    discards: DiscardEffort
    cards: int
    prior: int = 8
    """In the auction and the exchange greedy's opinion counts for so many worlds: few are a matter of chance."""


EFFORTS = {
    "fast": Effort(12, DiscardEffort(8, (Round(24, 8), Round(6, 16))), 20),
    "normal": Effort(200, DiscardEffort(24, (Round(64, 16), Round(16, 48), Round(6, 160))), 80),
    "slow": Effort(2000, DiscardEffort(64, (Round(96, 64), Round(24, 256), Round(6, 1200))), 600),
}


class ExpertBot:
    """Samples worlds that fit what it knows, weighs them by what the other did, and takes the best on average.

    Auction: each call, the rest of the auction by greedy's rules, exchange and declarations too, the play solved.
    Exchange: every choice of discards, the better ones of them solved in more and more worlds (`plan`).
    Declarations: the best, as greedy; to sink what brings nothing in any sampled world was tried, and gained nothing
    (training/LOG.md). Play: every card solved in every world.
    """

    def __init__(self, effort: Effort = EFFORTS["normal"]):
        self.effort = effort
        self._space = workspace()
        self._plans = Plans(effort.discards, effort.prior, self._worlds, self._space)

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        seeds = rng.integers(SEEDS, size=len(views.rows))
        rows = np.array(views.rows, np.int64, order="C")
        self._forget(rows)
        return np.array([self._choose(*game) for game in zip(rows, views.mask, seeds, strict=True)], np.int64)

    def _forget(self, rows: NDArray[np.int64]) -> None:
        """Hide what the players to act may not know, for nothing here may depend on it; changes the rows."""
        knowledge.hide_rows(rows, np.ascontiguousarray(rows[:, at.ACTOR]))

    def _choose(self, row: NDArray[np.int64], mask: NDArray[np.int8], seed: np.int64) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        phase = row[at.PHASE]
        if phase == at.EXCHANGE:
            return self._plans.next_action(row)
        if phase not in (at.AUCTION, at.PLAY):
            return int(choose(row))
        values = np.zeros(ACTIONS)
        if phase == at.AUCTION:
            add_call_priors(row, self.effort.prior, values)
            call_values(self._worlds(row, self.effort.calls, int(seed)), values, *self._space)
        else:
            card_values(self._worlds(row, self.effort.cards, int(seed)), values, *self._space)
        return int(np.where(mask == 1, values, -np.inf).argmax())

    def _worlds(self, row: NDArray[np.int64], number: int, seed: int) -> NDArray[np.int64]:
        """So many worlds: int64 (number, columns), each as often as it is likely."""
        possible, picked = likely_worlds(row, int(row[at.ACTOR]), number, seed, self._space.rows)
        return possible[picked]


class OmniscientBot(ExpertBot):
    """Cheats: it is given the true rows, and knows all cards, the talon too. The ceiling of the arena.

    It is the expert with one world, the true one.
    """

    sees_all = True

    def __init__(self) -> None:
        super().__init__(Effort(1, DiscardEffort(1, (Round(200, 1),)), 1, prior=0))

    def _forget(self, rows: NDArray[np.int64]) -> None:
        """Forget how it came about, so that an exchange is one plan (`plan`); the cards tell all that counts."""
        if rows[:, at.HANDS : at.HANDS + 2].min(initial=0) < 0:
            raise BotError("omniscient: it needs all cards, and here it is given only what a player knows")
        rows[:, [at.ACTED, *range(at.HISTORY, at.HISTORY + at.HISTORY_WORDS)]] = 0

    def _worlds(self, row: NDArray[np.int64], number: int, seed: int) -> NDArray[np.int64]:
        return np.repeat(row[None], number, axis=0)
