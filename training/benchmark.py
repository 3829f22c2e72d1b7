"""What `piquet benchmark --training` measures: the whole trainer, its networks alone, and two processes of it.

`piquet_env.benchmark` finds it as the entry point `training` of the group `piquet.benchmarks`.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import torch

from piquet_env.arena.worker import cores
from piquet_env.benchmark.measure import Measure, timed
from training.config import TrainConfig
from training.processes import joined
from training.trainer import Trainer

# The sizes of configs/quickstart.yaml, in the part of a run in which auctions are learnt too.
SIZES = TrainConfig(games=1024, steps=32, decisions=10**12, play_first=0.0)


@contextmanager
def measures(threads: int, sizes: TrainConfig | None = None) -> Iterator[list[Measure]]:
    """`training`, `training-network` and, where there are two cores, `training-processes-1` and `-2`.

    Args:
        threads: of the first two; in the others a process has one.
        sizes: of the networks and batches (default: SIZES).
    """
    sizes = sizes or SIZES
    config = replace(sizes, threads=threads)
    whole, alone = Trainer(config), NetworksAlone(config)
    made = [
        Measure("training", f"the whole trainer, {threads} threads", timed(lambda: _update(whole)), one_core=False),
        Measure("training-network", "its networks alone, the same batches", timed(alone.update), one_core=False),
    ]
    if cores() < 2:
        yield made
        return
    with _Run(sizes, 1) as one, _Run(sizes, 2) as two:
        yield [
            *made,
            Measure("training-processes-1", "one process of one thread, on one core", timed(one.update), False),
            Measure("training-processes-2", "two such, each with as many games", timed(two.update), False),
        ]


def _update(trainer: Trainer) -> int:
    """One update; its decisions."""
    trainer.step()
    return trainer.config.games * trainer.config.steps


class NetworksAlone:
    """What a trainer's networks do in an update, on batches that are made once: no game, no buffer."""

    def __init__(self, config: TrainConfig):
        # It always learns the same; small steps, so that nothing comes of that.
        self.trainer = Trainer(replace(config, learning_rate=1e-6))
        self.trainer.step()
        batch, _ = self.trainer.rollout.collect(1)
        parts = max(1, round(len(batch.action) / config.minibatch))
        split = np.array_split(np.arange(len(batch.action)), parts)
        self.minibatches = [batch.minibatch(chosen, self.trainer.processes.device) for chosen in split]
        everything = batch.minibatch(np.arange(config.games) % len(batch.action), self.trainer.processes.device)
        self.states = everything.state

    def update(self) -> int:
        """Act in every step of a rollout, then learn; the number of decisions of the rollout."""
        config, networks = self.trainer.config, self.trainer.networks
        with torch.no_grad():
            for _ in range(config.steps):
                networks.policy(self.states)
                networks.critic(self.states)
        for _ in range(config.epochs):
            for minibatch in self.minibatches:
                self.trainer.gradient_step(minibatch, len(minibatch.action), {})
        return config.games * config.steps


class _Run:
    """A run in processes of their own, which make an update whenever they are told."""

    def __init__(self, sizes: TrainConfig, number: int):
        config = replace(sizes, threads=1, games=sizes.games * number, minibatch=sizes.minibatch * number, device="cpu")
        self.decisions = config.games * config.steps
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
        sizes_said = {"WORLD_SIZE": str(number), "LOCAL_WORLD_SIZE": str(number)}
        context, self.pipes, self.processes = multiprocessing.get_context("spawn"), [], []
        for rank in range(number):
            said = {**place, **sizes_said, "RANK": str(rank), "LOCAL_RANK": str(rank)}
            ours, theirs = context.Pipe()
            process: Any = context.Process(target=_work, args=(config, said, theirs), daemon=True)
            process.start()
            self.pipes.append(ours)
            self.processes.append(process)

    def update(self) -> int:
        """One update; its decisions."""
        for pipe in self.pipes:
            pipe.send(True)
        for pipe in self.pipes:
            pipe.recv()
        return self.decisions

    def __enter__(self) -> _Run:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in self.pipes:
            pipe.close()
        for process in self.processes:
            process.join(10)


def _work(config: TrainConfig, said: dict[str, str], pipe: Connection) -> None:
    """As torchrun would have started it."""
    os.environ.update(said)
    if said["WORLD_SIZE"] == "1" and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with joined():
        trainer = Trainer(config)
        try:
            while pipe.recv():
                pipe.send(_update(trainer))
        except (EOFError, KeyboardInterrupt):  # the benchmark is over
            return
