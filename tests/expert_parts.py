"""The expert without one of its parts, which greedy's rules then decide: what is each part worth?

    piquet tournament expert tests.expert_parts:without_exchange --pairs 1000

Each factory here is such a bot; those that end in `_fast` are `expert:fast` without it.
"""

from __future__ import annotations

from functools import partial

from piquet_env.bots.expert import EFFORTS, Effort, ExpertBot
from piquet_env.bots.greedy import GreedyBot
from piquet_env.engine import layout as at

PHASES = {"auction": at.AUCTION, "exchange": at.EXCHANGE, "play": at.PLAY}


class Without:
    """The expert, but greedy in one phase."""

    def __init__(self, part: str, effort: Effort):
        self._phase = PHASES[part]
        self._expert, self._greedy = ExpertBot(effort), GreedyBot()

    def act(self, views, rng):
        chosen = self._greedy.act(views, rng)
        own = views.rows[:, at.PHASE] != self._phase
        if own.any():
            chosen[own] = self._expert.act(type(views)(*(array[own] for array in views)), rng)
        return chosen


def _bots(effort: str) -> list:
    return [partial(Without, part, EFFORTS[effort]) for part in PHASES]


without_auction, without_exchange, without_play = _bots("normal")
without_auction_fast, without_exchange_fast, without_play_fast = _bots("fast")
