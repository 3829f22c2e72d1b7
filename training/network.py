"""The policy network, the critic that sees all cards, and the one masked softmax for acting and learning."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE

ILLEGAL = -1e9  # finite, so that probability 0 times log-probability is 0 and not NaN


def _layers(inputs: int, width: int, depth: int, outputs: int, last_gain: float) -> nn.Sequential:
    sizes = [inputs] + [width] * depth
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    head = nn.Linear(width, outputs)
    nn.init.orthogonal_(head.weight, last_gain)
    nn.init.zeros_(head.bias)
    return nn.Sequential(*layers, head)


class PolicyNetwork(nn.Module):
    """Observation float32 (B, OBSERVATION_SIZE) to one logit for each action (B, 80), illegal ones included."""

    def __init__(self, width: int, depth: int):
        super().__init__()
        self.layers = _layers(OBSERVATION_SIZE, width, depth, ACTIONS, last_gain=0.01)

    def forward(self, observation: Tensor) -> Tensor:
        return self.layers(observation)


class Critic(nn.Module):
    """State float32 (B, STATE_SIZE) to the scaled value (B,) for the player from whose side it is written."""

    def __init__(self, width: int, depth: int):
        super().__init__()
        self.layers = _layers(STATE_SIZE, width, depth, 1, last_gain=1.0)

    def forward(self, state: Tensor) -> Tensor:
        return self.layers(state).squeeze(-1)


def masked_log_probabilities(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities (B, 80) over the legal actions of the mask, bool (B, 80); illegal ones have probability 0."""
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL), dim=-1)


def normalised_entropy(log_probabilities: Tensor, mask: Tensor) -> Tensor:
    """Entropy (B,) divided by the log of the number of legal actions: 1 is uniform; 0 where there is no choice."""
    entropy = -(log_probabilities.exp() * log_probabilities).sum(-1)
    return entropy / mask.sum(-1).clamp(min=2).log()


def sample(log_probabilities: Tensor, generator: torch.Generator) -> Tensor:
    """One action (B,) for each row, by the exponential race: the largest p / Exp(1) wins."""
    noise = torch.empty_like(log_probabilities).exponential_(generator=generator)
    return (log_probabilities.exp() / noise).argmax(-1)
