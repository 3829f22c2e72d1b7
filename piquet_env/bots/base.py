"""What a bot is given and what it gives back: the one call signature of all bots."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from piquet_env import knowledge
from piquet_env.engine.actions import ACTIONS


class BotError(ValueError):
    """A bot that cannot be found or loaded, or that does what no bot may do."""


class Views(NamedTuple):
    """What the players to act in B games know; game i is entry i of each array."""

    observation: NDArray[np.int8]
    """(B, D): `knowledge.fields()`."""
    mask: NDArray[np.int8]
    """(B, 80): 1 for each legal action; in every row at least one is."""
    rows: NDArray[np.int64]
    """(B, columns): the game (`engine.layout.LAYOUT`), -1 in every column that the player to act may not know."""


@runtime_checkable
class Bot(Protocol):
    """A player of any number of games at once. It keeps no state between calls: a view has all that a player knows."""

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,), each one legal; all chance comes from `rng`."""
        ...


def views_of(rows: NDArray[np.int64]) -> Views:
    """What the player to act knows in each of the true games int64 (B, columns), each at a decision; new arrays."""
    hidden = np.array(rows, np.int64, order="C", ndmin=2)
    observation = np.empty((len(hidden), knowledge.OBSERVATION_SIZE), np.int8)
    mask = np.empty((len(hidden), ACTIONS), np.int8)
    player = np.empty(len(hidden), np.int64)
    knowledge.observe_rows(hidden, observation.view(np.int64), mask.view(np.int64), player)
    knowledge.hide_rows(hidden, player)
    return Views(observation, mask, hidden)
