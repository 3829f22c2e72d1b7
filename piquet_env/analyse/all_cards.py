"""What every choice comes to with all cards known.

The play is solved, exactly. Up to the play the rest of the deal goes by greedy's rules: the calls that follow, the
exchange, the declarations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from piquet_env.analyse.cost import points
from piquet_env.analyse.decisions import Choice, choices, take_choice
from piquet_env.bots.expert.playout import play_by_rules
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import row_of
from piquet_env.solver.api import deal_values

_AT_ONCE = 128


def values_of(row: NDArray[np.int64], progress: Callable[[float], object]) -> dict[Choice, int]:
    """What each choice of the player to act comes to: his score of the deal less the other's.

    Args:
        row: the true game, int64 (columns,).
        progress: called with 0 now and then: with some rules the thousands of sets of discards take seconds.
    """
    player, open_to_him = int(row[at.ACTOR]), choices(row)
    rows = np.repeat(row[None], len(open_to_him), axis=0)
    for after, choice in zip(rows, open_to_him, strict=True):
        take_choice(after, choice)
    _play_by_rules(rows)
    values, in_play = points(rows, player), rows[:, at.PHASE] == at.PLAY
    for first in range(0, len(rows), _AT_ONCE):
        part = first + np.flatnonzero(in_play[first : first + _AT_ONCE])
        values[part] = (1 - 2 * player) * deal_values(rows[part])
        progress(0)
    return dict(zip(open_to_him, values.tolist(), strict=True))


@compiled
def _play_by_rules(rows):
    """Up to the play, or to the end of a deal that does not come to it."""
    for i in range(len(rows)):
        play_by_rules(row_of(rows, i), at.PLAY)
