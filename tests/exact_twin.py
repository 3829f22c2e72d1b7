"""A game tree gone through one position after another in plain Python: a twin of `piquet_env.exact` for tiny games.

What a player can tell apart is here what his view says as JSON (`piquet_env.views`), forced moves are moves like any
other, and a best response looks at all games that the responder cannot tell apart together.
"""

from __future__ import annotations

import itertools
import json

import helpers
import numpy as np

from piquet_env import Rules
from piquet_env.bots.base import views_of
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.views import view

Weighted = list[tuple[np.ndarray, float]]  # games, each with its probability


class Scrambled:
    """A bot whose probabilities depend on every bit of the observation, and on its seat."""

    def __init__(self, seed: int):
        self.seed = seed

    def act(self, views, rng):
        raise NotImplementedError("asked for its probabilities only")

    def probabilities(self, views) -> np.ndarray:
        factors = 1 + np.arange(views.observation.shape[1], dtype=np.float32) ** 2 % 1009
        bits = (views.observation.astype(np.float32) @ factors).astype(np.int64)
        mixed = (bits + 31 * views.rows[:, at.ACTOR] + self.seed)[:, None] * (1 + np.arange(80)) % 7
        weights = views.mask * (mixed + 0.25)
        return weights / weights.sum(axis=1, keepdims=True)


def all_games(rules: Rules, dealer: int) -> Weighted:
    """Every deal of a pack without equal ones: the talon in every order."""
    pack, size = helpers.cards_of(rules.pack), rules.hand_size
    dealt = []
    for first in itertools.combinations(pack, size):
        for second in itertools.combinations([c for c in pack if c not in first], size):
            talon = [c for c in pack if c not in first + second]
            dealt += [[*first, *second, *order] for order in itertools.permutations(talon)]
    return [(helpers.set_up(rules, dealer, cards), 1 / len(dealt)) for cards in dealt]


def value(games: Weighted, bots) -> float:
    """player_0's points less player_1's, when bots[seat] plays in each seat."""
    return sum(weight * _value(row, bots) for row, weight in games)


def _value(row: np.ndarray, bots) -> float:
    if row[at.PHASE] == at.DEAL_OVER:
        return _difference(row, 0)
    return sum(p * _value(child, bots) for child, p in _moves(row, bots[row[at.ACTOR]]))


def best_response(games: Weighted, bot, seat: int) -> float:
    """What the best responder to a bot gets in his seat, his points less the bot's."""
    total, choices, going = 0.0, {}, list(games)
    while going:
        row, weight = going.pop()
        if row[at.PHASE] == at.DEAL_OVER:
            total += weight * _difference(row, seat)
        elif row[at.ACTOR] == seat:
            choices.setdefault(json.dumps(view(row, seat)), []).append((row, weight))
        else:
            going += [(child, weight * p) for child, p in _moves(row, bot)]
    for alike in choices.values():
        actions = helpers.legal(alike[0][0])
        results = [[(_after(row, action), weight) for row, weight in alike] for action in actions]
        total += max(best_response(after, bot, seat) for after in results)
    return total


def _moves(row: np.ndarray, bot) -> Weighted:
    policy = bot.probabilities(views_of(row))[0]
    return [(_after(row, action), policy[action]) for action in helpers.legal(row) if policy[action] > 0]


def _after(row: np.ndarray, action: int) -> np.ndarray:
    row = row.copy()
    assert game.apply_action(row, action)
    return row


def _difference(row: np.ndarray, seat: int) -> int:
    return helpers.score_of(row, seat).get("total", 0) - helpers.score_of(row, 1 - seat).get("total", 0)
