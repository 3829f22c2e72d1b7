"""A trained network as a bot like all others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from piquet_env import Rules
from piquet_env.bots.base import Views
from piquet_env.bots.policy import draw
from piquet_env.engine import layout as at
from piquet_env.knowledge import ACTION_TABLE, OBSERVATION_SIZE, canonical_orders, inverse_orders, reorder, reorder_mask
from training.botfile import SUFFIX, VALUE, load_bot_file
from training.checkpoint import CheckpointError, checksum, load_checkpoint
from training.config import ConfigError, config_from
from training.network import Critic, PolicyNetwork, best_action, masked_log_probabilities

LARGEST_BATCH = 8192
HEADS = ("softmax", "greedy")
OF_VALUE = ("width", "depth", "scale", "deals", "explained_variance", "root_mean_square_error")
"""What is always said of a value network (`training.value.fitted_value` says more)."""


@dataclass(frozen=True)
class Value:
    """What a bot expects: a network of what the player to act sees, and the points that its unit stands for."""

    network: Critic
    scale: float

    @torch.no_grad()
    def points(self, seen: NDArray[np.int8]) -> NDArray[np.float32]:
        """For observations int8 (B, OBSERVATION_SIZE), as the networks see them: float32 (B,)."""
        device = next(self.network.parameters()).device
        return self.network(torch.from_numpy(seen).to(device).float()).cpu().numpy() * np.float32(self.scale)


class NetworkBot:
    """Plays its network's policy. One that has a `Value` has a method `value(views)` too.

    Args:
        policy: the network.
        head: "softmax": a random action with the network's probabilities; "greedy": the one with the highest number.
        canonical: whether the networks see the suits in canonical order (`knowledge.canonical_orders`).
        rules: that it was trained on, if that is known.
        value: what it expects, if it says so.
    """

    def __init__(
        self,
        policy: PolicyNetwork,
        head: str,
        canonical: bool,
        rules: str | dict[str, Any] | None = None,
        value: Value | None = None,
    ):
        self.policy = policy.eval()
        self.trained_on = None if rules is None else Rules.make(rules)
        self.head, self.canonical = head, canonical
        self.sha256 = checksum(policy.state_dict())
        self.expects = value
        self.value: Callable[[Views], NDArray[np.float32]] | None = None if value is None else self._value

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80), 0 for illegal actions."""
        return self._in_parts(self._probabilities, views, np.zeros(views.mask.shape, np.float32))

    def margins(self, views: Views) -> NDArray[np.float32]:
        """By how much the best action's probability, or its number, exceeds the second's: (B,); inf if alone."""
        return self._in_parts(self._margins, views, np.zeros(len(views.mask), np.float32))

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view."""
        return draw(self.probabilities(views), rng)

    def _in_parts(self, of: Callable[[Views], NDArray], views: Views, none: NDArray) -> NDArray:
        chunks = range(0, len(views.mask), LARGEST_BATCH)
        parts = [of(views.part(slice(first, first + LARGEST_BATCH))) for first in chunks]
        return np.concatenate(parts) if parts else none

    def _value(self, views: Views) -> NDArray[np.float32]:
        """What it expects the deal to come to: float32 (B,), in points."""
        assert self.expects is not None
        points = self.expects.points
        return self._in_parts(lambda part: points(self._seen(part)[0]), views, np.zeros(len(views.mask), np.float32))

    def _seen(self, views: Views) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64] | None]:
        """Observation and mask as the networks see them, and the order of the suits if it is another."""
        observation, mask = np.ascontiguousarray(views.observation), np.ascontiguousarray(views.mask)
        if not self.canonical:
            return observation, mask, None
        orders = canonical_orders(observation, np.ascontiguousarray(views.rows[:, at.PACK]))
        return reorder(observation, orders), reorder_mask(mask, orders), orders

    @torch.no_grad()
    def _of_network(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[Tensor, Tensor]:
        """The network's numbers, and which actions are legal: (B, 80) each."""
        device = next(self.policy.parameters()).device
        return self.policy(torch.from_numpy(observation).to(device).float()), torch.from_numpy(mask).to(device).bool()

    def _probabilities(self, views: Views) -> NDArray[np.float32]:
        observation, mask, orders = self._seen(views)
        outputs, legal = self._of_network(observation, mask)
        if self.head == "greedy":
            made = torch.zeros_like(outputs).scatter_(-1, best_action(outputs, legal)[:, None], 1.0)
        else:
            made = masked_log_probabilities(outputs, legal).exp()
        array = made.cpu().numpy()
        return array if orders is None else np.take_along_axis(array, ACTION_TABLE[inverse_orders(orders)], axis=-1)

    def _margins(self, views: Views) -> NDArray[np.float32]:
        outputs, legal = self._of_network(*self._seen(views)[:2])
        numbers = outputs if self.head == "greedy" else masked_log_probabilities(outputs, legal).exp()
        best = numbers.masked_fill(~legal, -torch.inf).topk(2, dim=-1).values
        return (best[:, 0] - best[:, 1]).cpu().numpy()


def load_network_bot(path: str | Path) -> NetworkBot:
    """The bot in a file of its own or in a checkpoint. Raises CheckpointError."""
    return network_bot(path, *read_network(path))


def read_network(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The weights of a bot's file or of a checkpoint, and what it says of them. Raises CheckpointError."""
    if str(path).endswith(SUFFIX):
        return load_bot_file(path)
    about = load_checkpoint(path)
    return about.get("networks", {}).get("policy"), about


def network_bot(path: str | Path, weights: dict[str, Tensor], about: dict[str, Any]) -> NetworkBot:
    """The bot that `read_network` has read. Raises CheckpointError."""
    try:
        _check_about(about)
        config = config_from(about["config"])
        policy, value = PolicyNetwork(config.width, config.depth), None
        of_policy = {name: tensor for name, tensor in weights.items() if not name.startswith(VALUE)}
        policy.load_state_dict(of_policy)
        if len(of_policy) < len(weights):
            value = _value_of(
                {name.removeprefix(VALUE): t for name, t in weights.items() if name.startswith(VALUE)}, about
            )
        return NetworkBot(policy, str(about["head"]), config.symmetry == "canonical", config.rules, value)
    except (AttributeError, KeyError, RuntimeError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path}: its network does not fit this program: {error}") from error


def _check_about(about: dict[str, Any]) -> None:
    """Raises TypeError."""
    if about.get("head") not in HEADS:
        raise TypeError(f"head: expected {' or '.join(HEADS)}, got {about.get('head')!r}")
    if type(about.get("decisions")) is not int:
        raise TypeError(f"decisions: expected a whole number, got {about.get('decisions')!r}")
    temperature = about.get("temperature", 1.0)
    if not isinstance(temperature, int | float) or not 0 < temperature < math.inf:
        raise TypeError(f"temperature: expected a number above 0, got {temperature!r}")


def _check_value(value: Any) -> None:
    """Raises TypeError."""
    numbers = [value.get(key) for key in OF_VALUE] if isinstance(value, dict) else [None]
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        raise TypeError(f"value: expected numbers for {', '.join(OF_VALUE)}, got {str(value)[:200]}")
    if not value["scale"] > 0:
        raise TypeError(f"value: expected a scale above 0, got {value['scale']!r}")


def _value_of(weights: dict[str, Tensor], about: dict[str, Any]) -> Value:
    _check_value(about.get("value"))
    network = Critic(OBSERVATION_SIZE, int(about["value"]["width"]), int(about["value"]["depth"]))
    network.load_state_dict(weights)
    return Value(network.eval(), float(about["value"]["scale"]))
