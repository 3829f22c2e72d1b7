"""What best play makes of a position, and what the cards that were played cost, as JSON objects."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.notation import card_text, hand_text
from piquet_env.records import PLAYERS, contract
from piquet_env.solver.api import NOT_LEGAL, card_values
from piquet_env.solver.given import Play


def analysis(play: Play) -> dict[str, Any]:
    """Of the position: who is to act, every legal card with what it leads to, the line of best play, and the costs.

    Scores are those of the deal when it is over; `difference` is that of the player to act less the other's.
    """
    row = play.row
    scores, tricks = card_values(row), card_values(row, "tricks")
    legal = sorted(np.flatnonzero(scores != NOT_LEGAL).tolist(), key=lambda card: -scores[card])
    lines = {card: best_line(row, card) for card in legal}
    return {
        "trick": int(row[at.TRICK]) + 1,
        "to_act": PLAYERS[row[at.ACTOR]],
        "elder": PLAYERS[row[at.ELDER]],
        "contract": contract(row),
        "hands": {name: hand_text(row[at.HANDS + player]) for player, name in enumerate(PLAYERS)},
        "led": card_text(int(row[at.LED])) if row[at.LED] >= 0 else None,
        "cards": [_card(row, card, lines[card][-1], int(scores[card]), int(tricks[card])) for card in legal],
        "line": _plays(lines[legal[0]]),
        "played": _costs(play),
    }


def best_line(row: NDArray[np.int64], card: int) -> list[NDArray[np.int64]]:
    """The rows before each card and after the last one, from `row` on, where `card` is played first, then the best.

    Of equally good cards the first suit's lowest.
    """
    rows = [row.copy()]
    while True:
        after = rows[-1].copy()
        game.apply_action(after, card)
        rows.append(after)
        if after[at.PHASE] != at.PLAY:
            return rows
        card = int(np.argmax(card_values(after, threads=1)))


def _card(row: NDArray[np.int64], card: int, end: NDArray[np.int64], score: int, tricks: int) -> dict[str, Any]:
    """`tricks` and `score` at the end of the line; `tricks_alone`: of the player to act, if only tricks counted."""
    return {
        "card": card_text(card),
        "difference": score,
        "tricks": {name: int(end[at.WON + player]) for player, name in enumerate(PLAYERS)},
        "score": {name: int(end[at.score_item(player, at.ITEM_TOTAL)]) for player, name in enumerate(PLAYERS)},
        "tricks_alone": tricks,
    }


def _plays(rows: list[NDArray[np.int64]]) -> list[str]:
    """The cards of a line as a record has them: "0 play SA"."""
    made = []
    for row, after in pairwise(rows):
        player = int(row[at.ACTOR])
        card = int(row[at.HANDS + player] ^ after[at.HANDS + player]).bit_length() - 1
        made.append(f"{player} play {card_text(card)}")
    return made


def _costs(play: Play) -> list[dict[str, Any]]:
    """Of each card that was played: what the player would have scored more with the best one, all cards known."""
    if not play.cards:
        return []
    values = card_values(np.array(play.before))
    return [
        {
            "trick": int(row[at.TRICK]) + 1,
            "player": PLAYERS[row[at.ACTOR]],
            "card": card_text(card),
            "cost": int(each.max() - each[card]),
            "best": card_text(int(np.argmax(each))),
        }
        for row, card, each in zip(play.before, play.cards, values, strict=True)
    ]
