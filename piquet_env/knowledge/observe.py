"""Observations, states and action masks as arrays, for one game and for a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import pointer, put_16, put_64, row_of
from piquet_env.knowledge.checks import check_player, check_players, check_row, check_rows, check_written
from piquet_env.knowledge.encode import encode, encode_state
from piquet_env.knowledge.features import OBSERVATION_SIZE, STATE_SIZE


@inlined
def put_mask(legal, mask):
    """The two words of legal actions as a mask: writes int8 (80,), or packed as int64 (2,)."""
    cards, others = legal
    put_64(mask, 0, cards | np.int64(others) << 32)
    put_16(mask, 1, others >> 32)


# ---- for a single game


def observation(row: NDArray[np.int64], player: int) -> NDArray[np.int8]:
    """What `player` (0 or 1) observes: int8 (OBSERVATION_SIZE,) of 0 and 1. Raises ValueError for what is no row."""
    out = np.empty(OBSERVATION_SIZE, np.int8)
    _observe(check_row(row), check_player(player), out)
    return out


def state(row: NDArray[np.int64], player: int = 0) -> NDArray[np.int8]:
    """Everything about the deal, from the side of `player`: int8 (STATE_SIZE,). Never the random state.

    Raises ValueError for what is no row.
    """
    out = np.empty((1, STATE_SIZE), np.int8)
    state_rows(check_row(row)[None], np.array([check_player(player)], np.int64), out)
    return out[0]


def action_mask(row: NDArray[np.int64], player: int) -> NDArray[np.int8]:
    """What `player` may do now: int8 (80,); all 0 while the other is to act. Raises ValueError for what is no row."""
    out = np.zeros(ACTIONS, np.int8)
    if check_row(row)[at.ACTOR] == check_player(player):
        _mask(row, out)
    return out


@compiled
def _mask(row, out):
    row, out = pointer(row), pointer(out)
    put_mask(legal_actions(row), out)


@compiled
def _observe(row, player, out):
    row, out = pointer(row), pointer(out)
    encode(row, player, out)


# ---- for a batch


def observe_rows(
    rows: NDArray[np.int64], observation: NDArray[np.int8], mask: NDArray[np.int8], player: NDArray[np.int64]
) -> None:
    """What the player to act in each game observes and may do.

    Writes int8 (N, OBSERVATION_SIZE) and int8 (N, 80), or packed int64 (N, OBSERVATION_SIZE / 64) and int64 (N, 2);
    and player int64 (N,). Raises ValueError for other arrays.
    """
    check_rows(rows)
    check_written("player", player, np.int64, (len(rows),))
    _check_bits("observation", observation, len(rows), OBSERVATION_SIZE)
    _check_bits("mask", mask, len(rows), ACTIONS)
    _observe_rows(rows, observation, mask, player)


@compiled
def _observe_rows(rows, observation, mask, player):
    for i in range(len(rows)):
        row = row_of(rows, i)
        player[i] = row[at.ACTOR]
        encode(row, player[i], row_of(observation, i))
        put_mask(legal_actions(row), row_of(mask, i))


def state_rows(rows: NDArray[np.int64], players: NDArray[np.int64], states: NDArray[np.int8]) -> None:
    """The state from the side of each game's own player, int64 (N,), 0 or 1.

    Writes int8 (N, STATE_SIZE), or packed int64 (N, STATE_SIZE / 64, rounded up). Raises ValueError for other arrays.
    """
    check_rows(rows)
    check_players(players, len(rows))
    _check_bits("states", states, len(rows), STATE_SIZE)
    _state_rows(rows, players, states)


@compiled
def _state_rows(rows, players, states):
    for i in range(len(rows)):
        encode_state(row_of(rows, i), players[i], row_of(states, i))


def _check_bits(name: str, vectors: NDArray[np.int8], games: int, size: int) -> None:
    """Of one byte a bit, or packed."""
    if getattr(vectors, "dtype", None) == np.int64:
        check_written(name, vectors, np.int64, (games, -(-size // 64)))
    else:
        check_written(name, vectors, np.int8, (games, size))
