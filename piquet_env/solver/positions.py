"""Positions of the play as a solver sees them: two hands in which only the order of the cards left counts.

A position is two sets of cards (engine.cards), those of the player to lead and those of the other, in *relative*
form: in each suit the cards that are left lie without gaps from the lowest rank up. So cards that are equally good
are next to one another, and positions that differ only in what has gone are the same.
"""

from piquet_env.engine.cards import CARDS, SUIT
from piquet_env.engine.compiled import compiled, inlined

_NOT_TOP, _NOT_LOW = 0x7F7F7F7F, 0xFEFEFEFE  # all ranks but the highest; all but the lowest
_LANES = 0x8040201  # the lowest bit of four lanes of nine bits
_LANE = 0x1FF


@inlined
def removed(cards, card):
    """Relative cards after `card` has left the position: the higher ones of its suit move down."""
    higher = (SUIT << (card & 7) + 1 & SUIT) << (card & ~7)
    return cards & ~(higher | 1 << card) | (cards & higher) >> 1


@compiled
def relative(lead, other):
    """Two hands in relative form."""
    for card in range(CARDS - 1, -1, -1):
        if not (lead | other) >> card & 1:
            lead, other = removed(lead, card), removed(other, card)
    return lead, other


@inlined
def heads(cards):
    """Of relative cards the highest of every run: one of each group that is equally good."""
    return cards & ~(cards >> 1 & _NOT_TOP)


@inlined
def feet(cards):
    """Of relative cards the lowest of every run."""
    return cards & ~(cards << 1 & _NOT_LOW)


@inlined
def _lanes(cards):
    """Each suit in nine bits, so that there is room for one more."""
    return cards & 0xFF | (cards & 0xFF00) << 1 | (cards & 0xFF0000) << 2 | (cards & 0xFF000000) << 3


@inlined
def key_of(lead, other):
    """36 bits, the same for positions that differ only in the names of the suits.

    Of each suit nine bits: the leader's cards, and a 1 above the highest card of either; the suits sorted.
    """
    lanes = _lanes(lead | other) + _LANES | _lanes(lead)
    a, b, c, d = lanes & _LANE, lanes >> 9 & _LANE, lanes >> 18 & _LANE, lanes >> 27
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    return a | b << 9 | c << 18 | d << 27


@inlined
def slot_of(last, key):
    """Where a key stands in a table of `last` + 1 entries, a power of two."""
    spread = (key & 0xFFFFFF) * 0x9E3779B97 ^ (key >> 24 & 0xFFFFFF) * 0xC2B2AE3D27 ^ key >> 48
    return (spread ^ spread >> 23 ^ spread >> 41) & last
