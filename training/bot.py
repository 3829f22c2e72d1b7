"""A trained network as a bot like all others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from piquet_env.bots.base import Views, draw_actions
from training.checkpoint import CheckpointError, checksum, load_checkpoint
from training.config import ConfigError, config_from
from training.network import PolicyNetwork, masked_log_probabilities

LARGEST_BATCH = 8192


class NetworkBot:
    """Plays its network's policy: a random action with the network's probabilities."""

    def __init__(self, policy: PolicyNetwork):
        self.policy = policy.eval()
        self.sha256 = checksum(policy.state_dict())

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80), 0 for illegal actions."""
        chunks = range(0, len(views.mask), LARGEST_BATCH)
        parts = [self._probabilities(views, slice(first, first + LARGEST_BATCH)) for first in chunks]
        return np.concatenate(parts) if parts else np.zeros(views.mask.shape, np.float32)

    @torch.no_grad()
    def _probabilities(self, views: Views, part: slice) -> NDArray[np.float32]:
        logits = self.policy(torch.from_numpy(views.observation[part]).float())
        return masked_log_probabilities(logits, torch.from_numpy(views.mask[part]).bool()).exp().numpy()

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view."""
        return draw_actions(self.probabilities(views), rng)


def load_network_bot(path: str | Path) -> NetworkBot:
    """The bot in a checkpoint. Raises CheckpointError."""
    content = load_checkpoint(path)
    try:
        config = config_from(content["config"])
        policy = PolicyNetwork(config.width, config.depth)
        policy.load_state_dict(content["policy"])
    except (KeyError, RuntimeError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path}: its network does not fit this program: {error}") from error
    return NetworkBot(policy)
