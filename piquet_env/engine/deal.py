"""Section 2 of the rules: the random generator of a game, shuffling, and dealing.

Every game has its own generator (splitmix64, Steele, Lea and Flood 2014) in its row, so that what a seed
deals depends on nothing else.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, compiled_wrapping
from piquet_env.engine.intrinsics import popcount

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_NOTHING_YET = (
    at.ELDER, at.BIDDER, at.LED, at.EXCHANGED, at.EXCHANGED + 1, at.SAID, at.SAID + 1, at.SAID + 2, at.SAID + 3,
    at.SAID + 4, at.SAID + 5, at.NAMED_SUIT, at.NAMED_SUIT + 1, at.SCORER, at.SCORER + 1, at.SCORER + 2,
)  # fmt: skip
_S27, _S30, _S31, _S32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@compiled_wrapping
def _mix(z):
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@compiled_wrapping
def random_state(seed, index):
    """The generator's state (int64) for game number `index` of a seed."""
    return np.int64(_mix(_mix(np.uint64(seed) + _GOLDEN) + _GOLDEN * np.uint64(index + 1)))


@compiled_wrapping
def random_below(row, n):
    """A random number from 0 to n - 1, for small n (the bias is n / 2**32); advances the row's generator."""
    state = np.uint64(row[at.RANDOM]) + _GOLDEN
    row[at.RANDOM] = np.int64(state)
    return np.int64((_mix(state) >> _S32) * np.uint64(n) >> _S32)


@compiled
def talon_card(row, place):
    """The card `T[place]` of the talon."""
    return at.packed(row, at.TALON, place)


@compiled
def talon_cards(row, start, stop):
    """The cards `T[start] .. T[stop - 1]` as a set."""
    cards = 0
    for place in range(start, stop):
        cards |= 1 << talon_card(row, place)
    return cards


@compiled
def clear_deal(row):
    """Every field of a deal as it is before the cards are dealt; the dealer stays."""
    dealer = row[at.DEALER]
    for column in range(at.FIRST_OF_DEAL, at.COLUMNS):
        row[column] = 0
    row[at.DEALER] = dealer
    for column in _NOTHING_YET:
        row[column] = -1


@compiled
def deal_order(row, cards):
    """Deal the pack in the order of the array `cards`: player_0's hand, player_1's, the talon."""
    size = row[at.HAND_SIZE]
    for player in range(2):
        hand = 0
        for place in range(player * size, (player + 1) * size):
            hand |= 1 << cards[place]
        row[at.HANDS + player] = hand
        row[at.DEALT + player] = hand
    for place in range(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        at.put_packed(row, at.TALON, place, cards[2 * size + place])


@compiled
def shuffled_pack(row):
    """The pack in random order: int64 (cards of the pack,)."""
    cards = np.empty(popcount(row[at.PACK]), np.int64)
    count = 0
    for card in range(32):
        if row[at.PACK] >> card & 1:
            other = random_below(row, count + 1)
            if other < count:
                cards[count] = cards[other]
            cards[other] = card
            count += 1
    return cards
