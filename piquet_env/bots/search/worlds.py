"""The worlds that a search looks at: those that fit what the players know, and how likely each is.

What is over by the time of a decision, the calls and the exchange, is explained by greedy's rules, as for the expert
(`bots.expert.worlds`). What the other does in the phase under way, calling or playing, is explained by the policy.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.belief import sample_hidden
from piquet_env.belief.likelihood import log_likelihood
from piquet_env.bots.expert.worlds import likely_worlds
from piquet_env.bots.search.policy import Policy
from piquet_env.engine import layout as at

EVIDENCE = (at.AUCTION, at.PLAY)
"""The phases in which the policy explains what was done. In the exchange it would leave one or two worlds of hundreds:
it is too sure of what to discard."""
EPSILON = 0.05
"""The probability with which the other is taken to do anything at all, so that no world is impossible."""


class Worlds(NamedTuple):
    """Full games that players cannot tell from theirs, those that stand for one game side by side."""

    games: NDArray[np.int64]
    """(n, columns)."""
    of: NDArray[np.int64]
    """(n,): the place of the game that each stands for, rising."""
    weights: NDArray[np.float64]
    """(n,): how likely each is; they add up to 1 for each game."""

    def means(self, values: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
        """The weighted means of values (n, k) over the worlds of each game: float64 (games, k)."""
        means = np.zeros((self.of[-1] + 1, values.shape[1]))
        np.add.at(means, self.of, self.weights[:, None] * values)
        return means

    def means_and_errors(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The means, and their standard errors: float64 (games, k) each."""
        means = self.means(values)
        squares = np.square(self.weights[:, None] * (values - means[self.of]))
        errors = np.zeros_like(means)
        np.add.at(errors, self.of, squares)
        return means, np.sqrt(errors)


def weighted_worlds(rows: NDArray[np.int64], number: int, seeds: NDArray[np.int64], policy: Policy) -> Worlds:
    """At most `number` different worlds for each game; nothing hidden is read.

    Args:
        rows: int64 (B, columns), B >= 1, in each a decision, all of them in the same phase.
        seeds: int64 (B,), as `bots.expert.worlds` takes them.
    """
    drawn = [drawn_worlds(row, number, int(seed)) for row, seed in zip(rows, seeds, strict=True)]
    games = np.concatenate([worlds for worlds, _ in drawn])
    of = np.repeat(np.arange(len(rows)), [len(worlds) for worlds, _ in drawn])
    logs = np.log(np.concatenate([times for _, times in drawn]))
    phase = int(rows[0, at.PHASE])
    if phase in EVIDENCE:
        logs += _policy_logs(games, 1 - rows[of, at.ACTOR], phase, policy)
    return Worlds(games, of, _normalised(logs, of))


def drawn_worlds(row: NDArray[np.int64], number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Different worlds int64 (n, columns), and how often each was drawn, int64 (n,)."""
    player = int(row[at.ACTOR])
    if row[at.PHASE] == at.AUCTION:
        return sample_hidden(row, player, number, seed), np.ones(number, np.int64)
    possible, picked = likely_worlds(row, player, number, seed, np.empty((1, at.COLUMNS), np.int64))
    places, times = np.unique(picked, return_counts=True)
    return possible[places], times


def _policy_logs(games: NDArray[np.int64], they: NDArray[np.int64], phase: int, policy: Policy) -> NDArray[np.float64]:
    """The logarithm of the probability of what players `they` did in this phase: float64 (n,)."""
    suits = np.zeros(len(games), np.int64)  # nobody names a point in these phases
    rng = np.random.default_rng(0)  # a policy draws no random numbers
    return log_likelihood(games, they, suits, policy, EPSILON, rng, (phase,))


def _normalised(logs: NDArray[np.float64], of: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weights that add up to 1 for each game, of their logarithms."""
    most = np.full(of[-1] + 1, -np.inf)
    np.maximum.at(most, of, logs)
    weights = np.exp(logs - most[of])
    return weights / np.bincount(of, weights)[of]
