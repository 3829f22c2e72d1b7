"""What is said of several seeds: interquartile means, with intervals by a stratified bootstrap (Agarwal et al. 2021).

The unit is the training run. A number of one opponent is the interquartile mean over the seeds; its interval comes from
drawing seeds with replacement, and for each seed drawn the deals of its match: their mean is drawn from the normal
distribution that the match's own interval stands for, as the mean of hundreds of pairs of deals has one.

A number of several opponents is the interquartile mean of all their runs' points. The opponents are the strata: each
keeps as many runs as it has. Here, unlike there, one run meets all of them, so that its results go together; the
same seeds are therefore drawn in every stratum. Drawn apart, the interval would be too narrow.

A cell of the cross-table is the mean over all pairs of runs; the seeds of either algorithm are drawn apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.arena.statistics import CONFIDENCE, RESAMPLES, Interval
from training.curves import middle

_NORMAL = 1.959964  # standard errors from the mean to a bound of a 95 % interval


def error_of(result: dict[str, Any]) -> float:
    """The standard error of a mean, by its interval; 0 where it is exact."""
    low, high = result.get("interval", (0.0, 0.0))
    return (high - low) / (2 * _NORMAL)


def over_seeds(strata: Sequence[Sequence[dict[str, Any]]]) -> Interval:
    """The interquartile mean of results over strata and seeds, with its 95 % interval.

    Args:
        strata: for each opponent (one or more) the results of the same seeds in the same order, each with `mean` and,
            unless it is exact, `interval`.
    """
    means = np.array([[result["mean"] for result in stratum] for stratum in strata], np.float64)
    errors = np.array([[error_of(result) for result in stratum] for stratum in strata])
    rng = np.random.default_rng(0)
    seeds = means.shape[1]
    drawn = rng.integers(seeds, size=(RESAMPLES, 1, seeds))
    sample = _with_deals(_taken(means, drawn), _taken(errors, drawn), rng)
    return _interval(middle(means.ravel()), middle(sample.reshape(RESAMPLES, -1), axis=1))


def over_pairs(results: Sequence[Sequence[dict[str, Any]]]) -> Interval:
    """The mean of results (seeds of one, seeds of the other) of matches, with its 95 % interval."""
    means = np.array([[result["mean"] for result in line] for line in results], np.float64)
    errors = np.array([[error_of(result) for result in line] for line in results])
    rng = np.random.default_rng(0)
    ours = rng.integers(means.shape[0], size=(RESAMPLES, means.shape[0], 1))
    theirs = rng.integers(means.shape[1], size=(RESAMPLES, 1, means.shape[1]))
    sample = _with_deals(means[ours, theirs], errors[ours, theirs], rng)
    return _interval(means.mean(), sample.mean(axis=(1, 2)))


def _taken(values: NDArray[np.float64], drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Of values (strata, seeds) those of the seeds drawn, (N, 1, seeds): (N, strata, seeds)."""
    return values[np.arange(len(values))[None, :, None], drawn]


def _with_deals(
    means: NDArray[np.float64], errors: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    return means + errors * rng.standard_normal(means.shape)


def _interval(mean: Any, sample: NDArray[np.float64]) -> Interval:
    low, high = np.quantile(sample, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(float(mean), float(low), float(high))


def what_it_means(seeds: int) -> str:
    """What an interval over so few seeds can mean, in words."""
    if seeds == 1:
        return (
            "There is one seed, so the intervals are those of the deals alone and say nothing of another training run: "
            "two algorithms cannot be compared by them."
        )
    if seeds > 9:
        return f"There are {seeds} seeds; a bootstrap over so few is still somewhat narrower than its 95 % say."
    told = f"There are {seeds} seeds, which is few: "
    if seeds == 2:
        told += (
            "the interval is about the range between the two, which holds the median of all the runs that could have "
            "been made in 1 of 2 cases, not in 19 of 20. "
        )
    elif seeds == 3:
        told += (
            "the interquartile mean of three numbers is their mean, as no quarter of them is a whole run, and the "
            "interval is little more than the range from the lowest seed to the highest (all three draws are the "
            "lowest in one resample of 27, more than the 2.5 % that are cut off). Such a range holds the median of all "
            "the runs that could have been made in 3 of 4 cases, not in 19 of 20. "
        )
    else:
        told += f"a bootstrap over {seeds} numbers is narrower than its 95 % say. "
    return told + "Intervals that do not overlap are a hint; that they overlap shows nothing."
