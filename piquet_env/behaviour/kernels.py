"""What of a deal is read off its row, for many rows at once."""

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import CATEGORIES, CATEGORY_POINT, best_holding, point_strength, said
from piquet_env.engine.intrinsics import lowest_bit, row_of
from piquet_env.engine.play import cards_of_trick

MOST_ACTIONS = 8 * at.HISTORY_WORDS


@compiled
def unpack_actions(rows, taken):
    """Every action of each deal: writes int64 (N, MOST_ACTIONS), action + 128 * player, -1 after the last."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        for n in range(MOST_ACTIONS):
            taken[i, n] = at.packed(row, at.HISTORY, n) if n < row[at.ACTED] else -1


@compiled
def best_strengths(rows, hands, strengths):
    """Of hands int64 (N,) the best holding in each category: writes int64 (N, 3), 0 where there is none."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        for category in range(CATEGORIES):
            strengths[i, category] = best_holding(row, category, hands[i])[0]


@compiled
def named_strengths(rows, named):
    """What each player named: writes int64 (N, 2, 3), strengths; 0: none, -1: nobody was asked."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        for player in range(2):
            for category in range(CATEGORIES):
                words = row[said(row, category, player)]
                if category == CATEGORY_POINT and words > 0:
                    hand = row[at.HANDS + player] | row[at.PLAYED + player]
                    words = point_strength(row, hand, row[at.NAMED_SUIT + player])
                named[i, player, category] = words


@compiled
def first_leads(rows, cards):
    """The card with which elder led to the first trick: writes int64 (N,), -1 where none was played."""
    for i in range(len(rows)):
        row = row_of(rows, i)
        led = cards_of_trick(row, 0) & row[at.PLAYED + max(row[at.ELDER], 0)]
        cards[i] = lowest_bit(led) if led else -1
