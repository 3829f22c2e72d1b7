"""The form of a view: its name, its schema, its error, and how its values are read."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from piquet_env.engine import layout as at
from piquet_env.notation import card_index, parse_hand
from piquet_env.records.form import shown

VIEW_FORMAT = "piquet-view/1"
UNKNOWN = "?"
NONE = "none"
CATEGORIES = ("point", "sequence", "set")
_PHASES = tuple(phase.name.lower() for phase in at.Phase)
_SCHEMA = Path(__file__).resolve().parent.parent / "view.schema.json"


class ViewError(ValueError):
    """A view that cannot have been understood; `field` says where, as in "tricks[2].cards[0]"."""

    def __init__(self, field: str, reason: str):
        super().__init__(field, reason)
        self.field, self.reason = field, reason

    def __str__(self) -> str:
        return f"view, field {self.field!r}: {self.reason}" if self.field else f"view: {self.reason}"


def view_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a view, as a new dict."""
    return json.loads(_SCHEMA.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def view_keys() -> tuple[str, ...]:
    """The fields of a view, in order."""
    return tuple(view_schema()["properties"])


@lru_cache(maxsize=1)
def required_keys() -> tuple[str, ...]:
    """Those that a reader must be given."""
    return tuple(view_schema()["required"])


def phase_name(phase: int) -> str:
    """A phase as views and infos call it: "auction", "carte_blanche", ..., "game_over"."""
    return _PHASES[phase]


class Part:
    """A value somewhere in a view that is being read, with its place for messages. Every method raises ViewError."""

    def __init__(self, value: Any, field: str = ""):
        self.value, self.field = value, field

    def refuse(self, expected: str) -> NoReturn:
        """Raise the ViewError of a value that is not what was expected."""
        raise ViewError(self.field, f"expected {expected}, got {shown(self.value)}")

    def check_keys(self, keys: tuple[str, ...], required: tuple[str, ...] | None = None) -> None:
        """An object with no other keys than these, and with all that are required (None: all)."""
        if not isinstance(self.value, dict):
            self.refuse("an object {...}")
        prefix = f"{self.field}." if self.field else ""
        for key in self.value:
            if key not in keys:
                raise ViewError(f"{prefix}{key}", f"unknown field: expected {', '.join(keys)}")
        for key in keys if required is None else required:
            if key not in self.value:
                raise ViewError(f"{prefix}{key}", "missing")

    def __getitem__(self, key: str) -> Part:
        """The part of an object under a key that `check_keys` has found there."""
        return self.get(key, None)

    def get(self, key: str, default: Any) -> Part:
        """The same, with a value that is taken where the key has been left out."""
        return Part(self.value.get(key, default), f"{self.field}.{key}" if self.field else key)

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def items(self) -> list[Part]:
        """The parts of a list."""
        if not isinstance(self.value, list):
            self.refuse("a list [...]")
        return [Part(value, f"{self.field}[{place}]") for place, value in enumerate(self.value)]

    def number(self, low: int, high: int) -> int:
        """A whole number within bounds."""
        if type(self.value) is not int or not low <= self.value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return self.value

    def flag(self) -> int:
        """True or false, as 1 or 0."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return int(self.value)

    def one_of(self, names: tuple[str, ...]) -> int:
        """The place of a name in a list of names."""
        if not isinstance(self.value, str) or self.value not in names:
            self.refuse(f"one of {', '.join(names)}")
        return names.index(self.value)

    def one_of_or_null(self, names: tuple[str, ...]) -> int:
        """The same; -1 for null."""
        return -1 if self.value is None else self.one_of(names)

    def cards(self, pack: int) -> int:
        """A set of cards of the pack, as a mask."""
        try:
            mask = parse_hand(self.value)
        except ValueError as error:
            raise ViewError(self.field, str(error)) from error
        if mask & ~pack:
            self.refuse("cards of the pack of these rules")
        return mask

    def card(self) -> int:
        """One card."""
        try:
            return card_index(self.value)
        except ValueError as error:
            raise ViewError(self.field, str(error)) from error


def check_same(given: Any, made: Any, field: str) -> None:
    """Raise ViewError unless what the view says follows from its other fields, in the same types.

    What an object leaves out is what follows.
    """
    if type(given) is type(made) and isinstance(made, dict) and given.keys() <= made.keys():
        for key in [key for key in made if key in given]:
            check_same(given[key], made[key], f"{field}.{key}" if field else key)
    elif type(given) is type(made) and isinstance(made, list) and len(given) == len(made):
        for place, value in enumerate(made):
            check_same(given[place], value, f"{field}[{place}]")
    elif type(given) is not type(made) or given != made:
        raise ViewError(field, f"the view says {shown(given)}, but from its other fields follows {shown(made)}")
