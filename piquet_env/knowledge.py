"""What a player may know: the one list of features behind the observation, its documentation and its printed form.

The vector is egocentric ("my" before "their", the same from either seat) and every feature is 0 or 1: sets of
cards as 32 bits, numbers as one-hot or thermometer (n ones). It is first written as 32-bit words and then
spread to bytes. What a player may not know is nowhere read: the encoder gives the same vector for a row and
for the row with every unknown column set to -1 (`hide`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.engine.compiled import compiled
from piquet_env.engine.game import legal_actions

OBSERVATION_VERSION = 1


class Feature(NamedTuple):
    """Bits `start` to `stop - 1` of the vector; `form` is cards, flag, one-hot, thermometer or bits."""

    name: str
    start: int
    stop: int
    form: str
    meaning: str


_FEATURES: list[Feature] = []


def _feature(name: str, width: int, form: str, meaning: str) -> int:
    start = _FEATURES[-1].stop if _FEATURES else 0
    _FEATURES.append(Feature(name, start, start + width, form, meaning))
    return start


def _cards(name: str, meaning: str) -> int:
    return _feature(name, 32, "cards", meaning)


LEVELS, MOST_EXCHANGED, MOST_POINT = act.BIDS, 10, 8
BINS, MOST_DEALS, MOST_THROWN_IN = 16, 12, 8
DIFFERENCES = (-300, -200, -150, -100, -60, -30, -10, 10, 30, 60, 100, 150, 200, 300)

# Cards. Card 8 * suit + rank is bit 8 * suit + rank of each.
MY_HAND = _cards("my_hand", "cards I hold")
MY_DISCARDS = _cards("my_discards", "cards I have discarded")
MY_DRAWN = _cards("my_drawn", "cards I drew")
SEEN_IN_TALON = _cards("seen_in_talon", "cards left in the talon that I have looked at")
ELDER_LEFT = _cards("elder_left", "what elder left of his part, as far as I have seen it")
MY_PLAYED = _cards("my_played", "cards I have played")
THEIR_PLAYED = _cards("their_played", "cards they have played")
MY_SHOWN = _cards("my_shown", "cards of mine that were shown with a holding that scored")
THEIR_SHOWN = _cards("their_shown", "cards of theirs that were shown with a holding that scored")
BLANCHE = _cards("blanche", "the hand that was shown as carte blanche, mine or theirs")
THEIR_HAND = _cards("their_hand", "cards that they hold for certain, as shown or seen; with open hands all of them")
THEIR_DISCARDS = _cards("their_discards", "with open hands: cards they have discarded")
THEIR_DRAWN = _cards("their_drawn", "cards that I know they drew: elder's leftovers; with open hands all of them")
UNSEEN = _cards("unseen", "cards of the pack that I have not seen")
LED = _cards("led", "the card led to the present trick")
TRICKS = _feature("tricks", 32 * at.MOST_TRICKS, "cards", "32 bits for each trick: the one or two cards played to it")
LED_BY_ME = _feature("led_by_me", at.MOST_TRICKS, "bits", "tricks that I led")
MY_VOIDS = _feature("my_voids", 4, "bits", "suits S H D C in which I have shown void")
THEIR_VOIDS = _feature("their_voids", 4, "bits", "suits S H D C in which they have shown void")

# The deal so far.
PHASE = _feature("phase", 8, "one-hot", "auction, carte blanche, exchange, point, sequence, set, play, over")
I_DEAL = _feature("i_deal", 1, "flag", "I dealt")
I_AM_ELDER = _feature("i_am_elder", 1, "flag", "I am elder")
I_AM_YOUNGER = _feature("i_am_younger", 1, "flag", "I am younger")
I_PASSED = _feature("i_passed", 1, "flag", "I passed before any bid")
THEY_PASSED = _feature("they_passed", 1, "flag", "they passed before any bid")
BID_PLUS = _feature("bid_plus", LEVELS, "bits", "levels that were bid plus, lowest first")
BID_MINUS = _feature("bid_minus", LEVELS, "bits", "levels that were bid minus")
BID_DOUBLED = _feature("bid_doubled", LEVELS, "bits", "levels whose bid was doubled")
BID_BY_ME = _feature("bid_by_me", LEVELS, "bits", "levels that I bid")
IS_PLUS = _feature("is_plus", 1, "flag", "the last bid, or the contract, is plus")
IS_MINUS = _feature("is_minus", 1, "flag", "it is minus")
LEVEL = _feature("level", LEVELS, "one-hot", "its level, lowest first")
IS_DOUBLED = _feature("is_doubled", 1, "flag", "it is doubled or redoubled")
IS_REDOUBLED = _feature("is_redoubled", 1, "flag", "it is redoubled")
IS_MY_BID = _feature("is_my_bid", 1, "flag", "I bid it")
I_STOOD = _feature("i_stood", 1, "flag", "I have exchanged")
THEY_STOOD = _feature("they_stood", 1, "flag", "they have exchanged")
MY_NUMBER = _feature("my_number", MOST_EXCHANGED, "thermometer", "how many I exchanged")
THEIR_NUMBER = _feature("their_number", MOST_EXCHANGED, "thermometer", "how many they exchanged")

# Declarations: what was said.
I_SAID_NONE = _feature("i_said_none", 3, "bits", "point, sequence, set: I named none")
THEY_SAID_NONE = _feature("they_said_none", 3, "bits", "point, sequence, set: they named none")
MY_POINT = _feature("my_point", MOST_POINT, "thermometer", "cards of the point I named")
THEIR_POINT = _feature("their_point", MOST_POINT, "thermometer", "cards of the point they named")
MY_POINT_SUIT = _feature("my_point_suit", 4, "one-hot", "its suit S H D C (mine; theirs is not said)")
THEIR_PIPS_TENS = _feature("their_pips_tens", 8, "one-hot", "pips they said, tens 0-7")
THEIR_PIPS_UNITS = _feature("their_pips_units", 10, "one-hot", "pips they said, units 0-9")
MY_SEQUENCE = _feature("my_sequence", act.SEQUENCES, "one-hot", "the sequence I named, in the order of the actions")
THEIR_SEQUENCE = _feature("their_sequence", act.SEQUENCES, "one-hot", "the sequence they named")
MY_SET = _feature("my_set", 2 * act.SET_RANKS, "one-hot", "the set I named: trio of T J Q K A, quatorze of T J Q K A")
THEIR_SET = _feature("their_set", 2 * act.SET_RANKS, "one-hot", "the set they named")
I_SCORED = _feature("i_scored", 3, "bits", "point, sequence, set: I scored")
THEY_SCORED = _feature("they_scored", 3, "bits", "point, sequence, set: they scored")

# The score of the deal, item by item. One player at most scores in a category or for the contract.
MY_BLANCHE = _feature("my_blanche", 1, "flag", "I scored carte blanche")
THEIR_BLANCHE = _feature("their_blanche", 1, "flag", "they scored carte blanche")
POINT_SCORE = _feature(
    "point_score", MOST_POINT, "thermometer", "points scored for point; i_scored and they_scored say by whom"
)
SEQUENCE_TENS = _feature("sequence_tens", 4, "one-hot", "points scored for sequences, tens 1-4")
SEQUENCE_UNITS = _feature("sequence_units", 10, "one-hot", "the same, units 0-9")
SET_TENS = _feature("set_tens", 5, "one-hot", "points scored for sets, tens 1-5")
SET_UNITS = _feature("set_units", 10, "one-hot", "the same, units 0-9")
MY_REPIQUE = _feature("my_repique", 1, "flag", "I have repique")
THEIR_REPIQUE = _feature("their_repique", 1, "flag", "they have repique")
MY_PIQUE = _feature("my_pique", 1, "flag", "I have pique")
THEIR_PIQUE = _feature("their_pique", 1, "flag", "they have pique")
I_HAVE_SCORED = _feature("i_have_scored", 1, "flag", "I have scored any point of this deal")
THEY_HAVE_SCORED = _feature("they_have_scored", 1, "flag", "they have scored any point of this deal")
MY_PLAY_TENS = _feature("my_play_tens", 1, "one-hot", "my points in play, tens 1")
MY_PLAY_UNITS = _feature("my_play_units", 10, "one-hot", "the same, units 0-9")
THEIR_PLAY_TENS = _feature("their_play_tens", 1, "one-hot", "their points in play, tens 1")
THEIR_PLAY_UNITS = _feature("their_play_units", 10, "one-hot", "the same, units 0-9")
MY_TRICKS = _feature("my_tricks", at.MOST_TRICKS, "thermometer", "tricks I have won")
THEIR_TRICKS = _feature("their_tricks", at.MOST_TRICKS, "thermometer", "tricks they have won")
MY_CARDS = _feature("my_cards", 1, "flag", "I scored the cards")
THEIR_CARDS = _feature("their_cards", 1, "flag", "they scored the cards")
MY_CAPOT = _feature("my_capot", 1, "flag", "I scored capot")
THEIR_CAPOT = _feature("their_capot", 1, "flag", "they scored capot")
MY_CONTRACT = _feature("my_contract", 1, "flag", "I scored for the contract")
THEIR_CONTRACT = _feature("their_contract", 1, "flag", "they scored for the contract")
CONTRACT_HUNDREDS = _feature("contract_hundreds", 6, "one-hot", "points scored for the contract, hundreds 1-6")
CONTRACT_TENS = _feature("contract_tens", 10, "one-hot", "the same, tens 0-9")

# The partie.
# Of the earlier deals. Bit k - 1: k/8 of the rubicon (or of stop_at) are reached; last bit: stop_double_below is.
MY_TOTAL = _feature("my_total", BINS + 1, "bits", "my total: eighths 1-16 of rubicon or stop_at; stop_double_below")
THEIR_TOTAL = _feature("their_total", BINS + 1, "bits", "their total, in the same way")
I_LEAD = _feature("i_lead", 1, "flag", "my total is higher")
THEY_LEAD = _feature("they_lead", 1, "flag", "their total is higher")
DIFFERENCE = _feature("difference", len(DIFFERENCES), "thermometer", f"my total less theirs reaches {DIFFERENCES}")
IS_PARTIE = _feature("is_partie", 1, "flag", "the episode is a partie")
COMPLETED = _feature("completed", MOST_DEALS, "thermometer", "completed deals, 12 for more")
MAY_BE_LAST = _feature("may_be_last", 1, "flag", "the deals of the partie end with this one, a tie apart")
THROWN_IN = _feature("thrown_in", MOST_THROWN_IN, "thermometer", "deals thrown in in a row before this one, 8 for more")
LAST_CHANCE = _feature("last_chance", 1, "flag", "one more deal thrown in ends the episode")

OBSERVATION_SIZE = _FEATURES[-1].stop
_OBSERVATION_FEATURES = len(_FEATURES)

# What the state has beyond the observation of the player from whose side it is written.
STATE_THEIR_HAND = _cards("state_their_hand", "cards they hold")
STATE_THEIR_DISCARDS = _cards("state_their_discards", "cards they have discarded")
STATE_THEIR_DRAWN = _cards("state_their_drawn", "cards they drew")
# Five bits for each card, the lowest first; 0: it was not in the talon.
STATE_TALON = _feature("state_talon", 5 * 32, "bits", "for each card its place in the talon as dealt, from 1, binary")
STATE_THEIR_POINT_SUIT = _feature("state_their_point_suit", 4, "one-hot", "suit S H D C of the point they named")
STATE_I_ACT = _feature("state_i_act", 1, "flag", "I am to act")
STATE_THEY_ACT = _feature("state_they_act", 1, "flag", "they are to act")
STATE_BLANCHE = _feature("state_blanche", 1, "flag", "a carte blanche is being asked for")
STATE_SEAT = _feature("state_seat", 1, "flag", "I am player_1")

STATE_SIZE = _FEATURES[-1].stop
WORDS = STATE_SIZE // 32 + 2
BYTES = 8  # 0/1 bytes written at once
MASK_SIZE = act.ACTIONS


def fields() -> list[tuple[str, int, int, str]]:
    """`(name, start, stop, meaning)` of every feature of the observation; the slices tile the vector."""
    return [(f.name, f.start, f.stop, f.meaning) for f in _FEATURES[:_OBSERVATION_FEATURES]]


def state_fields() -> list[tuple[str, int, int, str]]:
    """The same for `state()`: the observation of one player, then what he does not know."""
    return [(f.name, f.start, f.stop, f.meaning) for f in _FEATURES]


def features(size: int = OBSERVATION_SIZE) -> list[Feature]:
    """The features of the first `size` bits, with the form of each."""
    return [f for f in _FEATURES if f.stop <= size]


# ---- writing the vector


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
def phase_seen_by(row, player):
    """The phase as he sees it: that the other is asked for carte blanche shows only to him."""
    if row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] != player:
        return at.EXCHANGE
    return row[at.PHASE]


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
    _put(words, MY_HAND, row[at.HANDS + me])
    _put(words, MY_DISCARDS, row[at.DISCARDS + me])
    _put(words, MY_DRAWN, row[at.DRAWN + me])
    _put(words, SEEN_IN_TALON, row[at.SEEN + me])
    _put(words, ELDER_LEFT, row[at.ELDER_LEFT + me])
    _put(words, MY_PLAYED, row[at.PLAYED + me])
    _put(words, THEIR_PLAYED, row[at.PLAYED + they])
    _put(words, MY_SHOWN, row[at.SHOWN + me])
    _put(words, THEIR_SHOWN, row[at.SHOWN + they])
    _put(words, BLANCHE, row[at.BLANCHE + me] | row[at.BLANCHE + they])
    _put(words, THEIR_HAND, known)
    _put(words, THEIR_DISCARDS, opened)
    _put(words, THEIR_DRAWN, _their_known_draws(row, me, they))
    _put(words, UNSEEN, row[at.PACK] & ~(mine | theirs))


@compiled
def _encode_play(row, me, they, words):
    if row[at.LED] >= 0:
        _put(words, LED + row[at.LED], 1)
    begun = row[at.TRICK] + (1 if row[at.LED] >= 0 else 0)
    for trick in range(begun):
        _put(words, TRICKS + 32 * trick, row[at.TRICKS + trick])
    led_by_me = row[at.LED_BY_1] if me == 1 else ~row[at.LED_BY_1]
    _put(words, LED_BY_ME, led_by_me & (1 << begun) - 1)
    _put(words, MY_VOIDS, row[at.VOIDS + me])
    _put(words, THEIR_VOIDS, row[at.VOIDS + they])


@compiled
def _encode_auction(row, me, words):
    _put(words, PHASE + min(phase_seen_by(row, me), at.DEAL_OVER), 1)
    _put(words, I_DEAL, int(row[at.DEALER] == me))
    _put(words, I_AM_ELDER, int(row[at.ELDER] == me))
    _put(words, I_AM_YOUNGER, int(row[at.ELDER] == 1 - me))
    first_speaker = 1 - row[at.DEALER]
    _put(words, I_PASSED, int(row[at.PASSED] > (0 if first_speaker == me else 1)))
    _put(words, THEY_PASSED, int(row[at.PASSED] > (0 if first_speaker != me else 1)))
    bid = row[at.BID_PLUS] | row[at.BID_MINUS]
    _put(words, BID_PLUS, row[at.BID_PLUS])
    _put(words, BID_MINUS, row[at.BID_MINUS])
    _put(words, BID_DOUBLED, row[at.BID_DOUBLED])
    _put(words, BID_BY_ME, row[at.BID_BY_1] if me == 1 else bid & ~row[at.BID_BY_1])
    if row[at.STAKE] > 0:
        _put(words, IS_MINUS if row[at.IS_MINUS] else IS_PLUS, 1)
        _put(words, LEVEL + row[at.LEVEL] - row[at.LOWEST_LEVEL], 1)
        _put(words, IS_DOUBLED, int(row[at.STAKE] > 1))
        _put(words, IS_REDOUBLED, int(row[at.STAKE] > 2))
        _put(words, IS_MY_BID, int(row[at.BIDDER] == me))


@compiled
def _encode_exchange(row, me, they, words):
    mine, theirs = row[at.EXCHANGED + me], row[at.EXCHANGED + they]
    _put(words, I_STOOD, int(mine >= 0))
    _put(words, THEY_STOOD, int(theirs >= 0))
    _put(words, MY_NUMBER, _ones(max(mine, 0), MOST_EXCHANGED))
    _put(words, THEIR_NUMBER, _ones(max(theirs, 0), MOST_EXCHANGED))


@compiled
def _encode_declarations(row, player, none, point, sequence, set_):
    """The four words of what a player said: none (3 bits), point, sequence, set."""
    for category in range(3):
        said = row[at.SAID + 2 * category + player]
        if said == 0:
            none |= 1 << category
        elif said > 0 and category == 0:
            point = _ones(said, MOST_POINT)
        elif said > 0 and category == 1:
            sequence = 1 << said - 1
        elif said > 0:
            set_ = 1 << said - 1
    return none, point, sequence, set_


@compiled
def _encode_said(row, me, they, words):
    none, point, sequence, set_ = _encode_declarations(row, me, 0, 0, 0, 0)
    _put(words, I_SAID_NONE, none)
    _put(words, MY_POINT, point)
    _put(words, MY_SEQUENCE, sequence)
    _put(words, MY_SET, set_)
    none, point, sequence, set_ = _encode_declarations(row, they, 0, 0, 0, 0)
    _put(words, THEY_SAID_NONE, none)
    _put(words, THEIR_POINT, point)
    _put(words, THEIR_SEQUENCE, sequence)
    _put(words, THEIR_SET, set_)
    if row[at.NAMED_SUIT + me] >= 0:
        _put(words, MY_POINT_SUIT + row[at.NAMED_SUIT + me], 1)
    if row[at.PIPS_SAID + they] > 0:
        _digits(words, THEIR_PIPS_TENS, 0, THEIR_PIPS_UNITS, row[at.PIPS_SAID + they])
    for category in range(3):
        _put(words, I_SCORED + category, int(row[at.SCORER + category] == me))
        _put(words, THEY_SCORED + category, int(row[at.SCORER + category] == they))


@compiled
def _encode_score(row, me, they, words):
    mine, theirs = at.SCORE + me * (at.ITEM_TOTAL + 1), at.SCORE + they * (at.ITEM_TOTAL + 1)
    for first, item in (
        (MY_BLANCHE, at.ITEM_CARTE_BLANCHE),
        (MY_REPIQUE, at.ITEM_REPIQUE),
        (MY_PIQUE, at.ITEM_PIQUE),
        (I_HAVE_SCORED, at.ITEM_TOTAL),
        (MY_CARDS, at.ITEM_CARDS),
        (MY_CAPOT, at.ITEM_CAPOT),
        (MY_CONTRACT, at.ITEM_CONTRACT),
    ):
        _put(words, first, int(row[mine + item] > 0) + 2 * int(row[theirs + item] > 0))
    _put(words, POINT_SCORE, _ones(row[mine + at.ITEM_POINT] + row[theirs + at.ITEM_POINT], MOST_POINT))
    _digits(words, SEQUENCE_TENS, 1, SEQUENCE_UNITS, row[mine + at.ITEM_SEQUENCE] + row[theirs + at.ITEM_SEQUENCE])
    _digits(words, SET_TENS, 1, SET_UNITS, row[mine + at.ITEM_SET] + row[theirs + at.ITEM_SET])
    _digits(words, MY_PLAY_TENS, 1, MY_PLAY_UNITS, row[mine + at.ITEM_TRICKS])
    _digits(words, THEIR_PLAY_TENS, 1, THEIR_PLAY_UNITS, row[theirs + at.ITEM_TRICKS])
    contract = row[mine + at.ITEM_CONTRACT] + row[theirs + at.ITEM_CONTRACT]
    _digits(words, CONTRACT_HUNDREDS, 1, CONTRACT_TENS, contract // 10)
    _put(words, MY_TRICKS, _ones(row[at.WON + me], at.MOST_TRICKS))
    _put(words, THEIR_TRICKS, _ones(row[at.WON + they], at.MOST_TRICKS))


@compiled
def _total_bins(row, total):
    """Ones for each eighth of the rubicon (or stop_at) that is reached; then one for stop_double_below."""
    whole = row[at.STOP_AT] if row[at.STOP_AT] > 0 else row[at.RUBICON]
    bits = 0
    for k in range(BINS):
        bits |= int(8 * total >= whole * (k + 1)) << k
    return bits | int(row[at.STOP_AT] > 0 and total >= row[at.STOP_DOUBLE_BELOW]) << BINS


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
    _put(words, MY_TOTAL, _total_bins(row, mine))
    _put(words, THEIR_TOTAL, _total_bins(row, theirs))
    _put(words, I_LEAD, int(mine > theirs))
    _put(words, THEY_LEAD, int(theirs > mine))
    for k in range(len(DIFFERENCES)):
        _put(words, DIFFERENCE + k, int(mine - theirs >= DIFFERENCES[k]))
    _put(words, IS_PARTIE, row[at.PARTIE])
    _put(words, COMPLETED, _ones(row[at.COMPLETED], MOST_DEALS))
    _put(words, MAY_BE_LAST, _may_be_last(row))
    _put(words, THROWN_IN, _ones(row[at.THROWN_IN], MOST_THROWN_IN))
    _put(words, LAST_CHANCE, int(row[at.THROWN_IN] + 1 == row[at.MAX_THROWN_IN]))


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
    _put(words, STATE_THEIR_HAND, row[at.HANDS + they])
    _put(words, STATE_THEIR_DISCARDS, row[at.DISCARDS + they])
    _put(words, STATE_THEIR_DRAWN, row[at.DRAWN + they])
    for place in range(row[at.ELDER_TALON] + row[at.YOUNGER_TALON]):
        card = row[at.TALON + place // at.PER_WORD] >> 8 * (place % at.PER_WORD) & 0xFF
        _put(words, STATE_TALON + 5 * card, place + 1)
    if row[at.NAMED_SUIT + they] >= 0:
        _put(words, STATE_THEIR_POINT_SUIT + row[at.NAMED_SUIT + they], 1)
    if row[at.PHASE] < at.DEAL_OVER:
        _put(words, STATE_I_ACT if row[at.ACTOR] == me else STATE_THEY_ACT, 1)
    _put(words, STATE_BLANCHE, int(row[at.PHASE] == at.IN_CARTE_BLANCHE))
    _put(words, STATE_SEAT, me)


def _spread_table() -> np.ndarray:
    """For each byte its eight bits as eight bytes of 0 or 1, lowest first: int64 (256,)."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return np.ascontiguousarray(bits).view(np.int64).reshape(256)


_SPREAD = _spread_table()


@compiled
def spread(words, out):
    """Bits to bytes: 32-bit words into `out`, int64 (size / 8,), a view of the int8 (size,) vector."""
    for k in range(len(out)):
        out[k] = _SPREAD[words[k >> 2] >> 8 * (k & 3) & 0xFF]


@compiled
def spread_mask(legal, out):
    """The two words of legal actions into `out`, int64 (10,), a view of the int8 (80,) mask."""
    cards, others = legal
    for k in range(4):
        out[k] = _SPREAD[cards >> 8 * k & 0xFF]
    for k in range(6):
        out[4 + k] = _SPREAD[others >> 8 * k & 0xFF]


# ---- for a single game


def observation(row: np.ndarray, player: int) -> np.ndarray:
    """What `player` (0 or 1) observes: int8 (OBSERVATION_SIZE,) of 0 and 1."""
    return _vector(encode, row, player, OBSERVATION_SIZE)


def state(row: np.ndarray, player: int = 0) -> np.ndarray:
    """Everything about the deal, from the side of `player`: int8 (STATE_SIZE,). Never the random state."""
    return _vector(encode_state, row, player, STATE_SIZE)


def _vector(encoder: Any, row: np.ndarray, player: int, size: int) -> np.ndarray:
    words = np.zeros(WORDS, np.int64)
    encoder(row, player, words)
    out = np.empty(size, np.int8)
    spread(words, out.view(np.int64))
    return out


def action_mask(row: np.ndarray, player: int) -> np.ndarray:
    """What `player` may do now: int8 (80,); all 0 while the other is to act."""
    out = np.zeros(MASK_SIZE, np.int8)
    if row[at.ACTOR] == player:
        spread_mask(legal_actions(row), out.view(np.int64))
    return out


# ---- hiding

_HIDDEN = -1
_NOBODYS = np.array([c for f in at.FIELDS if f.known is at.Known.NOBODY for c in range(f.start, f.start + f.size)])
_OWNERS = np.array([f.start for f in at.FIELDS if f.known is at.Known.OWNER])
_OPENED = np.array([f.start for f in at.FIELDS if f.known is at.Known.OPEN])


@compiled
def hide(row, player):
    """Set every column that `player` may not know to -1, in place."""
    for column in _NOBODYS:
        row[column] = _HIDDEN
    for column in _OWNERS:
        row[column + 1 - player] = _HIDDEN
    if not row[at.OPEN_HANDS]:
        for column in _OPENED:
            row[column + 1 - player] = _HIDDEN
    if row[at.PHASE] == at.IN_CARTE_BLANCHE and row[at.ACTOR] != player:
        row[at.PHASE] = at.EXCHANGE
        row[at.ACTOR] = row[at.ELDER]


def describe(vector: np.ndarray) -> dict[str, Any]:
    """An observation or a state in readable form: `{feature: value}`.

    Cards are lists of card indices, flags booleans, one-hots the bit's index or None, thermometers the number of ones.
    """
    return {f.name: _read(f.form, np.flatnonzero(vector[f.start : f.stop]).tolist()) for f in features(len(vector))}


def _read(form: str, ones: list[int]) -> Any:
    if form == "flag":
        return bool(ones)
    if form == "one-hot":
        return ones[0] if ones else None
    return len(ones) if form == "thermometer" else ones


# ---- for a batch


@compiled
def observe_rows(rows, observation, mask, player):
    """What the player to act in each game observes and may do.

    Writes int64 views (N, OBSERVATION_SIZE / 8) and (N, 10) of the int8 arrays, and player int64 (N,).
    """
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        player[i] = rows[i, at.ACTOR]
        encode(rows[i], player[i], words)
        spread(words, observation[i])
        spread_mask(legal_actions(rows[i]), mask[i])


@compiled
def observe_both(rows, chosen, observation):
    """What both players observe in the games where `chosen` (bool): writes int64 (N, 2, OBSERVATION_SIZE / 8)."""
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        if chosen[i]:
            for player in range(2):
                encode(rows[i], player, words)
                spread(words, observation[i, player])


@compiled
def state_rows(rows, states):
    """The state from the side of the player to act: writes int64 (N, STATE_SIZE / 8)."""
    words = np.zeros(WORDS, np.int64)
    for i in range(len(rows)):
        encode_state(rows[i], rows[i, at.ACTOR], words)
        spread(words, states[i])


@compiled
def hide_rows(rows, players):
    """`hide` for every row from its own player, int64 (N,)."""
    for i in range(len(rows)):
        hide(rows[i], players[i])
