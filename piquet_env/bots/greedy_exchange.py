"""How greedy exchanges: it throws the cards worth least to it, as long as a new one should be worth more."""

from piquet_env.bots.greedy_cards import may_hold, share_held, sureness, turned
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, RANKS, SUIT_OF_RANK, TEN, suit_bits
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import run_from
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import popcount

# In plus contracts and classic Piquet, in tricks.
LENGTH_KEPT = 0.15  # for every card of the suit
RUN_KEPT = 0.06  # for every card of its run
SET_KEPT = 0.6  # a card of a trio or quatorze
KEPT = 2.3  # a card worth as much is not thrown for a new one
# In minus contracts.
LENGTH_AVOIDED = 0.15  # for every card of the suit; a long one is also a point for the other
LOW_KEPT = 0.75  # a card worth as much is not thrown


@compiled
def discard_or_stand(row):
    """The card worth least, or stand."""
    words = legal_actions(row)
    theirs = may_hold(row)
    share = share_held(row, theirs)
    worst, least = act.STAND, LOW_KEPT if row[at.IS_MINUS] else KEPT
    if not act.contains(words, act.STAND):
        least = 1e9
    for card in range(CARDS):
        if words[0] >> card & 1:
            worth = worth_of_card(row, card, theirs, share)
            if worth < least:
                worst, least = card, worth
    return worst


@compiled
def worth_of_card(row, card, theirs, share):
    """What a card in hand is worth keeping."""
    if row[at.IS_MINUS]:
        return worth_in_minus(row, card, theirs, share)
    return worth_in_plus(row, card, theirs, share)


@compiled
def worth_in_plus(row, card, theirs, share):
    """High cards, long suits, sequences and sets are kept."""
    hand = row[at.HANDS + row[at.ACTOR]]
    ranks = suit_bits(hand, card >> 3)
    worth = sureness(card, theirs, share)
    worth += LENGTH_KEPT * popcount(ranks) + RUN_KEPT * run_around(ranks, card & 7)
    if card & 7 >= TEN and popcount(hand & SUIT_OF_RANK << (card & 7)) >= 3:
        worth += SET_KEPT
    return worth


@compiled
def run_around(ranks, rank):
    """The length of the run of a suit that a rank stands in."""
    start = rank
    while start > 0 and ranks >> start - 1 & 1:
        start -= 1
    return run_from(ranks, start)


@compiled
def worth_in_minus(row, card, theirs, share):
    """Low cards are kept."""
    ranks = suit_bits(row[at.HANDS + row[at.ACTOR]], card >> 3)
    return sureness(card ^ RANKS - 1, turned(theirs), share) - LENGTH_AVOIDED * popcount(ranks)
