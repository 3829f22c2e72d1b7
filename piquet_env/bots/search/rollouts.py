"""What actions before the play lead to when the policy goes on from them in both seats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.search.policy import Policy
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import difference, legal_actions, take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.knowledge import views_of
from piquet_env.solver.api import deal_values


def rollout_values(games: NDArray[np.int64], actions: NDArray[np.int64], policy: Policy) -> NDArray[np.int64]:
    """What the deal comes to after an action in each game: the score of the player who takes it less the other's.

    Up to the play the policy does its likeliest in both seats; the play is solved.

    Args:
        games: int64 (n, columns), before the play.
        actions: int64 (n,), legal.

    Returns:
        int64 (n,); 0 where the cards are thrown in.
    """
    rows, values = games.copy(), np.empty(len(games), np.int64)
    _go_on(rows, actions)
    while len(asked := np.flatnonzero(rows[:, at.PHASE] < at.PLAY)):
        part = rows[asked]
        _go_on(part, policy.likeliest(views_of(part)))
        rows[asked] = part
    _write_differences(rows, values)
    played = rows[:, at.PHASE] == at.PLAY
    values[played] = deal_values(rows[played], threads=1)
    return np.where(games[:, at.ACTOR] == 0, values, -values)


@compiled
def _go_on(rows, actions):
    """Take an action in each game, and what is forced after it, up to the play."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        take_action(row, actions[i])
        words = legal_actions(row)
        while row[at.PHASE] < at.PLAY and act.count(words) == 1:
            take_action(row, act.nth(words, 0))
            words = legal_actions(row)


@compiled
def _write_differences(rows, values):
    for i in range(len(rows)):
        values[i] = difference(row_of(rows, i))
