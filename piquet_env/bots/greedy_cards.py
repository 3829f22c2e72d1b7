"""What greedy counts in a hand. All of it reads only what the player to act knows (a hidden row).

Plus contracts want high cards and minus contracts low ones: the same counts serve both, on the cards with
the order of the ranks turned round (`turned`).
"""

from piquet_env import knowledge
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, RANKS, SUIT, SUITS, suit_bits
from piquet_env.engine.compiled import compiled
from piquet_env.engine.intrinsics import popcount


@compiled
def may_hold(row):
    """The cards that the opponent of the player to act may hold."""
    return knowledge.may_hold(row, row[at.ACTOR], 1 - row[at.ACTOR])


@compiled
def share_held(row, theirs):
    """How likely it is that he holds any one of the cards `theirs` that he may hold."""
    possible = popcount(theirs)
    held = row[at.HAND_SIZE] - popcount(row[at.PLAYED + 1 - row[at.ACTOR]])
    return min(held / possible, 1.0) if possible > 0 else 0.0


@compiled
def turned(cards):
    """The cards with the ranks in reverse: ace for 7, king for 8, ..."""
    reverse = 0
    for card in range(CARDS):
        if cards >> card & 1:
            reverse |= 1 << (card ^ RANKS - 1)
    return reverse


@compiled
def higher_of(card):
    """All higher cards of its suit, as a set."""
    return (SUIT << (card & 7) + 1 & SUIT) << (card & ~7)


@compiled
def sureness(card, theirs, share):
    """How likely it is that he has no higher card of the suit."""
    return (1.0 - share) ** popcount(theirs & higher_of(card))


@compiled
def sure_tricks(hand, theirs, share):
    """The cards of the hand, each counted as far as it is sure to be the highest."""
    count = 0.0
    for card in range(CARDS):
        if hand >> card & 1:
            count += sureness(card, theirs, share)
    return count


@compiled
def long_cards(hand, theirs, share):
    """The cards of each suit beyond as many as he can be expected to hold of it."""
    count = 0.0
    for suit in range(SUITS):
        beyond = popcount(suit_bits(hand, suit)) - share * popcount(suit_bits(theirs, suit))
        count += max(beyond, 0.0)
    return count
