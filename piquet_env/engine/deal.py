"""Section 2 of the rules: the random generator of a game, shuffling, and dealing.

Every game has its own generator (splitmix64, Steele, Lea and Flood 2014) in its row, so that what a seed
deals depends on nothing else.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled, compiled_wrapping, popcount

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
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
    return row[at.TALON + place // at.PER_WORD] >> 8 * (place % at.PER_WORD) & 0xFF


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
    row[at.FIRST_OF_DEAL :] = 0
    row[at.DEALER] = dealer
    row[at.ELDER] = -1
    row[at.BIDDER] = -1
    row[at.LED] = -1
    row[at.EXCHANGED : at.EXCHANGED + 2] = -1
    row[at.SAID : at.SAID + 6] = -1
    row[at.NAMED_SUIT : at.NAMED_SUIT + 2] = -1
    row[at.SCORER : at.SCORER + 3] = -1


@compiled
def deal_order(row, cards):
    """Deal the pack in the order of the array `cards`: player_0's hand, player_1's, the talon."""
    size = row[at.HAND_SIZE]
    for place in range(2 * size + row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        if place < 2 * size:
            row[at.HANDS + place // size] |= 1 << cards[place]
        else:
            in_talon = place - 2 * size
            row[at.TALON + in_talon // at.PER_WORD] |= cards[place] << 8 * (in_talon % at.PER_WORD)
    row[at.DEALT] = row[at.HANDS]
    row[at.DEALT + 1] = row[at.HANDS + 1]


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
