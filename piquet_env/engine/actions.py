"""The 80 actions, the same in every ruleset.

      0-31  discard or play the card 8 * suit + rank        32 cards
     32     stand                                         +  1
     33     none: name nothing, show nothing              +  1
     34-39  plus bids, lowest level first                 +  6
     40-45  minus bids                                    +  6
     46-48  pass, double, redouble                        +  3
     49-52  point of S, H, D, C                           +  4
     53-73  sequence: length 3 with tops 9 .. A, length 4
            with tops T .. A, ..., length 8 with top A    + 21
     74-78  set of T, J, Q, K, A                          +  5
     79     carte blanche                                 +  1
                                                         = 80

Legal actions are two words: bit c of the first is the card c, bit a - 32 of the second the action a.
"""

from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import nth_bit, popcount

ACTION_VERSION = 1

BIDS = 6  # levels of each sign
SEQUENCES = 21  # 6 + 5 + 4 + 3 + 2 + 1
SET_RANKS = 5  # T J Q K A
SHORTEST_SEQUENCE = 3

STAND = CARDS
NONE = STAND + 1
PLUS = NONE + 1
MINUS = PLUS + BIDS
PASS = MINUS + BIDS
DOUBLE = PASS + 1
REDOUBLE = DOUBLE + 1
POINT = REDOUBLE + 1
SEQUENCE = POINT + 4
SET = SEQUENCE + SEQUENCES
CARTE_BLANCHE = SET + SET_RANKS
ACTIONS = CARTE_BLANCHE + 1  # 80

OTHERS = CARDS  # the second word's bit 0
FIRST_SEQUENCE_OF_LENGTH = (0, 0, 0, 0, 6, 11, 15, 18, 20)  # from SEQUENCE; by length, shortest 3


@inlined
def bit(action):
    """The bit of an action other than a card, in the second word."""
    return 1 << action - OTHERS


@compiled
def sequence_action(length, top):
    """The action that names a run; longer runs and higher tops have higher numbers, as they rank."""
    return SEQUENCE + FIRST_SEQUENCE_OF_LENGTH[length] + top - (length - 1)


@inlined
def contains(words, action):
    """Whether `action` is among the legal ones (`words`: cards, others)."""
    cards, others = words
    if action < 0 or action >= ACTIONS:
        return False
    if action < CARDS:
        return cards >> action & 1 == 1
    return others >> action - OTHERS & 1 == 1


@inlined
def count(words):
    """How many actions are legal."""
    return popcount(words[0]) + popcount(words[1])


@inlined
def nth(words, n):
    """The n-th legal action, from 0; n must be below the count."""
    cards, others = words
    in_hand = popcount(cards)
    if n < in_hand:
        return nth_bit(cards, n)
    return OTHERS + nth_bit(others, n - in_hand)
