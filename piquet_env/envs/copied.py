"""Copies of environments: each goes on by itself, and plays against the same bots."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

Self = TypeVar("Self", bound="CopiedWhole")


class CopiedWhole:
    """An environment of Gymnasium that is copied with its game; `_renew_spaces` gives a copy its action space again."""

    spec: Any
    """What Gymnasium made it with."""

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
