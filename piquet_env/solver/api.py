"""Many positions solved in one call, on several threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import popcount, row_of
from piquet_env.solver.scores import (
    UNSETTLED_COLUMNS,
    begin_search,
    card_scores,
    card_tricks,
    exact_value,
    tricks_of,
)

Objective = Literal["score", "tricks"]
OBJECTIVES: tuple[Objective, ...] = ("score", "tricks")
NOT_LEGAL = np.iinfo(np.int64).min
"""Stands for the value of a card that may not be played."""

_TABLE, _UNSETTLED = 1 << 17, 1 << 12  # entries: what stays in a core's own cache is fastest
_SCRATCH_ROWS = 2 * at.MOST_TRICKS + 2


class Workspace(NamedTuple):
    """What one thread needs to solve: keep it, for what has been found once makes later positions faster."""

    rows: NDArray[np.int64]
    """(scratch rows, columns): row 0 is the position."""
    table: NDArray[np.int64]
    """(entries,): solver.tricks."""
    unsettled: NDArray[np.int64]
    """(entries, columns): solver.scores."""


def workspace() -> Workspace:
    """An empty one: about 1.3 MB."""
    return Workspace(
        np.zeros((_SCRATCH_ROWS, at.COLUMNS), np.int64),
        np.zeros(_TABLE, np.int64),
        np.zeros((_UNSETTLED, UNSETTLED_COLUMNS), np.int64),
    )


def card_values(
    rows: NDArray[np.int64], objective: Objective = "score", threads: int | None = None
) -> NDArray[np.int64]:
    """What every card that may be played leads to, with best play by both from then on, all cards known.

    Args:
        rows: int64 (N, columns), games in the phase of play with both hands known (not hidden); one game as (columns,).
        objective: "score": the final score of the deal, of the player to act less that of the other.
            "tricks": how many tricks of the deal the player to act wins, when both want to win them, or in a minus
            contract to lose them; the deal is played to its end, also where `stop_at` would stop it.
        threads: how many to use; None: all cores.

    Returns:
        int64 (N, 32), by card; NOT_LEGAL for what may not be played. (32,) for one game.

    Raises:
        ValueError: no such rows, objective or number of threads.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective: expected one of {', '.join(OBJECTIVES)}, got {objective!r}")
    kernel = _score_cards if objective == "score" else _count_cards
    return _solve(rows, (CARDS,), kernel, threads)


def deal_values(
    rows: NDArray[np.int64], objective: Objective = "score", threads: int | None = None
) -> NDArray[np.int64]:
    """What the deal comes to with best play by both: `card_values` of the best card, for player_0.

    Returns:
        int64 (N,): player_0's final score less player_1's, or the tricks of the deal that player_0 wins.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"objective: expected one of {', '.join(OBJECTIVES)}, got {objective!r}")
    return _solve(rows, (), score_deals if objective == "score" else count_deals, threads)


def _solve(
    rows: NDArray[np.int64], shape: tuple[int, ...], kernel: Callable[..., None], threads: int | None
) -> NDArray[np.int64]:
    checked = _checked(rows)
    threads = number_of_threads(threads)
    values = np.full((len(checked), *shape), NOT_LEGAL)
    parts = np.array_split(np.arange(len(checked)), max(1, min(threads, len(checked))))
    slices = [slice(part[0], part[-1] + 1) for part in parts if len(part)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda part: kernel(checked[part], values[part], *workspace()), slices))
    return values if np.ndim(rows) == 2 else values[0]


def number_of_threads(threads: int | None) -> int:
    """As many as are asked for; None: one for each core. Raises ValueError."""
    if threads is None:
        return os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer) or threads < 1:
        raise ValueError(f"threads: expected a whole number of at least 1, got {threads!r}")
    return int(threads)


def _checked(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows as a C-contiguous matrix. Raises ValueError."""
    if not isinstance(rows, np.ndarray) or rows.dtype != np.int64 or rows.shape[-1:] != (at.COLUMNS,) or rows.ndim > 2:
        got = f"{rows.dtype} {rows.shape}" if isinstance(rows, np.ndarray) else type(rows).__name__
        raise ValueError(f"rows: expected int64 (N, {at.COLUMNS}), got {got}")
    matrix = np.array(np.atleast_2d(rows), np.int64, order="C")
    bad = first_unsolvable(matrix)
    if bad >= 0:
        raise ValueError(f"rows: row {bad} is not in the phase of play with both hands known")
    return matrix


@compiled
def first_unsolvable(rows):
    """The first row that is no position of the play with both hands known; -1: there is none."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        if row[at.PHASE] != at.PLAY or not _is_in_range(row) or not _has_right_hands(row):
            return i
    return -1


@compiled
def _is_in_range(row):
    """Whether nothing in the row could lead outside of it, or of the pack."""
    if not (0 <= row[at.ACTOR] <= 1 and 0 <= row[at.ELDER] <= 1 and 0 <= row[at.IS_MINUS] <= 1):
        return False
    if not (0 <= row[at.PACK] <= at.MASK and 0 <= row[at.TRICK] < row[at.HAND_SIZE] <= at.MOST_TRICKS):
        return False
    led = row[at.LED]
    return led == -1 or (0 <= led < CARDS and (row[at.PLAYED] | row[at.PLAYED + 1]) >> led & 1 == 1)


@compiled
def _has_right_hands(row):
    left = row[at.HAND_SIZE] - row[at.TRICK]
    is_led = 1 if row[at.LED] >= 0 else 0
    player = row[at.ACTOR]
    mine, theirs = row[at.HANDS + player], row[at.HANDS + 1 - player]
    gone = row[at.PLAYED] | row[at.PLAYED + 1]
    if mine < 0 or theirs < 0 or mine & theirs or (mine | theirs) & gone or (mine | theirs) & ~row[at.PACK]:
        return False
    return popcount(mine) == left and popcount(theirs) == left - is_led


@compiled
def _copy_in(rows, row):
    """Row 0 becomes the position."""
    at.copy_row(row, row_of(rows, 0))


@compiled
def _copy_in_to_count(rows, row):
    """The same, where all tricks are played, whatever the score."""
    _copy_in(rows, row)
    rows[0, at.STOP_AT] = 0


@compiled
def _score_cards(positions, values, rows, table, unsettled):
    for i in range(len(positions)):
        _copy_in(rows, row_of(positions, i))
        card_scores(rows, values[i], table, unsettled)


@compiled
def _count_cards(positions, values, rows, table, unsettled):
    for i in range(len(positions)):
        _copy_in_to_count(rows, row_of(positions, i))
        card_tricks(rows, values[i], table)


@compiled
def score_deals(positions, values, rows, table, unsettled):
    for i in range(len(positions)):
        _copy_in(rows, row_of(positions, i))
        begin_search(unsettled)
        values[i] = exact_value(rows, 0, table, unsettled)


@compiled
def count_deals(positions, values, rows, table, unsettled):
    for i in range(len(positions)):
        _copy_in_to_count(rows, row_of(positions, i))
        values[i] = tricks_of(rows, 0, 0, table)
