"""What a record is made of, and the error of one that cannot have been understood."""

from __future__ import annotations

from typing import Any, NoReturn

Record = dict[str, Any]

DEAL_FORMAT = "piquet-deal/1"
PARTIE_FORMAT = "piquet-partie/1"
PLAYERS = ("player_0", "player_1")
DEAL_KEYS = ("format", "id", "rules", "dealer", "hands", "talon", "actions", "legal", "result")
PARTIE_KEYS = ("format", "id", "rules", "deals", "result")
OPTIONAL_KEYS = ("id", "legal", "result")

_MOST_LETTERS_OF_A_MESSAGE = 600
_MOST_LETTERS_OF_A_VALUE = 80


class RecordError(ValueError):
    """A record that cannot have been understood.

    `field` says where in the record, as in "deals[2].actions[7]"; `source` and `line` (from 1) are those of the
    file, "" and 0 where the record comes from none.
    """

    def __init__(self, reason: str, field: str = "", source: str = "", line: int = 0):
        super().__init__(reason, field, source, line)
        self.reason, self.field, self.source, self.line = reason, field, source, line

    def __str__(self) -> str:
        place = [self.source] if self.source else []
        place += [f"line {self.line}"] if self.line else []
        parts = [", ".join(place)] if place else []
        parts += [f"field {_cut(self.field, _MOST_LETTERS_OF_A_VALUE)!r}"] if self.field else []
        return ": ".join([*parts, _cut(self.reason, _MOST_LETTERS_OF_A_MESSAGE)])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + " ..."


def shown(value: Any) -> str:
    """A value of a record as a message shows it: on one line, and cut short."""
    try:
        return _cut(repr(value), _MOST_LETTERS_OF_A_VALUE)
    except (RecursionError, ValueError):  # lists in lists without end, a number of thousands of digits
        return f"a {type(value).__name__}"


def is_partie(record: Any) -> bool:
    """Whether a record says that it is a partie's."""
    return isinstance(record, dict) and record.get("format") == PARTIE_FORMAT


def refuse_value(record: Record, key: str, expected: str, prefix: str = "") -> NoReturn:
    """Raise the RecordError of a field that is not what was expected."""
    found = shown(record[key]) if key in record else "nothing"
    raise RecordError(f"expected {expected}, got {found}", prefix + key)


def check_object(value: Any, field: str) -> None:
    """Raise RecordError unless the value is a JSON object."""
    if not isinstance(value, dict):
        raise RecordError(f"expected an object {{...}}, got {shown(value)}", field)


def check_keys(value: Record, keys: tuple[str, ...], prefix: str) -> None:
    """Raise RecordError for an unknown key, a missing one that is not optional, and an `id` that is no text."""
    for key in value:
        if key not in keys:
            raise RecordError(f"unknown field: expected {', '.join(keys)}", f"{prefix}{key}")
    for key in keys:
        if key not in value and key not in OPTIONAL_KEYS:
            raise RecordError("missing", f"{prefix}{key}")
    if not isinstance(value.get("id", ""), str):
        refuse_value(value, "id", "a text", prefix)


def check_same(given: Any, replayed: Any, field: str) -> None:
    """Raise RecordError unless the record says what the replay gives, in the same types: true is not 1."""
    if type(given) is not type(replayed):
        _refuse_result(given, replayed, field)
    if isinstance(replayed, dict):
        check_keys(given, tuple(replayed), f"{field}.")
        for key, value in replayed.items():
            check_same(given[key], value, f"{field}.{key}")
    elif isinstance(replayed, list):
        if len(given) != len(replayed):
            _refuse_result(given, replayed, field)
        for place, value in enumerate(replayed):
            check_same(given[place], value, f"{field}[{place}]")
    elif given != replayed:
        _refuse_result(given, replayed, field)


def _refuse_result(given: Any, replayed: Any, field: str) -> NoReturn:
    raise RecordError(f"the record says {shown(given)}, but the replay gives {shown(replayed)}", field)
