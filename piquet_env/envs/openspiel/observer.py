"""What a player knows, as OpenSpiel asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.options import AGENTS


class Observer:
    """What one player knows, as OpenSpiel's observers give it; with perfect recall the string says more.

    Raises ValueError: parameters, or an observation of anything else than public and that player's information.
    """

    def __init__(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None):
        if params:
            raise ValueError(f"observer: expected no parameters, got {params!r}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError("observer: expected public information and that of a single player")
        self._perfect_recall = wanted.perfect_recall
        self.tensor = np.zeros(len(AGENTS) + OBSERVATION_SIZE, np.float32)
        """float32: the seat, one-hot, and the observation."""
        self.dict = {"player": self.tensor[: len(AGENTS)], "observation": self.tensor[len(AGENTS) :]}
        """The two parts of it."""

    def set_from(self, state: Any, player: int) -> None:
        """Write `tensor`."""
        self.dict["player"][:] = 0
        self.dict["player"][player] = 1
        self.dict["observation"][:] = state.position.observation(player)

    def string_from(self, state: Any, player: int) -> str:
        """In words, and all bits of the observation."""
        return state.position.knows(player, self._perfect_recall)
