"""A trained network as a bot like all others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from piquet_env import Rules
from piquet_env.bots.base import Views
from piquet_env.bots.policy import draw
from piquet_env.engine import layout as at
from piquet_env.knowledge import ACTION_TABLE, canonical_orders, inverse_orders, reorder, reorder_mask
from training.botfile import SUFFIX, load_bot_file
from training.checkpoint import CheckpointError, checksum, load_checkpoint
from training.config import ConfigError, config_from
from training.network import PolicyNetwork, best_action, masked_log_probabilities

LARGEST_BATCH = 8192


class NetworkBot:
    """Plays its network's policy.

    Args:
        policy: the network.
        head: "softmax": a random action with the network's probabilities; "greedy": the one with the highest number.
        canonical: whether the network sees the suits in canonical order (`knowledge.canonical_orders`).
        rules: that it was trained on, if that is known.
    """

    def __init__(self, policy: PolicyNetwork, head: str, canonical: bool, rules: str | dict[str, Any] | None = None):
        self.policy = policy.eval()
        self.trained_on = None if rules is None else Rules.make(rules)
        self.head, self.canonical = head, canonical
        self.sha256 = checksum(policy.state_dict())

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80), 0 for illegal actions."""
        chunks = range(0, len(views.mask), LARGEST_BATCH)
        parts = [self._probabilities(views.part(slice(first, first + LARGEST_BATCH))) for first in chunks]
        return np.concatenate(parts) if parts else np.zeros(views.mask.shape, np.float32)

    def _probabilities(self, views: Views) -> NDArray[np.float32]:
        observation, mask = np.ascontiguousarray(views.observation), np.ascontiguousarray(views.mask)
        if not self.canonical:
            return self._of_network(observation, mask)
        orders = canonical_orders(observation, np.ascontiguousarray(views.rows[:, at.PACK]))
        made = self._of_network(reorder(observation, orders), reorder_mask(mask, orders))
        return np.take_along_axis(made, ACTION_TABLE[inverse_orders(orders)], axis=-1)

    @torch.no_grad()
    def _of_network(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        device = next(self.policy.parameters()).device
        outputs = self.policy(torch.from_numpy(observation).to(device).float())
        legal = torch.from_numpy(mask).to(device).bool()
        if self.head == "greedy":
            best = best_action(outputs, legal)[:, None]
            return torch.zeros_like(outputs).scatter_(-1, best, 1.0).cpu().numpy()
        return masked_log_probabilities(outputs, legal).exp().cpu().numpy()

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view."""
        return draw(self.probabilities(views), rng)


def load_network_bot(path: str | Path) -> NetworkBot:
    """The bot in a file of its own or in a checkpoint. Raises CheckpointError."""
    if str(path).endswith(SUFFIX):
        weights, about = load_bot_file(path)
    else:
        about = load_checkpoint(path)
        weights = about.get("networks", {}).get("policy")
    try:
        config = config_from(about["config"])
        policy = PolicyNetwork(config.width, config.depth)
        policy.load_state_dict(weights)
        return NetworkBot(policy, str(about["head"]), config.symmetry == "canonical", config.rules)
    except (AttributeError, KeyError, RuntimeError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path}: its network does not fit this program: {error}") from error
