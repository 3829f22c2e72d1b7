"""What the environments for Gymnasium of one learner and of many share: what they say of their games, and copies."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from piquet_env.envs.learner import LearnerGames
from piquet_env.envs.opponents import OpponentPool, Opponents, as_pool
from piquet_env.rules import Rules

Self = TypeVar("Self", bound="LearnerEnv")


class LearnerEnv:
    """The part of an environment that does not depend on how many games it has.

    Every copy goes on by itself, and plays against the same bots.
    """

    spec: Any
    """What Gymnasium made it with."""
    _games: LearnerGames

    @property
    def rules(self) -> Rules:
        """What is played."""
        return self._games.setting.rules

    @property
    def forfeit(self) -> float:
        """The reward for an illegal action where `illegal_action` is "lose"."""
        return self._games.setting.forfeit

    @property
    def pool(self) -> OpponentPool:
        """Of whom the opponents are drawn; set it, or change it, for the episodes that begin from then on."""
        return self._games.pool

    @pool.setter
    def pool(self, opponent: Opponents) -> None:
        self._games.pool = as_pool(opponent)

    def __copy__(self: Self) -> Self:
        """All of it: a game shared by half is none."""
        return copy.deepcopy(self)

    def __deepcopy__(self: Self, memo: dict[int, Any]) -> Self:
        """Bots are not copied, so neither is what the environment was made with."""
        memo[id(self.spec)] = self.spec
        memo[id(self)] = other = type(self).__new__(type(self))
        other.__setstate__(copy.deepcopy(self.__dict__, memo))
        return other

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._renew_spaces()

    def _renew_spaces(self) -> None:
        """Copied action spaces are Gymnasium's own, whose samples know no game (`piquet_env.envs.legal_spaces`)."""
        raise NotImplementedError
