"""The processes of one run (torch.distributed, started by torchrun), or the only one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor, nn

from piquet_env.arena.worker import cores
from training.config import ConfigError, TrainConfig

Made = TypeVar("Made")

LONGEST_WAIT = timedelta(hours=2)
"""For another process: the others wait while the first one plays an evaluation."""


class ProcessesError(RuntimeError):
    """Another process of the run has ended, or cannot be reached."""


class FirstFailed(Exception):
    """Something has failed, and the first process says what."""


class Processes:
    """Which of how many this is, where it computes, and what they tell each other.

    With one process nothing is sent. All of them must call the same methods in the same order. Each of these raises
    ProcessesError when another process is gone.
    """

    def __init__(self, config: TrainConfig):
        self.rank = dist.get_rank() if dist.is_initialized() else 0
        self.number = dist.get_world_size() if dist.is_initialized() else 1
        if config.games % self.number:
            raise ConfigError(f"games: {config.games} cannot be shared out evenly among {self.number} processes")
        self.games = config.games // self.number
        self.device = choose_device(config.device)
        self.threads = config.threads or max(1, cores() // int(os.environ.get("LOCAL_WORLD_SIZE", 1)))

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
        total = torch.from_numpy(numbers.copy())
        with _talking():
            dist.all_reduce(total)
        return total.numpy()

    def largest(self, number: float) -> float:
        """The largest of the processes' numbers."""
        if self.number == 1:
            return number
        most = torch.tensor(number, dtype=torch.float64)
        with _talking():
            dist.all_reduce(most, dist.ReduceOp.MAX)
        return most.item()

    def sum_gradients(self, parameters: list[nn.Parameter]) -> None:
        """Put into each gradient the sum of the processes' gradients."""
        if self.number == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        with _talking():
            dist.all_reduce(flat)
        for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(part.view_as(gradient))

    def any(self, flag: bool) -> bool:
        """Whether it is true in any process."""
        return bool(self.sum(np.array([float(flag)]))[0])

    def all_games(self, mine: Tensor, dim: int = 0) -> Tensor:
        """The tensors of all processes, on the CPU, one behind the other along the dimension of the games."""
        if self.number == 1:
            return mine
        sent = mine.to(torch.uint8 if mine.dtype == torch.bool else mine.dtype).contiguous()
        parts = [torch.empty_like(sent) for _ in range(self.number)]
        with _talking():
            dist.all_gather(parts, sent)
        return torch.cat(parts, dim).to(mine.dtype)


def choose_device(name: str) -> torch.device:
    """`auto` is the process's own GPU where there is one. Raises ConfigError: no such device."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name != "cuda":
        return torch.device(name)
    number, there = int(os.environ.get("LOCAL_RANK", 0)), torch.cuda.device_count()
    if number >= there:
        raise ConfigError(f"device: cuda, but torch finds {there} GPUs here, and this is process {number} (from 0)")
    return torch.device("cuda", number)


def is_first() -> bool:
    """Whether this is the first process of the run, also before and after it has joined the others."""
    return int(os.environ.get("RANK", 0)) == 0


@contextmanager
def joined() -> Iterator[None]:
    """Join the processes that torchrun has started, if it has, and leave them at the end. Raises ProcessesError."""
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        yield
        return
    has_gpu = torch.cuda.device_count() > int(os.environ.get("LOCAL_RANK", 0))
    if has_gpu:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", 0)))
    with _talking():
        dist.init_process_group("cpu:gloo,cuda:nccl" if has_gpu else "gloo", timeout=LONGEST_WAIT)
    try:
        yield
    finally:
        dist.destroy_process_group()


def from_first(make: Callable[[], Made]) -> Made:
    """What the first process makes, for all. If it cannot, that is its error, and FirstFailed in the others."""
    made = together(lambda: make() if is_first() else None)
    if not dist.is_initialized():
        return made  # type: ignore[return-value] (this is the first process)
    sent: list[Any] = [made]
    with _talking():
        dist.broadcast_object_list(sent, 0, device=torch.device("cpu"))
    return sent[0]


def together(make: Callable[[], Made]) -> Made:
    """What each process makes for itself; if one cannot: its error in the first one, FirstFailed in the others."""
    if not dist.is_initialized():
        return make()
    made, failed = None, None
    try:
        made = make()
    except Exception as error:
        failed = error
    told: list[Any] = [None] * dist.get_world_size()
    with _talking():
        dist.all_gather_object(told, failed)
    faults = [fault for fault in told if fault is not None]
    if faults:
        raise faults[0] if dist.get_rank() == 0 else FirstFailed
    return made  # type: ignore[return-value] (nothing has failed)


@contextmanager
def _talking() -> Iterator[None]:
    """torch's errors of a connection in words. Each is a RuntimeError, or says so in its own way."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise ProcessesError(f"lost contact with the other processes of this run ({reason})") from error
