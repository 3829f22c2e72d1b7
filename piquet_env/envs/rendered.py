"""What `render` of every environment returns or shows, by the mode that it was made with."""

from __future__ import annotations

import gymnasium
import numpy as np
from numpy.typing import NDArray

from piquet_env.render.table import table_text

RENDER_MODES = ("human", "ansi")


def rendered(mode: str | None, row: NDArray[np.int64], player: int) -> str | None:
    """The table from the side of `player` (0 or 1): text ("ansi"), or printed ("human"); without a mode a warning.

    Args:
        row: the game's row, int64 (columns,), or the row as the player knows it.
    """
    if mode is None:
        gymnasium.logger.warn("You are calling render method without specifying any render mode.")
        return None
    text = table_text(row, player)
    if mode == "ansi":
        return text
    print(text, flush=True)
    return None
