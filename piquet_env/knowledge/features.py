"""The one list of features of the observation and of the state: their places, forms and meanings.

The vector is egocentric ("my" before "their", the same from either seat) and every feature is 0 or 1: sets of cards as
32 bits, numbers as one-hot or thermometer (n ones). The constant behind each feature is its first bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at

OBSERVATION_VERSION = 1


class Feature(NamedTuple):
    """Bits `start` to `stop - 1` of the vector; `form` is cards, digits, flag, one-hot, thermometer or bits."""

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
BINS, MOST_DEALS, MOST_THROWN_IN = 16, 16, 499
TALON_BITS = 5
DIFFERENCES = (-200, -150, -100, -60, -30, -10, 10, 30, 60, 100, 150, 200)

# Cards. Card 8 * suit + rank is bit 8 * suit + rank of each.
MY_HAND = _cards("my_hand", "cards I hold")
MY_DISCARDS = _cards("my_discards", "cards I have discarded")

MY_DRAWN = _cards("my_drawn", "cards I drew")
SEEN_IN_TALON = _cards("seen_in_talon", "cards that were left in the talon when I looked at them")

ELDER_LEFT = _cards("elder_left", "what elder left of his part, as far as I have seen it")
MY_PLAYED = _cards("my_played", "cards I have played")

THEIR_PLAYED = _cards("their_played", "cards they have played")
MY_SHOWN = _cards("my_shown", "cards of mine that were shown, with all holdings that scored")

THEIR_SHOWN = _cards("their_shown", "cards of theirs that were shown, with all holdings that scored")
THEIR_DEALT = _cards("their_dealt", "cards I know they were dealt: a carte blanche they showed; with open hands all")

THEIR_HAND = _cards("their_hand", "cards they hold for certain: shown, or left by me and drawn; with open hands all")
THEIR_DRAWN = _cards("their_drawn", "cards that I know they drew: elder's leftovers; with open hands all of them")

UNSEEN = _cards("unseen", "cards of the pack that I have not seen")
LED = _cards("led", "the card led to the present trick")

# Not what is new, but what a network does not easily see (training/LOG.md).
MY_WINNERS = _cards("my_winners", "cards I hold that are higher than all that they may hold of the suit")
MY_LOSERS = _cards("my_losers", "cards I hold that are lower than all that they may hold of the suit")

TRICKS = _feature(
    "tricks",
    32 * at.TRICK_DIGITS,
    "digits",
    "the trick that a card was played in, from 0; of cards not played 0 too",
)

MY_LENGTHS = _feature("my_spades", 8, "thermometer", "how many spades I hold")
_feature("my_hearts", 8, "thermometer", "how many hearts I hold")
_feature("my_diamonds", 8, "thermometer", "how many diamonds I hold")
_feature("my_clubs", 8, "thermometer", "how many clubs I hold")
LED_BY_ME = _feature("led_by_me", at.MOST_TRICKS, "bits", "tricks that I led")
MY_VOIDS = _feature("my_voids", 4, "bits", "suits S H D C in which I have shown void")
THEIR_VOIDS = _feature("their_voids", 4, "bits", "suits S H D C in which they have shown void")
PHASE = _feature("phase", 8, "one-hot", "auction, carte blanche, exchange, point, sequence, set, play, over")

# The auction and the exchange.
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
IS_PARTIE = _feature("is_partie", 1, "flag", "the episode is a partie")
MAY_BE_LAST = _feature("may_be_last", 1, "flag", "the deals of the partie end with the present one, a tie apart")

# Declarations: what was said, and who scored.
MY_SEQUENCE = _feature("my_sequence", act.SEQUENCES, "one-hot", "the sequence I named, in the order of the actions")
THEIR_SEQUENCE = _feature("their_sequence", act.SEQUENCES, "one-hot", "the sequence they named")
MY_SET = _feature("my_set", 2 * act.SET_RANKS, "one-hot", "the set I named: trio of T J Q K A, quatorze of T J Q K A")
THEIR_SET = _feature("their_set", 2 * act.SET_RANKS, "one-hot", "the set they named")
MY_BLANCHE = _feature("my_blanche", 1, "flag", "I showed and scored carte blanche")
THEIR_BLANCHE = _feature("their_blanche", 1, "flag", "they showed and scored carte blanche")

I_SAID_NONE = _feature("i_said_none", 3, "bits", "point, sequence, set: I named none")
THEY_SAID_NONE = _feature("they_said_none", 3, "bits", "point, sequence, set: they named none")
MY_POINT = _feature("my_point", MOST_POINT, "thermometer", "cards of the point I named")
THEIR_POINT = _feature("their_point", MOST_POINT, "thermometer", "cards of the point they named")
MY_POINT_SUIT = _feature("my_point_suit", 4, "one-hot", "its suit S H D C (mine; theirs is not said)")
THEIR_PIPS_TENS = _feature("their_pips_tens", 8, "one-hot", "pips they said, tens 0-7")
THEIR_PIPS_UNITS = _feature("their_pips_units", 10, "one-hot", "pips they said, units 0-9")
I_SCORED = _feature("i_scored", 3, "bits", "point, sequence, set: I scored")
THEY_SCORED = _feature("they_scored", 3, "bits", "point, sequence, set: they scored")
SEQUENCE_TENS = _feature("sequence_tens", 4, "one-hot", "points scored for sequences, by whoever scored; tens 1-4")
SEQUENCE_UNITS = _feature("sequence_units", 10, "one-hot", "the same, units 0-9")

# The score of the deal, item by item. One player at most scores in a category or for the contract.
MY_TRICKS = _feature("my_tricks", at.MOST_TRICKS, "thermometer", "tricks I have won")
THEIR_TRICKS = _feature("their_tricks", at.MOST_TRICKS, "thermometer", "tricks they have won")
MY_PLAY_TENS = _feature("my_play_tens", 1, "one-hot", "my points in play, tens 1")
MY_PLAY_UNITS = _feature("my_play_units", 10, "one-hot", "the same, units 0-9")
THEIR_PLAY_TENS = _feature("their_play_tens", 1, "one-hot", "their points in play, tens 1")
THEIR_PLAY_UNITS = _feature("their_play_units", 10, "one-hot", "the same, units 0-9")
MY_REPIQUE = _feature("my_repique", 1, "flag", "I have repique")
THEIR_REPIQUE = _feature("their_repique", 1, "flag", "they have repique")
MY_PIQUE = _feature("my_pique", 1, "flag", "I have pique")
THEIR_PIQUE = _feature("their_pique", 1, "flag", "they have pique")
I_HAVE_SCORED = _feature("i_have_scored", 1, "flag", "I have scored any point of this deal")
THEY_HAVE_SCORED = _feature("they_have_scored", 1, "flag", "they have scored any point of this deal")
MY_CARDS = _feature("my_cards", 1, "flag", "I scored the cards")
THEIR_CARDS = _feature("their_cards", 1, "flag", "they scored the cards")
MY_CAPOT = _feature("my_capot", 1, "flag", "I scored capot")
THEIR_CAPOT = _feature("their_capot", 1, "flag", "they scored capot")

POINT_SCORE = _feature("point_score", MOST_POINT, "thermometer", "points scored for point, by whoever scored")
SET_TENS = _feature("set_tens", 5, "one-hot", "points scored for sets, by whoever scored; tens 1-5")
SET_UNITS = _feature("set_units", 10, "one-hot", "the same, units 0-9")
MY_CONTRACT = _feature("my_contract", 1, "flag", "I scored for the contract")
THEIR_CONTRACT = _feature("their_contract", 1, "flag", "they scored for the contract")
CONTRACT_HUNDREDS = _feature("contract_hundreds", 6, "one-hot", "points scored for the contract, hundreds 1-6")
CONTRACT_TENS = _feature("contract_tens", 10, "one-hot", "the same, tens 0-9")

# The partie.
THROWN_IN_HUNDREDS = _feature("thrown_in_hundreds", 4, "one-hot", "deals thrown in in a row before this, hundreds 1-4")
THROWN_IN_TENS = _feature("thrown_in_tens", 9, "one-hot", "the same, tens 1-9")
THROWN_IN_UNITS = _feature("thrown_in_units", 10, "one-hot", "the same, units 0-9; 499 for more")

# Of the completed deals. Bit k - 1: k/8 of the rubicon (or of stop_at) are reached; last bit: stop_double_below is.
MY_TOTAL = _feature("my_total", BINS + 1, "bits", "my total: eighths 1-16 of rubicon or stop_at; stop_double_below")
THEIR_TOTAL = _feature("their_total", BINS + 1, "bits", "their total, in the same way")
I_LEAD = _feature("i_lead", 1, "flag", "my total is higher")
THEY_LEAD = _feature("they_lead", 1, "flag", "their total is higher")
DIFFERENCE = _feature("difference", len(DIFFERENCES), "thermometer", f"my total less theirs reaches {DIFFERENCES}")
COMPLETED = _feature("completed", MOST_DEALS, "thermometer", "completed deals, 16 for more")

OBSERVATION_SIZE = _FEATURES[-1].stop
_OBSERVATION_FEATURES = len(_FEATURES)

# What the state has beyond the observation of the player from whose side it is written.
STATE_THEIR_HAND = _cards("state_their_hand", "cards they hold")
STATE_THEIR_DISCARDS = _cards("state_their_discards", "cards they have discarded")
STATE_THEIR_DRAWN = _cards("state_their_drawn", "cards they drew")
STATE_TALON = _feature(
    "state_talon",
    32 * TALON_BITS,
    "digits",
    "the card's place in the talon as dealt, from 1; 0: it was not there",
)
STATE_THEIR_POINT_SUIT = _feature("state_their_point_suit", 4, "one-hot", "suit S H D C of the point they named")
STATE_I_ACT = _feature("state_i_act", 1, "flag", "I am to act")
STATE_THEY_ACT = _feature("state_they_act", 1, "flag", "they are to act")
STATE_BLANCHE = _feature("state_blanche", 1, "flag", "a carte blanche is being asked for")
STATE_SEAT = _feature("state_seat", 1, "flag", "I am player_1")

STATE_SIZE = _FEATURES[-1].stop


def fields() -> list[tuple[str, int, int, str]]:
    """`(name, start, stop, meaning)` of every feature of the observation; the slices tile the vector."""
    return [(f.name, f.start, f.stop, f.meaning) for f in _FEATURES[:_OBSERVATION_FEATURES]]


def state_fields() -> list[tuple[str, int, int, str]]:
    """The same for `state()`: the observation of one player, then what he does not know."""
    return [(f.name, f.start, f.stop, f.meaning) for f in _FEATURES]


def features(size: int = OBSERVATION_SIZE) -> list[Feature]:
    """The features of the first `size` bits, with the form of each."""
    return [f for f in _FEATURES if f.stop <= size]


def describe(vector: np.ndarray) -> dict[str, Any]:
    """An observation int8 (OBSERVATION_SIZE,) or a state int8 (STATE_SIZE,) in readable form: `{feature: value}`.

    Cards are lists of card indices (`action_text(i)` names card i), digits `{card: number}` of the cards that have one,
    flags booleans, one-hots the bit's index or None, thermometers the number of ones.

    Raises ValueError for another shape.
    """
    if np.shape(vector) not in ((OBSERVATION_SIZE,), (STATE_SIZE,)):
        sizes = f"({OBSERVATION_SIZE},) or ({STATE_SIZE},)"
        raise ValueError(f"expected a vector {sizes}, such as observation['observation'], got shape {np.shape(vector)}")
    vector = np.asarray(vector)
    seen = {f.name: _read(f.form, np.flatnonzero(vector[f.start : f.stop]).tolist()) for f in features(len(vector))}
    seen["tricks"] = {card: seen["tricks"].get(card, 0) for card in sorted(seen["my_played"] + seen["their_played"])}
    return seen


def _read(form: str, ones: list[int]) -> Any:
    if form == "flag":
        return bool(ones)
    if form == "digits":
        cards = sorted({one % 32 for one in ones})
        return {card: sum(1 << one // 32 for one in ones if one % 32 == card) for card in cards}
    if form == "one-hot":
        return ones[0] if ones else None
    return len(ones) if form == "thermometer" else ones
