"""Records of the game that an environment plays, in and out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import actions as act
from piquet_env.engine import layout as at
from piquet_env.envs.auctions import NOW
from piquet_env.records import Record, RecordError, deal_record, history, load_record, partie_record
from piquet_env.rules import Rules


def set_up(record: Any, row: NDArray[np.int64], rules: Rules) -> list[Any]:
    """Replay a deal or partie record in a row that is dealt; the deals before its last one.

    Args:
        row: int64 (columns,), of these rules: its kind of episode and its random generator are kept. Where that is an
            auction alone, its deal is settled from the record's cards.

    Raises:
        RecordError: (a ValueError) the record is wrong, or of other rules, or goes on after the auction where that is
            all that is played; the row is untouched.
    """
    loaded = row.copy()
    earlier = load_record(record, loaded, bool(row[at.PARTIE]), int(row[at.RANDOM]))
    if not np.array_equal(loaded[: at.PARTIE], row[: at.PARTIE]):
        raise RecordError(f"the environment plays {rules.spec()!r}, the record another game", "rules")
    if row[at.PLAYOUT] > 0:
        _end_with_auction(loaded)
    row[:] = loaded
    return list(earlier)


def _end_with_auction(loaded: NDArray[np.int64]) -> None:
    """Make the deal that was loaded one that ends with its auction. Raises RecordError: it goes on after it."""
    if loaded[at.PHASE] != at.AUCTION and not loaded[at.IS_THROWN_IN]:
        calls = sum(act.PLUS <= action <= act.REDOUBLE for _, action in history(loaded))
        if calls < loaded[at.ACTED]:
            raise RecordError(f"the episode is the auction: expected no more than its {calls} actions", "actions")
        loaded[at.PHASE] = at.DEAL_OVER
    loaded[at.PLAYOUT] = NOW


def record_of(row: NDArray[np.int64], earlier: list[Any]) -> Record:
    """The deal, or the partie, so far as a record of one's own; with the result when it is over.

    Args:
        row: int64 (columns,), in the present deal.
        earlier: of a partie the deals before it, as records or as their rows.
    """
    if not row[at.PARTIE]:
        return deal_record(row)
    deals = [copy.deepcopy(deal) if isinstance(deal, dict) else deal_record(deal) for deal in earlier]
    return partie_record(deals, row)
