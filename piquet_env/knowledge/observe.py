"""Observations, states and action masks as arrays, for one game and for a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.knowledge.encode import WORDS, encode, encode_state
from piquet_env.knowledge.features import OBSERVATION_SIZE, STATE_SIZE


def _spread_table() -> np.ndarray:
    """For each byte its eight bits as eight bytes of 0 or 1, lowest first: int64 (256,)."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.ascontiguousarray(bits).view(np.int64).reshape(256)


_SPREAD = _spread_table()


@compiled
def spread(words, out):
    """Bits to bytes: 32-bit words into `out`, int64 (size / 8,), a view of the int8 (size,) vector."""
    for k in range(len(out)):
        out[k] = _SPREAD[words[k >> 2] >> 8 * (k & 3) & 0xFF]


@compiled
def spread_mask(legal, out):
    """The two words of legal actions into `out`, int64 (10,), a view of the int8 (80,) mask."""
    cards, others = legal
    for k in range(4):
        out[k] = _SPREAD[cards >> 8 * k & 0xFF]
    for k in range(6):
        out[4 + k] = _SPREAD[others >> 8 * k & 0xFF]


# ---- for a single game


def observation(row: np.ndarray, player: int) -> np.ndarray:
    """What `player` (0 or 1) observes: int8 (OBSERVATION_SIZE,) of 0 and 1."""
    return _vector(encode, row, player, OBSERVATION_SIZE)


def state(row: np.ndarray, player: int = 0) -> np.ndarray:
    """Everything about the deal, from the side of `player`: int8 (STATE_SIZE,). Never the random state."""
    return _vector(encode_state, row, player, STATE_SIZE)


def _vector(encoder: Any, row: np.ndarray, player: int, size: int) -> np.ndarray:
    words = np.zeros(WORDS, np.int64)
    encoder(row, player, words)
    out = np.empty(size, np.int8)
    spread(words, out.view(np.int64))
    return out


def action_mask(row: np.ndarray, player: int) -> np.ndarray:
    """What `player` may do now: int8 (80,); all 0 while the other is to act."""
    out = np.zeros(ACTIONS, np.int8)
    if row[at.ACTOR] == player:
        spread_mask(legal_actions(row), out.view(np.int64))
    return out


# ---- for a batch


@compiled
def observe_rows(rows, observation, mask, player):
    """What the player to act in each game observes and may do.

    Writes int64 views (N, OBSERVATION_SIZE / 8) and (N, 10) of the int8 arrays, and player int64 (N,).
    """
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        player[i] = rows[i, at.ACTOR]
        encode(rows[i], player[i], words)
        spread(words, observation[i])
        spread_mask(legal_actions(rows[i]), mask[i])


@compiled
def observe_both(rows, chosen, observation):
    """What both players observe in the games where `chosen` (bool): writes int64 (N, 2, OBSERVATION_SIZE / 8)."""
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        if chosen[i]:
            for player in range(2):
                encode(rows[i], player, words)
                spread(words, observation[i, player])


@compiled
def state_rows(rows, states):
    """The state from the side of the player to act: writes int64 (N, STATE_SIZE / 8)."""
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        encode_state(rows[i], rows[i, at.ACTOR], words)
        spread(words, states[i])
