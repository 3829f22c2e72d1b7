"""Hiding what a player may not know: the columns of the row, by who knows each (engine.layout), and the phase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import row_of
from piquet_env.knowledge.checks import check_player, check_players, check_written

_HIDDEN = -1
_NOBODYS = np.array([c for f in at.FIELDS if f.known is at.Known.NOBODY for c in range(f.start, f.start + f.size)])
_OWNERS = np.array([f.start for f in at.FIELDS if f.known is at.Known.OWNER])
_OPENED = np.array([f.start for f in at.FIELDS if f.known is at.Known.OPEN])


def hide(row: NDArray[np.int64], player: int) -> None:
    """Set every column that `player` may not know to -1, in place. Raises ValueError for what is no row."""
    check_written("row", row, np.int64, (at.COLUMNS,))
    hide_rows(row[None], np.array([check_player(player)], np.int64))


def hide_rows(rows: NDArray[np.int64], players: NDArray[np.int64]) -> None:
    """`hide` for every row, int64 (N, columns), from its own player, int64 (N,). Raises ValueError for other arrays."""
    check_written("rows", rows, np.int64, (len(rows), at.COLUMNS))
    check_players(players, len(rows))
    _hide_rows(rows, players)


@compiled
def _hide_rows(rows, players):
    for i in range(len(rows)):
        _hide(row_of(rows, i), players[i])


@compiled
def _hide(row, player):
    for column in _NOBODYS:
        row[column] = _HIDDEN
    for column in _OWNERS:
        row[column + 1 - player] = _HIDDEN
    if not row[at.OPEN_HANDS]:
        for column in _OPENED:
            row[column + 1 - player] = _HIDDEN
    phase = phase_seen_by(row, player)
    if row[at.PHASE] != phase:
        row[at.PHASE] = phase
        row[at.ACTOR] = row[at.ELDER]


@compiled
def phase_seen_by(row, player):
    """The phase as he sees it: that the other is asked for carte blanche shows only to him."""
    if row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] != player:
        return at.EXCHANGE
    return row[at.PHASE]
