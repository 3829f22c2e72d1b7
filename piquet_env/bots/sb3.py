"""Policies that Stable-Baselines3 and sb3-contrib have learned (PPO, MaskablePPO, A2C, ...), as bots."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import io
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from piquet_env.bots.base import BotError, Views
from piquet_env.bots.policy import draw, one_hot
from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE

_LIBRARY = "stable_baselines3"


class SB3Bot:
    """Plays what a model has learned so far: a copy, which does not change when training goes on.

    Args:
        model: one that learned with `SingleAgentEnv` or `SB3VecEnv`, of an algorithm with a policy of probabilities
            (PPO, MaskablePPO, A2C, ...). Illegal actions get no probability, also where the algorithm knows no masks.
        deterministic: take the likeliest action instead of drawing one.

    Raises:
        BotError: it is no such model, or one of other observations or actions, also where `VecNormalize` scaled them
            (`norm_obs=True`), or it remembers (RecurrentPPO).
    """

    sha256: str
    """Of the file, if there is one."""

    def __init__(self, model: Any, deterministic: bool = False):
        policy: Any = getattr(model, "policy", None)
        if not callable(getattr(policy, "get_distribution", None)):
            raise BotError(f"expected a model of Stable-Baselines3 whose policy has probabilities, got {model!r}")
        _check_policy(policy, getattr(model, "_last_obs", None))
        self.deterministic = bool(deterministic)
        with io.BytesIO() as saved:  # a policy in training cannot be copied otherwise
            policy.save(saved)
            saved.seek(0)
            self._take(type(policy).load(saved, device=policy.device))

    @classmethod
    def load(cls, path: str | os.PathLike[str], deterministic: bool = False) -> SB3Bot:
        """The bot in a file that `model.save` wrote. Such files can hold any code: load only those that you trust.

        Raises:
            BotError: there is no such file, it is none of Stable-Baselines3, or one of other observations or actions;
                or what it needs is not installed.
        """
        name = os.fspath(path)
        if not os.path.isfile(path):
            raise BotError(f"no trained bot at {name!r}")
        _check_installed(name)
        bot = cls.__new__(cls)
        bot.deterministic = bool(deterministic)
        with _no_bot(name):
            bot._take(_policy_in(path))
            bot.sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        return bot

    def _take(self, policy: Any) -> None:
        """Play this policy, and never train it."""
        policy.set_training_mode(False)
        policy.optimizer = None  # twice the weights' size
        for weights in policy.parameters():
            weights.requires_grad = False
        self._policy = policy
        self._is_maskable = "action_masks" in inspect.signature(policy.get_distribution).parameters

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """The policy: float32 (B, 80), 0 for illegal actions."""
        policy = self._policy_of(views)
        return one_hot(policy.argmax(axis=1)) if self.deterministic else policy

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """One action (B,) for each view: the likeliest, or drawn from the probabilities."""
        policy = self._policy_of(views)
        return policy.argmax(axis=1) if self.deterministic else draw(policy, rng)

    def _policy_of(self, views: Views) -> NDArray[np.float32]:
        legal = views.mask != 0
        observation, _ = self._policy.obs_to_tensor(views.observation)
        masks = {"action_masks": legal} if self._is_maskable else {}
        given = self._policy.get_distribution(observation, **masks).distribution.probs
        policy = np.where(legal, given.detach().cpu().numpy(), 0)
        # A policy that knows no masks may have left nothing for what is legal.
        policy = np.where(policy.sum(axis=1, keepdims=True) > 0, policy, legal)
        return (policy / policy.sum(axis=1, keepdims=True)).astype(np.float32)


# ------------------------------------------------------------------ a file


def _check_installed(name: str) -> None:
    if importlib.util.find_spec(_LIBRARY) is None:
        raise BotError(f"the bot {name!r} needs {_LIBRARY}, which is not installed: pip install 'piquet-env[examples]'")


@contextlib.contextmanager
def _no_bot(name: str) -> Iterator[None]:
    """Whatever is wrong with a file, as one BotError."""
    try:
        yield
    except BotError as error:
        raise BotError(f"{name}: {error}") from error
    except Exception as error:  # of zip, JSON, pickle and torch
        raise BotError(f"{name}: no model of Stable-Baselines3: {' '.join(str(error).split())[:300]}") from error


def _policy_in(path: str | os.PathLike[str]) -> Any:
    from stable_baselines3.common.save_util import load_from_zip_file

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what cannot be read, and may not be needed
        data, weights, _ = load_from_zip_file(os.fspath(path), device="cpu")
    data = data or {}
    kind = data.get("policy_class")
    if not isinstance(kind, type) or "policy" not in weights:
        raise BotError("it has no policy, or one of a library that is not installed (sb3-contrib?)")
    if not hasattr(kind, "get_distribution"):
        raise BotError(f"expected a policy of probabilities, got {kind.__name__}")
    policy = kind(data["observation_space"], data["action_space"], lambda _: 0.0, **data.get("policy_kwargs", {}))
    _check_policy(policy, data.get("_last_obs"))
    policy.load_state_dict(weights["policy"])
    return policy


def _check_policy(policy: Any, seen: Any) -> None:
    """Raises BotError: it plays another game, or needs more than an observation. `seen`: what it saw last, or None."""
    expected = (spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8), spaces.Discrete(ACTIONS))
    if (policy.observation_space, policy.action_space) != expected:
        got = f"{policy.observation_space} and {policy.action_space}"
        raise BotError(f"expected observations {expected[0]} and actions {expected[1]}, got {got}")
    if "lstm_states" in inspect.signature(policy.get_distribution).parameters:
        raise BotError(f"expected a policy without a memory of its own, got {type(policy).__name__}")
    if seen is not None and not np.isin(seen, (0, 1)).all():  # the scale is in no policy, nor in its file
        raise BotError("it learned from other observations than 0 and 1: use VecNormalize with norm_obs=False")
