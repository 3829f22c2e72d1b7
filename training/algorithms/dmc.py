"""Deep Monte Carlo (Zha et al., DouZero, arXiv 2106.06135): the value of each action, learnt from what came of it."""

from __future__ import annotations

import torch
from torch import Tensor

from training.algorithms.base import Algorithm, Loss, Minibatch
from training.network import Networks, best_action

MARGIN = 0.1  # in units of reward_scale


class DMC(Algorithm):
    """The network's numbers are values; the highest is played, but for a share `epsilon` that is random."""

    head = "greedy"
    uses_critic = False
    whole_episodes = True

    def acting(self, outputs: Tensor, mask: Tensor) -> Tensor:
        """See `Algorithm.acting`."""
        best = best_action(outputs, mask)[:, None]
        explore = self.config.epsilon * mask / mask.sum(-1, keepdim=True)
        return explore.scatter_add(-1, best, torch.full_like(explore[:, :1], 1 - self.config.epsilon)).log()

    def loss(self, networks: Networks, batch: Minibatch, progress: float) -> Loss:
        """See `Algorithm.loss`."""
        values = networks.policy(batch.state)
        value = values.gather(-1, batch.action[:, None]).squeeze(-1)
        each = (value - batch.value_target) ** 2
        best = best_action(values, batch.mask) == batch.action
        return Loss(each, {"value_loss": each.detach(), "agreement": best.float()})

    def imitation_loss(self, networks: Networks, batch: Minibatch) -> Loss:
        """The same, and what the imitated bot does shall be worth more than all else by a margin.

        Without that nothing would be known of what it does not do (Hester et al., DQfD, arXiv 1704.03732).
        """
        loss = self.loss(networks, batch, 0.0)
        others = torch.full_like(batch.acting, MARGIN).scatter(-1, batch.action[:, None], 0.0)
        values = networks.policy(batch.state)
        best = (values + others).masked_fill(~batch.mask, -torch.inf).amax(-1)
        each = loss.each + best - values.gather(-1, batch.action[:, None]).squeeze(-1)
        return Loss(each, {**loss.figures, "imitation_loss": each})
