"""Action spaces whose samples are legal where their environment is: `env.action_space.sample()` just works.

Everywhere else they are Gymnasium's own: equal to them, and pickled and copied as them, without anything of the
environment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from piquet_env.engine.actions import ACTIONS


class LegalDiscrete(spaces.Discrete):
    """Discrete(80); without a mask or probabilities `sample` draws one of the actions that are legal now.

    Args:
        seed: of its samples, or a generator.
    """

    def __init__(self, seed: int | np.random.Generator | None = None):
        super().__init__(ACTIONS, seed=seed)
        self.legal: NDArray[np.int8] | None = None
        """int8 (80,): set by the environment; None: there is no game yet."""

    def sample(self, mask: Any = None, *arguments: Any, **options: Any) -> Any:
        """As `Discrete.sample`; where no action is legal, 0."""
        if mask is None and not arguments and not options:
            mask = self.legal
        return super().sample(mask, *arguments, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.Discrete, (ACTIONS, self._np_random)


class LegalMultiDiscrete(spaces.MultiDiscrete):
    """MultiDiscrete([80] * n); without a mask or probabilities `sample` draws legal actions, one in each game.

    Args:
        n: how many games.
        seed: of its samples, or a generator.
    """

    def __init__(self, n: int, seed: int | np.random.Generator | None = None):
        super().__init__(np.full(n, ACTIONS), seed=seed)  # type: ignore[arg-type]
        self.legal: NDArray[np.int8] | None = None
        """int8 (n, 80): set by the environment; None: there are no games yet."""

    def sample(self, mask: Any = None, *arguments: Any, **options: Any) -> Any:
        """As `MultiDiscrete.sample`: int64 (n,)."""
        if mask is not None or arguments or options or self.legal is None:
            return super().sample(mask, *arguments, **options)
        keys = self.np_random.random(self.legal.shape) * self.legal
        return keys.argmax(axis=1).astype(self.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return spaces.MultiDiscrete, (self.nvec, self.dtype, self._np_random)
