"""Writing the features of a game's row, as 64-bit words. What the player may not know is nowhere read.

So the vector is the same for a row and for the row with every unknown column set to -1 (`hide`).

No feature but the tricks crosses a word of 64 bits (knowledge.features), so each function makes whole words in
registers and writes them once; the features of a word stand in it in the order of the list.
"""

import numpy as np

from piquet_env.engine import layout as at
from piquet_env.engine.cards import SUITS, from_lowest, suit_bits, up_to_highest, whole_suits
from piquet_env.engine.compiled import compiled, inlined
from piquet_env.engine.deal import talon_card
from piquet_env.engine.intrinsics import popcount, put_8, put_64
from piquet_env.knowledge import features as bit
from piquet_env.knowledge.hide import phase_seen_by

WORD = 64


@inlined
def _at(start, bits):
    """The bits of the feature that begins at `start`, in their place in its word."""
    return np.int64(bits) << (start & WORD - 1)  # int64 also in plain Python: bit 63 is the sign


@inlined
def _word(start):
    """The word that has the feature that begins at `start`."""
    return start // WORD


@inlined
def _ones(n):
    """Thermometer of a number; no bit for -1, nothing yet."""
    return (1 << max(n, 0)) - 1


@inlined
def _one_hot(n):
    """Bit n - 1; no bit for 0, or for -1, nothing yet."""
    return (1 << max(n, 0)) >> 1


@inlined
def _tens(n):
    """n // 10 for 0 <= n < 1,000, in two instructions."""
    return n * 6554 >> 16


@inlined
def _digits(tens, units, n):
    """A number below 100 as two one-hot digits in one word; no bit for 0 tens."""
    return _at(tens, _one_hot(_tens(n))) | _at(units, 1 << n - 10 * _tens(n))


@inlined
def _flag(start, condition):
    return _at(start, 1 if condition else 0)


@inlined
def _of_both(row, me, start, item):
    """Two flags, "my" and "their", for an item of the score that is above 0."""
    return _flag(start, row[at.score_item(me, item)] > 0) | _flag(start + 1, row[at.score_item(1 - me, item)] > 0)


@compiled
def their_known_hand(row, me, they):
    """Cards that the other holds for certain."""
    if row[at.OPEN_HANDS]:
        return row[at.HANDS + they]
    known = row[at.SHOWN + they]
    if row[at.ELDER] == me:
        known |= row[at.RETAKEN]
    return known & ~row[at.PLAYED + they]


@inlined
def _their_known_draws(row, me, they):
    if row[at.OPEN_HANDS]:
        return row[at.DRAWN + they]
    return row[at.RETAKEN] if row[at.ELDER] == me else 0


@inlined
def _their_known_deal(row, they):
    return row[at.DEALT + they] if row[at.OPEN_HANDS] else row[at.BLANCHE + they]


@inlined
def may_hold(row, me, they):
    """Cards that the other may hold, as far as `me` knows."""
    if row[at.OPEN_HANDS]:
        return row[at.HANDS + they]
    left = row[at.SEEN + me] & ~row[at.RETAKEN]
    gone = row[at.HANDS + me] | row[at.DISCARDS + me] | row[at.PLAYED + me] | row[at.PLAYED + they] | left
    return row[at.PACK] & ~(gone | whole_suits(row[at.VOIDS + they]))


@inlined
def _encode_cards(row, me, they, out):
    hand, discards, played, seen = row[at.HANDS + me], row[at.DISCARDS + me], row[at.PLAYED + me], row[at.SEEN + me]
    known, dealt, theirs = their_known_hand(row, me, they), _their_known_deal(row, they), may_hold(row, me, they)
    drawn, their_played = _their_known_draws(row, me, they), row[at.PLAYED + they]
    unseen = row[at.PACK] & ~(hand | discards | played | seen | known | dealt | drawn | their_played)
    led = 1 << row[at.LED] if row[at.LED] >= 0 else 0
    winners, losers = hand & ~up_to_highest(theirs), hand & ~from_lowest(theirs)
    _put_pair(out, bit.MY_HAND, hand, discards)
    _put_pair(out, bit.MY_DRAWN, row[at.DRAWN + me], seen)
    _put_pair(out, bit.ELDER_LEFT, row[at.ELDER_LEFT + me], played)
    _put_pair(out, bit.THEIR_PLAYED, their_played, row[at.SHOWN + me])
    _put_pair(out, bit.THEIR_SHOWN, row[at.SHOWN + they], dealt)
    _put_pair(out, bit.THEIR_HAND, known, drawn)
    _put_pair(out, bit.UNSEEN, unseen, led)
    _put_pair(out, bit.MY_WINNERS, winners, losers)


@inlined
def _put_pair(out, start, cards, next_cards):
    """The feature that begins at `start`, and the next one: two sets of cards."""
    put_64(out, _word(start), cards | next_cards << 32)


@inlined
def _lengths(hand):
    """Four thermometers of eight bits."""
    lengths = 0
    for suit in range(SUITS):
        lengths |= _ones(popcount(suit_bits(hand, suit))) << 8 * suit
    return lengths


@inlined
def _encode_tricks(row, me, they, out):
    """The tricks; how long my suits are, who led, the suits shown void, and the phase."""
    for digit in range(0, at.TRICK_DIGITS, 2):
        _put_pair(out, bit.TRICKS + 32 * digit, row[at.TRICKS + digit], row[at.TRICKS + digit + 1])
    begun = row[at.TRICK] + (1 if row[at.LED] >= 0 else 0)
    led_by_me = (row[at.LED_BY_1] if me == 1 else ~row[at.LED_BY_1]) & (1 << begun) - 1
    put_64(
        out,
        _word(bit.PHASE),
        _at(bit.MY_LENGTHS, _lengths(row[at.HANDS + me]))
        | _at(bit.LED_BY_ME, led_by_me)
        | _at(bit.MY_VOIDS, row[at.VOIDS + me])
        | _at(bit.THEIR_VOIDS, row[at.VOIDS + they])
        | _at(bit.PHASE, 1 << min(phase_seen_by(row, me), at.DEAL_OVER)),
    )


@inlined
def _auction(row, me):
    bid = row[at.BID_PLUS] | row[at.BID_MINUS]
    they_spoke_first = row[at.DEALER] == me
    return (
        _flag(bit.I_DEAL, they_spoke_first)
        | _flag(bit.I_AM_ELDER, row[at.ELDER] == me)
        | _flag(bit.I_AM_YOUNGER, row[at.ELDER] == 1 - me)
        | _flag(bit.I_PASSED, row[at.PASSED] > (1 if they_spoke_first else 0))
        | _flag(bit.THEY_PASSED, row[at.PASSED] > (0 if they_spoke_first else 1))
        | _at(bit.BID_PLUS, row[at.BID_PLUS])
        | _at(bit.BID_MINUS, row[at.BID_MINUS])
        | _at(bit.BID_DOUBLED, row[at.BID_DOUBLED])
        | _at(bit.BID_BY_ME, row[at.BID_BY_1] if me == 1 else bid & ~row[at.BID_BY_1])
    )


@inlined
def _last_bid(row, me):
    if row[at.STAKE] == 0:
        return 0
    return (
        _flag(bit.IS_PLUS, row[at.IS_MINUS] == 0)
        | _at(bit.IS_MINUS, row[at.IS_MINUS])
        | _at(bit.LEVEL, 1 << row[at.LEVEL] - row[at.LOWEST_LEVEL])
        | _flag(bit.IS_DOUBLED, row[at.STAKE] > 1)
        | _flag(bit.IS_REDOUBLED, row[at.STAKE] > 2)
        | _flag(bit.IS_MY_BID, row[at.BIDDER] == me)
    )


@inlined
def _exchange(row, me, they):
    mine, theirs = row[at.EXCHANGED + me], row[at.EXCHANGED + they]
    return (
        _flag(bit.I_STOOD, mine >= 0)
        | _flag(bit.THEY_STOOD, theirs >= 0)
        | _at(bit.MY_NUMBER, _ones(mine))
        | _at(bit.THEIR_NUMBER, _ones(theirs))
    )


@inlined
def _may_be_last(row):
    if not row[at.PARTIE]:
        return True
    now = row[at.COMPLETED] + 1
    return row[at.STOP_AT] == 0 and (now == row[at.DEALS] or now == row[at.DEALS] + row[at.EXTRA_DEALS_ON_TIE])


@inlined
def _encode_auction(row, me, they, out):
    partie = _at(bit.IS_PARTIE, row[at.PARTIE]) | _flag(bit.MAY_BE_LAST, _may_be_last(row))
    put_64(out, _word(bit.I_DEAL), _auction(row, me) | _last_bid(row, me) | _exchange(row, me, they) | partie)


@inlined
def _holdings_said(row, me, they):
    """Sequences and sets."""
    sequence, set_ = at.SAID + 2, at.SAID + 4
    return (
        _at(bit.MY_SEQUENCE, _one_hot(row[sequence + me]))
        | _at(bit.THEIR_SEQUENCE, _one_hot(row[sequence + they]))
        | _at(bit.MY_SET, _one_hot(row[set_ + me]))
        | _at(bit.THEIR_SET, _one_hot(row[set_ + they]))
        | _of_both(row, me, bit.MY_BLANCHE, at.ITEM_CARTE_BLANCHE)
    )


@inlined
def _each_category(row, first, step, value):
    """Three bits: which of three columns, point, sequence and set, have this value."""
    return (
        (1 if row[first] == value else 0)
        | (2 if row[first + step] == value else 0)
        | (4 if row[first + 2 * step] == value else 0)
    )


@inlined
def _points_said(row, me, they):
    pips = row[at.PIPS_SAID + they]
    pips_said = _at(bit.THEIR_PIPS_TENS, 1 << _tens(pips)) | _at(bit.THEIR_PIPS_UNITS, 1 << pips - 10 * _tens(pips))
    return (
        _at(bit.I_SAID_NONE, _each_category(row, at.SAID + me, 2, 0))
        | _at(bit.THEY_SAID_NONE, _each_category(row, at.SAID + they, 2, 0))
        | _at(bit.MY_POINT, _ones(row[at.SAID + me]))
        | _at(bit.THEIR_POINT, _ones(row[at.SAID + they]))
        | _at(bit.MY_POINT_SUIT, _one_hot(row[at.NAMED_SUIT + me] + 1))
        | (pips_said if pips > 0 else 0)
        | _at(bit.I_SCORED, _each_category(row, at.SCORER, 1, me))
        | _at(bit.THEY_SCORED, _each_category(row, at.SCORER, 1, they))
    )


@inlined
def _of_either(row, me, item):
    """Points in an item that one player at most scores."""
    return row[at.score_item(me, item)] + row[at.score_item(1 - me, item)]


@inlined
def _encode_declarations(row, me, they, out):
    put_64(out, _word(bit.MY_SEQUENCE), _holdings_said(row, me, they))
    sequences = _digits(bit.SEQUENCE_TENS, bit.SEQUENCE_UNITS, _of_either(row, me, at.ITEM_SEQUENCE))
    put_64(out, _word(bit.I_SAID_NONE), _points_said(row, me, they) | sequences)


@inlined
def _encode_play_score(row, me, they, out):
    at_the_end = _of_both(row, me, bit.MY_CARDS, at.ITEM_CARDS) | _of_both(row, me, bit.MY_CAPOT, at.ITEM_CAPOT)
    put_64(
        out,
        _word(bit.MY_TRICKS),
        _at(bit.MY_TRICKS, _ones(row[at.WON + me]))
        | _at(bit.THEIR_TRICKS, _ones(row[at.WON + they]))
        | _digits(bit.MY_PLAY_TENS, bit.MY_PLAY_UNITS, row[at.score_item(me, at.ITEM_TRICKS)])
        | _digits(bit.THEIR_PLAY_TENS, bit.THEIR_PLAY_UNITS, row[at.score_item(they, at.ITEM_TRICKS)])
        | _of_both(row, me, bit.MY_REPIQUE, at.ITEM_REPIQUE)
        | _of_both(row, me, bit.MY_PIQUE, at.ITEM_PIQUE)
        | _of_both(row, me, bit.I_HAVE_SCORED, at.ITEM_TOTAL)
        | (at_the_end if row[at.PHASE] >= at.DEAL_OVER else 0),
    )


@inlined
def _contract(row, me):
    if row[at.PHASE] < at.DEAL_OVER:
        return _at(bit.CONTRACT_TENS, 1)
    digits = _digits(bit.CONTRACT_HUNDREDS, bit.CONTRACT_TENS, _tens(_of_either(row, me, at.ITEM_CONTRACT)))
    return _of_both(row, me, bit.MY_CONTRACT, at.ITEM_CONTRACT) | digits


@inlined
def _thrown_in(row):
    number = min(row[at.THROWN_IN], bit.MOST_THROWN_IN)
    if number == 0:  # nearly always
        return _at(bit.THROWN_IN_UNITS, 1)
    hundreds = number // 100
    digits = _digits(bit.THROWN_IN_TENS, bit.THROWN_IN_UNITS, number - 100 * hundreds)
    return _at(bit.THROWN_IN_HUNDREDS, _one_hot(hundreds)) | digits


@inlined
def _encode_other_scores(row, me, out):
    put_64(
        out,
        _word(bit.POINT_SCORE),
        _at(bit.POINT_SCORE, _ones(_of_either(row, me, at.ITEM_POINT)))
        | _digits(bit.SET_TENS, bit.SET_UNITS, _of_either(row, me, at.ITEM_SET))
        | _contract(row, me)
        | _thrown_in(row),
    )


@inlined
def _total_bins(row, total):
    """Ones for each eighth of the rubicon (or stop_at) that is reached; then one for stop_double_below."""
    is_cent = row[at.STOP_AT] > 0
    whole = row[at.STOP_AT] if is_cent else row[at.RUBICON]
    eighths = 8 * total // whole if whole > 0 else 0
    return _ones(min(eighths, bit.BINS)) | _flag(bit.BINS, is_cent and total >= max(row[at.STOP_DOUBLE_BELOW], 1))


@inlined
def _reached(difference):
    """Thermometer of a difference."""
    reached = 0
    for k in range(len(bit.DIFFERENCES)):
        if difference >= bit.DIFFERENCES[k]:
            reached |= 1 << k
    return reached


@compiled
def _encode_totals(row, me, they, out):
    mine, theirs = row[at.TOTALS + me], row[at.TOTALS + they]
    put_64(
        out,
        _word(bit.MY_TOTAL),
        _at(bit.MY_TOTAL, _total_bins(row, mine))
        | _at(bit.THEIR_TOTAL, _total_bins(row, theirs))
        | _flag(bit.I_LEAD, mine > theirs)
        | _flag(bit.THEY_LEAD, theirs > mine)
        | _at(bit.DIFFERENCE, _reached(mine - theirs))
        | _at(bit.COMPLETED, _ones(min(row[at.COMPLETED], bit.MOST_DEALS))),
    )


@compiled
def encode(row, me, out):
    """The observation of player `me`: writes int8 (OBSERVATION_SIZE,), or packed as int64 (OBSERVATION_SIZE / 64,)."""
    they = 1 - me
    _encode_cards(row, me, they, out)
    _encode_tricks(row, me, they, out)
    _encode_auction(row, me, they, out)
    _encode_declarations(row, me, they, out)
    _encode_play_score(row, me, they, out)
    _encode_other_scores(row, me, out)
    if row[at.COMPLETED] + row[at.TOTALS] + row[at.TOTALS + 1] > 0:
        _encode_totals(row, me, they, out)
    else:  # most games that are trained on have one deal
        put_64(out, _word(bit.MY_TOTAL), _at(bit.DIFFERENCE, _reached(0)))


@inlined
def _talon_planes(row):
    """The places of the talon's cards, from 1, as five sets of cards: those whose place has this binary digit."""
    ones, twos, fours, eights, sixteens = 0, 0, 0, 0, 0
    for place in range(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        card = talon_card(row, place)
        number = place + 1
        ones |= (number & 1) << card
        twos |= (number >> 1 & 1) << card
        fours |= (number >> 2 & 1) << card
        eights |= (number >> 3 & 1) << card
        sixteens |= (number >> 4) << card
    return ones, twos, fours, eights, sixteens


@inlined
def _state_flags(row, me, they):
    is_going_on = row[at.PHASE] < at.DEAL_OVER
    return (
        _at(bit.STATE_THEIR_POINT_SUIT, _one_hot(row[at.NAMED_SUIT + they] + 1))
        | _flag(bit.STATE_I_ACT, is_going_on and row[at.ACTOR] == me)
        | _flag(bit.STATE_THEY_ACT, is_going_on and row[at.ACTOR] == they)
        | _flag(bit.STATE_BLANCHE, row[at.PHASE] == at.IN_CARTE_BLANCHE)
        | _at(bit.STATE_SEAT, me)
    )


@compiled
def encode_state(row, me, out):
    """The observation of `me` and what he does not know: writes int8 (STATE_SIZE,), or packed int64."""
    they = 1 - me
    encode(row, me, out)
    ones, twos, fours, eights, sixteens = _talon_planes(row)
    _put_pair(out, bit.STATE_THEIR_HAND, row[at.HANDS + they], row[at.DISCARDS + they])
    _put_pair(out, bit.STATE_THEIR_DRAWN, row[at.DRAWN + they], ones)
    _put_pair(out, bit.STATE_TALON + 32, twos, fours)
    _put_pair(out, bit.STATE_TALON + 96, eights, sixteens)
    put_8(out, _word(bit.STATE_SEAT), _state_flags(row, me, they))
