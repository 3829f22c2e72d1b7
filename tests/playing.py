"""Environments of both kinds played on from where they are, what is seen as digests: to compare ways of running."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from piquet_env import Rules, SelfPlayVectorEnv, auction_piquet_v0
from piquet_env.engine import batch
from piquet_env.engine import layout as at


@dataclass
class Game:
    """An environment after its reset; with many games the masks as they stand, with one (AEC) None."""

    env: Any
    mask: np.ndarray | None = None

    def play(self, steps: int) -> Iterator[str]:
        """A digest of everything seen at each step. The actions depend on the masks and the step's number alone."""
        return self._one(steps) if self.mask is None else self._many(steps)

    def go_on(self, steps: int) -> list[str]:
        return list(self.play(steps))

    def _one(self, steps: int) -> Iterator[str]:
        env = self.env
        for step in range(steps):
            if not env.agents:
                env.reset()
            seen, reward, termination, truncation, info = env.last()
            over = termination or truncation
            others = (env.agent_selection, reward, over, truncation, info.get("deal"), env.record(), env.rewards)
            yield _digest(seen["observation"], seen["action_mask"], repr(others).encode())
            env.step(None if over else int(_chosen(seen["action_mask"][None], step)[0]))

    def _many(self, steps: int) -> Iterator[str]:
        for step in range(steps):
            observation, reward, terminated, truncated, info = self.env.step(_chosen(self.mask, step))
            self.mask, over, ended = info["action_mask"], info["deal_over"], info["_final_obs"]
            valid = (info["player"], over, ended, info["finished"][over], info["final_obs"][ended])
            yield _digest(observation, self.mask, reward, terminated, truncated, *valid, self.env.rows)


def one_game(rules: str, number: int) -> Game:
    """An AEC environment; the number is the seed, and decides on the options."""
    env = auction_piquet_v0.env(rules, ("deal", "partie")[number % 2], ("score", "win")[number // 2 % 2])
    env.reset(seed=number)
    return Game(env)


def many_games(rules: str, number: int, threads: int, games: int = 24) -> Game:
    """A vector environment; the number is the seed, and decides on the other options."""
    options = {"skip_forced": number % 3 == 0, "copy": number % 4 == 0}
    env = SelfPlayVectorEnv(games, rules, ("partie", "deal")[number % 2], seed=number, threads=threads, **options)
    _, info = env.reset()
    return Game(env, info["action_mask"])


def _chosen(mask: np.ndarray, step: int) -> np.ndarray:
    """One of each row's legal actions."""
    legal = mask.sum(axis=1, dtype=np.int64)
    counted = mask.cumsum(axis=1, dtype=np.int64)
    place = (7919 * step + 31 * legal + (counted * (1 + np.arange(mask.shape[1]))).sum(axis=1)) % legal
    return (counted > place[:, None]).argmax(axis=1)


def _digest(*parts: np.ndarray | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else part.tobytes())
    return digest.hexdigest()


# ------------------------------------------------------------------ for other processes


def a_few_games() -> str:
    """With all that the AEC environment needs."""
    seen = [one_game(rules, number).go_on(150) for number, rules in enumerate(("micro", "auction", "rubicon"))]
    return _digest(repr(seen).encode())


def a_few_deals() -> str:
    """Soon compiled."""
    rows, legal = np.zeros((9, at.COLUMNS), np.int64), np.zeros((9, 2), np.int64)
    batch.new_games(rows, Rules.make("micro").columns(), 1, 5, 0)
    batch.legal_words(rows, legal)
    return _digest(rows, legal)
