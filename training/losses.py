"""Generalised advantages for each player, and the PPO loss (Schulman et al., arXiv 1506.02438 and 1707.06347)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from training.network import masked_log_probabilities, normalised_entropy

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


@dataclass
class PolicyLoss:
    """What the policy's part of an update comes to; all are means over the minibatch."""

    loss: Tensor
    entropy: Tensor
    kl: Tensor
    clipped: Tensor
    largest_change: Tensor


def ppo_loss(logits: Tensor, mask: Tensor, action: Tensor, old: Tensor, advantage: Tensor, clip: float) -> PolicyLoss:
    """PPO's clipped loss; `old` are the log-probabilities stored while acting, advantages are normalised here."""
    log_probabilities = masked_log_probabilities(logits, mask)
    new = log_probabilities.gather(-1, action[:, None]).squeeze(-1)
    log_ratio = new - old
    ratio = log_ratio.exp()
    scaled = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-6)
    loss = -torch.minimum(ratio * scaled, ratio.clamp(1 - clip, 1 + clip) * scaled).mean()
    with torch.no_grad():
        kl = (ratio - 1 - log_ratio).mean()
        clipped = ((ratio - 1).abs() > clip).float().mean()
        largest = (ratio - 1).abs().max()
    return PolicyLoss(loss, normalised_entropy(log_probabilities, mask).mean(), kl, clipped, largest)
