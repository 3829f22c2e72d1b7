"""How far the score of the bidding benchmark agrees with that of the full game.

The same auctions are scored twice: by the benchmark's playout, and as the deal then went when a bot played it on.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from piquet_env.arena.match import BLOCK, Block, Side, play_match
from piquet_env.arena.statistics import CONFIDENCE, RESAMPLES, mean_with_interval, pair_values
from piquet_env.bidding.bots import BidsAs
from piquet_env.bidding.playout import auction_scores
from piquet_env.bots.base import Bot
from piquet_env.engine import layout as at
from piquet_env.rules import Rules
from piquet_env.solver.api import workspace

Progress = Callable[[int], object]
_AT_ONCE = 4_000_000  # resampled numbers held in memory


class Auctions(NamedTuple):
    """Auctions scored twice, an entry for each deal: int64 (N,) each."""

    benchmark: NDArray[np.int64]
    """player_0's score less player_1's, as the benchmark settles the deal; 0: thrown in."""
    full: NDArray[np.int64]
    """The same as it was played."""
    elder: NDArray[np.int64]
    """The maker of the contract; -1: thrown in."""
    sign: NDArray[np.int64]
    """1 plus, -1 minus, 0 thrown in."""
    pair: NDArray[np.int64]
    seat_of_a: NDArray[np.int64]


class Recorder:
    """Scores the auctions of the deals that a match shows it: of each game the first deal."""

    def __init__(self) -> None:
        self._parts: list[Auctions] = []
        self._space = workspace()

    def __call__(self, rows: NDArray[np.int64], games: NDArray[np.void]) -> None:
        """The witness of a match (arena.match)."""
        first = (rows[:, at.COMPLETED] == 0) & (rows[:, at.THROWN_IN] == 0)
        rows, games = np.ascontiguousarray(rows[first]), games[first]
        scores = np.empty(len(rows), np.int64)
        auction_scores(rows, scores, *self._space)
        row = rows.view(at.LAYOUT).reshape(len(rows))
        totals = row["score"].reshape(len(rows), 2, len(at.ITEMS))[:, :, at.ITEM_TOTAL]
        sign = np.where(row["is_thrown_in"] == 1, 0, 1 - 2 * row["is_minus"])
        seats = games["seat_of_a"].astype(np.int64)
        self._parts.append(Auctions(scores, totals[:, 0] - totals[:, 1], row["elder"], sign, games["pair"], seats))

    def auctions(self) -> Auctions:
        """All of them."""
        return Auctions(*(np.concatenate(arrays) for arrays in zip(*self._parts, strict=True)))


# ------------------------------------------------------------------ deals


def deals_agreement(
    name: str, bidder: Bot, player: Bot, rules: Rules, deals: int, seed: int, progress: Progress
) -> dict[str, Any]:
    """How far the scores of deals agree, where one bot bids on both sides and one plays: a JSON object.

    Raises BotError.
    """
    both, recorder = Side(name, BidsAs(bidder, player)), Recorder()
    for first in range(0, deals, BLOCK):
        numbers = range(first, min(first + BLOCK, deals))
        rngs = [np.random.default_rng([seed, first // BLOCK, side]) for side in range(2)]
        block = Block(rules, "deal", seed, numbers, rngs, witness=recorder)
        block.keep_only(range(0, 2 * len(numbers), 2)).play((both, both), progress)
    found = recorder.auctions()
    groups = {"all": found.sign != 0, "plus": found.sign > 0, "minus": found.sign < 0}
    parts = {group: _agreement(found, chosen) for group, chosen in groups.items()}
    return {"deals": deals, "thrown_in": int((found.sign == 0).sum())} | parts


def _agreement(found: Auctions, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """The figures of some of the deals, each `[value, low, high]`; None where they are too few."""
    benchmark, full = found.benchmark[chosen].astype(np.float64), found.full[chosen].astype(np.float64)
    more = (benchmark - full) * (1 - 2 * found.elder[chosen])
    means = {
        "more_to_maker": more,
        "absolute_difference": np.abs(benchmark - full),
        "same_player_gains": np.sign(benchmark) == np.sign(full),
    }
    figures: dict[str, Any] = {"number": len(full)}
    for name, statistic in (("correlation", correlation), ("slope", slope)):
        figures[name] = interval_of(statistic, benchmark, full)
    return figures | {name: list(mean_with_interval(each)) if len(each) > 1 else None for name, each in means.items()}


def correlation(x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """Pearson's, along the axis."""
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    return (x * y).mean(axis=axis) / np.sqrt((x * x).mean(axis=axis) * (y * y).mean(axis=axis))


def slope(x: NDArray[np.float64], y: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    """By how much y rises with x, by least squares."""
    x, y = x - x.mean(axis=axis, keepdims=True), y - y.mean(axis=axis, keepdims=True)
    return (x * y).mean(axis=axis) / (x * x).mean(axis=axis)


def interval_of(
    statistic: Callable[..., NDArray[np.float64]], x: NDArray[np.float64], y: NDArray[np.float64]
) -> list[float] | None:
    """[value, low, high], the 95 % interval by bootstrap over the deals; None where they are too few or all alike."""
    if len(x) < 3:
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # resamples that are all alike
        found = bootstrap(
            (x, y),
            statistic,
            paired=True,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=max(1, _AT_ONCE // len(x)),
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(0),
        ).confidence_interval
        figures = [float(statistic(x, y)), float(found.low), float(found.high)]
    return figures if np.isfinite(figures).all() else None


# ------------------------------------------------------------------ matches


def matches_agreement(
    bidders: dict[str, Bot], player: Bot, rules: Rules, deals: int, seed: int, progress: Progress
) -> list[dict[str, Any]]:
    """How far matches agree: every two of the bidders, points a deal in the benchmark and in the full game.

    In both the deals are played twice with the seats swapped, and `player` plays them on; in the full game a deal that
    is thrown in is followed by another. Raises BotError.
    """
    return [_match(pair, bidders, player, rules, deals, seed, progress) for pair in combinations(bidders, 2)]


def over_matches(matches: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How far the points of these matches agree, each match a point: a JSON object; None where all are alike."""
    benchmark, full = (np.array([match[name][0] for match in matches]) for name in ("benchmark", "full"))
    is_alike = np.ptp(benchmark) == 0 or np.ptp(full) == 0
    return {
        "number": len(matches),
        "correlation": None if is_alike else float(correlation(benchmark, full)),
        "slope": None if is_alike else float(slope(benchmark, full)),
        "absolute_difference": float(np.abs(benchmark - full).mean()),
        "same_winner": int((np.sign(benchmark) == np.sign(full)).sum()),
    }


def _match(
    pair: tuple[str, str],
    bidders: dict[str, Bot],
    player: Bot,
    rules: Rules,
    deals: int,
    seed: int,
    progress: Progress,
) -> dict[str, Any]:
    a, b = (BidsAs(bidders[name], player) for name in pair)
    recorder = Recorder()
    match = play_match(a, b, rules, deals, seed, names=pair, progress=progress, witness=recorder)
    found = recorder.auctions()
    scores = found.benchmark * (1 - 2 * found.seat_of_a)
    benchmark, full = np.bincount(found.pair, scores, minlength=deals) / 2, pair_values(match)
    figures = {"benchmark": benchmark, "full": full, "more_in_benchmark": benchmark - full}
    means = {name: list(mean_with_interval(values)) for name, values in figures.items()}
    thrown_in = float((found.sign == 0).mean())
    return {"bot": pair[0], "against": pair[1], "deals": deals, "thrown_in": thrown_in} | means
