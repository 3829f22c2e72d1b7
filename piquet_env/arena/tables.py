"""What is kept of a match: one entry for each deal and one for each game, seen from the bots A and B.

A game is one episode: a deal or a partie. Each pair has two, half 0 with A as player_0 and half 1 with A as player_1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.engine.scoring import payment

NOBODY = -1
SIDES = ("a", "b")

DEAL = np.dtype(
    [
        ("pair", np.int64),  # number of the pair
        ("half", np.int8),  # 0 or 1
        ("seat_of_a", np.int8),  # the player that A is
        ("deal", np.int32),  # of its game, from 1; thrown-in deals do not count
        ("dealer", np.int8),  # the player who dealt
        ("thrown_in", np.int32),  # deals thrown in just before this one
        ("is_thrown_in", np.bool_),  # this deal itself (only where max_thrown_in is 1, and in auctions alone)
        ("elder", np.int8),  # 0: A, 1: B, -1: nobody; with an auction the maker of the contract
        ("sign", np.int8),  # of the contract: 1 plus, -1 minus, 0: there is none
        ("level", np.int8),
        ("stake", np.int8),  # 1, doubled 2, redoubled 4; 0: no contract
        *((f"tricks_won_{side}", np.int8) for side in SIDES),
        *((f"{item}_{side}", np.int64) for side in SIDES for item in at.ITEMS),  # the score sheets
        ("forfeit", np.int64),  # what A is given for a deal that B lost by a fault; negative: A lost it
        ("difference", np.int64),  # A's total less B's, and the forfeit
        ("luck", np.float64),  # what the cards drawn were worth to A (arena/luck.py); 0: not measured
    ]
)
"""A completed deal, or one that ended with a fault: there nobody has scored."""

GAME = np.dtype(
    [
        ("pair", np.int64),
        ("half", np.int8),
        ("seat_of_a", np.int8),
        ("deals", np.int32),  # completed
        ("thrown_in", np.int32),  # deals thrown in, all together
        ("truncated", np.bool_),  # cut off: too many deals thrown in in a row
        ("difference", np.int64),  # A's points less B's, of all deals
        ("payment", np.int64),  # what A was paid for a partie; negative: paid
    ]
)
"""A game that has ended."""


def deal_entries(rows: NDArray[np.int64], games: NDArray[np.void]) -> NDArray[np.void]:
    """DEAL entries of the rows int64 (N, columns) whose deal is over; `games` has pair, half and seat_of_a of each."""
    row = rows.view(at.LAYOUT).reshape(len(rows))
    entries = np.zeros(len(rows), DEAL)
    seat = games["seat_of_a"].astype(np.int64)
    for name in ("pair", "half", "seat_of_a"):
        entries[name] = games[name]
    entries["deal"] = row["completed"] + 1
    for name in ("dealer", "thrown_in", "is_thrown_in", "level", "stake"):
        entries[name] = row[name]
    entries["elder"] = np.where(row["elder"] < 0, NOBODY, (row["elder"] != seat).astype(np.int64))
    entries["sign"] = np.where(row["stake"] > 0, 1 - 2 * row["is_minus"], 0)
    _put_scores(entries, row, seat)
    return entries


def _put_scores(entries: NDArray[np.void], row: NDArray[np.void], seat: NDArray[np.int64]) -> None:
    each = np.arange(len(row))
    scores = row["score"].reshape(len(row), 2, len(at.ITEMS))
    for side, player in zip(SIDES, (seat, 1 - seat), strict=True):
        entries[f"tricks_won_{side}"] = row["won"][each, player]
        for place, item in enumerate(at.ITEMS):
            entries[f"{item}_{side}"] = scores[each, player, place]
    entries["difference"] = entries["total_a"] - entries["total_b"]


def close_games(rows: NDArray[np.int64], games: NDArray[np.void], places: NDArray[np.int64]) -> None:
    """Write how the games of the rows int64 (N, columns) ended into the entries `places` of GAME `games`."""
    row = rows.view(at.LAYOUT).reshape(len(rows))
    seat = games["seat_of_a"][places].astype(np.int64)
    each = np.arange(len(rows))
    games["deals"][places] = row["completed"]
    games["truncated"][places] = row["truncated"]
    games["difference"][places] = row["totals"][each, seat] - row["totals"][each, 1 - seat]
    paid = [payment(rows[i], seat[i]) if rows[i, at.PARTIE] else 0 for i in each]
    games["payment"][places] = np.array(paid, np.int64)


def forfeited_deals(rows: NDArray[np.int64], games: NDArray[np.void], points: int) -> NDArray[np.void]:
    """DEAL entries of the rows int64 (N, columns) that go no further: A is given the points."""
    entries = deal_entries(rows, games)
    for name in [f"tricks_won_{side}" for side in SIDES] + [f"{item}_{side}" for side in SIDES for item in at.ITEMS]:
        entries[name] = 0
    entries["forfeit"] = entries["difference"] = points
    return entries


def close_forfeited(rows: NDArray[np.int64], games: NDArray[np.void], places: NDArray[np.int64], points: int) -> None:
    """Write the games of these rows into the entries `places` of GAME `games`: a partie is lost with the deal."""
    close_games(rows, games, places)
    games["deals"][places] += 1
    games["difference"][places] += points
    size = np.where(rows[:, at.STOP_AT] > 0, 2, rows[:, at.RUBICON] + abs(points))
    games["payment"][places] = np.where(rows[:, at.PARTIE] == 1, np.sign(points) * size, 0)
