"""Whether a hand fits what was said and shown: the declarations are taken again by the engine, and compared.

So no rule of the declarations is here: minus contracts, the rule without sinking, repique and carte blanche included.
"""

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import SUITS, suit_bits
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import clear_deal
from piquet_env.engine.declarations import (
    action_said,
    apply_declaration,
    begin_declarations,
    legal_declaration,
    said,
)
from piquet_env.engine.exchange import apply_carte_blanche
from piquet_env.engine.intrinsics import lowest_bit, popcount

# What declarations make public. Pique is not among it, for it may also come later; it follows from the rest.
_ITEMS = (at.ITEM_CARTE_BLANCHE, at.ITEM_POINT, at.ITEM_SEQUENCE, at.ITEM_SET, at.ITEM_REPIQUE)
_PUBLIC = np.array(
    [
        *range(at.SAID, at.SAID + 6),
        *range(at.PIPS_SAID, at.PIPS_SAID + 2),
        *range(at.SCORER, at.SCORER + 3),
        *range(at.SHOWN, at.SHOWN + 2),
        *(at.SCORE + player * len(at.ITEMS) + item for player in range(2) for item in _ITEMS),
    ],
    np.int64,
)
NO_SUIT = 1  # as bits of suits: one way, which names none


@compiled
def begin_before(row, me, start):
    """Writes the row as it was when the declarations began, but for the hand of the other, which is to be put in."""
    for column in range(at.FIRST_OF_DEAL):
        start[column] = row[column]
    start[at.DEALER] = row[at.DEALER]
    clear_deal(start)
    start[at.ELDER] = row[at.ELDER]
    start[at.IS_MINUS] = row[at.IS_MINUS]
    start[at.HANDS + me] = row[at.HANDS + me] | row[at.PLAYED + me]
    for player in range(2):
        if row[at.BLANCHE + player]:
            start[at.DEALT + player] = row[at.BLANCHE + player]
            start[at.ACTOR] = player
            apply_carte_blanche(start, act.CARTE_BLANCHE)


@inlined
def _suits_of_the_number(row, they, hand):
    """The suits, as bits, that he may have named as his point by the number that he said."""
    number = row[at.SAID + they]
    if number <= 0 or not row[at.SINKING]:
        return NO_SUIT
    suits = 0
    for suit in range(SUITS):
        if popcount(suit_bits(hand, suit)) == number:
            suits |= 1 << suit
    return suits


@compiled
def _say_again(row, again, me, suit):
    """Say what was said, as far as it was. False when these hands cannot."""
    while at.IN_POINT <= again[at.PHASE] <= at.IN_SET:
        player, category = again[at.ACTOR], again[at.PHASE] - at.IN_POINT
        column = said(row, category, player)
        if row[column] < 0:
            return True
        action = action_said(category, row[column], row[at.NAMED_SUIT + me] if player == me else suit)
        if legal_declaration(again) & act.bit(action) == 0:
            return False
        apply_declaration(again, action)
        if again[column] != row[column]:
            return False
    return True


@compiled
def _fits_with(row, me, start, again, hand, suit):
    """`fits`, when the other named this suit as his point, where he named one."""
    at.copy_row(start, again)
    again[at.HANDS + 1 - me] = hand
    begin_declarations(again)
    if not _say_again(row, again, me, suit):
        return False
    different = again[at.NAMED_SUIT + me] ^ row[at.NAMED_SUIT + me]
    for column in _PUBLIC:
        different |= again[column] ^ row[column]
    return different == 0


@compiled
def fits(row, me, start, again, hand):
    """Whether everything that `me` knows of the declarations is the same when the other has this hand, before the play.

    `start` is what `begin_before` wrote, `again` room for another row.
    """
    suits = _suits_of_the_number(row, 1 - me, hand)
    while suits:
        if _fits_with(row, me, start, again, hand, lowest_bit(suits)):
            return True
        suits &= suits - 1
    return False


@compiled
def fitting_suits(row, me, start, again, hand):
    """The suits, as bits, that the other may have named as his point with this hand; NO_SUIT where he named none."""
    suits = _suits_of_the_number(row, 1 - me, hand)
    for suit in range(SUITS):
        if suits >> suit & 1 and not _fits_with(row, me, start, again, hand, suit):
            suits ^= 1 << suit
    return suits
