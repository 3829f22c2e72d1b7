"""How the other may have come to his hand: the pairs of what he was dealt and what he drew, numbered.

An arrangement is int64 (3,): dealt, discarded, drawn.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import pointer, popcount, row_of
from piquet_env.knowledge.facts import begin_before, fitting_suits
from piquet_env.knowledge.hands import exchanged, has_declared, nth_choice, placeless, retaken_by_them, ways_to_choose


@compiled
def suits_that_fit(row, me, arrangements, suits):
    """The suits that he may have named as his point, as bits, for each arrangement."""
    scratch = np.empty((2, at.COLUMNS), np.int64)
    for i in range(len(suits)):
        hand = arrangements[i, 0] & ~arrangements[i, 1] | arrangements[i, 2]
        suits[i] = _suits_of(row, me, hand, scratch)


@compiled
def _suits_of(row, me, hand, scratch):
    if not has_declared(row):
        return 0
    begin_before(row, me, row_of(scratch, 0))
    return fitting_suits(row, me, row_of(scratch, 0), row_of(scratch, 1), hand)


@compiled
def _draws(row, me):
    """In how many ways he may have drawn, whatever he was dealt."""
    drawn = exchanged(row, 1 - me) - popcount(retaken_by_them(row, me))
    return ways_to_choose(popcount(placeless(row, me)) - row[at.HAND_SIZE], drawn)


@compiled
def count_exchanges(row, me):
    """How many pairs there are of what he may have been dealt and what he may have drawn."""
    row = pointer(row)
    if row[at.BLANCHE + 1 - me]:
        return _draws(row, me)
    return ways_to_choose(popcount(placeless(row, me)), row[at.HAND_SIZE]) * _draws(row, me)


@compiled
def write_exchanges(row, me, numbers, arrangements):
    """Write what he was dealt and drew in the pairs with these numbers: int64 (N, 3), discards left open."""
    row = pointer(row)
    for i in range(len(numbers)):
        deal, draw = numbers[i] // _draws(row, me), numbers[i] % _draws(row, me)
        cards, retaken = placeless(row, me), retaken_by_them(row, me)
        dealt = row[at.BLANCHE + 1 - me]
        if dealt == 0:
            dealt = nth_choice(cards, row[at.HAND_SIZE], deal)
        arrangements[i, 0] = dealt
        number = exchanged(row, 1 - me) - popcount(retaken)
        arrangements[i, 2] = retaken | nth_choice(cards & ~dealt, number, draw)


@compiled
def exchange_all(arrangements, number, hands):
    """Write the hands after the exchange, int64 (N,); 0 where other than so many cards are discarded."""
    for i in range(len(hands)):
        dealt, discards, drawn = arrangements[i, 0], arrangements[i, 1], arrangements[i, 2]
        hands[i] = dealt & ~discards | drawn if popcount(discards) == number else 0


@compiled
def discard_lowest(arrangements, number):
    """Write as many of the lowest cards dealt as the discards."""
    for i in range(len(arrangements)):
        arrangements[i, 1] = nth_choice(arrangements[i, 0], number, 0)
