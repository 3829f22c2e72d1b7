"""The decisions of a rollout: preallocated while they are collected, in one line for learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import ACTION_TABLE, STATE_SIZE, SUIT_ORDERS, inverse_orders, reorder, reorder_mask
from training.algorithms.base import Minibatch

STATE_BYTES, MASK_BYTES = -(-STATE_SIZE // 8), ACTIONS // 8

# Of one game at one step.
FIELDS: dict[str, tuple[tuple[int, ...], type]] = {
    "state": ((STATE_BYTES,), np.uint8),  # packed bits, from the side of the player to act
    "mask": ((MASK_BYTES,), np.uint8),  # packed bits
    "action": ((), np.int64),
    "acting": ((ACTIONS,), np.float32),  # log-probabilities
    "open_hand": ((ACTIONS,), np.float32),  # what each loses to the best with open hands, scaled; NaN: not known
    "value": ((), np.float32),  # the critic's
    "player": ((), np.int64),  # who acted
    "learn": ((), np.bool_),  # whether the decision is to be learnt from
    "reward": ((), np.float32),  # what the step brought player_0, scaled
    "done": ((), np.bool_),  # the episode ended with the step
}


class Buffer:
    """Steps of N games: arrays (steps, N, ...) by the names of FIELDS, of which the first `length` steps are filled."""

    def __init__(self, steps: int, games: int):
        self.arrays = {name: np.zeros((steps, games, *shape), kind) for name, (shape, kind) in FIELDS.items()}
        self.length = 0

    def __getitem__(self, name: str) -> NDArray:
        return self.arrays[name][: self.length]

    def begin_step(self) -> dict[str, NDArray]:
        """Arrays (N, ...) to write the next step to."""
        if self.length == len(self.arrays["done"]):
            self.arrays = {name: np.concatenate([array, np.zeros_like(array)]) for name, array in self.arrays.items()}
        self.length += 1
        return {name: array[self.length - 1] for name, array in self.arrays.items()}

    def keep_last(self, steps: int) -> None:
        """Forget all but the last steps."""
        for array in self.arrays.values():
            array[:steps] = array[self.length - steps : self.length].copy()
        self.length = steps

    def fill(self, arrays: dict[str, NDArray]) -> None:
        """Take these steps, arrays (steps, N, ...), for all there is; numbers that they have not are not known."""
        self.length = 0
        for step in range(len(arrays["done"])):
            for name, place in self.begin_step().items():
                place[:] = arrays[name][step] if name in arrays else np.nan


@dataclass
class Batch:
    """Decisions to learn from, in one line (M,)."""

    state: NDArray[np.uint8]
    """Packed bits (M, bytes): the state; its first OBSERVATION_SIZE bits are the observation."""
    mask: NDArray[np.uint8]
    """Packed bits (M, 10)."""
    action: NDArray[np.int64]
    acting: NDArray[np.float32]
    """Log-probabilities (M, 80)."""
    advantage: NDArray[np.float32]
    value_target: NDArray[np.float32]
    open_hand: NDArray[np.float32] | None
    """What each action (M, 80) loses to the best one with open hands, in units of reward_scale, where the algorithm
    wants to know; NaN where it was not solved."""
    place: NDArray[np.int64]
    """Which decision it is, counted step by step over the games of all processes."""
    places: int
    """How many such places there are."""
    played: int
    """How many decisions were played for it, by all processes."""

    def minibatch(
        self, chosen: NDArray[np.int64], device: torch.device, orders: NDArray[np.int64] | None = None
    ) -> Minibatch:
        """Some of the decisions, spread out for the network; with orders (B,), their suits are renamed so."""
        state = np.unpackbits(self.state[chosen], axis=-1, count=STATE_SIZE)
        mask = np.unpackbits(self.mask[chosen], axis=-1)
        action, acting = self.action[chosen], self.acting[chosen]
        open_hand = None if self.open_hand is None else self.open_hand[chosen]
        if orders is not None:
            state, mask = reorder(state.view(np.int8), orders), reorder_mask(mask.view(np.int8), orders)
            action, acting = renamed(action, orders), renamed_columns(acting, orders)
            open_hand = None if open_hand is None else renamed_columns(open_hand, orders)
        values = (self.advantage[chosen], self.value_target[chosen])
        spread = (_tensor(state, device).float(), _tensor(mask, device).bool())
        solved = None if open_hand is None else _tensor(open_hand, device)
        return Minibatch(*spread, *(_tensor(array, device) for array in (action, acting, *values)), open_hand=solved)


def renamed(actions: NDArray[np.int64], orders: NDArray[np.int64]) -> NDArray[np.int64]:
    """What actions (B,) are called when the suits are in these orders (B,)."""
    return ACTION_TABLE[inverse_orders(orders), actions]


def renamed_columns(values: NDArray[np.float32], orders: NDArray[np.int64]) -> NDArray[np.float32]:
    """Numbers for each action (B, 80), when the suits are in these orders (B,)."""
    return np.take_along_axis(values, ACTION_TABLE[orders], axis=-1)


def random_orders(uniform: NDArray[np.float64], pack: int) -> NDArray[np.int64]:
    """An order (B,) of the suits of a pack for each random number (B,) in [0, 1)."""
    kept = [suit for suit in range(4) if not pack >> 8 * suit & 255]
    allowed = np.flatnonzero((SUIT_ORDERS[:, kept] == kept).all(-1))
    return allowed[(uniform * len(allowed)).astype(np.int64)]


def _tensor(array: NDArray, device: torch.device) -> Tensor:
    return torch.from_numpy(array).to(device, non_blocking=True)
