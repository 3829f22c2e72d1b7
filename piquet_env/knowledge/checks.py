"""Arrays before they go to compiled code, which takes their addresses and looks at nothing. All raise ValueError."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from piquet_env.engine import layout as at


def check_array(name: str, array: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    """Refuse anything but an array of this type and shape."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"{name}: expected an array {np.dtype(dtype)} {shape}, got {got}")


def check_written(name: str, array: Any, dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    """The same for one that is written to: it must be C-contiguous and writable."""
    check_array(name, array, dtype, shape)
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise ValueError(f"{name}: expected an array that is C-contiguous and writable")


def check_rows(rows: Any) -> None:
    """Refuse anything but int64 (N, columns)."""
    check_array("rows", rows, np.int64, (len(rows), at.COLUMNS))


def check_row(row: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row: int64 (columns,)."""
    check_array("row", row, np.int64, (at.COLUMNS,))
    return row


def check_player(player: int) -> int:
    """The player: 0 or 1."""
    if player not in (0, 1):
        raise ValueError(f"player: expected 0 or 1, got {player!r}")
    return int(player)


def check_players(players: NDArray[np.int64], games: int) -> None:
    """Refuse anything but int64 (games,) of 0 and 1."""
    check_array("players", players, np.int64, (games,))
    if games and not (players.min() >= 0 and players.max() <= 1):
        raise ValueError("players: expected 0 or 1 for each game")
