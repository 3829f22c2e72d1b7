"""Writing the features of a game's row, as 32-bit words. What the player may not know is nowhere read.

So the vector is the same for a row and for the row with every unknown column set to -1 (`hide`).
"""

from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.knowledge import features as bit
from piquet_env.knowledge.hide import phase_seen_by

WORDS = bit.STATE_SIZE // 32 + 2


@compiled
def _put(words, start, bits):
    """Write up to 32 bits from bit `start` on."""
    word, shift = start >> 5, start & 31
    words[word] |= bits << shift & 0xFFFFFFFF
    words[word + 1] |= bits >> 32 - shift


@compiled
def _ones(n, most):
    """Thermometer."""
    return (1 << min(n, most)) - 1


@compiled
def _digits(words, tens, tens_from, units, number):
    """A number as two one-hot digits; tens below `tens_from` have no bit."""
    if number // 10 >= tens_from:
        _put(words, tens + number // 10 - tens_from, 1)
    _put(words, units + number % 10, 1)


@compiled
def their_known_hand(row, me, they):
    """Cards that the other holds for certain."""
    if row[at.OPEN_HANDS]:
        return row[at.HANDS + they]
    known = row[at.SHOWN + they]
    if row[at.ELDER] == me:
        known |= row[at.RETAKEN]
    return known & ~row[at.PLAYED + they]


@compiled
def _their_known_draws(row, me, they):
    if row[at.OPEN_HANDS]:
        return row[at.DRAWN + they]
    return row[at.RETAKEN] if row[at.ELDER] == me else 0


@compiled
def _encode_cards(row, me, they, words):
    opened = row[at.DISCARDS + they] if row[at.OPEN_HANDS] else 0
    known = their_known_hand(row, me, they)
    mine = row[at.HANDS + me] | row[at.DISCARDS + me] | row[at.PLAYED + me] | row[at.SEEN + me]
    theirs = known | opened | row[at.PLAYED + they] | row[at.BLANCHE + they]
    _put(words, bit.MY_HAND, row[at.HANDS + me])
    _put(words, bit.MY_DISCARDS, row[at.DISCARDS + me])
    _put(words, bit.MY_DRAWN, row[at.DRAWN + me])
    _put(words, bit.SEEN_IN_TALON, row[at.SEEN + me])
    _put(words, bit.ELDER_LEFT, row[at.ELDER_LEFT + me])
    _put(words, bit.MY_PLAYED, row[at.PLAYED + me])
    _put(words, bit.THEIR_PLAYED, row[at.PLAYED + they])
    _put(words, bit.MY_SHOWN, row[at.SHOWN + me])
    _put(words, bit.THEIR_SHOWN, row[at.SHOWN + they])
    _put(words, bit.BLANCHE, row[at.BLANCHE + me] | row[at.BLANCHE + they])
    _put(words, bit.THEIR_HAND, known)
    _put(words, bit.THEIR_DISCARDS, opened)
    _put(words, bit.THEIR_DRAWN, _their_known_draws(row, me, they))
    _put(words, bit.UNSEEN, row[at.PACK] & ~(mine | theirs))


@compiled
def _encode_play(row, me, they, words):
    if row[at.LED] >= 0:
        _put(words, bit.LED + row[at.LED], 1)
    begun = row[at.TRICK] + (1 if row[at.LED] >= 0 else 0)
    for trick in range(begun):
        _put(words, bit.TRICKS + 32 * trick, row[at.TRICKS + trick])
    led_by_me = row[at.LED_BY_1] if me == 1 else ~row[at.LED_BY_1]
    _put(words, bit.LED_BY_ME, led_by_me & (1 << begun) - 1)
    _put(words, bit.MY_VOIDS, row[at.VOIDS + me])
    _put(words, bit.THEIR_VOIDS, row[at.VOIDS + they])


@compiled
def _encode_auction(row, me, words):
    _put(words, bit.PHASE + min(phase_seen_by(row, me), at.DEAL_OVER), 1)
    _put(words, bit.I_DEAL, int(row[at.DEALER] == me))
    _put(words, bit.I_AM_ELDER, int(row[at.ELDER] == me))
    _put(words, bit.I_AM_YOUNGER, int(row[at.ELDER] == 1 - me))
    first_speaker = 1 - row[at.DEALER]
    _put(words, bit.I_PASSED, int(row[at.PASSED] > (0 if first_speaker == me else 1)))
    _put(words, bit.THEY_PASSED, int(row[at.PASSED] > (0 if first_speaker != me else 1)))
    bid = row[at.BID_PLUS] | row[at.BID_MINUS]
    _put(words, bit.BID_PLUS, row[at.BID_PLUS])
    _put(words, bit.BID_MINUS, row[at.BID_MINUS])
    _put(words, bit.BID_DOUBLED, row[at.BID_DOUBLED])
    _put(words, bit.BID_BY_ME, row[at.BID_BY_1] if me == 1 else bid & ~row[at.BID_BY_1])
    if row[at.STAKE] > 0:
        _put(words, bit.IS_MINUS if row[at.IS_MINUS] else bit.IS_PLUS, 1)
        _put(words, bit.LEVEL + row[at.LEVEL] - row[at.LOWEST_LEVEL], 1)
        _put(words, bit.IS_DOUBLED, int(row[at.STAKE] > 1))
        _put(words, bit.IS_REDOUBLED, int(row[at.STAKE] > 2))
        _put(words, bit.IS_MY_BID, int(row[at.BIDDER] == me))


@compiled
def _encode_exchange(row, me, they, words):
    mine, theirs = row[at.EXCHANGED + me], row[at.EXCHANGED + they]
    _put(words, bit.I_STOOD, int(mine >= 0))
    _put(words, bit.THEY_STOOD, int(theirs >= 0))
    _put(words, bit.MY_NUMBER, _ones(max(mine, 0), bit.MOST_EXCHANGED))
    _put(words, bit.THEIR_NUMBER, _ones(max(theirs, 0), bit.MOST_EXCHANGED))


@compiled
def _encode_declarations(row, player, none, point, sequence, set_):
    """The four words of what a player said: none (3 bits), point, sequence, set."""
    for category in range(3):
        said = row[at.SAID + 2 * category + player]
        if said == 0:
            none |= 1 << category
        elif said > 0 and category == 0:
            point = _ones(said, bit.MOST_POINT)
        elif said > 0 and category == 1:
            sequence = 1 << said - 1
        elif said > 0:
            set_ = 1 << said - 1
    return none, point, sequence, set_


@compiled
def _encode_said(row, me, they, words):
    none, point, sequence, set_ = _encode_declarations(row, me, 0, 0, 0, 0)
    _put(words, bit.I_SAID_NONE, none)
    _put(words, bit.MY_POINT, point)
    _put(words, bit.MY_SEQUENCE, sequence)
    _put(words, bit.MY_SET, set_)
    none, point, sequence, set_ = _encode_declarations(row, they, 0, 0, 0, 0)
    _put(words, bit.THEY_SAID_NONE, none)
    _put(words, bit.THEIR_POINT, point)
    _put(words, bit.THEIR_SEQUENCE, sequence)
    _put(words, bit.THEIR_SET, set_)
    if row[at.NAMED_SUIT + me] >= 0:
        _put(words, bit.MY_POINT_SUIT + row[at.NAMED_SUIT + me], 1)
    if row[at.PIPS_SAID + they] > 0:
        _digits(words, bit.THEIR_PIPS_TENS, 0, bit.THEIR_PIPS_UNITS, row[at.PIPS_SAID + they])
    for category in range(3):
        _put(words, bit.I_SCORED + category, int(row[at.SCORER + category] == me))
        _put(words, bit.THEY_SCORED + category, int(row[at.SCORER + category] == they))


@compiled
def _encode_score(row, me, they, words):
    mine, theirs = at.SCORE + me * (at.ITEM_TOTAL + 1), at.SCORE + they * (at.ITEM_TOTAL + 1)
    # Of these, "my" is followed by "their" in the list of features.
    for first, item in (
        (bit.MY_BLANCHE, at.ITEM_CARTE_BLANCHE),
        (bit.MY_REPIQUE, at.ITEM_REPIQUE),
        (bit.MY_PIQUE, at.ITEM_PIQUE),
        (bit.I_HAVE_SCORED, at.ITEM_TOTAL),
        (bit.MY_CARDS, at.ITEM_CARDS),
        (bit.MY_CAPOT, at.ITEM_CAPOT),
        (bit.MY_CONTRACT, at.ITEM_CONTRACT),
    ):
        _put(words, first, int(row[mine + item] > 0) + 2 * int(row[theirs + item] > 0))
    _put(words, bit.POINT_SCORE, _ones(row[mine + at.ITEM_POINT] + row[theirs + at.ITEM_POINT], bit.MOST_POINT))
    _digits(
        words, bit.SEQUENCE_TENS, 1, bit.SEQUENCE_UNITS, row[mine + at.ITEM_SEQUENCE] + row[theirs + at.ITEM_SEQUENCE]
    )
    _digits(words, bit.SET_TENS, 1, bit.SET_UNITS, row[mine + at.ITEM_SET] + row[theirs + at.ITEM_SET])
    _digits(words, bit.MY_PLAY_TENS, 1, bit.MY_PLAY_UNITS, row[mine + at.ITEM_TRICKS])
    _digits(words, bit.THEIR_PLAY_TENS, 1, bit.THEIR_PLAY_UNITS, row[theirs + at.ITEM_TRICKS])
    contract = row[mine + at.ITEM_CONTRACT] + row[theirs + at.ITEM_CONTRACT]
    _digits(words, bit.CONTRACT_HUNDREDS, 1, bit.CONTRACT_TENS, contract // 10)
    _put(words, bit.MY_TRICKS, _ones(row[at.WON + me], at.MOST_TRICKS))
    _put(words, bit.THEIR_TRICKS, _ones(row[at.WON + they], at.MOST_TRICKS))


@compiled
def _total_bins(row, total):
    """Ones for each eighth of the rubicon (or stop_at) that is reached; then one for stop_double_below."""
    whole = row[at.STOP_AT] if row[at.STOP_AT] > 0 else row[at.RUBICON]
    bits = 0
    for k in range(bit.BINS):
        bits |= int(8 * total >= whole * (k + 1)) << k
    return bits | int(row[at.STOP_AT] > 0 and total >= row[at.STOP_DOUBLE_BELOW]) << bit.BINS


@compiled
def _may_be_last(row):
    if not row[at.PARTIE]:
        return 1
    if row[at.STOP_AT] > 0:
        return 0
    now = row[at.COMPLETED] + 1
    return int(now == row[at.DEALS] or now == row[at.DEALS] + row[at.EXTRA_DEALS_ON_TIE])


@compiled
def _encode_partie(row, me, they, words):
    mine, theirs = row[at.TOTALS + me], row[at.TOTALS + they]
    _put(words, bit.MY_TOTAL, _total_bins(row, mine))
    _put(words, bit.THEIR_TOTAL, _total_bins(row, theirs))
    _put(words, bit.I_LEAD, int(mine > theirs))
    _put(words, bit.THEY_LEAD, int(theirs > mine))
    for k in range(len(bit.DIFFERENCES)):
        _put(words, bit.DIFFERENCE + k, int(mine - theirs >= bit.DIFFERENCES[k]))
    _put(words, bit.IS_PARTIE, row[at.PARTIE])
    _put(words, bit.COMPLETED, _ones(row[at.COMPLETED], bit.MOST_DEALS))
    _put(words, bit.MAY_BE_LAST, _may_be_last(row))
    _digits(words, bit.THROWN_IN_TENS, 1, bit.THROWN_IN_UNITS, min(row[at.THROWN_IN], bit.MOST_THROWN_IN))


@compiled
def encode(row, me, words):
    """The observation of player `me` as 32-bit words: writes int64 (WORDS,)."""
    they = 1 - me
    words[:] = 0
    _encode_cards(row, me, they, words)
    _encode_play(row, me, they, words)
    _encode_auction(row, me, words)
    _encode_exchange(row, me, they, words)
    _encode_said(row, me, they, words)
    _encode_score(row, me, they, words)
    _encode_partie(row, me, they, words)


@compiled
def encode_state(row, me, words):
    """The observation of `me` and what he does not know: writes int64 (WORDS,)."""
    they = 1 - me
    encode(row, me, words)
    _put(words, bit.STATE_THEIR_HAND, row[at.HANDS + they])
    _put(words, bit.STATE_THEIR_DISCARDS, row[at.DISCARDS + they])
    _put(words, bit.STATE_THEIR_DRAWN, row[at.DRAWN + they])
    for place in range(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        card = row[at.TALON + place // at.PER_WORD] >> 8 * (place % at.PER_WORD) & 0xFF
        _put(words, bit.STATE_TALON + 5 * card, place + 1)
    if row[at.NAMED_SUIT + they] >= 0:
        _put(words, bit.STATE_THEIR_POINT_SUIT + row[at.NAMED_SUIT + they], 1)
    if row[at.PHASE] < at.DEAL_OVER:
        _put(words, bit.STATE_I_ACT if row[at.ACTOR] == me else bit.STATE_THEY_ACT, 1)
    _put(words, bit.STATE_BLANCHE, int(row[at.PHASE] == at.IN_CARTE_BLANCHE))
    _put(words, bit.STATE_SEAT, me)
