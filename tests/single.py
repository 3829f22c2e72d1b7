"""What the tests of the environment of one learner share."""

from __future__ import annotations

import helpers
import numpy as np
from opponents import Lowest

from piquet_env.envs.single_agent import SingleAgentEnv


def make(seed=0, opponent=None, **options) -> SingleAgentEnv:
    env = SingleAgentEnv(opponent=Lowest() if opponent is None else opponent, **options)
    env.reset(seed=seed)
    return env


def choose(mask, rng) -> int:
    return helpers.choose(np.flatnonzero(mask).tolist(), rng)


def finish(env, rng) -> list[tuple]:
    """All steps of the rest of the episode, by random legal actions."""
    steps = [env.step(choose(env.action_masks(), rng))]
    while not (steps[-1][2] or steps[-1][3]):
        steps.append(env.step(choose(env.action_masks(), rng)))
    return steps


def plain(result) -> str:
    """What `reset` or `step` gave, as a text."""
    return repr([x.tolist() if isinstance(x, np.ndarray) else x for x in result[:-1]]) + repr(
        {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in result[-1].items()}
    )


def trace(env, rng, episodes=3, **reset) -> list[str]:
    seen = []
    for _ in range(episodes):
        seen.append(plain(env.reset(**reset)))
        seen += map(plain, finish(env, rng))
        reset = {}
    return seen
