"""The options that every environment takes, checked in one place."""

from __future__ import annotations

import logging
import operator
import secrets
import sys
from collections.abc import Collection, Hashable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine.actions import ACTIONS
from piquet_env.engine.batch import REWARD_PAYMENT, REWARD_SCORE, REWARD_WIN
from piquet_env.engine.compiled import needs_compiling
from piquet_env.notation import legal_texts

EPISODES = ("deal", "partie", "auction")
REWARDS = {"score": REWARD_SCORE, "payment": REWARD_PAYMENT, "win": REWARD_WIN}
ILLEGAL_ACTION = ("raise", "lose")
AGENTS: tuple[str, str] = ("player_0", "player_1")
_PLAYERS = {agent: player for player, agent in enumerate(AGENTS)}
_LOG = logging.getLogger("piquet_env")
_TRUTHS = (bool, np.bool_)  # numbers to Python, but no actions


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raises ValueError for a value that is not among the choices of an option."""
    if not isinstance(value, Hashable) or value not in choices:  # an array is "in" nothing
        raise ValueError(f"{name}: expected one of {', '.join(map(str, choices))}, got {value!r}")


def player_of(agent: str) -> int:
    """0 or 1. Raises ValueError for an unknown agent."""
    try:
        return _PLAYERS[agent]
    except (KeyError, TypeError):
        raise ValueError(f"agent: expected one of {', '.join(AGENTS)}, got {agent!r}") from None


def checked_action(action: object) -> int:
    """An action of the action space as an int. Raises ValueError for anything else."""
    try:
        number = operator.index(action)  # type: ignore[arg-type] (it raises for what is none)
    except TypeError:
        number = -1
    if not 0 <= number < ACTIONS or (number < 2 and isinstance(action, _TRUTHS)):
        raise ValueError(f"expected an action from 0 to {ACTIONS - 1}, got {action!r}")
    return number


def checked_options(options: Any, known: Collection[str]) -> Mapping[str, Any]:
    """The options of a reset. Raises ValueError: it is no mapping, or has one that is not known."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options: expected a mapping such as {{'seat': ...}}, got {options!r}")
    for name in options or {}:
        check_choice("options", name, tuple(known))
    return options or {}


def check_episode_and_reward(episode: str, reward: str) -> None:
    """Raises ValueError for an unknown name, and for payments of what is no partie."""
    check_choice("episode", episode, EPISODES)
    check_choice("reward", reward, tuple(REWARDS))
    if reward == "payment" and episode != "partie":
        raise ValueError('reward: "payment" is what a partie pays; an episode of one deal has none')


def check_seed(seed: int | None) -> int:
    """A seed as the engine takes it, 0 <= seed < 2**63; None: one of the system. Raises ValueError, TypeError."""
    if seed is None:
        return secrets.randbits(63)
    try:
        if isinstance(seed, bool | np.bool_):
            raise TypeError
        seed = operator.index(seed)
    except TypeError as error:
        raise TypeError(f"seed: expected a whole number or None, got {seed!r}") from error
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed: expected 0 to 2**63 - 1, got {seed}")
    return int(seed)


def illegal_action_message(row: NDArray[np.int64], action: object) -> str:
    """What is said to who takes an action that is not legal in `row`."""
    return f"action {action!r} is not legal; legal are {', '.join(legal_texts(row))}"


@cache  # once in a process
def announce_compiling() -> None:
    """Say on standard error that the first game takes a while, where nothing has been compiled on this machine yet."""
    if needs_compiling():
        told = "compiling the engine, once, about 15 seconds; bots some more when they first play"
        print(f"piquet-env: {told}", file=sys.stderr, flush=True)


@cache  # once in a process
def note_illegal_action() -> None:
    """Say to who trains without masks why episodes end early, which the reward "win" would hardly show."""
    _LOG.warning(
        "an illegal action has ended an episode, as each will, with a reward no better than the worst loss; legal are "
        "those of info['action_mask'] and action_masks(); illegal_action='raise' makes errors of them (said once)"
    )
