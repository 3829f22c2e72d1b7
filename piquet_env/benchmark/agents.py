"""The loop that every AEC environment is measured with, and an environment that does nothing."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from piquet_env.engine.actions import ACTIONS
from piquet_env.knowledge import OBSERVATION_SIZE
from piquet_env.options import AGENTS

EPISODES = 8  # between two looks at the clock


def play_episode(env: AECEnv[str, Any, Any], chance: Callable[[], float]) -> int:
    """Reset, and play to the end with random legal actions; the number of decisions.

    Every agent gets its observation, reward and the rest from `last()`. The last steps, with None, are no decisions.
    """
    decisions = 0
    env.reset()
    for _ in env.agent_iter():
        observation: Any
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        env.step(legal[int(chance() * len(legal))])
        decisions += 1
    return decisions


def episodes(env: AECEnv[str, Any, Any]) -> Callable[[], int]:
    """A function that plays some episodes and returns the number of decisions."""
    env.reset(seed=0)
    chance = random.Random(0).random

    def play() -> int:
        return sum(play_episode(env, chance) for _ in range(EPISODES))

    return play


class NothingEnv(AECEnv[str, Any, Any]):
    """Two agents in turn, always the same observation, an end after `LENGTH` steps: what PettingZoo itself costs."""

    metadata = {"name": "nothing_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012 (PettingZoo's protocol)
    LENGTH = 40
    LEGAL = 8

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = list(AGENTS)
        self.render_mode = None
        seen = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)
        both = spaces.Dict({"observation": seen, "action_mask": spaces.Box(0, 1, (ACTIONS,), np.int8)})
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(AGENTS, both)
        self.action_spaces: dict[str, spaces.Space[Any]] = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}
        mask = np.zeros(ACTIONS, np.int8)
        mask[: self.LEGAL] = 1
        self._observation = {"observation": np.zeros(OBSERVATION_SIZE, np.int8), "action_mask": mask}

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Begin an episode."""
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._steps = 0

    def step(self, action: Any) -> None:
        """Nothing but the other agent's turn."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        self.agent_selection = AGENTS[self._steps & 1]
        if self._steps == self.LENGTH:
            self.terminations = dict.fromkeys(AGENTS, True)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Always the same arrays."""
        return self._observation
