"""The expert without one of its parts, which greedy's rules then decide: what is each part worth?

    piquet tournament expert tests.expert_parts:without_exchange --pairs 1000

Each factory here is such a bot; those that end in `_fast` are `expert:fast` without it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from piquet_env.bots.expert import EFFORTS, Effort, ExpertBot
from piquet_env.bots.greedy import GreedyBot
from piquet_env.engine import layout as at

PHASES = {
    "auction": (at.AUCTION,),
    "exchange": (at.EXCHANGE,),
    "declarations": (at.IN_CARTE_BLANCHE, at.IN_POINT, at.IN_SEQUENCE, at.IN_SET),
    "play": (at.PLAY,),
}


class Without:
    """The expert, but greedy in the phases of one part."""

    def __init__(self, part: str, effort: Effort):
        self._phases = PHASES[part]
        self._expert, self._greedy = ExpertBot(effort), GreedyBot()

    def act(self, views, rng):
        chosen = self._greedy.act(views, rng)
        own = ~np.isin(views.rows[:, at.PHASE], self._phases)
        if own.any():
            chosen[own] = self._expert.act(type(views)(*(array[own] for array in views)), rng)
        return chosen


def _bots(effort: str) -> list:
    return [partial(Without, part, EFFORTS[effort]) for part in PHASES]


without_auction, without_exchange, without_declarations, without_play = _bots("normal")
without_auction_fast, without_exchange_fast, without_declarations_fast, without_play_fast = _bots("fast")
