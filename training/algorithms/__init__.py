"""The algorithms, by the name that a config gives them; each is a page."""

from __future__ import annotations

import difflib
import importlib
import os
import sys

from training.algorithms.base import Algorithm, Loss, Minibatch
from training.algorithms.best_response import BestResponse
from training.algorithms.dmc import DMC
from training.algorithms.guided import Guided
from training.algorithms.mmd import MMD
from training.algorithms.ppo import PPO
from training.config import ConfigError, TrainConfig

ALGORITHMS: dict[str, type[Algorithm]] = {
    "ppo": PPO,
    "guided": Guided,
    "mmd": MMD,
    "dmc": DMC,
    "best_response": BestResponse,
}

__all__ = ["ALGORITHMS", "Algorithm", "BestResponse", "Loss", "Minibatch", "make_algorithm"]


def make_algorithm(config: TrainConfig) -> Algorithm:
    """The algorithm that a config names: one of ours, or `module:Class` of a user's own (in the current directory too).

    Raises ConfigError: there is none of that name, or it has no loss.
    """
    name = config.algorithm
    if name in ALGORITHMS:
        return ALGORITHMS[name](config)
    module, colon, made = name.partition(":")
    if not colon:
        meant = "".join(f", did you mean {close!r}?" for close in difflib.get_close_matches(name, ALGORITHMS, 1))
        raise ConfigError(f"algorithm: {name!r} is unknown{meant}; expected {', '.join(ALGORITHMS)}, or module:Class")
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found = getattr(importlib.import_module(module), made)
    except (ImportError, AttributeError, TypeError, ValueError, SyntaxError) as error:
        raise ConfigError(f"algorithm: {name!r}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Algorithm)):
        raise ConfigError(f"algorithm: {name!r} is no class derived from training.algorithms.Algorithm")
    if found.loss is Algorithm.loss:
        raise ConfigError(f"algorithm: {name!r} has no method loss(networks, batch, progress)")
    return found(config)
