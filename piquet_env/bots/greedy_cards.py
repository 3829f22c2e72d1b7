"""What greedy counts in a hand. All of it reads only what the player to act knows (a hidden row).

What he knows of the other's cards is `his`: (the cards that he may hold, those that he holds for certain, how likely
he holds any one of the others). Plus contracts want high cards and minus contracts low ones: the same counts serve
both, on the cards with the order of the ranks turned round (`turned`).
"""

from piquet_env import knowledge
from piquet_env.engine import layout as at
from piquet_env.engine.cards import ACE, SUIT, SUIT_OF_RANK, SUITS, suit_bits, up_to_highest
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.intrinsics import lowest_bit, popcount

USUAL_LONGEST = 0.375  # of the hand: the cards of its longest suit


@compiled
def his_cards(row):
    """`his`: what the player to act knows of the other's cards."""
    me = row[at.ACTOR]
    may, known = knowledge.may_hold(row, me, 1 - me), knowledge.their_known_hand(row, me, 1 - me)
    held = row[at.HAND_SIZE] - popcount(row[at.PLAYED + 1 - me]) - popcount(known)
    possible = popcount(may & ~known)
    return may, known, min(held / possible, 1.0) if possible > 0 else 0.0


@inlined
def turned(cards):
    """The cards with the ranks in reverse: ace for 7, king for 8, ..."""
    cards = (cards & 0x0F0F0F0F) << 4 | cards >> 4 & 0x0F0F0F0F
    cards = (cards & 0x33333333) << 2 | cards >> 2 & 0x33333333
    return (cards & 0x55555555) << 1 | cards >> 1 & 0x55555555


@inlined
def his_turned(his):
    """`his`, turned."""
    may, known, share = his
    return turned(may), turned(known), share


@inlined
def higher_of(card):
    """All higher cards of its suit, as a set."""
    return (SUIT << (card & 7) + 1 & SUIT) << (card & ~7)


@inlined
def suit_of(card):
    """All cards of its suit, as a set."""
    return SUIT << (card & ~7)


@inlined
def highest(cards):
    """The highest card of one suit."""
    return (lowest_bit(cards) & ~7) + popcount(up_to_highest(cards)) - 1


@compiled
def sureness(card, his):
    """How likely it is that he has no higher card of the suit."""
    may, known, share = his
    higher = may & higher_of(card)
    if higher & known:
        return 0.0
    return (1.0 - share) ** popcount(higher)


@inlined
def expected_length(suit, his):
    """How many cards of a suit he is expected to hold."""
    may, known, share = his
    certain = popcount(suit_bits(known, suit))
    return certain + share * (popcount(suit_bits(may, suit)) - certain)


@compiled
def higher_out(cards, his):
    """How many cards he may hold that are higher than all of mine in a suit."""
    return popcount(his[0] & higher_of(highest(cards)))


@compiled
def guards(card, hand, his):
    """Whether the highest card of the suit would fall to higher ones of his without this one."""
    own = hand & suit_of(card)
    return card != highest(own) and 0 < higher_out(own, his) >= popcount(own) - 1


@compiled
def longest(row):
    """How much longer the longest suit of the player to act is than usual."""
    length = 0
    for suit in range(SUITS):
        length = max(length, popcount(suit_bits(row[at.HANDS + row[at.ACTOR]], suit)))
    return length - USUAL_LONGEST * row[at.HAND_SIZE]


@compiled
def weighed(row, minus, weights):
    """The sum of his cards' weights, the strongest rank's first, beyond that of an average hand of this pack."""
    hand, pack = row[at.HANDS + row[at.ACTOR]], row[at.PACK]
    if minus:
        hand, pack = turned(hand), turned(pack)
    total, height = 0.0, 0
    average = row[at.HAND_SIZE] / popcount(pack)
    for rank in range(ACE, -1, -1):
        of_rank = SUIT_OF_RANK << rank
        if pack & of_rank:
            total += weights[height] * (popcount(hand & of_rank) - average * popcount(pack & of_rank))
            height += 1
    return total
