"""The options that every environment takes, checked in one place."""

from __future__ import annotations

import secrets

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine.batch import REWARD_PAYMENT, REWARD_SCORE, REWARD_WIN
from piquet_env.notation import legal_texts

EPISODES = ("deal", "partie")
REWARDS = {"score": REWARD_SCORE, "payment": REWARD_PAYMENT, "win": REWARD_WIN}
AGENTS = ("player_0", "player_1")


def check_episode_and_reward(episode: str, reward: str) -> None:
    """Raises ValueError for an unknown name, and for payments of an episode of one deal."""
    if episode not in EPISODES:
        raise ValueError(f"episode: expected one of {', '.join(EPISODES)}, got {episode!r}")
    if reward not in REWARDS:
        raise ValueError(f"reward: expected one of {', '.join(REWARDS)}, got {reward!r}")
    if reward == "payment" and episode == "deal":
        raise ValueError('reward: "payment" is what a partie pays; an episode of one deal has none')


def check_seed(seed: int | None) -> int:
    """A seed as the engine takes it, 0 <= seed < 2**63; None draws one from the system. Raises ValueError, TypeError."""
    if seed is None:
        return secrets.randbits(63)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed: expected a whole number or None, got {seed!r}")
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed: expected 0 to 2**63 - 1, got {seed}")
    return int(seed)


def illegal_action_message(row: NDArray[np.int64], action: object) -> str:
    """What is said to who takes an action that is not legal in `row`."""
    return f"action {action!r} is not legal; legal are {', '.join(legal_texts(row))}"
