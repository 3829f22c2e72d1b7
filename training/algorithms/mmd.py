"""Magnetic mirror descent with deep networks (Sokota et al., arXiv 2206.05825), as a variant of PPO.

Two terms take the place of the entropy bonus: one draws the policy towards a magnet, one holds it near the policy that
played. Both are annealed as the paper does for 10,000 updates: by the square root of T / (t + T / 10).
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor

from training.algorithms.base import Algorithm, Loss, Minibatch, clipped_loss, ratio_of, value_loss
from training.config import TrainConfig
from training.network import Networks, PolicyNetwork, expectation, masked_log_probabilities, normalised_entropy


class MMD(Algorithm):
    """The magnet is the uniform policy, or the policy of the averaged weights (`magnet_average` above 0)."""

    def __init__(self, config: TrainConfig):
        super().__init__(config)
        self.average: PolicyNetwork | None = None

    def loss(self, networks: Networks, batch: Minibatch, progress: float) -> Loss:
        """See `Algorithm.loss`."""
        config = self.config
        log_probabilities = masked_log_probabilities(networks.policy(batch.state), batch.mask)
        ratio, figures = ratio_of(log_probabilities, batch)
        policy = clipped_loss(ratio, batch.advantage, config.clip)
        value = value_loss(networks, batch)
        to_magnet = self._to_magnet(log_probabilities, batch)
        to_acting = expectation(log_probabilities, log_probabilities - batch.acting.clamp(min=-100))
        annealed = (1 / (progress + 0.1)) ** 0.5
        each = policy + annealed * (config.magnet * to_magnet + config.stay * to_acting)
        entropy = normalised_entropy(log_probabilities, batch.mask)
        figures |= {**value.figures, "policy_loss": policy, "entropy": entropy, "to_magnet": to_magnet}
        return Loss(each + config.value_weight * value.each, figures)

    def _to_magnet(self, log_probabilities: Tensor, batch: Minibatch) -> Tensor:
        """KL(policy, magnet), divided by the log of the number of legal actions as the entropy is: (B,)."""
        if self.average is None:
            return 1 - normalised_entropy(log_probabilities, batch.mask)
        with torch.no_grad():
            magnet = masked_log_probabilities(self.average(batch.state), batch.mask)
        apart = expectation(log_probabilities, log_probabilities - magnet.clamp(min=-100))
        return apart / batch.mask.sum(-1).clamp(min=2).log()

    @torch.no_grad()
    def updated(self, networks: Networks) -> None:
        """Move the averaged weights."""
        if self.config.magnet_average == 0:
            return
        if self.average is None:
            self.average = copy.deepcopy(networks.policy)
        for mean, now in zip(self.average.parameters(), networks.policy.parameters(), strict=True):
            mean.lerp_(now, 1 - self.config.magnet_average)

    def state_dict(self) -> dict[str, Any]:
        """The averaged weights."""
        return {} if self.average is None else {"average": self.average.state_dict()}

    def load_state_dict(self, state: dict[str, Any], networks: Networks) -> None:
        """Go on from there."""
        if "average" in state:
            self.average = copy.deepcopy(networks.policy)
            self.average.load_state_dict(state["average"])
