"""The update: play, learn from it, and all the state of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from piquet_env.bots import Bot
from piquet_env.envs.auctions import AUCTION
from training.algorithms import Loss, Minibatch, make_algorithm
from training.bot import NetworkBot
from training.buffer import Batch, random_orders
from training.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from training.config import ConfigError, TrainConfig, as_dict, config_from
from training.imitation import DecisionsFile, imitated
from training.network import Networks
from training.processes import Processes
from training.rollout import Rollout

LAST_SHARE = 0.1  # of the learning rate, at the end
LARGEST_FIRST_CHANGE = {"float32": 1e-5, "bfloat16": 1e-2}
"""Of a probability ratio before any learning: only rounding."""


class TrainingError(RuntimeError):
    """A run that cannot go on."""


class Trainer:
    """A run: everything that changes while it learns, and can be saved and resumed.

    Args:
        config: all that it depends on.
        frozen: a bot that takes one of the seats in every game and does not learn.
    """

    def __init__(self, config: TrainConfig, frozen: Bot | None = None):
        self.config = config
        self.processes = Processes(config)
        torch.set_num_threads(self.processes.threads)
        torch.manual_seed(config.seed)
        self.algorithm = make_algorithm(config)
        self.networks = Networks(config.width, config.depth, config.critic_width, config.critic, config.precision)
        self.networks.to(self.processes.device)
        used = self.networks if self.algorithm.uses_critic else self.networks.policy
        self.parameters = list(used.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, lr=config.learning_rate, eps=1e-5)
        self.rollout = Rollout(config, self.networks, self.algorithm, self.processes, frozen)
        self.imitated = imitated(config)
        self.decisions = 0
        self.updates = 0
        self.is_checked = False
        self.best: dict[str, Any] = {"score": -np.inf, "decisions": 0, "policy": {}}
        """The network that did best when measured: what it scored, after how many decisions, and its weights."""

    def bot(self) -> NetworkBot:
        """The policy as it is now; it shares the weights."""
        return NetworkBot(self.networks.policy, self.algorithm.head, self.config.symmetry == "canonical")

    def is_best(self, score: float) -> bool:
        """Take note of what the present network scores; whether none has scored more."""
        if score < self.best["score"]:
            return False
        weights = {name: tensor.detach().cpu().clone() for name, tensor in self.networks.policy.state_dict().items()}
        self.best = {"score": float(score), "decisions": self.decisions, "policy": weights}
        return True

    @property
    def is_imitating(self) -> bool:
        """Whether the run is still in its first part, in which a bot is imitated."""
        return bool(self.config.imitate) and self.decisions < self.config.imitate_decisions

    @property
    def progress(self) -> float:
        """The part of the run that is done, without the imitation, 0 to 1: what schedules go by."""
        imitated = self.config.imitate_decisions if self.config.imitate else 0
        return min(1.0, max(0, self.decisions - imitated) / max(1, self.config.decisions - imitated))

    @property
    def random_share(self) -> float:
        """Share of deals with a random auction; none where the auction is all that is played."""
        if self.config.episode == AUCTION:
            return 0.0
        is_learning_play = self.progress < self.config.play_first and not self.is_imitating
        return 1.0 if is_learning_play else self.config.random_contracts

    def step(self) -> dict[str, float]:
        """Play, learn from it, and say how it went."""
        learning_rate = self.config.learning_rate * (1 - (1 - LAST_SHARE) * self.progress)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        batch, figures = self._collect()
        learnt = self._learn(batch)
        before = self.decisions
        self.decisions += batch.played
        self.updates += 1
        self.algorithm.updated(self.networks)
        if self.config.pool > 0 and before // self.config.pool_every != self.decisions // self.config.pool_every:
            self.rollout.opponents.add(self.networks.policy)
        return {"decisions": float(self.decisions), **figures, **learnt, "learning_rate": learning_rate}

    def _collect(self) -> tuple[Batch, dict[str, float]]:
        """The decisions to learn from: of games, or of a file."""
        teacher = self.imitated if self.is_imitating else None
        if isinstance(teacher, DecisionsFile):
            return teacher.batch(self.updates, self.processes), {}
        self.rollout.teacher, self.rollout.random_share = teacher, self.random_share
        return self.rollout.collect(self.updates)

    def _learn(self, batch: Batch) -> dict[str, float]:
        """Passes over the batch in minibatches; the mean figures."""
        total = self.processes.sum(np.array([float(len(batch.action))]))[0]
        if total == 0:
            return {}
        self._normalise(batch, total)
        parts = max(1, round(total / self.config.minibatch))
        random = np.random.default_rng([self.config.seed, 3, self.updates])
        sums: dict[str, float] = {}
        steps, skipped = 0, 0
        for _ in range(self.config.epochs):
            # Which minibatch a decision goes to depends on its place alone, not on how many processes there are.
            part = (random.random(batch.places)[batch.place] * parts).astype(np.int64)
            orders = self._orders(random.random(batch.places)[batch.place])
            sizes = self.processes.sum(np.bincount(part, minlength=parts).astype(np.float64))
            order, edges = np.argsort(part, kind="stable"), np.searchsorted(np.sort(part), np.arange(parts + 1))
            for number in np.flatnonzero(sizes):
                chosen = order[edges[number] : edges[number + 1]]
                mini = batch.minibatch(chosen, self.processes.device, None if orders is None else orders[chosen])
                steps += 1
                skipped += not self.gradient_step(mini, sizes[number], sums)
        if skipped == steps:
            raise TrainingError(
                f"no gradient of the last update was finite, after {self.decisions:,} decisions: lower the learning "
                "rate, or look at reward_scale; the last checkpoint is still good"
            )
        names = sorted(sums)
        means = self.processes.sum(np.array([sums[name] for name in names])) / (self.config.epochs * total)
        return {**dict(zip(names, means.tolist(), strict=True)), "skipped": float(skipped)}

    def _normalise(self, batch: Batch, total: float) -> None:
        """Give the advantages mean 0 and deviation 1 over the batches of all processes, and open hands their unit."""
        advantage = batch.advantage.astype(np.float64)
        mean = self.processes.sum(np.array([advantage.sum()]))[0] / total
        variance = self.processes.sum(np.array([((advantage - mean) ** 2).sum()]))[0] / total
        batch.advantage[:] = (advantage - mean) / (variance**0.5 + 1e-6)
        if batch.open_hand is not None:
            batch.open_hand /= variance**0.5 + 1e-6

    def _orders(self, uniform: np.ndarray) -> np.ndarray | None:
        if self.config.symmetry != "augment":
            return None
        return random_orders(uniform, self.rollout.rules.pack)

    def gradient_step(self, mini: Minibatch, size: float, sums: dict[str, float]) -> bool:
        """One step on a minibatch of `size` decisions, those of other processes included; whether it was finite."""
        loss = self._loss(mini)
        if loss.each.shape != mini.action.shape:  # a mean, say, would be divided by the size once more
            expected = f"expected each of shape {tuple(mini.action.shape)}, one for each decision"
            raise TrainingError(f"{self.config.algorithm}: loss: {expected}, got {tuple(loss.each.shape)}")
        self._check_first(loss)
        self.optimizer.zero_grad()
        (loss.each.sum() / size).backward()
        self.processes.sum_gradients(self.parameters)
        norm = nn.utils.clip_grad_norm_(self.parameters, self.config.gradient_norm)
        is_finite = bool(torch.isfinite(norm))
        if is_finite:
            self.optimizer.step()
        for name, values in loss.figures.items():
            sums[name] = sums.get(name, 0.0) + float(values.detach().double().sum())
        return is_finite

    def _loss(self, mini: Minibatch) -> Loss:
        with self.networks.computing():
            if self.is_imitating:
                return self.algorithm.imitation_loss(self.networks, mini)
            return self.algorithm.loss(self.networks, mini, self.progress)

    def _check_first(self, loss: Loss) -> None:
        """Before anything was learnt from a batch, acting and learning must give the same probabilities."""
        change = loss.figures.pop("largest_change", None)
        # Where something has been learnt, with logits of some size, rounding alone may differ by more.
        is_new = self.updates == 0 and not self.config.start
        if self.is_checked or not is_new or change is None or self.config.symmetry == "augment":
            return
        self.is_checked = True
        if len(change) and change.max() > LARGEST_FIRST_CHANGE[self.config.precision]:
            raise TrainingError(f"acting and learning disagree: a probability ratio differs from 1 by {change.max()}")

    def save(self, path: Path) -> None:
        """Everything needed to go on, and to play. All processes must call it; the first one writes."""
        content = {
            "config": as_dict(self.config),
            "decisions": self.decisions,
            "updates": self.updates,
            "head": self.algorithm.head,
            "networks": {"policy": self.networks.policy.state_dict(), "critic": self.networks.critic.state_dict()},
            "optimizer": self.optimizer.state_dict(),
            "algorithm": self.algorithm.state_dict(),
            "rollout": self.rollout.state_dict(),
            "best": self.best,
        }
        if self.processes.is_first:
            save_checkpoint(path, content)

    @classmethod
    def resume(cls, path: Path, frozen: Bot | None = None) -> Trainer:
        """Go on from a checkpoint. Raises CheckpointError."""
        return cls.restored(load_checkpoint(path), path, frozen)

    @classmethod
    def restored(cls, content: dict[str, Any], path: Path, frozen: Bot | None = None) -> Trainer:
        """Go on from what is in a checkpoint, the file or folder `path`. Raises CheckpointError, ConfigError."""
        try:
            trainer = cls(config_of(content, path), frozen)
            trainer.load_state_dict(content)
        except ConfigError:
            raise
        except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path}: cannot be gone on with: {error}") from error
        return trainer

    def load_state_dict(self, content: dict[str, Any]) -> None:
        """What `save` has written."""
        self.networks.policy.load_state_dict(content["networks"]["policy"])
        self.networks.critic.load_state_dict(content["networks"]["critic"])
        self.optimizer.load_state_dict(content["optimizer"])
        self.algorithm.load_state_dict(content["algorithm"], self.networks)
        self.rollout.load_state_dict(content["rollout"])
        self.decisions, self.updates = int(content["decisions"]), int(content["updates"])
        self.best = content["best"]


def config_of(content: dict[str, Any], path: Path) -> TrainConfig:
    """The configuration in a checkpoint, the file or folder `path`. Raises CheckpointError."""
    try:
        return config_from(content["config"])
    except (KeyError, ConfigError) as error:
        raise CheckpointError(f"{path}: cannot be gone on with: {error}") from error
