"""Files of records: read one at a time within bounds, written whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from piquet_env.files import whole_file
from piquet_env.records.form import DEAL_KEYS, PARTIE_KEYS, Record, RecordError, is_partie
from piquet_env.records.replay import check_record

MOST_BYTES = 16 * 2**20
"""A longer line of a .jsonl file, or a longer .json file, is no record; it is refused before it is read whole."""


def read_records(path: str | os.PathLike[str]) -> Iterator[tuple[int, Record]]:
    """(line, record) of each record of a file, every one replayed and found right.

    A file named .json is one object, any other has one to a line.

    Raises:
        RecordError: with file, line and field, at the first record that is wrong.
        OSError: the file cannot be read.
    """
    path = Path(path)
    lines = _whole(path) if path.suffix == ".json" else _lines(path)
    is_empty = True
    for number, line in lines:
        is_empty = False
        try:
            record = _parse(line)
            check_record(record)
        except RecordError as error:
            # Within one pretty-printed object the line is that of the fault, where JSON tells it.
            raise RecordError(error.reason, error.field, str(path), number + max(error.line - 1, 0)) from error
        yield number, record
    if is_empty:
        raise RecordError("the file is empty: expected a record", source=str(path), line=1)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MOST_BYTES + 1):
            number += 1
            _check_size(line, MOST_BYTES, "line", path, number)
            if not line.strip():
                raise RecordError("an empty line: expected a record", source=str(path), line=number)
            yield number, line.rstrip(b"\r\n")


def _whole(path: Path) -> Iterator[tuple[int, bytes]]:
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    _check_size(content, MOST_BYTES, "file", path, 1)
    if content:
        yield 1, content


def _check_size(content: bytes, most: int, what: str, path: Path, line: int) -> None:
    if len(content) > most:
        raise RecordError(f"the {what} is longer than {most} bytes: expected a record", source=str(path), line=line)


def _parse(content: bytes) -> Any:
    """One JSON value. Raises RecordError for what is none, for NaN, and for a key that stands there twice."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 text (byte {error.start}): expected JSON") from error
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg} (column {error.colno})", line=error.lineno) from error
    except RecursionError as error:
        raise RecordError("nested too deeply: no record is") from error
    except RecordError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise RecordError(f"not JSON that can be read: {error}") from error


def _object(pairs: list[tuple[str, Any]]) -> Record:
    value: Record = {}
    for key, item in pairs:
        if key in value:
            raise RecordError("stands there twice", key)
        value[key] = item
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise RecordError(f"{name} is no JSON number")


def write_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write records, one to a line, whole or not at all; a file named .json takes exactly one.

    Raises:
        ValueError: another number of records for a .json file, or a record too long to be read again.
    """
    path = Path(path)
    lines = [json.dumps(_in_order(record)) + "\n" for record in records]
    if path.suffix == ".json" and len(lines) != 1:
        raise ValueError(f"{path}: a .json file takes exactly one record, got {len(lines)}; name it .jsonl")
    if any(len(line) > MOST_BYTES for line in lines):
        raise ValueError(f"{path}: a record longer than {MOST_BYTES} bytes could not be read again")
    with whole_file(path) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8", newline="\n")


def _in_order(record: Record) -> Record:
    """The keys as the format lists them, whatever order the record was made in."""
    keys = PARTIE_KEYS if is_partie(record) else DEAL_KEYS
    ordered = {key: record[key] for key in keys if key in record} | record
    if is_partie(record):
        ordered["deals"] = [_in_order(deal) for deal in record["deals"]]
    return ordered
