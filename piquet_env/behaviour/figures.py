"""Shares and means with 95 % intervals, summed up block by block.

A figure is a quotient: so many of so many, or points in so many deals. The unit of its interval is the pair, the same
deal played from both sides: `(among, values)` of a pair are one observation, and the quotient of the sums has the
linearised variance of a ratio estimator. A mean has a Student interval. A share has that of Korn and Graubard (1998):
Clopper and Pearson's, for the number of independent cases that has the same variance, so that 0 of 20 is not sure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta, norm, t

from piquet_env.arena.statistics import CONFIDENCE

SHARE, MEAN = "share", "mean"
_UPPER = (1 + CONFIDENCE) / 2


class Figure(NamedTuple):
    """What some deals add to a figure."""

    path: str
    """Where it stands in the report: "exchange/plus_elder/kept/A"."""
    kind: str
    """SHARE or MEAN."""
    values: NDArray[Any]
    """(N,), of each deal."""
    among: NDArray[Any]
    """(N,), how many cases each deal has."""


def share(path: str, happened: NDArray[np.bool_], among: NDArray[np.bool_]) -> Figure:
    """In which part of the cases `among` it happened; bool (N,) or (N, cases of a deal)."""
    return Figure(path, SHARE, _of_deals(happened & among), _of_deals(among))


def part(path: str, some: NDArray[np.int64], all_: NDArray[np.int64]) -> Figure:
    """Which part of the cards (or tricks), int64 (N,), are those."""
    return Figure(path, SHARE, some, all_)


def mean(path: str, values: NDArray[Any], among: NDArray[np.bool_]) -> Figure:
    """The mean of values (N,) in the deals `among`, bool (N,)."""
    return Figure(path, MEAN, np.where(among, values, 0), among)


def _of_deals(cases: NDArray[np.bool_]) -> NDArray[np.int64]:
    return cases.reshape(len(cases), -1).sum(axis=1)


@dataclass
class Sums:
    """The sums over pairs from which a figure and its interval come."""

    kind: str
    pairs: int = 0
    values: float = 0.0
    among: float = 0.0
    squared_values: float = 0.0
    squared_among: float = 0.0
    products: float = 0.0

    def add(self, values: NDArray[np.float64], among: NDArray[np.float64]) -> None:
        """The values and cases of some more pairs, (pairs,) each."""
        self.pairs += int((among > 0).sum())
        self.values += float(values.sum())
        self.among += float(among.sum())
        self.squared_values += float(values @ values)
        self.squared_among += float(among @ among)
        self.products += float(values @ among)

    def leaf(self) -> dict[str, Any]:
        """`{"count", "share" or "mean", "interval"}`; None where there is no case, or for a mean's of one pair."""
        if self.among == 0:
            return {"count": 0, self.kind: None, "interval": None}
        quotient = self.values / self.among
        interval = self._of_share(quotient) if self.kind == SHARE else self._of_mean(quotient)
        return {"count": int(self.among), self.kind: quotient, "interval": interval}

    def _variance(self, quotient: float) -> float:
        """Of the quotient; needs two pairs."""
        left = self.squared_values - 2 * quotient * self.products + quotient**2 * self.squared_among
        return max(left, 0.0) * self.pairs / (self.pairs - 1) / self.among**2

    def _student(self) -> float:
        return float(t.ppf(_UPPER, self.pairs - 1))

    def _of_mean(self, quotient: float) -> list[float] | None:
        if self.pairs < 2:
            return None
        half = self._student() * math.sqrt(self._variance(quotient))
        return [quotient - half, quotient + half]

    def _of_share(self, quotient: float) -> list[float]:
        cases = self._independent_cases(quotient)
        found = quotient * cases
        low = float(beta.ppf(1 - _UPPER, found, cases - found + 1)) if quotient > 0 else 0.0
        high = float(beta.ppf(_UPPER, found + 1, cases - found)) if quotient < 1 else 1.0
        return [low, high]

    def _independent_cases(self, quotient: float) -> float:
        """How many would have this variance; where all cases are alike, the pairs."""
        if self.pairs < 2 or quotient in (0.0, 1.0):
            return float(self.pairs)
        variance = self._variance(quotient)
        if variance * self.among <= 1e-9:
            return self.among
        cases = quotient * (1 - quotient) / variance * float(norm.ppf(_UPPER) / self._student()) ** 2
        return min(cases, self.among)
