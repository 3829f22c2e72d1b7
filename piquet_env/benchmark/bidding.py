"""How fast auctions alone are, of stored deals."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from piquet_env.benchmark import kernels
from piquet_env.benchmark.measure import Measure, Sample
from piquet_env.bidding import BiddingDeals
from piquet_env.bidding.making import ONE, talon_size
from piquet_env.engine import batch
from piquet_env.engine import layout as at
from piquet_env.envs.auctions import AUCTION
from piquet_env.envs.vector import SelfPlayVectorEnv
from piquet_env.rules import Rules

UNIT = "auctions/s"
STORED = 250
"""Deals that are stored, for each game: with the usual 4,096 games about as many as there are to train on, so that what
is looked up is seldom in the cache."""
_AT_ONCE = 4096


def dealt(rules: Rules, number: int, seed: int) -> BiddingDeals:
    """Deals with scores drawn by chance, which to look up takes as long as to look up the true ones."""
    rows, parts = np.zeros((min(number, _AT_ONCE), at.COLUMNS), np.int64), []
    for first in range(0, number, _AT_ONCE):
        part = rows[: number - first]
        batch.new_games(part, rules.columns(), 0, seed, first)
        words = np.ascontiguousarray(part[:, at.TALON : at.TALON + at.TALON_WORDS])
        talon = np.stack([words[:, place >> 3] >> 8 * (place & 7) & 0xFF for place in range(talon_size(rules))], 1)
        parts.append((part[:, at.DEALT : at.DEALT + 2].astype(np.uint32), talon.astype(np.uint8)))
    hands, talons = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    scores = np.random.default_rng(seed).integers(-100, 100, (number, *ONE), np.int16)
    return BiddingDeals(rules, seed, 0, hands, talons, scores)


class Bidding:
    """`SelfPlayVectorEnv.step` in auctions, random legal calls; choosing them is not timed. Auctions that end count."""

    def __init__(self, rules: Rules, games: int, steps: int, threads: int = 1, seed: int = 0):
        self._settings = rules, games, threads, seed
        self.steps = steps
        self._env: SelfPlayVectorEnv | None = None
        self._actions = np.zeros(games, np.int64)
        self._chance = kernels.new_chance(0)

    @property
    def env(self) -> SelfPlayVectorEnv:
        """Made when it is first measured."""
        if self._env is None:
            rules, games, threads, seed = self._settings
            deals = dealt(rules, STORED * games, seed)
            self._env = SelfPlayVectorEnv(games, rules, AUCTION, seed=seed, threads=threads, deals=deals)
            self._env.reset()
        return self._env

    def __call__(self) -> Sample:
        env, spent, auctions = self.env, 0.0, 0
        for _ in range(self.steps):
            kernels.choose(env.rows, self._actions, self._chance)
            begun = perf_counter()
            terminated = env.step(self._actions)[2]
            spent += perf_counter() - begun
            auctions += int(terminated.sum())
        return Sample(auctions, spent)


def bidding_measures(rules: Rules, games: int, steps: int, threads: int) -> list[Measure]:
    """On one core, and on several threads if that is more; none in games without an auction."""
    if not rules.auction:
        return []
    what = "auctions of stored deals"
    found = [Measure("bidding", what, Bidding(rules, games, steps), unit=UNIT)]
    if threads > 1:
        work = Bidding(rules, games, steps, threads)
        found.append(Measure(f"bidding-{threads}", f"{what} on {threads} threads", work, one_core=False, unit=UNIT))
    return found
