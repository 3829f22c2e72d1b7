"""A game's row: one table of named int64 fields, with meaning, range and who knows them.

The constant behind each field is its first column. `row.view(LAYOUT)` gives named views without copying:
`row.view(LAYOUT)["hands"]`. Pairs stand in the order player_0, player_1, whatever their roles.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from piquet_env.engine.cards import CARDS
from piquet_env.engine.compiled import inlined
from piquet_env.rules import RULE_COLUMNS


class Known(IntEnum):
    """Who may know a field (knowledge/hide.py hides the rest)."""

    ALL = 0  # both players
    OWNER = 1  # a pair: each player his own entry
    OPEN = 2  # a pair: each player his own entry, with open hands both
    NOBODY = 3


class Phase(IntEnum):
    """What is to be done next in a game."""

    AUCTION = 0
    CARTE_BLANCHE = 1
    EXCHANGE = 2
    POINT = 3
    SEQUENCE = 4
    SET = 5
    PLAY = 6
    DEAL_OVER = 7  # scored; the next deal is not dealt yet
    GAME_OVER = 8  # the episode has ended


class Field(NamedTuple):
    """One named field of the row."""

    name: str
    start: int
    size: int
    known: Known
    low: int
    high: int
    meaning: str


FIELDS: list[Field] = []

MASK = 2**CARDS - 1
MANY = 10**12  # more than any score can be: rules have numbers of at most 10**9
MOST_TRICKS = 16
TRICK_DIGITS = 4
# At most 54 actions in a deal: auction 14, cards discarded or played 32, stands 2, declarations 6.
HISTORY_WORDS = 8
TALON_WORDS = 4  # 30 cards at most


def _field(name: str, size: int, known: Known, low: int, high: int, meaning: str) -> int:
    start = FIELDS[-1].start + FIELDS[-1].size if FIELDS else 0
    FIELDS.append(Field(name, start, size, known, low, high, meaning))
    return start


ALL, OWNER, OPEN, NOBODY = Known.ALL, Known.OWNER, Known.OPEN, Known.NOBODY

# the rules (piquet_env.rules.Rules); they never change in a game
for _name in RULE_COLUMNS:
    _field(_name, 1, ALL, 0, MASK if _name == "pack" else MANY, f"rule {_name}")
(
    PACK, HAS_AUCTION, HAND_SIZE, ELDER_TALON, YOUNGER_TALON, LOWEST_LEVEL, HIGHEST_LEVEL, PASS_AFTER_DOUBLE,
    MINIMUM_EXCHANGE, YOUNGER_MINIMUM_EXCHANGE, YOUNGER_DRAWS_LEFTOVERS, YOUNGER_SEES_LEFTOVERS, MAX_THROWN_IN,
    MINIMUM_POINT, SINKING, CARTE_BLANCHE_POINTS, REPIQUE_AT, PIQUE_AT, MINUS_REPIQUE_AT, MINUS_PIQUE_AT, DEALS,
    RUBICON, EXTRA_DEALS_ON_TIE, STOP_AT, STOP_DOUBLE_BELOW, OPEN_HANDS,
) = range(len(RULE_COLUMNS))  # fmt: skip

# the episode
PARTIE = _field("partie", 1, ALL, 0, 1, "1: the episode is a partie, 0: one deal")
RANDOM = _field("random", 1, NOBODY, -(2**63), 2**63 - 1, "state of this game's random generator (uint64 bits)")
COMPLETED = _field("completed", 1, ALL, 0, MANY, "completed deals")
THROWN_IN = _field("thrown_in", 1, ALL, 0, MANY, "deals thrown in in a row, up to now")
TOTALS = _field("totals", 2, ALL, 0, MANY, "points of the completed deals")
TRUNCATED = _field("truncated", 1, ALL, 0, 1, "the episode was cut off: too many deals thrown in")

# the deal: cards
PHASE = _field("phase", 1, ALL, 0, 8, "Phase")
ACTOR = _field("actor", 1, ALL, 0, 1, "the player to act")
DEALER = _field("dealer", 1, ALL, 0, 1, "the player who dealt")
ELDER = _field("elder", 1, ALL, -1, 1, "elder; -1: not known yet")
HANDS = _field("hands", 2, OPEN, 0, MASK, "cards held")
DEALT = _field("dealt", 2, OPEN, 0, MASK, "cards as dealt")
TALON = _field("talon", TALON_WORDS, NOBODY, 0, 2**61 - 1, "the talon in order, eight cards to a word")
DISCARDS = _field("discards", 2, OPEN, 0, MASK, "cards discarded")
DRAWN = _field("drawn", 2, OPEN, 0, MASK, "cards drawn")
SEEN = _field("seen", 2, OWNER, 0, MASK, "cards left in the talon that this player has looked at")
ELDER_LEFT = _field("elder_left", 2, OWNER, 0, MASK, "what elder left of his part, as far as this player has seen it")
RETAKEN = _field("retaken", 1, ALL, 0, MASK, "cards that elder left and younger drew (both know them)")
EXCHANGED = _field("exchanged", 2, ALL, -1, MOST_TRICKS, "number exchanged; -1: has not stood yet")

# the deal: auction
PASSED = _field("passed", 1, ALL, 0, 2, "passes before any bid")
BID_PLUS = _field("bid_plus", 1, ALL, 0, 63, "levels bid plus; bit 0 is the lowest level")
BID_MINUS = _field("bid_minus", 1, ALL, 0, 63, "levels bid minus")
BID_DOUBLED = _field("bid_doubled", 1, ALL, 0, 63, "levels whose bid was doubled")
BID_BY_1 = _field("bid_by_1", 1, ALL, 0, 63, "levels that player_1 bid")
LEVEL = _field("level", 1, ALL, 0, MOST_TRICKS, "level of the last bid, then of the contract; 0: none")
IS_MINUS = _field("is_minus", 1, ALL, 0, 1, "its sign: 1 minus")
BIDDER = _field("bidder", 1, ALL, -1, 1, "who bid last; -1: nobody")
STAKE = _field("stake", 1, ALL, 0, 4, "1, doubled 2, redoubled 4; 0: no bid yet")
IS_THROWN_IN = _field("is_thrown_in", 1, ALL, 0, 1, "this deal was thrown in")

# the deal: declarations; categories in the order point, sequence, set
# Point: the number of cards; sequence: 1 to 21 as they rank; set: 1-5 trio, 6-10 quatorze of T to A.
SAID = _field("said", 6, ALL, -1, 21, "[category][player] what was said; -1: nothing yet, 0: none")
PIPS_SAID = _field("pips_said", 2, ALL, 0, 75, "pips of the point, where they were said")
NAMED_SUIT = _field("named_suit", 2, OWNER, -1, 3, "the suit named as point; -1: none")
SCORER = _field("scorer", 3, ALL, -1, 1, "who scored in a category; -1: nobody (yet)")
SHOWN = _field("shown", 2, ALL, 0, MASK, "cards of scored holdings that this player has shown")
BLANCHE = _field("blanche", 2, ALL, 0, MASK, "the hand that this player has shown as carte blanche")

# the deal: play
LED = _field("led", 1, ALL, -1, 31, "the card led to the trick; -1: none yet")
TRICK = _field("trick", 1, ALL, 0, MOST_TRICKS, "tricks completed")
WON = _field("won", 2, ALL, 0, MOST_TRICKS, "tricks won")
PLAYED = _field("played", 2, ALL, 0, MASK, "cards played")
LED_BY_1 = _field("led_by_1", 1, ALL, 0, 2**MOST_TRICKS - 1, "tricks that player_1 led; bit 0 is the first")
# Four sets of cards: the tricks' numbers, from 0, as binary digits, ones first.
TRICKS = _field("tricks", TRICK_DIGITS, ALL, 0, MASK, "the number of the trick that each played card was in")
VOIDS = _field("voids", 2, ALL, 0, 15, "suits in which this player has shown void")

# the deal: score
ITEMS = (
    "carte_blanche", "point", "sequence", "set", "repique", "pique", "tricks", "cards", "capot", "contract", "total",
)  # fmt: skip
SCORE = _field("score", 2 * len(ITEMS), ALL, 0, MANY, "[player][item] of the score sheet, with its total")

# the deal: every action, for the record
ACTED = _field("acted", 1, NOBODY, 0, 56, "actions taken in this deal")
HISTORY = _field(
    "history", HISTORY_WORDS, NOBODY, -(2**63), 2**63 - 1, "the actions, eight to a word: action + 128 * player"
)

# the deal: how it goes on after the auction (piquet_env.bidding). Here, so that what was saved keeps its columns.
PLAYOUT = _field(
    "playout", 1, NOBODY, 0, MANY, "0: it is played; else it ends with the auction, to be settled. n + 2: stored deal n"
)

COLUMNS = FIELDS[-1].start + FIELDS[-1].size
FIRST_OF_DEAL = PHASE
LAYOUT = np.dtype([(f.name, np.int64, (f.size,)) if f.size > 1 else (f.name, np.int64) for f in FIELDS])

ITEM_CARTE_BLANCHE, ITEM_POINT, ITEM_SEQUENCE, ITEM_SET, ITEM_REPIQUE, ITEM_PIQUE = range(6)
ITEM_TRICKS, ITEM_CARDS, ITEM_CAPOT, ITEM_CONTRACT, ITEM_TOTAL = range(6, 11)

# Phases as plain numbers, for compiled code.
AUCTION, IN_CARTE_BLANCHE, EXCHANGE, IN_POINT, IN_SEQUENCE, IN_SET, PLAY, DEAL_OVER, GAME_OVER = map(int, Phase)


@inlined
def score_item(player, item):
    """The column of an item of a player's score sheet."""
    return SCORE + player * len(ITEMS) + item


@inlined
def copy_row(source, target):
    """Make one row the same as another."""
    for column in range(COLUMNS):
        target[column] = source[column]


@inlined
def packed(row, first, place):
    """A number that stands with seven others in one column: number `place` of those from column `first` on."""
    return row[first + (place >> 3)] >> 8 * (place & 7) & 0xFF


@inlined
def put_packed(row, first, place, number):
    """Write it, where 0 stood."""
    row[first + (place >> 3)] |= number << 8 * (place & 7)
