"""What a run begins with, where that is not chance: the networks of another run, or of a trained bot.

Of a run it takes Adam's averages too: a new Adam's first steps are as large as the step size in every weight, and undo
much of what is there (training/LOG.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch import Tensor, nn

from training.algorithms import Algorithm
from training.bot import read_network
from training.botfile import VALUE
from training.checkpoint import CheckpointError
from training.config import ConfigError, TrainConfig, config_from
from training.train import CHECKPOINT
from training.trainer import Trainer

ALIKE = ("width", "depth", "symmetry")
"""Fields that must be those of the run that made the networks."""


def begin_with(trainer: Trainer, start: str) -> None:
    """Give the trainer the networks and Adam's averages of a run's folder or checkpoint, or the policy of a bot's file.

    Only a checkpoint has a critic; beside a bot's policy it begins anew, so let such a run imitate the bot at first.
    Raises ConfigError: there is no such thing, or its networks are others than the configuration asks for.
    """
    path, weights, about = networks_at(start, trainer.config, trainer.algorithm)
    _load(trainer.networks.policy, weights, path)
    if "networks" in about:
        if trainer.algorithm.uses_critic:
            _load(trainer.networks.critic, about["networks"].get("critic"), path)
        _load_averages(trainer, about.get("optimizer"), path)


def networks_at(
    start: str, config: TrainConfig, algorithm: Algorithm
) -> tuple[Path, dict[str, Tensor] | None, dict[str, Any]]:
    """The file that is meant, the weights of its policy, and what it says of them. Raises ConfigError as above."""
    path = Path(start) / CHECKPOINT if Path(start).is_dir() else Path(start)
    try:
        weights, about = read_network(path)
        made_by = config_from(about["config"])
    except (CheckpointError, KeyError, ConfigError) as error:
        raise ConfigError(f"start: {error}") from error
    _check_alike(config, algorithm, made_by, about, path)
    return path, weights, about


def _check_alike(
    config: TrainConfig, algorithm: Algorithm, made_by: TrainConfig, about: dict[str, Any], path: Path
) -> None:
    """Raises ConfigError."""
    has_critic = "networks" in about and algorithm.uses_critic
    for name in (*ALIKE, *(("critic", "critic_width") if has_critic else ())):
        asked, has = getattr(config, name), getattr(made_by, name)
        if asked != has:
            raise ConfigError(f"start: {path} was made with {name}: {has}, not {asked}")
    if about.get("head") != algorithm.head:
        has = about.get("head")
        raise ConfigError(f"start: {path} has a {has} head, and {config.algorithm} a {algorithm.head} one")


def _load(network: nn.Module, weights: dict[str, Tensor] | None, path: Path) -> None:
    """The weights but for those of a value network. Raises ConfigError: they do not fit, or there are none."""
    try:
        network.load_state_dict({name: value for name, value in (weights or {}).items() if not name.startswith(VALUE)})
    except (AttributeError, RuntimeError, TypeError) as error:
        raise ConfigError(f"start: the networks in {path} do not fit this program: {error}") from error


def _load_averages(trainer: Trainer, state: Any, path: Path) -> None:
    """Raises ConfigError: they are not those of these networks."""
    try:
        trainer.optimizer.load_state_dict(state)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"start: Adam's averages in {path} do not fit this program: {error}") from error
