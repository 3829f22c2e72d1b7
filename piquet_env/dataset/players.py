"""A bot whose decisions are kept: what it saw, what it might do, what it did and how likely that was."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.match import Side
from piquet_env.bots.base import Bot, views_for
from piquet_env.bots.policy import answers_of, draw, has_probabilities, one_hot, said_probabilities


class Decided(NamedTuple):
    """What was decided in B games."""

    observation: NDArray[np.uint8]
    """(B, bytes), packed."""
    mask: NDArray[np.bool_]
    """(B, 80)."""
    action: NDArray[np.int64]
    """(B,)."""
    policy: NDArray[np.float32]
    """(B, 80)."""


class Player(Side):
    """A bot under its name; where it knows its probabilities, actions are drawn from them, as its `act` would."""

    def __init__(self, name: str, bot: Bot):
        super().__init__(name, bot)
        self._has_probabilities = has_probabilities(name, bot)

    @property
    def policy(self) -> str:
        """What stands in the column `policy`: "probabilities", or "action": 1 for the one that was taken."""
        return "probabilities" if self._has_probabilities else "action"

    def decide(self, rows: NDArray[np.int64], rng: np.random.Generator) -> Decided:
        """The bot's decisions in the true games int64 (B, columns), checked. Raises BotError."""
        views = views_for(self.bot, rows)
        # Kept before the bot is asked, which may write into what it is given.
        observation, mask = np.packbits(views.observation, axis=-1), views.mask.astype(np.bool_)
        if not self._has_probabilities:
            action = self.checked(rows, answers_of(self.name, self.bot, views, rng))
            return Decided(observation, mask, action, one_hot(action))
        policy = said_probabilities(self.name, self.bot, views)
        return Decided(observation, mask, draw(policy, rng), policy)
