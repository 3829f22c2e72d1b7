"""Hiding what a player may not know: the columns of the row, by who knows each (engine.layout), and the phase."""

from __future__ import annotations

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import pointer, row_of

_HIDDEN = -1
_NOBODYS = np.array([c for f in at.FIELDS if f.known is at.Known.NOBODY for c in range(f.start, f.start + f.size)])
_OWNERS = np.array([f.start for f in at.FIELDS if f.known is at.Known.OWNER])
_OPENED = np.array([f.start for f in at.FIELDS if f.known is at.Known.OPEN])


@compiled
def hide(row, player):
    """Set every column that `player` may not know to -1, in place."""
    row = pointer(row)
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


@compiled
def hide_rows(rows, players):
    """`hide` for every row from its own player, int64 (N,)."""
    for i in range(len(rows)):
        hide(row_of(rows, i), players[i])
