"""The decisions of a recorded deal: wherever a player had more than one thing to do.

What is discarded in one exchange is one decision, a set of cards, for the order means nothing.
"""

from __future__ import annotations

from itertools import combinations, takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import actions as act
from piquet_env.engine import game
from piquet_env.engine import layout as at
from piquet_env.engine.cards import CARDS
from piquet_env.notation import action_text, card_text, cards_of, legal_indices, rules_of
from piquet_env.records import Record, replayed_deals, steps

Choice = tuple[int, ...]
"""The actions of a decision: one; of an exchange the cards in the order of their numbers, and stand."""
NO_DISCARDS = "discard none"


class Decision(NamedTuple):
    """Somebody had a choice."""

    number: int
    """Of its (first) action in the deal, from 1."""
    row: NDArray[np.int64]
    """The game before it, int64 (columns,), all cards in it."""
    played: Choice

    @property
    def player(self) -> int:
        """Who had it."""
        return int(self.row[at.ACTOR])


class Deal(NamedTuple):
    """A deal of a record."""

    number: int
    """In its partie, those thrown in counted, from 1."""
    end: NDArray[np.int64]
    """The game after the last action, int64 (columns,)."""
    decisions: list[Decision]

    @property
    def is_over(self) -> bool:
        """Whether it was played to its end; to be thrown in is one."""
        return bool(self.end[at.PHASE] >= at.DEAL_OVER)


def deals_of(record: Record) -> list[Deal]:
    """The deals of a deal or partie record. Raises RecordError."""
    ends = [row.copy() for row in replayed_deals(record)]
    taken: list[list[tuple[NDArray[np.int64], int]]] = []
    for row, action in steps(record):
        if row[at.ACTED] == 0:
            taken.append([])
        taken[-1].append((row.copy(), action))
    taken += [[]] * (len(ends) - len(taken))  # the last deal may have no action yet
    return [Deal(n + 1, end, _decisions(done)) for n, (end, done) in enumerate(zip(ends, taken, strict=True))]


def _decisions(taken: list[tuple[NDArray[np.int64], int]]) -> list[Decision]:
    made = []
    for number, (row, action) in enumerate(taken):
        in_exchange = row[at.PHASE] == at.EXCHANGE
        has_begun = in_exchange and row[at.DISCARDS + row[at.ACTOR]] != 0
        if has_begun or len(legal_indices(row)) < 2:
            continue
        discards = takewhile(lambda card: card != act.STAND, (action for _, action in taken[number:]))
        played = (*sorted(discards), act.STAND) if in_exchange else (action,)
        made.append(Decision(number + 1, row, played))
    return made


def choices(row: NDArray[np.int64]) -> list[Choice]:
    """All that can be chosen in a decision with this row."""
    if row[at.PHASE] != at.EXCHANGE:
        return [(action,) for action in legal_indices(row)]
    hand = cards_of(int(row[at.HANDS + row[at.ACTOR]]))
    return [(*cards, act.STAND) for number in _numbers(row) for cards in combinations(hand, number)]


def _numbers(row: NDArray[np.int64]) -> list[int]:
    """How many cards may be discarded, at the start of an exchange: those after which he may stand."""
    probe, numbers = row.copy(), []
    for number in range(at.MOST_TRICKS + 1):
        legal = legal_indices(probe)
        if act.STAND in legal:
            numbers.append(number)
        if legal[0] >= CARDS:
            break
        game.apply_action(probe, legal[0])
    return numbers


def take_choice(row: NDArray[np.int64], choice: Choice) -> None:
    """Take its actions; changes the row."""
    for action in choice:
        game.apply_action(row, action)


def choice_text(choice: Choice, row: NDArray[np.int64]) -> str:
    """As records have actions: "+7", "play SA"; an exchange: "discard S7 S8", or "discard none"."""
    if row[at.PHASE] != at.EXCHANGE:
        return action_text(choice[0], rules_of(row))
    return " ".join(["discard", *map(card_text, choice[:-1])]) if len(choice) > 1 else NO_DISCARDS
