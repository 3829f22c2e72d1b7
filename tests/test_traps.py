"""The traps of the declarations, each by a case worked by hand from the rules page and played action by action.

player_0 is elder; hands are S.H.D.C. What does not matter to a case is sunk.
"""

import helpers
import pytest
from by_hand import contract, deal, play
from helpers import score_of

from piquet_env.engine import layout as at
from piquet_env.notation import parse_hand

# ------------------------------------------------------------------ pique and repique in a plus contract

# 6 for the point, 16 + 4 for sixieme and quart, 3 for the kings: 29. The other has nothing that is good:
# five diamonds, a tierce, pairs. The talon is S87 HA DT7 CAKT.
TWENTY_NINE = "AKQJT9.KQJT.K.7"
NOTHING_GOOD = ".987.AQJ98.QJ98"


def test_pique_at_exactly_29():
    row = contract("auction", "+7", TWENTY_NINE, NOTHING_GOOD)
    play(row, "0 point S", "1 none", "0 sequence 6 A", "1 none", "0 set K")
    assert score_of(row, 0) == {"point": 6, "sequence": 20, "total": 26}
    play(row, "1 none")  # the last declaration: 29 against nothing, before a card is played
    assert score_of(row, 0) == {"point": 6, "sequence": 20, "set": 3, "pique": 30, "total": 59}
    assert score_of(row, 1) == {}


def test_28_is_no_pique_until_the_first_trick():
    """A tierce for the quart: 6 + 16 + 3 + 3 = 28; the first trick makes it 29."""
    row = contract("auction", "+7", "AKQJT9.KQJ.K.87", NOTHING_GOOD.replace("QJ98", "QJT9"))
    play(row, "0 point S", "1 none", "0 sequence 6 A", "1 none", "0 set K", "1 none")
    assert score_of(row, 0)["total"] == 28
    play(row, "0 play SA", "1 play H7")
    assert score_of(row, 0) == {"point": 6, "sequence": 19, "set": 3, "tricks": 1, "pique": 30, "total": 59}


def test_classic_pique_needs_30():
    """The same 29 with no auction: the card led makes 30, before the other has played."""
    row = play(deal({"base": "rubicon", "minimum_exchange": 0}, TWENTY_NINE, NOTHING_GOOD), "0 stand", "1 stand")
    play(row, "0 point S", "1 none", "0 sequence 6 A", "1 none", "0 set K", "1 none")
    assert score_of(row, 0)["total"] == 29
    play(row, "0 play SA")
    assert score_of(row, 0)["total"] == 29 + 1 + 30


# 8 for the point, 18 + 3 for huitieme and tierce: 29 before the sets.
HUITIEME_AND_TIERCE = "AKQJT987.7..T98"
# Trios of aces, kings and queens: 9. The quarts of diamonds and clubs are beaten.
THREE_TRIOS = ".AKQ.AKQJ.AKQJ7"
THROWN = ("C7", "CJ", "CQ", "CK", "DJ", "DQ", "DK", "HQ")


def test_a_good_set_of_younger_stops_the_pique():
    """Although elder reached 29 in an earlier category."""
    row = contract("auction", "+7", HUITIEME_AND_TIERCE, THREE_TRIOS)
    play(row, "0 point S", "1 none", "0 sequence 8 A", "1 none")
    assert score_of(row, 0)["total"] == 29
    play(row, "0 none", "1 set A")
    assert score_of(row, 0) == {"point": 8, "sequence": 21, "total": 29}
    assert score_of(row, 1) == {"set": 9, "total": 9}
    for trick in range(8):  # nor does it come in play
        play(row, f"0 play S{'AKQJT987'[trick]}", f"1 play {THROWN[trick]}")
    assert score_of(row, 0) == {"point": 8, "sequence": 21, "tricks": 8, "total": 37}


def test_a_set_that_younger_sinks_stops_nothing():
    row = contract("auction", "+7", HUITIEME_AND_TIERCE, THREE_TRIOS)
    play(row, "0 point S", "1 none", "0 sequence 8 A", "1 none", "0 none", "1 none")
    assert score_of(row, 0) == {"point": 8, "sequence": 21, "pique": 30, "total": 59}


def test_repique_comes_by_the_order_of_the_categories():
    """8 + 18 + 4 = 30 with point and sequences: the sets of younger come too late."""
    row = contract("auction", "+7", "AKQJT987...T987", ".AKQ9.AKQJ.AKQJ")
    play(row, "0 point S", "1 none", "0 sequence 8 A")
    assert score_of(row, 0) == {"point": 8, "total": 8}
    play(row, "1 none")
    assert score_of(row, 0) == {"point": 8, "sequence": 22, "repique": 60, "total": 90}
    play(row, "0 none", "1 set A")
    assert score_of(row, 1) == {"set": 9, "total": 9}
    assert score_of(row, 0)["total"] == 90


# Four aces and four kings, 28; a point of 4 with 11 + 10 + 8 + 7 = 36 pips, and no run.
ACES_AND_KINGS = "AK87.AK7.AK7.AK"
# The clubs: 10 + 10 + 9 + 7 = 36 pips. Queens and tens, which are not good; no run.
QUEENS_AND_TENS = "QT.QT8.QT9.QT97"


def test_a_tie_stops_nothing():
    row = contract("auction", "+7", ACES_AND_KINGS, QUEENS_AND_TENS)
    play(row, "0 point S", "1 point C")
    assert helpers.field(row, "pips_said") == [36, 36]  # both say them, and neither scores
    play(row, "0 none", "1 none", "0 set A", "1 none")
    assert score_of(row, 0) == {"set": 28, "total": 28}
    assert score_of(row, 1) == {}
    play(row, "0 play HA", "1 play H8")
    assert score_of(row, 0) == {"set": 28, "tricks": 1, "pique": 30, "total": 59}


def test_a_tie_scores_nothing_whatever_else_is_held():
    """Both have a tierce to the nine; elder has two of them, and neither counts."""
    row = contract("auction", "+7", "AKJ.987.987.AKJ", "QT9.AQJ.AQJ.987")
    play(row, "0 none", "1 none", "0 sequence 3 9", "1 sequence 3 9")
    assert score_of(row, 0) == score_of(row, 1) == {}


# ------------------------------------------------------------------ what is scored with a holding

# A quart to the king, tierces to the queen and to the nine.
THREE_RUNS = "KQJT.987.QJT.A7"
NO_RUNS = "A98.AKJ.AK9.KT9"


@pytest.mark.parametrize(
    ("named", "points", "shown"),
    [
        ("sequence 4 K", 4 + 3 + 3, "KQJT.987.QJT."),
        ("sequence 3 Q", 3 + 3, ".987.QJT."),  # the quart ranks above it and is sunk
        ("sequence 3 9", 3, ".987.."),
        ("none", 0, "..."),
    ],
)
def test_the_holding_named_is_the_cap(named, points, shown):
    row = contract("auction", "+7", THREE_RUNS, NO_RUNS)
    play(row, "0 none", "1 none", f"0 {named}", "1 none", "0 none", "1 none")
    assert score_of(row, 0).get("sequence", 0) == points
    assert helpers.field(row, "shown") == [parse_hand(shown), 0]


@pytest.mark.parametrize(("named", "points"), [("T", 14 + 3 + 3), ("K", 3 + 3), ("J", 3)])
def test_a_trio_named_sinks_the_quatorze(named, points):
    """Four tens, three kings, three jacks: any quatorze ranks above any trio."""
    row = contract("auction", "+7", "KJT.KJT.KJT.T98", "A98.A98.987.KQJ")
    play(row, "0 none", "1 none", "0 none", "1 none", f"0 set {named}", "1 none")
    assert score_of(row, 0) == {"set": points, "total": points}


def test_two_equal_runs_of_the_winner_both_count():
    row = contract("auction", "+7", "AKJ.987.987.AKJ", "QT9.AQJ.AQJ.QT9")
    play(row, "0 none", "1 none", "0 sequence 3 9", "1 none", "0 none", "1 none")
    assert score_of(row, 0)["sequence"] == 6
    assert helpers.field(row, "shown") == [parse_hand(".987.987."), 0]


def test_a_hand_scores_one_point():
    """Two suits of four: only the one named."""
    row = contract("auction", "+7", "AKQJ.T987.AQ9.9", "T98.AKQ.KJT.AKQ")
    play(row, "0 point S", "1 none")
    assert score_of(row, 0) == {"point": 4, "total": 4}


# ------------------------------------------------------------------ the minus contract


def test_declarations_are_scored_by_the_opponent_both_ways():
    """Elder's five spades (5) and quart (4) go to younger; younger's trios of aces, kings and tens (9) to elder."""
    row = contract("auction", "-7", "AKQJ7.87.87.Q87", "8.AKT.AKT9.AKT9")
    assert row[at.PHASE] == at.PLAY  # nothing was said or chosen
    assert helpers.field(row, "said") == [-1] * 6
    assert score_of(row, 1) == {"point": 5, "sequence": 4, "total": 9}
    assert score_of(row, 0) == {"set": 9, "total": 9}
    assert helpers.field(row, "shown") == [parse_hand("AKQJ7..."), parse_hand(".AKT.AKT.AKT")]


def test_minus_repique_at_21():
    """Elder's six spades (6) with a quint (15) make 21 for younger, by declarations alone."""
    row = contract("auction", "-7", "AKQJT8.98.98.97", ".AQJ7.AQT7.KJT8")
    assert score_of(row, 1) == {"point": 6, "sequence": 15, "repique": 60, "total": 81}
    assert score_of(row, 0) == {}


# Elder's five spades (5) with a quint (15) make 20 for younger: no repique, but one trick more is a pique.
TWENTY = "AKQJT.98.98.T97"
BEHIND_TWENTY = "7.AQJ7.AQT7.KJ8"


def test_minus_pique_of_younger_at_21():
    row = contract("auction", "-7", TWENTY, BEHIND_TWENTY)
    assert score_of(row, 1) == {"point": 5, "sequence": 15, "total": 20}
    play(row, "0 play H8", "1 play HA")
    assert score_of(row, 1) == {"point": 5, "sequence": 15, "tricks": 1, "pique": 30, "total": 51}


def test_a_trick_of_elder_stops_it():
    row = contract("auction", "-7", TWENTY, BEHIND_TWENTY)
    play(row, "0 play SA", "1 play S7", "0 play H8", "1 play HA")
    assert score_of(row, 1) == {"point": 5, "sequence": 15, "tricks": 1, "total": 21}
    assert score_of(row, 0) == {"tricks": 1, "total": 1}


def test_younger_has_no_pique_in_a_plus_contract():
    """Younger declares 6 + 16 + 4 = 26, then takes three tricks: 29, and no pique."""
    row = play(deal("auction", NOTHING_GOOD, "AKQJT9.KQJT.A.7", dealer=1), "0 +7", "1 pass", "0 stand", "1 stand")
    play(row, "0 none", "1 point S", "0 none", "1 sequence 6 A", "0 none", "1 none")
    play(row, "0 play D8", "1 play DA", "1 play SA", "0 play H7", "1 play SK", "0 play H8", "1 play SQ", "0 play H9")
    assert score_of(row, 1) == {"point": 6, "sequence": 20, "tricks": 4, "total": 30}
