"""Declarations as card players say them: "Point of five." - "Good."."""

from __future__ import annotations

import numpy as np

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.notation import action_text
from piquet_env.records import PLAYERS

CATEGORIES = ("point", "sequence", "set")
ITEM_WORDS = {"carte_blanche": "carte blanche", "sequence": "sequences", "set": "sets"}
"""Items of the score sheet that are written otherwise than they are named."""
_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy")
_SEQUENCES = {"3": "tierce", "4": "quart", "5": "quint", "6": "sixième", "7": "septième", "8": "huitième"}
RANK_WORDS = dict(zip("789TJQKA", ("seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"), strict=True))


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 card", "3 cards"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def in_words(number: int) -> str:
    """0 to 79 in English."""
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def holding(category: int, said: int) -> str:
    """What a player names, from the row's SAID: "quart to the king"; "no point" for none."""
    if said == 0:
        return f"no {CATEGORIES[category]}"
    if category == 0:
        return f"point of {in_words(said)}"
    if category == 1:
        _, length, top = action_text(act.SEQUENCE + said - 1).split()
        return f"{_SEQUENCES[length]} to the {RANK_WORDS[top]}"
    is_quatorze, place = divmod(said - 1, act.SET_RANKS)
    rank = RANK_WORDS[action_text(act.SET + place)[-1]]
    return f"{'quatorze' if is_quatorze else 'trio'} of {rank}s"


def dialogue(row: np.ndarray, category: int) -> list[tuple[int, str]]:
    """(player, sentence) of one category, as far as it went; nothing is said in a minus contract."""
    return [(player, _sentence(said)) for player, said in _words(row, category)]


def _sentence(said: str) -> str:
    return said[0].upper() + said[1:] + ("" if said.endswith("?") else ".")


def _words(row: np.ndarray, category: int) -> list[tuple[int, str]]:
    elder = int(row[at.ELDER])
    if elder < 0:  # in the auction
        return []
    mine, theirs = (int(row[at.SAID + 2 * category + player]) for player in (elder, 1 - elder))
    if mine < 0:
        return []
    words = [(elder, holding(category, mine))]
    if theirs < 0:
        return words
    if mine == 0:
        words.append((1 - elder, holding(category, theirs)))
    elif theirs == 0:
        words.append((1 - elder, "good"))
    elif theirs != mine:
        words.append((1 - elder, f"not good: {holding(category, theirs)}"))
    elif category == 0:
        words += _pips(row, elder)
    else:
        words.append((1 - elder, "equal"))
    return words


def _pips(row: np.ndarray, elder: int) -> list[tuple[int, str]]:
    """Points of the same number: their pips decide."""
    mine, theirs = int(row[at.PIPS_SAID + elder]), int(row[at.PIPS_SAID + 1 - elder])
    answer = "equal" if theirs == mine else f"not good: {in_words(theirs)}" if theirs else "good"
    return [(1 - elder, "making?"), (elder, in_words(mine)), (1 - elder, answer)]


def scored(row: np.ndarray, category: int) -> tuple[int, int] | None:
    """(player, points) of who scored in a category that is done; None: nobody did."""
    scorer = int(row[at.SCORER + category])
    points = int(row[at.SCORE + scorer * len(at.ITEMS) + at.ITEM_POINT + category])
    return (scorer, points) if scorer >= 0 else None


def outcome(row: np.ndarray, category: int) -> str:
    """Who scored what in a category that is done."""
    if (made := scored(row, category)) is None:
        return "nobody scores"
    scorer, points = made
    holder = f" for what {PLAYERS[1 - scorer]} holds" if row[at.IS_MINUS] else ""
    return f"{PLAYERS[scorer]} scores {points}{holder}"
