"""Whole games that one player cannot tell from the true one: the hidden cards drawn, the deal played again with them.

All arrangements (see `hands`) and all orders of the cards of the talon are equally likely; where several suits may have
been the point that the other named, these too.
"""

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.batch import begin_again
from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import random_below, random_state
from piquet_env.engine.declarations import action_said, said
from piquet_env.engine.game import take_action
from piquet_env.engine.intrinsics import lowest_bit, nth_bit, popcount, row_of
from piquet_env.knowledge.facts import begin_before, fitting_suits
from piquet_env.knowledge.hands import exchanged, has_declared, placeless, retaken_by_them
from piquet_env.knowledge.hide import phase_seen_by

_OTHER_THAN_DEALS = 0x5BD1E9955BD1E995  # a seed must not draw here what it deals in a game


@compiled
def take(game, action):
    """`take_action`, compiled once and called: it is long, and here are many places that take one."""
    take_action(game, action)


@compiled
def seed_samples(seed, first, samples):
    """Give every sample a state of the random generator of its own, from (seed, its number); `first` is the first's."""
    for i in range(len(samples)):
        samples[i, at.RANDOM] = random_state(random_state(seed, _OTHER_THAN_DEALS), first + i)


@compiled
def pick_hands(hands, played, samples, picked):
    """For each sample one of the hands, with the cards that he has played: writes int64 (N,)."""
    for i in range(len(samples)):
        picked[i] = hands[random_below(row_of(samples, i), len(hands))] | played


@compiled
def deal_hands(row, me, samples, picked):
    """For each sample a hand as long as nothing was declared, by shuffling: writes int64 (N,)."""
    for i in range(len(samples)):
        picked[i] = _any_hand(row, me, row_of(samples, i))


@compiled
def _any_hand(row, me, sample):
    they, size = 1 - me, row[at.HAND_SIZE]
    cards, dealt = placeless(row, me), row[at.BLANCHE + 1 - me]
    if row[at.OPEN_HANDS]:
        return row[at.HANDS + they] | row[at.PLAYED + they]
    if dealt == 0:
        return _some(sample, cards, size)
    number = exchanged(row, they)
    return _some(sample, dealt, size - number) | _some(sample, cards & ~dealt, number)


@compiled
def arrange_hands(row, me, picked, samples, arrangements):
    """For each sample an arrangement of the hand picked for it: writes int64 (N, 3), dealt, discarded and drawn."""
    for i in range(len(samples)):
        dealt, discards, drawn = _arrangement(row, me, row_of(samples, i), picked[i])
        arrangements[i, 0], arrangements[i, 1], arrangements[i, 2] = dealt, discards, drawn


@compiled
def play_again(row, me, arrangements, calls, plays, samples):
    """Make each sample the game of `row` in which the other was dealt, discarded and drew these cards, int64 (N, 3).

    calls, plays: the actions of the auction and of the play, int64. The samples' random states go on.
    """
    scratch, cards = np.empty((2, at.COLUMNS), np.int64), np.empty(CARDS, np.int64)
    for i in range(len(samples)):
        _play_again(row, me, row_of(arrangements, i), calls, plays, row_of(samples, i), scratch, cards)


@compiled
def _play_again(row, me, arrangement, calls, plays, sample, scratch, cards):
    dealt, discards, drawn = arrangement[0], arrangement[1], arrangement[2]
    _lay_hand(cards, 1 - me, row[at.HAND_SIZE], dealt)
    _lay_hand(cards, me, row[at.HAND_SIZE], row[at.DEALT + me])
    _lay_talon(row, me, sample, drawn, placeless(row, me) & ~dealt & ~drawn, cards)
    suit = _point_suit(row, me, sample, dealt & ~discards | drawn, scratch)
    begin_again(row, sample, cards, sample[at.RANDOM])
    for n in range(len(calls)):
        take(sample, calls[n])
    if _is_past_carte_blanche(row, me, sample) and row[at.ELDER] >= 0:
        _exchange_again(row, me, sample, discards)
        _declare_again(row, me, sample, suit)
        for n in range(len(plays)):
            take(sample, plays[n])


# ------------------------------------------------------------------ the cards


@inlined
def _one_of(sample, bits):
    """The index of one of the bits, at random."""
    return nth_bit(bits, int(random_below(sample, popcount(bits))))


@inlined
def _some(sample, cards, number):
    """So many cards of a set, at random."""
    some = 0
    for _ in range(number):
        some |= 1 << _one_of(sample, cards & ~some)
    return some


@compiled
def _arrangement(row, me, sample, hand):
    """(dealt, discarded, drawn): an arrangement of the other's hand before the play."""
    they = 1 - me
    if row[at.OPEN_HANDS]:
        return row[at.DEALT + they], row[at.DISCARDS + they], row[at.DRAWN + they]
    dealt, number, retaken = row[at.BLANCHE + they], exchanged(row, they), retaken_by_them(row, me)
    if dealt:
        return dealt, dealt & ~hand, hand & ~dealt
    drawn = retaken | _some(sample, hand & ~retaken, number - popcount(retaken))
    discards = _some(sample, placeless(row, me) & ~hand, number)
    return hand & ~drawn | discards, discards, drawn


@inlined
def _lay_hand(cards, player, size, hand):
    for n in range(size):
        cards[player * size + n] = lowest_bit(hand)
        hand &= hand - 1


@compiled
def _lay_talon(row, me, sample, drawn, heap, cards):
    """Lay the talon: the parts that elder drew and left, of which younger drew some, and that younger drew and left.

    `drawn`: what the other drew; `heap`: the cards that he did not, and of which `me` does not know the part.
    """
    elder = max(row[at.ELDER], 0)
    elders = row[at.DRAWN + me] if me == elder else drawn
    youngers = drawn if me == elder else row[at.DRAWN + me]
    stood, shared, border = exchanged(row, elder), popcount(row[at.RETAKEN]), row[at.ELDER_TALON]
    own = border + exchanged(row, 1 - elder) - shared
    _lay(row, sample, cards, 0, stood, elders)
    _lay(row, sample, cards, stood, stood + shared, row[at.RETAKEN])
    left = row[at.ELDER_LEFT + me] & ~row[at.RETAKEN]
    heap = _lay_known_or_some(row, sample, cards, stood + shared, border, left, heap)
    _lay(row, sample, cards, border, own, youngers & ~row[at.RETAKEN])
    left = row[at.SEEN + me] & ~row[at.ELDER_LEFT + me]
    _lay_known_or_some(row, sample, cards, own, border + row[at.YOUNGER_TALON], left, heap)


@compiled
def _lay_known_or_some(row, sample, cards, start, stop, known, heap):
    """Cards whose part is known, or else some of the heap; the rest of the heap."""
    if known:
        _lay(row, sample, cards, start, stop, known)
        return heap
    return _lay(row, sample, cards, start, stop, heap)


@compiled
def _lay(row, sample, cards, start, stop, heap):
    """Cards of the heap to these places of the talon, in random order; the rest of the heap."""
    for place in range(start, stop):
        card = _one_of(sample, heap)
        cards[2 * row[at.HAND_SIZE] + place] = card
        heap ^= 1 << card
    return heap


@compiled
def _point_suit(row, me, sample, hand, scratch):
    """A suit that the other may have named as his point."""
    if not has_declared(row) or row[at.SAID + 1 - me] <= 0:
        return 0
    start = row_of(scratch, 0)
    begin_before(row, me, start)
    suits = fitting_suits(row, me, start, row_of(scratch, 1), hand)
    return _one_of(sample, suits)


# ------------------------------------------------------------------ the actions


@compiled
def _is_past_carte_blanche(row, me, sample):
    """Answer the question for carte blanche as it was; False when `me` has not answered it.

    When the other holds one that he has not shown, he has said none: this leaves no trace, asked or not.
    """
    if sample[at.PHASE] == at.IN_CARTE_BLANCHE:
        if phase_seen_by(row, me) == at.IN_CARTE_BLANCHE:
            return False
        is_shown = row[at.BLANCHE + sample[at.ACTOR]] != 0
        take(sample, act.CARTE_BLANCHE if is_shown else act.NONE)
    return True


@compiled
def _exchange_again(row, me, sample, discards):
    """The discards in the order of the cards; who has stood draws."""
    for turn in range(2):
        player = row[at.ELDER] if turn == 0 else 1 - row[at.ELDER]
        cards = row[at.DISCARDS + me] if player == me else discards
        while cards:
            take(sample, lowest_bit(cards))
            cards &= cards - 1
        if row[at.EXCHANGED + player] < 0:
            return
        take(sample, act.STAND)


@compiled
def _declare_again(row, me, sample, suit):
    """What was said, the other's point in this suit."""
    while at.IN_POINT <= sample[at.PHASE] <= at.IN_SET:
        player, category = sample[at.ACTOR], sample[at.PHASE] - at.IN_POINT
        words = row[said(row, category, player)]
        if words < 0:
            return
        take(sample, action_said(category, words, row[at.NAMED_SUIT + me] if player == me else suit))
