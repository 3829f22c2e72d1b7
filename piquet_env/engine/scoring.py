"""Section 9 of the rules: points as they are counted, repique and pique, and what is scored at the end."""

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import pointer

BONUS_REPIQUE, BONUS_PIQUE = 60, 30
CARDS, CAPOT = 10, 40
PER_TRICK_OF_CONTRACT = 10


@inlined
def add(row, player, item, points):
    """Score points, in the item and in the total."""
    row[at.score_item(player, item)] += points
    row[at.score_item(player, at.ITEM_TOTAL)] += points


@inlined
def _earns(row, player, threshold):
    """Whether he has reached a bonus that nobody has yet, the opponent having scored nothing.

    As long as he has no bonus, and the last trick is not over, his total is what counts towards one.
    """
    if row[at.score_item(1 - player, at.ITEM_TOTAL)] > 0 or row[at.score_item(player, at.ITEM_TOTAL)] < threshold:
        return False
    return row[at.score_item(player, at.ITEM_REPIQUE)] + row[at.score_item(player, at.ITEM_PIQUE)] == 0


@compiled
def look_for_repique(row):
    """After a category: who reached it by declarations alone."""
    threshold = row[at.MINUS_REPIQUE_AT] if row[at.IS_MINUS] else row[at.REPIQUE_AT]
    for player in range(2):
        if _earns(row, player, threshold):
            add(row, player, at.ITEM_REPIQUE, BONUS_REPIQUE)


@inlined
def earns_pique(row, player, more):
    """Whether he has reached it, or does with so many points more. Younger only in a minus contract."""
    if player != row[at.ELDER] and not row[at.IS_MINUS]:
        return False
    threshold = row[at.MINUS_PIQUE_AT] if row[at.IS_MINUS] else row[at.PIQUE_AT]
    return _earns(row, player, threshold - more)


@inlined
def look_for_pique(row, player):
    """When the declarations are done, and after a point in play."""
    if earns_pique(row, player, 0):
        add(row, player, at.ITEM_PIQUE, BONUS_PIQUE)


@inlined
def reaches_stop(row, player, more):
    """Piquet au cent: whether his total has reached `stop_at`, or does with so many points more."""
    total = row[at.TOTALS + player] + row[at.score_item(player, at.ITEM_TOTAL)]
    return row[at.STOP_AT] > 0 and total + more >= row[at.STOP_AT]


@inlined
def stop_if_reached(row):
    """Piquet au cent: the deal is over as soon as a player has reached `stop_at`. True when it is."""
    if reaches_stop(row, 0, 0) or reaches_stop(row, 1, 0):
        row[at.PHASE] = at.DEAL_OVER
    return row[at.PHASE] == at.DEAL_OVER


@inlined
def point_in_play(row, player):
    """One point for a card led or a trick. False when the deal stops with it."""
    add(row, player, at.ITEM_TRICKS, 1)
    look_for_pique(row, player)
    return not stop_if_reached(row)


@compiled
def finish_deal(row):
    """After the last trick: cards or capot, and the contract."""
    for player in range(2):
        tricks = row[at.WON + 1 - player] if row[at.IS_MINUS] else row[at.WON + player]
        if tricks == row[at.HAND_SIZE]:
            add(row, player, at.ITEM_CAPOT, CAPOT)
        elif 2 * tricks > row[at.HAND_SIZE]:
            add(row, player, at.ITEM_CARDS, CARDS)
    if row[at.HAS_AUCTION]:
        _score_contract(row)
    row[at.PHASE] = at.DEAL_OVER
    stop_if_reached(row)


@compiled
def _score_contract(row):
    maker = row[at.ELDER]
    tricks = row[at.WON + 1 - maker] if row[at.IS_MINUS] else row[at.WON + maker]
    beyond = tricks - row[at.LEVEL]
    if beyond >= 0:
        add(row, maker, at.ITEM_CONTRACT, beyond * PER_TRICK_OF_CONTRACT * row[at.STAKE])
    else:
        add(row, 1 - maker, at.ITEM_CONTRACT, -beyond * PER_TRICK_OF_CONTRACT * row[at.STAKE])


@compiled
def payment(row, player):
    """What a finished partie pays to `player` (section 10); negative: what he pays."""
    row = pointer(row)
    mine, theirs = row[at.TOTALS + player], row[at.TOTALS + 1 - player]
    if mine == theirs or row[at.TRUNCATED]:
        return 0
    loser = min(mine, theirs)
    if row[at.STOP_AT] > 0:
        paid = 2 if loser < row[at.STOP_DOUBLE_BELOW] else 1
    elif loser < row[at.RUBICON]:
        paid = row[at.RUBICON] + mine + theirs
    else:
        paid = row[at.RUBICON] + abs(mine - theirs)
    return paid if mine > theirs else -paid
