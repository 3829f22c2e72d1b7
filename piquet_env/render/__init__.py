"""Games as text that a card player can follow, and as pictures."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from piquet_env.render.replay import deal_text, replay_text
from piquet_env.render.table import table_text

RENDER_MODES = ("human", "ansi", "rgb_array")
RENDER_FPS = 1  # a position is something to read

__all__ = ["RENDER_FPS", "RENDER_MODES", "deal_text", "rendered", "replay_text", "table_text"]


def rendered(row: np.ndarray, player: int, mode: str | None) -> str | NDArray[np.uint8] | None:
    """What an environment's `render` returns in one of `RENDER_MODES`: the table as `player` (0 or 1) sees it.

    Args:
        row: int64 (COLUMNS,), the game's row or the row as he knows it.
        mode: "ansi": the text; "human": it is printed; "rgb_array": a picture, uint8 (height, width, 3), of one even
            size; None: there is a warning, as Gymnasium has it.

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


def _picture(row: np.ndarray, player: int) -> Any:
    try:
        from piquet_env.render.picture import table_picture  # Pillow is an extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != "PIL":
            raise
        raise gymnasium.error.DependencyNotInstalled(
            "render_mode 'rgb_array' needs Pillow: pip install 'piquet-env[render]'"
        ) from error
    return table_picture(row, player)
