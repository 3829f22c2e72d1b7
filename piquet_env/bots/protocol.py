"""What both sides of the protocol `piquet-serve/1` share (piquet_env/serve/PROTOCOL.md): its name, and reading a line.

A line comes from a program that may be wrong in any way, so JSON is read strictly: no key twice, no NaN, no number that
others could not read either.
"""

from __future__ import annotations

import json
import math
import re
from typing import IO, Any, NoReturn

PROTOCOL = "piquet-serve/1"
LONGEST_LINE = 2**16
"""Bytes of a line; a view has about 4,000."""
_LARGEST = 2**63 - 1
_MOST_DIGITS = 20
_MOST_LETTERS = 300
_MOST_LETTERS_OF_A_FIELD = 100
_TO_SKIP = 2**16  # bytes at once


class LineError(ValueError):
    """A line that cannot be understood, and in which field; "" is the line itself."""

    def __init__(self, field: str, reason: str):
        super().__init__(field, reason)
        self.field, self.reason = cut(field, _MOST_LETTERS_OF_A_FIELD), cut(reason)

    def __str__(self) -> str:
        return f"field {self.field!r}: {self.reason}" if self.field else self.reason


def cut(text: str, most: int = _MOST_LETTERS) -> str:
    """A text as an error shows it: not longer than so many letters."""
    return text if len(text) <= most else f"{text[:most]}..."


def read_line(stream: IO[bytes]) -> bytes | None:
    """The next line; b"" at the end. None: it was longer than `LONGEST_LINE`, and has been passed over."""
    line = stream.readline(LONGEST_LINE + 1)
    if line.endswith(b"\n") or len(line) <= LONGEST_LINE:
        return line
    while (part := stream.readline(_TO_SKIP)) and not part.endswith(b"\n"):
        pass
    return None


def parse_line(line: bytes | None) -> dict[str, Any]:
    """The object in a line, as `read_line` gives it. Raises LineError."""
    if line is None:
        raise LineError("", f"expected a line of at most {LONGEST_LINE} bytes")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LineError("", f"expected UTF-8, got the byte 0x{line[error.start]:02x} at {error.start}") from error
    try:
        made = json.loads(
            text, object_pairs_hook=_object, parse_int=_whole, parse_float=_fraction, parse_constant=_constant
        )
    except json.JSONDecodeError as error:
        raise LineError("", f"expected JSON: {error.msg} at letter {error.pos}") from error
    except RecursionError as error:
        raise LineError("", "expected JSON: nested too deeply") from error
    if not isinstance(made, dict):
        raise LineError("", f"expected an object {{...}}, got {cut(repr(text.strip()), 80)}")
    return made


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise LineError("", f"expected each key once, got {cut(repr(twice), 80)} twice")
    return made


def _whole(text: str) -> int:
    if len(text) > _MOST_DIGITS or abs(int(text)) > _LARGEST:
        _refuse_number(text)
    return int(text)


def _fraction(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        _refuse_number(text)
    return number


def _refuse_number(text: str) -> NoReturn:
    raise LineError("", f"expected numbers below 2**63, got {cut(text, 40)}")


def _constant(text: str) -> NoReturn:
    raise LineError("", f"expected JSON: {text} is no number")


def first_line(text: str) -> str:
    """A text of another program's in one line, cut short."""
    return cut(re.sub(r"\s+", " ", text).strip())
