"""The configuration of a run: one sentence per field, read from YAML; an unknown key is an error."""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from piquet_env import Rules


class ConfigError(ValueError):
    """A configuration that cannot be: names the file and the field."""


@dataclass(frozen=True)
class TrainConfig:
    """Everything that a run depends on. Budgets count decisions, never seconds."""

    rules: str | dict[str, Any] = "auction"
    """The game: a ruleset's name, or changed fields {"base": name, field: value}."""
    episode: str = "deal"
    """What an episode is: deal or partie."""
    reward: str = "score"
    """What is learned for: score, payment (parties only) or win."""
    seed: int = 0
    """Seed of the deals, of the weights and of the sampling."""
    decisions: int = 1_000_000
    """How many decisions to learn from, in all."""
    games: int = 1024
    """Games stepped at once."""
    steps: int = 32
    """Decisions of each game between two updates."""
    threads: int = 2
    """Threads of the games and of the network."""
    width: int = 256
    """Units of each hidden layer of the policy network."""
    depth: int = 3
    """Hidden layers of the policy network and of the critic."""
    critic_width: int = 128
    """Units of each hidden layer of the critic, which sees all cards."""
    learning_rate: float = 1e-3
    """Adam's step size at the start; it falls linearly to a tenth."""
    epochs: int = 2
    """Passes over the decisions of an update."""
    minibatch: int = 4096
    """Decisions of a gradient step."""
    clip: float = 0.2
    """PPO's bound on the change of a decision's probability ratio."""
    entropy: float = 0.03
    """Weight of the entropy at the start, each one divided by the log of the legal actions; it falls to a tenth."""
    gae_lambda: float = 0.95
    """Lambda of the generalised advantages."""
    value_weight: float = 0.5
    """Weight of the critic's loss."""
    gradient_norm: float = 0.5
    """Gradients are scaled down to this norm."""
    reward_scale: float = 50.0
    """Points that count as a reward of 1."""
    play_first: float = 0.5
    """Share of the run, from its start, in which every auction is random and not learnt from: who cannot play yet does
    best by passing, and would learn nothing else."""
    random_contracts: float = 0.25
    """Share of the deals with such an auction after that, so that contracts of all kinds go on being played."""
    evaluate_every: int = 500_000
    """Decisions between two evaluations, for the learning curve."""
    evaluate_deals: int = 200
    """Duplicate deals of such an evaluation."""
    final_deals: int = 1000
    """Duplicate deals of the evaluation at the end."""
    opponents: tuple[str, ...] = field(default=("random", "greedy"))
    """The bots to be measured against."""
    checkpoint_every: int = 500_000
    """Decisions between two checkpoints."""

    def __post_init__(self) -> None:
        _check(self)


_HINTS = typing.get_type_hints(TrainConfig)
_MOST = {"threads": 1024, "learning_rate": 1.0, "seed": 2**63 - 1}
_LEAST_SCALE = 1e-6
_SHARES = ("clip", "gae_lambda", "random_contracts", "play_first")
_NOT_NEGATIVE = ("seed", "entropy", "value_weight")


def load_config(path: str | Path) -> TrainConfig:
    """Read a YAML file. Raises ConfigError: unreadable, not YAML, an unknown key, a wrong value."""
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    try:
        return config_from(values)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def config_from(values: Any) -> TrainConfig:
    """A configuration from a mapping of fields, the rest by default. Raises ConfigError."""
    if not isinstance(values, dict):
        raise ConfigError(f"expected fields and values, got {type(values).__name__}")
    known = [f.name for f in dataclasses.fields(TrainConfig)]
    for name in values:
        if name not in known:
            raise ConfigError(f"unknown field {name!r}; known are {', '.join(known)}")
    changes: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}
    return TrainConfig(**changes)


def as_dict(config: TrainConfig) -> dict[str, Any]:
    """Plain values, as YAML and checkpoints hold them."""
    return {**dataclasses.asdict(config), "opponents": list(config.opponents)}


def _check(config: TrainConfig) -> None:
    for name in ("rules", "episode", "reward", "opponents"):
        _check_words(config, name)
    for f in dataclasses.fields(config):
        if _HINTS[f.name] in (int, float):
            object.__setattr__(config, f.name, _number(f.name, _HINTS[f.name], getattr(config, f.name)))
    if config.reward == "payment" and config.episode == "deal":
        raise ConfigError("reward: payment is what a partie pays; set episode: partie")


def _check_words(config: TrainConfig, name: str) -> None:
    value: Any = getattr(config, name)
    choices = {"episode": ("deal", "partie"), "reward": ("score", "payment", "win")}.get(name)
    if choices and value not in choices:
        raise ConfigError(f"{name}: expected one of {', '.join(choices)}, got {value!r}")
    if name == "opponents" and not (isinstance(value, tuple) and all(isinstance(bot, str) for bot in value)):
        raise ConfigError(f"opponents: expected a list of bots, got {value!r}")
    if name == "opponents" and not value:
        raise ConfigError("opponents: expected at least one bot to be measured against")
    if name == "rules":
        try:
            Rules.make(config.rules)
        except ValueError as error:
            raise ConfigError(str(error)) from error


def _number(name: str, kind: type, value: Any) -> int | float:
    """The value as `kind`. YAML reads 1e6 and 3e-4 as text, so numbers in text are taken too."""
    try:
        number = float(value) if not isinstance(value, bool) else None
    except (TypeError, ValueError):
        number = None
    if number is None or number != number or number in (float("inf"), float("-inf")):
        raise ConfigError(f"{name}: expected a number, got {value!r}")
    if kind is int and number != int(number):
        raise ConfigError(f"{name}: expected a whole number, got {value!r}")
    if name in _SHARES and not 0 <= number <= 1:
        raise ConfigError(f"{name}: expected 0 to 1, got {value!r}")
    if name not in _SHARES and (number < 0 or (number == 0 and name not in _NOT_NEGATIVE)):
        raise ConfigError(f"{name}: expected more than 0, got {value!r}")
    if number > _MOST.get(name, 10**15):
        raise ConfigError(f"{name}: expected at most {_MOST.get(name, 10**15)}, got {value!r}")
    if name == "reward_scale" and number < _LEAST_SCALE:
        raise ConfigError(f"{name}: expected at least {_LEAST_SCALE}, got {value!r}")
    return value if kind is int and isinstance(value, int) else kind(number)
