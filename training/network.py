"""The policy network, the critic, and the one masked softmax for acting and learning."""

from __future__ import annotations

import itertools

import torch
from torch import Tensor, nn

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE, STATE_SIZE

LARGEST_LOGIT = 1e4
"""Logits are kept within this, so that differences, exponents and products of them stay finite in float32."""
LARGEST_OUTPUT = 1e12
"""So are the networks' outputs, values among them, so that their squares stay finite."""


def _layers(inputs: int, width: int, depth: int, outputs: int, last_gain: float) -> nn.Sequential:
    sizes = [inputs] + [width] * depth
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    head = nn.Linear(width, outputs)
    nn.init.orthogonal_(head.weight, last_gain)
    nn.init.zeros_(head.bias)
    return nn.Sequential(*layers, head)


def finite(outputs: Tensor) -> Tensor:
    """The outputs within LARGEST_OUTPUT; 0 for those that are not even numbers, as weights beyond all bounds give."""
    return outputs.nan_to_num(0.0, LARGEST_OUTPUT, -LARGEST_OUTPUT).clamp(-LARGEST_OUTPUT, LARGEST_OUTPUT)


def _outputs(layers: nn.Sequential, inputs: Tensor) -> Tensor:
    """What the layers say; the last one in float32 whatever the others are in, for logits go into the hundreds."""
    hidden = layers[:-1](inputs)
    if hidden.dtype == torch.float32:
        return finite(layers[-1](hidden))
    with torch.autocast(hidden.device.type, enabled=False):
        return finite(layers[-1](hidden.float()))


class PolicyNetwork(nn.Module):
    """Observation float32 (B, OBSERVATION_SIZE) to one number for each action (B, 80), illegal ones included.

    The numbers are logits, or values in units of reward_scale: that depends on the algorithm. Of a state it sees the
    first bits alone, which are the observation.
    """

    def __init__(self, width: int, depth: int):
        super().__init__()
        self.width, self.depth = width, depth
        self.layers = _layers(OBSERVATION_SIZE, width, depth, ACTIONS, last_gain=0.01)

    def forward(self, observation: Tensor) -> Tensor:
        return _outputs(self.layers, observation[:, :OBSERVATION_SIZE])


class Critic(nn.Module):
    """State float32 (B, STATE_SIZE) to the scaled value (B,) for the player from whose side it is written.

    With `inputs` OBSERVATION_SIZE it looks at no more of the state than what that player sees.
    """

    def __init__(self, inputs: int, width: int, depth: int):
        super().__init__()
        self.inputs = inputs
        self.layers = _layers(inputs, width, depth, 1, last_gain=1.0)

    def forward(self, state: Tensor) -> Tensor:
        return _outputs(self.layers, state[:, : self.inputs]).squeeze(-1)


class Networks(nn.Module):
    """All that is learnt; `critic` is "state" or "observation", what the critic sees.

    `precision` is what `computing` lets the hidden layers compute in: "float32" or "bfloat16".
    """

    def __init__(self, width: int, depth: int, critic_width: int, critic: str, precision: str = "float32"):
        super().__init__()
        self.precision = precision
        self.policy = PolicyNetwork(width, depth)
        self.critic = Critic(STATE_SIZE if critic == "state" else OBSERVATION_SIZE, critic_width, depth)

    def computing(self) -> torch.autocast:
        """Within it they are played with and learnt from in their precision; outside they are float32."""
        device = next(self.parameters()).device.type
        return torch.autocast(device, torch.bfloat16, enabled=self.precision == "bfloat16")


def masked_log_probabilities(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities (B, 80) over the legal actions of the mask, bool (B, 80); -inf for illegal ones."""
    return torch.log_softmax(logits.clamp(-LARGEST_LOGIT, LARGEST_LOGIT).masked_fill(~mask, -torch.inf), dim=-1)


def best_action(outputs: Tensor, mask: Tensor) -> Tensor:
    """The legal action (B,) with the highest of the numbers (B, 80); the first of equal ones."""
    return outputs.masked_fill(~mask, -torch.inf).argmax(-1)


def expectation(log_probabilities: Tensor, values: Tensor) -> Tensor:
    """The mean (B,) of values (B, 80) under a policy; those of actions that are never taken may be infinite."""
    return (log_probabilities.exp() * values.masked_fill(log_probabilities == -torch.inf, 0)).sum(-1)


def normalised_entropy(log_probabilities: Tensor, mask: Tensor) -> Tensor:
    """Entropy (B,) divided by the log of the number of legal actions: 1 is uniform; 0 where there is no choice."""
    return -expectation(log_probabilities, log_probabilities) / mask.sum(-1).clamp(min=2).log()
