"""What a match shows: means with intervals, what makes up the difference, the contracts.

The unit is the pair: the same game played twice with the seats swapped. A pair's value is A's points less B's
for each completed deal of its two games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from piquet_env.arena.luck import slopes
from piquet_env.arena.match import Match
from piquet_env.arena.tables import SIDES
from piquet_env.engine import layout as at
from piquet_env.envs.auctions import AUCTION

CONFIDENCE = 0.95
RESAMPLES = 9999
_AT_ONCE = 4_000_000  # resampled numbers held in memory
ITEMS = tuple(item for item in at.ITEMS if item != "total")
"""The items of the score sheet that make up a total."""


class Interval(NamedTuple):
    """A mean and the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


def mean_with_interval(values: NDArray[Any]) -> Interval:
    """The mean of one value for each pair, (pairs,), with its 95 % interval by bootstrap over the pairs.

    The percentile method: a mean of hundreds of pairs is close to symmetric about the truth, where the
    bias-corrected method gives the same bounds, costs a jackknife, and fails on values that are all alike.
    For fewer than about 30 pairs the interval is too narrow. The same values always give the same interval.

    Raises:
        ValueError: fewer than two values.
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise ValueError(f"an interval needs at least two pairs, got an array of shape {values.shape}")
    mean = float(values.mean())
    if np.ptp(values) == 0:
        return Interval(mean, mean, mean)
    found = bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        batch=max(1, _AT_ONCE // len(values)),
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    return Interval(mean, float(found.low), float(found.high))


def pair_values(match: Match) -> NDArray[np.float64]:
    """A's points less B's per deal, of each pair: (pairs,); 0 where no deal was completed."""
    return per_pair(match, match.deals["difference"]) / deals_of_pairs(match)


def per_pair(match: Match, values: NDArray[Any]) -> NDArray[np.float64]:
    """The sum over each pair of one value for each completed deal: (pairs,)."""
    place = match.deals["pair"] - match.games["pair"][0]
    return np.bincount(place, values.astype(np.float64), minlength=match.pairs).astype(np.float64)


def reduced_values(match: Match) -> NDArray[np.float64]:
    """`pair_values` less what the luck of the draw explains of them (arena/luck.py): (pairs,).

    The luck has mean zero, and is multiplied by numbers that are fixed beforehand. So is what it is divided by, the
    deals of a pair as planned: how many are played may depend on how they went.
    """
    planned = 2 * (match.rules.deals if match.episode == "partie" else 1)
    return pair_values(match) - per_pair(match, slopes(match.deals["sign"]) * match.deals["luck"]) / planned


def reduced(match: Match) -> dict[str, Any] | None:
    """The estimate from `reduced_values`; `gain` is how many times fewer deals it needs for the same interval.

    None where a deal was lost by a fault: when it is, may depend on the cards drawn, and the mean of the luck that
    is left is then not zero.
    """
    if match.deals["forfeit"].any():
        return None
    values = reduced_values(match)
    points, left = mean_with_interval(values), values.var()
    gain = float(pair_values(match).var() / left) if left > 0 else 1.0
    return {"points_per_deal": points.mean, "interval": [points.low, points.high], "gain": gain}


def deals_of_pairs(match: Match) -> NDArray[np.float64]:
    """The completed deals of each pair, at least 1: (pairs,)."""
    return np.maximum(per_pair(match, np.ones(len(match.deals))), 1.0)


def make_up(match: Match) -> dict[str, dict[str, float]]:
    """Points per deal by item of the score sheet: `{item: {"bot", "against", "difference"}}`.

    The differences add up to the mean of `pair_values`.
    """
    parts = {}
    for item in ITEMS:
        mine, theirs = (
            float((per_pair(match, match.deals[f"{item}_{side}"]) / deals_of_pairs(match)).mean()) for side in SIDES
        )
        parts[item] = {"bot": mine, "against": theirs, "difference": mine - theirs}
    forfeits = match.deals["forfeit"]
    if forfeits.any():
        mine, theirs = (
            float((per_pair(match, np.maximum(given, 0)) / deals_of_pairs(match)).mean())
            for given in (forfeits, -forfeits)
        )
        parts["forfeit"] = {"bot": mine, "against": theirs, "difference": mine - theirs}
    return parts


def contracts(match: Match) -> list[dict[str, Any]]:
    """How often each contract was played and made: `{"maker", "sign", "level", "bid", "made", "doubled", "redoubled"}`.

    `maker` is "bot" (A) or "against" (B); `sign` "+" or "-". Only contracts that occurred. Where the auction was all
    that was played nobody knows the tricks, and made are those in which the maker had more points than the other.
    """
    found = []
    deals = match.deals[match.deals["sign"] != 0]
    for side, maker in enumerate(("bot", "against")):
        own = deals[deals["elder"] == side]
        if match.episode == AUCTION:
            made = own["difference"] * (1 - 2 * side) > 0
        else:
            made = _tricks_of_sign(own, side, match.rules.hand_size) >= own["level"]
        for sign, level in sorted({(-int(d["sign"]), int(d["level"])) for d in own}):
            here = (own["sign"] == -sign) & (own["level"] == level)
            counts = {"bid": here, "made": here & made, "doubled": here & (own["stake"] == 2)}
            counts["redoubled"] = here & (own["stake"] == 4)
            entry = {"maker": maker, "sign": "+" if sign < 0 else "-", "level": level}
            found.append(entry | {name: int(chosen.sum()) for name, chosen in counts.items()})
    return found


def _tricks_of_sign(deals: NDArray[np.void], side: int, hand_size: int) -> NDArray[np.int64]:
    won = deals[f"tricks_won_{SIDES[side]}"].astype(np.int64)
    return np.where(deals["sign"] > 0, won, hand_size - won)


def thrown_in_share(match: Match) -> float:
    """Thrown-in deals as a part of all deals that were dealt."""
    thrown = int(match.games["thrown_in"].sum())
    return thrown / max(thrown + int((~match.deals["is_thrown_in"]).sum()), 1)


def summary(match: Match) -> dict[str, Any]:
    """All of it as one JSON object; `deals` is the number of pairs."""
    values = pair_values(match)
    points = mean_with_interval(values)
    result = {
        "bot": match.names[0],
        "against": match.names[1],
        "points_per_deal": points.mean,
        "interval": [points.low, points.high],
        "deals": match.pairs,
        "completed_deals": len(match.deals),
        "pairs": _won_drawn_lost(values),
        "make_up": make_up(match),
        "contracts": contracts(match),
        "thrown_in": thrown_in_share(match),
        "truncated": int(match.games["truncated"].sum()),
    }
    return result | (_parties(match) if match.episode == "partie" else {})


def _won_drawn_lost(values: NDArray[Any]) -> dict[str, int]:
    return {"won": int((values > 0).sum()), "drawn": int((values == 0).sum()), "lost": int((values < 0).sum())}


def _parties(match: Match) -> dict[str, Any]:
    payments = match.games["payment"]
    paid = mean_with_interval(payments.reshape(-1, 2).mean(axis=1))
    return {
        "payment_per_partie": paid.mean,
        "payment_interval": [paid.low, paid.high],
        "parties": _won_drawn_lost(payments),
    }
