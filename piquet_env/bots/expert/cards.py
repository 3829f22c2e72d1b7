"""The expert's declarations and play."""

import numpy as np

from piquet_env.bots.expert.playout import copy_row, play_by_rules, solved
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions, take_action
from piquet_env.engine.intrinsics import row_of
from piquet_env.solver.scores import card_scores


@compiled
def declaration_values(worlds, values, rows, table, unsettled):
    """Adds what each declaration, or carte blanche, is worth in the worlds to float64 (80,)."""
    for i in range(len(worlds)):
        world = row_of(worlds, i)
        for action in range(act.NONE, act.ACTIONS):
            if act.contains(legal_actions(world), action):
                copy_row(world, row_of(rows, 0))
                take_action(row_of(rows, 0), action)
                play_by_rules(row_of(rows, 0), at.PLAY)
                values[action] += solved(rows, world[at.ACTOR], table, unsettled)


@compiled
def card_values(worlds, values, rows, table, unsettled):
    """Adds what each card is worth in the worlds to float64 (80,)."""
    scores = np.empty(CARDS, np.int64)
    for i in range(len(worlds)):
        copy_row(row_of(worlds, i), row_of(rows, 0))
        card_scores(rows, scores, table, unsettled)
        for card in range(CARDS):
            if legal_actions(row_of(rows, 0))[0] >> card & 1:
                values[card] += scores[card]
