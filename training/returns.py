"""Generalised advantages for each player (Schulman et al., arXiv 1506.02438)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def advantages_per_player(
    reward: Floats,
    done: NDArray[np.bool_],
    player: NDArray[np.int64],
    value: Floats,
    last_value: Floats,
    gae_lambda: float,
) -> Floats:
    """Advantages (T, N) of each decision for the player who took it, without discount.

    A player's trajectory is his own decisions; between two of them everything that was won or lost counts.

    Args:
        reward: (T, N), what each step brought player_0; player_1's is its negative.
        done: (T, N), the episode ended with this step.
        player: (T + 1, N), who is to act; the last line after the last step.
        value: (T, N), the critic's value for the player to act.
        last_value: (N,), the same after the last step. The game is zero-sum and the critic sees all cards, so the
            other player's is its negative.
        gae_lambda: 0 to 1.
    """
    steps, games = reward.shape
    every = np.arange(games)
    advantage = np.zeros_like(value)
    next_value = np.zeros((2, games), np.float32)
    next_advantage = np.zeros((2, games), np.float32)
    gained = np.zeros((2, games), np.float32)
    next_value[player[steps], every] = last_value
    next_value[1 - player[steps], every] = -last_value
    for t in reversed(range(steps)):
        for later in (next_value, next_advantage, gained):
            later[:, done[t]] = 0
        gained[0] += reward[t]
        gained[1] -= reward[t]
        mine = player[t], every
        advantage[t] = gained[mine] + next_value[mine] - value[t] + gae_lambda * next_advantage[mine]
        next_value[mine] = value[t]
        next_advantage[mine] = advantage[t]
        gained[mine] = 0
    return advantage
