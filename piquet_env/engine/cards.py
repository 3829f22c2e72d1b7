"""The 32 cards as bits, and what can be counted in a set of them.

    rank      7  8  9  T  J  Q  K  A
    S         0  1  2  3  4  5  6  7
    H         8  9 10 11 12 13 14 15
    D        16 17 18 19 20 21 22 23
    C        24 25 26 27 28 29 30 31

A set of cards is an int64 with bit `8 * suit + rank` set for each card; one suit of it is a byte.
"""

from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import popcount

CARDS = 32
SUITS = 4
RANKS = 8
SUIT = 0xFF  # the byte of one suit
NINE, TEN, JACK, QUEEN, KING, ACE = 2, 3, 4, 5, 6, 7
SUIT_OF_RANK = 0x01010101  # a rank's bit in all four suits, for rank 0
COURT_CARDS = SUIT_OF_RANK << JACK | SUIT_OF_RANK << QUEEN | SUIT_OF_RANK << KING
TEN_PIPS = 0x78  # T J Q K


@inlined
def suit_bits(cards, suit):
    """The byte of one suit."""
    return cards >> 8 * suit & SUIT


@compiled
def pips(ranks):
    """Of the cards of one suit: A 11, K Q J T 10 each, 9 8 7 as marked."""
    low = 7 * (ranks & 1) + 8 * (ranks >> 1 & 1) + 9 * (ranks >> NINE & 1)
    return low + 10 * popcount(ranks & TEN_PIPS) + 11 * (ranks >> ACE)


@inlined
def whole_suits(suits):
    """All cards of some suits, which are given as bits S H D C."""
    return (suits * 0x204081 & SUIT_OF_RANK) * SUIT


@inlined
def up_to_highest(cards):
    """Of each suit in which there are cards, every rank from 7 up to the highest of them."""
    cards |= cards >> 1 & 0x7F7F7F7F
    cards |= cards >> 2 & 0x3F3F3F3F
    return cards | cards >> 4 & 0x0F0F0F0F


@inlined
def from_lowest(cards):
    """Of each suit in which there are cards, every rank from the lowest of them up to ace."""
    cards |= cards << 1 & 0xFEFEFEFE
    cards |= cards << 2 & 0xFCFCFCFC
    return cards | cards << 4 & 0xF0F0F0F0
