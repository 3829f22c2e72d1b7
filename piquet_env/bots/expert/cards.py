"""The expert's play: every card in every world, solved."""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import row_of
from piquet_env.solver.scores import card_scores


@compiled
def card_values(worlds, values, rows, table, unsettled):
    """Adds what each card is worth in the worlds to float64 (80,)."""
    scores = np.empty(CARDS, np.int64)
    for i in range(len(worlds)):
        at.copy_row(row_of(worlds, i), row_of(rows, 0))
        card_scores(rows, scores, table, unsettled)
        for card in range(CARDS):
            if legal_actions(row_of(rows, 0))[0] >> card & 1:
                values[card] += scores[card]
