"""The tricks of a view, played over: who led and won, voids and numbers follow."""

from __future__ import annotations

import numpy as np

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.records import PLAYERS
from piquet_env.views.consistent import is_stopped
from piquet_env.views.form import Part

Plays = list[tuple[int, Part]]
"""(player, card) in order."""


def read_plays(part: Part, row: np.ndarray) -> Plays:
    """Who played which card of the tricks; each card of the pack at most once. Raises ViewError.

    The engine says who wins a trick: there each player has no card but the one that he plays.
    """
    tricks = part.items()
    if tricks and row[at.ELDER] < 0:
        part.refuse("none: there is no elder yet")
    again = row.copy()
    again[at.STOP_AT], again[at.PHASE], again[at.ACTOR] = 0, at.PLAY, row[at.ELDER]
    plays: Plays = []
    for item in [card for place in range(len(tricks)) for card in _cards(tricks, place)]:
        who, bit = int(again[at.ACTOR]), 1 << item.card()
        if not again[at.PACK] & bit or (again[at.PLAYED] | again[at.PLAYED + 1]) & bit or again[at.PHASE] != at.PLAY:
            item.refuse("a card of the pack that has not been played before")
        again[at.HANDS + who] = bit
        game.apply_action(again, bit.bit_length() - 1)
        plays.append((who, item))
    return plays


def _cards(tricks: list[Part], place: int) -> list[Part]:
    tricks[place].check_keys(("leader", "cards", "winner"), ("cards",))
    cards = tricks[place]["cards"].items()
    if not 1 <= len(cards) <= 2 or (len(cards) == 1 and place + 1 < len(tricks)):
        tricks[place]["cards"].refuse("two cards, or one in the last trick")
    return cards


def played_cards(plays: Plays) -> list[int]:
    """The set of cards that each player has played."""
    return [sum(1 << item.card() for who, item in plays if who == player) for player in range(2)]


def play_over(plays: Plays, row: np.ndarray) -> None:
    """Play the cards into the row, and score them. Raises ViewError.

    Of a hand that is not known, the cards that it played, showed or retook are all that there is; so following suit is
    checked as far as they tell.
    """
    if not plays:
        return
    if is_stopped(row, at.PLAY):
        plays[0][1].refuse("no tricks: the points that end a partie had been reached")
    again = row.copy()
    again[at.PHASE], again[at.ACTOR] = at.PLAY, row[at.ELDER]
    again[at.HANDS : at.HANDS + 2] = np.maximum(again[at.HANDS : at.HANDS + 2], 0) | again[at.SHOWN : at.SHOWN + 2]
    again[at.HANDS + 1 - row[at.ELDER]] |= row[at.RETAKEN]
    for who, item in plays:
        again[at.HANDS + who] |= 1 << item.card()
    for who, item in plays:
        if again[at.ACTOR] != who or not game.apply_action(again, item.card()):
            item.refuse(f"a card that {PLAYERS[who]} could play here")
    row[at.LED : at.SCORE] = again[at.LED : at.SCORE]  # all fields of the play
    row[at.SCORE : at.SCORE + 2 * len(at.ITEMS)] = again[at.SCORE : at.SCORE + 2 * len(at.ITEMS)]
    row[at.ACTOR] = again[at.ACTOR]
