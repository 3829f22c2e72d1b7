"""The processes of one run (torch.distributed, started by torchrun), or the only one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor, nn

from training.config import ConfigError, TrainConfig


class Processes:
    """Which of how many this is, where it computes, and what they tell each other.

    With one process nothing is sent. All of them must call the same methods in the same order.
    """

    def __init__(self, config: TrainConfig):
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.number = dist.get_world_size() if dist.is_initialized() else 1
        if config.games % self.number:
            raise ConfigError(f"games: {config.games} cannot be shared out evenly among {self.number} processes")
        self.games = config.games // self.number
        self.device = choose_device(config.device)
        self.threads = config.threads or max(1, len(_cores()) // int(os.environ.get("LOCAL_WORLD_SIZE", 1)))

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes and prints."""
        return self.rank == 0

    @property
    def mine(self) -> slice:
        """Which of all games are played here."""
        return slice(self.rank * self.games, (self.rank + 1) * self.games)

    def sum(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the processes' arrays, elementwise."""
        if self.number == 1:
            return numbers
        total = torch.from_numpy(numbers).to(self.device)
        dist.all_reduce(total)
        return total.cpu().numpy()

    def largest(self, number: float) -> float:
        """The largest of the processes' numbers."""
        if self.number == 1:
            return number
        most = torch.tensor(number, dtype=torch.float64, device=self.device)
        dist.all_reduce(most, dist.ReduceOp.MAX)
        return most.item()

    def sum_gradients(self, parameters: list[nn.Parameter]) -> None:
        """Put into each gradient the sum of the processes' gradients."""
        if self.number == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def any(self, flag: bool) -> bool:
        """Whether it is true in any process."""
        return bool(self.sum(np.array([float(flag)]))[0])

    def all_games(self, mine: Tensor, dim: int = 0) -> Tensor:
        """The tensors of all processes one behind the other along the dimension of the games, on the CPU."""
        if self.number == 1:
            return mine
        # NCCL has no bool.
        sent = mine.to(self.device, torch.uint8 if mine.dtype == torch.bool else mine.dtype).contiguous()
        parts = [torch.empty_like(sent) for _ in range(self.number)]
        dist.all_gather(parts, sent)
        return torch.cat(parts, dim).cpu().to(mine.dtype)


def choose_device(name: str) -> torch.device:
    """`auto` is the process's own GPU where there is one. Raises ConfigError: no such device."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device: cuda, but torch finds no GPU here")
    return torch.device(name, int(os.environ.get("LOCAL_RANK", 0))) if name == "cuda" else torch.device(name)


@contextmanager
def joined(device: str) -> Iterator[None]:
    """Join the processes that torchrun has started, if it has, and leave them at the end."""
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        yield
        return
    place = choose_device(device)
    if place.type == "cuda":
        torch.cuda.set_device(place)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield
    finally:
        dist.destroy_process_group()


def _cores() -> list[int]:
    """Those that this process may use."""
    return list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
