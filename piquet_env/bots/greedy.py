"""A bot of plain rules, one named function for each, without search. Ties go to the lowest card."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from piquet_env.bots.base import Views
from piquet_env.bots.greedy_auction import bid
from piquet_env.bots.greedy_exchange import discard_or_stand
from piquet_env.bots.greedy_play import play_card
from piquet_env.bots.policy import one_hot
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import SUIT_OF_RANK, TEN
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import point_strength
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import popcount, row_of


class GreedyBot:
    """Bids what it can count, keeps what is long and high, names its best, wins cheaply. Draws no random numbers."""

    deterministic = True

    def act(self, views: Views, rng: np.random.Generator) -> NDArray[np.int64]:
        """The action of each game: int64 (B,)."""
        chosen = np.empty(len(views.rows), np.int64)
        choose_rows(views.rows, chosen)
        return chosen

    def probabilities(self, views: Views) -> NDArray[np.float32]:
        """1 for what it does, else 0: float32 (B, 80)."""
        return one_hot(self.act(views, np.random.default_rng(0)))


@compiled
def choose_rows(rows, chosen):
    """The action in each hidden row: writes int64 (B,)."""
    for i in range(len(rows)):
        chosen[i] = choose(row_of(rows, i))


@compiled
def choose(row):
    """The action of the player to act."""
    phase = row[at.PHASE]
    if phase == at.AUCTION:
        return bid(row)
    if phase == at.IN_CARTE_BLANCHE:
        return act.CARTE_BLANCHE
    if phase == at.EXCHANGE:
        return discard_or_stand(row)
    if phase == at.PLAY:
        return play_card(row)
    return declare(row)


@compiled
def declare(row):
    """The best holding that may be named; none where there is none."""
    words = legal_actions(row)
    hand = row[at.HANDS + row[at.ACTOR]]
    best, most = act.NONE, 0
    for action in range(act.POINT, act.CARTE_BLANCHE):
        if act.contains(words, action):
            strength = strength_of(row, hand, action)
            if strength > most:
                best, most = action, strength
    return best


@compiled
def strength_of(row, hand, action):
    """What orders the holdings that can be named in one category."""
    if action < act.SEQUENCE:
        return point_strength(row, hand, action - act.POINT)
    if action < act.SET:
        return action
    cards = popcount(hand & SUIT_OF_RANK << TEN + action - act.SET)
    return cards * act.ACTIONS + action
