"""What `render` of every environment returns or shows, by the mode that it was made with."""

from __future__ import annotations

import gymnasium
import numpy as np
from numpy.typing import NDArray

from piquet_env.render.table import table_text

RENDER_MODES = ("human", "ansi", "rgb_array")


def rendered(mode: str | None, row: NDArray[np.int64], player: int) -> str | NDArray[np.uint8] | None:
    """The table from the side of `player` (0 or 1), by one of `RENDER_MODES`; without a mode a warning.

    Args:
        mode: "ansi": as text; "human": printed; "rgb_array": as a picture, uint8 (height, width, 3), always of the
            same size, an even number of pixels.
        row: the game's row, int64 (columns,), or the row as the player knows it.

    Raises:
        DependencyNotInstalled: a picture without Pillow.
    """
    if mode is None:
        gymnasium.logger.warn("You are calling render method without specifying any render mode.")
        return None
    if mode == "rgb_array":
        return _picture(row, player)
    text = table_text(row, player)
    if mode == "ansi":
        return text
    print(text, flush=True)
    return None


def _picture(row: NDArray[np.int64], player: int) -> NDArray[np.uint8]:
    try:
        from piquet_env.render.picture import table_picture  # Pillow is an extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != "PIL":
            raise
        raise gymnasium.error.DependencyNotInstalled(
            "render_mode 'rgb_array' needs Pillow: pip install 'piquet-env[render]'"
        ) from error
    return table_picture(row, player)
