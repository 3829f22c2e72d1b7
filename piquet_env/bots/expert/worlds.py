"""The worlds that the expert looks at: those that fit what a player knows, the likelier the oftener."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief import sample_hidden
from piquet_env.bots.expert.likelihood import draw

SEEDS = 2**56
_POSSIBLE = 10  # worlds for each that is looked at: sampling them costs little beside solving them


def likely_worlds(
    row: NDArray[np.int64], player: int, number: int, seed: int, scratch: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Full games that the player cannot tell from this one, and which of them to look at.

    Ten times as many as are to be looked at are drawn independently, all arrangements equally likely
    (`belief.sample_hidden`); of these some are picked, each as often as it is likely by what the other called and
    discarded (`likelihood`).

    Args:
        row: int64 (columns,), a game or the game as the player knows it; nothing hidden is read.
        seed: from 0 to SEEDS - 1.
        scratch: int64 (rows, columns), at least one row, overwritten.

    Returns:
        games int64 (10 * number, columns); picks int64 (number,): places in them, in order, where one that is likely
        stands several times.
    """
    possible, picked = sample_hidden(row, player, _POSSIBLE * number, seed), np.empty(number, np.int64)
    draw(possible, player, seed / SEEDS, picked, scratch)
    return possible, picked
