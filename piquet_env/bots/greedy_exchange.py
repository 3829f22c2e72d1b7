"""How greedy exchanges: it throws the cards worth least to it, as long as a new one should be worth more."""

import math

from piquet_env.bots.greedy_cards import guards, higher_out, his_cards, his_turned, suit_of, sureness
from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.cards import RANKS, SUIT_OF_RANK, TEN, suit_bits
from piquet_env.engine.compiled import compiled
from piquet_env.engine.declarations import best_point, run_from
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import lowest_bit, popcount

BEATEN_BY = 0.35  # how likely a higher card that is not seen will be in his way: it may also be in the talon
# In plus contracts and classic Piquet, in tricks.
LENGTH_KEPT = 0.09  # for every card of the suit
LENGTH_KEPT_BY_ELDER = 0.05  # and more for who leads
GUARD_KEPT = 0.36  # for the guard of a king
POINT_KEPT = 0.27  # a card of the best point
SET_KEPT = (0.0, 0.0, 0.15, 0.6, 1.3)  # a card of so many of its rank, T or higher
KEPT = 1.38  # a card worth as much is not thrown for a new one
# In minus contracts: what the hand holds the other scores.
LENGTH_AVOIDED = 0.075  # for every card of the suit
SEQUENCE_AVOIDED = 0.175  # for every card of the sequence
SET_AVOIDED = (0.0, 0.0, 0.075, 0.25, 0.25)
LOW_KEPT = 0.75  # a card worth as much is not thrown


@compiled
def discard_or_stand(row):
    """The card worth least, or stand."""
    words = legal_actions(row)
    card, worth = least_worth(row, words[0], cards_out(row), point_kept(row))
    return act.STAND if act.contains(words, act.STAND) and worth >= worth_of_new(row) else card


@compiled
def least_worth(row, cards, his, point):
    """(the card worth least to keep, how much that is); infinite where there is none."""
    worst, least = -1, math.inf
    while cards:
        card = lowest_bit(cards)
        cards &= cards - 1
        worth = worth_of_card(row, card, his, point)
        if worth < least:
            worst, least = card, worth
    return worst, least


@compiled
def point_kept(row):
    """The suit of the best point."""
    return best_point(row, row[at.HANDS + row[at.ACTOR]])


@compiled
def cards_out(row):
    """`his`, as it counts in the exchange; turned in a minus contract."""
    may, known, _ = his_cards(row)
    his = (may, known, BEATEN_BY)
    return his_turned(his) if row[at.IS_MINUS] else his


@compiled
def worth_of_card(row, card, his, point):
    """What a card in hand is worth keeping."""
    return worth_in_minus(row, card, his) if row[at.IS_MINUS] else worth_in_plus(row, card, his, point)


@compiled
def worth_of_new(row):
    """What a card must be worth not to be thrown for a new one."""
    return LOW_KEPT if row[at.IS_MINUS] else KEPT


@compiled
def worth_in_plus(row, card, his, point):
    """High cards, long suits, guards, and what can be declared are kept."""
    hand = row[at.HANDS + row[at.ACTOR]]
    length = LENGTH_KEPT + LENGTH_KEPT_BY_ELDER if row[at.ELDER] == row[at.ACTOR] else LENGTH_KEPT
    worth = sureness(card, his) + length * popcount(suit_bits(hand, card >> 3))
    if guards(card, hand, his) and higher_out(hand & suit_of(card), his) == 1:
        worth += GUARD_KEPT
    return worth + worth_to_declare(hand, card, point)


@compiled
def worth_to_declare(hand, card, point):
    """The best point (its suit is `point`), sets, and sets that may come. Sequences take care of themselves."""
    worth = SET_KEPT[of_its_rank(hand, card)]
    if card >> 3 == point:
        worth += POINT_KEPT
    return worth


@compiled
def worth_in_minus(row, card, his):
    """Low cards are kept, and what would be declared is not."""
    hand = row[at.HANDS + row[at.ACTOR]]
    ranks = suit_bits(hand, card >> 3)
    worth = sureness(card ^ RANKS - 1, his) - LENGTH_AVOIDED * popcount(ranks) - SET_AVOIDED[of_its_rank(hand, card)]
    run = run_around(ranks, card & 7)
    return worth - SEQUENCE_AVOIDED * run if run >= act.SHORTEST_SEQUENCE else worth


@compiled
def of_its_rank(hand, card):
    """How many cards of its rank the hand has; 0 for those of which there is no set."""
    return popcount(hand & SUIT_OF_RANK << (card & 7)) if card & 7 >= TEN else 0


@compiled
def run_around(ranks, rank):
    """The length of the run of a suit that a rank stands in."""
    start = rank
    while start > 0 and ranks >> start - 1 & 1:
        start -= 1
    return run_from(ranks, start)
