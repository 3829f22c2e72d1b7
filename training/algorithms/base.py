"""What an algorithm is: how it acts, and what it minimises. Everything else is the same for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from training.config import TrainConfig
from training.network import Networks, expectation, masked_log_probabilities


class Minibatch(NamedTuple):
    """B decisions to learn from."""

    state: Tensor
    """float32 (B, STATE_SIZE), from the side of the player to act; the first bits are his observation."""
    mask: Tensor
    """bool (B, 80): the legal actions."""
    action: Tensor
    """int64 (B,): what was done."""
    acting: Tensor
    """float32 (B, 80): the log-probabilities with which it was chosen, -inf where 0."""
    advantage: Tensor
    """float32 (B,): generalised advantages, with mean 0 and deviation 1 over the update."""
    value_target: Tensor
    """float32 (B,): what the critic should say; with `whole_episodes` what came of it. In units of reward_scale."""
    open_hand: Tensor | None = None
    """float32 (B, 80): with `uses_solver`, what each action loses to the best one, in units of the advantages, if both
    go on with open hands (`piquet_env.solver`); NaN in all but the play, and for illegal actions."""


@dataclass
class Loss:
    """What is minimised, for each decision, and what is worth seeing in the log."""

    each: Tensor
    """float32 (B,)."""
    figures: dict[str, Tensor]
    """float32 (B,) each; the log has their means (`training.runlog.MEASURES`)."""


class Algorithm:
    """The base of all algorithms. To add one, write a class with `loss` in a file of your own and name it in a config.

    As in `algorithm: my_file:MyAlgorithm`; its own numbers go to `settings`.
    """

    head = "softmax"
    """How a bot plays from the network's numbers: softmax (by chance, with these logits) or greedy (the highest)."""
    uses_critic = True
    """Whether a critic is learnt too; without one, values are 0."""
    uses_solver = False
    """Whether it wants to know what each card is worth with open hands, where it plays."""
    whole_episodes = False
    """Whether decisions are learnt from only when their episode is over, on what came of it, and not on the critic."""

    def __init__(self, config: TrainConfig):
        self.config = config

    def acting(self, outputs: Tensor, mask: Tensor) -> Tensor:
        """The log-probabilities (B, 80) to act with, of the network's numbers (B, 80) and the mask bool (B, 80)."""
        return masked_log_probabilities(outputs, mask)

    def loss(self, networks: Networks, batch: Minibatch, progress: float) -> Loss:
        """What is minimised; `progress` is the part of the run that is done, 0 to 1."""
        raise NotImplementedError

    def imitation_loss(self, networks: Networks, batch: Minibatch) -> Loss:
        """The same while a bot is imitated: `acting` is then the bot's policy."""
        log_probabilities = masked_log_probabilities(networks.policy(batch.state), batch.mask)
        surprise = -expectation(batch.acting, log_probabilities)
        right = (log_probabilities.argmax(-1) == batch.action).float()
        value = value_loss(networks, batch)
        figures = {"imitation_loss": surprise, "agreement": right, **value.figures}
        return Loss(surprise + self.config.value_weight * value.each, figures)

    def updated(self, networks: Networks) -> None:
        """Called after each update."""

    def state_dict(self) -> dict[str, Any]:
        """What it must remember when a run is resumed: tensors and plain values."""
        return {}

    def load_state_dict(self, state: dict[str, Any], networks: Networks) -> None:
        """Go on from there; `networks` have already been loaded."""


class LogRatio(NamedTuple):
    """How the probability of what was done has changed since it was done."""

    ratio: Tensor
    """float32 (B,)."""
    figures: dict[str, Tensor]


LARGEST_LOG_RATIO = 20.0


def ratio_of(log_probabilities: Tensor, batch: Minibatch) -> LogRatio:
    """The ratio of new to old probability of each action."""
    new, old = (values.gather(-1, batch.action[:, None]).squeeze(-1) for values in (log_probabilities, batch.acting))
    change = (new - old).clamp(-LARGEST_LOG_RATIO, LARGEST_LOG_RATIO)
    ratio = change.exp()
    with torch.no_grad():
        figures = {"kl": ratio - 1 - change, "largest_change": (ratio - 1).abs()}
    return LogRatio(ratio, figures)


def clipped_loss(ratio: Tensor, advantage: Tensor, clip: float) -> Tensor:
    """PPO's clipped objective (Schulman et al., arXiv 1707.06347, equation 7), negative: (B,)."""
    return -torch.minimum(ratio * advantage, ratio.clamp(1 - clip, 1 + clip) * advantage)


def value_loss(networks: Networks, batch: Minibatch) -> Loss:
    """The critic's squared error."""
    value = networks.critic(batch.state)
    each = nn.functional.mse_loss(value, batch.value_target, reduction="none")
    return Loss(each, {"value_loss": each.detach()})
