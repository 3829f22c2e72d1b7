"""Every hand that the other player may have, listed.

Before the play he had: what he shows or played, and so many of the cards whose place is not known. Each choice of
those is tried. An arrangement says which cards he was dealt, discarded and drew; the rest lies in the talon. The order
in which cards lie there is not part of it: there are as many orders for each.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.cards import whole_suits
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import pointer, popcount, row_of
from piquet_env.knowledge.facts import begin_before, fits

MOST_HANDS = 817_190
"""The longest list that any rules can give: nine of 23 cards.

With the named rulesets it is at most C(20,12) = 125,970 until both have exchanged; then 455 for elder and
C(17,5) = 6,188 for younger, and for elder C(15,8) = 6,435 where younger draws leftovers.
"""


@compiled
def ways_to_choose(n, k):
    """The number of choices of k of n things."""
    ways = 1 if k >= 0 else 0
    for i in range(k):
        ways = ways * (n - i) // (i + 1)
    return ways


@compiled
def nth_choice(cards, number, n):
    """The n-th choice, from 0, of so many cards of a set."""
    chosen = 0
    while number > 0:
        card = cards & -cards
        cards ^= card
        with_it = ways_to_choose(popcount(cards), number - 1)
        if n < with_it:
            chosen |= card
            number -= 1
        else:
            n -= with_it
    return chosen


@inlined
def exchanged(row, player):
    """The number that he exchanged; 0 as long as he has not stood."""
    return max(row[at.EXCHANGED + player], 0)


@inlined
def has_declared(row):
    """Whether both have exchanged, so that what was declared restricts the hands."""
    return row[at.EXCHANGED] >= 0 and row[at.EXCHANGED + 1] >= 0


@inlined
def retaken_by_them(row, me):
    """What the other drew of the cards that I, elder, left."""
    return row[at.RETAKEN] if row[at.ELDER] == me else 0


@inlined
def placeless(row, me):
    """The cards of which `me` does not know where they lay after the exchange."""
    placed = row[at.DEALT + me] | row[at.DRAWN + me] | row[at.SEEN + me]
    if row[at.OPEN_HANDS]:
        placed |= row[at.DEALT + 1 - me] | row[at.DRAWN + 1 - me]
    return row[at.PACK] & ~placed


@inlined
def _certain(row, me):
    """The cards that the other surely had before the play; with closed hands."""
    dealt = row[at.BLANCHE + 1 - me] if row[at.EXCHANGED + 1 - me] < 0 else 0
    return row[at.SHOWN + 1 - me] | row[at.PLAYED + 1 - me] | retaken_by_them(row, me) | dealt


@inlined
def _free(row, me):
    """The cards that he may have had besides."""
    return placeless(row, me) & ~_certain(row, me) & ~whole_suits(row[at.VOIDS + 1 - me])


@compiled
def most_hands(row, me):
    """A bound for the number of hands that `possible_hands` finds: how long its arrays must be."""
    row = pointer(row)
    if row[at.OPEN_HANDS]:
        return 1
    return ways_to_choose(popcount(_free(row, me)), row[at.HAND_SIZE] - popcount(_certain(row, me)))


@compiled
def possible_hands(row, me, hands, arrangements):
    """List the hands that the other player may hold now, in ascending order of the cards before the play; their number.

    Writes int64 hands and the number of arrangements of each, int64 too; both arrays C-contiguous and at least
    `most_hands(row, me)` long. `row` is a game's row or the row as `me` knows it, its deal not over. As long as the
    other has not stood, his cards as dealt: how many of them he has already discarded is hidden. Every hand of a list
    has the same number of arrangements.
    """
    return _first_hands(row, me, hands, arrangements, MOST_HANDS)


@compiled
def is_possible(row, me):
    """Whether there are cards that the other may have: whether some game comes to a row as `me` knows it."""
    return _is_possible(row, me, np.empty((2, at.COLUMNS), np.int64), np.empty((2, 1), np.int64))


@compiled
def _is_possible(row, me, scratch, one):
    row, start, again = pointer(row), row_of(scratch, 0), row_of(scratch, 1)
    begin_before(row, me, start)
    if start[at.PHASE] == at.DEAL_OVER:  # carte blanche has ended it
        return max(row[at.EXCHANGED], row[at.EXCHANGED + 1]) < 0 and row[at.DISCARDS + me] == 0
    if not has_declared(row):
        return True
    if row[at.OPEN_HANDS]:
        return fits(row, me, start, again, row[at.HANDS + 1 - me] | row[at.PLAYED + 1 - me])
    return _first_hands(row, me, one[0], one[1], 1) == 1


@compiled
def _first_hands(row, me, hands, arrangements, most):
    """The same, but no more than so many."""
    row, hands, arrangements = pointer(row), pointer(hands), pointer(arrangements)
    if row[at.OPEN_HANDS]:
        hands[0], arrangements[0] = row[at.HANDS + 1 - me], 1
        return 1
    return _list_hands(row, me, np.empty((2, at.COLUMNS), np.int64), hands, arrangements, most)


@compiled
def _list_hands(row, me, scratch, hands, arrangements, most):
    start, again = row_of(scratch, 0), row_of(scratch, 1)
    certain, free, ways = _certain(row, me), _free(row, me), arrangements_of_each(row, me)
    declared = has_declared(row)
    if declared:
        begin_before(row, me, start)
    missing, found = row[at.HAND_SIZE] - popcount(certain), 0
    chosen = _lowest(free, missing)
    for _ in range(ways_to_choose(popcount(free), missing)):
        hand = certain | chosen
        if _fits_the_deal(row, 1 - me, hand) and (not declared or fits(row, me, start, again, hand)):
            hands[found] = hand & ~row[at.PLAYED + 1 - me]
            arrangements[found] = ways
            found += 1
            if found == most:
                break
        chosen = _next_choice(free, chosen)
    return found


@compiled
def arrangements_of_each(row, me):
    """How many arrangements every possible hand has; with closed hands.

    It is known which cards he has of those that he was dealt and showed; else he drew any of them, and discarded any
    of the other cards.
    """
    they = 1 - me
    if row[at.BLANCHE + they]:
        return 1
    number, retaken = exchanged(row, they), popcount(retaken_by_them(row, me))
    held = row[at.HAND_SIZE] - retaken
    others = popcount(placeless(row, me)) - held
    return ways_to_choose(held, number - retaken) * ways_to_choose(others, number)


@inlined
def _fits_the_deal(row, they, hand):
    """Whether a hand has as many of the cards shown as carte blanche as he kept."""
    dealt = row[at.BLANCHE + they]
    return dealt == 0 or popcount(hand & dealt) == row[at.HAND_SIZE] - exchanged(row, they)


@inlined
def _lowest(cards, number):
    """So many of the lowest cards of a set."""
    lowest = 0
    for _ in range(number):
        lowest |= cards & -cards
        cards &= cards - 1
    return lowest


@inlined
def _next_choice(free, chosen):
    """The next choice of as many cards of `free`: as numbers are counted up, in the bits of `free` alone."""
    carried = ((chosen | ~free) + (chosen & -chosen)) & free
    return carried | _lowest(free, popcount(chosen) - popcount(carried))
