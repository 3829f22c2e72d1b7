"""The policy that a search stands on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Bot, BotError, Views, sees_all
from piquet_env.bots.policy import has_probabilities, probabilities_of


class Policy:
    """A bot's probabilities, checked.

    Args:
        name: what the bot is called in messages.
        bot: has probabilities, or draws no random numbers.

    Raises:
        BotError: it is neither, or it sees all cards.
    """

    def __init__(self, name: str, bot: Bot):
        if sees_all(bot):
            raise BotError(f"bot {name!r}: it sees all cards, so there is nothing to search for")
        if not has_probabilities(name, bot) and getattr(bot, "deterministic", False) is not True:
            needs = "expected probabilities(views), or deterministic = True (piquet_env.bots.Bot)"
            raise BotError(f"bot {name!r} cannot be searched on: {needs}")
        self.name, self.bot = name, bot

    def probabilities(self, views: Views) -> NDArray[np.float64]:
        """How likely it is to take each action: float64 (B, 80). Raises BotError: it gives no probabilities.

        It is given copies, which it may write into.
        """
        return probabilities_of(
            self.name, self.bot, Views(views.observation.copy(), views.mask.copy(), views.rows.copy())
        )

    def likeliest(self, views: Views) -> NDArray[np.int64]:
        """The likeliest action of each, the first of equal ones: int64 (B,). Raises BotError."""
        return self.probabilities(views).argmax(axis=1)
