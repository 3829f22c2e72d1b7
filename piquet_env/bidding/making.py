"""Dealing and settling many deals, on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from piquet_env.bidding.playout import STAKES, deal_scores
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.deal import talon_card
from piquet_env.engine.game import new_game
from piquet_env.engine.intrinsics import popcount
from piquet_env.rules import Rules
from piquet_env.solver.api import number_of_threads, workspace

CHUNK = 64
"""Deals that a thread settles at once."""
ONE = (2, 2, len(STAKES))
"""The shape of the scores of one deal."""

Arrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def talon_size(rules: Rules) -> int:
    """Cards of the talon."""
    return rules.elder_talon + rules.younger_talon


def settled_deals(
    rules: Rules, seed: int, numbers: NDArray[np.int64], threads: int | None, progress: Callable[[int], object] | None
) -> Arrays:
    """The games int64 (N,) of a seed as dealt, and their scores: int64 (N, 2), (N, talon), (N, 2, 2, 3).

    Raises ValueError: no such number of threads.
    """
    threads = number_of_threads(threads)
    size = len(numbers)
    hands, talon, scores = (np.empty((size, *shape), np.int64) for shape in ((2,), (talon_size(rules),), ONE))
    columns, own = rules.columns(), threading.local()

    def begin() -> None:
        own.space = workspace()

    def make(first: int) -> int:
        part, row = slice(first, first + CHUNK), np.empty(at.COLUMNS, np.int64)
        _settle_deals(columns, np.int64(seed), numbers[part], row, hands[part], talon[part], scores[part], *own.space)
        return len(numbers[part])

    pool = ThreadPoolExecutor(threads, initializer=begin)
    try:
        for made in pool.map(make, range(0, size, CHUNK)):
            if progress is not None:
                progress(made)
    finally:  # when interrupted, without what is still to be done
        pool.shutdown(cancel_futures=True)
    return hands, talon, scores


@compiled
def _settle_deals(rules, seed, numbers, row, hands, talon, scores, rows, table, unsettled):
    for i in range(len(numbers)):
        new_game(row, rules, 0, seed, numbers[i])
        for player in range(2):
            hands[i, player] = row[at.HANDS + player]
        for place in range(talon.shape[1]):
            talon[i, place] = talon_card(row, place)
        deal_scores(row, scores[i], rows, table, unsettled)


@compiled
def first_wrong(hands, talon, hand_size, pack):
    """The first deal whose hands and talon, int64 (N, 2) and (N, talon), are not the pack; -1: there is none."""
    for i in range(len(hands)):
        cards = hands[i, 0] ^ hands[i, 1]
        for place in range(talon.shape[1]):
            cards ^= 1 << (talon[i, place] & 31)
        if cards != pack or popcount(hands[i, 0]) != hand_size or popcount(hands[i, 1]) != hand_size:
            return i
    return -1
