"""The environment with nothing in its infos, for libraries that take numbers there alone."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import BaseWrapper


class BareInfos(BaseWrapper[str, Any, Any]):
    """Infos are empty; the mask is in the observation.

    TorchRL's `PettingZooWrapper` makes a tensor of everything in an info, and expects the same keys at every step: it
    takes neither the phase, which is a word, nor the result of a deal, which is there at its end alone.
    """

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """`{agent: {}}`, for the agents that the environment has infos of."""
        return {agent: {} for agent in self.env.infos}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """As the environment's, with an empty info."""
        return (*self.env.last(observe)[:4], {})
