"""What the tests of episodes of an auction share: stored deals, what an auction comes to, and auctions at random."""

from __future__ import annotations

import random
from functools import cache

import helpers
import numpy as np

from piquet_env.benchmark.bidding import dealt
from piquet_env.bidding import BiddingDeals
from piquet_env.engine import actions as act
from piquet_env.engine import batch, game
from piquet_env.engine import layout as at
from piquet_env.rules import Rules


@cache
def stored(rules: str = "auction", number: int = 12, seed: int = 3) -> BiddingDeals:
    """Deals, made once in a process."""
    return BiddingDeals.make(number, seed, rules=rules, threads=1)


@cache
def _unsettled(rules: Rules, number: int) -> BiddingDeals:
    return dealt(rules, number, 0)


def unsettled(rules, number: int) -> BiddingDeals:
    """Deals whose scores are not theirs, which are made at once."""
    return _unsettled(Rules.make(rules), number)


def full_deal(row: np.ndarray) -> np.ndarray:
    """The game of a whole deal with the cards of `row` and all that was called in it: int64 (columns,)."""
    again, cards = np.zeros(at.COLUMNS, np.int64), np.zeros(32, np.int64)
    batch.begin_as_dealt(row, again, cards)
    for _, action in helpers.history(row):
        assert game.apply_action(again, action)
    return again


def number_of(deals: BiddingDeals, row: np.ndarray) -> int:
    """Which of the deals has the hands of this row; raises ValueError: none."""
    return deals.hands.tolist().index(row[at.DEALT : at.DEALT + 2].tolist())


def looked_up(deals: BiddingDeals, row: np.ndarray) -> int:
    """player_0's score less player_1's, as the table has it, of the contract of a row; 0: thrown in."""
    if row[at.IS_THROWN_IN]:
        return 0
    elder, stake = int(row[at.ELDER]), int(row[at.STAKE])
    lowest = int(deals.scores[number_of(deals, row), elder, row[at.IS_MINUS], {1: 0, 2: 1, 4: 2}[stake]])
    higher = 10 * stake * int(row[at.LEVEL] - row[at.LOWEST_LEVEL])
    return lowest - higher if elder == 0 else lowest + higher


def call(mask: np.ndarray, rng: random.Random) -> int:
    """A legal call: passes and doubles often, so that auctions of all kinds end soon."""
    legal = np.flatnonzero(mask).tolist()
    short = [action for action in legal if action >= act.PASS]
    return rng.choice(short if short and rng.random() < 0.5 else legal)


def calls(masks: np.ndarray, rng: random.Random) -> np.ndarray:
    """One in each game."""
    return np.array([call(mask, rng) for mask in masks])
