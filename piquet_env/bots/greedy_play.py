"""How greedy plays the cards: to win tricks, and in a minus contract to lose them."""

from piquet_env.bots.greedy_cards import (
    expected_length,
    guards,
    higher_of,
    highest,
    his_cards,
    his_turned,
    suit_of,
    sureness,
)
from piquet_env.engine import layout as at
from piquet_env.engine.cards import RANKS, SUIT, SUITS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import lowest_bit, popcount

# What counts for and against a card, in chances of winning the trick (of losing it in a minus contract).
# Plus contracts and classic Piquet.
LENGTH_LED = 0.34  # for every card that I have in the suit led
HIS_LENGTH_SHUNNED = 1.09  # for every card that he should have in it
GOOD_LEAD = 0.63  # a top card with less chance is not led, unless it heads a sequence
RANK_KEPT = 0.32  # for every rank up from the 7
GUARD_KEPT = 1.4
LENGTH_THROWN = 0.08  # for every card that I have in the suit beyond his
# Minus contracts.
HE_COVERS = 1.4  # he holds so much more than his share of what can cover the card led: he has kept it for that
LENGTH_SAVED = 0.57  # for every card that I have in the suit led: short suits are led first
HIS_LENGTH_LED = 0.46
RANK_LED = 0.025  # the higher the better, if only it loses
LENGTH_HELD = 0.07  # for every card that I have in the suit thrown from: short suits are given up first
RANK_THROWN = 0.02


@compiled
def play_card(row):
    """The card to play."""
    cards = legal_actions(row)[0]
    his = his_cards(row)
    if row[at.LED] < 0:
        return lead_to_lose(cards, his) if row[at.IS_MINUS] else lead_to_win(cards, his)
    if cards & suit_of(row[at.LED]):
        winners = cards & higher_of(row[at.LED])
        return follow_to_lose(cards, winners) if row[at.IS_MINUS] else follow_to_win(cards, winners)
    return throw_danger(cards, his) if row[at.IS_MINUS] else throw_loser(cards, his)


@compiled
def lead_to_win(cards, his):
    """From the suit that is long with me and short with him, rather one in which the card led wins."""
    best, most = -1, -1e9
    for suit in range(SUITS):
        own = cards & SUIT << 8 * suit
        if own:
            lead = top_or_lowest(own, his)
            worth = sureness(lead, his) + LENGTH_LED * popcount(own) - HIS_LENGTH_SHUNNED * expected_length(suit, his)
            if worth > most:
                best, most = lead, worth
    return best


@compiled
def top_or_lowest(own, his):
    """Of a suit, the top card where it is likely to win or heads a sequence, else the lowest."""
    top = highest(own)
    return top if sureness(top, his) >= GOOD_LEAD or heads_sequence(top, own, his) else lowest_bit(own)


@compiled
def heads_sequence(top, own, his):
    """Whether the player's next card below is as good: he has no card in between."""
    rest = own ^ 1 << top
    if rest == 0:
        return False
    return his[0] & higher_of(highest(rest)) & ~higher_of(top) == 0


@compiled
def follow_to_win(cards, winners):
    """The cheapest card that wins, else the lowest."""
    return lowest_bit(winners) if winners else lowest_bit(cards)


@compiled
def throw_loser(cards, his):
    """Not in suit: the lowest card that is no guard, rather from a long suit."""
    worst, least = -1, 1e9
    left = cards
    while left:
        card = lowest_bit(left)
        left &= left - 1
        length = popcount(cards & suit_of(card)) - expected_length(card >> 3, his)
        worth = GUARD_KEPT if guards(card, cards, his) else sureness(card, his)
        worth += RANK_KEPT * (card & 7) - LENGTH_THROWN * length
        if worth < least:
            worst, least = card, worth
    return worst


@compiled
def lead_to_lose(cards, his):
    """A card that is likely to be beaten, from a suit that is short with me and long with him."""
    best, most = -1, -1e9
    may, known, share = his
    his = (may, known, min(HE_COVERS * share, 1.0))
    left = cards
    while left:
        card = lowest_bit(left)
        left &= left - 1
        worth = RANK_LED * (card & 7) - sureness(card, his) - LENGTH_SAVED * popcount(cards & suit_of(card))
        worth += HIS_LENGTH_LED * expected_length(card >> 3, his)
        if worth > most:
            best, most = card, worth
    return best


@compiled
def follow_to_lose(cards, winners):
    """The highest card that loses; where none does, the highest of all."""
    losers = cards & ~winners
    return highest(losers) if losers else highest(cards)


@compiled
def throw_danger(cards, his):
    """Not in suit: the card least likely to be the lowest of its suit, rather a high one of a short suit."""
    worst, least = -1, 1e9
    low = his_turned(his)
    left = cards
    while left:
        card = lowest_bit(left)
        left &= left - 1
        worth = sureness(card ^ RANKS - 1, low) - RANK_THROWN * (card & 7)
        worth += LENGTH_HELD * popcount(cards & suit_of(card))
        if worth < least:
            worst, least = card, worth
    return worst
