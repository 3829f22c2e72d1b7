"""A bot that takes any legal action, all equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Views


class RandomBot:
    """Uniform over the legal actions."""

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        chosen = rng.integers(views.mask.sum(axis=1, dtype=np.int64))
        so_far = np.cumsum(views.mask, axis=1, dtype=np.int64)
        return (so_far > chosen[:, None]).argmax(axis=1).astype(np.int64)

    def probabilities(self, views: Views) -> NDArray[np.float64]:
        """All legal actions equally likely: float64 (B, 80)."""
        return views.mask / views.mask.sum(axis=1, keepdims=True, dtype=np.int64)
