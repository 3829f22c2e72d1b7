"""What the players to act in a batch of games know: what every bot is given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge.features import OBSERVATION_SIZE
from piquet_env.knowledge.hide import hide_rows
from piquet_env.knowledge.observe import observe_rows


class Views(NamedTuple):
    """What the players to act in B games know; game i is entry i of each array."""

    observation: NDArray[np.int8]
    """(B, D): `knowledge.fields()`."""
    mask: NDArray[np.int8]
    """(B, 80): 1 for each legal action; in every row at least one is."""
    rows: NDArray[np.int64]
    """(B, columns): the game (`engine.layout.LAYOUT`), -1 in every column that the player to act may not know."""

    def part(self, chosen: slice | NDArray[np.bool_] | NDArray[np.int64]) -> Views:
        """Those of some of the games."""
        return Views(self.observation[chosen], self.mask[chosen], self.rows[chosen])


def views_of(rows: NDArray[np.int64]) -> Views:
    """What the player to act knows in each of the true games int64 (B, columns), each at a decision; new arrays."""
    hidden = np.array(rows, np.int64, order="C", ndmin=2)
    observation = np.empty((len(hidden), OBSERVATION_SIZE), np.int8)
    mask = np.empty((len(hidden), ACTIONS), np.int8)
    player = np.empty(len(hidden), np.int64)
    observe_rows(hidden, observation, mask, player)
    hide_rows(hidden, player)
    return Views(observation, mask, hidden)
