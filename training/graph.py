"""A trained bot as one network, from the arrays of the environment to what it does: what `piquet export` writes.

It sorts the suits itself, as `knowledge.canonical_orders` does, so that whoever runs it need not know of that.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from piquet_env.knowledge import ACTION_TABLE, OBSERVATION_SIZE, SUIT_ORDERS, VECTOR_TABLE, inverse_orders, suit_keys
from training.bot import NetworkBot, Value
from training.network import best_action, finite, masked_log_probabilities

_SUITS = SUIT_ORDERS.shape[1]


class ExportedNetwork(nn.Module):
    """Observation int8 (B, D) and action mask int8 (B, 80) to probabilities, value and action.

    Gives probabilities float32 (B, 80), 0 for illegal actions; value float32 (B,) in points; action int64 (B,), the
    likeliest one, the first of equal ones. Where no action is legal, all probabilities are 0.

    Args:
        bot: whose policy it is.
        value: what it expects.
        pack: the cards of the rules as 32 bits; suits that are not in it keep their places.
    """

    def __init__(self, bot: NetworkBot, value: Value, pack: int):
        super().__init__()
        self.policy, self.value, self.scale = bot.policy, value.network, value.scale
        self.head = bot.head
        self.sort = SuitSort(pack) if bot.canonical else None

    def forward(self, observation: Tensor, action_mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        if self.sort is None:
            probabilities, value = self._of_seen(observation, action_mask)
        else:
            order = self.sort.order(observation)
            made, value = self._of_seen(self.sort.observation(observation, order), self.sort.mask(action_mask, order))
            probabilities = self.sort.back(made, order)
        return probabilities, value, probabilities.argmax(-1)

    def _of_seen(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Probabilities and value, with the suits in the order in which the networks see them."""
        seen, legal = observation.float(), mask.bool()
        outputs = self._outputs(seen)
        if self.head == "greedy":
            made = nn.functional.one_hot(best_action(outputs, legal), outputs.shape[1])
        else:
            made = masked_log_probabilities(outputs, legal).exp()
        return torch.where(legal, made.float(), 0.0), self.value(seen) * self.scale

    def _outputs(self, seen: Tensor) -> Tensor:
        """The last layer in double: of logits of 100, float32 leaves too little for five digits of a probability."""
        *hidden, last = self.policy.layers
        assert isinstance(last, nn.Linear)
        for layer in hidden:
            seen = layer(seen)
        return finite(nn.functional.linear(seen.double(), last.weight.double(), last.bias.double()))


class SuitSort(nn.Module):
    """The canonical order of the suits, and arrays put in it: `knowledge.suits` as tables and comparisons.

    A key has 52 bits, which a double holds exactly.
    """

    keys: Tensor
    number: Tensor
    vectors: Tensor
    actions: Tensor
    actions_back: Tensor

    def __init__(self, pack: int):
        super().__init__()
        self.in_pack = [suit for suit in range(_SUITS) if pack >> 8 * suit & 255]
        orders = np.arange(len(SUIT_ORDERS))
        number = np.full((_SUITS,) * _SUITS, -1)
        number[tuple(SUIT_ORDERS.T)] = orders
        tables = {
            "keys": suit_keys().astype(np.float64),
            "number": number.ravel(),
            "vectors": VECTOR_TABLE[:, :OBSERVATION_SIZE],
            "actions": ACTION_TABLE,
            "actions_back": ACTION_TABLE[inverse_orders(orders)],
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(np.ascontiguousarray(table)))

    def order(self, observation: Tensor) -> Tensor:
        """The number int64 (B,) of the order that sorts the suits, the same as `canonical_orders` gives."""
        keys = list((observation.double() @ self.keys).unbind(1))
        place = [torch.full_like(keys[0], float(suit)) for suit in range(_SUITS)]
        for number, first in enumerate(self.in_pack):
            for second in self.in_pack[number + 1 :]:
                is_higher = keys[second] > keys[first]
                for row in (keys, place):
                    row[first], row[second] = (
                        torch.where(is_higher, row[second], row[first]),
                        torch.where(is_higher, row[first], row[second]),
                    )
        joined = ((place[0] * _SUITS + place[1]) * _SUITS + place[2]) * _SUITS + place[3]
        return self.number[joined.long()]

    def observation(self, observation: Tensor, order: Tensor) -> Tensor:
        """int8 (B, D) with the suits in that order."""
        return torch.gather(observation, 1, self.vectors[order])

    def mask(self, mask: Tensor, order: Tensor) -> Tensor:
        """int8 (B, 80) with the suits in that order."""
        return torch.gather(mask, 1, self.actions[order])

    def back(self, values: Tensor, order: Tensor) -> Tensor:
        """Numbers for each action (B, 80) in that order, with the suits as they were."""
        return torch.gather(values, 1, self.actions_back[order])
