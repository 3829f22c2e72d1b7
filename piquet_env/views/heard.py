"""The declarations' points once more, as far as a player has heard them."""

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import CATEGORIES, CATEGORY_POINT, CATEGORY_SET, best_holding, said, scored_cards
from piquet_env.engine.intrinsics import pointer
from piquet_env.engine.scoring import add, look_for_pique, look_for_repique


@compiled
def is_declared(row):
    """Whether all three categories are done, and what has scored is shown."""
    row = pointer(row)
    first = at.EXCHANGED if row[at.IS_MINUS] else said(row, CATEGORY_SET, 0)
    return row[at.ELDER] >= 0 and min(row[first], row[first + 1]) >= 0


@compiled
def score_declarations(row, player, hand, heard):
    """Score carte blanche and the categories on the empty sheet of a row as `player` knows it, and show his holdings.

    The row has what was said and who scored. hand: what he held when he declared; heard: int64 (3,), the points of
    each category where the other's holdings scored.
    """
    row, heard = pointer(row), pointer(heard)
    for who in range(2):
        if row[at.BLANCHE + who]:
            add(row, who, at.ITEM_CARTE_BLANCHE, row[at.CARTE_BLANCHE_POINTS])
            look_for_repique(row)
    for category in range(CATEGORIES):
        scorer = row[at.SCORER + category]
        if scorer < 0:
            continue
        points = heard[category]
        if player == (1 - scorer if row[at.IS_MINUS] else scorer):
            points, cards = scored_cards(row, category, hand, _named(row, category, player, hand))
            if is_declared(row):
                row[at.SHOWN + player] |= cards
        add(row, scorer, at.ITEM_POINT + category, points)
        look_for_repique(row)
    if is_declared(row):
        look_for_pique(row, 0)
        look_for_pique(row, 1)


@compiled
def _named(row, category, player, hand):
    """His best holding that counts, as `scored_cards` takes it."""
    if row[at.IS_MINUS]:
        return best_holding(row, category, hand)[1]
    return 1 + row[at.NAMED_SUIT + player] if category == CATEGORY_POINT else row[said(row, category, player)]
