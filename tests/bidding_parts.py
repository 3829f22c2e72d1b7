"""What the tests of the bidding benchmark share: auctions that come to a contract, and deals played out."""

from __future__ import annotations

import random

import numpy as np
from helpers import legal

from piquet_env.bots import load_bot, views_of
from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.solver import card_values

GREEDY = load_bot("greedy")


def bid_to(row: np.ndarray, elder: int, is_minus: int, level: int, stake: int) -> np.ndarray:
    """The game, just dealt, after an auction that comes to this contract (stake 2: the doubler is elder)."""
    row = row.copy()
    bid = (act.MINUS if is_minus else act.PLUS) + level - int(row[at.LOWEST_LEVEL])
    bidder = 1 - elder if stake == 2 else elder
    calls = [bid, *{1: [act.PASS], 2: [act.DOUBLE, act.PASS], 4: [act.DOUBLE, act.REDOUBLE]}[stake]]
    for call in calls if row[at.ACTOR] == bidder else [act.PASS, *calls]:
        assert game.apply_action(row, call)
    assert (row[at.ELDER], row[at.IS_MINUS], row[at.LEVEL], row[at.STAKE]) == (elder, is_minus, level, stake)
    return row


def bid_at_random(row: np.ndarray, rng: random.Random) -> np.ndarray:
    """The game, just dealt, after an auction of legal calls."""
    row = row.copy()
    while row[at.PHASE] == at.AUCTION:
        assert game.apply_action(row, rng.choice(legal(row)))
    return row


def played_out(row: np.ndarray) -> np.ndarray:
    """The deal, whose auction is over, at its end: greedy, who sees what a player sees, up to the play, then the best
    card of all that may be played."""
    row = row.copy()
    while row[at.PHASE] < at.DEAL_OVER:
        if row[at.PHASE] == at.PLAY:
            action = card_values(row, threads=1).argmax()
        else:
            action = GREEDY.act(views_of(row[None]), np.random.default_rng(0))[0]
        assert game.apply_action(row, int(action))
    return row
