"""The update: play, learn from it with PPO, and all the state of a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from piquet_env.knowledge import OBSERVATION_SIZE
from training.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from training.config import TrainConfig, as_dict, config_from
from training.losses import ppo_loss
from training.network import Critic, PolicyNetwork
from training.rollout import Batch, Rollout

LAST_SHARE = 0.1  # of the learning rate and of the entropy's weight, at the end
LARGEST_FIRST_CHANGE = 1e-5  # of a probability ratio before any learning: only rounding


class TrainingError(RuntimeError):
    """A run that cannot go on."""


class Trainer:
    """A run: everything that changes while it learns, and can be saved and resumed."""

    def __init__(self, config: TrainConfig):
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self.config = config
        self.policy = PolicyNetwork(config.width, config.depth)
        self.critic = Critic(config.critic_width, config.depth)
        self.parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(self.parameters, lr=config.learning_rate, eps=1e-5)
        self.rollout = Rollout(config, self.policy, self.critic)
        self.shuffle = np.random.default_rng([config.seed, 2])
        self.decisions = 0
        self.updates = 0

    @property
    def remaining(self) -> float:
        """What schedules are multiplied by: falls from 1 to LAST_SHARE."""
        return 1 - (1 - LAST_SHARE) * min(1.0, self.decisions / self.config.decisions)

    @property
    def random_share(self) -> float:
        """Share of deals with a random auction."""
        is_learning_play = self.decisions < self.config.play_first * self.config.decisions
        return 1.0 if is_learning_play else self.config.random_contracts

    def step(self) -> dict[str, float]:
        """Play, learn from it, and say how it went."""
        self.rollout.random_share = self.random_share
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * self.remaining
        batch, figures = self.rollout.collect()
        learnt = self._learn(batch)
        self.decisions += self.config.games * self.config.steps
        self.updates += 1
        learnt["learning_rate"] = self.optimizer.param_groups[0]["lr"]
        return {"decisions": float(self.decisions), **figures, **learnt}

    def _learn(self, batch: Batch) -> dict[str, float]:
        figures: list[dict[str, float]] = []
        for _ in range(self.config.epochs):
            order = self.shuffle.permutation(len(batch.action))
            for chosen in np.array_split(order, max(1, round(len(order) / self.config.minibatch))):
                figures.append(self._gradient_step(batch, chosen))
                if self.updates == 0 and len(figures) == 1:
                    _check_first(figures[0]["largest_change"])
        return {name: float(np.mean([f[name] for f in figures])) for name in figures[0] if name != "largest_change"}

    def _gradient_step(self, batch: Batch, chosen: np.ndarray) -> dict[str, float]:
        state, mask, action, old, advantage, target = batch.minibatch(chosen)
        policy = ppo_loss(self.policy(state[:, :OBSERVATION_SIZE]), mask, action, old, advantage, self.config.clip)
        value = self.critic(state)
        value_loss = nn.functional.mse_loss(value, target)
        entropy_weight = self.config.entropy * self.remaining
        loss = policy.loss - entropy_weight * policy.entropy + self.config.value_weight * value_loss
        if not torch.isfinite(loss):
            raise TrainingError(
                f"the loss is no longer finite after {self.decisions:,} decisions: lower the learning rate, or look at "
                "reward_scale; the last checkpoint is still good"
            )
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, self.config.gradient_norm)
        self.optimizer.step()
        return {
            "policy_loss": policy.loss.item(),
            "value_loss": value_loss.item(),
            "explained": (1 - (target - value).var() / target.var().clamp(min=1e-6)).item(),
            "entropy": policy.entropy.item(),
            "kl": policy.kl.item(),
            "clipped": policy.clipped.item(),
            "largest_change": policy.largest_change.item(),
        }

    def save(self, path: Path) -> None:
        """Everything needed to go on, and to play."""
        save_checkpoint(
            path,
            {
                "config": as_dict(self.config),
                "decisions": self.decisions,
                "updates": self.updates,
                "policy": self.policy.state_dict(),
                "critic": self.critic.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "rollout": self.rollout.state_dict(),
                "shuffle": json.dumps(self.shuffle.bit_generator.state),
            },
        )

    @classmethod
    def resume(cls, path: Path) -> Trainer:
        """Go on from a checkpoint. Raises CheckpointError."""
        content = load_checkpoint(path)
        try:
            trainer = cls(config_from(content["config"]))
            trainer.policy.load_state_dict(content["policy"])
            trainer.critic.load_state_dict(content["critic"])
            trainer.optimizer.load_state_dict(content["optimizer"])
            trainer.rollout.load_state_dict(content["rollout"])
            trainer.shuffle.bit_generator.state = json.loads(content["shuffle"])
            trainer.decisions, trainer.updates = int(content["decisions"]), int(content["updates"])
        except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
            raise CheckpointError(f"{path}: cannot be gone on with: {error}") from error
        return trainer


def _check_first(largest_change: float) -> None:
    """Before anything was learnt, acting and learning must give the same probabilities. Raises RuntimeError."""
    if largest_change > LARGEST_FIRST_CHANGE:
        raise RuntimeError(f"acting and learning disagree: a probability ratio differs from 1 by {largest_change}")
