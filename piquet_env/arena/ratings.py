"""Ratings for display: one number for each bot."""

from __future__ import annotations

import math

import choix
import numpy as np
from numpy.typing import NDArray

ELO = 400 / math.log(10)
"""Points of rating for a natural logarithm of odds: 400 points are odds of ten to one, as in chess."""


def ratings(wins: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bradley-Terry ratings of n bots with mean 0, by `choix`: (n,).

    As if every two had drawn one more pair: so a bot that wins everything has a rating too, the higher the more it won.

    Args:
        wins: (n, n) pairs that the bot of the row won against that of the column; half of one for each that was drawn.
    """
    half = 0.5 * (1 - np.eye(len(wins)))
    strengths = choix.ilsr_pairwise_dense(np.asarray(wins, np.float64) + half, max_iter=10_000)
    return ELO * (strengths - strengths.mean())
