"""The expert and the omniscient bot: which worlds they look at, and which part decides what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief import sample_hidden
from piquet_env.bots.base import BotError, Views
from piquet_env.bots.expert.calls import add_call_priors, call_values
from piquet_env.bots.expert.cards import card_values, declaration_values
from piquet_env.bots.expert.likelihood import draw
from piquet_env.bots.expert.plan import Plans, Round
from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.solver.api import workspace

_SEEDS = 2**56
_POSSIBLE = 10  # worlds for each that is looked at: sampling them costs little beside solving them


class Effort(NamedTuple):
    """How many worlds the expert looks at, for each kind of decision."""

    calls: int
    estimates: int  # of every set of discards
    discards: tuple[Round, ...]
    declarations: int
    cards: int


EFFORTS = {
    "fast": Effort(8, 4, (Round(16, 6), Round(4, 12)), 8, 16),
    "normal": Effort(80, 16, (Round(40, 16), Round(10, 48), Round(4, 128)), 60, 60),
    "slow": Effort(800, 64, (Round(64, 96), Round(16, 256), Round(6, 1000)), 400, 400),
}


class ExpertBot:
    """Samples worlds that fit what it knows, weighs them by what the other did, and takes the best on average.

    Auction: each call, the rest of the auction by greedy's rules, exchange and declarations too, the play solved.
    Exchange: every choice of discards, the better ones of them solved in more and more worlds (`plan`).
    Declarations: what is named is worth what is scored in the end. Play: every card solved.
    """

    def __init__(self, effort: Effort = EFFORTS["normal"]):
        self.effort = effort
        self._space = workspace()
        self._plans = Plans(effort.estimates, effort.discards, self._worlds, self._space)

    prior = 0.0

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        seeds = rng.integers(_SEEDS, size=len(views.rows))
        return np.array([self._choose(*game) for game in zip(views.rows, views.mask, seeds, strict=True)], np.int64)

    def _choose(self, row: NDArray[np.int64], mask: NDArray[np.int8], seed: np.int64) -> int:
        if mask.sum() == 1:
            return int(mask.argmax())
        phase = row[at.PHASE]
        if phase == at.EXCHANGE:
            return self._plans.next_action(row)
        if phase == at.AUCTION:
            number, evaluate = self.effort.calls, call_values
        elif phase == at.PLAY:
            number, evaluate = self.effort.cards, card_values
        else:
            number, evaluate = self.effort.declarations, declaration_values
        values = np.zeros(ACTIONS)
        if phase == at.AUCTION:
            add_call_priors(row, self.prior, values)
        evaluate(self._worlds(row, number, int(seed)), values, *self._space)
        return int(np.where(mask == 1, values, -np.inf).argmax())

    def _worlds(self, row: NDArray[np.int64], number: int, seed: int) -> NDArray[np.int64]:
        """So many worlds: int64 (number, columns), each as often as it is likely."""
        player = int(row[at.ACTOR])
        possible = sample_hidden(row, player, _POSSIBLE * number, seed)
        picked = np.empty(number, np.int64)
        draw(possible, player, seed / _SEEDS, picked, self._space.rows)
        return possible[picked]


class OmniscientBot(ExpertBot):
    """Cheats: it is given the true rows, and knows all cards, the talon too. The ceiling of the arena.

    It is the expert with one world, the true one.
    """

    sees_all = True

    def __init__(self) -> None:
        super().__init__(Effort(1, 1, (Round(200, 1),), 1, 1))

    def _worlds(self, row: NDArray[np.int64], number: int, seed: int) -> NDArray[np.int64]:
        if row[at.HANDS : at.HANDS + 2].min() < 0:
            raise BotError("omniscient: it needs all cards, and here it is given only what a player knows")
        return np.repeat(row[None], number, axis=0)
