"""Records of the game that an environment plays, in and out."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piquet_env.engine import layout as at
from piquet_env.records import Record, RecordError, deal_record, load_record, partie_record
from piquet_env.rules import Rules


def set_up(record: Any, row: NDArray[np.int64], rules: Rules) -> list[Any]:
    """Replay a deal or partie record in a row that is dealt; the deals before its last one.

    Args:
        row: int64 (columns,), of these rules: its kind of episode and its random generator are kept.

    Raises:
        RecordError: (a ValueError) the record is wrong, or of other rules; the row is untouched.
    """
    loaded = row.copy()
    earlier = load_record(record, loaded, bool(row[at.PARTIE]), int(row[at.RANDOM]))
    if not np.array_equal(loaded[: at.PARTIE], row[: at.PARTIE]):
        raise RecordError(f"the environment plays {rules.spec()!r}, the record another game", "rules")
    row[:] = loaded
    return list(earlier)


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
