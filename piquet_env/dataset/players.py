"""A bot whose decisions are kept: what it saw, what it might do, what it did and how likely that was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.match import Side
from piquet_env.bots.base import Bot, BotError, Views, ask, draw, views_for
from piquet_env.engine.actions import ACTIONS

_ROUNDING = 1e-4  # by which a sum of 80 float32 or float16 may miss 1


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
        given = ask(name, "finding its probabilities", getattr, bot, "probabilities", None)
        self._probabilities = given if callable(given) else None

    @property
    def policy(self) -> str:
        """What stands in the column `policy`: "probabilities", or "action": 1 for the one that was taken."""
        return "action" if self._probabilities is None else "probabilities"

    def decide(self, rows: NDArray[np.int64], rng: np.random.Generator) -> Decided:
        """The bot's decisions in the true games int64 (B, columns), checked. Raises BotError."""
        views = views_for(self.bot, rows)
        # Kept before the bot is asked, which may write into what it is given.
        observation, mask = np.packbits(views.observation, axis=-1), views.mask.astype(np.bool_)
        if self._probabilities is None:
            action = self.checked(rows, self.asked(views, rng))
            return Decided(observation, mask, action, _one_hot(action))
        policy = self._policy(self._probabilities, views, mask)
        return Decided(observation, mask, draw(policy, rng), policy)

    def _policy(self, code: Callable[..., Any], views: Views, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        given = ask(self.name, "probabilities(views)", code, views)
        policy = ask(self.name, "making an array of what probabilities gave", np.asarray, given)
        if policy.shape != mask.shape or policy.dtype.kind != "f":
            expected = f"expected probabilities float {mask.shape}"
            raise BotError(f"bot {self.name!r}: {expected}, got {policy.dtype} {policy.shape}")
        if not (np.abs(policy.sum(axis=1, dtype=np.float64) - 1) <= _ROUNDING).all() or not (policy >= 0).all():
            raise BotError(f"bot {self.name!r}: probabilities: expected 0 or more each and a sum of 1 in every game")
        if policy[~mask].any():
            raise BotError(f"bot {self.name!r}: probabilities: expected 0 for illegal actions")
        return policy.astype(np.float32)


def _one_hot(action: NDArray[np.int64]) -> NDArray[np.float32]:
    policy = np.zeros((len(action), ACTIONS), np.float32)
    policy[np.arange(len(action)), action] = 1
    return policy
