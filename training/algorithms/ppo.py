"""PPO with strong entropy (Schulman et al., arXiv 1707.06347; for imperfect information Rudolph et al., 2502.08938)."""

from __future__ import annotations

from torch import Tensor

from training.algorithms.base import Algorithm, Loss, Minibatch, clipped_loss, ratio_of, value_loss
from training.network import Networks, masked_log_probabilities, normalised_entropy


class PPO(Algorithm):
    """The clipped objective, the critic's error, and a bonus for the policy's entropy that falls linearly."""

    last_share = 0.1
    """Of the entropy's weight, at the end."""

    def loss(self, networks: Networks, batch: Minibatch, progress: float) -> Loss:
        """See `Algorithm.loss`."""
        config = self.config
        log_probabilities = masked_log_probabilities(networks.policy(batch.state), batch.mask)
        ratio, figures = ratio_of(log_probabilities, batch)
        policy = self.policy_loss(log_probabilities, ratio, batch, progress)
        value = value_loss(networks, batch)
        entropy = normalised_entropy(log_probabilities, batch.mask)
        bonus = config.entropy * (1 - (1 - self.last_share) * progress)
        each = policy - bonus * entropy + config.value_weight * value.each
        clipped = ((ratio - 1).abs() > config.clip).float()
        return Loss(each, {**figures, **value.figures, "policy_loss": policy, "entropy": entropy, "clipped": clipped})

    def policy_loss(self, log_probabilities: Tensor, ratio: Tensor, batch: Minibatch, progress: float) -> Tensor:
        """What is minimised of the policy (B,), by its log-probabilities (B, 80) and the ratios (B,) of the actions."""
        return clipped_loss(ratio, batch.advantage, self.config.clip)
