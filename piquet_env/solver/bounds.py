"""What is certain before any search: how much the player to lead gets at least and at most. Relative hands."""

from piquet_env.engine.cards import SUIT, SUITS
from piquet_env.engine.compiled import inlined
from piquet_env.engine.intrinsics import lowest_bit, popcount

MANY = 99


@inlined
def _below_top(ranks):
    """The highest of some ranks and all below it."""
    ranks |= ranks >> 1
    ranks |= ranks >> 2
    return ranks | ranks >> 4


@inlined
def sure_tricks(lead, other):
    """(tricks that the leader can take at once, his cards in the suits of which the other has the highest card).

    In a suit he takes with his highest cards; when the other then has none left, with all.
    """
    sure, behind = 0, 0
    for suit in range(SUITS):
        mine, theirs = lead >> 8 * suit & SUIT, other >> 8 * suit & SUIT
        if mine > theirs:
            highest = popcount(mine & ~_below_top(theirs))
            sure += popcount(mine) if highest >= popcount(theirs) else highest
        else:
            behind += popcount(mine)
    return sure, behind


@inlined
def most_tricks(lead, other, tricks, behind):
    """The most tricks that the leader can take.

    As long as the other keeps a highest card in each suit where he has one, the leader takes none of the tricks
    that he leads there: sooner or later he must, if he cannot take all elsewhere, and until then the other has
    been able to keep as many sure tricks as the leader has cards there.
    """
    if behind == 0:
        return tricks
    return tricks - min(sure_tricks(other, lead)[0], behind)


@inlined
def ducks(lead, other):
    """The fewest times that the other can stay below in a suit that the leader holds; MANY where he always can."""
    least = MANY
    for suit in range(SUITS):
        mine, theirs = lead >> 8 * suit & SUIT, other >> 8 * suit & SUIT
        if mine > 0:
            below = popcount(theirs & (1 << lowest_bit(mine)) - 1)
            if below < popcount(theirs):
                least = min(least, below)
    return least


@inlined
def most_lost(lead, other, tricks):
    """The most tricks that the leader can lose, where both want to lose them.

    In a suit the other can stay below as often as he has cards lower than all of the leader's. Where all of his
    are lower, or he has none, the leader takes every trick that he leads there: such a suit is no way out.
    """
    return tricks - min(ducks(lead, other), tricks)


@inlined
def least_lost(lead, other, tricks):
    """The fewest.

    With a card below all of the other's in a suit the leader gives him the lead, and then he is the one who must take
    some. The suit of that card may be the one in which he can be forced least: then it is one trick less.
    """
    least, out = MANY, -1
    for suit in range(SUITS):
        mine, theirs = lead >> 8 * suit & SUIT, other >> 8 * suit & SUIT
        if theirs > 0:
            below = popcount(mine & (1 << lowest_bit(theirs)) - 1)
            if below < popcount(mine):
                least = min(least, below)
            elif below > 0:
                out = MANY
            out = max(out, below)
    if out <= 0:
        return 0
    return min(1 + least - (0 if out > least else 1), tricks)
