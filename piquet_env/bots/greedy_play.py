"""How greedy plays the cards: to win tricks, and in a minus contract to lose them."""

from piquet_env.bots.greedy_cards import higher_of, may_hold, share_held, sureness, turned
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS, RANKS, SUIT, SUITS
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions
from piquet_env.engine.intrinsics import lowest_bit, popcount

# Plus contracts and classic Piquet; chances of winning a trick are from 0 to 1.
LENGTH_LED = 0.3  # what a card more in the suit counts against the chance of winning the trick
GOOD_LEAD = 0.5  # a top card with less chance is not led, unless it heads a sequence
GUARD_KEPT = 0.6  # a guard is as good as a card with this chance
# Minus contracts.
LENGTH_SAVED = (
    0.2  # what a card more in the suit counts against the chance of losing the trick: short suits are led first
)


@compiled
def play_card(row):
    """The card to play."""
    cards = legal_actions(row)[0]
    theirs = may_hold(row)
    share = share_held(row, theirs)
    if row[at.LED] < 0:
        return lead_to_lose(cards, theirs, share) if row[at.IS_MINUS] else lead_to_win(cards, theirs, share)
    if cards >> 8 * (row[at.LED] >> 3) & SUIT:
        winners = cards & higher_of(row[at.LED])
        return follow_to_lose(cards, winners) if row[at.IS_MINUS] else follow_to_win(cards, winners)
    return throw_danger(cards, theirs, share) if row[at.IS_MINUS] else throw_loser(cards, theirs, share)


@compiled
def highest(cards):
    """The highest card of one suit."""
    while cards & cards - 1:
        cards &= cards - 1
    return lowest_bit(cards)


@compiled
def lead_to_win(cards, theirs, share):
    """From length: the top card where it is likely to win or heads a sequence, else the lowest."""
    best, most = -1, -1.0
    for suit in range(SUITS):
        own = cards & SUIT << 8 * suit
        if own == 0:
            continue
        top, low = highest(own), lowest_bit(own)
        chance = sureness(top, theirs, share)
        lead = top if chance >= GOOD_LEAD or heads_sequence(top, own, theirs) else low
        score = sureness(lead, theirs, share) + LENGTH_LED * popcount(own)
        if score > most:
            best, most = lead, score
    return best


@compiled
def heads_sequence(top, own, theirs):
    """Whether the player's next card below is as good: he has no card in between."""
    rest = own ^ 1 << top
    if rest == 0:
        return False
    second = highest(rest)
    return theirs & higher_of(second) & ~higher_of(top) == 0


@compiled
def follow_to_win(cards, winners):
    """The cheapest card that wins, else the lowest."""
    return lowest_bit(winners) if winners else lowest_bit(cards)


@compiled
def throw_loser(cards, theirs, share):
    """Not in suit: the card least likely to win a trick."""
    worst, least = -1, 1e9
    for card in range(CARDS):
        if cards >> card & 1:
            worth = max(sureness(card, theirs, share), guarding(card, cards, theirs))
            if worth < least:
                worst, least = card, worth
    return worst


@compiled
def guarding(card, cards, theirs):
    """The worth of a card without which the highest of its suit would fall to a higher one of his."""
    own = cards & SUIT << (card & ~7)
    top = highest(own)
    above = popcount(theirs & higher_of(top))
    if card != top and above > 0 and popcount(own) <= above + 1:
        return GUARD_KEPT
    return 0.0


@compiled
def lead_to_lose(cards, theirs, share):
    """A card that is likely to be beaten, from a short suit."""
    best, most = -1, -1e9
    for card in range(CARDS):
        if cards >> card & 1:
            chance = 1.0 - sureness(card, theirs, share) - LENGTH_SAVED * popcount(cards & SUIT << (card & ~7))
            if chance > most:
                best, most = card, chance
    return best


@compiled
def follow_to_lose(cards, winners):
    """The highest card that loses; where none does, the highest of all."""
    losers = cards & ~winners
    return highest(losers) if losers else highest(cards)


@compiled
def throw_danger(cards, theirs, share):
    """Not in suit: the card least likely to be the lowest of its suit."""
    worst, least = -1, 1e9
    low = turned(theirs)
    for card in range(CARDS):
        if cards >> card & 1:
            worth = sureness(card ^ RANKS - 1, low, share)
            if worth < least:
                worst, least = card, worth
    return worst
