"""Deals and parties as records (JSON objects): made from a game's row, and replayed into one.

    for line, record in read_records("deals.jsonl"):     # each is checked by replaying it
        for row, action in steps(record):
            ...                                          # the row as it is before the action

A deal record without `result` is incomplete: it is a position that can be played on. What a reader cannot
have understood is refused with a `RecordError` that names the file, the line, the field and what was expected.
"""

from piquet_env.records.files import MOST_BYTES, read_records, write_records
from piquet_env.records.form import DEAL_FORMAT, PARTIE_FORMAT, PLAYERS, Record, RecordError, is_partie
from piquet_env.records.made import contract, deal_record, deal_result, history, partie_record, partie_result, talon_of
from piquet_env.records.replay import check_record, load_record, new_row, replayed_deals, steps

__all__ = [
    "DEAL_FORMAT",
    "MOST_BYTES",
    "PARTIE_FORMAT",
    "PLAYERS",
    "Record",
    "RecordError",
    "check_record",
    "contract",
    "deal_record",
    "deal_result",
    "history",
    "is_partie",
    "load_record",
    "new_row",
    "partie_record",
    "partie_result",
    "read_records",
    "replayed_deals",
    "steps",
    "talon_of",
    "write_records",
]
